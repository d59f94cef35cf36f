"""The three kinds of input: points with a semimetric, a matrix of distances, a Gram matrix."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator

from kgroups.exceptions import TheoryWarning
from kgroups.fit.plan import DENSE_UP_TO, Plan, Size, make_plan
from kgroups.gram import DenseGram, GramOperator, MatrixFreeGram, SparseGram
from kgroups.input.matrices import (
    check_distances,
    check_kernel,
    check_made_distances,
    check_sparse_kernel,
)
from kgroups.input.rows import n_rows, take
from kgroups.input.tables import check_points
from kgroups.runtime.memory import memory_limit
from kgroups.runtime.threads import at_most, blocks
from kgroups.semimetrics import PairFunction, Semimetric, by_name
from kgroups.semimetrics.semimetric import evenly_spaced
from kgroups.typing import Float64Array, FloatArray

# Similarities of new points with the training points are held for so many pairs at a time.
_PAIRS_AT_ONCE = 1 << 23
# Rows on which distances of somebody's semimetric are checked when no matrix of all is made.
_SPOT_CHECK = 100


class Space(Protocol):
    """How one kind of input becomes a Gram operator, and new points similarities to old ones."""

    #: Whether the origin is free, so that Q is taken from the doubly centered kernel.
    centered: bool
    #: Whether G(x, x) of a new point is known (it is 0 for G = −ρ/2).
    knows_diagonal: bool

    #: What Q less that of one cluster lacks to be ``objective_``.
    constant: float

    @property
    def semimetric(self) -> Semimetric | None:
        """The semimetric in use; None when a matrix was given."""
        ...

    def read(self, estimator: Any, X: Any, *, reset: bool) -> Any:
        """Validated input: of the fit with ``reset``, of new points without."""
        ...

    def plan(self, estimator: Any, data: Any, k: int, n_threads: int) -> Plan:
        """How similarity will be held; MemoryError when it cannot be."""
        ...

    def gram(self, data: Any, method: str, n_threads: int) -> GramOperator:
        """The operator of the training points."""
        ...

    def at_mean(self, gram: GramOperator, weights: Float64Array) -> GramOperator:
        """The operator to solve with, whose Q and gains are of one size."""
        ...

    def similarities(self, data: Any, training: Any) -> Iterator[FloatArray]:
        """G between new and training points, some rows at a time."""
        ...


class PointSpace:
    """Rows of a table, or objects, compared by a semimetric."""

    centered = True
    knows_diagonal = True
    constant = 0.0

    def __init__(self, semimetric: Semimetric) -> None:
        self.semimetric = semimetric

    def read(self, estimator: Any, X: Any, *, reset: bool) -> Any:
        """A clean table; at fit, parameters that come from data are settled."""
        data = check_points(estimator, X, self.semimetric, reset=reset)
        if reset:
            names = getattr(estimator, "feature_names_in_", None)
            resolved = self.semimetric.resolve(data, None if names is None else list(names))
            self.semimetric = resolved
            if not resolved.is_negative_type:
                warnings.warn(
                    f"{resolved!r} is not of negative type: Hartigan's method still finds a local "
                    "optimum, but between_statistic_ may be negative and predict on the training "
                    "data may differ from labels_.",
                    TheoryWarning,
                    stacklevel=4,
                )
        return data

    def plan(self, estimator: Any, data: Any, k: int, n_threads: int) -> Plan:
        """By the size of the table, or for objects by their number."""
        semimetric = self.semimetric
        few = data[:1]
        terms = None if semimetric.takes_objects else semimetric.terms(few)
        columns = 1 if terms is None else sum(term.coordinates.shape[1] for term in terms)
        size = Size(
            n=len(data),
            n_columns=columns,
            itemsize=4 if getattr(data, "dtype", None) == np.float32 else 8,
            n_clusters=k,
            n_threads=n_threads,
            is_compiled=terms is not None,
            is_negative_type=semimetric.is_negative_type,
        )
        limit = memory_limit(estimator.memory_limit)
        if not semimetric.is_symmetric_by_construction and estimator.method != "dense":
            few = take(data, evenly_spaced(len(data), _SPOT_CHECK))
            check_made_distances(np.asarray(semimetric.pairwise(few)), semimetric)
        made = make_plan(estimator.method, estimator.n_components, size, limit)
        return replace(made, landmarks=estimator.landmarks)

    def gram(self, data: Any, method: str, n_threads: int) -> GramOperator:
        """All pairs, as a dense matrix or as a promise."""
        if method == "matrix_free":
            return MatrixFreeGram.from_points(data, self.semimetric, n_threads=n_threads)
        with at_most(n_threads):
            gram = DenseGram.from_points(data, self.semimetric, n_threads=n_threads)
        if not self.semimetric.is_symmetric_by_construction:
            check_made_distances(gram.matrix, self.semimetric)
        return gram

    def at_mean(self, gram: GramOperator, weights: Float64Array) -> GramOperator:
        """−ρ/2 is small where ρ is: no need to move it."""
        return gram

    def similarities(self, data: Any, training: Any) -> Iterator[FloatArray]:
        """−ρ/2 to the training points."""
        for a, b in _chunks(len(data), len(training)):
            yield -0.5 * self.semimetric.pairwise(data[a:b], training)


class DistanceSpace:
    """A matrix of distances; new points come as rows of distances to the training points."""

    centered = True
    knows_diagonal = True
    constant = 0.0
    semimetric = None

    def read(self, estimator: Any, X: Any, *, reset: bool) -> FloatArray:
        """The matrix, checked."""
        return check_distances(estimator, X, reset=reset)

    def plan(self, estimator: Any, data: Any, k: int, n_threads: int) -> Plan:
        """The matrix is there."""
        return _plan_for_matrix(estimator)

    def gram(self, data: FloatArray, method: str, n_threads: int) -> GramOperator:
        """G = −ρ/2 on the matrix given."""
        return DenseGram.from_distances(data, n_threads=n_threads)

    def at_mean(self, gram: GramOperator, weights: Float64Array) -> GramOperator:
        """As for points."""
        return gram

    def similarities(self, data: FloatArray, training: Any) -> Iterator[FloatArray]:
        """−ρ/2."""
        for a, b in _chunks(*data.shape):
            yield -0.5 * data[a:b]


class KernelSpace:
    """A Gram matrix, not necessarily positive semidefinite; new points come as rows of it."""

    centered = False
    knows_diagonal = False
    constant = 0.0
    semimetric = None

    def read(self, estimator: Any, X: Any, *, reset: bool) -> Any:
        """The matrix, checked; a sparse one stays sparse."""
        if issparse(X):
            return check_sparse_kernel(estimator, X, reset=reset)
        return check_kernel(estimator, X, reset=reset)

    def plan(self, estimator: Any, data: Any, k: int, n_threads: int) -> Plan:
        """The matrix is there."""
        made = _plan_for_matrix(estimator)
        return replace(made, method="sparse", reason="X is sparse") if issparse(data) else made

    def gram(self, data: Any, method: str, n_threads: int) -> GramOperator:
        """The matrix given."""
        if method == "sparse":
            return SparseGram(data, n_threads=n_threads)
        return DenseGram(data, n_threads=n_threads)

    def at_mean(self, gram: Any, weights: Float64Array) -> GramOperator:
        """Centered, since far from its origin a kernel's Q is large and its gains are not.

        A sparse matrix stays as it is: most of it is zero, which is its origin.
        """
        if isinstance(gram, SparseGram):
            self.shift = np.zeros(gram.n)
            together = weights @ gram.matmul(weights[:, None])[:, 0]
            self.constant = float(together / weights.sum())
            return gram
        centered: DenseGram = gram.centered(weights)
        self.shift = centered.shift
        self.constant = 2 * float(weights @ centered.shift)
        return centered

    def similarities(self, data: Any, training: Any) -> Iterator[FloatArray]:
        """The rows from the same origin, but for a constant in each that ranks no cluster."""
        for a, b in _chunks(*data.shape):
            rows = data[a:b]
            yield (rows if isinstance(rows, np.ndarray) else rows.toarray()) - self.shift


def _plan_for_matrix(estimator: Any) -> Plan:
    if estimator.method not in ("auto", "dense"):
        raise ValueError(
            f"method={estimator.method!r} makes distances from points, and "
            f'metric="{estimator.metric}" gives a matrix; use method="auto".'
        )
    return Plan(
        method="dense", reason="X is the matrix", n_components=0, feature_bytes=0, landmarks=""
    )


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
    """The space that a ``metric`` parameter speaks of."""
    if isinstance(metric, str) and metric == "precomputed":
        return DistanceSpace()
    if isinstance(metric, str) and metric == "precomputed_kernel":
        return KernelSpace()
    return PointSpace(check_metric(metric))


class _Reader(BaseEstimator):
    """What remembers columns and categories while input of a function is read."""


def read_input(X: Any, metric: Any) -> tuple[Space, Any]:
    """The space and the clean data of a function that is not an estimator."""
    space = space_for(metric)
    return space, space.read(_Reader(), X, reset=True)


def exact_gram(space: Space, data: Any, n_threads: int) -> GramOperator:
    """All pairs without any approximation: held while they are few, else made when needed.

    MemoryError, before it starts, where they must be held and do not fit.
    """
    if issparse(data):
        return space.gram(data, "sparse", n_threads)
    few = n_rows(data) <= DENSE_UP_TO
    return space.gram(data, "dense" if few else "matrix_free", n_threads)


def is_table(data: Any) -> bool:
    """Whether points are rows of numbers, not objects."""
    return isinstance(data, np.ndarray) and data.dtype.kind == "f"


def is_pairwise(metric: Any) -> bool:
    """Whether X is a matrix between points rather than the points."""
    return isinstance(metric, str) and metric in ("precomputed", "precomputed_kernel")


def _chunks(n_new: int, n_training: int) -> list[tuple[int, int]]:
    return blocks(0, n_new, max(1, _PAIRS_AT_ONCE // max(1, n_training)))
