"""What all sources of rows do in the same way: canonical blocks, and rows by their numbers."""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from kgroups.blocks.row_source import RowSource
from kgroups.input import rows
from kgroups.runtime.threads import blocks
from kgroups.typing import FloatArray, IntArray


def canonical_blocks(source: RowSource) -> Iterator[tuple[int, FloatArray]]:
    """First row and rows of each block of ``ROWS_PER_BLOCK`` rows."""
    for start, stop in blocks(0, source.n_rows, rows.ROWS_PER_BLOCK):
        yield start, source.read(start, stop)


def taken(source: RowSource, index: slice | IntArray) -> FloatArray:
    """Rows by their numbers, read in ascending order, each block at most once.

    Memory: the result and one block.
    """
    if isinstance(index, slice):
        start, stop, step = index.indices(source.n_rows)
        if step == 1:
            return source.read(start, max(start, stop))
        index = np.arange(start, stop, step)
    numbers = _checked(index, source.n_rows)
    out = np.empty((len(numbers), source.n_columns), source.dtype)
    order = np.argsort(numbers)
    ascending = numbers[order]
    ends = np.flatnonzero(np.diff(ascending // rows.ROWS_PER_BLOCK)) + 1
    for a, b in pairwise([0, *ends.tolist(), len(order)] if len(order) else []):
        first = int(ascending[a])
        some = source.read(first, int(ascending[b - 1]) + 1)
        out[order[a:b]] = some[ascending[a:b] - first]
    return out


def check_interval(start: int, stop: int, n_rows: int) -> None:
    """IndexError for rows that are not there."""
    if not 0 <= start <= stop <= n_rows:
        raise IndexError(f"rows {start} to {stop} were asked for, and there are {n_rows:,} rows.")


def _checked(index: IntArray, n_rows: int) -> IntArray:
    """Numbers of rows; IndexError if one of them is not the number of a row."""
    numbers = np.asarray(index)
    if numbers.ndim != 1 or numbers.dtype.kind not in "iu":
        raise IndexError(
            "rows are taken by their numbers, a one-dimensional array of integers; got "
            f"{numbers.dtype} of shape {numbers.shape}. For a mask write numpy.flatnonzero(mask)."
        )
    outside = (numbers < 0) | (numbers >= n_rows)
    if outside.any():
        raise IndexError(
            f"row {numbers[outside][0]} was asked for, and the rows are 0 to {n_rows - 1}."
        )
    return numbers.astype(np.int64)
