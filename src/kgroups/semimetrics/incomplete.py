"""Sums over columns whose missing entries are the distribution of their column."""

from __future__ import annotations

import copy
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array

from kgroups.semimetrics.all_pairs import Term
from kgroups.semimetrics.canonical_rows import is_sparse
from kgroups.semimetrics.gaps import ColumnDistribution, gap_term, has_gaps
from kgroups.semimetrics.semimetric import CoordinateSemimetric, as_table


class IncompleteCoordinates(CoordinateSemimetric):
    """A plain sum c Σ_d δ(x_d, y_d) over columns with gaps, see :mod:`kgroups.semimetrics.gaps`.

    Subclasses are dataclasses with a field ``missing``, of which "distribution" is a word.
    """

    missing: str
    words: ClassVar[tuple[str, ...]] = ("error", "distribution")
    distribution: ClassVar[type[ColumnDistribution]]

    def check(self) -> None:
        """Raise ValueError unless ``missing`` is one of its words."""
        if self.missing not in self.words:
            words = ", ".join(f'"{word}"' for word in self.words)
            raise ValueError(f"missing must be one of {words}; got {self.missing!r}.")

    @property
    def takes_missing(self) -> bool:
        """Whether a missing entry has a meaning."""
        return self.missing != "error"

    @property
    def keeps_columns(self) -> bool:
        """True: only single entries are replaced."""
        return True

    @property
    def is_translation_invariant(self) -> bool:
        """Whether ρ depends only on differences; what was settled for gaps does not move along."""
        return super().is_translation_invariant and self.missing != "distribution"

    def incomplete_columns(self, n_features: int, feature_names: list[str] | None) -> list[int]:
        """All columns if a missing entry is their distribution, else none."""
        return list(range(n_features)) if self.missing == "distribution" else []

    def set_params(self, **params: object) -> Self:
        """Change parameters by name; what an earlier table settled is forgotten."""
        super().set_params(**params)
        vars(self).pop("_columns", None)
        return self

    def resolve(self, X: ArrayLike | csr_array, feature_names: list[str] | None = None) -> Self:
        """The semimetric with the distributions of the columns of X. O(Dn log n)."""
        if self.missing != "distribution" or "_columns" in vars(self):
            return self
        if is_sparse(X):
            raise ValueError(
                f"{self!r} needs a table, because an entry that sparse rows do not hold is 0, not "
                "missing; write X.toarray()."
            )
        table = as_table(X, "X")
        settled = copy.copy(self)
        columns = [self.distribution.of(column) for column in table.T]
        vars(settled)["_columns"] = columns
        return settled

    def column_terms(self, X: ArrayLike | csr_array) -> list[tuple[Term, list[int]]]:
        """The sum over columns filled up, and what gaps add to it."""
        resolved = self.resolve(X)
        if self.missing != "distribution":
            plain = super().terms(X)
            return [(term, list(range(term.coordinates.shape[1]))) for term in plain]
        rows = as_table(X, "X")
        everywhere = list(range(rows.shape[1]))
        settled: list[ColumnDistribution] = vars(resolved)["_columns"]
        if len(settled) != rows.shape[1]:
            raise ValueError(
                f"X has {rows.shape[1]} columns, but {self!r} was settled by a table of "
                f"{len(settled)}."
            )
        code, parameter = self.phi(rows.shape[1])
        incomplete = has_gaps(rows)
        filled = rows
        if incomplete.any():
            parts = [column.filled(rows[:, d]) for d, column in enumerate(settled)]
            filled = np.column_stack(parts)
        found = [(Term(filled, self.delta, code, parameter, 1.0), everywhere)]
        places = np.flatnonzero(incomplete).tolist()  # elsewhere gaps add nothing
        if places:
            columns = [settled[place] for place in places]
            units = [column.unit for column in columns]
            found.append((gap_term(rows, places, columns, units, parameter), places))
        return found

    def terms(self, X: ArrayLike | csr_array) -> list[Term]:
        """The same without the columns."""
        if self.missing != "distribution":  # sparse rows may have 10⁹ columns
            return super().terms(X)
        return [term for term, _ in self.column_terms(X)]
