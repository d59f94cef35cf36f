"""Several tables one below the other: their columns matched by name, or by place without names."""

import shlex
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kgroups.cli.column_roles import names_rows, told
from kgroups.cli.nearly_numbers import nearly_numbers
from kgroups.cli.option_values import as_list
from kgroups.exceptions import DataError
from kgroups.input.table_files import Table
from kgroups.input.table_files.table import listed


@dataclass(frozen=True, kw_only=True, eq=False)
class _Pooled(Table):
    """The rows of several files, one after the other."""

    parts: tuple[Table, ...]

    def where(self, row: int) -> str:
        """The file of a row and its line there."""
        for part in self.parts:
            if row < part.n_rows:
                return f"{part.source} {part.where(row)}"
            row -= part.n_rows
        return f"row {row + 1}"


def pooled(tables: Sequence[Table], options: Namespace) -> Table:
    """The rows of all tables with the columns to compare, in the order of the first table.

    DataError for a column that only some files have, unless ``--columns`` or ``--drop`` leave it
    out, and for a column of text in one file and of numbers in another.
    """
    _check_headers(tables)
    of_rows = {table.names[c] for table in tables for c in names_rows(table)} - {*_named(options)}
    names = _kept(tables, {*of_rows, *options.drop}, options)
    _check_one_kind(tables, names)
    return _Pooled(
        source=", ".join(table.source for table in tables),
        names=names,
        columns=tuple(
            np.concatenate([table.columns[table.names.index(name)] for table in tables])
            for name in names
        ),
        has_header=tables[0].has_header,
        notes=(*_names_of_rows(tables, of_rows), *_reordered(tables, names)),
        parts=tuple(tables),
    )


def _named(options: Namespace) -> list[str]:
    """The columns that options name."""
    return [*(options.columns or []), *options.categorical, *options.drop]


def _check_headers(tables: Sequence[Table]) -> None:
    """DataError if columns can be matched neither by name nor by place; or for a wrong name."""
    first = tables[0]
    for table in tables[1:]:
        if table.has_header != first.has_header:
            without, other = (first, table) if table.has_header else (table, first)
            raise DataError(
                f"{other.source} has the column names {listed(other.names)} and {without.source} "
                f"has none; write a first line of names into {without.source}, too."
            )
        if not table.has_header and len(table.names) != len(first.names):
            raise DataError(
                f"{first.source} has {len(first.names)} columns and {table.source} has "
                f"{len(table.names)}, both without names; write a first line of names into each."
            )


def _kept(tables: Sequence[Table], left_out: set[str], options: Namespace) -> tuple[str, ...]:
    """The names of the columns to compare, which every file has."""
    everywhere = set(tables[0].names).intersection(*(table.names for table in tables))
    anywhere = dict.fromkeys(name for table in tables for name in table.names)
    for name in _named(options):
        if name not in anywhere:
            tables[0].position(name)
    chosen = anywhere if options.columns is None else [*options.columns, *options.categorical]
    wanted = [name for name in anywhere if name in chosen and name not in left_out]
    only_some = [name for name in wanted if name not in everywhere]
    if only_some:
        _refuse_unmatched(tables, only_some, options)
    return tuple(name for name in tables[0].names if name in wanted)


def _refuse_unmatched(tables: Sequence[Table], names: Sequence[str], options: Namespace) -> None:
    """DataError that names the columns that only some files have, and how they are left out."""
    found = []
    for table in tables:
        own = [name for name in names if name in table.names]
        without = [other.source for other in tables if not set(own) <= set(other.names)]
        if own and without:
            found.append(f"{table.source} has {listed(own)}, and not {', '.join(without)}")
    common = [name for name in tables[0].names if all(name in table.names for table in tables)]
    advice = "Give each column the same name in every file."
    if common and options.columns is None:
        advice = f"--drop {shlex.quote(as_list(names))} leaves them out; or rename them."
    raise DataError(
        f"columns are matched by name, and some files lack a column: {'; '.join(found)}. {advice}"
    )


def _check_one_kind(tables: Sequence[Table], names: Sequence[str]) -> None:
    """DataError if a column holds text in one file and numbers in another."""
    for name in names:
        text = {table.is_text(table.names.index(name)): table for table in tables}
        if len(text) == 2:
            label = tables[0].label(tables[0].names.index(name))
            found = f"{label} holds text in {text[True].source} and numbers in {text[False].source}"
            nearly = nearly_numbers(text[True].columns[text[True].names.index(name)].tolist())
            if nearly.kind:
                raise DataError(f"{found}. {nearly.advice(shlex.quote(as_list([name])))}")
            raise DataError(
                f"{found}; a column must hold the same kind in every file. To exclude it, name the "
                "others with --columns."
            )


def _names_of_rows(tables: Sequence[Table], names: set[str]) -> list[str]:
    """Notes on first columns that are not compared, because they name the rows."""
    first = ([c for c, name in enumerate(table.names) if name in names] for table in tables)
    return [
        note for table, columns in zip(tables, first, strict=True) for note in told(table, columns)
    ]


def _reordered(tables: Sequence[Table], names: Sequence[str]) -> list[str]:
    """A note for each file whose columns have another order than those of the first."""
    return [
        f"the columns of {table.source} have another order than those of {tables[0].source}; they "
        "are matched by name"
        for table in tables[1:]
        if [name for name in table.names if name in names] != list(names)
    ]
