"""``kgroups test``: samples in, a test of equal distributions out."""

from __future__ import annotations

import json
import time
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kgroups.cli.cluster import check_options, check_square, metric_for
from kgroups.cli.console import Console, say, wants_color
from kgroups.cli.errors import UsageError
from kgroups.cli.features import Features, extract
from kgroups.exceptions import DataError
from kgroups.input.table_files import Table, read_table
from kgroups.input.table_files.table import listed
from kgroups.names import MATRICES
from kgroups.runtime.progress import listening
from kgroups.typing import IntArray

if TYPE_CHECKING:
    from kgroups.report import EnergyTestReport


def energy_test(options: Namespace, console: Console) -> None:
    """Run ``kgroups test``."""
    check_options(options)
    _check_samples(options)
    tables = [read_table(data, least_rows=1) for data in options.data]
    table = tables[0] if options.by is not None else _pooled(tables, options)
    names, codes = _by_column(table, options.by) if options.by is not None else _by_file(tables)
    features = extract(table, _for_features(options))
    if options.metric in MATRICES:
        check_square(features, table)
    for note in (*(note for t in tables for note in t.notes), *features.notes):
        console.note(note)
    if options.alpha == 2 and not features.n_categorical:
        console.note("alpha=2 compares means only: samples that differ otherwise look the same")
    with listening(console.status):
        report = _tested(features, names, codes, table.source, options)
    console.clear()
    if options.json:
        say(json.dumps(report.to_dict(), allow_nan=False))
    else:
        say(report.to_text(color=wants_color()))


def _check_samples(options: Namespace) -> None:
    """Several files, or one with --by."""
    if options.by is not None and len(options.data) > 1:
        raise UsageError(
            f"--by divides the rows of one file; got {len(options.data)} files. Leave --by out to "
            "take each file for a sample"
        )
    if options.by is None and len(options.data) == 1:
        raise UsageError(
            "a test compares two samples or more: name two files, or the column that tells the "
            "samples apart with --by"
        )
    if options.by is None and options.metric in MATRICES:
        raise UsageError(
            f"--metric {options.metric} takes one matrix between all points: name the column of "
            "its groups with --by"
        )


def _for_features(options: Namespace) -> Namespace:
    """The group of a row is no feature."""
    return Namespace(**{**vars(options), "label_column": options.by, "weight_column": None})


@dataclass(frozen=True, kw_only=True, eq=False)
class _Pooled(Table):
    """Rows of several files, each of which knows its own."""

    parts: tuple[Table, ...]

    def where(self, row: int) -> str:
        """By file, and by its line there."""
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
    """Numbers beside text would be other categories than the same text."""
    text = {table.is_text(column): table for table in tables}
    if len(text) == 2:
        raise DataError(
            f"{tables[0].label(column)} holds text in {text[True].source} and numbers in "
            f"{text[False].source}; samples need columns of one kind, or leave it out with "
            "--columns."
        )


def _by_file(tables: Sequence[Table]) -> tuple[list[str], IntArray]:
    sizes = [table.n_rows for table in tables]
    return [table.source for table in tables], np.repeat(np.arange(len(tables)), sizes)


def _by_column(table: Table, name: str) -> tuple[list[str], IntArray]:
    """The values of a column, in order, and which one each row has."""
    column = table.position(name)
    missing = table.missing(column)
    if missing.any():
        count, row = int(missing.sum()), int(missing.argmax())
        raise DataError(
            f"{table.source}, {table.where(row)}: the sample in {table.label(column)} is missing "
            f"({count} of {table.n_rows}); write one, or drop such rows."
        )
    values, codes = np.unique(table.columns[column], return_inverse=True)
    if len(values) < 2:
        raise DataError(
            f"{table.source}: {table.label(column)} is {_title(values[0])!r} in every row; a test "
            "compares two samples or more."
        )
    return [_title(value) for value in values], codes


def _title(value: object) -> str:
    """A value as the file has it, but for zeros that say nothing."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def _tested(
    features: Features, names: list[str], codes: NDArray[np.int64], source: str, options: Namespace
) -> EnergyTestReport:
    from kgroups import stats
    from kgroups.report import EnergyTestReport

    begun = time.perf_counter()
    result = stats.energy_test(
        features.X,
        metric=metric_for(options, features.n_numeric, features.n_categorical),
        labels=codes,
        n_permutations=options.permutations,
        random_state=options.seed,
        n_jobs=options.n_jobs,
    )
    is_table = options.metric not in MATRICES
    return EnergyTestReport(
        result=result,
        names=tuple(names),
        n_features=features.X.shape[1] if is_table else None,
        random_state=options.seed,
        source=source,
        seconds=time.perf_counter() - begun,
    )
