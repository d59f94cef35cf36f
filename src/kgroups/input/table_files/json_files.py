"""JSON files as tables or as rows of arrays: one value per line, or an array of such values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import chain
from math import isnan
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from kgroups.exceptions import DataError
from kgroups.input.table_files.json_values import (
    Value,
    in_words,
    refuse_kind,
    values_of_array,
    values_of_lines,
    whole_value,
)
from kgroups.input.table_files.other_rows import Arrays
from kgroups.input.table_files.table import Table
from kgroups.runtime.memory import require
from kgroups.text import quoted

_ADVICE = (
    "a row is one text, one number, an object with a key for each column, or an array of numbers "
    "or texts"
)
# More keys would take more memory for their columns than for what they hold.
_MOST_KEYS = 200_000
# How pandas writes a table that is read here.
_RECORDS = 'in pandas: df.to_json(path, orient="records", lines=True)'


def read_json_lines(stream: IO[bytes], source: str) -> Table | Arrays:
    """The rows of a file with one JSON value per line."""
    values = values_of_lines(stream, source)
    first, second = next(values, None), next(values, None)
    if first is None:
        raise DataError(f"{source} is empty.")
    if second is None and isinstance(first.content, list) and _holds_rows(first.content):
        return _in_array(first.content, source)
    both = [first] if second is None else [first, second]
    return _rows(chain(both, values), source, "line")


def read_json(stream: IO[bytes], source: str) -> Table | Arrays:
    """The rows of a file with one JSON array of values; or of one with a value per line."""
    begin = stream.tell()
    content = whole_value(stream, source)
    if content is None:
        stream.seek(begin)
        return read_json_lines(stream, source)
    if isinstance(content, list):
        return _in_array(content, source)
    raise DataError(
        f"{source} holds {in_words(content)}, not an array of rows; write an array, or one JSON "
        f"value per line ({_RECORDS})."
    )


def _holds_rows(content: Sequence[Any]) -> bool:
    """Whether the only line of a file is an array of rows, not a row itself."""
    return len(content) > 1 and not all(isinstance(entry, (int, float)) for entry in content)


def _in_array(content: Sequence[Any], source: str) -> Table | Arrays:
    if not content:
        raise DataError(f"{source} holds an empty array; it must have at least 1 row.")
    return _rows(values_of_array(content), source, "entry")


def _rows(values: Iterable[Value], source: str, counted: str) -> Table | Arrays:
    """All values by the kind of the first one that is not null; DataError for another kind."""
    found = _Rows(source, counted)
    for value in values:
        found.add(value)
    return found.made()


class _Rows:
    """Values of one kind, as they are read."""

    def __init__(self, source: str, counted: str) -> None:
        self.source, self.counted = source, counted
        self.places: list[int] = []
        self.contents: list[Any] = []
        self.first: Value | None = None

    def add(self, value: Value) -> None:
        """Keep a value; DataError for one of another kind than those before."""
        content = value.content
        if content is not None and self.first is None:
            self.first = value
        if self.first is not None and content is not None:
            self._check_kind(value)
        self.places.append(value.place)
        self.contents.append(content)

    def _check_kind(self, value: Value) -> None:
        first = self.first
        if first is not None and in_words(first.content) != in_words(value.content):
            raise DataError(
                f"{self._where(value.place)} holds {in_words(value.content)}, but {self.counted} "
                f"{first.place} {in_words(first.content)}; write all rows alike."
            )

    def _where(self, place: int) -> str:
        return f"{self.source}, {self.counted} {place}"

    def made(self) -> Table | Arrays:
        """The table or the arrays."""
        if self.first is None:
            raise DataError(f"{self.source} holds only null; {_ADVICE}.")
        kind = type(self.first.content)
        if kind is list:
            return self._arrays()
        if kind is dict:
            return self._table(*_columns(self.contents, self._at), has_header=True)
        column, is_boolean = _column(self.contents, self._at)
        return self._table({"1": column}, {"1"} if is_boolean else set(), has_header=False)

    def _at(self, row: int) -> str:
        return self._where(self.places[row])

    def _table(
        self, columns: dict[str, NDArray[Any]], booleans: set[str], *, has_header: bool
    ) -> Table:
        names = tuple(columns)
        return Table(
            source=self.source,
            names=names,
            columns=tuple(columns.values()),
            has_header=has_header,
            lines=np.array(self.places, np.int64),
            counted=self.counted,
            booleans=frozenset(i for i, name in enumerate(names) if name in booleans),
        )

    def _arrays(self) -> Arrays:
        for row, content in enumerate(self.contents):
            if content is None:
                refuse_kind(self._at(row), None, "write an array, [] for an empty one")
        inner = (entry for content in self.contents for entry in content)
        first = next(inner, None)
        if isinstance(first, str):
            sets = tuple(_set(content, self._at(r)) for r, content in enumerate(self.contents))
            found = Arrays(
                source=self.source, items=sets, kind="sets", lines=np.array(self.places, np.int64)
            )
        else:
            require(
                8 * sum(map(len, self.contents)),
                what=f"Reading {self.source}",
                instead="Keep fewer rows.",
            )
            numbers = tuple(_array(c, self._at(r)) for r, c in enumerate(self.contents))
            _check_one_shape(numbers, self._at)
            found = Arrays(
                source=self.source, items=numbers, kind="numbers",
                lines=np.array(self.places, np.int64),
            )  # fmt: skip
        return replace(found, counted=self.counted)


# --- objects -----------------------------------------------------------------------------------


def _columns(
    rows: Sequence[dict[str, Any] | None], at: Callable[[int], str]
) -> tuple[dict[str, NDArray[Any]], set[str]]:
    """Columns by the keys of all objects, in the order in which they are first seen."""
    keys = dict.fromkeys(key for row in rows for key in row or ())
    if not keys:
        raise DataError(f"{at(0)}: no object has a key; a key names a column.")
    if len(keys) > _MOST_KEYS:
        raise DataError(
            f"{at(0)} and those after it have {len(keys):,} different keys, and a table has at "
            f"most {_MOST_KEYS:,} here; save a sparse array by scipy.sparse.save_npz."
        )
    require(
        16 * len(keys) * len(rows),
        what=f"A table of {len(rows):,} rows with {len(keys):,} keys",
        instead="Keep fewer rows or keys.",
    )
    columns: dict[str, NDArray[Any]] = {}
    booleans: set[str] = set()
    for key in keys:
        values = [None if row is None else row.get(key) for row in rows]
        if any(isinstance(value, list) for value in values):
            columns |= _spread(key, values, at)
            continue
        columns[key], is_boolean = _column(values, at, key)
        if is_boolean:
            booleans.add(key)
    return columns, booleans


def _spread(key: str, values: Sequence[Any], at: Callable[[int], str]) -> dict[str, NDArray[Any]]:
    """One column for each place in arrays of numbers that are equally long, such as embeddings."""
    width = next(len(value) for value in values if isinstance(value, list))
    table = np.full((len(values), width), np.nan)
    for row, value in enumerate(values):
        if value is None:
            continue
        if not isinstance(value, list) or len(value) != width:
            found = f"{len(value)} entries" if isinstance(value, list) else in_words(value)
            raise DataError(
                f"{at(row)}, key {quoted(key)} has {found}, and other rows an array of {width}; a "
                "column must be of one kind. For arrays of different lengths write only the array "
                "on each line."
            )
        if any(isinstance(entry, str) for entry in value):
            raise DataError(
                f"{at(row)}, key {quoted(key)} holds an array of text; to compare sets, write only "
                "the array on each line."
            )
        numbers = _array(value, f"{at(row)}, key {quoted(key)}")
        if numbers.ndim != 1:
            refuse_kind(f"{at(row)}, key {quoted(key)}", value, "an array of arrays is no column")
        table[row] = numbers
    return {f"{key}[{i}]": table[:, i] for i in range(width)}


def _column(
    values: Sequence[Any], at: Callable[[int], str], key: str | None = None
) -> tuple[NDArray[Any], bool]:
    """Numbers or text, and whether they were all true or false; DataError for two kinds."""
    kinds: dict[type, int] = {}
    for row, value in enumerate(values):
        if value is not None:
            kinds.setdefault(float if type(value) is int else type(value), row)
    where = "" if key is None else f", key {quoted(key)}"
    if dict in kinds:
        refuse_kind(f"{at(kinds[dict])}{where}", {}, "give each of its keys a column of its own")
    if len(kinds) > 1:
        (kind, row), (other, later) = list(kinds.items())[:2]
        raise DataError(
            f"{at(later)}{where} holds {in_words(other())}, but {at(row).rpartition(', ')[2]} "
            f"{in_words(kind())}; a column must be of one kind."
        )
    if str in kinds:
        return np.array([*values, None], dtype=object)[:-1], False
    numbers = [float("nan") if value is None else _number(value, at, r, where)
               for r, value in enumerate(values)]  # fmt: skip
    return np.array(numbers, np.float64), bool in kinds


def _number(value: Any, at: Callable[[int], str], row: int, where: str) -> float:
    try:
        return float(value)
    except OverflowError:
        raise DataError(f"{at(row)}{where} has a number too large for a float.") from None


# --- arrays ------------------------------------------------------------------------------------


def _set(content: Sequence[Any], where: str) -> frozenset[str]:
    other = next((entry for entry in content if not isinstance(entry, str)), "")
    if other != "":
        raise DataError(f"{where}: an array of texts holds {in_words(other)}; write only texts.")
    return frozenset(content)


def _array(content: Sequence[Any], where: str) -> NDArray[Any]:
    """Numbers of shape (m,) or (m, D); DataError for anything else, and for a missing number."""
    is_nested = bool(content) and isinstance(content[0], list)
    for entry in content:
        if isinstance(entry, list) != is_nested or isinstance(entry, (str, dict, bool)):
            raise DataError(
                f"{where}: an array holds {in_words(entry)} next to {in_words(content[0])}; write "
                "numbers, or arrays of numbers, all equally long."
            )
    if is_nested and len({len(entry) for entry in content}) != 1:
        raise DataError(f"{where}: the arrays in one row must be equally long.")
    flat = list(chain.from_iterable(content)) if is_nested else content
    bad = next((e for e in flat if e is None or isinstance(e, (str, bool, list, dict))
                or (isinstance(e, float) and isnan(e))), 0)  # fmt: skip
    if bad != 0:
        found = "a missing number" if bad is None or isinstance(bad, float) else in_words(bad)
        raise DataError(f"{where}: the array holds {found}; write a number.")
    try:
        return np.array(content, np.float64)
    except OverflowError:
        raise DataError(f"{where} has a number too large for a float.") from None


def _check_one_shape(arrays: Sequence[NDArray[Any]], at: Callable[[int], str]) -> None:
    """DataError if some entries are numbers and others arrays, or those of two lengths."""
    of_row = {np.shape(array)[1:]: row for row, array in reversed([*enumerate(arrays)])
              if array.size}  # fmt: skip
    if len(of_row) > 1:
        rows = sorted(of_row.values())[:2]
        widths = ["numbers" if not (s := np.shape(arrays[r])[1:]) else f"arrays of {s[0]}"
                  for r in rows]  # fmt: skip
        raise DataError(
            f"{at(rows[1])} holds {widths[1]}, but {at(rows[0]).rpartition(', ')[2]} {widths[0]}; "
            "the entries of all rows must be alike."
        )
