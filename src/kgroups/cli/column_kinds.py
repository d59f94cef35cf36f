"""What the columns of a table hold, by content: numbers, categories, true or false, dates.

Text files know no types, so ``--metric mixed`` decides by what is written, says what it decided,
and takes ``--kinds`` instead where that is given.
"""

import re
import shlex
from argparse import Namespace
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kgroups.cli.iso_dates import are_dates, is_date, moment
from kgroups.cli.nearly_numbers import nearly_numbers
from kgroups.cli.option_values import as_list
from kgroups.cli.remedies import UnusableError
from kgroups.exceptions import DataError
from kgroups.input.table_files import Table
from kgroups.input.table_files.numerals import to_numbers
from kgroups.input.table_files.table import kinds_of, listed
from kgroups.text import quoted, short
from kgroups.typing import Float64Array

_TRUTHS = ({"yes", "no"}, {"y", "n"}, {"true", "false"}, {"t", "f"}, {"on", "off"})
_TRUE = {"yes", "y", "true", "t", "on"}
_DAY_OR_MONTH_FIRST = re.compile(r"\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}([T ].*)?")
_SECONDS_PER_DAY = 86_400.0
# Text of more different values than this share of its rows is free text, not a category.
_MOST_DIFFERENT = 0.5
# In a shorter table most values may differ by chance.
_LEAST_ROWS = 20
_EXCHANGED = "dates whose day and month could be exchanged"
# More levels of an ordered column would hide the others.
_LEVELS_SHOWN = 6
_AS = {
    "number": "as numbers",
    "category": "for equality",
    "ordered": "by their order",
    "boolean": "as true or false",
    "date": "as dates",
}


@dataclass(frozen=True, kw_only=True, eq=False)
class KindOfColumn:
    """One column as it is compared."""

    #: A key of ``_AS``.
    kind: str
    #: Numbers, days since 1970, or codes of ``levels``; NaN where a value is missing.
    values: Float64Array
    #: What the codes stand for: categories, and False and True.
    levels: tuple[str, ...] = ()


def kinds_of_columns(
    table: Table, columns: Sequence[int], options: Namespace
) -> dict[int, KindOfColumn]:
    """The columns by their positions; DataError for text that is neither date nor category."""
    asked = _asked(table, columns, options)
    found: dict[int, KindOfColumn] = {}
    refused: list[int] = []
    for column in columns:
        if table.missing(column).all():
            raise DataError(f"{table.label(column)} is missing in every row; --drop leaves it out.")
        if column in asked:
            found[column] = READERS[asked[column].kind](table, column, asked[column].levels)
        elif (own := _by_content(table, column)) is not None:
            found[column] = own
        else:
            refused.append(column)
    if refused:
        _refuse(table, refused, options)
    return found


def decided(table: Table, found: Mapping[int, KindOfColumn]) -> list[str]:
    """One line for each kind, with its columns; and one for dates that cannot be read."""
    lines = []
    for kind, how in _AS.items():
        own = [column for column, column_kind in found.items() if column_kind.kind == kind]
        if not own:
            continue
        names = listed([table.names[column] for column in own])
        if kind == "ordered":
            names = ", ".join(_with_levels(table, column, found[column]) for column in own)
        lines.append(f"compared {how}: {names}")
    for column, one in found.items():
        if one.kind == "category" and all(map(_DAY_OR_MONTH_FIRST.fullmatch, one.levels)):
            lines.append(
                f"{table.label(column)} holds {_EXCHANGED}, so it is compared for equality only; "
                "write them as 2024-01-31"
            )
    return lines


def _with_levels(table: Table, column: int, found: KindOfColumn) -> str:
    levels = [short(level) for level in found.levels[:_LEVELS_SHOWN]]
    more = " < …" if len(found.levels) > _LEVELS_SHOWN else ""
    return f"{quoted(table.names[column])} ({' < '.join(levels)}{more})"


# --- by content --------------------------------------------------------------------------------


