"""Random graphs that share degrees or edges with a given one, to see what chance alone gives."""

import numpy as np
from scipy.sparse import coo_array, csr_array, triu

from kgroups.graphs.compiled.rewire import swap_ends
from kgroups.input.adjacency import both_directions, rows_of

# Tries to swap the ends of two edges, per edge; most succeed on a sparse graph.
_TRIES = 10


def rewired(A: csr_array, rng: np.random.Generator) -> csr_array:
    """A graph with the degrees and the weights of edges of ``A``, and no other structure.

    Random pairs of edges swap ends, ten times per edge; no pair of nodes gets two edges. Self-loops
    stay. With weights, the sums of a node's weights change, its number of edges does not.

    Source: S. Maslov and K. Sneppen, Science 296 (2002).
    """
    indices, data = A.indices.copy(), A.data.copy()
    back = np.asarray(
        csr_array((np.arange(A.nnz), A.indices, A.indptr), shape=A.shape).T.tocsr().data
    )
    drawn = rng.integers(A.nnz, size=(2, _TRIES * A.nnz // 2))
    swap_ends(A.indptr, indices, data, rows_of(A), back, drawn)
    mixed = csr_array((data, indices, A.indptr.copy()), shape=A.shape)
    mixed.sort_indices()
    return mixed


def reweighted(A: csr_array, rng: np.random.Generator) -> csr_array:
    """The graph with its weights on other edges, in a random order."""
    upper = triu(A, format="coo")
    ends = (upper.row, upper.col)
    return both_directions(csr_array(coo_array((rng.permutation(upper.data), ends), A.shape)))
