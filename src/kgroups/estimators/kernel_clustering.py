"""What both estimators share: reading input, running the starts, keeping the answer."""

from __future__ import annotations

import abc
import warnings
from collections.abc import Callable
from copy import deepcopy
from typing import Any, Self

import numpy as np
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    ClusterMixin,
    TransformerMixin,
)
from sklearn.exceptions import ConvergenceWarning, InconsistentVersionWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from kgroups.bounds import KINDS, OptimalityGap, optimality_gap
from kgroups.fit import starts as initialization
from kgroups.fit.fit import Fit, Task
from kgroups.fit.nearest import ToCentroids
from kgroups.fit.starts import Problem, portfolio
from kgroups.gram import FactorGram
from kgroups.input.parameters import (
    check_choice,
    check_integer,
    check_labels,
    check_memory_limit,
    check_n_clusters,
    check_n_jobs,
    check_weights,
)
from kgroups.input.rows import n_rows, take
from kgroups.input.spaces import PointSpace, Space, is_pairwise, is_table, space_for
from kgroups.input.tables import check_distinct, count_distinct_rows
from kgroups.runtime import progress
from kgroups.runtime.blas import one_thread_a_product
from kgroups.runtime.progress import Progress
from kgroups.runtime.scaling import power_of_two
from kgroups.runtime.threads import at_most, effective_n_jobs
from kgroups.sketch.sketch import Improver, Search
from kgroups.solvers import Solver, Start
from kgroups.typing import Float64Array, IntArray
from kgroups.version import __version__

METHODS = ("auto", "dense", "matrix_free", "nystroem")