def _by_content(table: Table, column: int) -> KindOfColumn | None:
    """The kind of a column; None for text that differs in nearly every row."""
    if column in table.booleans:
        return _boolean(table, column, ())
    if not table.is_text(column):
        return _number(table, column, ())
    present = [value for value in table.columns[column].tolist() if value is not None]
    distinct = set(present)  # each is looked at once, however many rows there are
    words = {value.strip().lower() for value in distinct}
    if any(words == pair for pair in _TRUTHS):
        return _boolean(table, column, ())
    if are_dates(table, column):
        return _date(table, column, ())
    nearly = nearly_numbers(present)
    if nearly.kind and nearly.kind != "date":
        name = _in_shell(table, column)
        found = f"{table.label(column)} holds text that is nearly numbers"
        raise UnusableError(
            f"{table.source}: {found}.",
            f"{nearly.advice(name)} --kinds {name}=category compares it as it is written.",
        )
    is_free = len(distinct) > _MOST_DIFFERENT * len(present) and len(present) >= _LEAST_ROWS
    if is_free or 1 < len(distinct) == len(present):
        return None
    return _category(table, column, ())


def _refuse(table: Table, columns: Sequence[int], options: Namespace) -> None:
    """DataError for columns of text that differ in most rows."""
    first = columns[0]
    present = [value for value in table.columns[first].tolist() if value is not None]
    distinct = len(set(present))
    different = "each row" if distinct == len(present) else "most rows"
    found = f"{table.label(first)} holds another text in {different} ({quoted(present[0])})"
    if len(columns) > 1:
        others = listed([table.names[column] for column in columns[1:]])
        found += f", and so {'does' if len(columns) == 2 else 'do'} {others}"
    if all(map(_DAY_OR_MONTH_FIRST.fullmatch, present)):
        found += f": {_EXCHANGED}"
    if nearly_numbers(present).kind == "date":
        wrong = next((text for text in present if not is_date(text)), present[0])
        raise DataError(
            f"{table.source}: {found}; {quoted(wrong)} is not read as a day. Write dates as "
            f"2024-01-31, or leave the column out by --drop {_in_shell(table, first)}."
        )
    name, names = _in_shell(table, first), shlex.quote(
        as_list([table.names[column] for column in columns])
    )  # fmt: skip
    ids = f"--id-column {name} takes it for the names of rows; " if _may_name(options) else ""
    text = f"--text {name} clusters the rows by its words; " if "text_column" in options else ""
    raise DataError(
        f"{table.source}: {found}, so it is neither a category nor a date. {ids}{text}"
        f"--drop {names} leaves it out; --kinds {name}=category compares it for equality."
    )


def _may_name(options: Namespace) -> bool:
    return "by" not in options and options.id_column is None and options.data != "-"


def _in_shell(table: Table, column: int) -> str:
    return shlex.quote(as_list([short(table.names[column])]))


# --- as asked ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Asked:
    kind: str
    levels: tuple[str, ...] = ()


def _asked(table: Table, columns: Sequence[int], options: Namespace) -> dict[int, _Asked]:
    """What ``--kinds`` and ``--categorical`` say about columns."""
    found = {table.position(name): _Asked("category") for name in options.categorical}
    for name, said in options.kinds.items():
        column = table.position(name)
        if column not in columns:
            raise DataError(f"--kinds names {table.label(column)}, which is not a feature.")
        levels = tuple(level.strip() for level in said.split("<")) if "<" in said else ()
        found[column] = _Asked("ordered" if levels else said, levels)
    return found


def _number(table: Table, column: int, levels: tuple[str, ...]) -> KindOfColumn:
    values = table.columns[column]
    if table.is_text(column):
        _check_all(table, column, lambda text: to_numbers([text]) is not None, "a number")
        texts = values.tolist()
        values = np.array([np.nan if t is None else float(to_numbers([t])[0]) for t in texts])  # type: ignore[index]
    infinite = np.isinf(values)
    if infinite.any():
        raise DataError(
            f"{table.source}, {table.where(int(infinite.argmax()))}: {table.label(column)} is "
            "infinite; write a number."
        )
    return KindOfColumn(kind="number", values=np.asarray(values, np.float64))


def _category(table: Table, column: int, levels: tuple[str, ...]) -> KindOfColumn:
    return _coded("category", table, column, _in_order(table, column))


