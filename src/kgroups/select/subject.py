"""The data that a criterion clusters repeatedly: rows, their semimetric, and coordinates."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypedDict, TypeVar, cast

import numpy as np
from scipy.sparse import issparse
from sklearn.exceptions import ConvergenceWarning

from kgroups.exceptions import LookalikeWarning, TheoryWarning
from kgroups.fit.block_plan import space_of_blocks
from kgroups.gram import DenseGram, GramOperator
from kgroups.input.block_input import check_entries
from kgroups.input.parameters import check_integer, check_n_jobs
from kgroups.input.rows import can_be_drawn, has_columns, n_rows, take
from kgroups.input.spaces import KernelSpace, PointSpace, Space, exact_gram, space_for
from kgroups.names import QUICK_SAMPLES
from kgroups.runtime import progress
from kgroups.runtime.blas import one_thread_a_product
from kgroups.runtime.progress import Progress
from kgroups.runtime.scaling import power_of_two
from kgroups.runtime.seeds import seed_of
from kgroups.runtime.threads import blocks, effective_n_jobs, run
from kgroups.select.classical_scaling import scaled_as_distances
from kgroups.select.rounding import consists_of_atoms, longest_edge, spread_over_edges
from kgroups.select.successive import Successive
from kgroups.semimetrics import Energy, semimetric_from_kernel
from kgroups.semimetrics.coordinates import MEDIAN_SAMPLE
from kgroups.semimetrics.finite import check_finite_distances
from kgroups.semimetrics.semimetric import (
    CoordinateSemimetric,
    Metric,
    Semimetric,
    evenly_spaced,
)
from kgroups.solvers.centroids import Centroids
from kgroups.solvers.partition import Partition
from kgroups.stats.samples import CALLER, read_with_warning
from kgroups.typing import Data, Float64Array, FloatArray, IntArray, RandomStateLike

Task = TypeVar("Task")
Result = TypeVar("Result")

#: Number of rows that the criteria use; larger inputs are sampled.
MAX_SAMPLES = QUICK_SAMPLES
# Fits of fewer rows than this take too little time to gain from threads.
_THREADED = 1_000
# A far row has at most so many others near it, and at most one row in so many is far.
_COMPANIONS, _FAR_ROWS = 2, 10
# Digits of coordinates that classical scaling leaves of equal rows.
_DIGITS = 9
# Rows whose similarities with others are held at a time.
_ROWS_AT_ONCE = 1_000


@dataclass(frozen=True, eq=False)
class Subject:
    """Rows of a table with their semimetric, or a Gram matrix if ``semimetric`` is None.

    Given distances, and distances between objects, are held as the Gram matrix −ρ/2, so that a
    function of two objects is called once for each pair.
    """

    data: Any
    semimetric: Semimetric | None
    #: Indices of the rows used, in order: all rows, or a sample.
    rows: IntArray
    #: Number of rows of the input.
    n_given: int
    n_threads: int = 1
    seed: int = field(default=0, kw_only=True)
    #: What is made once and used by several criteria.
    _made: dict[str, Any] = field(default_factory=dict, init=False)

    @classmethod
    def of(
        cls,
        X: Data,
        metric: Metric = "energy",
        *,
        max_samples: int = MAX_SAMPLES,
        random_state: RandomStateLike = None,
        n_jobs: int | None = None,
    ) -> Subject:
        """Read input of any kind, and draw ``max_samples`` rows if there are more."""
        most = check_integer(max_samples, "max_samples")
        n_threads = effective_n_jobs(check_n_jobs(n_jobs))
        rng = np.random.default_rng(_own_seed(random_state))
        consequence = (
            "clusters are compared nevertheless, but dispersions may be negative, and criteria "
            "based on them are then undefined."
        )
        rows, given = None, cast(Any, X)
        if can_be_drawn(X):
            n, rows = given.n_rows, _sample(given.n_rows, most, rng)
            metric, given = _settled(metric, given), _taken(given, rows)
        space, data = read_with_warning(given, metric, consequence, CALLER)
        if issparse(data) and space.semimetric is None:
            raise TypeError(
                "X is a sparse Gram matrix, which has no distances; count the communities of a "
                "network with kgroups.select.bethe_hessian_n_communities."
            )
        if rows is None:
            n, rows = n_rows(data), _sample(n_rows(data), most, rng)
        made = cls(data, space.semimetric, rows, n, n_threads, seed=seed_of(rng))
        return made._drawn(space)

    def without_far_rows(self) -> Subject:
        """The subject without the few rows that no partition of halves can find again.

        A row is left out if it is farther from all but two others than any two of the rows that
        stay are from each other. These are at least nine tenths of the rows.
        """
        gram, fewest = self.operator(), self.n - self.n // _FAR_ROWS
        if fewest == self.n:
            return self
        diagonal = gram.diagonal()
        rho = diagonal[:, None] + diagonal - 2.0 * gram.rows(np.arange(self.n))
        apart = np.partition(rho, _COMPANIONS + 1, axis=1)[:, _COMPANIONS + 1]
        order = np.argsort(apart, kind="stable")
        width = rho[np.ix_(order[:fewest], order[:fewest])].max()
        for place, row in enumerate(order[fewest:], fewest):
            if apart[row] > width:
                kept = np.sort(order[:place])
                return replace(self, data=self.part(kept), rows=self.rows[kept])
            width = max(width, rho[row, order[:place]].max())
        return self

    def _drawn(self, space: Space) -> Subject:
        """The subject with only the data of its rows, and distances as a Gram matrix."""
        data = self.data if self.n == n_rows(self.data) else self.part(self.rows)
        rows = isinstance(space, PointSpace) and not space.semimetric.takes_objects
        if (rows and has_columns(data)) or isinstance(space, KernelSpace):
            return replace(self, data=data)
        held: Any = space.gram(data, "dense", self.n_threads)
        return replace(self, data=held.scale * held.matrix, semimetric=None)

    @property
    def n(self) -> int:
        """Number of rows used."""
        return len(self.rows)

    @property
    def metric(self) -> Metric:
        """The ``metric`` of an estimator that takes :meth:`part`."""
        return "precomputed_kernel" if self.semimetric is None else self.semimetric

    def part(self, rows: IntArray, columns: IntArray | None = None) -> Any:
        """Some rows of a table, or the matrix between them and ``columns``, by default the rows."""
        if self.semimetric is None:
            return self.data[np.ix_(rows, rows if columns is None else columns)]
        return take(self.data, rows)

    @property
    def partitions(self) -> Successive:
        """Partitions of all rows, which criteria share."""
        if "partitions" not in self._made:
            self._made["partitions"] = self.partitions_of(np.arange(self.n), self.seed)
        made: Successive = self._made["partitions"]
        return made

    def partitions_of(self, rows: IntArray, seed: int) -> Successive:
        """Partitions of some rows."""
        free = self.semimetric is not None
        return Successive(
            lambda some: self.operator(rows[some]), len(rows), seed, origin_is_free=free
        )

    def predicted(
        self, found: Sequence[Partition], train: IntArray, test: IntArray
    ) -> list[IntArray]:
        """The nearest centroid of each row of ``test``, for partitions of the rows ``train``."""
        centroids = [Centroids.of(one, np.ones(len(train))) for one in found]
        labels = np.empty((len(found), len(test)), np.int64)
        for a, b in blocks(0, len(test), _ROWS_AT_ONCE):
            similarities = self._between(test[a:b], train)
            for number, one in enumerate(centroids):
                labels[number, a:b] = one.squared_distances(similarities, 0.0).argmin(axis=1)
        return list(labels)

    def count_distinct(self, limit: int, rows: IntArray | None = None) -> int:
        """Number of distinct rows among some or all, up to a limit: the most clusters there are."""
        # Of a given matrix as it is, because equal rows differ by rounding about their mean.
        given = DenseGram(self.data) if self.semimetric is None else self.operator()
        among = np.ones(self.n, np.bool_)
        if rows is not None:
            among = np.isin(np.arange(self.n), rows)
        return given.count_distinct(among, limit)

    def operator(self, rows: IntArray | None = None) -> GramOperator:
        """Similarities between all rows or some: −ρ/2, or a given matrix about the mean."""
        if "operator" not in self._made:
            self._made["operator"] = self._similarities()
        whole: GramOperator = self._made["operator"]
        if rows is None or len(rows) == self.n:
            return whole
        if isinstance(whole, DenseGram):
            return whole.part(rows)
        return self._pairs(take(self.data, rows), cast(Semimetric, self.semimetric))

    def _similarities(self) -> GramOperator:
        if self.semimetric is None:
            return DenseGram(self.data).about_mean(np.ones(self.n))
        made = self._pairs(self.data, self.semimetric)
        with np.errstate(over="ignore", invalid="ignore"):
            if isinstance(made, DenseGram):  # additions alone, a tenth of a product's time
                check_finite_distances(made.matrix.sum(axis=0, dtype=np.float64))
            else:
                check_finite_distances(made.matmul(np.ones((self.n, 1))))
        return made

    def _between(self, some: IntArray, others: IntArray) -> FloatArray:
        whole = self.operator()
        if isinstance(whole, DenseGram):
            # Without what a shift of the origin adds to whole rows, which ranks nothing.
            return np.asarray(
                whole.scale * whole.matrix[np.ix_(some, others)] - whole.shift[others]
            )
        pairwise = cast(Semimetric, self.semimetric).pairwise
        return np.asarray(-0.5 * pairwise(take(self.data, some), take(self.data, others)))

    def gram(self) -> GramOperator:
        """The operator −ρ/2 on all pairs."""
        if self.semimetric is None:
            return DenseGram.from_distances(self.distances())
        return self.operator()

    def _pairs(self, data: Data, semimetric: Semimetric) -> GramOperator:
        return exact_gram(PointSpace(semimetric), data, 1)

    def distances(self) -> FloatArray:
        """The n × n matrix of distances."""
        if self.semimetric is None:
            with np.errstate(over="ignore", invalid="ignore"):
                distances = semimetric_from_kernel(self.data)
            check_finite_distances(distances)
            return distances
        return np.asarray(self.semimetric.pairwise(self.data))

    @cached_property
    def coordinates(self) -> Float64Array:
        """The columns of a dense table, or else classical scaling of ρ as Euclidean distance."""
        if self.is_plain_table:
            return np.asarray(self.data, np.float64)
        return scaled_as_distances(self.distances())

    @cached_property
    def spread_coordinates(self) -> Float64Array | None:
        """Coordinates without the gaps of a lattice; None where rows are on none."""
        if self.is_plain_table:
            return None
        unit = power_of_two(float(np.abs(self.coordinates).max()))
        if consists_of_atoms(np.round(self.coordinates / unit, _DIGITS)):
            return None
        rho = self.distances()
        edge = self._edge(rho) if rho.any() else None
        return None if edge is None else spread_over_edges(self.coordinates, rho, edge)

    def _edge(self, rho: FloatArray) -> float | None:
        """The longest edge of the lattice: the weight of a column, where all are categories."""
        semimetric = self.semimetric
        if isinstance(semimetric, Semimetric) and not semimetric.takes_objects:
            terms = [t for t in semimetric.terms(self.data) or [] if t.gap_scale is None]
            edges = [term.mismatch_scale for term in terms]
            if edges and None not in edges:
                return max(cast(list[float], edges))
        return longest_edge(rho)

    @property
    def is_plain_table(self) -> bool:
        """Whether ρ is a function of the differences of the columns of a dense table."""
        rho = self.semimetric
        return (
            not issparse(self.data)
            and isinstance(rho, CoordinateSemimetric)
            and rho.is_translation_invariant
        )

    def as_table(self) -> Subject:
        """The subject with a table of coordinates as data, for which a reference can be drawn."""
        if self.is_plain_table:
            return self
        return replace(self, data=self.coordinates, semimetric=Energy())

    def each(
        self,
        work: Callable[[Task], Result],
        tasks: Iterable[Task],
        phase: str,
        n_before: int = 0,
    ) -> list[Result]:
        """Results of independent tasks, in order, on all threads if that is faster.

        Each result is reported as progress of ``phase``, in which ``n_before`` tasks went before.
        """
        given, results = list(tasks), []
        with quiet_fits(), one_thread_a_product():
            for result in run(work, given, self.n_threads if self.n >= _THREADED else 1):
                results.append(result)
                number, total = n_before + len(results), n_before + len(given)
                progress.tell(Progress(phase=phase, number=number, total=total))
        return results


class Sampling(TypedDict, total=False):
    """Options that the criteria share; see :func:`kgroups.select.gap_statistic`."""

    metric: Metric
    max_samples: int
    random_state: RandomStateLike
    n_jobs: int | None


def _sample(n: int, most: int, rng: np.random.Generator) -> IntArray:
    """Numbers of all rows, or of some of them, in order."""
    return np.arange(n) if n <= most else np.sort(rng.choice(n, most, replace=False))


def _settled(metric: Metric, source: Any) -> Metric:
    """The metric with all parameters as numbers, from evenly spaced rows of a source."""
    semimetric = space_of_blocks(space_for(metric)).semimetric
    spread = _taken(source, evenly_spaced(source.n_rows, MEDIAN_SAMPLE))
    return semimetric.resolve(spread, source.names)


def _taken(source: Any, rows: IntArray) -> FloatArray:
    """Some rows of a source; ValueError for an entry that is not a number."""
    found: FloatArray = source.take(rows)
    check_entries(found, source.names, lambda i: source.place(int(rows[i])))
    return found


def _own_seed(random_state: RandomStateLike) -> int | None:
    """A seed for the generator of a subject: an int is one itself, and None stays random."""
    if random_state is None:
        return None
    if isinstance(random_state, (np.random.RandomState, np.random.Generator)):
        return seed_of(random_state)
    return check_integer(random_state, "random_state", least=0)


@contextmanager
def quiet_fits() -> Iterator[None]:
    """Suppress warnings that hundreds of fits would repeat: theory, convergence, what X looks like.

    What X looks like was said when the subject was read.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TheoryWarning)
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("ignore", LookalikeWarning)
        yield
