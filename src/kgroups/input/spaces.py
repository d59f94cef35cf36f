"""The three kinds of input: points with a semimetric, a matrix of distances, a Gram matrix.

::

    metric --space_for--> Space --read--> clean data --gram--> GramOperator --at_mean--> solver
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator

from kgroups.exceptions import TheoryWarning
from kgroups.gram.dense import DENSE_UP_TO, DenseGram
from kgroups.gram.matrix_free import MatrixFreeGram
from kgroups.gram.operator import GramOperator
from kgroups.gram.sparse import SparseGram
from kgroups.input.matrices import check_distances, check_kernel, check_made_distances
from kgroups.input.negative_type import Violation, violation_of
from kgroups.input.preparation import prepared
from kgroups.input.rows import n_rows
from kgroups.input.tables import check_points
from kgroups.runtime.threads import at_most, blocks
from kgroups.semimetrics.all_pairs import cross_blocks
from kgroups.semimetrics.by_name import BY_NAME, by_name
from kgroups.semimetrics.callables import PairFunction
from kgroups.semimetrics.semimetric import Semimetric
from kgroups.typing import Float64Array, FloatArray

# Number of pairs of new and training points whose similarities are held at a time.
_PAIRS_AT_ONCE = 1 << 23
_CONSEQUENCE = (
    "Hartigan's method still finds a local optimum, but between_statistic_ may be negative and "
    "predict on the training data may differ from labels_."
)
# What an estimator learns of the columns at fit.
_COLUMNS = (
    "categories_", "column_kinds_", "feature_names_in_", "n_features_in_", "n_missing_",
    "_rows_are_sparse", "preparation_",
)  # fmt: skip


@dataclass(frozen=True)
class Origin:
    """Where the kernel of a fit has its origin: G' = G − shift_x − shift_y.

    ``constant`` is Q of G when one cluster holds everything, which ``objective_`` of a given kernel
    counts and that of distances does not.
    """

    shift: Float64Array | float = 0.0
    constant: float = 0.0


class _OfDistances:
    """What points and a matrix of distances have in common."""

    #: Whether the origin is free, so that Q is taken from the doubly centered kernel.
    origin_is_free = True
    #: Whether G(x, x) of a new point is known (it is 0 for G = −ρ/2).
    knows_diagonal = True

    def at_mean(self, gram: GramOperator, weights: Float64Array) -> tuple[GramOperator, Origin]:
        """−ρ/2 as it is, because it is small where ρ is."""
        return gram, Origin()


@dataclass(frozen=True)
class PointSpace(_OfDistances):
    """Rows of a table, or objects, compared by a semimetric."""

    semimetric: Semimetric
    violation: Violation = field(default_factory=Violation)

    @property
    def has_features(self) -> bool:
        """Whether ρ is a squared distance between features, by theory or as far as was measured."""
        open_to_it = self.semimetric.negative_type_is_open and self.violation.rows > 0
        return self.semimetric.is_negative_type or (open_to_it and not self.violation.is_due)

    def read(self, estimator: BaseEstimator, X: Any) -> tuple[PointSpace, Any]:
        """A clean table, and a semimetric whose parameters do not wait for data any more."""
        resolved, data = _settled(estimator, X, self.semimetric)
        violation = violation_of(resolved, data)
        if violation.is_due:
            warnings.warn(violation.said(resolved, _CONSEQUENCE), TheoryWarning, stacklevel=4)
        return PointSpace(resolved, violation), data

    def read_new(self, estimator: BaseEstimator, X: Any) -> Any:
        """A clean table with the columns and categories of the fit."""
        return check_points(estimator, prepared(estimator, X), self.semimetric, reset=False)

    def gram(self, data: Any, method: str, n_threads: int) -> GramOperator:
        """All pairs, stored densely or computed on demand."""
        if method == "matrix_free":
            return MatrixFreeGram.from_points(data, self.semimetric, n_threads=n_threads)
        known = self.violation.matrix_of(data)  # of few rows
        if known is None:
            with at_most(n_threads):
                gram = DenseGram.from_points(data, self.semimetric, n_threads=n_threads)
        else:
            gram = DenseGram.from_distances(known, n_threads=n_threads)
        if not self.semimetric.is_symmetric_by_construction:
            check_made_distances(gram.matrix, self.semimetric)
        return gram

    def similarities(self, data: Any, training: Any, origin: Origin) -> Iterator[FloatArray]:
        """−ρ/2 to the training points."""
        chunks = _chunks(n_rows(data), n_rows(training))
        if self.semimetric.takes_missing and len(chunks) > 1 and not issparse(training):
            yield from self._of_terms(data, training, chunks)
            return
        for a, b in chunks:
            yield -0.5 * self.semimetric.pairwise(data[a:b], training)

    def _of_terms(
        self, data: FloatArray, training: FloatArray, chunks: list[tuple[int, int]]
    ) -> Iterator[FloatArray]:
        """The same with coordinates made once, because those of gaps take long to make."""
        together = np.concatenate([data, training])
        terms = self.semimetric.terms(together)
        made: Iterator[FloatArray]
        if terms is None:
            made = (self.semimetric.pairwise(data[a:b], training) for a, b in chunks)
        else:
            made = cross_blocks(terms, len(data), chunks, together.dtype)
        for rho in made:
            yield -0.5 * rho


@dataclass(frozen=True)
class DistanceSpace(_OfDistances):
    """A matrix of distances; new points come as rows of distances to the training points."""

    semimetric = None
    violation = None

    def read(self, estimator: BaseEstimator, X: Any) -> tuple[DistanceSpace, FloatArray]:
        """The square matrix, checked."""
        return self, check_distances(estimator, X, reset=True)

    def read_new(self, estimator: BaseEstimator, X: Any) -> FloatArray:
        """Distances from new points to those of the fit, checked."""
        return check_distances(estimator, X, reset=False)

    def gram(self, data: Any, method: str, n_threads: int) -> GramOperator:
        """G = −ρ/2 on the matrix given."""
        return DenseGram.from_distances(data, n_threads=n_threads)

    def similarities(
        self, data: FloatArray, training: None, origin: Origin
    ) -> Iterator[FloatArray]:
        """−ρ/2, some rows of the matrix at a time."""
        for a, b in _chunks(*data.shape):
            yield -0.5 * data[a:b]


@dataclass(frozen=True)
class KernelSpace:
    """A Gram matrix, not necessarily positive semidefinite; new points come as rows of it."""

    origin_is_free = False
    knows_diagonal = False
    semimetric = None
    violation = None

    def read(self, estimator: BaseEstimator, X: Any) -> tuple[KernelSpace, Any]:
        """The square matrix, checked; a sparse one stays sparse."""
        return self, check_kernel(estimator, X, reset=True)

    def read_new(self, estimator: BaseEstimator, X: Any) -> Any:
        """Similarities of new points with those of the fit, checked."""
        return check_kernel(estimator, X, reset=False)

    def gram(self, data: Any, method: str, n_threads: int) -> GramOperator:
        """The matrix given."""
        if method == "sparse":
            return SparseGram(data, n_threads=n_threads)
        return DenseGram(data, n_threads=n_threads)

    def at_mean(self, gram: GramOperator, weights: Float64Array) -> tuple[GramOperator, Origin]:
        """The kernel about its weighted mean, because far from it Q is large and gains are not.

        A sparse matrix stays as it is: most of it is zero, which is its origin.
        """
        if not isinstance(gram, DenseGram):
            together = weights @ gram.matmul(weights[:, None])[:, 0]
            return gram, Origin(np.zeros(gram.n), float(together / weights.sum()))
        moved = gram.about_mean(weights)
        return moved, Origin(moved.shift, 2 * float(weights @ moved.shift))

    def similarities(self, data: Any, training: None, origin: Origin) -> Iterator[FloatArray]:
        """The rows from the origin of the fit, up to a constant per row, which ranks nothing."""
        for a, b in _chunks(*data.shape):
            rows = data[a:b]
            yield (rows if isinstance(rows, np.ndarray) else rows.toarray()) - origin.shift


#: How one kind of input becomes a Gram operator, and new points similarities to old ones.
Space: TypeAlias = PointSpace | DistanceSpace | KernelSpace


def check_metric(metric: Any) -> Semimetric:
    """A semimetric from its name, from an object, or from a function of two points."""
    if isinstance(metric, str):
        return by_name(metric)
    if isinstance(metric, Semimetric):
        metric.check()
        return metric.copy()  # what the user does to it later is not to reach the fit
    if callable(metric) and not isinstance(metric, type):
        return PairFunction(metric)
    raise ValueError(
        f"metric must be a name, a semimetric such as kgroups.semimetrics.Energy(0.5), or a "
        f"function of two points; got {metric!r}."
    )


def space_for(metric: Any) -> Space:
    """The space that a ``metric`` parameter stands for."""
    if isinstance(metric, str) and metric == "precomputed":
        return DistanceSpace()
    if isinstance(metric, str) and metric == "precomputed_kernel":
        return KernelSpace()
    return PointSpace(check_metric(metric))


def read_at_fit(estimator: BaseEstimator, space: Space, X: Any) -> tuple[Space, Any]:
    """Input of a fit, after the estimator has forgotten the columns of an earlier one."""
    for name in _COLUMNS:
        vars(estimator).pop(name, None)
    return space.read(estimator, X)


def measured(space: Space) -> float | None:
    """The violation of negative type that a fit keeps, without the matrix; None for a matrix."""
    if space.violation is None:
        return None
    space.violation.forget()
    return space.violation.size


class _Reader(BaseEstimator):
    """What remembers columns and categories while input of a function is read."""


def read_input(X: Any, metric: Any) -> tuple[Space, Any]:
    """The space and the clean data of a function that is not an estimator."""
    return space_for(metric).read(_Reader(), X)


def read_tables(semimetric: Semimetric, X: Any, Y: Any) -> tuple[Semimetric, Any, Any]:
    """The semimetric settled by X, and the clean tables; Y is read as new rows, or is None."""
    reader = _Reader()
    settled, rows = _settled(reader, X, semimetric)
    return settled, rows, None if Y is None else check_points(reader, Y, settled, reset=False)


def _settled(estimator: BaseEstimator, X: Any, semimetric: Semimetric) -> tuple[Semimetric, Any]:
    """The semimetric with what it takes from X, and X as a clean table."""
    data = check_points(estimator, X, semimetric, reset=True)
    names = getattr(estimator, "feature_names_in_", None)
    kinds = getattr(estimator, "column_kinds_", None)
    if kinds is not None:
        semimetric = semimetric.of_kinds(list(kinds.values()))
    return semimetric.resolve(data, None if names is None else list(names)), data


def exact_gram(space: Space, data: Any, n_threads: int) -> GramOperator:
    """All pairs without any approximation: held while they are few, else computed on demand.

    MemoryError, before anything is allocated, where they must be held and do not fit.
    """
    if issparse(data) and not isinstance(space, PointSpace):
        return space.gram(data, "sparse", n_threads)
    few = n_rows(data) <= DENSE_UP_TO
    return space.gram(data, "dense" if few else "matrix_free", n_threads)


def takes_missing(metric: Any) -> bool:
    """Whether a missing entry of X has a meaning for a metric; False for what is not a metric."""
    if isinstance(metric, str) and metric in BY_NAME:
        metric = BY_NAME[metric]()
    return isinstance(metric, Semimetric) and metric.takes_missing


def is_pairwise(metric: Any) -> bool:
    """Whether X is a matrix between points rather than the points."""
    return isinstance(metric, str) and metric in ("precomputed", "precomputed_kernel")


def takes_sparse_rows(metric: Any) -> bool:
    """Whether points may be given as sparse rows; a metric that is none takes nothing."""
    if is_pairwise(metric):
        return False
    try:
        return check_metric(metric).takes_sparse
    except (TypeError, ValueError):  # said when it is used
        return False


def _chunks(n_new: int, n_training: int) -> list[tuple[int, int]]:
    return blocks(0, n_new, max(1, _PAIRS_AT_ONCE // max(1, n_training)))
