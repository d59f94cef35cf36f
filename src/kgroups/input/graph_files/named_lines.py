"""Long lists of edges between names, split and numbered block by block by compiled code."""

import io
from collections.abc import Iterator
from functools import partial
from itertools import pairwise
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kgroups.input.compiled.decimal_numbers import Words, words_in, words_of
from kgroups.input.graph_files.compiled.named_lines import (
    BEGIN,
    END,
    copy_slots,
    number_names,
    split_edges,
)
from kgroups.input.graph_files.edge_layout import COMMENTS, Layout, to_weight
from kgroups.input.graph_files.edges import check_memory
from kgroups.input.graph_files.text_lines import LONGEST_LINE, rows
from kgroups.input.table_files.field_table import Row
from kgroups.input.table_files.line_blocks import Block, blocks_of_lines
from kgroups.input.table_files.text_format import MISSING
from kgroups.runtime.threads import default_threads, run
from kgroups.typing import Float64Array, IntArray

# Shorter files are read before the code that is compiled for long ones is loaded.
_LONG = 1 << 22
# Other delimiters might be part of a number or of a character.
_DELIMITERS = (None, ",", "\t", ";", "|", ":")
_MARK_OF_UTF8 = b"\xef\xbb\xbf"


class NamedLines(NamedTuple):
    """Edges between names in the order in which they appear, and three of their lines."""

    names: list[str]
    source: IntArray
    target: IntArray
    weights: Float64Array
    first: Row
    second: Row | None
    last: Row


class _Split(NamedTuple):
    """The edges of a block: where their fields are, the keys of their ends, and weights."""

    block: Block
    words: Words
    spans: IntArray
    keys: NDArray[np.uint64]
    weights: Float64Array
    #: Where the line of the last edge begins.
    last: int


def read_named_lines(stream: IO[bytes], source: str, layout: Layout) -> NamedLines | None:
    """The edges of a long file; None if some line needs the reader for lines of any kind."""
    stream.seek(0)
    is_plain = not layout.ending and layout.decimal != "," and layout.delimiter in _DELIMITERS
    if not is_plain or len(stream.read(_LONG)) < _LONG:
        return None
    known, codes, weights = _Names(), [], []
    n_edges, n_lines, last = 0, _lines_above(layout), None
    for part in run(partial(_split, layout=layout), _blocks(stream, layout), default_threads()):
        if part is None:
            return None
        codes.append(known.numbers(part))
        weights.append(part.weights)
        if len(part.keys):
            last = part, n_lines
        n_lines += part.block.n_lines
        n_edges += len(part.keys)
        check_memory(n_edges)
    names = known.texts()
    if last is None or not MISSING.isdisjoint(names) or any(n != n.strip() for n in names):
        return None
    first, second = _first_rows(stream, source, layout)
    return NamedLines(
        names,
        np.concatenate([part[0] for part in codes], dtype=np.int64),
        np.concatenate([part[1] for part in codes], dtype=np.int64),
        np.concatenate(weights),
        first,
        second,
        _last_row(*last, layout),
    )


def _lines_above(layout: Layout) -> int:
    return 0 if layout.header is None else layout.header.line


def _blocks(stream: IO[bytes], layout: Layout) -> Iterator[tuple[Block, bool]]:
    """The lines below the header, and whether comments may stand above the first edge of them."""
    stream.seek(0)
    if layout.header is None and stream.read(len(_MARK_OF_UTF8)) != _MARK_OF_UTF8:
        stream.seek(0)
    for _ in range(_lines_above(layout)):
        stream.readline(LONGEST_LINE + 1)
    for number, block in enumerate(blocks_of_lines(stream, LONGEST_LINE)):
        yield block, number == 0 and layout.header is None


def _split(task: tuple[Block, bool], layout: Layout) -> _Split | None:
    """The edges of a block; None if it needs the other reader."""
    block, may_comment = task
    content, n = block.content, block.n_lines
    if not block.is_text("utf-8") or b"\0" in content:
        return None
    if layout.delimiter is None and not content.isascii():  # which may have other blanks
        return None
    place = np.full(layout.n_fields, -1)
    place[list(layout.columns)] = np.arange(len(layout.columns))
    spans = np.empty((n, len(layout.columns), 2), np.int64)
    keys = np.empty((n, 2), np.uint64)
    weights = np.empty(n if len(layout.columns) == 3 else 0)
    text, words, delimiter = block.text, words_of(block.text), ord(layout.delimiter or "\0")
    n_edges, last = split_edges(
        text, words, delimiter, LONGEST_LINE, place, may_comment, spans, keys, weights
    )
    if n_edges < 0:
        return None
    weights = weights[:n_edges]
    for edge in np.flatnonzero(np.isnan(weights)):
        begin, end = spans[edge, 2, BEGIN], spans[edge, 2, END]
        weight = to_weight(content[begin:end].decode().strip(), layout.decimal)
        if weight is None:
            return None
        weights[edge] = weight
    return _Split(block, words, spans[:n_edges], keys[:n_edges], weights, last)


def _last_row(part: _Split, n_above: int, layout: Layout) -> Row:
    """The last edge of a block with so many lines above it."""
    line = n_above + part.block.content.count(b"\n", 0, part.last) + 1
    end = part.block.content.index(b"\n", part.last) + 1
    with io.BytesIO(part.block.content[part.last : end]) as stream:
        return next(rows(stream, "", layout.delimiter, comments=COMMENTS))._replace(line=line)


def _first_rows(stream: IO[bytes], source: str, layout: Layout) -> tuple[Row, Row | None]:
    """The first two edges."""
    stream.seek(0)
    found = rows(stream, source, layout.delimiter, comments=COMMENTS)
    below = (row for row in found if row.line > _lines_above(layout))
    first, second = next(below), next(below, None)
    return first, second


class _Names:
    """Names with numbers from 0, in the order in which they appear."""

    def __init__(self) -> None:
        self._n = 0
        self._letters = np.empty(8, np.uint8)
        #: Where each name begins in the letters, and the last one ends.
        self._starts = np.zeros(2, np.int64)
        #: A hash table of keys and numbers, less than half full.
        self._slots = np.zeros((2, 2), np.uint64)

    def numbers(self, part: _Split) -> NDArray[np.int32]:
        """The numbers of both ends of each edge of a block, shape (2, m)."""
        n_edges, most = len(part.keys), self._n + 2 * len(part.keys)
        self._letters = _grown(self._letters, int(self._starts[self._n]) + part.block.stop)
        self._starts = _grown(self._starts, most + 1)
        if len(self._slots) < 2 * most:
            slots = np.zeros((1 << (2 * most).bit_length(), 2), np.uint64)
            copy_slots(self._slots, slots)
            self._slots = slots
        codes = np.empty((2, n_edges), np.int32)
        self._n = number_names(
            part.block.text,
            part.words,
            part.spans,
            part.keys,
            self._slots,
            self._starts,
            self._letters,
            words_in(self._letters),
            self._n,
            codes,
        )
        return codes

    def texts(self) -> list[str]:
        """All names."""
        starts = self._starts[: self._n + 1].tolist()
        letters = self._letters[: starts[-1]].tobytes()
        return [letters[begin:end].decode() for begin, end in pairwise(starts)]


def _grown(array: NDArray[Any], least: int) -> NDArray[Any]:
    """An array of at least so many entries that begins like this one."""
    if len(array) >= least:
        return array
    grown = np.empty(2 * least, array.dtype)
    grown[: len(array)] = array
    return grown
