"""What KernelKGroups and KernelKMeans share: fit, predict, transform, score."""

import abc
import time
import warnings
from typing import Any, Self

import numpy as np
from sklearn.base import (
    ClassNamePrefixFeaturesOutMixin,
    ClusterMixin,
    TransformerMixin,
)
from sklearn.exceptions import ConvergenceWarning, InconsistentVersionWarning
from sklearn.utils.validation import check_is_fitted

from kgroups.bounds import OptimalityGap, optimality_gap
from kgroups.estimators.block_fitting import fit_row_source, in_chunks
from kgroups.estimators.cluster_answers import MADE, ClusterAnswers
from kgroups.estimators.number_of_clusters import (
    are_weights_equal,
    check_without_labels,
    number_of_clusters,
)
from kgroups.estimators.reported_clustering import ReportedClustering
from kgroups.estimators.source_rows import by_block
from kgroups.fit.answer import Answer
from kgroups.fit.fit import Fit
from kgroups.fit.plan import Plan, Wish, default_n_init, plan_for
from kgroups.fit.whole_fit import whole_fit
from kgroups.gram.cluster_means import means_of
from kgroups.input.estimator import Estimator
from kgroups.input.parameters import (
    check_choice,
    check_integer,
    check_memory_limit,
    check_n_jobs,
    check_number_or_auto,
    check_time_limit,
    check_weights,
)
from kgroups.input.rows import has_columns, is_row_source, n_rows, take
from kgroups.input.spaces import (
    PointSpace,
    Space,
    is_pairwise,
    measured,
    read_at_fit,
    read_input,
    space_for,
    takes_missing,
    takes_sparse_rows,
)
from kgroups.input.tables import check_distinct, count_distinct_rows
from kgroups.names import BOUND_KINDS, INITS, LANDMARKS, METHODS
from kgroups.runtime import progress
from kgroups.runtime.blas import one_thread_a_product
from kgroups.runtime.scaling import in_units
from kgroups.runtime.threads import Threads, at_most, effective_n_jobs
from kgroups.semimetrics.coordinates import Energy
from kgroups.solvers.centroids import RowsToBlockMeans, RowsToCentroids
from kgroups.solvers.partition import Solver
from kgroups.solvers.restarts import Improver
from kgroups.solvers.starts import Starts, checked_init
from kgroups.typing import Float64Array, IntArray
from kgroups.version import __version__


