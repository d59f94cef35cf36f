"""Features, weights and known classes of a table, by the options about its columns."""

from __future__ import annotations

import shlex
from argparse import Namespace
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from kgroups.cli.column_roles import Roles, column_roles, role_names
from kgroups.cli.column_rules import Rule, code_rule, number_rules
from kgroups.cli.column_scales import ColumnScales
from kgroups.cli.missing_values import check_present, complete_categories, complete_numbers
from kgroups.cli.nearly_numbers import nearly_numbers
from kgroups.cli.option_values import as_list
from kgroups.cli.other_lines import other_lines
from kgroups.cli.remedies import UnusableError, all_at_once
from kgroups.cli.sentinels import sentinels
from kgroups.cli.total_lines import total_line
from kgroups.exceptions import DataError
from kgroups.input.identifiers import are_distinct, looks_like
from kgroups.input.table_files import Table
from kgroups.input.table_files.table import kinds_of
from kgroups.names import MATRICES, UNSCALED
from kgroups.text import counted, quoted, short
from kgroups.typing import Float64Array, IntArray

if TYPE_CHECKING:
    from kgroups.answers.characteristic_words import Words

# A column with a larger share of the variance of all columns decides nearly all distances.
_DOMINATING = 0.95
# More examples would hide the advice.
_COLUMNS_SHOWN = 3


@dataclass(frozen=True, kw_only=True)
class TableFeatures:
    """The rows to cluster: numeric columns, followed by the codes of categorical ones; or others.

    Rows that are no table of numbers, such as texts and sparse rows, have only X.
    """

    #: As the estimator takes it.
    X: Any
    names: list[str]
    #: The numeric columns in their own units, not standardized; NaN only where gaps are compared.
    numbers: Float64Array
    #: The values of the categorical columns, by name.
    categories: dict[str, Any]
    weights: Float64Array | None = None
    labels: IntArray | None = None
    #: The name of each row, and what they are called; None if rows have numbers only.
    ids: list[str] | None = None
    id_name: str = ""
    #: Names of columns by their use.
    columns: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    #: The metric where it depends on what the columns hold; None for that of the options.
    metric: Any = None
    #: Sparse rows with names for their columns, such as words; what sets clusters apart.
    words: Words | None = None
    #: Rows that can be shown, such as words compared by their letters.
    texts: Sequence[str] | None = None
    #: What each number of columns is called.
    unit: str = "column"
    #: Makes the rules by which columns of new rows are read, where a model is to be saved.
    rules: Callable[[], list[Rule]] = list

    @property
    def n_categorical(self) -> int:
        """The number of categorical columns of X."""
        return len(self.categories)

    @property
    def n_numeric(self) -> int:
        """The number of numeric columns of X."""
        return int(self.numbers.shape[1])


def extract(table: Table, options: Namespace) -> TableFeatures:
    """The features, weights and known classes; DataError for any entry that cannot be used."""
    roles = column_roles(table, options)
    with all_at_once(table, roles, options):
        return _features(table, roles, options)


