"""Rows as programs write them, parsed block by block by compiled code, the blocks in parallel.

A field that is not a plain number is read by the same functions as in any other file, and a file
with a line that is not plain is left to the reader of any file, so both give the same table.
"""

import csv
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import IO, NamedTuple

import numpy as np

from kgroups.input.compiled.decimal_numbers import words_of
from kgroups.input.table_files.compiled.plain_rows import (
    AS_TEXT,
    DECIMAL,
    LEFT_OUT,
    MAY_GROUP,
    parse_rows,
)
from kgroups.input.table_files.line_blocks import Block, blocks_of_lines
from kgroups.input.table_files.numerals import points_may_group, to_numbers
from kgroups.input.table_files.text_format import MISSING, TextFormat
from kgroups.runtime.threads import default_threads, run
from kgroups.typing import Float64Array, IntArray

_BITS = {None: 0, True: MAY_GROUP, False: DECIMAL}


class Numbers(NamedTuple):
    """The number of rows, the columns of numbers, and bits about the points in every column."""

    n_rows: int
    columns: dict[int, Float64Array]
    points: IntArray

    def may_be_grouped(self, column: int) -> bool:
        """Whether a column has points, and each may stand between groups of three digits."""
        return bool(self.points[column] == MAY_GROUP)


class _Parsed(NamedTuple):
    """The rows of a block: numbers of some columns, and where other fields of them are."""

    content: bytes
    n_rows: int
    columns: tuple[int, ...]
    numbers: Float64Array
    points: IntArray
    #: The column, the row, the begin and the end of each.
    others: IntArray
    #: Whether blank lines follow.
    is_end: bool


@dataclass(frozen=True)
class PlainRows:
    """A text from its first row of data on, if its lines are plain."""

    stream: IO[bytes]
    #: The position of the first row.
    begin: int
    width: int
    #: How it is written, with its delimiter.
    text: TextFormat
    encoding: str
    longest_line: int

    def numbers(self, columns: Sequence[int], check: Callable[[int], None]) -> Numbers | None:
        """Those columns that hold only numbers; None if some line is not plain.

        ``check`` is called with the number of rows that were read so far.
        """
        numeric = list(columns)
        points = np.zeros(self.width, np.int64)
        parts: list[dict[int, Float64Array]] = []
        n_rows = 0
        for parsed in self._parsed(numeric, as_text=False):
            if parsed is None:
                return None
            n_rows += parsed.n_rows
            points |= parsed.points
            for column in self._completed(parsed, points):
                if column in numeric:
                    numeric.remove(column)
            place = {column: at for at, column in enumerate(parsed.columns)}
            parts.append({c: parsed.numbers[place[c], : parsed.n_rows] for c in numeric})
            check(n_rows)
        found = {c: np.concatenate([part[c] for part in parts]) for c in numeric}
        return Numbers(n_rows, found, points) if n_rows else None

    def texts(self, columns: Sequence[int]) -> dict[int, list[str | None]] | None:
        """Some columns as text, None for missing values; None if some line is not plain."""
        texts: dict[int, list[str | None]] = {c: [] for c in columns}
        for parsed in self._parsed(columns, as_text=True):
            if parsed is None:
                return None
            values = _Values(self._presented)
            spans = parsed.others.reshape(parsed.n_rows, len(columns), 4)[:, :, 2:]
            for at, column in enumerate(sorted(columns)):
                found = (parsed.content[begin:end] for begin, end in spans[:, at].tolist())
                texts[column].extend(map(values.__getitem__, found))
        return texts

    def _presented(self, content: bytes) -> str | None:
        """A field as text, None for a missing value."""
        field = self.text.present([content.decode(self.encoding)])[0].strip()
        return None if field in MISSING else field

    def _completed(self, parsed: _Parsed, points: IntArray) -> Iterator[int]:
        """Read the other fields of columns as numbers; those columns that are not numbers."""
        others = parsed.others
        for column in np.unique(others[:, 0]).tolist():
            _, rows, begins, ends = others[others[:, 0] == column].T
            found = [
                parsed.content[begin:end]
                for begin, end in zip(begins.tolist(), ends.tolist(), strict=True)
            ]
            kinds = list(dict.fromkeys(found))
            fields = self.text.present([kind.decode(self.encoding) for kind in kinds])
            values = to_numbers(fields, self.text.decimal)
            if values is None:
                yield column
                continue
            points[column] |= _BITS[points_may_group(fields)]
            by_kind = dict(zip(kinds, values.tolist(), strict=True))
            place = parsed.columns.index(column)
            parsed.numbers[place, rows] = [by_kind[field] for field in found]

    def _parsed(self, columns: Sequence[int], *, as_text: bool) -> Iterator[_Parsed | None]:
        """The blocks of the text; None instead of one with a line that is not plain.

        ``columns`` may become fewer meanwhile.
        """
        self.stream.seek(self.begin)
        blocks = blocks_of_lines(self.stream, self.longest_line)
        tasks = ((block, tuple(columns)) for block in blocks)
        is_end = False
        for parsed in run(partial(self._parse, as_text=as_text), tasks, default_threads()):
            if parsed is not None and parsed.n_rows and is_end:
                yield None
            yield parsed
            is_end = is_end or (parsed is not None and parsed.is_end)

    def _parse(self, task: tuple[Block, tuple[int, ...]], *, as_text: bool) -> _Parsed | None:
        block, columns = task
        if not block.is_text(self.encoding):
            return None
        use = np.full(self.width, LEFT_OUT)
        use[list(columns)] = AS_TEXT if as_text else np.arange(len(columns))
        n = block.n_lines
        numbers = np.empty((0 if as_text else len(columns), n))
        points = np.zeros(self.width, np.int64)
        others = np.empty((n * len(columns), 4), np.int64)
        n_rows, n_others, is_end = parse_rows(
            block.text,
            words_of(block.text),
            ord(str(self.text.delimiter)),
            ord(self.text.decimal or "."),
            self.longest_line,
            csv.field_size_limit(),
            use,
            numbers,
            points,
            others,
        )
        if n_rows < 0:
            return None
        return _Parsed(block.content, n_rows, columns, numbers, points, others[:n_others], is_end)


class _Values(dict[bytes, str | None]):
    """What fields stand for, each kind of field decoded once."""

    def __init__(self, read: Callable[[bytes], str | None]) -> None:
        self._read = read
        super().__init__()

    def __missing__(self, field: bytes) -> str | None:
        """Decode it, and keep it."""
        value = self[field] = self._read(field)
        return value