class KernelClustering(
    ClusterAnswers,
    ReportedClustering,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    ClusterMixin,
    Estimator,
    abc.ABC,
):
    """Fit, predict and transform for any solver of the kernel clustering problem."""

    n_clusters: int | str
    metric: Any
    init: Any
    n_init: Any
    max_iter: int
    tol: float
    method: str
    n_components: Any
    landmarks: str
    memory_limit: Any
    time_limit: Any
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
            ``metric="precomputed_kernel"``. Frames of pandas and polars keep their names. Sparse
            rows of SciPy stay sparse for the metrics that take them. A source of
            :mod:`kgroups.blocks` is read block by block where its rows do not fit the memory.
        y : ignored
        sample_weight : array (n,) or None
            Not negative, not all zero. A row of weight zero has no influence and joins the nearest
            cluster at the end. Where weights of one cluster differ by more than twelve orders of
            magnitude, sums in float64 do not resolve what the light rows contribute.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            For any parameter or entry out of its range, with the place and what to write instead.
        MemoryError
            When the n × n matrix would not fit, before allocating it.
        """
        with whole_fit(self):
            self._check_parameters()
            with progress.listening(progress.listener(self.verbose)):
                if is_row_source(X):
                    fit_row_source(self, X, sample_weight)
                    return self
                with at_most(effective_n_jobs(self.n_jobs)):
                    space, data = read_at_fit(self, space_for(self.metric), X)
                weights = check_weights(sample_weight, n_rows(data))
                number = number_of_clusters(self, X, len(weights), are_weights_equal(weights))
                fit = self._planned(space, data, X, weights, number.k)
                with one_thread_a_product():
                    self._keep(fit, fit.run())
                self.cluster_count_ = number.chosen_by
        return self

    def _planned(self, space: Space, data: Any, X: Any, sample_weight: Float64Array, k: int) -> Fit:
        """The fit of clean input: which way it takes, and where it begins."""
        n = n_rows(data)
        limit = self.time_limit
        deadline = np.inf if limit is None else time.monotonic() + float(limit)
        weights, unit = in_units(sample_weight)
        init = checked_init(self.init, n, k)
        if has_columns(data) and isinstance(space, PointSpace):
            check_distinct(count_distinct_rows(data, weights > 0, k), k)
        executor = Threads(effective_n_jobs(self.n_jobs))
        plan = plan_for(self._wish(), space, data, k, executor.n_workers)
        default = default_n_init(plan, n, k)
        starts = Starts.asked(init, self.n_init, default, X, self.random_state)
        if starts.are_labels and self.n_init not in ("auto", 1):
            warnings.warn(
                f"init gives the labels to start from, so one start is made instead of "
                f"n_init={self.n_init}.",
                RuntimeWarning,
                stacklevel=3,
            )
        return Fit(
            space=space,
            data=data,
            weights=weights,
            weight_unit=unit,
            k=k,
            plan=plan,
            starts=starts,
            solver=self._solver(),
            improver=self._improver(starts.seeds[0], plan, n, k),
            executor=executor,
            tol=self.tol,
            deadline=deadline,
        )

    def predict(self, X: Any) -> IntArray:
        """Nearest centroid in feature space of each point.

        For a semimetric of negative type, ``predict`` on the training data returns ``labels_``,
        unless two clusters hold the same point and nothing else, or the weight of a row is so small
        that no move of it counts by ``tol``. With ``metric="precomputed"`` X
        holds distances from the new points to the training points, shape (m, n); with
        ``"precomputed_kernel"`` similarities. O(mnD) time.

        References
        ----------
        M. Telgarsky & A. Vattani, "Hartigan's Method: k-Means Clustering without Voronoi", AISTATS
        2010, for labels of the training data.
        """
        if is_row_source(X):
            return np.asarray(by_block(self, X, self.predict), np.int64)
        return np.asarray(np.argmin(self._squared_distances(X), axis=1), dtype=np.int64)

    def transform(self, X: Any) -> Float64Array:
        r"""Distances in feature space to the k centroids, shape (m, k).

        .. math:: \|φ(x) - μ_l\|^2 = \tfrac1{s_l} \sum_{y ∈ C_l} w_y ρ(x, y) - \tfrac12 g(C_l, C_l)

        The units are those of √ρ. Not available for ``metric="precomputed_kernel"``, where K(x, x)
        of a new point is unknown.
        """
        self._needs_diagonal("transform")
        if is_row_source(X):
            return np.asarray(by_block(self, X, self.transform), np.float64)
        return np.sqrt(np.maximum(self._squared_distances(X), 0.0))

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Minus the within dispersion of X about the nearest centroids; larger is better.

        In units of ρ and growing with k: it compares models with the same metric and the same
        number of clusters. To search over ``metric__alpha`` or ``n_clusters`` give the search a
        ``scoring`` of its own.
        """
        self._needs_diagonal("score")
        if is_row_source(X):
            nearest = by_block(self, X, lambda rows: self._squared_distances(rows).min(axis=1))
            return -float(check_weights(sample_weight, len(nearest)) @ nearest)
        squared = self._squared_distances(X)
        return -float(check_weights(sample_weight, len(squared)) @ squared.min(axis=1))

    def optimality_gap(self, X: Any = None, *, kind: str = "auto") -> OptimalityGap:
        """How much better than this clustering any other into as many clusters can be.

        Parameters
        ----------
        X : matrix (n, n), table or sequence of n objects
            As in ``fit``; needed for ``metric="precomputed"`` and ``"precomputed_kernel"`` only,
            since the model keeps points and weights itself.
        kind : {"auto", "spectral", "blockwise", "semidefinite"}, default="auto"
            The bound: "spectral" takes some passes over all pairs, "blockwise" a fraction of a fit
            (both :func:`kgroups.bounds.spectral_bound`); "semidefinite" is sharper and takes at
            most 1,000 points (:func:`kgroups.bounds.semidefinite_bound`). "auto" is spectral, then
            semidefinite if that proves nothing for at most 200 points, which takes seconds; and
            "blockwise" beyond 2,000 points where that is quicker.

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
        check_choice(kind, "kind", BOUND_KINDS)
        nearest = self._nearest
        if isinstance(nearest, RowsToBlockMeans):
            raise ValueError(
                "optimality_gap needs the rows of the fit, which were read in blocks and not kept; "
                "use kgroups.bounds on a sample."
            )
        if not isinstance(nearest, RowsToCentroids):
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
        if X is not None and n_rows(X) != len(self.labels_):
            raise ValueError(
                f"optimality_gap needs the X of the fit, {len(self.labels_)} rows; got {n_rows(X)}."
            )
        return kept if X is None else self._read_again(X)

    def _read_again(self, X: Any) -> Any:
        """The X of the fit once more; what the fit said about it is not repeated."""
        if not is_pairwise(self.metric):
            return self._space.read_new(self, X)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            return read_input(X, self.metric)[1]

    def _check_parameters(self) -> None:
        self._solver()  # checks its own settings
        check_choice(self.method, "method", METHODS)
        check_choice(self.landmarks, "landmarks", LANDMARKS)
        if self.n_components != "auto":
            check_integer(self.n_components, "n_components")
        check_memory_limit(self.memory_limit)
        check_time_limit(self.time_limit)
        check_number_or_auto(self.n_clusters)
        check_without_labels(self.n_clusters, self.init)
        if self.n_init != "auto":
            check_integer(self.n_init, "n_init")
        if isinstance(self.init, str):
            check_choice(self.init, "init", INITS)
        check_n_jobs(self.n_jobs)

    def _wish(self) -> Wish:
        return Wish(
            method=self.method,
            n_components=self.n_components,
            landmarks=self.landmarks,
            memory_limit=self.memory_limit,
        )

    def _keep(self, fit: Fit, answer: Answer) -> None:
        self._keep_answer(answer, fit.space)
        self._place_weightless(fit.data, fit.weights)
        self._keep_means(fit)
        self._keep_for_answers(fit)

    def _keep_answer(self, answer: Answer, space: Space) -> None:
        """Everything that the answer of a fit says."""
        best = answer.partition
        self.labels_, self.n_clusters_ = best.labels, best.n_clusters
        self.objective_ = answer.objective
        self.within_dispersion_ = answer.within
        self.between_statistic_ = answer.between
        self.objective_history_ = answer.history
        self.start_names_ = list(answer.runs.names)
        self.start_histories_ = answer.start_histories
        self._best_start = answer.best_start
        self.cluster_weights_ = answer.cluster_weights
        self.cluster_dispersions_ = answer.cluster_dispersions
        self.n_iter_, self.n_moves_, self.converged_ = best.n_iter, best.n_moves, best.converged
        self.method_, self.method_reason_ = answer.plan.method, answer.plan.reason
        self.exactness_ = answer.exactness
        self.sketch_error_ = answer.sketch_error
        self.certificate_ = answer.certificate
        self.within_dispersion_interval_ = answer.within_interval
        self.between_statistic_interval_ = answer.between_interval
        self.metric_ = self.metric if space.semimetric is None else space.semimetric
        self.negative_type_violation_ = measured(space)
        self._space, self._nearest = space, answer.nearest
        self._n_features_out = best.n_clusters
        for name in ("cluster_centers_", "inertia_"):
            self.__dict__.pop(name, None)
        if not best.converged:
            warnings.warn(best.status.value, ConvergenceWarning, stacklevel=4)

    def _keep_means(self, fit: Fit) -> None:
        """What k-means calls centers and inertia, where the metric is that of k-means."""
        semimetric = fit.space.semimetric
        if isinstance(semimetric, Energy) and semimetric.alpha == 2:
            self.cluster_centers_ = means_of(fit.data, self.labels_, fit.weights, fit.k)
            self.inertia_ = self.within_dispersion_

    def _place_weightless(self, data: Any, weights: Float64Array) -> None:
        """A row of weight zero changes no sum: it goes where ``predict`` would put it."""
        for rows in in_chunks(np.flatnonzero(weights == 0)):
            self.labels_[rows] = np.argmin(self._to_centroids(take(data, rows)), axis=1)

    def _squared_distances(self, X: Any) -> Float64Array:
        check_is_fitted(self, "labels_")
        return self._to_centroids(self._space.read_new(self, X))

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

    def _improver(self, seed: int, plan: Plan, n: int, k: int) -> Improver | None:
        """What follows the starts; nothing unless a subclass says so."""
        return None

    def __sklearn_tags__(self) -> Any:
        """Square matrices are indexed on both axes by cross-validation."""
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = is_pairwise(self.metric)
        tags.input_tags.sparse = takes_sparse_rows(self.metric)
        tags.input_tags.allow_nan = takes_missing(self.metric)
        tags.input_tags.positive_only = tags.input_tags.pairwise and self.metric == "precomputed"
        return tags

    def __getstate__(self) -> dict[str, Any]:
        state = {**super().__getstate__(), "_kgroups_version": __version__}
        state.pop(MADE, None)
        return state

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
