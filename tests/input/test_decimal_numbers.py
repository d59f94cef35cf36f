"""Numbers from the bytes of a text: the floats that Python reads, to the last bit."""

import random
import struct
from decimal import Decimal, localcontext

import numpy as np

from helpers import each
from kgroups.input.compiled.decimal_numbers import plain_number, words_of


def read(text, mark="."):
    """The value and the position after it."""
    return plain_number(words_of(np.frombuffer(f"{text},".encode(), np.uint8)), 0, ord(mark))[:2]


def digits(draw, n):
    return "".join(draw.choices("0123456789", k=n))


def near_the_middle(draw):
    """A number near the middle of two floats, where its last digits decide on the rounding."""
    with localcontext(prec=draw.choice([17, 18, 19, 20, 60])):
        middle = Decimal(2 * draw.getrandbits(53) + 1) * Decimal(2) ** draw.randrange(-70, 10)
        return format(middle, draw.choice("fe"))


WRITTEN = [
    lambda draw: repr(draw.gauss(0, 1)),
    lambda draw: f"{draw.gauss(0, 1):.18e}",
    lambda draw: f"{draw.gauss(0, 1):.25f}",
    lambda draw: f"{digits(draw, draw.randrange(1, 25))}.{digits(draw, draw.randrange(25))}",
    lambda draw: f"{digits(draw, draw.randrange(1, 20))}e{draw.randrange(-350, 320)}",
    lambda draw: f"-.{digits(draw, draw.randrange(1, 19))}E{draw.randrange(-300, 300):+d}",
    lambda draw: repr(struct.unpack("d", draw.randbytes(8))[0]),
    lambda draw: str(2**53 + draw.randrange(-3, 9)),
    near_the_middle,
]


@each("write", WRITTEN)
def test_numbers_are_those_of_python(write):
    draw, n_read = random.Random(0), 0  # noqa: S311
    for _ in range(3_000):
        text = write(draw)
        value, stop = read(text)
        if stop >= 0:
            assert stop == len(text)
            assert struct.pack("d", value) == struct.pack("d", float(text)), text
            n_read += 1
    assert n_read > (0 if write is near_the_middle else 1_000)


@each("text", ["", "-", ".", "-.", "e5", "+1", "nan", "inf", "1e", "1e+", "1e99999"])
def test_what_is_not_a_plain_number(text):
    assert read(text)[1] == -1


@each("text", ["1e400", "1e-400", "5e-324", "9007199254740993.0"])
def test_what_is_not_certain_is_left_to_python(text):
    assert read(text)[1] == -1


def test_signs_and_marks():
    assert read("-0.5") == (-0.5, 4)
    assert str(read("-0")[0]) == "-0.0"
    assert read("2;5", ";") == (2.5, 3)
    assert read("12.50x") == (12.5, 5)
