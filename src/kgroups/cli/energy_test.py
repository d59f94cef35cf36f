"""``kgroups test``: tests whether samples come from the same distribution."""

from __future__ import annotations

import time
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from kgroups.cli.columns import check_names, codes_of
from kgroups.cli.console import Console, UsageError
from kgroups.cli.output import check_files, write_and_print
from kgroups.cli.record import run_record, table_data
from kgroups.cli.rows import (
    ARRAYS,
    in_words_of,
    read_file,
    rows_of,
)
from kgroups.exceptions import DataError
from kgroups.input.table_files import FileRows
from kgroups.names import EDIT_DISTANCES, MATRICES
from kgroups.runtime.progress import listening
from kgroups.text import quoted
from kgroups.typing import IntArray


def energy_test(options: Namespace, console: Console) -> None:
    """Run ``kgroups test``."""
    from kgroups import stats
    from kgroups.report import EnergyTestReport

    _check_samples(options)
    check_files(options)
    files = [read_file(data, options) for data in options.data]
    if other := next((file for file in files if not hasattr(file.values, "columns")), None):
        raise DataError(f"{other.source} holds no table, and kgroups test compares tables.")
    # The column that gives the sample of a row is not a feature.
    given = {**vars(options), "label_column": options.by, "weight_column": None, "id_column": None}
    if options.by is None:
        file, names = _pooled(files, options), [file.source for file in files]
        codes = np.repeat(np.arange(len(files)), [len(file.values) for file in files])
        given["drop"] = []  # which are left out already
    else:
        file = files[0]
        names, codes = _samples(file, options.by)
    rows = rows_of(file, Namespace(**given))
    console.note(*(note for one in files for note in one.notes), *rows.notes)
    if options.alpha == 2:
        console.note("alpha=2 compares means only: samples with equal means look the same")
    begun = time.perf_counter()
    with listening(console.status), in_words_of(file):
        result = stats.energy_test(
            rows.X,
            metric=rows.metric,
            labels=codes,
            n_permutations=options.permutations,
            random_state=options.seed,
            n_jobs=options.n_jobs,
        )
    console.clear()
    report = EnergyTestReport(
        result=result,
        names=tuple(names),
        n_features=rows.n_features,
        random_state=options.seed,
        source=file.source,
        seconds=time.perf_counter() - begun,
    )
    data = [table_data(file) for file in files]
    run = run_record(options, console, data, report.settings, rows.columns)

    def page() -> bytes:
        """The report for people."""
        from kgroups.pages.energy_test_page import energy_test_page

        return energy_test_page(report, run).to_bytes()

    write_and_print(replace(report, run=run), options, report=page)


def _check_samples(options: Namespace) -> None:
    """UsageError unless there are several files, or one with ``--by``, of rows that it compares."""
    n_files = len(options.data)
    if options.metric in ("mixed", *EDIT_DISTANCES, *ARRAYS):
        raise UsageError(f"--metric {options.metric} is one of kgroups cluster and choose-k")
    if options.by is not None and n_files > 1:
        raise UsageError(f"--by splits the rows of one file; got {n_files} files. Omit --by")
    if options.by is None and (n_files == 1 or options.metric in MATRICES):
        raise UsageError(
            "a test compares two or more samples: name two files of rows, or use --by to name the "
            "column that gives each row's sample"
        )
    if options.data.count("-") > 1:
        raise UsageError("standard input is read once; name files instead of all but one -")


@dataclass(frozen=True, kw_only=True)
class _Pooled(FileRows):
    """The rows of several files, one after the other."""

    parts: tuple[FileRows, ...]

    def where(self, row: int) -> str:
        """The file of a row and its line there."""
        for part in self.parts:
            if row < len(part.values):
                return f"{part.source} {part.where(row)}"
            row -= len(part.values)
        return f"row {row}"


def _pooled(files: Sequence[FileRows], options: Namespace) -> FileRows:
    """The rows of all files, with their columns in the order of the first.

    DataError for a column that only some files have, unless the options leave it out.
    """
    import pandas as pd

    given = [*options.columns, *options.categorical] if options.columns is not None else None
    names = dict.fromkeys(given or (name for file in files for name in file.values))
    kept = [name for name in names if name not in options.drop]
    if lacking := [name for name in kept if any(name not in file.values for file in files)]:
        where = [file.source for file in files if lacking[0] not in file.values]
        raise DataError(
            f"columns are matched by name, and {', '.join(where)} lacks {quoted(lacking[0])}; only "
            f"some files have {', '.join(map(quoted, lacking))}: --drop leaves columns out."
        )
    return _Pooled(
        values=pd.concat([file.values[kept] for file in files], ignore_index=True),
        source=", ".join(file.source for file in files),
        has_header=files[0].has_header,
        parts=tuple(files),
    )


def _samples(file: FileRows, column: str) -> tuple[list[str], IntArray]:
    """The different values of a column, and which of them each row has."""
    check_names(file.source, list(file.values.columns), [column])
    names, codes = codes_of(file, column)
    if len(names) < 2 or len(names) == len(codes):
        found = "one value" if len(names) < 2 else "another value in every row, each a sample"
        raise DataError(
            f"{file.source}: column {quoted(column)} has {found}; --by names a column whose values "
            "put rows into two or more samples."
        )
    return names, codes
