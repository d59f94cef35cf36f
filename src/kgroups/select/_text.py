"""Small tables in plain text."""

from collections.abc import Sequence

# More letters of a name than this do not fit beside numbers.
_LONGEST = 40


def aligned(rows: Sequence[Sequence[str]], left: Sequence[int] = (0,)) -> str:
    """Rows of cells as lines, flush right but for the columns in ``left``.

    >>> print(aligned([["name", "n"], ["a", "10"]]))
    name   n
    a     10
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if c in left else cell.rjust(width)
            for c, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )


def short(name: object) -> str:
    r"""A name on one line, cut where it is long; control characters are written out.

    >>> short("a\tb")
    'a\\tb'
    """
    text = "".join(c if c.isprintable() else repr(c)[1:-1] for c in str(name))
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
