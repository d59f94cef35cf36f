"""A sum of semimetrics over groups of columns: how mixed tables are compared."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from kgroups.runtime.threads import blocks
from kgroups.semimetrics.all_pairs import Term
from kgroups.semimetrics.semimetric import (
    Semimetric,
    as_a_fit_reads,
    as_table,
    is_number,
    pairs_of,
    two_tables,
)
from kgroups.text import did_you_mean
from kgroups.typing import FloatArray

Columns = Sequence[int] | Sequence[str] | slice
Part = tuple[Semimetric, Columns] | tuple[Semimetric, Columns, float]

# Rows of a part computed at a time, so that its block stays small compared to the sum.
_ROWS = 512


@dataclass
class ColumnSum(Semimetric):
    r"""Weighted sum of semimetrics, each on its own columns.

    .. math:: ρ(x, y) = \sum_p c_p \, ρ_p(x_{[p]}, y_{[p]}), \qquad c_p > 0

    The sum is of negative type if every part is. Time is the sum over the parts; memory is the
    result and a few rows. The parts are not rescaled: standardize numeric columns first.

    Parameters
    ----------
    parts : list of (semimetric, columns) or (semimetric, columns, weight)
        Columns are positions, a slice, or names of a frame's columns; the weight is 1 unless
        given. Columns that no part names are ignored, whatever they hold.
        ``set_params(**{"0__alpha": 0.5})`` reaches the parameters of the first part.

    Examples
    --------
    >>> from kgroups.semimetrics import ColumnSum, Energy, Hamming
    >>> mixed = ColumnSum([(Energy(1.0), [0, 1]), (Hamming(), [2], 0.5)])
    >>> mixed.pairwise([[0.0, 0.0, 7.0], [3.0, 4.0, 8.0]]).tolist()
    [[0.0, 5.5], [5.5, 0.0]]
    """

    parts: list[Part]

    def check(self) -> None:
        """Raise ValueError unless parts are (semimetric, columns) or have a positive weight too."""
        if not isinstance(self.parts, (list, tuple)) or not self.parts:
            raise ValueError(
                f"ColumnSum needs a list of at least one part, such as [(Energy(), [0, 1])]; "
                f"got {self.parts!r}."
            )
        for number, part in enumerate(self.parts):
            if not isinstance(part, (tuple, list)) or len(part) not in (2, 3):
                raise ValueError(
                    f"ColumnSum: part {number} must be (semimetric, columns) or "
                    f"(semimetric, columns, weight); got {part!r}."
                )
            if not isinstance(part[0], Semimetric):
                raise ValueError(
                    f"ColumnSum: part {number} must begin with a semimetric such as Energy(); "
                    f"got {part[0]!r}."
                )
            if not is_number(_weight(part)) or not 0 < _weight(part) < np.inf:
                raise ValueError(
                    f"ColumnSum: part {number} needs a positive weight; got {_weight(part)!r}."
                )

    @property
    def is_negative_type(self) -> bool:
        """Whether every part is of negative type."""
        return all(part[0].is_negative_type for part in self.parts)

    @property
    def is_symmetric_by_construction(self) -> bool:
        """Whether every part needs no check for symmetry."""
        return all(part[0].is_symmetric_by_construction for part in self.parts)

    def copy(self) -> ColumnSum:
        """A copy with copies of the parts."""
        return ColumnSum([(p[0].copy(), p[1], _weight(p)) for p in self.parts])

    def resolve(self, X: ArrayLike, feature_names: list[str] | None = None) -> ColumnSum:
        """The sum with positions for names, and each part resolved on its own columns."""
        return ColumnSum(list(self._settled(as_table(X, "X"), feature_names)))

    @property
    def takes_missing(self) -> bool:
        """Whether some part gives missing entries a meaning."""
        return any(part[0].takes_missing for part in self.parts)

    def incomplete_columns(self, n_features: int, feature_names: list[str] | None) -> list[int]:
        """Columns whose missing entries have a meaning for every part that uses them."""
        return self._agreed(
            n_features, feature_names, lambda part, *of: part.incomplete_columns(*of)
        )

    def suspicion(self, X: Any, feature_names: list[str] | None = None) -> str:
        """The first suspicion that a part has about its columns."""
        for number, part in enumerate(self.parts):
            columns = self._positions(number, X.shape[1], feature_names)
            if said := part[0].suspicion(X[:, columns], _named(feature_names, columns)):
                return said
        return ""

    def categorical_columns(self, n_features: int, feature_names: list[str] | None) -> list[int]:
        """Columns whose values are only compared for equality, by every part that uses them."""
        return self._agreed(
            n_features, feature_names, lambda part, *of: part.categorical_columns(*of)
        )

    def columns_with_gaps(self, n_features: int, feature_names: list[str] | None) -> list[int]:
        """Columns in which every part that uses them takes a missing value for a category."""
        return self._agreed(
            n_features, feature_names, lambda part, *of: part.columns_with_gaps(*of)
        )

    def used_columns(self, n_features: int, feature_names: list[str] | None) -> list[int]:
        """Columns that some part compares; the others are not even read."""
        used: set[int] = set()
        for number, part in enumerate(self.parts):
            columns = self._positions(number, n_features, feature_names)
            inner = part[0].used_columns(len(columns), _named(feature_names, columns))
            used.update(columns if inner is None else [columns[i] for i in inner])
        return sorted(used)

    def pairwise(self, X: ArrayLike, Y: ArrayLike | None = None) -> FloatArray:
        """Matrix of the sums for tables X (n, D) and Y (m, D), of shape (n, m)."""
        read, X, Y = as_a_fit_reads(self, X, Y)
        rows, others = two_tables(X, Y)
        settled = ColumnSum(list(read._settled(rows, None)))
        if settled.terms(rows[:1]) is not None:
            return pairs_of(lambda table: settled.terms(table) or [], rows, others)
        out = np.zeros((len(rows), len(others)), dtype=np.result_type(rows, others))
        for semimetric, columns, weight in settled._settled(rows, None):
            right = others[:, columns]
            for a, b in blocks(0, len(rows), _ROWS):
                out[a:b] += weight * semimetric.pairwise(rows[a:b][:, columns], right)
        return out

    def terms(self, X: ArrayLike) -> list[Term] | None:
        """The terms of all parts, or None if some part is not a sum of terms."""
        rows = as_table(X, "X")
        found: list[Term] = []
        for semimetric, columns, weight in self._settled(rows, None):
            inner = semimetric.terms(rows[:, columns])
            if inner is None:
                return None
            found += [term._replace(scale=weight * term.scale) for term in inner]
        return found

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parts; with ``deep``, also the parameters of each under its number."""
        params = super().get_params(deep=False)
        if deep:
            for number, part in enumerate(self.parts):
                for name, value in part[0].get_params().items():
                    params[f"{number}__{name}"] = value
        return params

    def set_params(self, **params: object) -> Self:
        """Replace all parts by ``parts=``, or one parameter of a part by ``{"0__alpha": 0.5}``."""
        nested = {name: value for name, value in params.items() if "__" in name}
        super().set_params(**{n: v for n, v in params.items() if n not in nested})
        for name, value in nested.items():
            number, _, inner = name.partition("__")
            if not number.isdigit() or int(number) >= len(self.parts):
                raise ValueError(
                    f"ColumnSum has no parameter {name!r}; its parts are numbered "
                    f"0 to {len(self.parts) - 1}, as in '0__alpha'."
                )
            self.parts[int(number)][0].set_params(**{inner: value})
        return self

    def _agreed(
        self,
        n_features: int,
        feature_names: list[str] | None,
        choose: Callable[[Semimetric, int, list[str] | None], list[int]],
    ) -> list[int]:
        """Columns that every part which uses them chooses among its own."""
        yes: set[int] = set()
        no: set[int] = set()
        for number, part in enumerate(self.parts):
            columns = self._positions(number, n_features, feature_names)
            inner = choose(part[0], len(columns), _named(feature_names, columns))
            yes.update(columns[i] for i in inner)
            no.update(c for i, c in enumerate(columns) if i not in inner)
        return sorted(yes - no)

    def _settled(
        self, rows: FloatArray, names: list[str] | None
    ) -> Iterator[tuple[Semimetric, list[int], float]]:
        for number, part in enumerate(self.parts):
            columns = self._positions(number, rows.shape[1], names)
            settled = part[0].resolve(rows[:, columns], _named(names, columns))
            yield settled, columns, float(_weight(part))

    def _positions(self, number: int, n_features: int, names: list[str] | None) -> list[int]:
        columns = self.parts[number][1]
        if isinstance(columns, slice):
            positions = list(range(n_features))[columns]
        else:
            wanted = [columns] if isinstance(columns, str) or np.ndim(columns) == 0 else columns
            positions = [_position(c, number, n_features, names) for c in _unmasked(wanted)]
        if not positions:
            raise ValueError(f"ColumnSum: part {number} has no columns.")
        return positions


