"""Matrices between points of which a file holds one half, or one number for each pair."""

from argparse import Namespace

import numpy as np

from kgroups.exceptions import DataError
from kgroups.input.lookalikes import empty_half, how_to_fill, n_of_pairs
from kgroups.input.table_files import Table
from kgroups.names import MATRICES
from kgroups.typing import Float64Array

# Fewer numbers are as many as pairs by chance.
_LEAST_POINTS = 4


def refuse_half(table: Table, columns: list[int], metric: str) -> None:
    """DataError for one half of a matrix, and for a table that looks like one and has gaps."""
    if len(columns) != table.n_rows:
        return
    is_matrix, numbers = metric in MATRICES, table.numbers(columns)
    half = empty_half(numbers)
    if half is None or (not is_matrix and not _has_gaps(numbers, half)):
        return
    filled = how_to_fill(numbers, half, metric if is_matrix else "precomputed")
    if is_matrix:
        raise DataError(f"{table.source}: {filled}.")
    raise DataError(
        f"{table.source} looks like one half of a matrix of distances: {filled}, and write "
        "--metric precomputed."
    )


def _has_gaps(numbers: Float64Array, half: str) -> bool:
    """Whether one half is missing, not zero, and nothing is negative."""
    rows = numbers if half == "upper" else numbers.T
    is_missing = all(np.isnan(row[i + 1 :]).all() for i, row in enumerate(rows))
    return len(numbers) >= _LEAST_POINTS and is_missing and not np.any(numbers < 0)


def condensed(table: Table, numbers: Float64Array, options: Namespace) -> list[str]:
    """A note on a column of as many numbers as pairs; DataError if a matrix was asked for."""
    rows, columns = numbers.shape
    n = n_of_pairs(rows)
    if n is None or columns != 1 or n < _LEAST_POINTS or np.any(numbers < 0):
        return []
    found = f"{table.source} holds {rows} numbers, as many as {n} points have pairs"
    advice = "scipy.spatial.distance.squareform makes of them the matrix"
    if options.metric in MATRICES:
        raise DataError(
            f"{found}. If these are condensed distances, {advice} that --metric {options.metric} "
            "reads; in R, as.matrix(d)."
        )
    if table.has_header:
        return []
    return [f"{found}; if these are condensed distances, {advice} for --metric precomputed"]
