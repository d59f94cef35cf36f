"""KernelKGroups and KernelKMeans for Dask arrays and dataframes."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import dask
import dask.array as da
import numpy as np
from distributed import Future
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from kgroups import estimators as local
from kgroups.blocks.row_source import float_type
from kgroups.dask.clusters import check_workers, client_for, is_current, memory_of
from kgroups.dask.dask_blocks import ClusterError, DaskBlocks, results_of
from kgroups.dask.dask_tables import DaskTable, pieces_of, weights_of
from kgroups.dask.gathered import (
    RowsOfTable,
    are_equal,
    first_row,
    fit_rows,
    fitted,
    fitted_names,
    in_memory,
    is_faster_on_one,
    rows_of,
    told,
)
from kgroups.dask.predictions import by_chunks, predicted, transformed, without_labels
from kgroups.dask.shares import block_size_for, shared_out
from kgroups.estimators.block_fitting import Columns, fit_blocks, keep_block_answer
from kgroups.estimators.number_of_clusters import NumberOfClusters, number_of_clusters
from kgroups.fit.block_plan import (
    bytes_kept,
    is_gathered,
    is_without_proof,
    size_of_blocks,
    space_of_blocks,
)
from kgroups.fit.checkpoint import check_place
from kgroups.fit.plan import STARTS_ON_ALL, Size
from kgroups.fit.whole_fit import whole_fit
from kgroups.input.rows import is_row_source
from kgroups.input.spaces import space_for
from kgroups.runtime import progress
from kgroups.runtime.blas import one_thread_a_product
from kgroups.runtime.memory import memory_limit
from kgroups.runtime.threads import Threads, effective_n_jobs
from kgroups.semimetrics.semimetric import Semimetric
from kgroups.solvers.block_search import rows_at_once

# The share of a worker's memory that all rows and a fit of them may take.
_OF_ONE_WORKER = 0.6


class _OnCluster(BaseEstimator):
    """Fit, predict and transform on a cluster, by a local estimator that says how."""

    labels_: Any
    cluster_weights_: Any
    n_features_in_: int

    _local_class: ClassVar[Any]

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        client: Any = None,
        checkpoint: Any = None,
    ) -> Self:
        """Find clusters.

        Up to 50,000 rows are gathered and fitted in this process. One worker fits all rows where
        its memory holds them with what a proof of all needs; and without such a proof up to 128 MiB
        of them, or up to 1 GiB if it is the only one. More rows stay with the workers. The labels
        are those of the local estimator, bit for bit, for any number of workers and any chunks, on
        processors with the same vector instructions.

        Parameters
        ----------
        X : Dask array (n, D), Dask dataframe, or source of :mod:`kgroups.blocks`
            Rows of numbers in chunks of any size, also of unknown size. A source has to be readable
            from all workers.
        y : ignored
        sample_weight : Dask array or Series (n,), array (n,), or None
            As for the local estimator; its chunks may be others than those of X.
        client : distributed.Client or None
            The cluster; the current client by default.
        checkpoint : path, address of fsspec, or None
            A file that keeps labels and means after each sweep, so that a fit whose client has
            died goes on from there, to the same result. It needs an integer ``random_state``; a
            file of other data or settings is refused. Fits of gathered rows do not write it.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            For any parameter or entry out of its range, with the place and what to write instead.
        ClusterError
            If work fails for good; the message names the stage and the worker.
        MemoryError
            If the workers cannot keep what they need of the rows.
        """
        with whole_fit(self):
            model = self._local_class(**self.get_params(deep=False))
            model._check_parameters()
            if checkpoint is not None:
                check_place(str(checkpoint))
            client = client_for(client)
            workers = check_workers(client)
            with progress.listening(progress.listener(self.verbose)), client.as_current():
                self._fit(model, X, sample_weight, client, workers, checkpoint)
        return self

    def _fit(
        self,
        model: Any,
        X: Any,
        sample_weight: Any,
        client: Any,
        workers: dict[str, Any],
        checkpoint: Any,
    ) -> None:
        is_source = is_row_source(X)
        table = None if is_source else DaskTable.of(X, client)
        n = X.n_rows if table is None else table.n_rows
        weights = None if sample_weight is None else weights_of(sample_weight, n, client)
        chunks = (n,) if table is None else table.lengths
        columns = Columns(
            n=X.n_columns if table is None else table.n_columns,
            names=X.names if table is None else table.names,
            place=X.place if table is None else table.place,
        )
        if n <= STARTS_ON_ALL:
            rows = X.read(0, n) if table is None else rows_of(table, client)
            fit_rows(model, rows, in_memory(weights, client), columns)
            self._keep(model, chunks)
            return
        few = X.read(0, 1) if table is None else first_row(table, client)
        drawn_from = X if table is None else RowsOfTable(table, client)
        number = number_of_clusters(model, drawn_from, n, are_equal(weights, client))
        size, semimetric = self._size(model, few, n, number.k, workers)
        if self._is_gathered(model, size, semimetric, workers, is_kept=checkpoint is not None):
            self._fit_on_one(model, X, table, weights, columns, number, client)
            if is_without_proof(model._wish(), size, semimetric):
                self._model = self.to_local()  # which holds no rows
            return
        kept = bytes_kept(model._wish(), size, has_weights=weights is not None)
        rows_kept, room = shared_out(workers, size, kept, model._wish().n_components)
        where = self._blocks(X, table, weights, client, workers, rows_kept)
        executor = Threads(effective_n_jobs(self.n_jobs))
        try:
            with one_thread_a_product():
                space, some, answer = fit_blocks(
                    model,
                    where,
                    columns,
                    executor,
                    k=number.k,
                    room=room,
                    on_workers=True,
                    checkpoint=None if checkpoint is None else str(checkpoint),
                )
                keep_block_answer(model, where, space, some, answer)
                model.cluster_count_ = number.chosen_by
        finally:
            where.close()
        self._keep(model, chunks)

    def _size(
        self, model: Any, few: Any, n: int, k: int, workers: dict[str, Any]
    ) -> tuple[Size, Semimetric]:
        """What is known before any work, from the first row."""
        space = space_of_blocks(space_for(model.metric))
        few = np.asarray(few, float_type([few.dtype]))
        n_threads = max(int(w["nthreads"]) for w in workers.values())
        return size_of_blocks(space, few, n, k, n_threads), space.semimetric

    def _is_gathered(
        self,
        model: Any,
        size: Size,
        semimetric: Semimetric,
        workers: dict[str, Any],
        *,
        is_kept: bool,
    ) -> bool:
        """Whether all rows go to one worker, whose memory they fit.

        They do where a proof needs all of them, and where they are too few to be worth sharing
        and sweeps need not be kept.
        """
        limits = [_OF_ONE_WORKER * memory_of(workers)]
        if self.memory_limit is not None:
            limits.append(float(memory_limit(self.memory_limit) or np.inf))
        room = None if min(limits) == np.inf else int(min(limits))
        wish = model._wish()
        if is_without_proof(wish, size, semimetric):
            return not is_kept and is_faster_on_one(size, len(workers), room, wish.n_components)
        return is_gathered(wish, size, semimetric, room)

    def _fit_on_one(
        self,
        model: Any,
        X: Any,
        table: DaskTable | None,
        weights: Any,
        columns: Columns,
        number: NumberOfClusters,
        client: Any,
    ) -> None:
        """A fit of all rows by one task, which keeps the model and tells what it says."""
        parts = [X] if table is None else list(table.array.to_delayed().ravel())
        given = [] if weights is None else [weights]
        if isinstance(weights, da.Array):
            given = list(weights.to_delayed().ravel())
        seed = int(np.random.default_rng().integers(1 << 31))
        task = dask.delayed(fitted, pure=False)(model, columns, parts, given, number, seed)
        model_there = client.compute(task)
        said = client.submit(told, model_there, pure=False)
        self._keep_told(results_of([said], client, "fit of gathered rows")[0])
        self._model = model_there
        chunks = (len(self.labels_),) if table is None else table.lengths
        self.labels_ = da.from_array(self.labels_, chunks=(chunks,))

    def _keep_told(self, told: dict[str, Any]) -> None:
        for name in fitted_names(self):  # of an earlier fit
            delattr(self, name)
        for name, value in told.items():
            setattr(self, name, value)

    def _blocks(
        self,
        X: Any,
        table: DaskTable | None,
        weights: Any,
        client: Any,
        workers: dict[str, Any],
        rows_kept: int,
    ) -> DaskBlocks:
        """The blocks of a table, of a size that lets all workers share in a group of them."""
        n = X.n_rows if table is None else table.n_rows
        group = rows_at_once(n)
        n_threads = sum(int(w["nthreads"]) for w in workers.values())
        size = block_size_for(group, n_threads)
        spans = [(a, min(a + size, n)) for a in range(0, n, size)]
        given_dtype = X.dtype if table is None else table.dtype
        return DaskBlocks(
            client,
            n,
            size,
            group,
            n_columns=X.n_columns if table is None else table.n_columns,
            dtype=float_type([given_dtype]),
            given_dtype=given_dtype,
            rows=None if table is None else table.pieces(spans),
            weights=None if weights is None else pieces_of(weights, spans),
            source=X if table is None else None,
            rows_kept=rows_kept,
        )

    def _keep(self, model: Any, chunks: tuple[int, ...]) -> None:
        """Everything that the local estimator says, with labels in the chunks of X."""
        self._keep_told(told(model))
        self._model = model
        self.labels_ = da.from_array(np.asarray(model.labels_, np.int32), chunks=(chunks,))

    def predict(self, X: Any) -> Any:
        """Nearest centroid in feature space of each row, as a lazy Dask array (n,).

        See the local estimator. An array in memory is predicted at once.
        """
        return self._lazily(X, predicted, np.int64, ())

    def transform(self, X: Any) -> Any:
        """Distances in feature space to the k centroids, as a lazy Dask array (n, k)."""
        return self._lazily(X, transformed, np.float64, (len(self.cluster_weights_),))

    def fit_predict(self, X: Any, y: Any = None, **settings: Any) -> Any:
        """The labels of a fit, with the chunks of X."""
        return self.fit(X, y, **settings).labels_

    def to_local(self) -> Any:
        """The fitted estimator for rows in memory, with its labels.

        After a fit of rows that stayed with the workers it holds no rows, and pickles to the size
        of its labels and of k centroids.
        """
        check_is_fitted(self, "labels_")
        if not isinstance(self._model, Future):
            return self._model
        client = self._model.client
        if client.status != "running":
            raise ClusterError(
                "The model of this fit holds all rows and lies on a worker, and the client of the "
                f"fit is {client.status}; keep what to_local() returns, or a copy of this "
                "estimator, while it is running."
            )
        return results_of([self._model], client, "fetch of the model")[0]

    def __getstate__(self) -> dict[str, Any]:
        """A copy, or a pickle, has the model itself: another process cannot fetch it."""
        state: dict[str, Any] = super().__getstate__()
        if isinstance(state.get("_model"), Future):
            state = {**state, "_model": self.to_local()}
        return state

    def _lazily(self, X: Any, work: Any, dtype: Any, more: tuple[int, ...]) -> Any:
        check_is_fitted(self, "labels_")
        model = self._model
        # What is computed later, on whatever cluster, cannot find a model that lies on another.
        if not (isinstance(model, Future) and is_current(model.client)):
            model = without_labels(self.to_local())
        if is_row_source(X):
            local = self.to_local()
            return local.predict(X) if work is predicted else local.transform(X)
        if hasattr(X, "to_dask_array"):
            self._check_names(X)
            X = X.to_dask_array()
        if not isinstance(X, da.Array):
            return work(X, self.to_local())
        if X.ndim != 2 or X.shape[1] != self.n_features_in_:
            raise ValueError(
                f"X has shape {X.shape}, and the fit had {self.n_features_in_} columns; give as "
                "many."
            )
        return by_chunks(X, work, model, dtype, more)

    def _check_names(self, frame: Any) -> None:
        """ValueError for other columns than those of the fit, or in another order."""
        given = [str(column) for column in frame.columns]
        known = list(getattr(self, "feature_names_in_", given))
        if known != given:
            raise ValueError(
                f"X has the columns {given}, and the fit had {known}; choose these, in this order."
            )


class KernelKGroups(_OnCluster):
    """Kernel k-groups on a Dask cluster, with the parameters of :class:`kgroups.KernelKGroups`.

    Attributes
    ----------
    labels_ : Dask array (n,)
        As of the local estimator, with the chunks of X.

    Examples
    --------
    >>> import dask.array as da
    >>> from distributed import Client
    >>> from kgroups.dask import KernelKGroups
    >>> client = Client(processes=False, n_workers=1, dashboard_address=":0")
    >>> X = da.from_array([[0.0], [1.0], [10.0], [12.0]], chunks=(2, 1))
    >>> KernelKGroups(2, random_state=0).fit(X).labels_.compute().tolist()
    [0, 0, 1, 1]
    >>> client.close()

    References
    ----------
    G. França, M. L. Rizzo & J. T. Vogelstein, "Kernel k-Groups via Hartigan's Method", IEEE TPAMI
    43 (2020), Algorithm 2.
    """

    _local_class = local.KernelKGroups

    def __init__(
        self,
        n_clusters: int | str = 8,
        *,
        metric: Any = "energy",
        init: Any = "auto",
        n_init: Any = "auto",
        max_iter: int = 300,
        tol: float = 1e-12,
        method: str = "auto",
        n_components: Any = "auto",
        landmarks: str = "distant",
        memory_limit: Any = None,
        time_limit: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: Any = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.metric = metric
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.method = method
        self.n_components = n_components
        self.landmarks = landmarks
        self.memory_limit = memory_limit
        self.time_limit = time_limit
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class KernelKMeans(_OnCluster):
    """Kernel k-means on a Dask cluster, with the parameters of :class:`kgroups.KernelKMeans`.

    More rows than 50,000 are gathered on one worker, whose memory they have to fit.

    Attributes
    ----------
    labels_ : Dask array (n,)
        As of the local estimator, with the chunks of X.
    """

    _local_class = local.KernelKMeans

    def __init__(
        self,
        n_clusters: int | str = 8,
        *,
        metric: Any = "energy",
        init: Any = "auto",
        n_init: Any = "auto",
        max_iter: int = 300,
        tol: float = 1e-12,
        method: str = "auto",
        n_components: Any = "auto",
        landmarks: str = "distant",
        memory_limit: Any = None,
        time_limit: Any = None,
        algorithm: str = "batch",
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: Any = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.metric = metric
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.method = method
        self.n_components = n_components
        self.landmarks = landmarks
        self.memory_limit = memory_limit
        self.time_limit = time_limit
        self.algorithm = algorithm
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
