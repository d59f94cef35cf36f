"""Which kinds of rows a metric compares, and the options that apply to them."""

from __future__ import annotations

from argparse import Namespace

from kgroups.cli.console import UsageError
from kgroups.exceptions import DataError
from kgroups.input.table_files import Rows
from kgroups.names import EDIT_DISTANCES, ELASTIC_DISTANCES, MATRICES, SAMPLES

#: Metrics of texts, compared letter by letter; and of arrays, each of its own length.
STRING_METRICS = EDIT_DISTANCES
ARRAY_METRICS = (*ELASTIC_DISTANCES, SAMPLES)
#: The metric of a table by what its columns hold.
MIXED = "mixed"
_NOT_FOR_OTHERS = {
    "columns": "--columns",
    "drop": "--drop",
    "categorical": "--categorical",
    "kinds": "--kinds",
    "text_column": "--text",
    "label_column": "--label-column",
    "weight_column": "--weight-column",
    "id_column": "--id-column",
    "standardize": "--standardize",
    "impute": "--impute",
    "append": "--append",
}


def settle_metric(options: Namespace) -> None:
    """Set the metric that was not given: cosine between words, energy otherwise."""
    if options.metric is None:
        options.metric = "energy" if text_column(options) is None else "cosine"


def text_column(options: Namespace) -> str | None:
    """The column whose words are compared, if there is one."""
    name: str | None = vars(options).get("text_column")
    return name


def reads_whole_lines(options: Namespace) -> bool:
    """Whether each line of plain text is one row: a word, or the text that --text 1 names."""
    return options.metric in STRING_METRICS or text_column(options) == "1"


def check_kinds_of_rows(options: Namespace) -> None:
    """UsageError for options that contradict the rows that a metric compares."""
    given, metric = vars(options), options.metric
    is_mixed = metric == MIXED
    if given.get("kinds") and not is_mixed:
        raise UsageError("--kinds applies only to --metric mixed; omit it, or add --metric mixed")
    _check_text(options)
    if is_mixed and options.standardize:
        raise UsageError(
            "--standardize does not apply to --metric mixed, which divides each column by its own "
            "mean distance; omit it"
        )
    if is_mixed and set(options.impute) - {"category"}:
        raise UsageError(
            f"--impute {','.join(options.impute)} does not apply to --metric mixed, which compares "
            "rows with missing values; omit it, or write --impute category for missing categories "
            "to be one of their own"
        )
    if metric in STRING_METRICS:
        for option in ("standardize", "impute", "categorical"):
            if given.get(option):
                raise UsageError(
                    f"--{option} does not apply to --metric {metric}, which compares one column of "
                    "text; omit it"
                )


def _check_text(options: Namespace) -> None:
    if text_column(options) is None:
        return
    given = vars(options)
    for option in ("columns", "categorical", "kinds", "standardize", "impute"):
        if given.get(option):
            raise UsageError(
                f"--{option} does not apply to --text, which compares the words of one column; "
                "omit one of the two"
            )
    if options.metric in MATRICES or not reads_sparse_rows(options.metric):
        raise UsageError(
            f"--text compares words by cosine, angular, energy or manhattan; --metric "
            f"{options.metric} does not; omit it"
        )


def reads_sparse_rows(metric: str) -> bool:
    """Whether a metric compares sparse rows, or is a matrix that may be sparse."""
    if metric in MATRICES:
        return metric == "precomputed_kernel"
    from kgroups.semimetrics import by_name

    return by_name(metric).takes_sparse


def check_options_of_others(rows: Rows, options: Namespace, what: str) -> None:
    """DataError for options about columns, for rows that are no table."""
    for name, option in _NOT_FOR_OTHERS.items():
        if vars(options).get(name):
            raise DataError(f"{option} applies to tables, and {rows.source} holds {what}; omit it.")


def refuse_in_tests(options: Namespace) -> None:
    """UsageError for metrics of rows that ``kgroups test`` does not read."""
    if options.metric in (MIXED, *STRING_METRICS, *ARRAY_METRICS):
        raise UsageError(
            f"--metric {options.metric} is one of kgroups cluster and choose-k; kgroups test "
            "compares tables of numbers and categories"
        )