class KernelClustering(
    ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, BaseEstimator, abc.ABC
):
    """Fit, predict and transform for any solver of the kernel clustering problem."""

    n_clusters: int
    metric: Any
    init: Any
    n_init: Any
    max_iter: int
    tol: float
    method: str
    n_components: Any
    landmarks: str
    memory_limit: Any
    random_state: Any
    n_jobs: int | None
    verbose: Any

    @abc.abstractmethod
    def _solver(self) -> Solver:
        """The solver with this estimator's settings."""

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find clusters.

        Parameters
        ----------
        X : table (n, D), sequence of n objects, or matrix (n, n)
            Numbers for a named metric or a semimetric object; anything for a function of two
            objects; distances for ``metric="precomputed"``; a symmetric Gram matrix for
            ``metric="precomputed_kernel"``. Frames of pandas and polars keep their names.
        y : ignored
        sample_weight : array (n,) or None
            Not negative, not all zero. A row of weight zero has no say and joins the nearest
            cluster at the end.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            For any parameter or entry out of its range, with the place and what to write instead.
        MemoryError
            When the n × n matrix would not fit, before it is made.
        """
        solver, finisher = self._solver(), self._finisher()
        self._check_parameters()
        space = space_for(self.metric)
        for name in ("categories_", "feature_names_in_", "n_features_in_"):
            self.__dict__.pop(name, None)  # of an earlier fit, maybe to another kind of input
        data = space.read(self, X, reset=True)
        n = n_rows(data)
        k = check_n_clusters(self.n_clusters, n)
        weights, unit = _in_units(check_weights(sample_weight, n))
        if self._starts_from_labels:  # before any work is done
            check_labels(self.init, n, k, "init")
        if is_table(data) and isinstance(space, PointSpace):
            check_distinct(count_distinct_rows(data, weights > 0, k), k)
        n_threads = effective_n_jobs(self.n_jobs)
        plan = space.plan(self, data, k, n_threads)
        rng = check_random_state(self.random_state)
        seed = int(deepcopy(rng).randint(2**31 - 1))
        task = Task(
            space=space,
            data=data,
            weights=weights,
            k=k,
            plan=plan,
            search=Search(
                solver=solver,
                n_threads=n_threads,
                improver=self._improver(solver, seed, n),
            ),
            seed=seed,
            starts=lambda problem: self._starts(problem, X, rng),
            starts_exactly=not isinstance(self.init, str),
            keeps_numbers=self._starts_from_labels,
            finisher=finisher,
        )
        with progress.listening(self._listener(space, unit)), one_thread_a_product():
            progress.tell(Progress(phase="plan", note=f"{plan.method}: {plan.reason}"))
            fit = task.run()
        self._keep_numbers(fit, space, unit)
        self._keep_clusters(fit, task, unit)
        return self

    def predict(self, X: Any) -> IntArray:
        """Nearest centroid in feature space of each point.

        For a semimetric of negative type, ``predict`` on the training data returns ``labels_``
        [TV], unless two clusters hold the same point and nothing else. With
        ``metric="precomputed"`` X holds distances from the new points to the training points,
        shape (m, n); with ``"precomputed_kernel"`` similarities. O(mnD) time.
        """
        return np.asarray(np.argmin(self._squared_distances(X), axis=1), dtype=np.int64)

    def transform(self, X: Any) -> Float64Array:
        r"""Distances in feature space to the k centroids, shape (m, k).

        .. math:: \|φ(x) - μ_l\|^2 = \tfrac1{s_l} \sum_{y ∈ C_l} w_y ρ(x, y) - \tfrac12 g(C_l, C_l)

        The units are those of √ρ. Not for ``metric="precomputed_kernel"``, where K(x, x) of a new
        point is unknown.
        """
        self._needs_diagonal("transform")
        return np.sqrt(np.maximum(self._squared_distances(X), 0.0))

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Minus the within dispersion of X about the nearest centroids; larger is better.

        In units of ρ and growing with k: it compares models with the same metric and the same
        number of clusters. To search over ``metric__alpha`` or ``n_clusters`` give the search a
        ``scoring`` of its own.
        """
        self._needs_diagonal("score")
        squared = self._squared_distances(X)
        return -float(check_weights(sample_weight, len(squared)) @ squared.min(axis=1))

    def optimality_gap(self, X: Any = None, *, kind: str = "auto") -> OptimalityGap:
        """How much better than this clustering any other into as many clusters can be.

        Parameters
        ----------
        X : matrix (n, n), table or sequence of n objects
            As in ``fit``; needed for ``metric="precomputed"`` and ``"precomputed_kernel"`` only,
            for the model keeps points and weights itself.
        kind : {"auto", "spectral", "blockwise", "semidefinite"}, default="auto"
            The bound: see :func:`kgroups.bounds.spectral_bound`, some passes over all pairs, or
            blockwise in a fraction of a fit; and :func:`kgroups.bounds.semidefinite_bound`, better
            and for at most 1,000 points. "auto" is the last up to 200 points where the first proves
            nothing, seconds; and "blockwise" beyond 2,000 points where that is quicker.

        Returns
        -------
        OptimalityGap
            With ``bound``, ``gap`` = (W - bound)/W, ``kind`` and ``proves_optimal``.

        Raises
        ------
        ValueError
            After a fit with method "nystroem", whose W is an estimate that no bound applies to.

        Examples
        --------
        >>> from kgroups import KernelKGroups
        >>> model = KernelKGroups(2, random_state=0).fit([[0.0], [1.0], [10.0], [12.0]])
        >>> model.optimality_gap().proves_optimal
        True
        """
        check_is_fitted(self, "labels_")
        check_choice(kind, "kind", KINDS)
        nearest = self._nearest
        if not isinstance(nearest, ToCentroids):
            raise ValueError(
                'optimality_gap compares W with a bound, and a fit with method="nystroem" only '
                'estimates W; fit with method="matrix_free", or use kgroups.bounds on a sample.'
            )
        data = self._training_data(nearest.training, X)
        weights = nearest.centroids.weights
        unit = float(self.cluster_weights_.sum() / nearest.centroids.partition_weight.sum())
        with at_most(effective_n_jobs(self.n_jobs)):
            k, W = len(self.cluster_weights_), self.within_dispersion_
            return optimality_gap(self._space, data, weights, k, W, kind, unit)

    def _training_data(self, kept: Any, X: Any) -> Any:
        if X is None and kept is None:
            raise ValueError(
                f'optimality_gap needs the matrix of the fit, which metric="{self.metric}" does '
                "not keep: write optimality_gap(X)."
            )
        data = kept if X is None else self._space.read(self, X, reset=False)
        if n_rows(data) != len(self.labels_):
            raise ValueError(
                f"optimality_gap needs the X of the fit, {len(self.labels_)} rows; got "
                f"{n_rows(data)}."
            )
        return data

    def _check_parameters(self) -> None:
        check_choice(self.method, "method", METHODS)
        check_choice(self.landmarks, "landmarks", ("uniform", "distant"))
        if self.n_components != "auto":
            check_integer(self.n_components, "n_components")
        check_memory_limit(self.memory_limit)
        check_integer(self.n_clusters, "n_clusters")
        if self.n_init != "auto":
            check_integer(self.n_init, "n_init")
        if isinstance(self.init, str):
            check_choice(self.init, "init", ("auto", *initialization.BY_NAME))
        check_n_jobs(self.n_jobs)

    @property
    def _starts_from_labels(self) -> bool:
        return not isinstance(self.init, str) and not callable(self.init)

    def _starts(self, problem: Problem, X: Any, rng: np.random.RandomState) -> list[Start]:
        """Starts with seeds drawn up front, so that no result depends on the threads."""
        n, k = problem.gram.n, problem.n_clusters
        if isinstance(self.init, str):
            several = self.init != "spectral" and k > 1
            default = 1
            if several:
                on_sketch = isinstance(problem.gram, FactorGram)
                default = (
                    initialization.default_n_init_on_sketch(k)
                    if on_sketch
                    else initialization.default_n_init(n, k)
                )
            n_init = default if self.n_init == "auto" else self.n_init
            seeds = rng.randint(2**31 - 1, size=n_init).tolist()
            return portfolio(self.init, problem, seeds)
        if callable(self.init):
            n_init = 1 if self.n_init == "auto" else self.n_init
            seeds = rng.randint(2**31 - 1, size=n_init).tolist()
            return [self._called_start(X, n, k, seed) for seed in seeds]
        labels = check_labels(self.init, n, k, "init")
        if self.n_init not in ("auto", 1):
            warnings.warn(
                f"init gives the labels to start from, so one start is made instead of "
                f"n_init={self.n_init}.",
                RuntimeWarning,
                stacklevel=5,
            )
        return [Start(name="given", labels=lambda: labels)]

    def _called_start(self, X: Any, n: int, k: int, seed: int) -> Start:
        def labels() -> IntArray:
            made = self.init(X, k, np.random.RandomState(seed))
            return check_labels(made, n, k, "what init returned")

        return Start(name=getattr(self.init, "__name__", "callable"), labels=labels)

    def _keep_numbers(self, fit: Fit, space: Space, unit: float) -> None:
        best = fit.partition

        def scaled(values: Any, together: float = best.together) -> Any:
            return (values - together + space.constant) * unit

        self.objective_ = scaled(best.objective)
        self.objective_history_ = scaled(best.history)
        self.start_names_ = list(fit.runs.names)
        self.start_histories_ = [
            ((p.history - p.together) * fit.runs_scale + space.constant) * unit
            for p in fit.runs.partitions
        ]
        self.within_dispersion_ = float(fit.totals.sum() - best.objective) * unit
        self.between_statistic_ = (best.objective - best.together) * unit
        self.n_iter_ = best.n_iter
        self.n_moves_ = best.n_moves
        self.converged_ = best.converged
        self.cluster_dispersions_ = fit.cluster_dispersions * unit
        if fit.dispersion is not None:
            between = (fit.dispersion.total - fit.dispersion.within) * unit
            self.objective_ = self.between_statistic_ = between
            self.objective_history_ = between + (best.history - best.history[-1]) * unit
            self.within_dispersion_ = fit.dispersion.within * unit
        if not best.converged:
            warnings.warn(best.status.value, ConvergenceWarning, stacklevel=3)

    def _keep_clusters(self, fit: Fit, task: Task, unit: float) -> None:
        space, weights = task.space, task.weights
        best = fit.partition
        self.cluster_weights_ = best.weight * unit
        self.method_ = task.plan.method
        self.method_reason_ = task.plan.reason
        self.exactness_ = fit.exactness
        self.sketch_error_ = fit.sketch_error
        self.metric_ = space.semimetric if space.semimetric is not None else self.metric
        self._space = space
        self._n_features_out = best.n_clusters
        self.labels_ = best.labels
        self._nearest = fit.nearest
        self._place_weightless(task.data, weights)

    def _place_weightless(self, data: Any, weights: Float64Array) -> None:
        """A row of weight zero changes no sum: it goes where ``predict`` would put it."""
        rows = np.flatnonzero(weights == 0)
        if rows.size:
            self.labels_[rows] = np.argmin(self._to_centroids(take(data, rows)), axis=1)

    def _squared_distances(self, X: Any) -> Float64Array:
        check_is_fitted(self, "labels_")
        return self._to_centroids(self._space.read(self, X, reset=False))

    def _to_centroids(self, data: Any) -> Float64Array:
        with at_most(effective_n_jobs(self.n_jobs)):
            return self._nearest.squared_distances(data)

    def _needs_diagonal(self, what: str) -> None:
        check_is_fitted(self, "labels_")
        if not self._space.knows_diagonal:
            raise ValueError(
                f'{what} needs K(x, x) of every new point, which metric="precomputed_kernel" does '
                'not give; use metric="precomputed" with K(x,x) + K(y,y) - 2 K(x,y), or predict.'
            )

    def _listener(self, space: Space, unit: float) -> Callable[[Progress], None] | None:
        """What hears of each step, on the scale of ``objective_``."""
        tell = self.verbose if callable(self.verbose) else print

        def scaled(objective: float) -> float:
            return (objective + space.constant) * unit

        return (lambda event: tell(event.on_scale(scaled))) if self.verbose else None

    def _improver(self, solver: Solver, seed: int, n: int) -> Improver | None:
        """Moves of whole clusters after the starts; none unless a subclass says so."""
        return None

    def _finisher(self) -> Improver | None:
        """What has the last word on the winner; nothing unless a subclass says so."""
        return None

    def __sklearn_tags__(self) -> Any:
        """Square matrices are indexed on both axes by cross-validation."""
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = is_pairwise(self.metric)
        tags.input_tags.positive_only = tags.input_tags.pairwise and self.metric == "precomputed"
        return tags

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_kgroups_version": __version__}

    def __setstate__(self, state: dict[str, Any]) -> None:
        made_by = state.pop("_kgroups_version", __version__)
        if made_by != __version__:
            warnings.warn(
                InconsistentVersionWarning(
                    estimator_name=type(self).__name__,
                    current_sklearn_version=f"(kgroups) {__version__}",
                    original_sklearn_version=f"(kgroups) {made_by}",
                ),
                stacklevel=2,
            )
        super().__setstate__(state)


def _in_units(weights: Float64Array) -> tuple[Float64Array, float]:
    """Weights in units of a power of two near the largest, so that no square over- or underflows.

    A power of two, because dividing by it rounds nothing.
    """
    unit = power_of_two(weights.max())
    return weights / unit, unit
