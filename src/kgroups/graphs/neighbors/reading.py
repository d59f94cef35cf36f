"""Reading a table for a graph of nearest neighbors."""

import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator

from kgroups.exceptions import GraphNotice
from kgroups.graphs.neighbors.division import SAMPLE
from kgroups.graphs.neighbors.neighbor_table import NeighborTable
from kgroups.input.networks import is_igraph, is_networkx, type_name
from kgroups.input.preparation import prepared
from kgroups.input.spaces import read_at_fit, space_for
from kgroups.input.tables import check_points
from kgroups.semimetrics import Energy
from kgroups.text import counted
from kgroups.typing import Float64Array, IntArray

# What errors about a table say of metrics.
_METRICS = re.compile(
    r", compare the column for equality with metric=.*?\]\)(?=, or)"
    r"|: metric=.*? reads only those"
    r"|; for categories there is also Hamming.*?(?=\.$)"
    r'|write metric="mixed", for which it is the distribution of its column, '
    r'|Write metric="mixed", which compares each column by its type; (\w)'
)


def table_of_neighbors(
    estimator: BaseEstimator, X: Any, n_neighbors: int, n_jobs: int
) -> NeighborTable:
    """The table that a user hands in, with its neighbors, and notices of what a person may miss.

    Raises
    ------
    TypeError
        For a graph or a sparse matrix, which ``affinity="precomputed"`` takes.
    ValueError
        For anything that is not a table of numbers, or has less than two different rows.
    """
    _refuse_graphs(X)
    with _without_metrics():
        _, rows = read_at_fit(estimator, space_for(Energy()), X)
    rows = np.asarray(rows, np.float64)
    if (rows == rows[0]).all():
        raise ValueError(
            f"X has {counted(len(rows), 'row')} and no two that differ: there are no neighbors "
            "to tell apart."
        )
    table = NeighborTable.of(rows, n_neighbors, n_jobs)
    for notice in _notices(table, n_neighbors):
        warnings.warn(notice, GraphNotice, stacklevel=4)
    return table


def new_rows(estimator: Any, X: Any) -> Float64Array:
    """Rows with the columns of the fit."""
    _refuse_graphs(X)
    with _without_metrics():
        rows = check_points(estimator, prepared(estimator, X), Energy(), reset=False)
    return np.asarray(rows, np.float64)


@contextmanager
def _without_metrics() -> Iterator[None]:
    """A block in which errors advise no other metric, because there is none to choose."""
    try:
        yield
    except ValueError as error:
        text, count = _METRICS.subn(lambda found: (found[1] or "").upper(), str(error))
        if not count:
            raise
        raise ValueError(text) from None


def _refuse_graphs(X: Any) -> None:
    if issparse(X) or is_networkx(X) or is_igraph(X):
        what = "a sparse matrix" if issparse(X) else type_name(X)
        raise TypeError(
            f'X is {what}, but affinity="nearest_neighbors" takes a dense table of rows and '
            'columns. For a graph use affinity="precomputed"; for sparse data X.toarray().'
        )


def _notices(table: NeighborTable, n_neighbors: int) -> list[str]:
    n, told = len(table.places), []
    if table.n_equal:
        equal = "equals" if table.n_equal == 1 else "equal"
        told.append(
            f"{counted(table.n_equal, 'row')} of {n:,} {equal} an earlier one; equal rows are one "
            "node of the graph of neighbors and are in one cluster."
        )
    if table.n_neighbors < n_neighbors:
        told.append(
            f"{counted(table.n_neighbors, 'neighbor')} of each row instead of {n_neighbors:,}: the "
            f"table has only {len(table.nodes):,} different rows."
        )
    return told


def tell_of_small_groups(table: NeighborTable, labels: IntArray) -> str:
    """Rows far from all others that are not a cluster of their own, in words, with a notice."""
    sizes = np.bincount(labels, table.counts)
    merged = [
        rows
        for group in table.small_groups()
        if sizes[labels[group]].max() > (rows := int(table.counts[group].sum()))
    ]
    if not merged:
        return ""
    is_sample = len(table.nodes) > SAMPLE
    among = f" of the {SAMPLE:,} by which clusters are counted" if is_sample else ""
    told = (
        f"{counted(sum(merged), 'row')}{among} in {counted(len(merged), 'small group')} are far "
        "from all others, but too few to count as a cluster: they are in that of the nearest row. "
        "A larger number of clusters can give them their own."
    )
    warnings.warn(told, GraphNotice, stacklevel=3)
    return told
