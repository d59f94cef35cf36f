"""Exact k-groups in one dimension as a scikit-learn estimator."""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import issparse
from sklearn.base import ClusterMixin
from sklearn.utils.validation import check_is_fitted

from kgroups.fit.whole_fit import whole_fit
from kgroups.input.estimator import Estimator
from kgroups.input.parameters import check_n_clusters, check_weights
from kgroups.input.tables import check_distinct, check_points, refuse_others
from kgroups.runtime.scaling import power_of_two
from kgroups.semimetrics.coordinates import Energy
from kgroups.semimetrics.finite import check_finite_dispersion
from kgroups.solvers.one_dimensional import best_intervals, distinct, labels_between
from kgroups.typing import Data, Float64Array, FloatArray, IntArray

# Smallest weight, as a share of the largest, with products that are still normal numbers.
_LEAST_SHARE = 1e-150


class KGroups1D(ClusterMixin, Estimator):
    r"""Cluster numbers on a line by the exact minimum of the within dispersion.

    .. math:: W = \sum_j \frac{1}{2 s_j} \sum_{x, y ∈ C_j} w_x w_y |x - y|^α

    The minimum is over all partitions into intervals. For 1 ≤ α ≤ 2 no other partition is better,
    for any weights (proved in :mod:`kgroups.solvers.one_dimensional`; for α = 2 by Fisher, 1958);
    for α < 1 there may be a better one. Nothing is random. Time: O(n log n) for two clusters and
    O(kn log n) for more if α is 1 or 2; O(n²k) for other α, about 3 s for n = 10,000. Memory: the
    sorted values and weights, plus 20n bytes, or 12nk bytes for other α.

    Parameters
    ----------
    n_clusters : int, default=2
        Number of clusters, at most the number of distinct values with weight.
    alpha : float, default=1.0
        Exponent in (0, 2]. 1 is the energy distance, 2 is k-means.

    Attributes
    ----------
    labels_ : array (n,)
        Cluster of each point. Clusters are numbered from left to right, 0..k−1.
    objective_ : float
        Q of the doubly centered kernel, which equals ``between_statistic_``.
    within_dispersion_ : float
        W, the number to compare with other programs; the inertia for α = 2.
    between_statistic_ : float
        S; S + W does not depend on the clusters.
    cluster_weights_ : array (k,)
        Total weight of each cluster.
    cluster_dispersions_ : array (k,)
        W_j of each cluster; they add up to W.
    boundaries_ : array (k−1,)
        Boundaries between the clusters, midway between neighboring values. A point on a boundary
        belongs to the cluster on its left.
    exactness_ : str
        "optimal" for α ≥ 1, "optimal over contiguous partitions" for α < 1; up to rounding.
    n_features_in_, feature_names_in_
        Columns seen at fit, that is, one. Not set for one-dimensional arrays.

    Examples
    --------
    >>> from kgroups import KGroups1D
    >>> model = KGroups1D(n_clusters=2).fit([10.0, 0.0, 12.0, 1.0])
    >>> model.labels_.tolist(), model.boundaries_.tolist(), model.within_dispersion_
    ([1, 0, 1, 0], [5.5], 1.5)
    >>> model.predict([2.0, 9.0]).tolist()
    [0, 1]

    References
    ----------
    [FRV] G. França, M. L. Rizzo and J. T. Vogelstein, "Kernel k-Groups via Hartigan's Method", IEEE
    TPAMI 43 (12), 2020, eqs. 64–67 and algorithm 3, for two clusters and α = 1 in O(n²).

    W. D. Fisher, "On Grouping for Maximum Homogeneity", J. Am. Stat. Assoc. 53 (284), 1958.
    """

    def __init__(self, n_clusters: int = 2, *, alpha: float = 1.0) -> None:
        self.n_clusters = n_clusters
        self.alpha = alpha

    def fit(self, X: Data, y: object = None, sample_weight: ArrayLike | None = None) -> Self:
        """Find clusters.

        Parameters
        ----------
        X : array (n,) or table (n, 1)
            Numbers.
        y : ignored
        sample_weight : array (n,) or None
            Nonnegative, not all zero, and except for zeros within 150 orders of magnitude. A point
            of weight zero has no influence and gets the label of the interval in which it lies.

        Returns
        -------
        self : KGroups1D

        Raises
        ------
        ValueError
            For more than one column, and for a parameter or an entry that is out of range.
        MemoryError
            If the tables of the search do not fit, before they are allocated.
        """
        with whole_fit(self):
            check_n_clusters(self.n_clusters)
            Energy(self.alpha).check()
            x = self._read(X, reset=True)
            k = check_n_clusters(self.n_clusters, len(x))
            weights = check_weights(sample_weight, len(x))
            _check_orders(weights)
            weight_unit = power_of_two(weights.max())
            self._unit = power_of_two(float(np.abs(x).max()))
            values, sums = distinct(x / self._unit, weights / weight_unit)
            check_distinct(len(values), k)
            self._intervals = best_intervals(values, sums, k, float(self.alpha))
            self._keep(weight_unit, weights.max())
            self.labels_ = labels_between(self.boundaries_, x)
        return self

    def predict(self, X: Data) -> IntArray:
        """Find the nearest centroid in feature space for each point.

        For α ≥ 1 ``predict`` on the training data returns ``labels_``, except for points of weight
        zero. A point between two clusters may be on another side of ``boundaries_``. Time per
        point: O(k log n) for α = 1, O(k) for α = 2, O(n) for other α.
        """
        check_is_fitted(self, "labels_")
        x = self._read(X, reset=False).astype(np.float64)
        return self._intervals.nearest(x / self._unit)

    def _keep(self, weight_unit: float, largest_weight: float) -> None:
        found = self._intervals
        with np.errstate(over="ignore", invalid="ignore"):
            unit = weight_unit * np.power(self._unit, float(self.alpha))
            parts = np.append(found.dispersions, found.total_dispersion)
            # Not 0 times an infinite unit: a single value has no dispersion.
            *within, together = np.multiply(parts, unit, out=np.zeros(len(parts)), where=parts != 0)
            weights = found.sums * weight_unit
        check_finite_dispersion(np.hstack([within, together, weights]), largest_weight)
        self.cluster_dispersions_ = np.array(within)
        self.within_dispersion_ = float(self.cluster_dispersions_.sum())
        self.between_statistic_ = self.objective_ = max(0.0, together - self.within_dispersion_)
        self.cluster_weights_ = weights
        self.boundaries_ = found.boundaries(self._unit)
        self.exactness_ = "optimal" if self.alpha >= 1 else "optimal over contiguous partitions"

    def _read(self, X: Data, *, reset: bool) -> FloatArray:
        """The numbers of an input, shape (n,)."""
        refuse_others(X)
        if issparse(X):
            raise TypeError(
                "Sparse data was passed for X, but dense data is required for numbers on a line: "
                "write X.toarray()."
            )
        if not hasattr(X, "columns"):
            array = np.asarray(X)
            X = array[:, None] if array.ndim == 1 else array
        return self._column(check_points(self, X, Energy(), reset=reset))

    def _column(self, table: FloatArray) -> FloatArray:
        if table.shape[1] != 1:
            raise ValueError(
                f"KGroups1D clusters numbers on a line: X must have one column; got shape "
                f"{table.shape}. Choose a column, or use KernelKGroups for several."
            )
        return table[:, 0]

    def __sklearn_tags__(self) -> Any:
        """Tags that allow one-dimensional arrays."""
        tags = super().__sklearn_tags__()
        tags.input_tags.one_d_array = True
        return tags


def _check_orders(weights: Float64Array) -> None:
    least, largest = weights[weights > 0].min(), weights.max()
    if least / largest < _LEAST_SHARE:
        raise ValueError(
            f"sample_weight goes from {least:.6g} to {largest:.6g}, too many orders of magnitude "
            f"for products of weights: give 0 for weights below {_LEAST_SHARE:.1g} of the largest."
        )
