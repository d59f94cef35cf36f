"""Names, counts and quotations in plain text."""

from collections.abc import Iterable
from difflib import get_close_matches

__all__ = [
    "counted",
    "did_you_mean",
    "printable",
    "quoted",
    "short",
]

# Longer names do not fit next to numbers.
_LONGEST = 40


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
    names = {name.lower(): name for name in known}
    near = [names[name] for name in get_close_matches(str(value).lower(), names, 1, cutoff)]
    return f" Did you mean {near[0]!r}?" if near else ""
