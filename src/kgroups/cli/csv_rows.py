"""Rows of integers and names as CSV, as the module csv writes them, thousands of rows at once.

The characters of a row stand in a matrix of bytes, each field in as many columns as the longest
one of the block needs; what is left of these columns is then removed everywhere at once.
"""

import csv
import io
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kgroups.runtime.threads import blocks
from kgroups.typing import BoolArray, IntArray

_ROWS_AT_ONCE = 1 << 14
# Bytes of a name up to which its block is written as a matrix.
_LONGEST = 64
_NEWLINE, _COMMA, _MINUS, _ZERO = b"\n,-0"
# Characters of names that are written in quotes.
_SPECIAL = np.isin(np.arange(256), list(b',"\r'))

_Bytes: TypeAlias = NDArray[np.uint8]


class _Field(NamedTuple):
    """One field of some rows."""

    #: Bytes of the longest one.
    width: int
    #: Writes the bytes side by side, and which of them count.
    fill: Callable[[_Bytes, BoolArray], None]


def csv_rows(columns: Sequence[IntArray | Sequence[str]]) -> Iterator[bytes]:
    r"""The lines of a table of at least two columns, in blocks.

    O(m) time for m bytes, as long as no name is many times longer than the others.

    >>> b"".join(csv_rows([np.array([9, 10]), ["a", "b,c"], np.array([0, -1])]))
    b'9,a,0\n10,"b,c",-1\n'
    """
    for start, stop in blocks(0, len(columns[0]), _ROWS_AT_ONCE):
        yield _block([column[start:stop] for column in columns])


def _block(columns: Sequence[IntArray | Sequence[str]]) -> bytes:
    fields = [_integers(c) if isinstance(c, np.ndarray) else _names(c) for c in columns]
    width = sum(1 + field.width for field in fields if field is not None)
    characters = np.empty((len(columns[0]), width), np.uint8)
    written = np.ones(characters.shape, np.bool_)
    start = 0
    for field in fields:
        if field is None:
            return _quoted(columns)
        stop = start + field.width
        field.fill(characters[:, start:stop], written[:, start:stop])
        characters[:, stop] = _COMMA
        start = stop + 1
    characters[:, -1] = _NEWLINE
    return characters[written].tobytes()


def _integers(numbers: IntArray) -> _Field:
    """The digits of integers from the right, behind their sign if there is one."""
    size, is_negative = np.abs(numbers).astype(np.uint64), numbers < 0  # also of −2**63
    n_digits, n_signs = len(str(size.max(initial=0))), int(is_negative.any())

    def fill(characters: _Bytes, written: BoolArray) -> None:
        """Write the digits from the last to the first, then the signs."""
        rest = size
        for column in range(n_digits + n_signs - 1, n_signs - 1, -1):
            tens = rest // 10
            characters[:, column] = rest - 10 * tens + _ZERO
            if column < n_digits + n_signs - 1:
                written[:, column] = rest > 0
            rest = tens
        if n_signs:
            characters[:, 0], written[:, 0] = _MINUS, is_negative

    return _Field(n_digits + n_signs, fill)


def _names(names: Sequence[str]) -> _Field | None:
    """Names as UTF-8; None if one is written in quotes or too long."""
    text = np.frombuffer("\n".join([*names, ""]).encode(), np.uint8)
    ends = np.flatnonzero(text == _NEWLINE)
    lengths = np.diff(ends, prepend=-1) - 1
    width = int(lengths.max())
    if len(ends) != len(names) or width > _LONGEST or _SPECIAL[text].any():
        return None

    def fill(characters: _Bytes, written: BoolArray) -> None:
        """Write each text from the left."""
        written[:] = np.arange(width) < lengths[:, None]
        characters[written] = text[text != _NEWLINE]

    return _Field(width, fill)


def _quoted(columns: Sequence[IntArray | Sequence[str]]) -> bytes:
    """The same by the module csv."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    fields = (c.tolist() if isinstance(c, np.ndarray) else c for c in columns)
    writer.writerows(zip(*fields, strict=True))
    return text.getvalue().encode("utf-8")
