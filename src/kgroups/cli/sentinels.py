"""Numbers such as -999 that stand for a missing value in a column and are compared like others."""

import numpy as np

from kgroups.input.table_files import Table
from kgroups.text import counted
from kgroups.typing import Float64Array, IntArray

_SENTINELS = (9.0, 99.0, 999.0, 9999.0, 99999.0)
# A value that occurs once may be an outlier, and next to a single other one it is an answer.
_LEAST_ROWS, _LEAST_OTHERS = 2, 2
# How far it is from all others, relative to their range: 9 is a number like others more often.
_FAR, _FAR_OF_ONE_DIGIT = 1.0, 3.0


def sentinels(table: Table, columns: list[int]) -> list[str]:
    """A note on each number of nines that is far from all others of its column."""
    return [
        _note(table, column, value, count)
        for column in columns
        if column not in table.booleans
        for value, count in _sentinels_of(table.columns[column])
    ]


def _sentinels_of(numbers: Float64Array) -> list[tuple[float, int]]:
    """Sentinels of a column and in how many rows each is, the outermost first."""
    values, counts = np.unique(numbers[np.isfinite(numbers)], return_counts=True)
    found = []
    while (end := _far_end(values, counts)) is not None:
        found.append((float(values[end]), int(counts[end])))
        values, counts = np.delete(values, end), np.delete(counts, end)
    return found


def _far_end(values: Float64Array, counts: IntArray) -> int | None:
    """The place of a sentinel among sorted values, first or last; None if there is none."""
    for end, others in ((0, values[1:]), (-1, values[:-1])):
        if len(others) < _LEAST_OTHERS or counts[end] < _LEAST_ROWS:
            continue
        size = abs(float(values[end]))
        gap = np.abs(others - values[end]).min()
        far = _FAR_OF_ONE_DIGIT if size == _SENTINELS[0] else _FAR
        if size in _SENTINELS and gap > far * (others[-1] - others[0]):
            return end
    return None


def _note(table: Table, column: int, value: float, count: int) -> str:
    advice = f"--na-values {value:.0f} takes it for missing"
    if table.text is None:  # not a text file, or several
        advice = "if it stands for a missing value, write none there"
    return (
        f"{table.label(column)} is {value:.0f} in {counted(count, 'row')}, far from all others; "
        f"{advice}"
    )
