"""``kgroups test``: tests whether samples come from the same distribution."""

from __future__ import annotations

import time
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from kgroups.cli.columns import TableFeatures
from kgroups.cli.console import Console, UsageError, print_report
from kgroups.cli.missing_values import check_present
from kgroups.cli.recording import run_record, table_data
from kgroups.cli.table_input import (
    check_metric_options,
    is_matrix,
    metric_for,
    read_data,
    table_features,
)
from kgroups.exceptions import DataError
from kgroups.input.table_files import Table
from kgroups.input.table_files.table import listed
from kgroups.runtime.progress import listening
from kgroups.typing import IntArray

if TYPE_CHECKING:
    from kgroups.report import EnergyTestReport


def energy_test(options: Namespace, console: Console) -> None:
    """Run ``kgroups test``."""
    check_metric_options(options)
    _check_samples(options)
    tables = [read_data(data, options, least_rows=1) for data in options.data]
    table = tables[0] if options.by is not None else _pooled(tables, options)
    names, codes = _by_column(table, options.by) if options.by is not None else _by_file(tables)
    # The column that gives the sample of a row is not a feature.
    columns = {"label_column": options.by, "weight_column": None, "id_column": None}
    features = table_features(table, Namespace(**{**vars(options), **columns}))
    console.note(*(note for t in tables for note in t.notes), *features.notes)
    if options.alpha == 2 and not features.n_categorical:
        console.note("alpha=2 compares means only: samples with equal means look the same")
    with listening(console.status):
        report = _tested(features, names, codes, table.source, options)
    console.clear()
    if options.json:
        data = [table_data(table) for table in tables]
        run = run_record(options, console, data, report.settings, features.columns)
        report = replace(report, run=run)
    print_report(report, options)


def _check_samples(options: Namespace) -> None:
    """UsageError unless there are several files, or one with ``--by``."""
    if options.by is not None and len(options.data) > 1:
        raise UsageError(
            f"--by splits the rows of one file; got {len(options.data)} files. Omit --by to treat "
            "each file as one sample"
        )
    if options.by is None and len(options.data) == 1:
        raise UsageError(
            "a test compares two or more samples: name two files, or use --by to name the column "
            "that gives each row's sample"
        )
    if options.by is None and is_matrix(options):
        raise UsageError(
            f"--metric {options.metric} reads one matrix between all points: use --by to name the "
            "column that gives each row's sample"
        )


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


def _pooled(tables: Sequence[Table], options: Namespace) -> Table:
    first = tables[0]
    for table in tables[1:]:
        if table.names != first.names:
            raise DataError(
                f"{first.source} has the columns {listed(first.names)} and {table.source} has "
                f"{listed(table.names)}; samples need the same columns in the same order."
            )
    used = first.names if options.columns is None else (*options.columns, *options.categorical)
    for name in used:
        _check_one_kind(tables, first.position(name))
    return _Pooled(
        source=", ".join(table.source for table in tables),
        names=first.names,
        columns=tuple(
            np.concatenate(parts) for parts in zip(*(t.columns for t in tables), strict=True)
        ),
        has_header=first.has_header,
        parts=tuple(tables),
    )


def _check_one_kind(tables: Sequence[Table], column: int) -> None:
    """Raise if a column holds text in one file and numbers in another."""
    text = {table.is_text(column): table for table in tables}
    if len(text) == 2:
        raise DataError(
            f"{tables[0].label(column)} holds text in {text[True].source} and numbers in "
            f"{text[False].source}; a column must hold the same kind in every file. To "
            "exclude it, name the others with --columns."
        )


def _by_file(tables: Sequence[Table]) -> tuple[list[str], IntArray]:
    sizes = [table.n_rows for table in tables]
    return [table.source for table in tables], np.repeat(np.arange(len(tables)), sizes)


def _by_column(table: Table, name: str) -> tuple[list[str], IntArray]:
    """The sorted values of a column, and which of them each row has."""
    column = table.position(name)
    check_present(table, column, "the sample in", "write one, or remove those rows")
    values, codes = np.unique(table.columns[column], return_inverse=True)
    if len(values) < 2:
        raise DataError(
            f"{table.source}: {table.label(column)} is {_title(values[0])!r} in every row; a test "
            "compares two or more samples."
        )
    return [_title(value) for value in values], codes


def _title(value: object) -> str:
    """A value as it stands in the file, without the decimals of an integer."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def _tested(
    features: TableFeatures, names: list[str], codes: IntArray, source: str, options: Namespace
) -> EnergyTestReport:
    from kgroups import stats
    from kgroups.report import EnergyTestReport

    begun = time.perf_counter()
    result = stats.energy_test(
        features.X,
        metric=metric_for(options, features),
        labels=codes,
        n_permutations=options.permutations,
        random_state=options.seed,
        n_jobs=options.n_jobs,
    )
    return EnergyTestReport(
        result=result,
        names=tuple(names),
        n_features=None if is_matrix(options) else features.X.shape[1],
        random_state=options.seed,
        source=source,
        seconds=time.perf_counter() - begun,
    )
