"""Numbers as programs write them, as the nearest floats, from the bytes of a text.

Python reads a number correctly rounded, however many digits it has; so does this, or it says that
it does not know. See :func:`_nearest` for why it mostly knows.
"""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from kgroups.runtime.jit import jit

Bytes: TypeAlias = NDArray[np.uint8]
Words: TypeAlias = NDArray[np.uint64]

_PLUS, _MINUS, _SMALL_E, _TO_SMALL = 43, 45, 101, 32
# A number of so many digits fits into 64 bits.
_MOST_DIGITS = 19
# Integers and powers of ten up to these are exact in float64, so that one operation rounds once.
_EXACT, _EXACT_POWER = 2**53, 22
_EXACT_POWERS = np.array([float(10**power) for power in range(_EXACT_POWER + 1)])
# Powers of ten of other numbers, and digits of exponents.
_LEAST_POWER, _LARGEST_POWER, _DIGITS_OF_EXPONENT = -330, 308, 4
# Powers of two that a mantissa of 53 bits is multiplied by, for normal results.
_LEAST_EXPONENT, _LARGEST_EXPONENT = -1074, 970
_POWERS_OF_TWO = np.ldexp(1.0, np.arange(_LEAST_EXPONENT, _LARGEST_EXPONENT + 1))


def _power_of_ten(power: int) -> tuple[int, int]:
    """The first 64 bits of a power of ten, not rounded up, and the exponent of two behind them."""
    if power < 0:
        exponent = -(10**-power).bit_length() - 63
        return (1 << -exponent) // 10**-power, exponent
    exponent = (10**power).bit_length() - 64
    return (10**power << 64) >> (64 + exponent), exponent


_POWERS_OF_TEN = [_power_of_ten(power) for power in range(_LEAST_POWER, _LARGEST_POWER + 1)]
_FIRST_BITS = np.array([bits for bits, _ in _POWERS_OF_TEN], np.uint64)
_EXPONENTS = np.array([exponent for _, exponent in _POWERS_OF_TEN], np.int64)
_HALF_WORD, _LOW_HALF = np.uint64(32), np.uint64(2**32 - 1)


# Eight digits in a word, the first one in its last byte.
_ZEROS, _LOW_BITS, _ABOVE_NINE, _HIGH_BITS = (
    np.uint64(byte * 0x0101010101010101) for byte in (0x30, 0x7F, 0x7F - 9, 0x80)
)
_EVERY_SECOND_BYTE, _EVERY_FOURTH = np.uint64(0x00FF00FF00FF00FF), np.uint64(0x0000FFFF0000FFFF)
_BYTE, _NINE, _TEN, _EIGHT_DIGITS = (np.uint64(n) for n in (0xFF, 9, 10, 10**8))


def words_of(text: Bytes) -> Words:
    """The eight bytes that begin at each place of a text, as integers, behind its end zeros.

    >>> hex(words_of(np.frombuffer(b"1234", np.uint8))[1])
    '0x343332'
    """
    return words_in(np.concatenate([text, np.zeros(7, np.uint8)]))


def words_in(text: Bytes) -> Words:
    """The same without a copy, up to the last eight bytes."""
    return np.ndarray(len(text) - 7, "<u8", text.data, strides=(1,))


@jit
def plain_number(words: Words, at: int, mark: int) -> tuple[float, int, int, int]:
    """A number of digits with perhaps a minus, a decimal ``mark`` and an exponent.

    Returns its value, the position after it, and how many digits stand before and after the mark,
    the latter −1 if there is no mark, and 0 if an exponent follows. The position is −1 for anything
    else, and for what is not certain to be rounded correctly. Another byte must follow in the text.
    """
    is_negative = _byte(words, at) == _MINUS
    first = at + 1 if is_negative else at
    digits, at = _digits(words, first, np.uint64(0))
    n_whole, n_decimals, stop = at - first, 0, at
    is_marked = _byte(words, at) == mark
    if is_marked:
        digits, stop = _digits(words, at + 1, digits)
        n_decimals = stop - at - 1
    power = -n_decimals
    is_cut = n_whole + n_decimals > _MOST_DIGITS
    if n_whole + n_decimals == 0:
        return 0.0, -1, 0, -1
    if is_cut:
        digits, n_left = _first_digits(words, first, stop)
        is_cut = n_left > 0
        power += n_left
    if (_byte(words, stop) | _TO_SMALL) == _SMALL_E:
        n_decimals = 0
        exponent, stop = _exponent(words, stop + 1)
        power += exponent
    value = _rounded(digits, power, is_cut)
    if stop < 0 or value < 0.0:
        return 0.0, -1, 0, -1
    return -value if is_negative else value, stop, n_whole, n_decimals if is_marked else -1


@jit
def _byte(words: Words, at: int) -> int:
    return int(np.int64(words[at] & _BYTE))


