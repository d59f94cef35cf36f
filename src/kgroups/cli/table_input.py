"""What ``kgroups cluster``, ``choose-k`` and ``test`` share: their table and its metric."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from kgroups.cli.columns import TableFeatures, extract
from kgroups.cli.console import UsageError
from kgroups.cli.places import order_of_places
from kgroups.cli.recording import is_recorded
from kgroups.cli.row_kinds import (
    STRING_METRICS,
    check_kinds_of_rows,
    reads_whole_lines,
    settle_metric,
)
from kgroups.exceptions import DataError
from kgroups.input.table_files import Rows, Table, TextFormat, read_rows, read_table
from kgroups.input.table_files.numerals import to_numbers
from kgroups.names import MATRICES, UNSCALED

if TYPE_CHECKING:
    from kgroups.semimetrics import Semimetric
    from kgroups.semimetrics.column_sum import Part

_TAKES_ALPHA = ("energy", "euclidean", "l2")
# Kinds of columns whose values are read, not compared as they are written.
_BY_VALUE = ("number", "date", "boolean")
_TAKES_SIGMA = ("laplacian", "gaussian")


def read_data(data: str, options: Namespace, *, least_rows: int = 2) -> Table:
    """The table of a file, which the options may describe."""
    return read_table(data, least_rows=least_rows, **_how(options))


def read_any(data: str, options: Namespace) -> Rows:
    """The rows of a file of any kind."""
    return read_rows(data, whole_lines=reads_whole_lines(options), **_how(options))


def _how(options: Namespace) -> dict[str, Any]:
    text, as_text = asked_text(options), _compared(options)
    if as_text:
        text = replace(text or TextFormat(), as_text=as_text)
    return {"digest": is_recorded(options), "text": text, "sheet": options.sheet}


def _compared(options: Namespace) -> tuple[str, ...]:
    """The columns of which only equality matters: categories, classes, samples and names."""
    given = vars(options)
    named = (given.get(key) for key in ("label_column", "id_column", "by", "text_column"))
    kinds = (name for name, kind in options.kinds.items() if kind not in _BY_VALUE)
    letters = (options.columns or ()) if options.metric in STRING_METRICS else ()
    return (*options.categorical, *kinds, *letters, *(name for name in named if name is not None))


def asked_text(options: Namespace) -> TextFormat | None:
    """How the options say that text is written; None if they do not."""
    given = TextFormat(
        delimiter=options.delimiter,
        decimal=options.decimal,
        na_values=tuple(options.na_values),
        encoding=options.encoding,
        skip_lines=options.skip_lines,
    )
    return None if given == TextFormat() else given


def is_matrix(options: Namespace) -> bool:
    """Whether DATA is a square matrix between points rather than a table of features."""
    return options.metric in MATRICES


def check_metric_options(options: Namespace) -> None:
    """Settle the metric; UsageError for options that contradict it, before any data is read."""
    settle_metric(options)
    check_kinds_of_rows(options)
    if options.alpha is not None and options.metric not in _TAKES_ALPHA:
        raise UsageError(f"--alpha applies only to --metric energy; omit it for {options.metric}")
    if options.sigma is not None and options.metric not in _TAKES_SIGMA:
        raise UsageError(
            f"--sigma applies only to --metric laplacian and gaussian; omit it for {options.metric}"
        )
    if options.standardize and options.metric in UNSCALED:
        raise UsageError(
            f"--standardize applies to columns of measurements, but --metric {options.metric} "
            f"compares {UNSCALED[options.metric]}; omit one of the two"
        )
    for_features = {
        "--standardize": options.standardize,
        "--impute": options.impute,
        "--categorical": options.categorical,
        "--columns": options.columns,
        "--drop": options.drop,
    }
    for option, value in for_features.items():
        if value and is_matrix(options):
            raise UsageError(
                f"{option} applies to tables of features, but --metric {options.metric} reads a "
                "matrix between points; omit one of the two"
            )


def check_n_clusters(k: int | str | None, n_rows: int, source: str) -> None:
    """The check of the estimator, in terms of the option and the file."""
    if isinstance(k, int) and k > n_rows:
        raise DataError(
            f"-k {k} is more than the {n_rows:,} rows of {source}; ask for at most {n_rows}."
        )


def notes_of_metric(options: Namespace) -> list[str]:
    """What a metric between rows of numbers comes to."""
    if options.alpha == 2:
        return ["alpha=2 compares means only: this is k-means by Hartigan's method"]
    return []


def table_features(table: Table, options: Namespace) -> TableFeatures:
    """The features of a table; DataError if it should be a square matrix and is not."""
    if is_matrix(options):
        _check_first_line(table)
    features = extract(table, options)
    notes: list[str] = []
    rows, columns = features.X.shape
    if is_matrix(options) and rows != columns:
        guesses = "".join(f" Perhaps {note}." for note in table.notes)
        raise DataError(
            f"{table.source} must be a square matrix between points; got {rows} rows and "
            f"{columns} columns.{guesses} For a table of features, omit --metric."
        )
    features.notes.extend([*notes, *order_of_places(table, features, options)])
    return features


def _check_first_line(table: Table) -> None:
    """DataError for a matrix with names of rows only, whose first row was taken for names."""
    if len(table.names) != table.n_rows + 2 or not table.has_header or not table.is_text(0):
        return
    if to_numbers(table.names[1:]) is not None:
        raise DataError(
            f"{table.source} is a matrix with names of rows and none of columns, so its first row "
            f"was read as column names; add a line of names above it: name,{table.names[0]},…"
        )


def metric_for(options: Namespace, features: TableFeatures) -> Semimetric | str:
    """The requested metric on the numeric columns, plus 1 for each category that differs."""
    from kgroups.semimetrics import ColumnSum, Hamming

    n_numeric, n_categorical = features.n_numeric, features.n_categorical
    if features.metric is not None:
        found: Semimetric = features.metric
        return found
    if is_matrix(options):
        return str(options.metric)
    if not n_categorical:
        return numeric_metric(options)
    if not n_numeric:
        return Hamming()
    numeric, categorical = list(range(n_numeric)), [n_numeric + c for c in range(n_categorical)]
    # Hamming is a share of its columns; times their number it is the count.
    parts: list[Part] = [
        (numeric_metric(options), numeric, 1.0),
        (Hamming(), categorical, float(n_categorical)),
    ]
    return ColumnSum(parts)


def numeric_metric(options: Namespace) -> Semimetric:
    """The requested metric between rows of numbers."""
    from kgroups.semimetrics import Energy, Gaussian, Laplacian, by_name

    if options.alpha is not None:
        return Energy(options.alpha)
    if options.metric in _TAKES_SIGMA:
        return (Laplacian if options.metric == "laplacian" else Gaussian)(options.sigma or "median")
    return by_name(options.metric)
