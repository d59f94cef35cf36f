"""Names and small tables in plain text."""

from collections.abc import Sequence

# More letters of a name than this do not fit beside numbers.
_LONGEST = 40


def aligned(rows: Sequence[Sequence[str]], left: Sequence[int] = ()) -> list[str]:
    """Rows of cells as lines with columns two spaces apart, flush right but for those in ``left``.

    >>> aligned([["n", "name"], ["10", "a"]], left=[1])
    [' n  name', '10  a']
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.ljust(width) if c in left else cell.rjust(width)
            for c, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def counted(count: int, one: str, many: str = "") -> str:
    """A number with its noun.

    >>> counted(1, "node"), counted(1234, "node"), counted(2, "community", "communities")
    ('1 node', '1,234 nodes', '2 communities')
    """
    return f"{count:,} {one if count == 1 else many or f'{one}s'}"


def printable(text: str) -> str:
    r"""Text with control characters written out, so that no column name can steer a terminal.

    >>> printable("a\tb")
    'a\\tb'
    """
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def short(name: object) -> str:
    """A name on one line, cut where it is long.

    >>> short("a" * 50)[-3:]
    'aa…'
    """
    text = printable(str(name))
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
