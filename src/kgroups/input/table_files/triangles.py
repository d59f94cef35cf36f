"""Triangles of matrices written out as text: each line is longer or shorter than the one above."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

from kgroups.input.table_files.numerals import is_number
from kgroups.input.table_files.sniffing import DELIMITERS, split_lines

# Fewer lines grow or shrink by chance.
_LEAST_LINES = 3


def triangle(lines: Sequence[str], delimiter: str | None) -> Literal["lower", "upper"] | None:
    """Which triangle of a matrix the first lines of a file look like; None for other text.

    Names of rows may stand in front, and a line of names or the number of rows above.

    >>> triangle(["3", "A", "B 0.5", "C 0.25 0.75"], None)
    'lower'
    """
    stripped = [line.strip(" \r\n") for line in lines]
    for mark in (*DELIMITERS, " ") if delimiter is None else (delimiter,):
        if _is_monotone([line.count(mark) for line in stripped[1:4]]):
            rows = [[f for f in row if f.strip()] for row in split_lines(stripped, mark)]
            found = grown(rows) or grown(rows[1:])
            if found is not None:
                return found
    return None


def _is_monotone(counts: Sequence[int]) -> bool:
    """Whether numbers rise or fall from each to the next; quick to see before lines are split."""
    return len({a < b for a, b in pairwise(counts)}) == 1 and len({*counts}) == len(counts)


def grown(rows: Sequence[Sequence[str]]) -> Literal["lower", "upper"] | None:
    """Which triangle of a matrix rows are: of numbers, each one longer or shorter than the last."""
    steps = {len(row) - len(above) for above, row in pairwise(rows)}
    if len(rows) < _LEAST_LINES or steps not in ({1}, {-1}) or not _holds_numbers(rows):
        return None
    if steps == {-1}:
        return "upper"
    return "lower" if len(rows[0]) <= 2 else None


def _holds_numbers(rows: Sequence[Sequence[str]]) -> bool:
    """Whether all fields but the first of each row are numbers."""
    return all(is_number(field) for row in rows for field in row[1:])


def is_triangle(source: str, half: str) -> str:
    """The error about a file that holds a triangle."""
    more = "more" if half == "lower" else "less"
    return (
        f"{source} looks like the {half} triangle of a matrix: each line has one field {more} than "
        "the line above it. Matrices are read whole, by --metric precomputed: in R write "
        "as.matrix(d); in Python scipy.spatial.distance.squareform(d), or X + X.T for a triangle X."
    )