def _weight(part: Part) -> float:
    return part[2] if len(part) == 3 else 1.0


def _named(names: list[str] | None, columns: list[int]) -> list[str] | None:
    return None if names is None else [names[c] for c in columns]


def _unmasked(columns: Iterable[object]) -> list[object]:
    """Columns as a list, with positions for a mask of booleans."""
    if all(isinstance(c, (bool, np.bool_)) for c in columns):
        return [position for position, chosen in enumerate(columns) if chosen]
    return list(columns)


def _position(column: object, number: int, n_features: int, names: list[str] | None) -> int:
    if isinstance(column, str):
        if names is None:
            raise ValueError(
                f"ColumnSum: part {number} names column {column!r}, but X has no column names; "
                "pass a data frame or give positions."
            )
        if column not in names:
            hint = did_you_mean(column, names)
            raise ValueError(f"ColumnSum: X has no column {column!r} (part {number}).{hint}")
        if names.count(column) > 1:
            raise ValueError(
                f"ColumnSum: X has {names.count(column)} columns called {column!r} (part "
                f"{number}); give positions, or rename them."
            )
        return names.index(column)
    if not isinstance(column, (int, np.integer)) or isinstance(column, bool):
        raise ValueError(
            f"ColumnSum: part {number} names its columns by position or by name; got {column!r}."
        )
    if not -n_features <= column < n_features:
        raise ValueError(
            f"ColumnSum: part {number} asks for column {column}, but X has {n_features} columns."
        )
    return int(column) % n_features
