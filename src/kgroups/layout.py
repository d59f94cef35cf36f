r"""Headings, tables, labeled values and paragraphs, laid out so that they fit on a page.

A report says what it consists of in blocks; a :class:`Page` says how wide the lines may be, and
which characters can be written. Only a word that is itself wider than the page, such as the path
of a file, makes a wider line, because it could not be copied from two.

>>> print(laid_out([["one paragraph of words"], [Labeled([("n", "3")])]], Page(width=12)))
one
  paragraph
  of words
<BLANKLINE>
n  3
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import zip_longest
from typing import TypeAlias
from unicodedata import category, east_asian_width

__all__ = [
    "Block",
    "Command",
    "Heading",
    "Labeled",
    "Page",
    "Table",
    "laid_out",
    "one_line",
    "spelled",
    "text_width",
    "tied",
]

_BOLD, _DIM, _PLAIN = "\x1b[1m", "\x1b[2m", "\x1b[0m"
# What continues a line that was broken.
_CONTINUED = "  "
_CONTINUED_COMMAND = " \\"
# A space at which no line is broken; names hold none, because they are printable.
_TIE = "\x1f"
_GAP = 2
# A column of words is not made narrower, nor are labeled values.
_NARROWEST = 20
# What is written where the characters cannot be.
_IN_ASCII = {
    "≥": ">=", "≤": "<=", "−": "-", "–": "-", "—": "-", "…": "...", "×": "x", "·": "*", "±": "+-",
    "²": "^2", "³": "^3", "½": "1/2", "₀": "0", "₁": "1", "₂": "2", "ᵢ": "i", "√": "sqrt ",
    "Σ": "sum ", "π": "pi", "ρ": "rho", "α": "alpha", "σ": "sigma", "λ": "lambda", "γ": "gamma",
    "‖": "||", "∈": "in", "𝓔": "E", "𝒲": "W", "“": '"', "”": '"', "‘": "'", "’": "'",
    "\u0302": "^", "\u0303": "~", "\u00a0": " ",
}  # fmt: skip


@dataclass(frozen=True)
class Page:
    """Where text is written: the width of its lines, whether it may be styled, its encoding."""

    width: int = 80
    color: bool = False
    encoding: str = "utf-8"


@dataclass(frozen=True)
class Heading:
    """A bold line."""

    text: str


@dataclass(frozen=True)
class Command:
    """What is to be typed, after words that introduce it; broken where a shell allows it."""

    text: str
    before: str = ""


@dataclass(frozen=True)
class Labeled:
    """Labels with values, which line up."""

    pairs: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Table:
    """Rows of cells, of which the first is the head.

    Columns are right-aligned except those in ``left``, which hold names. Cells of the columns
    in ``words`` may be broken into several lines. Where a table is too wide for the page, its
    columns are shown in several parts, each of which begins with the columns in ``keys``.
    """

    rows: Sequence[Sequence[str]]
    left: Sequence[int] = ()
    words: Sequence[int] = ()
    keys: Sequence[int] = (0,)


Block: TypeAlias = Sequence[str | Heading | Command | Labeled | Table]


def laid_out(blocks: Sequence[Block], page: Page = Page()) -> str:
    """Blocks with a blank line between them; a block in which there is nothing is left out."""
    told = ([line for part in block for line in _lines(part, page)] for block in blocks)
    return "\n\n".join("\n".join(lines) for lines in told if lines).replace(_TIE, " ")


def tied(text: str) -> str:
    """Words that stay on one line if they fit."""
    return text.replace(" ", _TIE)


def untied(text: str) -> str:
    """The same words with ordinary blanks, where something else breaks lines.

    >>> untied(tied("a b"))
    'a b'
    """
    return text.replace(_TIE, " ")


def text_width(text: str) -> int:
    """Columns of a terminal that a text takes.

    >>> text_width("abc"), text_width("漢"), text_width("e\u0301")
    (3, 2, 1)
    """
    if text.isascii():
        return len(text)
    return sum(
        0 if category(c) in ("Mn", "Me", "Cf") else 2 if east_asian_width(c) in "WF" else 1
        for c in text
    )


def one_line(text: str, page: Page) -> str:
    """One line, without its end if it is too wide, and then with a mark.

    >>> one_line("abcdef", Page(width=4))
    'abc…'
    """
    text, mark = spelled(text, page.encoding), spelled("…", page.encoding)
    if text_width(text) <= page.width:
        return text
    while text and text_width(text) + len(mark) > page.width:
        text = text[:-1]
    return text + mark


def spelled(text: str, encoding: str) -> str:
    r"""The text in characters that the encoding has: symbols in ASCII, others as escapes.

    >>> spelled("é ≥ α²", "ascii"), spelled("é ≥ α²", "latin-1")
    ('\\xe9 >= alpha^2', 'é >= alpha²')
    """
    if text.isascii():
        return text
    return text.translate(_unknown(encoding)).encode(encoding, "backslashreplace").decode(encoding)


@lru_cache
def _unknown(encoding: str) -> dict[int, str]:
    """The symbols that an encoding lacks, with what is written for them."""
    return {ord(c): words for c, words in _IN_ASCII.items() if not _has(encoding, c)}


def _has(encoding: str, character: str) -> bool:
    try:
        character.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


# --- lines -----------------------------------------------------------------------------------


def _lines(part: str | Heading | Command | Labeled | Table, page: Page) -> list[str]:
    if isinstance(part, Table):
        return _table(part, page)
    if isinstance(part, Labeled):
        return _labeled(part.pairs, page)
    if isinstance(part, Command):
        return _command(part, page)
    if isinstance(part, Heading):
        return [_styled(line, _BOLD, page) for line in _paragraph(part.text, page)]
    return _paragraph(part, page)


def _paragraph(text: str, page: Page) -> list[str]:
    """A line, or several, of which the others are indented more than the first."""
    text = spelled(text, page.encoding)
    if not text:
        return [""]
    words = text.lstrip(" ")
    indent = text[: len(text) - len(words)]
    first, *others = _broken(words, page.width - len(indent), len(_CONTINUED))
    return [indent + first, *(f"{indent}{_CONTINUED}{line}" for line in others)]


def _broken(text: str, width: int, indent: int = 0) -> list[str]:
    """Lines of at most ``width``, less ``indent`` after the first, unless a word is wider."""
    lines: list[str] = []
    line = ""
    for word in _words(text, width - indent):
        room = width - (indent if lines else 0)
        if line and text_width(line) + 1 + text_width(word) > room:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    return [*lines, line]


def _words(text: str, width: int) -> Iterator[str]:
    """What may not be broken; tied words that do not fit are words of their own."""
    for word in text.split(" "):
        yield from [word] if text_width(word) <= width else word.split(_TIE)


def _command(command: Command, page: Page) -> list[str]:
    """One line, or one that a backslash continues before each of its options."""
    before, text = spelled(command.before, page.encoding), spelled(command.text, page.encoding)
    whole = f"{before} {text}" if before else text
    if text_width(whole) <= page.width:
        return [whole]
    words = text.lstrip(" ")
    indent = text[: len(text) - len(words)]
    parts = tied(words).replace(f"{_TIE}-", " -")
    room = page.width - len(indent) - len(_CONTINUED_COMMAND)
    first, *others = _broken(parts, room, len(_CONTINUED))
    lines = [first, *(f"{_CONTINUED}{line}" for line in others)]
    broken = f"{_CONTINUED_COMMAND}\n".join(f"{indent}{line}" for line in lines)
    return [*([before] if before else []), *broken.split("\n")]


def _labeled(pairs: Sequence[tuple[str, str]], page: Page) -> list[str]:
    """Values start in the same column, and go on there; below their labels if there is no room."""
    told = [
        (spelled(label, page.encoding), spelled(value, page.encoding)) for label, value in pairs
    ]
    start = max((text_width(label) for label, _ in told), default=0) + _GAP
    if page.width - start < _NARROWEST:
        return [
            line
            for label, value in told
            for line in (
                _styled(label, _DIM, page),
                *(_CONTINUED + part for part in _broken(value, page.width - len(_CONTINUED))),
            )
        ]
    lines = []
    for label, value in told:
        first, *others = _broken(value, page.width - start)
        lines.append(f"{_styled(_padded(label, start - _GAP), _DIM, page)}{' ' * _GAP}{first}")
        lines += [f"{' ' * start}{other}" for other in others]
    return lines


def _styled(text: str, style: str, page: Page) -> str:
    return f"{style}{text}{_PLAIN}" if page.color else text


# --- tables ----------------------------------------------------------------------------------

# How a table is made to fit: words are broken, then heads, and names are shortened last.
_NATURAL, _BROKEN_HEADS, _SHORT_NAMES = range(3)
# Share of the width that a shortened name has.
_NAME_SHARE = 3


def _table(table: Table, page: Page) -> list[str]:
    table = replace(table, rows=[[spelled(cell, page.encoding) for cell in r] for r in table.rows])
    columns = range(len(table.rows[0]))
    for effort in (_NATURAL, _BROKEN_HEADS, _SHORT_NAMES):
        least = [_least(table, c, page.width, effort) for c in columns]
        if _total(least) <= page.width:
            return _drawn(table, list(columns), _widened(table, least, page.width), page)
    lines: list[str] = []
    for part in _parts(table, least, page.width):
        widths = _widened(table, least, page.width, part)
        lines += [*([""] if lines else []), *_drawn(table, part, widths, page)]
    return lines


def _least(table: Table, column: int, width: int, effort: int) -> int:
    """The least width of a column on a page, by how much effort is made."""
    head, *body = [row[column] for row in table.rows]
    natural = max(map(text_width, (head, *body)))
    if column in table.words:
        pieces = [] if effort == _SHORT_NAMES else _pieces([head, *body])
        return min(natural, max([_NARROWEST, *pieces]))
    if effort == _NATURAL:
        return natural
    heads, widest = max(_pieces([head])), max(map(text_width, body), default=0)
    if effort == _SHORT_NAMES and column in table.left:
        widest = min(widest, width // _NAME_SHARE)
    return max(heads, widest)


def _pieces(cells: Sequence[str]) -> list[int]:
    """The widths of what stays on one line."""
    return [text_width(piece) for cell in cells for piece in cell.split(" ")]


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + _GAP * (len(widths) - 1)


def _parts(table: Table, least: Sequence[int], width: int) -> list[list[int]]:
    """The columns of each part: as many as fit next to the keys, and one at least."""
    others = [column for column in range(len(least)) if column not in table.keys]
    widest = max((least[c] for c in others), default=0)
    keys = list(table.keys)
    while len(keys) > 1 and _total([*(least[c] for c in keys), widest]) > width:
        keys.pop()
    parts = [keys]
    for column in others:
        wider = [*parts[-1], column]
        if parts[-1] == keys or _total([least[c] for c in wider]) <= width:
            parts[-1] = wider
        else:
            parts.append([*keys, column])
    return parts


def _widened(
    table: Table, least: Sequence[int], width: int, part: Sequence[int] | None = None
) -> list[int]:
    """The widths of all columns; those of text share what a part of them leaves of the page."""
    shown = range(len(least)) if part is None else part
    widths = list(least)
    text = [c for c in shown if c in table.words or c in table.left]
    natural = {c: max(text_width(row[c]) for row in table.rows) for c in text}
    for _ in range(width - _total([least[c] for c in shown])):
        lacking = max(natural, key=lambda c: natural[c] - widths[c], default=None)
        if lacking is None or widths[lacking] >= natural[lacking]:
            break
        widths[lacking] += 1
    return widths


def _drawn(table: Table, shown: Sequence[int], widths: Sequence[int], page: Page) -> list[str]:
    """Some columns of a table; cells of several lines are aligned at the top, heads at the end."""
    lines = []
    mark = spelled("…", page.encoding)
    for number, row in enumerate(table.rows):
        is_head = number == 0
        cells = [
            [_inner_cut(line, widths[c], mark) for line in _broken(row[c], widths[c])]
            if is_head or c in table.words
            else [_inner_cut(row[c], widths[c], mark)]
            for c in shown
        ]
        height = max(map(len, cells))
        if is_head:
            cells = [[""] * (height - len(cell)) + cell for cell in cells]
        for line in zip_longest(*cells, fillvalue=""):
            text = (" " * _GAP).join(
                _padded(cell, widths[c], right=c not in table.left)
                for c, cell in zip(shown, line, strict=True)
            )
            lines.append(_styled(text.rstrip(), _BOLD, page) if is_head else text.rstrip())
    return lines


def _padded(text: str, width: int, *, right: bool = False) -> str:
    spaces = " " * (width - text_width(text))
    return spaces + text if right else text + spaces


def _inner_cut(text: str, width: int, mark: str) -> str:
    """A text without its middle if it is too wide, because names often differ at their ends."""
    if text_width(text) <= width:
        return text
    start, end = text[: len(text) // 2], text[len(text) // 2 :]
    while (start or end) and text_width(start + mark + end) > width:
        start, end = (start[:-1], end) if len(start) > len(end) else (start, end[1:])
    return start + mark + end