def _ordered(table: Table, column: int, levels: tuple[str, ...]) -> KindOfColumn:
    present = _in_order(table, column)
    if not levels:
        return _coded("ordered", table, column, present)
    unknown = [level for level in present if level not in levels]
    if unknown:
        name = _in_shell(table, column)
        raise DataError(
            f"{table.source}: {table.label(column)} holds {listed(unknown)}, which --kinds "
            f"{name}={'<'.join(levels)} does not order; name every level."
        )
    return _coded("ordered", table, column, levels)


def _in_order(table: Table, column: int) -> tuple[str, ...]:
    """The different values of a column as text; numbers by size, other text by the alphabet."""
    missing = table.missing(column).tolist()
    distinct = {text for text, gap in zip(table.texts(column), missing, strict=True) if not gap}
    kinds, _ = kinds_of(np.array([*sorted(distinct), None], dtype=object)[:-1])
    return tuple(kinds.tolist())


def _coded(kind: str, table: Table, column: int, levels: Sequence[str]) -> KindOfColumn:
    codes = {level: float(code) for code, level in enumerate(levels)}
    missing = table.missing(column)
    values = [np.nan if gap else codes[text]
              for text, gap in zip(table.texts(column), missing.tolist(), strict=True)]  # fmt: skip
    return KindOfColumn(kind=kind, values=np.array(values, np.float64), levels=tuple(levels))


def _boolean(table: Table, column: int, levels: tuple[str, ...]) -> KindOfColumn:
    if not table.is_text(column):
        values: NDArray[Any] = table.columns[column]
        is_truth = np.isnan(values) | (values == 0) | (values == 1)
        if not is_truth.all():
            row = int((~is_truth).argmax())
            raise DataError(_not_as_asked(table, column, row, "0 or 1"))
        return KindOfColumn(kind="boolean", values=values, levels=("False", "True"))
    words = {word for pair in _TRUTHS for word in pair}
    _check_all(table, column, lambda text: text.strip().lower() in words, "yes or no")
    texts = table.columns[column].tolist()
    values = np.array([np.nan if t is None else float(t.strip().lower() in _TRUE) for t in texts])
    names = {bool(v): t for v, t in zip(values, texts, strict=True) if t is not None}
    return KindOfColumn(
        kind="boolean", values=values, levels=(names.get(False, "no"), names.get(True, "yes"))
    )


def _date(table: Table, column: int, levels: tuple[str, ...]) -> KindOfColumn:
    if not table.is_text(column):
        raise DataError(
            f"{table.source}: {table.label(column)} holds numbers, not dates; write dates as "
            "2024-01-31."
        )
    _check_all(table, column, is_date, "a date such as 2024-01-31")
    texts = table.columns[column].tolist()
    first: dict[str, int] = {}
    for row, text in enumerate(texts):
        if text is not None:
            first.setdefault(text, row)
    moments = {text: moment(text) for text in first}
    zoned = {when.tzinfo is not None: first[text] for text, when in reversed(moments.items())}
    if len(zoned) > 1:
        raise DataError(
            f"{table.source}: {table.label(column)} has a time zone in {table.where(zoned[True])} "
            f"and none in {table.where(zoned[False])}; write all alike."
        )
    seconds: dict[str | None, float] = {
        text: when.replace(tzinfo=when.tzinfo or UTC).timestamp() for text, when in moments.items()
    }
    seconds[None] = np.nan
    values = np.array([seconds[text] for text in texts], np.float64)
    return KindOfColumn(kind="date", values=values / _SECONDS_PER_DAY)


def _check_all(table: Table, column: int, holds: Callable[[str], bool], what: str) -> None:
    texts = table.columns[column].tolist()
    wrong = {text for text in set(texts) if text is not None and not holds(text)}
    for row, text in enumerate(texts if wrong else ()):
        if text in wrong:
            raise DataError(_not_as_asked(table, column, row, what))


def _not_as_asked(table: Table, column: int, row: int, what: str) -> str:
    value = table.texts(column)[row]
    return (
        f"{table.source}, {table.where(row)}: {table.label(column)} holds {quoted(value)}, which "
        f"is not {what}."
    )


#: What makes each kind of column.
READERS: dict[str, Callable[[Table, int, tuple[str, ...]], KindOfColumn]] = {
    "number": _number,
    "category": _category,
    "ordered": _ordered,
    "boolean": _boolean,
    "date": _date,
}
