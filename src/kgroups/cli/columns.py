"""Features, weights and known classes of a table, by the options about its columns."""

import shlex
from argparse import Namespace
from dataclasses import dataclass, field

import numpy as np

from kgroups.cli.console import UsageError
from kgroups.exceptions import DataError
from kgroups.input.table_files import Table
from kgroups.names import MATRICES
from kgroups.text import counted
from kgroups.typing import BoolArray, Float64Array, IntArray

# A column with a larger share of the variance of all columns decides nearly all distances.
_DOMINATING = 0.95


@dataclass(frozen=True, kw_only=True)
class TableFeatures:
    """The rows to cluster: numeric columns, followed by the codes of categorical ones."""

    X: Float64Array
    names: list[str]
    #: The numeric columns in their own units, not standardized.
    numbers: Float64Array
    n_categorical: int
    weights: Float64Array | None = None
    labels: IntArray | None = None
    notes: list[str] = field(default_factory=list)

    @property
    def n_numeric(self) -> int:
        """The number of numeric columns of X."""
        return int(self.numbers.shape[1])


@dataclass(frozen=True, kw_only=True)
class _Roles:
    """Positions of columns by their use."""

    numeric: list[int]
    categorical: list[int]
    label: int | None
    weight: int | None


def extract(table: Table, options: Namespace) -> TableFeatures:
    """The features, weights and known classes; DataError for any entry that cannot be used."""
    roles = _roles(table, options)
    is_matrix = options.metric in MATRICES
    _check_numeric(table, roles.numeric, options)
    raw = table.numbers(roles.numeric)
    numbers = _complete(table, roles.numeric, raw, options.impute, is_matrix=is_matrix)
    codes = [_codes(table, column) for column in roles.categorical]
    notes = [] if is_matrix else _counters(table, roles.numeric)
    if n_missing := int(np.isnan(raw).sum()):
        notes.append(f"{counted(n_missing, 'missing number')} replaced by the column mean")
    scaled = numbers
    if options.standardize:
        scaled, constant = standardized(numbers)
        notes += [f"{table.label(roles.numeric[c])} is constant and becomes 0" for c in constant]
    elif not is_matrix:
        notes += _dominating(table, roles.numeric, numbers)
    return TableFeatures(
        X=np.column_stack([scaled, *codes]) if codes else scaled,
        names=[table.title(column) for column in (*roles.numeric, *roles.categorical)],
        numbers=numbers,
        n_categorical=len(codes),
        weights=None if roles.weight is None else _weights(table, roles.weight),
        labels=None if roles.label is None else _labels(table, roles.label),
        notes=notes,
    )


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


def standardized(numbers: Float64Array) -> tuple[Float64Array, list[int]]:
    """Columns of mean 0 and standard deviation 1 (ddof 0), and which ones are constant, now 0."""
    # Exact: the computed standard deviation of equal numbers may be slightly above 0.
    constant = numbers.min(axis=0) == numbers.max(axis=0)
    # Divided by a power of two, which is exact, so that no square overflows.
    largest = np.abs(numbers).max(axis=0)
    numbers = numbers / np.exp2(np.floor(np.log2(np.where(largest > 0, largest, 1.0))))
    spread = np.where(constant, 1.0, numbers.std(axis=0))
    scaled = (numbers - numbers.mean(axis=0)) / spread
    scaled[:, constant] = 0.0
    return scaled, np.flatnonzero(constant).tolist()


def _roles(table: Table, options: Namespace) -> _Roles:
    def position(name: str | None) -> int | None:
        return None if name is None else table.position(name)

    label, weight = position(options.label_column), position(options.weight_column)
    categorical = [table.position(name) for name in options.categorical]
    taken = {label, weight, *categorical}
    if options.columns is None:
        numeric = [c for c in range(len(table.names)) if c not in taken]
    else:
        chosen = [table.position(name) for name in options.columns]
        numeric = [c for c in chosen if c not in categorical]
    roles = _Roles(numeric=numeric, categorical=categorical, label=label, weight=weight)
    _check_roles(table, roles)
    return roles


