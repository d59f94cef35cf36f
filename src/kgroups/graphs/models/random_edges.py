"""Edges drawn at random, each pair of nodes independently with a probability of its own."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

from kgroups.graphs.models.compiled.random_edges import draw_pairs
from kgroups.typing import Float64Array, IntArray


def draw_edges(
    labels: IntArray,
    theta: Float64Array,
    rates: tuple[float, float],
    *,
    loops: bool,
    rng: np.random.Generator,
) -> NDArray[np.int32]:
    """Each edge once, (m, 2): the edges inside communities, then those between.

    Edges between communities are drawn from all pairs of nodes, and pairs inside a community are
    dropped: each pair is still drawn independently, and the time does not grow with k².
    """
    inside, between = rates
    starts = np.concatenate([[0], np.cumsum(np.bincount(labels))])
    order = np.lexsort((-theta, labels)).astype(np.int32)
    within = draw_pairs(order, starts, theta[order], inside, int(loops), rng)
    order = np.argsort(-theta, kind="stable").astype(np.int32)
    ends = np.array([0, len(labels)])
    across = draw_pairs(order, ends, theta[order], between, 0, rng)
    across = across[labels[across[:, 0]] != labels[across[:, 1]]]
    return np.concatenate([within, across])


def adjacency_of_edges(edges: NDArray[np.int32], n: int) -> csr_array[np.float64]:
    """The adjacency matrix of edges that are listed once; a loop is one entry."""
    back = edges[edges[:, 0] != edges[:, 1], ::-1]
    ends = np.concatenate([edges, back])
    return coo_array((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=(n, n)).tocsr()
