"""Edges between integers, parsed from the bytes of a file.

Only lines of the plainest form are read here; at any other line the caller falls back on the reader
that knows every form and every message.
"""

from kgroups.input.compiled.decimal_numbers import Bytes, Words, plain_number
from kgroups.runtime.jit import jit
from kgroups.typing import Float64Array, IntArray

_TAB, _NEWLINE, _RETURN, _BLANK = 9, 10, 13, 32
_HASH, _PERCENT, _MINUS, _DOT, _ZERO, _NINE = 35, 37, 45, 46, 48, 57
# Any integer with this many digits fits into 64 bits.
_LONGEST_INTEGER = 18


@jit
def parse_edges(
    text: Bytes,
    words: Words,
    delimiter: int,
    longest: int,
    ends: IntArray,
    weights: Float64Array,
    spans: IntArray,
) -> int:
    """The number of edges read from whole lines, or −1 if a line is not of the plainest form.

    ``words`` holds the text in words, ``delimiter`` is a byte, 0 for blanks. If ``weights`` is
    empty, lines have two fields. OUT: ``ends``, ``weights``, and in ``spans`` the position of each
    weight that is not a plain number; zeros for the others.
    """
    at, edge = 0, 0
    while at < len(text):
        start = at
        at = _skip(text, at, delimiter)
        if text[at] == _HASH or text[at] == _PERCENT:
            while text[at] != _NEWLINE:
                at += 1
        elif text[at] != _NEWLINE and text[at] != _RETURN:
            ends[0, edge], at = _integer(text, at)
            at = _past_delimiter(text, at, delimiter)
            ends[1, edge], at = _integer(text, at)
            if len(weights):
                at = _past_delimiter(text, at, delimiter)
                weights[edge], at = _weight(text, words, at, delimiter, spans[edge])
            at = _skip(text, at, delimiter)
            edge += 1
        if at >= 0 and text[at] == _RETURN:
            at += 1
        if at < 0 or text[at] != _NEWLINE or at + 1 - start > longest:
            return -1
        at += 1
    return edge


@jit
def _skip(text: Bytes, at: int, delimiter: int) -> int:
    """The position after blanks; a tab is one unless it is the delimiter."""
    if at < 0:
        return at
    while text[at] == _BLANK or (text[at] == _TAB and delimiter != _TAB):
        at += 1
    return at


@jit
def _past_delimiter(text: Bytes, at: int, delimiter: int) -> int:
    """The position of the next field, −1 if no delimiter stands here."""
    after = _skip(text, at, delimiter)
    if delimiter == 0:
        return after if after > at else -1
    if after < 0 or text[after] != delimiter:
        return -1
    return _skip(text, after + 1, delimiter)


@jit
def _integer(text: Bytes, at: int) -> tuple[int, int]:
    """An integer and the position after it, −1 if there is none."""
    if at < 0:
        return 0, -1
    sign = 1
    if text[at] == _MINUS:
        sign = -1
        at += 1
    start, value = at, 0
    while _ZERO <= text[at] <= _NINE and at - start <= _LONGEST_INTEGER:
        value = 10 * value + (int(text[at]) - _ZERO)
        at += 1
    digits = at - start
    padded = digits > 0 and text[start] == _ZERO and (digits > 1 or sign < 0)
    if digits == 0 or digits > _LONGEST_INTEGER or padded:
        return 0, -1
    return sign * value, at


@jit
def _weight(
    text: Bytes, words: Words, at: int, delimiter: int, span: IntArray
) -> tuple[float, int]:
    """A weight and the position after it, −1 if there is none; OUT: ``span`` of one not plain."""
    end, span[:] = at, 0
    if at < 0:
        return 0.0, -1
    while text[end] > _BLANK and text[end] != delimiter:
        end += 1
    weight, stop, _, _ = plain_number(words, at, _DOT)
    if stop != end:
        span[0], span[1] = at, end
    return weight, end if end > at else -1