def _check_roles(table: Table, roles: _Roles) -> None:
    """Raise for a column with two uses, or no feature."""
    used = [*roles.numeric, *roles.categorical, roles.label, roles.weight]
    for column in used:
        if column is not None and used.count(column) > 1:
            raise UsageError(
                f"{table.label(column)} is named twice; a column is either a feature, "
                "categorical, the label or the weight"
            )
    if not roles.numeric and not roles.categorical:
        raise DataError(f"{table.source} has no column left for features.")


def _check_numeric(table: Table, columns: list[int], options: Namespace) -> None:
    """Raise for text in numeric features, with one value of each such column."""
    text = [column for column in columns if table.is_text(column)]
    if not text:
        return
    found = "; ".join(_example(table, column) for column in text)
    name = shlex.quote(table.names[text[0]])
    # A test has no labels to score against.
    score = "" if "by" in options else f"--label-column {name} to score against it, "
    advice = (
        f"Use --categorical {name} to compare such a column for equality, {score}or --columns to "
        "name the numeric columns."
    )
    if options.metric in MATRICES:
        advice = "A matrix between points holds only numbers: remove the names of its rows."
    raise DataError(f"{table.source} holds text where numbers are needed: {found}. {advice}")


def _example(table: Table, column: int) -> str:
    """The first value of a column that is not a number."""
    from kgroups.input.table_files.delimited import to_numbers

    values = table.columns[column]
    texts = (r for r, v in enumerate(values) if v is not None and to_numbers([v]) is None)
    row = next(texts, 0)
    return f"{table.label(column)}, {table.where(row)}: {values[row]!r}"


def _complete(
    table: Table, columns: list[int], raw: Float64Array, impute: str | None, *, is_matrix: bool
) -> Float64Array:
    """The numbers, finite, with missing ones replaced as ``--impute`` says."""
    infinite = np.isinf(raw)
    if infinite.any():
        raise DataError(f"{_at_first(table, columns, infinite)} is infinite; write a number.")
    missing = np.isnan(raw)
    if not missing.any():
        return raw
    if impute != "mean":
        count = int(missing.sum())
        others = f", and {count - 1} more" if count > 1 else ""
        advice = "remove that point" if is_matrix else "use --impute mean, or remove those rows"
        raise DataError(
            f"{_at_first(table, columns, missing)} is missing{others} "
            f"({count} of {raw.size}); {advice}."
        )
    empty = np.flatnonzero(missing.all(axis=0))
    if empty.size:
        raise DataError(f"{table.label(columns[empty[0]])} is missing in every row; exclude it.")
    return np.where(missing, np.nanmean(raw, axis=0), raw)


def _at_first(table: Table, columns: list[int], marked: BoolArray) -> str:
    row, column = np.argwhere(marked)[0]
    return f"{table.source}, {table.where(int(row))}, {table.label(columns[column])}"


def check_present(table: Table, column: int, role: str, advice: str) -> None:
    """Raise for a value missing from a column that must be complete."""
    missing = table.missing(column)
    if missing.any():
        count, row = int(missing.sum()), int(missing.argmax())
        raise DataError(
            f"{table.source}, {table.where(row)}: {role} {table.label(column)} is missing "
            f"({count} of {table.n_rows}); {advice}."
        )


def _codes(table: Table, column: int) -> Float64Array:
    """Categories as 0, 1, 2, …; only whether they are equal matters."""
    check_present(
        table, column, "categorical",
        "a category has no mean: write a name for it, such as unknown, or remove those rows",
    )  # fmt: skip
    return np.unique(table.columns[column], return_inverse=True)[1].astype(np.float64)


def _labels(table: Table, column: int) -> IntArray:
    check_present(table, column, "label", "scoring needs a known class for every row")
    return np.unique(table.columns[column], return_inverse=True)[1]


def _weights(table: Table, column: int) -> Float64Array:
    """Weights, none negative and not all zero."""
    if table.is_text(column):
        raise DataError(
            f"{table.source} holds text where weights are needed: {_example(table, column)}."
        )
    weights = table.columns[column]
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
    return np.asarray(weights, np.float64)


def _counters(table: Table, columns: list[int]) -> list[str]:
    """Notes on columns that count the rows."""
    steps = np.arange(table.n_rows)
    found = [c for c in columns if np.array_equal(table.columns[c] - table.columns[c][0], steps)]
    return [
        f"{table.label(column)} looks like a row number; to exclude it, name the others with "
        "--columns"
        for column in found
        if len(columns) > 1
    ]
