"""The delimiter and the encoding of a text file, found from its first lines."""

import csv
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterator, Sequence
from itertools import islice

from kgroups.input.table_files.numerals import is_number
from kgroups.input.table_files.text_format import Decimal

#: What separates fields; if the lines split alike by several of them, the first is taken.
DELIMITERS = (",", "\t", ";", "|")
#: What messages call them.
IN_WORDS = {",": "commas", "\t": "tabs", ";": "semicolons", "|": "vertical bars", " ": "blanks"}
# Lines that decide on the delimiter, of so many characters together.
_LINES = 20
_CHARACTERS = 1 << 20
# Fields of a line that are looked at.
_FIELDS = 100
# Lines that show how they are split, below others that are not split alike.
_LEAST_BELOW = 3
# Share of their fields that must be numbers, because lists such as a|b may be single values.
_SOME = 0.2
# Share of the fields that must be numbers, if blanks separate them.
_MOST = 0.5


def is_utf16(head: bytes) -> bool:
    """Whether a file says by its first two bytes that it is UTF-16, as spreadsheets write it."""
    return head.startswith((BOM_UTF16_LE, BOM_UTF16_BE))


def first_lines(lines: Iterator[str]) -> list[str]:
    """As many lines from the start as decide on the delimiter, at least one if there is one."""
    found: list[str] = []
    size = 0
    for line in islice(lines, _LINES):
        found.append(line)
        size += len(line)
        if size > _CHARACTERS:
            break
    return found


def sniffed(lines: Sequence[str], decimal: Decimal | None) -> str:
    r"""The delimiter that splits all lines alike, into fields that no other one could split.

    Of several, the one with the largest share of numbers is taken, then the one with most fields.
    Where commas are decimal marks, they separate fields only if they stand between names, too.

    >>> sniffed(["a;b\n", "1,5;2,5\n"], None)
    ';'
    >>> sniffed(["group;score, mean\n", "control;10,65\n"], None)
    ';'
    """
    candidates = [mark for mark in DELIMITERS if mark != decimal]
    found = max(candidates, key=lambda delimiter: _fitness(lines, delimiter))
    if decimal == "," and not _fitness(lines, found)[0] and _names_between_commas(lines):
        return ","
    if lines and not _fitness(lines, found)[0]:
        found = _below_a_title(lines, [mark for mark in candidates if mark in lines[-1]]) or found
    # Blanks stand between words too, so they need more evidence.
    if lines and not _fitness(lines, found)[0]:
        stripped = list(map(without_blanks_at_the_end, lines))
        for below in (stripped, stripped[1:]):  # the number of rows may stand above
            alike, _, numbers, _ = _fitness(below, " ")
            if alike and numbers > _MOST and len(below) > 1:
                return " "
    return found


def _names_between_commas(lines: Sequence[str]) -> bool:
    """Whether commas split all lines alike, and the first one into words."""
    rows = split_lines(lines, ",")
    named = [field for field in rows[0] if field.strip()] if rows else []
    return _fitness(lines, ",")[0] and not any(map(is_number, named))


def has_quoted_commas(lines: Sequence[str]) -> bool:
    r"""Whether a number with a comma stands in quotes between other commas.

    >>> has_quoted_commas(["x,y\n", '1,"2,5"\n']), has_quoted_commas(["x,y\n", "1,2\n"])
    (True, False)
    """
    fields = (field for row in split_lines(lines, ",") for field in row)
    return any("," in field and is_number(field) for field in fields)


def _below_a_title(lines: Sequence[str], candidates: Sequence[str]) -> str | None:
    """The delimiter of the last lines, if some of their fields are numbers."""
    for start in range(1, len(lines) - _LEAST_BELOW + 1):
        fits = ((*_fitness(lines[start:], mark)[:3], mark) for mark in candidates)
        alike, _, numbers, mark = max(fits, default=(False, 0.0, 0.0, ""))
        if alike and numbers > _SOME:
            return mark
    return None


def without_blanks_at_the_end(line: str) -> str:
    r"""A line that ends where its last field does.

    >>> without_blanks_at_the_end("1 2 \r\n")
    '1 2\n'
    """
    return line.rstrip(" \r\n") + "\n"


def _fitness(lines: Sequence[str], delimiter: str) -> tuple[bool, float, float, int]:
    """Whether all lines have the same number of fields, two shares of them, and that number.

    The shares are those of fields that are not split in the middle, and of numbers.
    """
    rows = split_lines(lines, delimiter)
    width = len(rows[0]) if rows else 1
    alike = (
        width > 1
        and (
            all(len(row) == width for row in rows)
            or all(len(row) == width + 1 for row in rows[1:])  # names of rows, as R writes them
            or (not rows[0][-1].strip() and all(len(row) == width - 1 for row in rows[1:]))
        )
    )
    fields = [field for row in rows[1:] or rows for field in row[:_FIELDS]] if alike else []
    are_numbers = [is_number(field) for field in fields]
    n_whole = sum(n or _is_whole(f) for n, f in zip(are_numbers, fields, strict=True))
    n = max(len(fields), 1)
    return alike, n_whole / n, sum(are_numbers) / n, width


def _is_whole(field: str) -> bool:
    """Whether a field of text has no other delimiter, such as "control;10" of "control;10,65"."""
    return not any(delimiter in field for delimiter in DELIMITERS)


def split_lines(lines: Sequence[str], delimiter: str) -> list[list[str]]:
    """The rows of these lines; without the last one, which may go on, if there are several."""
    rows: list[list[str]] = []
    try:
        for row in csv.reader(lines, delimiter=delimiter, skipinitialspace=True):
            if row:
                rows.append(row)
    except csv.Error:  # a field is longer than csv allows
        pass
    return rows[:-1] if len(lines) >= _LINES and len(rows) > 1 else rows
