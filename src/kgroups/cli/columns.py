"""The columns of a table by their use, as options name them, and what may be meant otherwise."""

from __future__ import annotations

import shlex
from argparse import Namespace
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kgroups.exceptions import DataError
from kgroups.input.identifiers import looks_like
from kgroups.input.preparation import as_written, first_text, levels_of, numbers_of
from kgroups.input.table_files import FileRows
from kgroups.names import EDIT_DISTANCES, MATRICES, UNSCALED
from kgroups.text import did_you_mean, quoted
from kgroups.typing import Float64Array, IntArray

if TYPE_CHECKING:
    from pandas import DataFrame

# A column with a larger share of the variance of all columns decides nearly all distances.
_DOMINATING = 0.95
# Numbers that stand for a missing value where they are far from all others.
_NINES = (9, 99, 999, 9999, 99999)


def named_in(options: Namespace) -> list[str]:
    """The columns that options name."""
    single = (
        vars(options).get(use) for use in ("label_column", "weight_column", "id_column", "by")
    )
    return [*(options.columns or []), *options.categorical, *options.drop, *filter(None, single)]


def kept_as_text(options: Namespace) -> dict[str, Any]:
    """Columns that stay text as in the file, and whether each line of plain text is one row."""
    given, letters = vars(options), options.metric in EDIT_DISTANCES
    single = (given.get(key) for key in ("label_column", "id_column", "by", "text_column"))
    kinds = given.get("kinds") or {}
    of_kinds = [n for n, kind in kinds.items() if kind not in ("number", "boolean", "date")]
    named = [*options.categorical, *of_kinds, *((options.columns or []) * letters)]
    return {
        "as_text": tuple(dict.fromkeys([*named, *filter(None, single)])),
        "whole_lines": letters or given.get("text_column") == "1",
    }


def title(file: FileRows, name: str) -> str:
    """A column as reports name it."""
    return name if file.has_header else f"column {name}"


@dataclass(kw_only=True)
class Uses:
    """Names of columns by their use."""

    numeric: list[str]
    categorical: list[str]
    label: str | None
    weight: str | None
    id: str | None
    notes: list[str]

    @classmethod
    def of(cls, file: FileRows, options: Namespace) -> Uses:
        """The columns of a table as the options use them; all others are features."""
        frame, given = file.values, vars(options)
        text = given.get("text_column")
        named = [*named_in(options), *(given.get("kinds") or {}), *filter(None, [text])]
        check_names(file.source, list(frame.columns), named)
        label, weight, id_column = (given.get(f"{use}_column") for use in ("label", "weight", "id"))
        used, notes = {*options.categorical, *options.drop, label, weight, id_column, text}, []
        first = frame.columns[0]
        is_wide = options.metric in MATRICES and len(frame.columns) == len(frame) + 1
        if id_column is None and is_wide and first not in used and first_text(frame[first]):
            id_column = first
        if id_column != given.get("id_column") or (id_column is None and has_row_names(frame)):
            notes = [f"the first column of {file.source} names the rows and is not a feature"]
        wanted = frame.columns if options.columns is None else options.columns
        numeric = [name for name in wanted if name not in {*used, id_column}]
        if not numeric and not options.categorical and text is None:
            raise DataError(f"{file.source} has no column left for features.")
        return cls(numeric=numeric, categorical=list(options.categorical), label=label,
                   weight=weight, id=id_column, notes=notes)  # fmt: skip

    def about_rows(self, file: FileRows) -> dict[str, Any]:
        """Weights, known classes and names of the rows."""
        return {
            "weights": None if self.weight is None else _weights(file, self.weight),
            "labels": None if self.label is None else codes_of(file, self.label)[1],
            "ids": names_of_rows(file, self.id),
            "id_name": self.id if self.id is not None and file.has_header else "id",
        }

    def names(self, file: FileRows, kinds: Mapping[str, str] | None = None) -> dict[str, Any]:
        """The columns by their use, as JSON has them."""
        features, kinds = [*self.numeric, *self.categorical], kinds or {}
        used = {*features, self.label, self.weight, self.id}
        named = {name: title(file, name) for name in file.values}
        coded = {*map(named.get, self.categorical)} | {
            name for name, kind in kinds.items() if kind in ("category", "ordered", "boolean")
        }
        gaps = {named[name]: int(file.values[name].isna().sum()) for name in features}
        return {
            "numeric": [named[name] for name in features if named[name] not in coded],
            "categorical": [named[name] for name in features if named[name] in coded],
            "text": None,
            **{use: named.get(getattr(self, use)) for use in ("label", "weight", "id")},
            "dropped": [named[name] for name in named if name not in used],
            "kinds": dict(kinds),
            "n_missing": {name: n for name, n in gaps.items() if n},
        }

    def of_file(self, file: FileRows, options: Namespace) -> dict[str, Any]:
        """How the file was read, for files of new rows."""
        names = list(file.values.columns)
        na_values = list(options.na_values)
        return {**kept_as_text(options), "na_values": na_values, "id": self.id, "names": names}