def _features(table: Table, roles: Roles, options: Namespace) -> TableFeatures:
    is_matrix = options.metric in MATRICES
    _check_numeric(table, roles.numeric, options)
    numbers, of_gaps = complete_numbers(table, roles.numeric, options.impute, is_matrix=is_matrix)
    notes = [*roles.notes, *([] if is_matrix else identifiers(table, roles, options)), *of_gaps]
    notes += earlier_labels(table, roles.numeric)
    total = total_line(table, [*roles.id, *roles.categorical])
    notes += [] if total is None else [f"{total.found} {total.advice}".rstrip(".")]
    notes += [] if is_matrix else sentinels(table, roles.numeric)
    codes = []
    for column in roles.categorical:
        values, of_gaps = complete_categories(table, column, options.impute)
        codes.append(values)
        notes += of_gaps
    scaled, scales = numbers, None
    if options.standardize:
        scales = ColumnScales.of(numbers)
        scaled, constant = scales.applied(numbers), scales.constant
        notes += [f"{table.label(roles.numeric[c])} is constant and becomes 0" for c in constant]
    elif not is_matrix and options.metric not in UNSCALED:
        notes += _dominating(table, roles.numeric, numbers)
    return TableFeatures(
        X=np.column_stack([scaled, *codes]) if codes else scaled,
        names=[table.title(column) for column in (*roles.numeric, *roles.categorical)],
        numbers=numbers,
        categories={
            table.title(column): _named(table, column, own)
            for column, own in zip(roles.categorical, codes, strict=True)
        },
        columns=role_names(table, roles, is_matrix=is_matrix),
        notes=notes,
        rules=lambda: [
            *number_rules(table, roles.numeric, scales, options.impute),
            *(code_rule(table, column, own, options.impute)
              for column, own in zip(roles.categorical, codes, strict=True)),
        ],
        **about_rows(table, roles),
    )  # fmt: skip


def about_rows(table: Table, roles: Roles) -> dict[str, Any]:
    """Weights, known classes and names of the rows, whatever their features are."""
    return {
        "weights": None if roles.weight is None else _weights(table, roles.weight),
        "labels": None if roles.label is None else _labels(table, roles.label),
        **row_names(table, roles.id),
    }


def row_names(table: Table, columns: Sequence[int]) -> dict[str, Any]:
    """The names of rows by some columns, and what they are called."""
    return {"ids": _ids(table, columns), "id_name": _id_name(table, columns)}


def _named(table: Table, column: int, codes: Float64Array) -> list[str]:
    """The category of every row by its name, also where it was missing."""
    present = ~table.missing(column)
    kinds, first = np.unique(codes[present], return_index=True)
    values = np.array(table.texts(column), dtype=object)[present][first]
    names = dict(zip(kinds.tolist(), values, strict=True))
    return [names.get(code, "(missing)") for code in codes.tolist()]


def _dominating(table: Table, columns: list[int], numbers: Float64Array) -> list[str]:
    """A note if one column of several has nearly all of the variance."""
    if len(columns) < 2:
        return []
    largest = np.abs(numbers).max()
    variance = (numbers / largest).var(axis=0) if largest > 0 else np.zeros(len(columns))
    widest = int(variance.argmax())
    share = variance[widest] / variance.sum() if variance.any() else 0.0
    if share < _DOMINATING:
        return []
    return [
        f"{table.label(columns[widest])} has {share:.1%} of the variance, so it decides nearly "
        "all distances; --standardize gives all columns the same weight"
    ]


def _check_numeric(table: Table, columns: list[int], options: Namespace) -> None:
    """Raise for text in numeric features, with one value of each such column."""
    text = [column for column in columns if table.is_text(column)]
    if not text:
        return
    others = None if options.metric in MATRICES else other_lines(table, columns)
    if others is not None:
        raise UnusableError(others.found, others.advice)
    nearly = {column: nearly_numbers(table.columns[column].tolist()) for column in text}
    # Only a person knows what a mark between digits means, so this is asked first.
    text.sort(key=lambda column: nearly[column].kind != "marks")
    found = "; ".join(_example(table, column) for column in text[:_COLUMNS_SHOWN])
    if len(text) > _COLUMNS_SHOWN:
        found += f"; and {counted(len(text) - _COLUMNS_SHOWN, 'more column')}"
    name, listed = _quoted(table, text[0]), _listed(table, text[0])
    # Only one command scores against labels and writes rows.
    score = f"--label-column {name} to score against it, " if "append" in options else ""
    equality = (
        "" if "curved" in options and options.curved
        else f"--categorical {listed} to compare such a column for equality, "
    )  # fmt: skip
    advice = f"Use {equality}{score}or --drop {listed} to leave it out."
    if nearly[text[0]].kind:
        advice = nearly[text[0]].advice(listed)
    elif "append" in options and _is_different_everywhere(table, text[0]):
        advice = f"Each row has another one: --id-column {name} takes them for the names of rows."
    if len(columns) == 1 and "append" in options and not nearly[text[0]].kind:
        advice = (
            f"--metric levenshtein compares its texts letter by letter, --text {name} "
            "by their words."
        )
    if options.metric in MATRICES:
        advice = "A matrix between points holds only numbers: remove the names of its rows."
    found = f"{table.source} holds text where numbers are needed: {found}."
    raise UnusableError(found, advice)


