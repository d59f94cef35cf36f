"""What is clustered again and again: the rows, how they are compared, and coordinates for them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from scipy.sparse import issparse
from sklearn.exceptions import ConvergenceWarning

from kgroups.estimators import KernelKGroups
from kgroups.exceptions import TheoryWarning
from kgroups.gram import DenseGram, GramOperator
from kgroups.input.parameters import check_integer, check_n_jobs
from kgroups.input.rows import n_rows, take
from kgroups.input.spaces import KernelSpace, PointSpace, Space, exact_gram, read_input
from kgroups.runtime import progress
from kgroups.runtime.blas import one_thread_a_product
from kgroups.runtime.progress import Progress
from kgroups.runtime.seeds import seed_of
from kgroups.runtime.threads import effective_n_jobs, run
from kgroups.select.classical_scaling import scaled_as_distances
from kgroups.semimetrics import Energy, semimetric_from_kernel
from kgroups.semimetrics.semimetric import CoordinateSemimetric, Semimetric
from kgroups.typing import Float64Array, FloatArray, IntArray, RandomStateLike

Task = TypeVar("Task")
Result = TypeVar("Result")

#: Rows that the criteria look at; of more, so many are drawn.
MAX_SAMPLES = 2_000
# Fits of fewer rows are short calls that wait for each other in threads.
_THREADED = 1_000
# From _read through Subject.of and a public function to its caller.
_CALLER = 4


@dataclass(frozen=True, eq=False)
class Subject:
    """Rows of a table with their semimetric; or, where that is None, a Gram matrix.

    Distances given or made of objects are held as the Gram matrix −ρ/2, so that no function of
    two objects is called twice for a pair.
    """

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
    ) -> Subject:
        """Read input of any kind; of many rows, ``max_samples`` are drawn without replacement."""
        most = check_integer(max_samples, "max_samples")
        n_threads = effective_n_jobs(check_n_jobs(n_jobs))
        rng = np.random.default_rng(_own_seed(random_state))
        space, data = _read(X, metric)
        if issparse(data):
            raise TypeError(
                "X is a sparse Gram matrix, which has no distances; count the communities of a "
                "network with kgroups.select.bethe_hessian_n_communities."
            )
        n = n_rows(data)
        rows = np.arange(n) if n <= most else np.sort(rng.choice(n, most, replace=False))
        made = cls(data, space.semimetric, rows, n, n_threads, seed=seed_of(rng))
        return made._drawn(space)

    def _drawn(self, space: Space) -> Subject:
        """With the data of the rows alone, and distances as a Gram matrix."""
        data = self.data if self.n == self.n_given else self.part(self.rows)
        if isinstance(space, KernelSpace):
            return replace(self, data=data)
        if isinstance(space, PointSpace) and not space.semimetric.takes_objects:
            return replace(self, data=data)
        held: Any = space.gram(data, "dense", self.n_threads)
        return replace(self, data=held.scale * held.matrix, semimetric=None)

    @property
    def n(self) -> int:
        """Rows that are looked at."""
        return len(self.rows)

    @property
    def metric(self) -> Any:
        """The metric that estimators take for :meth:`part`."""
        return "precomputed_kernel" if self.semimetric is None else self.semimetric

    def part(self, rows: IntArray, columns: IntArray | None = None) -> Any:
        """Some rows; of a matrix, their entries with each other, or with ``columns``."""
        if self.semimetric is None:
            return self.data[np.ix_(rows, rows if columns is None else columns)]
        return take(self.data, rows)

    def fit(self, k: int, seed: int, n_init: int, rows: IntArray | None = None) -> KernelKGroups:
        """K-groups of some rows, or of all, on one thread."""
        model = KernelKGroups(k, metric=self.metric, random_state=seed, n_init=n_init, n_jobs=1)
        return model.fit(self.data if rows is None else self.part(rows))

    def count_distinct(self, limit: int, rows: IntArray | None = None) -> int:
        """How many rows differ, of all or of some, counted up to a limit: no fit has more."""
        data = self.data if rows is None else self.part(rows)
        gram = DenseGram(data) if self.semimetric is None else self._pairs(data, self.semimetric)
        return gram.count_distinct(np.ones(gram.n, np.bool_), limit)

    def gram(self) -> GramOperator:
        """−ρ/2 of all pairs."""
        if self.semimetric is None:
            return DenseGram.from_distances(self.distances())
        return self._pairs(self.data, self.semimetric)

    def _pairs(self, data: Any, semimetric: Semimetric) -> GramOperator:
        return exact_gram(PointSpace(semimetric), data, 1)

    def distances(self) -> FloatArray:
        """The n × n matrix of ρ."""
        if self.semimetric is None:
            return semimetric_from_kernel(self.data)
        return np.asarray(self.semimetric.pairwise(self.data))

    @cached_property
    def coordinates(self) -> Float64Array:
        """Numeric columns as they are; else classical scaling with ρ as Euclidean distance."""
        if self._is_plain_table:
            return np.asarray(self.data, np.float64)
        return scaled_as_distances(self.distances())

    @property
    def _is_plain_table(self) -> bool:
        """Whether ρ is a function of differences of the columns."""
        rho = self.semimetric
        return isinstance(rho, CoordinateSemimetric) and rho.is_translation_invariant

    def as_table(self) -> Subject:
        """The coordinates with a metric of their own: what a reference can be drawn for."""
        if self._is_plain_table:
            return self
        return replace(self, data=self.coordinates, semimetric=Energy())

    def each(
        self, work: Callable[[Task], Result], tasks: Iterable[Task], phase: str
    ) -> list[Result]:
        """Results over independent tasks, in their order, on all threads where that is quicker.

        Whoever listens hears how many there are, as those of ``phase``.
        """
        given, results = list(tasks), []
        with quiet_fits(), one_thread_a_product():
            for result in run(work, given, self.n_threads if self.n >= _THREADED else 1):
                results.append(result)
                progress.tell(Progress(phase=phase, number=len(results), total=len(given)))
        return results


def _read(X: Any, metric: Any) -> tuple[Space, Any]:
    """The input; what is said of theory is said to the caller, once, and of what is done here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TheoryWarning)  # it speaks of a fit; ours follows
        space, data = read_input(X, metric)
    if space.semimetric is not None and not space.semimetric.is_negative_type:
        warnings.warn(
            f"{space.semimetric!r} is not of negative type: clusters are compared all the same, "
            "but dispersions may be negative, and what is made of them has then no value.",
            TheoryWarning,
            stacklevel=_CALLER,
        )
    return space, data


def _own_seed(random_state: RandomStateLike) -> int | None:
    """A seed for the generator of a subject: an int is one itself, and None stays random."""
    if random_state is None:
        return None
    if isinstance(random_state, (np.random.RandomState, np.random.Generator)):
        return seed_of(random_state)
    return check_integer(random_state, "random_state", least=0)


@contextmanager
def quiet_fits() -> Iterator[None]:
    """Of hundreds of fits, none speaks of theory or convergence again."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TheoryWarning)
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield
