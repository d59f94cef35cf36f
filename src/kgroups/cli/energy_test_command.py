"""``kgroups test``: tests whether samples come from the same distribution."""

from __future__ import annotations

import shlex
import time
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kgroups.cli.columns import TableFeatures
from kgroups.cli.console import Console, UsageError, print_report
from kgroups.cli.missing_values import check_present
from kgroups.cli.other_lines import other_lines
from kgroups.cli.pooled_tables import pooled
from kgroups.cli.recording import run_record, table_data
from kgroups.cli.row_kinds import refuse_in_tests
from kgroups.cli.table_input import (
    check_metric_options,
    is_matrix,
    metric_for,
    read_data,
    table_features,
)
from kgroups.cli.title_lines import TitleLines
from kgroups.cli.total_lines import TotalLine
from kgroups.cli.unit_lines import Units
from kgroups.cli.whole_files import check_destinations, write_together
from kgroups.cli.wording import in_words_of
from kgroups.exceptions import DataError
from kgroups.input.table_files import Table
from kgroups.input.table_files.numerals import to_numbers
from kgroups.input.table_files.table import kinds_of
from kgroups.runtime.progress import listening
from kgroups.typing import IntArray

if TYPE_CHECKING:
    from kgroups.report import EnergyTestReport, RunRecord

# A column with more values is not offered as the one that groups rows.
_MOST_GROUPS = 20


def energy_test(options: Namespace, console: Console) -> None:
    """Run ``kgroups test``."""
    check_metric_options(options)
    refuse_in_tests(options)
    _check_samples(options)
    inputs = {f"DATA {number}": data for number, data in enumerate(options.data, 1)}
    check_destinations({"--report": options.report}, inputs)
    tables = [_read(data, options) for data in options.data]
    _check_lines(tables, options)
    table = tables[0] if options.by is not None else pooled(tables, options)
    names, codes = _by_column(table, options.by) if options.by is not None else _by_file(tables)
    # The column that gives the sample of a row is not a feature.
    columns = {"label_column": options.by, "weight_column": None, "id_column": None}
    if options.by is None:
        columns["drop"] = []  # these are left out already
    features = table_features(table, Namespace(**{**vars(options), **columns}))
    notes = [note for t in dict.fromkeys([*tables, table]) for note in t.notes]
    console.note(*notes, *features.notes)
    if options.alpha == 2 and not features.n_categorical:
        console.note("alpha=2 compares means only: samples with equal means look the same")
    with listening(console.status), in_words_of(table, features, options):
        report = _tested(features, names, codes, table.source, options)
    console.clear()
    data = [table_data(table) for table in tables]
    run = run_record(options, console, data, report.settings, features.columns)
    write_together({options.report: lambda: _page(report, run)})
    print_report(replace(report, run=run), options, {"Report": options.report})


def _page(report: EnergyTestReport, run: RunRecord) -> bytes:
    from kgroups.pages.energy_test_page import energy_test_page

    return energy_test_page(report, run).to_bytes()


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
    if options.data.count("-") > 1:
        raise UsageError("standard input is read once; name files instead of all but one -")
    if options.by is None and is_matrix(options):
        raise UsageError(
            f"--metric {options.metric} reads one matrix between all points: use --by to name the "
            "column that gives each row's sample"
        )


def _read(data: str, options: Namespace) -> Table:
    """The table of a file; an error that advises to skip lines says that it is for every file."""
    try:
        return read_data(data, options, least_rows=1)
    except DataError as error:
        if len(options.data) > 1 and "--skip-lines" in str(error):
            raise DataError(
                f"{error} --skip-lines leaves out the same lines of every file: where they are "
                "data in another one, remove them from this file instead."
            ) from error
        raise


def _check_lines(tables: Sequence[Table], options: Namespace) -> None:
    """DataError for lines that are not points, before rows are pooled or grouped."""
    if is_matrix(options):
        return
    found = [_no_points(table, options) for table in tables]
    alike = len({() if lines is None else tuple(lines.skipped) for lines in found}) == 1
    for lines in (lines for lines in found if lines is not None):
        other = (
            f"If that is not data, remove it from {lines.table.source}: --skip-lines would leave "
            "out that line of every file."
        )
        raise DataError(f"{lines.found} {lines.advice if alike else other}")


def _no_points(table: Table, options: Namespace) -> TitleLines | Units | TotalLine | None:
    """Lines of a table that are not data, by the columns to be compared."""
    others = {options.by, *options.categorical, *options.drop}
    names = table.names if options.columns is None else options.columns
    features = [c for c, name in enumerate(table.names) if name in names and name not in others]
    return other_lines(table, features)


def _by_file(tables: Sequence[Table]) -> tuple[list[str], IntArray]:
    sizes = [table.n_rows for table in tables]
    return [table.source for table in tables], np.repeat(np.arange(len(tables)), sizes)


def _by_column(table: Table, name: str) -> tuple[list[str], IntArray]:
    """The sorted values of a column, and which of them each row has."""
    column = table.position(name)
    check_present(table, column, "the sample in", "write one, or remove those rows")
    values, codes = kinds_of(table.columns[column])
    if len(values) < 2:
        raise DataError(
            f"{table.source}: {table.label(column)} is {_title(values[0])!r} in every row; a test "
            "compares two or more samples."
        )
    _check_groups(table, column, values)
    return [_title(value) for value in values], codes


def _check_groups(table: Table, column: int, values: NDArray[Any]) -> None:
    """DataError for a column that hardly puts two rows together."""
    n = table.n_rows
    numbers = to_numbers(values.tolist()) if table.is_text(column) else values
    fractions = numbers is not None and bool(np.any(numbers % 1 != 0))
    if len(values) < n and not (fractions and 2 * len(values) > n):
        return
    kind = "values" if numbers is None else "numbers"
    held = "another value in every row" if len(values) == n else f"{len(values):,} different {kind}"
    grouping = [
        name for c, name in enumerate(table.names) if c != column and _groups_rows(table, c)
    ]
    advice = (
        f"--by {shlex.quote(grouping[0])} would do" if grouping else "no other column does that"
    )
    raise DataError(
        f"{table.source}: {table.label(column)} has {held} ({n:,} rows), so nearly every row would "
        f"be a sample of its own. --by names a column whose values group the rows; {advice}. To "
        "compare ranges of a number, write a column of ranges first."
    )


def _groups_rows(table: Table, column: int) -> bool:
    """Whether a column has two to twenty values, in four rows each on average."""
    values = {value for value in table.columns[column].tolist() if value == value}  # noqa: PLR0124
    return 2 <= len(values) <= min(_MOST_GROUPS, table.n_rows // 4)


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
