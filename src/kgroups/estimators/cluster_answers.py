"""What a fitted model says about its clusters: rows that stand for them, how sure labels are."""

from __future__ import annotations

import abc
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from kgroups.answers.answers import (
    Answers,
    KeptDistances,
    KeptRows,
    Nearest,
    kept_distances,
    kept_rows,
)
from kgroups.answers.centers import nearest_rows, relative
from kgroups.answers.description import Description
from kgroups.answers.membership import UNCERTAIN, probabilities
from kgroups.estimators.source_rows import by_block
from kgroups.input.parameters import check_integer, check_weights
from kgroups.input.rows import is_row_source, n_rows
from kgroups.input.spaces import Space, is_pairwise
from kgroups.runtime.data_frames import data_frame
from kgroups.runtime.threads import at_most, effective_n_jobs
from kgroups.semimetrics import Semimetric
from kgroups.solvers.centroids import RowsToCentroids
from kgroups.typing import Float64Array, IntArray

if TYPE_CHECKING:
    from kgroups.fit.fit import Fit

#: Where a model keeps answers that have been made; neither copies nor files have them.
MADE = "_made_answers"
_LEAST = float(np.finfo(np.float64).tiny)


class ClusterAnswers(abc.ABC):
    """Answers of :class:`KernelKGroups` and :class:`KernelKMeans` about their clusters."""

    labels_: IntArray
    cluster_weights_: Float64Array
    cluster_dispersions_: Float64Array
    metric: Any
    metric_: Semimetric | str
    n_jobs: int | None
    _space: Space
    _nearest: Nearest
    #: Some rows, or distances, of a fit that does not keep all of its rows.
    _kept: KeptRows | KeptDistances | None

    @abc.abstractmethod
    def transform(self, X: Any) -> Float64Array:
        """Distances in feature space to the centroids, (m, k)."""

    @abc.abstractmethod
    def _squared_distances(self, X: Any) -> Float64Array:
        """Their squares, up to what all centroids share."""

    def predict_proba(self, X: Any) -> Float64Array:
        r"""How sure the cluster of each row is, shape (m, k); the largest is that of ``predict``.

        .. math:: p_l(x) ∝ e^{-\|φ(x) - μ_l\|^2 / T}

        The temperature T, ``temperature_``, is such that the mean entropy of up to 1,000 rows of
        the fit (20 per cluster) equals that of a reassignment by halves: a mixture of Gaussians
        with one covariance is fitted to one half of them, beginning with their labels, and
        reassigns the other. Outliers are left out. Where clusters are Gaussian, the mean of the
        largest probabilities is that of the true ones, within .05 from some hundred rows on. O(mnD)
        time as for ``predict``, once O(1000² D) for the temperature.

        Parameters
        ----------
        X : as in ``predict``

        Returns
        -------
        array (m, k)
            Rows that sum to 1.

        Warns
        -----
        RuntimeWarning
            If rows of the fit are not in the cluster with the nearest centroid, as happens where
            the metric is not of negative type: probabilities are those of ``predict``.

        Examples
        --------
        >>> from kgroups import KernelKGroups
        >>> X = [[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]]
        >>> model = KernelKGroups(2, random_state=0).fit(X)
        >>> bool(model.predict_proba([[5.9]]).argmax() == model.predict([[5.9]])[0])
        True
        """
        if is_row_source(X):
            return np.asarray(by_block(self, X, self.predict_proba), np.float64)
        squared, temperature = self._squared_distances(X), self.temperature_
        self._answers.warn_of_other_labels()
        return probabilities(squared, temperature)

    @property
    def temperature_(self) -> float:
        """T of :meth:`predict_proba`, in units of ρ; found when it is first asked for."""
        check_is_fitted(self, "labels_")
        with at_most(effective_n_jobs(self.n_jobs)):
            return self._answers.temperature

    @property
    def medoid_indices_(self) -> IntArray:
        """The row of the fit nearest to the centroid of each cluster, (k,); −1 without a row.

        Found when it is first asked for, in O(n²D/k), or O(nkD) where centroids are means.
        AttributeError after a fit that keeps no rows, where :meth:`exemplars` takes them.
        """
        return self._medoids(self._own_distances("medoid_indices_", "exemplars(1, X)"))

    @property
    def outlier_scores_(self) -> Float64Array:
        r"""How far each row of the fit is from the center of its cluster, (n,): 1 is usual.

        ‖φ(x) − μ_j‖² over its median in the cluster of the row, in the time of
        ``medoid_indices_``; see :meth:`outlier_scores` for other rows.
        """
        own = self._own_distances("outlier_scores_", "outlier_scores(X)")
        return relative(own, self.labels_, self._answers.usual_distances)

    def outlier_scores(self, X: Any) -> Float64Array:
        r"""How far rows are from the nearest center, (m,): 1 is usual in that cluster.

        ‖φ(x) − μ_l‖² over its median in the cluster, in O(mnD) time as for ``predict``, and once
        that of ``medoid_indices_``. After a fit that keeps no rows the median is that of the rows
        by which ``temperature_`` is found, or the mean of a cluster of which these have no row.

        Parameters
        ----------
        X : as in ``transform``

        Examples
        --------
        >>> from kgroups import KernelKGroups
        >>> X = [[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]]
        >>> model = KernelKGroups(2, random_state=0).fit(X)
        >>> scores = model.outlier_scores([[2.0], [-40.0]])
        >>> bool(scores[0] < 2 < 20 < scores[1])
        True
        """
        squared = self.transform(X) ** 2
        nearest = np.argmin(squared, axis=1)
        with at_most(effective_n_jobs(self.n_jobs)):
            usual = self._answers.usual_distances
        mean = self.cluster_dispersions_ / np.maximum(self.cluster_weights_, _LEAST)
        usual = np.where(np.isnan(usual), mean, usual)
        return relative(squared[np.arange(len(squared)), nearest], nearest, usual)

    def exemplars(
        self, n: int = 5, X: Any = None, *, sample_weight: ArrayLike | None = None
    ) -> list[IntArray]:
        """For each cluster the n rows nearest to its center, the nearest first.

        Parameters
        ----------
        n : int, default=5
            Rows per cluster; fewer where it has fewer that differ.
        X, sample_weight : as in ``fit``
            Needed after a fit that keeps no rows: ``method="nystroem"``, and rows read in blocks.

        Returns
        -------
        list of k arrays
            Numbers of rows. Rows of weight zero are left out, and of equal rows all but the first.

        Examples
        --------
        >>> from kgroups import KernelKGroups
        >>> X = [[0.0], [1.0], [2.0], [10.0], [11.0], [12.0], [13.0]]
        >>> model = KernelKGroups(2, random_state=0).fit(X)
        >>> [rows.tolist() for rows in model.exemplars(2)]
        [[4, 5], [1, 0]]
        """
        check_is_fitted(self, "labels_")
        count, k = check_integer(n, "n"), len(self.cluster_weights_)
        answers = self._answers
        if X is None or answers.knows_all_rows:
            self._check_n_rows(X)
            own = self._own_distances("exemplars", "exemplars(n, X)")
            counts = answers.weights > 0
            return nearest_rows(own, self.labels_, k, count, counts, answers.training)
        squared = self._of_all_rows(X)
        own = squared[np.arange(len(squared)), self.labels_]
        counts = check_weights(sample_weight, len(own)) > 0
        data = self._space.read_new(self, X)
        return nearest_rows(own, self.labels_, k, count, counts, data)

    def uncertain_rows(self, below: float = UNCERTAIN, X: Any = None) -> IntArray:
        """Rows of the fit that could as well be in another cluster, the least certain first.

        O(n²D) time, or O(nkD) where centroids are means.

        Parameters
        ----------
        below : float, default=0.6
            Rows whose label has a smaller probability, see :meth:`predict_proba`.
        X : as in ``fit``
            Needed after a fit that keeps no rows.

        Returns
        -------
        array
            Numbers of rows.

        Examples
        --------
        >>> import numpy as np
        >>> from kgroups import KernelKGroups
        >>> X = np.concatenate([np.linspace(0, 3, 31), [5.0], np.linspace(7, 10, 31)])[:, None]
        >>> KernelKGroups(2, random_state=0).fit(X).uncertain_rows(below=0.9).tolist()
        [31]
        """
        check_is_fitted(self, "labels_")
        if not 0 <= below <= 1:
            raise ValueError(f"below must be a probability between 0 and 1; got {below!r}.")
        answers = self._answers
        if X is None or answers.knows_all_rows:
            self._check_n_rows(X)
            self._needs_rows("uncertain_rows", "uncertain_rows(X=X)")
            with at_most(effective_n_jobs(self.n_jobs)):
                squared = answers.squared()
        else:
            squared = self._of_all_rows(X)
        found = probabilities(squared, self.temperature_)
        own = found[np.arange(len(found)), self.labels_]
        rows = np.flatnonzero(own < below)
        return rows[np.argsort(own[rows], kind="stable")]

    def describe(
        self, X: Any, *, names: Sequence[str] | None = None, sample_weight: ArrayLike | None = None
    ) -> Any:
        """What each cluster is, as a data frame with one row per cluster.

        Its size and share, its medoid, and for each column how its mean differs from that of all
        rows, in standard deviations, or which category it has more often than all rows, with its
        share. O(nD) time besides that of ``medoid_indices_``.

        Parameters
        ----------
        X : frame or array (n, D)
            The rows of the fit, in the units that people know; its columns need not be those of the
            fit. Distances and objects have no columns: the first four of the frame remain.
        names : sequence of D str or None
            Names of the columns of an array.
        sample_weight : array (n,) or None
            As in ``fit``.

        Returns
        -------
        data frame
            Of the library of X if that is a frame, else of pandas, else of polars.

        Raises
        ------
        ImportError
            If there is neither pandas nor polars.

        Examples
        --------
        >>> import pandas as pd
        >>> from kgroups import KernelKGroups
        >>> X = pd.DataFrame({"age": [20, 22, 27, 60, 62, 67], "sex": list("ffmfff")})
        >>> model = KernelKGroups(2, metric="mixed", init=[0, 0, 0, 1, 1, 1]).fit(X)
        >>> found = model.describe(X).round(2)
        >>> found[["size", "medoid", "age", "sex"]].values.tolist()
        [[3, 1, -0.99, 'm 33% (17%)'], [3, 4, 0.99, 'f 100% (83%)']]
        """
        check_is_fitted(self, "labels_")
        if is_row_source(X):
            raise TypeError(
                "describe takes a table in memory, and X is read block by block; describe the "
                "clusters of a sample of its rows, from kgroups.answers.profiles.profiles."
            )
        self._check_n_rows(X)
        weights = check_weights(sample_weight, len(self.labels_))
        medoids = self.medoid_indices_ if self._answers.knows_all_rows else None
        table = None if is_pairwise(self.metric) else X
        found = Description.of(
            table, self.labels_, weights, len(self.cluster_weights_), medoids, names
        )
        return data_frame(found.columns(), like=X)

    # --- what a fit keeps for them -----------------------------------------------------------

    def _keep_for_answers(self, fit: Fit) -> None:
        """What answers need of the rows of a fit, as little as that is."""
        nearest, k = self._nearest, len(self.cluster_weights_)
        kept: KeptRows | KeptDistances | None = None
        if isinstance(nearest, RowsToCentroids) and is_pairwise(self.metric):
            is_kernel = self.metric == "precomputed_kernel"
            kept = kept_distances(fit.data, nearest, fit.weights, is_kernel=is_kernel)
        elif not isinstance(nearest, RowsToCentroids):
            kept = kept_rows(fit.data, self.labels_, fit.weights, k)
        self._keep_some(kept)

    def _keep_some(self, kept: KeptRows | KeptDistances | None) -> None:
        self._kept = kept
        vars(self)[MADE] = self._new_answers()

    @property
    def _answers(self) -> Answers:
        """The answers of this fit, with those that have been made; no copy has them."""
        return cast(Answers, vars(self).setdefault(MADE, self._new_answers()))

    def _new_answers(self) -> Answers:
        k = len(self.cluster_weights_)
        return Answers(self._nearest, self.metric_, self.labels_, k, self._kept)

    def _own_distances(self, what: str, instead: str) -> Float64Array:
        self._needs_rows(what, instead)
        with at_most(effective_n_jobs(self.n_jobs)):
            return self._answers.own

    def _medoids(self, own: Float64Array) -> IntArray:
        k, counts = len(self.cluster_weights_), self._answers.weights > 0
        found = nearest_rows(own, self.labels_, k, 1, counts, None)
        return np.array([rows[0] if len(rows) else -1 for rows in found], np.int64)

    def _needs_rows(self, what: str, instead: str) -> None:
        check_is_fitted(self, "labels_")
        if not self._answers.knows_all_rows:
            raise AttributeError(
                f"{what} needs the rows of the fit, which this one does not keep because they are "
                f"many; write {instead}."
            )

    def _of_all_rows(self, X: Any) -> Float64Array:
        """Squared distances of the rows of the fit, given once more, (n, k)."""
        self._check_n_rows(X)
        return self._squared_distances(X)

    def _check_n_rows(self, X: Any) -> None:
        """ValueError for rows that cannot be those of the fit."""
        if X is not None and n_rows(X) != len(self.labels_):
            raise ValueError(
                f"X must have the {len(self.labels_)} rows of the fit; got {n_rows(X)}."
            )
