"""Edges between integers, parsed from the bytes of a file.

Only lines of the plainest form are read here; at any other line the caller falls back on the reader
that knows every form and every message.
"""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from kgroups.runtime.jit import jit
from kgroups.typing import Float64Array, IntArray

_Bytes: TypeAlias = NDArray[np.uint8]

_TAB, _NEWLINE, _RETURN, _BLANK = 9, 10, 13, 32
_HASH, _PERCENT, _MINUS, _DOT, _ZERO, _NINE = 35, 37, 45, 46, 48, 57
# Any integer with this many digits fits into 64 bits.
_LONGEST_INTEGER = 18
# Integers of 15 digits and powers of ten up to 10**22 are exact in float64, so their quotient is
# correctly rounded.
_EXACT_DIGITS, _EXACT_POWER = 15, 22
_POWERS = np.array([float(10**power) for power in range(_EXACT_POWER + 1)])


@jit
def parse_edges(
    text: _Bytes,
    delimiter: int,
    longest: int,
    ends: IntArray,
    weights: Float64Array,
    spans: IntArray,
) -> int:
    """The number of edges read from whole lines, or −1 if a line is not of the plainest form.

    ``delimiter`` is a byte, 0 for blanks. If ``weights`` is empty, lines have two fields. OUT:
    ``ends``, ``weights``, and in ``spans`` the position of each weight that has too many digits or
    an exponent; zeros for the others.
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
                weights[edge], spans[edge, 0], spans[edge, 1] = _number(text, at, delimiter)
                at = spans[edge, 1]
                if spans[edge, 0] < 0:
                    spans[edge] = 0
            at = _skip(text, at, delimiter)
            edge += 1
        if at >= 0 and text[at] == _RETURN:
            at += 1
        if at < 0 or text[at] != _NEWLINE or at + 1 - start > longest:
            return -1
        at += 1
    return edge


@jit
def _skip(text: _Bytes, at: int, delimiter: int) -> int:
    """The position after blanks; a tab is one unless it is the delimiter."""
    if at < 0:
        return at
    while text[at] == _BLANK or (text[at] == _TAB and delimiter != _TAB):
        at += 1
    return at


@jit
def _past_delimiter(text: _Bytes, at: int, delimiter: int) -> int:
    """The position of the next field, −1 if no delimiter stands here."""
    after = _skip(text, at, delimiter)
    if delimiter == 0:
        return after if after > at else -1
    if after < 0 or text[after] != delimiter:
        return -1
    return _skip(text, after + 1, delimiter)


@jit
def _integer(text: _Bytes, at: int) -> tuple[int, int]:
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
def _number(text: _Bytes, at: int, delimiter: int) -> tuple[float, int, int]:
    """A weight, −1 and the position after it; or, if it is not simple, 0, its start and its end."""
    if at < 0:
        return 0.0, -1, -1
    start, sign = at, 1.0
    if text[at] == _MINUS:
        sign = -1.0
        at += 1
    digits, decimals, value, dot = 0, 0, 0, False
    while (_ZERO <= text[at] <= _NINE and digits <= _EXACT_DIGITS) or (
        text[at] == _DOT and not dot
    ):
        if text[at] == _DOT:
            dot = True
        else:
            value = 10 * value + (int(text[at]) - _ZERO)
            digits += 1
            decimals += dot
        at += 1
    stop = at
    while text[stop] > _BLANK and text[stop] != delimiter:
        stop += 1
    if digits == 0 or digits > _EXACT_DIGITS or stop > at:
        return 0.0, start, stop if stop > start else -1
    return sign * value / _POWERS[decimals], -1, at
