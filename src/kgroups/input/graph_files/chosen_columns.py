"""Which columns of a list of edges hold the two ends and the weight."""

from collections.abc import Sequence

from kgroups.exceptions import DataError
from kgroups.input.graph_files.edge_names import (
    AskedColumns,
    end_columns_by_name,
    is_plain_weight,
    known_pairs,
    weight_columns,
)
from kgroups.input.table_files.field_table import Row
from kgroups.input.table_files.numerals import is_number
from kgroups.input.table_files.table import listed, positional_names
from kgroups.text import did_you_mean, quoted

# Source, target and weight, where no line names the columns.
_MOST = 3


def chosen_columns(
    header: Row | None, rows: Sequence[Row], asked: AskedColumns, source: str, hint: str
) -> tuple[int, ...]:
    """The positions of source, target and, if there is one, weight.

    ``rows`` are the first ones that are not the header; ``hint`` ends the error for too many
    columns.
    """
    where = f"{source}, line {header.line if header else rows[0].line}"
    names = None if header is None else header.fields
    width = len(names or rows[0].fields)
    weight = [] if asked.weight is None else [_position(asked.weight, names, width, where)]
    if asked.source is not None and asked.target is not None:
        both = (asked.source, asked.target)
        ends = tuple(_position(name, names, width, where) for name in both)
    else:
        if names is None and width - len(weight) > _MOST:
            raise DataError(_too_many(rows[0].fields, where, hint))
        ends = _ends(names, [c for c in range(width) if c not in weight], where)
    if len({*ends, *weight}) < len(ends) + len(weight):
        raise DataError(
            f"{where}: source, target and weight must be three different columns; got columns "
            f"{', '.join(str(c + 1) for c in (*ends, *weight))}."
        )
    if names is not None and not weight:
        weight = _weights_by_name(names, ends, rows, where)
    elif not weight and width == _MOST and asked.source is None:
        weight = [2]
    return (*ends, *weight)


def _ends(names: Sequence[str] | None, free: list[int], where: str) -> tuple[int, ...]:
    """The ends by their names, else the first two columns."""
    ends = None if names is None else end_columns_by_name(names)
    if ends is not None or names is None:
        return ends or tuple(free[:2])
    pairs = sorted(known_pairs(names))
    if len(pairs) > 1:
        first, second = (names[c] for c in pairs[0])
        raise DataError(
            f"{where} names several pairs of columns that may hold the ends: "
            f"{'; '.join(listed([names[i], names[j]]) for i, j in pairs)}; choose one, as in "
            f'source="{first}" and target="{second}".'
        )
    return tuple(free[:2])


def _too_many(fields: Sequence[str], where: str, hint: str) -> str:
    """What to write about a line of more fields than an edge has, which may hold names."""
    may_be_names = not any(map(is_number, fields)) and not any('"' in field for field in fields)
    columns = fields if may_be_names else positional_names(len(fields))
    return (
        f"{where} has {len(fields)} fields; a line lists source, target and perhaps weight.{hint} "
        f'For more columns, say which hold the ends, as in source="{columns[0]}" and '
        f'target="{columns[1]}", and the weight, as in weight="{columns[2]}"; or put a line of '
        'names above them, such as "source,target,weight,year".'
    )


def _weights_by_name(
    names: Sequence[str], ends: Sequence[int], rows: Sequence[Row], where: str
) -> list[int]:
    """The column that has one of the names of weights and, unless that is plain, holds numbers."""
    found = [
        c
        for c in weight_columns(names)
        if c not in ends and (is_plain_weight(names[c]) or any(_may_weigh(row, c) for row in rows))
    ]
    if len(found) > 1:
        raise DataError(
            f"{where} names several columns that may hold the weights: "
            f'{listed([names[c] for c in found])}; write weight="{names[found[0]]}" for one.'
        )
    return found


def _may_weigh(row: Row, column: int) -> bool:
    """Whether a field is a number, or missing."""
    return column >= len(row.fields) or is_number(row.fields[column])


def _position(name: str, names: Sequence[str] | None, width: int, where: str) -> int:
    """The position of a column that was asked for by its name, or by its number from 1."""
    if names is not None and name in names:
        if names.count(name) > 1:
            raise DataError(
                f"{where} names {names.count(name)} columns {quoted(name)}; give the number of "
                f"one, from 1 to {width}."
            )
        return names.index(name)
    if name.isdecimal() and 1 <= int(name) <= width:
        return int(name) - 1
    if names is None:
        raise DataError(
            f"{where}: there is no column {quoted(name)}; without column names, columns are "
            f"numbered 1 to {width}."
        )
    raise DataError(
        f"{where}: there is no column {quoted(name)}.{did_you_mean(name, names)} The columns are "
        f"{listed(names)}; or give a number from 1 to {width}."
    )
