"""Random edges: each pair of nodes independently with a probability of its own."""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import coo_array, csr_array

from kgroups.graphs.models.compiled.random_edges import draw_pairs
from kgroups.graphs.models.model_parameters import generator
from kgroups.typing import Float64Array, IntArray, RandomStateLike


def block_graph(
    n: int,
    k: int,
    rates: tuple[float, float],
    random_state: RandomStateLike,
    *,
    theta: Float64Array | None = None,
    sizes: ArrayLike | None = None,
    balanced: bool = True,
    loops: bool = False,
) -> tuple[csr_array[np.float64], IntArray]:
    """A network and its labels, with probabilities of edges inside communities and between."""
    rng = generator(random_state)
    labels = planted_labels(n, k, sizes, balanced, rng)
    edges = draw_edges(labels, np.ones(n) if theta is None else theta, rates, loops=loops, rng=rng)
    return adjacency_of_edges(edges, n), labels


def planted_labels(
    n: int, k: int, sizes: ArrayLike | None, balanced: bool, rng: np.random.Generator
) -> IntArray:
    """A label in 0..k−1 per node: of given sizes, of equal sizes, or drawn uniformly."""
    if sizes is not None and balanced:
        raise ValueError("sizes are given and balanced=True; leave out one of them.")
    if balanced:
        return rng.permutation(np.arange(n, dtype=np.int64) % k)
    if sizes is None:
        return rng.integers(k, size=n)
    return _labels_of_sizes(n, k, sizes, rng)


def _labels_of_sizes(n: int, k: int, sizes: ArrayLike, rng: np.random.Generator) -> IntArray:
    array = np.asarray(sizes, np.float64)
    if array.shape != (k,) or not np.all(array >= 0):
        raise ValueError(
            f"sizes must hold k={k} numbers, none negative; got {np.asarray(sizes).tolist()}."
        )
    if array.sum() == n and np.all(array == np.floor(array)):
        return rng.permutation(np.repeat(np.arange(k, dtype=np.int64), array.astype(np.int64)))
    if not np.isclose(array.sum(), 1):
        raise ValueError(
            f"sizes sum to {array.sum():.6g}; give numbers of nodes that sum to n={n}, "
            "or shares that sum to 1."
        )
    return np.asarray(rng.choice(k, size=n, p=array / array.sum()), np.int64)


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
