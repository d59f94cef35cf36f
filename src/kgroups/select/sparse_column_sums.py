"""Sums of distances between sparse rows, split by those columns that have entries."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from kgroups.native import kernels
from kgroups.runtime.threads import blocks, run
from kgroups.select.column_sums import ColumnSums, Grouped
from kgroups.semimetrics import codes
from kgroups.semimetrics.all_pairs import Term
from kgroups.semimetrics.sparse_pairs import SparsePoints
from kgroups.typing import Float64Array, IntArray

# Tasks of rows and of columns, independent of the number of threads, so that the sums are too.
_TASKS = 16


def occurring(rows: csr_array) -> tuple[csr_array, IntArray]:
    """The rows without columns that are zero everywhere, and the numbers of the others."""
    columns, places = np.unique(rows.indices, return_inverse=True)
    shape = (rows.shape[0], max(1, len(columns)))
    kept = csr_array((rows.data, places.astype(np.int32), rows.indptr), shape=shape)
    return kept, columns.astype(np.int64)


def sparse_column_sums(
    term: Term, points: Grouped, n_threads: int
) -> tuple[ColumnSums, ColumnSums]:
    """The sums of a term of sparse rows, for all columns together and for each alone.

    As :func:`~kgroups.select.column_sums.column_sums`. O(n² + S) time for S pairs of entries of one
    column; memory O(kD) per thread for D columns.
    """
    given = SparsePoints.of([term])
    together = _together(given, points, n_threads)
    alone = _alone(given, points, n_threads)
    scale = given.scale
    return (
        ColumnSums(scale * together.within, scale * together.across),
        ColumnSums(scale * alone.within, scale * alone.across),
    )


def _together(given: SparsePoints, points: Grouped, n_threads: int) -> ColumnSums:
    n, k = len(given), len(points.starts) - 1
    tiles = given.tiles(points.order, n_threads=n_threads)
    sums = np.zeros((n, k))

    def of_rows(piece: tuple[int, int]) -> ColumnSums:
        """What the columns of some rows share with all rows."""
        part = ColumnSums.zeros(k, given.rows.n_columns)
        how = (given.rows, tiles, given.rule, points.weights, points.starts)
        kernels.add_split_pairs(*how, *piece, sums, *part)
        return part

    shared = ColumnSums.zeros(k, given.rows.n_columns)
    for part in run(of_rows, blocks(0, n, -(-n // _TASKS)), n_threads):
        shared = ColumnSums(shared.within + part.within, shared.across + part.across)
    single = _single(given)[points.order]
    own = np.repeat(np.arange(k), np.diff(points.starts))
    is_own = own[:, None] == np.arange(k)
    inside = np.where(is_own, sums, 0.0)
    outside = np.where(is_own, sums.sum(axis=1, keepdims=True) - sums, sums)
    return ColumnSums(
        (single.T @ inside).T - shared.within / 2, (single.T @ outside).T - shared.across
    )


def _alone(given: SparsePoints, points: Grouped, n_threads: int) -> ColumnSums:
    k = len(points.starts) - 1
    columns = _csr(given, given.rows.values)[points.order].tocsc()
    own = np.repeat(np.arange(k), np.diff(points.starts))
    totals = np.asarray(np.bincount(own, weights=points.weights, minlength=k), np.float64)
    starts, places = (array.astype(np.int64) for array in (columns.indptr, columns.indices))
    sums = ColumnSums.zeros(k, given.rows.n_columns)

    def of_columns(piece: tuple[int, int]) -> None:
        """The sums of some columns."""
        how = (starts, places, columns.data)
        kernels.add_single_columns(*how, own, points.weights, totals, given.rule, *piece, *sums)

    pieces = blocks(0, columns.shape[1], -(-columns.shape[1] // _TASKS))
    for _ in run(of_columns, pieces, n_threads):
        pass
    return sums


def _single(given: SparsePoints) -> csr_array:
    """δ_d(x_d, 0) of all entries."""
    values = given.rows.values
    if given.rule.delta == codes.SQUARED:
        return _csr(given, values * values)
    return _csr(
        given, np.abs(values) if given.rule.delta == codes.ABSOLUTE else np.ones(len(values))
    )


def _csr(given: SparsePoints, values: Float64Array) -> csr_array:
    rows = given.rows
    return csr_array((values, rows.columns, rows.starts), shape=(len(given), rows.n_columns))
