"""Names, small tables and blocks of lines in plain text."""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

__all__ = [
    "aligned",
    "bold",
    "counted",
    "did_you_mean",
    "joined",
    "labeled",
    "printable",
    "quoted",
    "short",
]

# Longer names do not fit next to numbers.
_LONGEST = 40
_BOLD, _DIM, _PLAIN = "\x1b[1m", "\x1b[2m", "\x1b[0m"


def aligned(rows: Sequence[Sequence[str]], left: Sequence[int] = ()) -> list[str]:
    """Rows of cells as lines of aligned columns, right-aligned except those in ``left``.

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


def joined(*blocks: Sequence[str]) -> str:
    """Blocks of lines with a blank line between them; a block without lines is left out."""
    return "\n\n".join("\n".join(block) for block in blocks if block)


def labeled(pairs: Sequence[tuple[str, str]], color: bool) -> list[str]:
    """One line per pair: a label, dim where ``color`` allows it, and a value; values line up."""
    width = max((len(label) for label, _ in pairs), default=0)
    return [f"{_styled(label.ljust(width), _DIM, color)}  {value}" for label, value in pairs]


def bold(text: str, color: bool) -> str:
    """A heading, bold where ``color`` allows it."""
    return _styled(text, _BOLD, color)


def counted(count: int, one: str, many: str = "") -> str:
    """A number with its noun.

    >>> counted(1, "node"), counted(1234, "node"), counted(2, "community", "communities")
    ('1 node', '1,234 nodes', '2 communities')
    """
    return f"{count:,} {one if count == 1 else many or f'{one}s'}"


def printable(text: str) -> str:
    r"""Text with control characters escaped, so that no column name can control a terminal.

    >>> printable("a\tb")
    'a\\tb'
    """
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def short(name: object, longest: int = _LONGEST) -> str:
    """A name on one line, shortened to ``longest`` characters.

    >>> short("a" * 50)[-3:]
    'aa…'
    """
    text = printable(str(name))
    return text if len(text) <= longest else text[: longest - 1] + "…"


def quoted(text: object, longest: int = 2 * _LONGEST) -> str:
    """What a file holds, as messages quote it: as Python writes it, and no longer than a line.

    >>> quoted("a")
    "'a'"
    >>> len(quoted("a" * 100_000))
    80
    """
    written = repr(text)
    return written if len(written) <= longest else written[: longest - 1] + "…"


def did_you_mean(value: object, known: Iterable[str], cutoff: float = 0.6) -> str:
    """A hint at the known name closest to a wrong one, after a space, or an empty string.

    >>> did_you_mean("enrgy", ["energy", "hamming"])
    " Did you mean 'energy'?"
    """
    near = get_close_matches(str(value), list(known), 1, cutoff)
    return f" Did you mean {near[0]!r}?" if near else ""


def _styled(text: str, style: str, color: bool) -> str:
    return f"{style}{text}{_PLAIN}" if color else text
