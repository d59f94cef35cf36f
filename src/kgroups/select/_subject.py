"""What is clustered again and again: the rows, how they are compared, and coordinates for them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self, TypeVar

import numpy as np
from scipy.linalg import eigh
from scipy.sparse import issparse
from sklearn.exceptions import ConvergenceWarning

from kgroups._parallel import effective_n_jobs, run
from kgroups._typing import Float64Array, FloatArray, IntArray
from kgroups._validation import check_integer
from kgroups.estimators import KernelKGroups
from kgroups.exceptions import TheoryWarning
from kgroups.gram import GramOperator
from kgroups.search import n_rows, take
from kgroups.semimetrics import Energy, semimetric_from_kernel
from kgroups.semimetrics._vector import ABSOLUTE, SQUARED
from kgroups.semimetrics.base import CoordinateSemimetric, Semimetric
from kgroups.spaces import KernelSpace, exact_gram, is_table, read_input

Task = TypeVar("Task")
Result = TypeVar("Result")

#: Rows that the criteria look at; of more, so many are drawn.
MAX_SAMPLES = 2_000
# Fits of fewer rows are short calls that wait for each other in threads.
_THREADED = 1_000
# Coordinates of classical scaling, the leading ones.
_MOST_COORDINATES = 30


@dataclass(frozen=True, eq=False)
class Subject:
    """Rows with their semimetric; or, where ``semimetric`` is None, a matrix of distances."""

    data: Any
    semimetric: Semimetric | None
    #: Rows of the input that were drawn; all of them in order unless there were too many.
    rows: IntArray
    #: Rows of the input.
    n_given: int
    n_threads: int = 1
    seed: int = field(default=0, kw_only=True)

    @classmethod
    def of(
        cls,
        X: Any,
        metric: Any,
        *,
        max_samples: int = MAX_SAMPLES,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> Self:
        """Read input of any kind; of many rows, ``max_samples`` are drawn without replacement."""
        space, data = read_input(X, metric)
        if isinstance(space, KernelSpace):
            if issparse(data):
                raise TypeError(
                    "X is a sparse Gram matrix, which has no distances; count the communities of a "
                    "network with kgroups.select.bethe_hessian_n_communities."
                )
            data = semimetric_from_kernel(data)
        n, most = n_rows(data), check_integer(max_samples, "max_samples")
        rng = np.random.default_rng(seed_of(random_state))
        rows = np.arange(n) if n <= most else np.sort(rng.choice(n, most, replace=False))
        made = cls(data, space.semimetric, rows, n, effective_n_jobs(n_jobs))
        made = replace(made, data=made.part(rows)) if n > most else made
        return replace(made, seed=int(rng.integers(2**31 - 1)))

    @property
    def n(self) -> int:
        """Rows that are looked at."""
        return len(self.rows)

    @property
    def metric(self) -> Any:
        """The metric that estimators take for :meth:`part`."""
        return "precomputed" if self.semimetric is None else self.semimetric

    def part(self, rows: IntArray, columns: IntArray | None = None) -> Any:
        """Some rows; of a matrix, their distances to each other, or to ``columns``."""
        if self.semimetric is None:
            return self.data[np.ix_(rows, rows if columns is None else columns)]
        return take(self.data, rows)

    def fit(self, k: int, seed: int, n_init: int, rows: IntArray | None = None) -> KernelKGroups:
        """K-groups of some rows, or of all, on one thread."""
        model = KernelKGroups(k, metric=self.metric, random_state=seed, n_init=n_init, n_jobs=1)
        return model.fit(self.data if rows is None else self.part(rows))

    def can_hold(self, k: int, rows: IntArray | None = None) -> bool:
        """Whether there are k rows that differ."""
        among = np.arange(self.n) if rows is None else rows
        if k > len(among):
            return False
        return self.gram(rows).count_distinct(np.ones(len(among), np.bool_), k) >= k

    def gram(self, rows: IntArray | None = None) -> GramOperator:
        """All pairs, or those of some rows."""
        data = self.data if rows is None else self.part(rows)
        with quiet_fits():
            space, data = read_input(data, self.metric)
            return exact_gram(space, data, 1)

    def distances(self) -> FloatArray:
        """The n × n matrix of ρ."""
        if self.semimetric is None:
            return np.asarray(self.data)
        return np.asarray(self.semimetric.pairwise(self.data))

    @cached_property
    def coordinates(self) -> Float64Array:
        """Numeric columns as they are; else classical scaling with ρ as Euclidean distance."""
        if self._is_plain_table:
            return np.asarray(self.data, np.float64)
        return _scaled(self.distances())

    @property
    def _is_plain_table(self) -> bool:
        """Whether ρ is a function of differences of the columns."""
        rho = self.semimetric
        if not isinstance(rho, CoordinateSemimetric) or not is_table(self.data):
            return False
        as_it_comes = type(rho).embed is CoordinateSemimetric.embed
        return as_it_comes and rho.delta in (SQUARED, ABSOLUTE)

    def as_table(self) -> Subject:
        """The coordinates with a metric of their own: what a reference can be drawn for."""
        if self._is_plain_table:
            return self
        return replace(self, data=self.coordinates, semimetric=Energy())

    def each(self, work: Callable[[Task], Result], tasks: Iterable[Task]) -> list[Result]:
        """Results over independent tasks, in their order, on all threads where that is quicker."""
        with quiet_fits():
            return list(run(work, list(tasks), self.n_threads if self.n >= _THREADED else 1))


def seed_of(random_state: Any) -> int | None:
    """One seed from whatever scikit-learn takes for ``random_state``; None stays chance."""
    if random_state is None:
        return None
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    return check_integer(random_state, "random_state", least=0)


@contextmanager
def quiet_fits() -> Iterator[None]:
    """Of hundreds of fits, none speaks of theory or convergence again."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TheoryWarning)
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield


def _scaled(rho: FloatArray) -> Float64Array:
    """Leading coordinates whose Euclidean distances are nearest to ρ; negative parts are left out.

    Not to √ρ, though that is the distance in feature space: points along a line lie on a curve
    there, and a curve seen from one side is dense at both ends.
    """
    squares = np.asarray(rho, np.float64) ** 2
    means = squares.mean(axis=0)
    gram = -0.5 * (squares - means - means[:, None] + means.mean())
    n = len(gram)
    few = min(n, _MOST_COORDINATES)
    values, vectors = eigh(gram, subset_by_index=(n - few, n - 1))
    keep = values > 1e-9 * max(float(values[-1]), 0.0)
    kept = np.asarray(vectors[:, keep] * np.sqrt(values[keep]), np.float64)
    return kept[:, ::-1] if kept.shape[1] else np.zeros((n, 1))
