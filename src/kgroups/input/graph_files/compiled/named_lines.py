"""Edges between names, split and numbered from the bytes of a file.

Only lines of the plainest form are read here; at any other line the caller falls back on the reader
that knows every form and every message.
"""

import numpy as np
from numpy.typing import NDArray

from kgroups.input.compiled.decimal_numbers import Bytes, Words, plain_number
from kgroups.runtime.jit import jit
from kgroups.typing import Float64Array, IntArray

#: The columns of ``spans``: where a field begins and ends.
BEGIN, END = 0, 1
_TAB, _NEWLINE, _RETURN, _BLANK, _QUOTE = 9, 10, 13, 32, 34
_HASH, _PERCENT, _DOT = 35, 37, 46
# The last byte of the key of a short name is its length, that of others is larger.
_SHORT = 7
_MIXED = np.uint64(0x9E3779B97F4A7C15)  # 2**64 over the golden ratio, as in Fibonacci hashing
_HALF, _LAST_BYTE = np.uint64(32), np.uint64(0xFF << 56)


@jit
def split_edges(
    text: Bytes,
    words: Words,
    delimiter: int,
    longest: int,
    place: IntArray,
    may_comment: bool,
    spans: IntArray,
    keys: NDArray[np.uint64],
    weights: Float64Array,
) -> tuple[int, int]:
    """The number of edges in whole lines, and where the last one begins; −1 if not plain.

    ``words`` holds the text in words; ``delimiter`` is a byte, 0 for blanks; ``place`` says which
    of source, target and weight stands in each field, −1 for none; ``may_comment`` whether comments
    above the first edge are skipped. OUT: ``spans`` of the fields of each edge, ``keys`` of its
    ends, and its weight, NaN if it is not a plain number.
    """
    at, edge, last = 0, 0, 0
    while at < len(text):
        start = at
        at = _skip(text, at, delimiter)
        if text[at] == _HASH or text[at] == _PERCENT:
            if edge > 0 or not may_comment:
                return -1, 0
            while text[at] != _NEWLINE:
                at += 1
        elif text[at] != _NEWLINE and text[at] != _RETURN:
            last = start
            for field in range(len(place)):
                begin, end, at = _field(text, at, delimiter)
                if at < 0 or (field < len(place) - 1 and not _separates(text[at], delimiter)):
                    return -1, 0
                role = place[field]
                if role >= 0:
                    spans[edge, role, BEGIN], spans[edge, role, END] = begin, end
                    if role < 2:
                        keys[edge, role] = _key(words, begin, end)
                    else:
                        weight, stop, _, _ = plain_number(words, begin, _DOT)
                        weights[edge] = weight if stop == end else np.nan
                at = _skip(text, at + 1, delimiter) if field < len(place) - 1 else at
            edge += 1
        if text[at] == _RETURN:
            at += 1
        if text[at] != _NEWLINE or at + 1 - start > longest:
            return -1, 0
        at += 1
    return edge, last


@jit
def _skip(text: Bytes, at: int, delimiter: int) -> int:
    """The position after blanks; a tab is one unless it is the delimiter."""
    while text[at] == _BLANK or (text[at] == _TAB and delimiter != _TAB):
        at += 1
    return at


@jit
def _separates(byte: int, delimiter: int) -> bool:
    """Whether a byte stands between fields."""
    return byte == delimiter if delimiter else byte in (_BLANK, _TAB)


@jit
def _field(text: Bytes, at: int, delimiter: int) -> tuple[int, int, int]:
    """Begin and end of a field without blanks around it, and the position behind it, or −1."""
    if text[at] == _QUOTE:
        begin, stop = at + 1, at + 1
        while text[stop] != _QUOTE and text[stop] >= _BLANK:
            stop += 1
        at = stop + 1
        if text[stop] != _QUOTE:
            return 0, 0, -1
        while text[begin] == _BLANK:
            begin += 1
    else:
        begin = at
        while text[at] >= _BLANK and text[at] != _QUOTE and not _separates(text[at], delimiter):
            at += 1
        stop = at
        if delimiter:
            at = _skip(text, at, delimiter)
    is_return = text[at] == _RETURN and text[at + 1] == _NEWLINE
    if not (_separates(text[at], delimiter) or text[at] == _NEWLINE or is_return):
        return 0, 0, -1
    if not delimiter:  # blanks end a line
        after = _skip(text, at, delimiter)
        at = after if text[after] == _NEWLINE or text[after] == _RETURN else at
    while stop > begin and text[stop - 1] == _BLANK:
        stop -= 1
    return begin, stop, at


