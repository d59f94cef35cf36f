"""Squared Euclidean distances as a Gram matrix of few dimensions: no pair is ever computed."""

from __future__ import annotations

import abc
import copy
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kgroups.gram.cluster_means import ClusterMeans
from kgroups.gram.held_rows import Held, Rows
from kgroups.gram.low_rank import FactorGram
from kgroups.semimetrics import codes
from kgroups.semimetrics.all_pairs import Term
from kgroups.semimetrics.semimetric import evenly_spaced
from kgroups.semimetrics.units import unit_of
from kgroups.typing import Float64Array, FloatArray, IntArray

#: Rows whose median says where most rows are.
SOME = 1_000
# How many times farther than most rows from their median the mean is where outliers hold it.
_FAR = 2.0**20


@dataclass(frozen=True, eq=False)
class Embedding:
    """Features scale · (rows − mean) of the coordinates of a sum of squared distances.

    ``rows`` are the coordinates themselves, or where their squares would over- or underflow
    (coordinates − first) / unit. The semimetric is unit² · ‖f(x) − f(y)‖².
    """

    first: Float64Array  # (D,)
    unit: float
    mean: Float64Array  # (D,), or the median: see _origin
    scale: float

    @classmethod
    def of(cls, terms: Sequence[Term], weights: Float64Array) -> tuple[Embedding, FloatArray]:
        """The map of some points, and their rows; those in ordinary units are not copied. O(nD)."""
        table, scale = side_by_side(terms)
        first, unit = table[0].astype(np.float64), unit_of(table)
        rows = _in_unit(table, first, unit)
        return cls(first, unit, _origin(rows, weights), scale), rows

    def rows(self, terms: Sequence[Term]) -> FloatArray:
        """The rows of other points."""
        return _in_unit(side_by_side(terms)[0], self.first, self.unit)

    def __call__(self, terms: Sequence[Term]) -> Float64Array:
        """The features of other points."""
        return np.asarray(self.scale * (self.rows(terms) - self.mean), np.float64)

    def places(self, features: Float64Array) -> Float64Array:
        """The coordinates whose features these are."""
        rows = features / self.scale + self.mean
        return np.asarray(rows if self.unit == 1.0 else self.first + self.unit * rows)


@dataclass(frozen=True, eq=False)
class CenteredRows:
    """Features scale · (row − mean) of rows that are not copied, in float64."""

    rows: FloatArray  # (n, D)
    mean: Float64Array  # (D,)
    scale: float

    @property
    def shape(self) -> tuple[int, int]:
        """(n, D)."""
        n, rank = self.rows.shape
        return n, rank

    def __getitem__(self, index: slice | IntArray) -> Float64Array:
        return np.asarray(self.scale * (self.rows[index] - self.mean), np.float64)


class RowsGram(FactorGram):
    """Features that are read from rows, of squared distances ρ(x, y) = unit · ‖f(x) − f(y)‖²."""

    #: The features of other points.
    embedding: Embedding

    @property
    def unit(self) -> float:
        """What squared distances between features are multiplied by to be those of the metric."""
        return self.embedding.unit * self.embedding.unit  # infinity where a power would raise

    @abc.abstractmethod
    def in_memory(self) -> Held:
        """The rows as they are."""

    @abc.abstractmethod
    def taken(self, index: IntArray) -> RowsGram:
        """The same similarity of some points."""


class SquaredGram(RowsGram):
    """G = ⟨f(x), f(y)⟩ for squared distances ρ(x, y) = unit · ‖f(x) − f(y)‖², exact.

    Cost and memory are those of features: O(nD) for the first sums, O(D) per move.
    """

    features: CenteredRows

    def __init__(
        self, terms: Sequence[Term], weights: Float64Array | None = None, *, n_threads: int = 1
    ) -> None:
        given = np.ones(len(terms[0].coordinates)) if weights is None else weights
        self.embedding, rows = Embedding.of(terms, given)
        features = CenteredRows(rows, self.embedding.mean, self.embedding.scale)
        super().__init__(features, n_threads=n_threads)

    @classmethod
    def of_rows(cls, embedding: Embedding, rows: FloatArray, *, n_threads: int = 1) -> SquaredGram:
        """The operator of rows in the unit of an embedding that was made of others, too."""
        made = cls.__new__(cls)
        made.embedding = embedding
        features = CenteredRows(rows, embedding.mean, embedding.scale)
        FactorGram.__init__(made, features, n_threads=n_threads)
        return made

    def in_memory(self) -> Held:
        """The rows as they are."""
        return Rows(self.features.rows, self.features.mean, self.features.scale)

    def taken(self, index: IntArray) -> SquaredGram:
        """The same features of some points."""
        rows, other = self.features, copy.copy(self)
        other.features = CenteredRows(rows.rows[index], rows.mean, rows.scale)
        other.n, other._diagonal = len(index), self._diagonal[index]
        return other

    def dispersions(self, labels: IntArray, weights: Float64Array, k: int) -> Float64Array:
        """W_j from differences to a member of each cluster, so that nothing cancels. O(nD)."""
        rows = self.features.rows
        means = ClusterMeans.of(rows, labels, weights, k)
        return self.features.scale**2 * means.dispersions(rows, labels, weights)


def squared_rank(terms: Sequence[Term] | None) -> int | None:
    """The dimension in which a sum of terms is a squared Euclidean distance; None if it is not."""
    if not terms or not all(_is_squared(term) for term in terms):
        return None
    return sum(int(term.coordinates.shape[1]) for term in terms)


def _is_squared(term: Term) -> bool:
    return term.delta == codes.SQUARED and (term.phi, term.parameter) == (codes.POWER, 1.0)


def _origin(rows: FloatArray, weights: Float64Array) -> Float64Array:
    """What rows are centered at. O(nD)."""
    one = np.zeros(len(rows), np.int64)
    mean: Float64Array = ClusterMeans.of(rows, one, weights, 1).means()[0]
    return origin_of(mean, rows[evenly_spaced(len(rows), SOME)])


def origin_of(mean: Float64Array, some: FloatArray) -> Float64Array:
    """The mean of rows, unless a few others have taken it far from most.

    Then most would lose their digits, and it is the median of some evenly spaced rows. The mean is
    that by weight, so that Q of one cluster is as small as the dispersion of all.
    """
    some = some.astype(np.float64)
    median = np.median(some, axis=0)
    typical = np.median(np.linalg.norm(some - median, axis=1))
    is_far = np.linalg.norm(mean - median) > _FAR * typical
    return np.asarray(median if is_far else mean, np.float64)


def side_by_side(terms: Sequence[Term]) -> tuple[FloatArray, float]:
    """Coordinates of a sum of squared distances, and what they are still to be multiplied by."""
    if len(terms) == 1:
        return terms[0].coordinates, float(np.sqrt(terms[0].scale))
    parts = [np.sqrt(term.scale) * term.coordinates.astype(np.float64) for term in terms]
    return np.concatenate(parts, axis=1), 1.0


def _in_unit(table: FloatArray, first: Float64Array, unit: float) -> FloatArray:
    """Rows as compiled loops read them."""
    return np.ascontiguousarray(table if unit == 1.0 else (table - first) / unit)
