"""Factorization of a sparse symmetric matrix, and a forecast of what it costs."""

import enum

import numpy as np
from scipy.sparse import csc_array, csr_array
from scipy.sparse.csgraph import reverse_cuthill_mckee
from scipy.sparse.linalg import SuperLU, splu

from kgroups.graphs.compiled.sparse_factor import in_core
from kgroups.input.adjacency import components, rows_of

# Limits of a factorization. At worst the factor is dense on the core, the nodes that cannot be
# eliminated without fill, or within the band of a breadth-first order: nodes of the core, and
# entries of the band and multiply-adds on it.
_LARGEST_CORE, _LARGEST_FILL, _LARGEST_WORK = 6_000, 4e7, 1e11
# A factorization costs little up to this core, or up to this share of the other two limits.
_SMALL_CORE, _LITTLE = 300, 0.1


class Cost(enum.Enum):
    """How expensive a sparse factorization is."""

    LITTLE = enum.auto()
    SECONDS = enum.auto()
    TOO_MUCH = enum.auto()


def factor_cost(H: csr_array) -> Cost:
    """The cost from two bounds on fill: the core, and the band of a breadth-first order. O(nnz)."""
    core = core_size(H)
    if core <= _SMALL_CORE:
        return Cost.LITTLE
    place = np.argsort(reverse_cuthill_mckee(H, symmetric_mode=True))
    first = place.copy()
    np.minimum.at(first, rows_of(H), place[H.indices])
    widths = (place - first).astype(np.float64)
    for cost, share in ((Cost.LITTLE, _LITTLE), (Cost.SECONDS, 1.0)):
        if widths.sum() <= share * _LARGEST_FILL and widths @ widths <= share * _LARGEST_WORK:
            return cost
    return Cost.SECONDS if core <= _LARGEST_CORE else Cost.TOO_MUCH


def core_size(H: csr_array) -> int:
    """Number of nodes in the largest component of the 3-core.

    The 3-core is left when nodes with at most two neighbors are removed until there are none. At
    worst, a factorization of the graph's matrix is dense on such a component. O(nnz).
    """
    core = np.flatnonzero(in_core(H.indptr, H.indices))
    if not core.size:
        return 0
    return int(np.bincount(components(H[core][:, core])[1]).max())


def factor(H: csr_array) -> SuperLU:
    """An LU decomposition in a symmetric order, with pivots on the diagonal where possible."""
    return splu(
        csc_array(H),
        permc_spec="MMD_AT_PLUS_A",
        diag_pivot_thresh=0.0,
        options={"SymmetricMode": True},
    )
