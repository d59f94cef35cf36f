"""The columns by which clusters are described: as profiles, and as the text of single rows."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from kgroups.answers.profiles import (
    MISSING,
    Grouping,
    Profiles,
    category_profile,
    number_profile,
    profiles,
)
from kgroups.input.columns import column_values, frame_of, is_missing
from kgroups.pages.cluster_words import day
from kgroups.pages.shown_names import column_names, shown
from kgroups.typing import BoolArray, Float64Array, IntArray

# Longer texts would hide the other columns of a row.
_LONGEST = 40
# From here on, six digits would lose some of whole numbers.
_AS_NUMBERS = 1e6
# The time of day of a date that has none.
_MIDNIGHT = re.compile(r"[T ]00:00:00(\.0+)?$")


@dataclass(frozen=True, kw_only=True, eq=False)
class DescribedRows:
    """Profiles of columns with the columns themselves, under the names that are shown."""

    profiles: Profiles
    columns: Sequence[Any]

    @classmethod
    def of_table(cls, table: Any, groups: Grouping, names: Sequence[object] | None = None) -> Self:
        """The columns of a frame or an array.

        Raises
        ------
        ValueError
            For a column that holds values of several kinds.
        """
        found: Any = frame_of(table)
        if found is None:
            found = table if hasattr(table, "shape") else np.asarray(table, dtype=object)
        called = getattr(found, "columns", None) if names is None else names
        if called is None:
            called = [f"column {c + 1}" for c in range(found.shape[1])]
        profile = profiles(
            found, groups.labels, groups.n_clusters, weights=groups.weights,
            names=[str(name) for name in called],
        )  # fmt: skip
        columns = [column_values(found, c) for c in range(found.shape[1])]
        return cls._named(profile, columns, list(called))

    @classmethod
    def of_columns(
        cls,
        numbers: Float64Array,
        categories: Mapping[str, Sequence[str]],
        names: Sequence[str],
        groups: Grouping,
        dates: Sequence[str] = (),
    ) -> Self:
        """Columns of numbers, of which some are days since 1970, and columns of categories."""
        made = [
            number_profile(numbers[:, c], name, groups, is_date=name in dates)
            for c, name in enumerate(names)
        ]
        others = [category_profile(values, name, groups) for name, values in categories.items()]
        columns: list[Any] = [
            [day(value) for value in numbers[:, c].tolist()] if name in dates else numbers[:, c]
            for c, name in enumerate(names)
        ]
        profile = Profiles((*made, *others), groups.n_clusters)
        return cls._named(profile, [*columns, *categories.values()], [*names, *categories])

    @classmethod
    def _named(cls, found: Profiles, columns: Sequence[Any], names: Sequence[object]) -> Self:
        called = zip(found.columns, column_names(names), strict=True)
        renamed = tuple(replace(column, name=name) for column, name in called)
        return cls(profiles=replace(found, columns=renamed), columns=columns)

    def most_telling(self, limit: int) -> list[int]:
        """The places of the columns that tell the clusters apart best, in their order."""
        explained = [-column.explained for column in self.profiles.columns]
        return sorted(np.argsort(explained, kind="stable")[:limit].tolist())

    @cached_property
    def n_missing(self) -> IntArray:
        """How many cells of each row are empty. O(nD)."""
        return np.asarray(sum(_are_gaps(column).astype(np.int64) for column in self.columns))

    @property
    def share_missing(self) -> float:
        """The share of all cells that are empty."""
        return float(self.n_missing.mean()) / len(self.columns) if len(self.columns) else 0.0

    def name(self, column: int) -> str:
        """The name of a column, as it is shown."""
        return self.profiles.columns[column].name

    def text(self, row: int, column: int) -> str:
        """One cell, as a person would write it."""
        value = self.columns[column][row]
        if is_missing(value) or (isinstance(value, str) and value == MISSING):
            return "missing"
        if isinstance(value, float | np.floating):
            # As many digits as a number of a row may have.
            number = float(value)
            return f"{number:.6g}" if abs(number) < _AS_NUMBERS else f"{number:.16g}"
        return shown(_MIDNIGHT.sub("", str(value)), _LONGEST)


def _are_gaps(values: Any) -> BoolArray:
    """Which entries of a column are empty."""
    found = np.asarray(values) if isinstance(values, np.ndarray) else np.array(values, dtype=object)
    if found.dtype.kind == "f":
        return np.asarray(np.isnan(found), np.bool_)
    if found.dtype.kind not in "OUST":
        return np.zeros(len(found), np.bool_)
    words = (MISSING, day(np.nan))
    return np.array([is_missing(v) or (isinstance(v, str) and v in words) for v in found.tolist()])
