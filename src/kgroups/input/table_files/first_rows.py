"""Where the table of a file begins, if titles, comments or blank lines stand above it."""

from collections import Counter
from collections.abc import Iterable
from itertools import islice

# Rows that are looked at.
_ROWS = 50


def first_row(sizes: Iterable[tuple[int, int]]) -> int | None:
    """The line of the first row that is as long as most, from the lines and lengths of rows.

    None if no two rows of several fields are equally long.

    >>> first_row([(1, 1), (2, 0), (3, 2), (4, 2)])
    3
    """
    few = list(islice(sizes, _ROWS))
    widths = Counter(width for _, width in few if width > 1)
    if not widths or (most := widths.most_common(1)[0])[1] < 2:
        return None
    return next(line for line, width in few if width == most[0])


def as_ranges(lines: Iterable[int]) -> str:
    """Some lines as ``--skip-lines`` takes them.

    >>> as_ranges([1]), as_ranges([1, 2, 3, 7])
    ('1', '1-3,7')
    """
    ranges: list[list[int]] = []
    for line in lines:
        if ranges and ranges[-1][-1] == line - 1:
            ranges[-1] = [ranges[-1][0], line]
        else:
            ranges.append([line])
    return ",".join("-".join(map(str, ends)) for ends in ranges)