@jit
def _key(words: Words, begin: int, end: int) -> np.uint64:
    """A number of a name: another one for every short name, and nearly so for long ones."""
    length = end - begin
    if length <= _SHORT:
        kept = (np.uint64(1) << np.uint64(8 * length)) - np.uint64(1)
        return np.uint64(words[begin] & kept | np.uint64(length) << np.uint64(56))
    key = np.uint64(length)
    for at in range(begin, end - 8, 8):
        key = _mixed(key ^ words[at])
    return np.uint64(_mixed(key ^ words[end - 8]) | _LAST_BYTE)


@jit
def _mixed(key: np.uint64) -> np.uint64:
    """A key whose first bits depend on all of its bits."""
    key = (key ^ key >> _HALF) * _MIXED
    return key ^ key >> _HALF


@jit
def number_names(
    text: Bytes,
    words: Words,
    spans: IntArray,
    keys: NDArray[np.uint64],
    slots: NDArray[np.uint64],
    starts: IntArray,
    letters: Bytes,
    letter_words: Words,
    n_names: int,
    codes: NDArray[np.int32],
) -> int:
    """The number of names when those of these edges are known, too.

    INOUT: ``slots``, a hash table of the keys and the numbers of names, from 1; name i is in
    ``letters`` from ``starts[i]`` to ``starts[i + 1]``. OUT: ``codes`` of both ends of each edge.
    """
    _look_up(words, spans, keys, slots, starts, letter_words, codes)
    for edge in range(codes.shape[1]):
        for end in range(2):
            if codes[end, edge] >= 0:
                continue
            key = keys[edge, end]
            begin, stop = spans[edge, end, BEGIN], spans[edge, end, END]
            slot = _slot(slots, key)
            while slots[slot, 1] > np.uint64(0):
                code = int(np.int64(slots[slot, 1])) - 1
                if slots[slot, 0] == key and _is_name(
                    words, begin, stop, letter_words, starts[code], starts[code + 1]
                ):
                    break
                slot = slot + 1 if slot + 1 < len(slots) else 0
            else:
                code, first = n_names, starts[n_names]
                for i in range(stop - begin):
                    letters[first + i] = text[begin + i]
                n_names += 1
                starts[n_names] = first + stop - begin
                slots[slot, 0], slots[slot, 1] = key, np.uint64(n_names)
            codes[end, edge] = code
    return n_names


@jit
def _look_up(
    words: Words,
    spans: IntArray,
    keys: NDArray[np.uint64],
    slots: NDArray[np.uint64],
    starts: IntArray,
    letter_words: Words,
    codes: NDArray[np.int32],
) -> None:
    """OUT: ``codes`` of names that are known and in one of their first two slots, −1 of others.

    Each loop waits for one place in memory only, so that the processor waits for several at once.
    """
    n = codes.shape[1]
    for end in range(2):
        for edge in range(n):
            slot, key = _slot(slots, keys[edge, end]), keys[edge, end]
            if slots[slot, 0] != key:
                slot = slot + 1 if slot + 1 < len(slots) else 0
            found = np.int64(slots[slot, 1]) if slots[slot, 0] == key else 0
            codes[end, edge] = found - 1
    first, last = np.zeros((2, n), np.int64), np.zeros((2, n), np.int64)
    for end in range(2):
        for edge in range(n):
            code = max(codes[end, edge], 0)
            first[end, edge], last[end, edge] = starts[code], starts[code + 1]
    for end in range(2):
        for edge in range(n):
            begin, stop = spans[edge, end, BEGIN], spans[edge, end, END]
            if codes[end, edge] >= 0 and not _is_name(
                words, begin, stop, letter_words, first[end, edge], last[end, edge]
            ):
                codes[end, edge] = -1


@jit
def copy_slots(old: NDArray[np.uint64], new: NDArray[np.uint64]) -> None:
    """OUT: ``new``, a larger hash table of the same names."""
    for place in range(len(old)):
        if old[place, 1] > np.uint64(0):
            slot = _slot(new, old[place, 0])
            while new[slot, 1] > np.uint64(0):
                slot = slot + 1 if slot + 1 < len(new) else 0
            new[slot] = old[place]


@jit
def _slot(slots: NDArray[np.uint64], key: np.uint64) -> int:
    """Where the search for a key begins; the number of slots is a power of two."""
    return int(np.int64(_mixed(key) & np.uint64(len(slots) - 1)))


@jit
def _is_name(words: Words, begin: int, stop: int, others: Words, first: int, end: int) -> bool:
    """Whether a field holds a name that has the same key."""
    if stop - begin != end - first:
        return False
    if stop - begin <= _SHORT:
        return True
    for at in range(0, stop - begin - 8, 8):
        if words[begin + at] != others[first + at]:
            return False
    return bool(words[stop - 8] == others[end - 8])
