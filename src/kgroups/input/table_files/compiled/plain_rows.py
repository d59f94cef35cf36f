"""Rows of a table, divided into fields and read as numbers from the bytes of a text.

Only lines of the plainest form are read here; at any other line the caller falls back on the reader
that knows every form and every message.
"""

import numpy as np

from kgroups.input.compiled.decimal_numbers import Bytes, Words, plain_number
from kgroups.runtime.jit import jit
from kgroups.typing import Float64Array, IntArray

#: What is done with a column that is not read as numbers.
LEFT_OUT, AS_TEXT = -1, -2
#: Bits about the points in a column: some may stand between groups of three digits, some may not.
MAY_GROUP, DECIMAL = 1, 2
_NEWLINE, _RETURN, _BLANK, _QUOTE, _MINUS, _ZERO = 10, 13, 32, 34, 45, 48


@jit
def parse_rows(
    text: Bytes,
    words: Words,
    delimiter: int,
    mark: int,
    longest_line: int,
    longest_field: int,
    use: IntArray,
    numbers: Float64Array,
    points: IntArray,
    others: IntArray,
) -> tuple[int, int, bool]:
    """Numbers of rows and of other fields, and whether blank lines follow; −1 rows if not plain.

    ``text`` holds whole lines, and ``words`` the same in words; ``use`` says which row of
    ``numbers`` a column fills, or what else is done with it. OUT: ``numbers``, bits about
    ``points`` in each column, and in ``others`` the column, the row, the begin and the end of each
    field that is read as text or is neither empty nor a plain number.
    """
    at, row, n_others, is_blank = 0, 0, 0, False
    while at < len(text):
        start = at
        end = _past_newline(text, _skip(text, at))
        if end >= 0:
            at, is_blank = end, True
            continue
        if is_blank:
            return -1, 0, False
        last = len(use) - 1
        for column in range(last + 1):
            begin = at if text[at] != _BLANK else _skip(text, at)
            end = -1
            is_quoted = text[begin] == _QUOTE
            begin += is_quoted
            if use[column] >= 0:
                number, end, n_whole, n_decimals = plain_number(words, begin, mark)
                points[column] |= _grouping(text, begin, n_whole, n_decimals)
                if end >= 0 and (text[end] != delimiter or is_quoted):
                    end = _end_of_number(text, end, delimiter, is_quoted)
                numbers[use[column], row] = number if end >= 0 else np.nan
            if end < 0:
                end = _end_of_field(text, begin, delimiter, is_quoted)
                if use[column] == AS_TEXT or (use[column] >= 0 and end > begin):
                    others[n_others] = column, row, begin, end
                    n_others += 1
            if end < 0 or end - begin > longest_field:
                return -1, 0, False
            is_next = column < last and text[end] == delimiter != _BLANK and not is_quoted
            at = (
                end + 1
                if is_next
                else _past_delimiter(text, end + is_quoted, delimiter, column == last)
            )
            if at < 0:
                return -1, 0, False
        if at - start > longest_line:
            return -1, 0, False
        row += 1
    return row, n_others, is_blank


@jit
def _skip(text: Bytes, at: int) -> int:
    """The position after blanks."""
    while text[at] == _BLANK:
        at += 1
    return at


@jit
def _past_newline(text: Bytes, at: int) -> int:
    """The position after the end of a line, −1 if there is none here."""
    if text[at] == _NEWLINE:
        return at + 1
    return at + 2 if text[at] == _RETURN and text[at + 1] == _NEWLINE else -1


@jit
def _grouping(text: Bytes, at: int, n_whole: int, n_decimals: int) -> int:
    """A bit about the point of a number, by its first digit and how many stand around the point."""
    if n_decimals < 0:
        return 0
    first = text[at + 1] if text[at] == _MINUS else text[at]
    return MAY_GROUP if n_decimals == 3 and 1 <= n_whole <= 3 and first != _ZERO else DECIMAL


@jit
def _end_of_number(text: Bytes, at: int, delimiter: int, is_quoted: bool) -> int:
    """The end of a field that holds a number up to ``at``, −1 if it holds more."""
    if is_quoted:
        return at if text[at] == _QUOTE else -1
    if delimiter != _BLANK:
        at = _skip(text, at)
    return at if _is_end(text, at, delimiter) else -1


@jit
def _is_end(text: Bytes, at: int, delimiter: int) -> bool:
    """Whether a field that is not quoted ends here."""
    return text[at] == delimiter or _past_newline(text, at) >= 0


@jit
def _end_of_field(text: Bytes, at: int, delimiter: int, is_quoted: bool) -> int:
    """The position of what ends a field, −1 if it is not plain."""
    closing = _QUOTE if is_quoted else delimiter
    while text[at] != closing and text[at] != _NEWLINE and text[at] != _RETURN:
        at += 1
    if is_quoted:
        return at if text[at] == _QUOTE else -1
    return at if _is_end(text, at, delimiter) else -1


@jit
def _past_delimiter(text: Bytes, at: int, delimiter: int, is_last: bool) -> int:
    """The position after what separates a field from the next one, or ends a row; −1 if neither."""
    if delimiter == _BLANK:
        after = _skip(text, at)
        end = _past_newline(text, after)
        if is_last or end >= 0:
            return end if is_last else -1
        return after if after > at else -1
    if is_last:
        return _past_newline(text, at)
    return at + 1 if text[at] == delimiter else -1