def has_row_names(frame: DataFrame) -> bool:
    """Whether the first column of a file had no name and told the rows apart."""
    from pandas import RangeIndex

    return not isinstance(frame.index, RangeIndex)


def names_of_rows(file: FileRows, column: str | None) -> list[str] | None:
    """The names of the rows in a column, or in a first column without a name, if it has them."""
    frame = file.values
    if column is not None and column in frame:
        return list(as_written(frame[column]).fillna(""))
    return list(map(str, frame.index)) if column is None and has_row_names(frame) else None


def check_names(source: str, known: Sequence[str], names: Sequence[str]) -> None:
    """DataError for the first name that no column has."""
    for name in names:
        if name not in known:
            raise DataError(
                f"{source} has no column {quoted(name)}.{did_you_mean(name, known)} Its columns "
                f"are: {', '.join(map(quoted, known[:12]))}{', …' * (len(known) > 12)}."
            )


def codes_of(file: FileRows, column: str) -> tuple[list[str], IntArray]:
    """The different values of a column as text, in order, and which of them each row has."""
    texts = as_written(file.values[column])
    gaps = texts.isna().to_numpy()
    if gaps.any():
        raise DataError(
            f"{file.source}, {file.where(int(gaps.argmax()))}: column {quoted(column)} is missing "
            f"({int(gaps.sum()):,} of {len(texts):,}); write a value, or remove those rows."
        )
    levels = levels_of(texts)
    places = {level: code for code, level in enumerate(levels)}
    return levels, np.array([places[text] for text in texts], np.int64)


def _weights(file: FileRows, column: str) -> Float64Array:
    values = file.values[column]
    if (place := first_text(values)) is not None:
        raise DataError(
            f"{file.source} holds text where weights are needed: column {quoted(column)}, "
            f"{file.where(place.row)}: {quoted(place.value)}."
        )
    weights = numbers_of(values)
    bad = ~np.isfinite(weights) | (weights < 0)
    if bad.any() or not weights.any():
        row = int(bad.argmax())
        raise DataError(
            f"{file.source}, {file.where(row)}: weight {quoted(column)} is {weights[row]:g}; "
            "weights must be finite, not negative, and not all 0."
        )
    return weights


def doubts(file: FileRows, table: DataFrame, options: Namespace) -> list[str]:
    """What may be meant otherwise: columns that count rows, decide alone, or hold -999."""
    numeric = [name for name in table if table[name].dtype.kind in "iuf"]
    notes, variances = [], []
    is_said = len(numeric) < 2 or options.metric == "mixed"  # which the estimator says
    for name in numeric:
        values = numbers_of(table[name])
        finite, label = values[np.isfinite(values)], f"column {quoted(title(file, name))}"
        found = None if is_said else looks_like(values, name if file.has_header else None)
        if found is not None or name == "cluster":
            found = found or "labels of an earlier run"
            notes.append(f"{label} looks like {found}; --drop {shlex.quote(name)} leaves it out")
        for value in {float(finite.min()), float(finite.max())} if finite.size else ():
            others = finite[finite != value]
            is_rare = len(others) < 2 or len(finite) - len(others) < 2
            if is_rare or abs(value) not in _NINES:
                continue
            if np.abs(others - value).min() > (3 if abs(value) == 9 else 1) * np.ptp(others):
                notes.append(
                    f"{label} is {value:.0f} in {len(finite) - len(others):,} rows, far from all "
                    f"others; --na-values {value:.0f} takes it for missing"
                )
        with np.errstate(over="ignore"):
            variances.append(float(np.var(finite)) if finite.size else 0.0)
    is_scaled = options.standardize or options.metric in UNSCALED
    if len(numeric) > 1 and not is_scaled and max(variances) >= _DOMINATING * sum(variances) > 0:
        name = numeric[int(np.argmax(variances))]
        notes.append(
            f"column {quoted(title(file, name))} has {max(variances) / sum(variances):.1%} of the "
            "variance, so it decides nearly all distances; --standardize gives all the same weight"
        )
    return notes
