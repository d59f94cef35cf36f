"""Whether clusters cut through groups of rows that are linked from neighbor to neighbor.

A gap somewhere between two clusters is not a gap along their whole border: halves of two moons that
lie in each other have a gap between their centers, and a border that cuts both. So clusters are
compared with the pieces of the graph of nearest neighbors. They cut through a piece if two of them
have large parts of it, and one of these has a large part of another piece, too; otherwise clusters
are parts or unions of pieces, and their number is all that differs. Their borders also must cut far
more links between nearest neighbors than those between pieces do, which in one cloud they do not.
"""

from collections.abc import Iterator

import numpy as np
from scipy.sparse import csr_array

from kgroups.graphs.neighbors.nearest import nearest_rows
from kgroups.graphs.neighbors.neighbor_table import NeighborTable
from kgroups.input.adjacency import like
from kgroups.metrics import normalized_cut
from kgroups.typing import Float64Array, IntArray

# Rows that are used; of more, evenly spaced ones.
_ROWS = 1_000
#: Neighbors of each row for the pieces.
N_NEIGHBORS = 10
# Neighbors whose links across borders are counted.
_NEAREST = 5
# A large part is this share of the piece, and this share of the cluster: a tail is no other piece.
_PART, _OF_CLUSTER = 0.15, 0.12
# How many times the links that pieces cut: pieces as many as there is evidence for, or as clusters.
_MORE, _MORE_THAN_GIVEN = 2.0, 4.0


def cut_through(coordinates: Float64Array, codes: IntArray) -> IntArray:
    """The clusters that share a piece of the graph of nearest neighbors which their border cuts.

    Neighbors by Euclidean distance of the coordinates, of at most 1,000 rows; see
    :func:`kgroups.graphs.neighbors.division.divided` for the pieces and for what they cost.
    """
    if len(codes) > _ROWS:
        some = np.linspace(0, len(codes) - 1, _ROWS).astype(np.int64)
        return cut_through(coordinates[some], codes[some])
    if (coordinates == coordinates[0]).all():
        return np.arange(0)
    table = NeighborTable.of(coordinates, N_NEIGHBORS)
    nearest = nearest_rows(table.nodes, min(_NEAREST, len(table.nodes) - 1)).lengths()
    links = like(nearest, np.ones(nearest.nnz))
    for pieces, more in _pieces(table, int(codes.max()) + 1):
        found = _crossing(pieces, codes)
        if len(found) and _cost(links, table, codes) > more * _cost(links, table, pieces):
            return found
    return np.arange(0)


def _pieces(table: NeighborTable, k: int) -> Iterator[tuple[IntArray, float]]:
    """The pieces that there is evidence for, then k of them."""
    yield table.walk[table.places], _MORE
    yield table.divided(k)[table.places], _MORE_THAN_GIVEN


def _crossing(pieces: IntArray, codes: IntArray) -> IntArray:
    """The clusters that have large parts of a piece which they cut.

    >>> _crossing(np.array([0, 0, 0, 1, 1, 1]), np.array([0, 0, 1, 0, 1, 1])).tolist()
    [0, 1]
    >>> _crossing(np.array([0, 0, 0, 0, 1, 1]), np.array([0, 0, 1, 1, 2, 2])).tolist()
    []
    """
    rows = np.zeros((pieces.max() + 1, codes.max() + 1))
    np.add.at(rows, (pieces, codes), 1.0)
    large = rows >= _PART * rows.sum(axis=1, keepdims=True)
    large &= rows >= _OF_CLUSTER * rows.sum(axis=0)
    is_cut, joins_others = large.sum(axis=1) > 1, large.sum(axis=0) > 1
    crossed = is_cut & (large & joins_others).any(axis=1)
    return np.flatnonzero(large[crossed].any(axis=0))


def _cost(links: csr_array, table: NeighborTable, labels: IntArray) -> float:
    """The mean share of links that lead out of a cluster."""
    of_nodes = np.unique(table.of_nodes(labels), return_inverse=True)[1]
    return normalized_cut(links, of_nodes) / (int(of_nodes.max()) + 1)
