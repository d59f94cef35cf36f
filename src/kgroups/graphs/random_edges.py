"""Edges drawn at random, each pair of nodes independently with a probability of its own."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

from kgroups.runtime.jit import jit
from kgroups.typing import Float64Array, IntArray


def draw_edges(
    labels: IntArray,
    theta: Float64Array,
    rates: tuple[float, float],
    *,
    loops: bool,
    rng: np.random.Generator,
) -> NDArray[np.int32]:
    """Each edge once, (m, 2): those inside communities, then those between.

    Pairs of all nodes are drawn with the probability between, and those inside are dropped: so
    each pair is still drawn independently, and the time does not grow with k².
    """
    inside, between = rates
    starts = np.concatenate([[0], np.cumsum(np.bincount(labels))])
    order = np.lexsort((-theta, labels)).astype(np.int32)
    within = _draw_pairs(order, starts, theta[order], inside, int(loops), rng)
    order = np.argsort(-theta, kind="stable").astype(np.int32)
    ends = np.array([0, len(labels)])
    across = _draw_pairs(order, ends, theta[order], between, 0, rng)
    across = across[labels[across[:, 0]] != labels[across[:, 1]]]
    return np.concatenate([within, across])


def adjacency_of_edges(edges: NDArray[np.int32], n: int) -> csr_array[np.float64]:
    """Both directions of each edge, and loops once."""
    back = edges[edges[:, 0] != edges[:, 1], ::-1]
    ends = np.concatenate([edges, back])
    return coo_array((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=(n, n)).tocsr()


@jit
def _draw_pairs(
    order: NDArray[np.int32],
    starts: IntArray,
    theta: Float64Array,
    rate: float,
    loops: int,
    rng: np.random.Generator,
) -> NDArray[np.int32]:
    """Pairs inside each group, each with probability min(1, rate θ θ'); O(n + pairs drawn).

    Within a group θ must not increase. The next partner of a node is found by a geometric step
    with the probability of the current place, an upper bound for all later ones, and is kept with
    the ratio of its own probability to that bound.
    """
    pairs = np.empty((1024, 2), np.int32)
    count = 0
    for g in range(len(starts) - 1):
        stop = starts[g + 1]
        for i in range(starts[g], stop):
            j = i + 1 - loops
            bound = min(1.0, rate * theta[i] * theta[j]) if j < stop else 0.0
            while j < stop and bound > 0:
                if bound < 1:
                    # Cut before it becomes an integer, which it could overflow.
                    j += int(min(rng.standard_exponential() / -np.log1p(-bound), stop - j))
                if j == stop:
                    break
                probability = min(1.0, rate * theta[i] * theta[j])
                if rng.random() * bound < probability:
                    if count == len(pairs):
                        pairs = _doubled(pairs)
                    pairs[count, 0] = order[i]
                    pairs[count, 1] = order[j]
                    count += 1
                bound = probability
                j += 1
    return pairs[:count]


@jit
def _doubled(pairs: NDArray[np.int32]) -> NDArray[np.int32]:
    """Room for twice as many."""
    larger = np.empty((2 * len(pairs), 2), np.int32)
    larger[: len(pairs)] = pairs
    return larger