def _example(table: Table, column: int) -> str:
    """The first value of a column that is not a number."""
    from kgroups.input.table_files.numerals import to_numbers

    values = table.columns[column]
    texts = (r for r, v in enumerate(values) if v is not None and to_numbers([v]) is None)
    marked = (r for r, v in enumerate(values) if v is not None and ("." in v or "," in v))
    row = next(chain(texts, marked), 0)
    return f"{table.label(column)}, {table.where(row)}: {quoted(values[row])}"


def _is_different_everywhere(table: Table, column: int) -> bool:
    return len(set(table.columns[column].tolist())) == table.n_rows


def _ids(table: Table, columns: Sequence[int]) -> list[str] | None:
    """The name of each row, of several columns separated by commas; None if rows have no names."""
    if not columns:
        return None
    return [", ".join(row[column] for column in columns) for row in table.as_text()]


def _id_name(table: Table, columns: Sequence[int]) -> str:
    """What the names of rows are called next to the clusters."""
    if len(columns) != 1 or columns[0] in table.unnamed or not table.has_header:
        return "id"
    return table.names[columns[0]]


def _labels(table: Table, column: int) -> IntArray:
    check_present(table, column, "label", "scoring needs a known class for every row")
    return kinds_of(table.columns[column])[1]


def _weights(table: Table, column: int) -> Float64Array:
    """Weights, none negative and not all zero."""
    if table.is_text(column):
        raise DataError(
            f"{table.source} holds text where weights are needed: {_example(table, column)}."
        )
    weights = table.numbers([column])[:, 0]
    check_present(table, column, "weight", "write 0 for a row to be ignored")
    bad = ~np.isfinite(weights) | (weights < 0)
    if bad.any():
        row = int(bad.argmax())
        raise DataError(
            f"{table.source}, {table.where(row)}: weight {table.label(column)} is "
            f"{weights[row]:g}; weights must be finite and not negative."
        )
    if not weights.any():
        raise DataError(f"{table.source}: every weight in {table.label(column)} is 0.")
    return weights


def earlier_labels(table: Table, columns: list[int]) -> list[str]:
    """A note if the clusters of an earlier run are among the features."""
    if not any(table.names[c] == "cluster" for c in columns if table.has_header):
        return []
    return ["column 'cluster' is used as a feature; --drop cluster leaves it out"]


def identifiers(table: Table, roles: Roles, options: Namespace) -> list[str]:
    """Notes on columns that count or name the rows."""
    notes = []
    for column in roles.numeric if len(roles.numeric) > 1 else ():
        numbers, name = table.numbers([column])[:, 0], _quoted(table, column)
        found = looks_like(numbers, table.names[column] if table.has_header else None)
        if found is None:
            continue
        # A test has no names of rows.
        names_rows = (
            "by" not in options
            and not roles.id
            and are_distinct(len(np.unique(numbers)), len(numbers))
        )
        drop = _listed(table, column)
        other = f", --id-column {name} takes it for the names of rows" if names_rows else ""
        notes.append(
            f"{table.label(column)} looks like {found}; --drop {drop} leaves it out{other}"
        )
    return notes


def _quoted(table: Table, column: int) -> str:
    """The name of a column as a shell reads it."""
    return shlex.quote(short(table.names[column]))


def _listed(table: Table, column: int) -> str:
    """The same for options that take several names, separated by commas."""
    return shlex.quote(as_list([short(table.names[column])]))