@jit
def _digits(words: Words, at: int, number: np.uint64) -> tuple[np.uint64, int]:
    """The number that digits make behind others, modulo 2**64, and the position after them.

    In a word of eight digits, neighbors are made one number: digits, then pairs, then fours.
    """
    digits = words[at] ^ _ZEROS
    while ((digits & _LOW_BITS) + _ABOVE_NINE | digits) & _HIGH_BITS == np.uint64(0):
        digits = (digits * _TEN + (digits >> np.uint64(8))) & _EVERY_SECOND_BYTE
        digits = (digits * np.uint64(100) + (digits >> np.uint64(16))) & _EVERY_FOURTH
        digits = (digits * np.uint64(10_000) + (digits >> np.uint64(32))) & _LOW_HALF
        number = number * _EIGHT_DIGITS + digits
        at += 8
        digits = words[at] ^ _ZEROS
    while digits & _BYTE <= _NINE:
        number = number * _TEN + (digits & _BYTE)
        digits >>= np.uint64(8)
        at += 1
    return number, at


@jit
def _first_digits(words: Words, at: int, stop: int) -> tuple[np.uint64, int]:
    """The number that the first 19 digits from a digit other than zero make, and how many follow.

    One byte between the digits, the decimal mark, is none.
    """
    number, n_taken, n_left = np.uint64(0), 0, 0
    for place in range(at, stop):
        digit = (words[place] ^ _ZEROS) & _BYTE
        if digit > _NINE:
            continue
        if n_taken == _MOST_DIGITS:
            n_left += 1
        elif n_taken > 0 or digit > np.uint64(0):
            number = _TEN * number + digit
            n_taken += 1
    return number, n_left


@jit
def _exponent(words: Words, at: int) -> tuple[int, int]:
    """An exponent and the position after it, −1 if there is none or it is too long."""
    is_negative = _byte(words, at) == _MINUS
    first = at + 1 if is_negative or _byte(words, at) == _PLUS else at
    exponent, stop = _digits(words, first, np.uint64(0))
    if not 0 < stop - first <= _DIGITS_OF_EXPONENT:
        return 0, -1
    power = int(np.int64(exponent))
    return -power if is_negative else power, stop


@jit
def _rounded(number: np.uint64, power: int, is_cut: bool) -> float:
    """``number`` · 10**power as the nearest float; −1 if that is not certain."""
    if number == np.uint64(0):
        return 0.0
    if number <= np.uint64(_EXACT) and -_EXACT_POWER <= power <= _EXACT_POWER and not is_cut:
        exact = float(np.int64(number))
        return float(exact / _EXACT_POWERS[-power] if power < 0 else exact * _EXACT_POWERS[power])
    if not _LEAST_POWER <= power <= _LARGEST_POWER:
        return -1.0
    return _nearest(number, power, is_cut)


@jit
def _nearest(number: np.uint64, power: int, is_cut: bool) -> float:
    """The same by the first 64 bits of the product; −1 if the bits behind them might decide.

    Both factors are shifted up to 64 bits, a and b. The power of ten is less than 1 above b, so
    that the product is less than 2**64 above ab, and less than 2 units above the first 64 bits of
    ab. A number of which digits were cut off has 60 bits at least and is less than 1 above what is
    left of it: 16 units more. Only if half a unit of the last place may lie in that interval, which
    happens to one of 500 numbers of random digits, is the nearest float not certain.
    """
    shifted, n_shifted = number, 0
    for step in (32, 16, 8, 4, 2, 1):
        if shifted >> np.uint64(64 - step) == np.uint64(0):
            shifted <<= np.uint64(step)
            n_shifted += step
    place = power - _LEAST_POWER
    product = _first_word(shifted, _FIRST_BITS[place])
    n_behind = 10 + np.int64(product >> np.uint64(63))
    half = 1 << (n_behind - 1)
    behind = np.int64(product & np.uint64(2 * half - 1))
    if half - (17 if is_cut else 1) <= behind <= half:
        return -1.0
    mantissa = np.int64(product >> np.uint64(n_behind)) + (1 if behind > half else 0)
    exponent = n_behind + 64 + _EXPONENTS[place] - n_shifted
    if not _LEAST_EXPONENT <= exponent <= _LARGEST_EXPONENT:
        return -1.0
    return float(mantissa * _POWERS_OF_TWO[exponent - _LEAST_EXPONENT])


@jit
def _first_word(a: np.uint64, b: np.uint64) -> np.uint64:
    """The first 64 bits of a product of 128 bits."""
    a_high, a_low = a >> _HALF_WORD, a & _LOW_HALF
    b_high, b_low = b >> _HALF_WORD, b & _LOW_HALF
    middle = a_high * b_low + (a_low * b_low >> _HALF_WORD)
    other = a_low * b_high + (middle & _LOW_HALF)
    return a_high * b_high + (middle >> _HALF_WORD) + (other >> _HALF_WORD)
