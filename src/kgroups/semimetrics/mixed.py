"""Tables whose columns are of several kinds: one semimetric per column, all of one size."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from kgroups.semimetrics import codes
from kgroups.semimetrics.all_pairs import Term
from kgroups.semimetrics.gaps import (
    CategoryDistribution,
    ColumnDistribution,
    LineDistribution,
    gap_term,
    has_gaps,
)
from kgroups.semimetrics.named_columns import by_position
from kgroups.semimetrics.partial_distances import partial_distances
from kgroups.semimetrics.semimetric import (
    Semimetric,
    as_a_fit_reads,
    as_table,
    is_number,
    pairs_of,
    two_tables,
)
from kgroups.typing import FloatArray

#: Words of ``kinds``; a list of categories in their order is one, too.
KINDS = ("number", "ordered", "category", "date")
#: What a missing entry may be.
MISSING = ("distribution", "category", "partial", "error")
#: The kind of a column that is compared by equality.
CATEGORY = "category"


class MixedColumn(NamedTuple):
    """A column that is compared: c |x − y|, or c [x ≠ y]."""

    place: int
    weight: float
    distribution: ColumnDistribution

    @property
    def factor(self) -> float:
        """c for distances in the unit of the distribution."""
        return self.weight / self.distribution.spread


class SettledColumns(NamedTuple):
    """What the table of a fit says: all columns, and those that tell its rows apart."""

    n_features: int
    lines: tuple[MixedColumn, ...]
    categories: tuple[MixedColumn, ...]


@dataclass
class Mixed(Semimetric):
    r"""Tables of numbers, dates, ordered and unordered categories, each column of equal weight.

    .. math:: ρ(x, y) = \sum_d w_d \frac{ρ_d(x_d, y_d)}{E\,ρ_d(Y_d, Y'_d)}, \qquad
              ρ_d(x, y) = |x - y| \text{ or } [x ≠ y]

    |x − y| for numbers, dates and durations (in days), and the ranks of ordered categories; [x ≠ y]
    for unordered categories and booleans. Each is divided by its mean over all pairs of rows of the
    fit, so that no unit rules; a column with one value contributes nothing. A sum over single
    columns of negative type is of negative type.

    A missing entry is the distribution of its column: its place in the Hilbert space of ρ_d is the
    mean of the entries that are there, hence, also of negative type and without imputation,

    .. math:: ρ_d(x, ?) = E\,ρ_d(x, Y_d) - \tfrac12 E\,ρ_d(Y_d, Y'_d), \qquad ρ_d(?, ?) = 0

    A row of gaps only is at the mean of everything. Means are over rows, whatever their weights.
    O(nmD) time; the mean of n entries takes O(n log n). Memory: the result, the coordinates, and
    the sorted entries of each column.

    Parameters
    ----------
    weights : dict, sequence or None, default=None
        w_d by name or position of the column, 1 for those that are not named; or one for each
        column. 0 leaves a column out.
    kinds : dict, sequence or None, default=None
        What a column is by name or position, where its type is not to decide: "number",
        "ordered", "category", "date" (text in ISO 8601), or the list of its categories in their
        order, such as ``{"size": ["S", "M", "L"]}``. Text that is a date of ISO 8601 in every row
        of the fit is one without being named here.
    missing : {"distribution", "category", "partial", "error"}, default="distribution"
        What a missing entry is: the distribution of its column; a category of its own in columns
        of unordered categories, and the distribution in all others; "partial" takes the mean over
        the columns in which neither row has a gap, times Σ w_d, as Gower does, which is not of
        negative type in general and compares all pairs in NumPy (up to about 20,000 rows);
        "error" refuses it. Rows without a common column are Σ w_d apart in partial distances,
        which is the mean distance, and rows of gaps only are at 0 from each other.
    alpha : float, default=1.0
        A power of the sum, in (0, 1], of negative type again. Below 1 rows that differ in many
        columns count for less, as for :class:`Energy`, but it is a sum over single columns no more:
        all pairs are compared, on a matrix or, where that does not fit, on a sketch.

    Examples
    --------
    >>> nan = float("nan")
    >>> table = [[0.0, 1.0], [2.0, 1.0], [4.0, 0.0], [nan, 0.0]]
    >>> rho = Mixed(kinds={1: "category"}).pairwise(table)
    >>> rho[0].round(4).tolist()  # means: 16/9 of the numbers present, 1/2 of the categories
    [0.0, 1.125, 4.25, 2.625]

    References
    ----------
    J. C. Gower, "A General Coefficient of Similarity and Some of its Properties", Biometrics 27
    (4), 1971, for a sum over columns of several kinds and for partial distances.

    A. Smola, A. Gretton, L. Song and B. Schölkopf, "A Hilbert Space Embedding for Distributions",
    ALT 2007, for the mean of a distribution.
    """

    weights: Mapping[Any, float] | Sequence[float] | None = None
    kinds: Mapping[Any, Any] | Sequence[Any] | None = None
    missing: str = "distribution"
    alpha: float = 1.0

    reads_types: ClassVar[bool] = True

    def check(self) -> None:
        """Raise ValueError for weights, kinds or a word that mean nothing."""
        if self.missing not in MISSING:
            raise ValueError(f"missing must be one of {', '.join(MISSING)}; got {self.missing!r}.")
        if not is_number(self.alpha) or not 0 < self.alpha <= 1:
            raise ValueError(f"alpha must be a number in (0, 1]; got {self.alpha!r}.")
        for name in ("weights", "kinds"):
            value = getattr(self, name)
            if value is not None and (
                isinstance(value, str) or not isinstance(value, (Mapping, Sequence, np.ndarray))
            ):
                raise ValueError(
                    f"{name} must be a dict by column, or one value per column; got {value!r}."
                )
        for weight in _values(self.weights):
            if not is_number(weight) or not 0 <= weight < np.inf:
                raise ValueError(f"weights must be numbers >= 0; got {weight!r}.")
        for kind in _values(self.kinds):
            if kind is not None and not isinstance(kind, (list, tuple)) and kind not in KINDS:
                raise ValueError(
                    f"kinds must be {', '.join(KINDS)}, or a list of categories in their order; "
                    f"got {kind!r}."
                )

    @property
    def is_negative_type(self) -> bool:
        """True but for partial distances, which leave out another set of columns in each pair."""
        return self.missing != "partial"

    @property
    def is_symmetric_by_construction(self) -> bool:
        """True: one triangle is computed, and x − x is 0."""
        return True

    @property
    def takes_missing(self) -> bool:
        """Whether a missing entry has a meaning."""
        return self.missing != "error"

    def incomplete_columns(self, n_features: int, feature_names: list[str] | None) -> list[int]:
        """All columns, unless a missing entry is an error."""
        return list(range(n_features)) if self.takes_missing else []

    def kinds_by_position(self, n_features: int, feature_names: list[str] | None) -> list[Any]:
        """What ``kinds`` says of each column, None where it says nothing."""
        return by_position(self.kinds, n_features, feature_names, "kinds", None)

    def of_kinds(self, kinds: Sequence[str]) -> Self:
        """The same semimetric for a table of numbers and codes whose columns are known."""
        told = self.copy()
        vars(told).pop("_settled", None)
        vars(told)["_kinds"] = tuple(kinds)
        return told

    def set_params(self, **params: object) -> Self:
        """Change parameters by name; what an earlier table settled is forgotten."""
        super().set_params(**params)
        vars(self).pop("_settled", None)
        return self

    def resolve(self, X: ArrayLike, feature_names: list[str] | None = None) -> Self:
        """The semimetric with the scales and distributions of the columns of X. O(Dn log n)."""
        if "_settled" in vars(self):
            return self
        table = as_table(X, "X")
        n_features = table.shape[1]
        kinds = vars(self).get("_kinds") or self._words(n_features, feature_names)
        weights = by_position(self.weights, n_features, feature_names, "weights", 1.0)
        if not any(weights):
            raise ValueError("weights are all 0, so that nothing is compared; make one positive.")
        gaps = has_gaps(table)
        lines: list[MixedColumn] = []
        categories: list[MixedColumn] = []
        for place, (kind, weight) in enumerate(zip(kinds, weights, strict=True)):
            own_category = kind == CATEGORY and self.missing == "category" and gaps[place]
            of = CategoryDistribution.of if kind == CATEGORY else LineDistribution.of
            column = table[:, place]
            distribution = of(_with_own_category(column) if own_category else column)
            if weight > 0 and distribution.spread > 0:
                made = MixedColumn(place, float(weight), distribution)
                (categories if kind == CATEGORY else lines).append(made)
        settled = copy.copy(self)
        vars(settled)["_settled"] = SettledColumns(n_features, tuple(lines), tuple(categories))
        return settled

    def _words(self, n_features: int, feature_names: list[str] | None) -> list[str]:
        """The kinds of the columns of a table of numbers."""
        given = self.kinds_by_position(n_features, feature_names)
        return [kind if isinstance(kind, str) else "number" for kind in given]

    def pairwise(self, X: ArrayLike, Y: ArrayLike | None = None) -> FloatArray:
        """Matrix ρ(X[i], Y[j]) for tables X (n, D) and Y (m, D), as a fit to X reads them.

        Once settled, tables of numbers, codes and NaN.
        """
        known = "_settled" in vars(self)
        read, X, Y = (self, X, Y) if known else as_a_fit_reads(self, X, Y)
        rows, others = two_tables(X, Y)
        resolved: Mixed = read.resolve(rows)
        if resolved.missing == "partial":
            rho: FloatArray = resolved._partial(rows, others)
        else:
            rho = pairs_of(resolved._summands, rows, others)
        return rho if self.alpha == 1 else np.maximum(rho, 0.0) ** self.alpha

    def terms(self, X: ArrayLike) -> list[Term] | None:
        """One term for lines, one per column of categories, one for gaps; None without a sum."""
        found = self.column_terms(X)
        return None if found is None else [term for term, _ in found]

    def column_terms(self, X: ArrayLike) -> list[tuple[Term, list[int]]] | None:
        """The terms, with the column that each coordinate is made of."""
        if self.missing == "partial" or self.alpha != 1:
            return None
        rows = as_table(X, "X")
        resolved = self.resolve(rows)
        return resolved._terms(rows)

    def _summands(self, rows: FloatArray) -> list[Term]:
        return [term for term, _ in self._terms(rows)]

    def _terms(self, rows: FloatArray) -> list[tuple[Term, list[int]]]:
        settled = self._checked(rows)
        found: list[tuple[Term, list[int]]] = []
        incomplete = has_gaps(rows)
        if settled.lines or not settled.categories:
            places = [column.place for column in settled.lines]
            made = _moved_and_scaled(rows, settled.lines)
            # Where nothing differs one coordinate of zeros is left.
            found.append((Term(made, codes.ABSOLUTE, codes.SCALE, 1.0, 1.0), places or [0]))
        for column in settled.categories:
            made = self._filled(rows, column)
            term = Term(made, codes.MISMATCH, codes.SCALE, 1.0, column.factor)
            found.append((term, [column.place]))
        if with_gaps := self._with_gaps(incomplete):
            places = [column.place for column in with_gaps]
            distributions = [column.distribution for column in with_gaps]
            factors = [column.factor for column in with_gaps]
            found.append((gap_term(rows, places, distributions, factors), places))
        return found

    def _with_gaps(self, incomplete: Any) -> list[MixedColumn]:
        """Columns in which an entry is missing now; none where gaps are categories."""
        return [
            column
            for column in (*self._table.lines, *self._table.categories)
            if incomplete[column.place] and not self._is_own_category(column)
        ]

    def _is_own_category(self, column: MixedColumn) -> bool:
        is_category = isinstance(column.distribution, CategoryDistribution)
        return self.missing == "category" and is_category

    def _filled(self, rows: FloatArray, column: MixedColumn) -> FloatArray:
        values = rows[:, column.place]
        return np.where(np.isnan(values), _GAP, values).astype(rows.dtype)[:, None]

    def _partial(self, rows: FloatArray, others: FloatArray) -> FloatArray:
        settled = self._checked(rows)
        lines, categories = settled.lines, settled.categories
        return partial_distances(
            *(self._side_by_side(table) for table in (rows, others)),
            weights=[column.weight for column in (*lines, *categories)],
            factors=[1.0] * len(lines) + [column.factor for column in categories],
            n_lines=len(lines),
        )

    def _side_by_side(self, rows: FloatArray) -> FloatArray:
        """Scaled lines, then codes, with NaN for gaps."""
        lines, categories = self._table.lines, self._table.categories
        made = [_scaled(rows, column) for column in lines]
        made += [rows[:, column.place] for column in categories]
        return np.column_stack(made) if made else np.zeros((len(rows), 0))

    @property
    def _table(self) -> SettledColumns:
        """What :meth:`resolve` found."""
        settled: SettledColumns = vars(self)["_settled"]
        return settled

    def _checked(self, rows: FloatArray) -> SettledColumns:
        """What was settled, for a table of as many columns."""
        settled = self._table
        if rows.shape[1] != settled.n_features:
            raise ValueError(
                f"X has {rows.shape[1]} columns, but {self!r} was settled by a table of "
                f"{settled.n_features}."
            )
        if not self.takes_missing and np.isnan(rows).any():
            raise ValueError(f"X has missing entries, which {self!r} refuses; write Mixed().")
        return settled


# No code of a category: those that were not there at the fit are -1.
_GAP = -2.0


def _with_own_category(column: FloatArray) -> FloatArray:
    return np.where(np.isnan(column), column.dtype.type(_GAP), column)


def _moved_and_scaled(rows: FloatArray, lines: Sequence[MixedColumn]) -> FloatArray:
    """c (x − center) for each line, 0 for a gap."""
    made = np.zeros((len(rows), max(1, len(lines))), rows.dtype)
    for at, column in enumerate(lines):
        made[:, at] = np.nan_to_num(_scaled(rows, column), nan=0.0)
    return made


def _scaled(rows: FloatArray, line: MixedColumn) -> FloatArray:
    return np.asarray(line.factor * line.distribution.moved(rows[:, line.place]))


def _values(given: Mapping[Any, Any] | Sequence[Any] | None) -> list[Any]:
    if given is None:
        return []
    return list(given.values()) if isinstance(given, Mapping) else list(given)
