"""Hierarchical clustering by energy, as a scikit-learn estimator."""

import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import ClusterMixin
from sklearn.utils.validation import check_is_fitted

from kgroups.exceptions import TheoryWarning
from kgroups.fit.whole_fit import whole_fit
from kgroups.gram.dense import DENSE_UP_TO
from kgroups.input.estimator import Estimator
from kgroups.input.matrices import check_made_distances
from kgroups.input.parameters import check_n_clusters, check_n_jobs, check_weights
from kgroups.input.rows import n_rows, take
from kgroups.input.spaces import (
    PointSpace,
    Space,
    exact_gram,
    is_pairwise,
    measured,
    read_at_fit,
    space_for,
    takes_missing,
    takes_sparse_rows,
)
from kgroups.runtime.threads import at_most, effective_n_jobs
from kgroups.semimetrics.coordinates import Energy
from kgroups.semimetrics.semimetric import Metric, evenly_spaced, is_number
from kgroups.solvers.agglomerative import energy_tree
from kgroups.typing import Data, Float64Array, IntArray

# Number of objects on which a semimetric is checked before all pairs are computed.
_SPOT_CHECK = 100


class EnergyAgglomerative(ClusterMixin, Estimator):
    r"""Merge the two clusters with the smallest energy distance until k are left.

    Every point starts as a cluster of its own, and each step merges the two clusters with smallest

    .. math:: e(A, B) = \frac{s_A s_B}{s_A + s_B}
              \left[2 g(A, B) - g(A, A) - g(B, B)\right], \qquad
              g(A, B) = \frac{1}{s_A s_B} \sum_{x ∈ A} \sum_{y ∈ B} w_x w_y ρ(x, y)

    where s is the weight of a cluster. A merge raises the within dispersion W by e/2, so each step
    raises it as little as possible. With ``alpha=2`` this is Ward's method; with smaller exponents
    clusters with equal means and different spreads can be separated. The distances of a union
    follow from those of its parts by the formula of Lance and Williams, also with weights, so each
    pair of points is used once. Among pairs with equal distance the one whose first point comes
    first in X is merged.

    Time: O(n²D) for the distances, then O(n²) in practice, 3 s for 10,000 points; memory: n²/2
    numbers, in float32 if X is. The whole tree is stored: see :meth:`labels_at`.

    Parameters
    ----------
    n_clusters : int or None, default=2
        Number of clusters; None if ``distance_threshold`` determines it.
    alpha : float, default=1.0
        Exponent in (0, 2]: ρ = d^alpha, where d is the distance given by ``metric``.
    metric : str, semimetric, callable, "precomputed" or "precomputed_kernel", default="energy"
        The distance d. "energy" is the Euclidean distance, so ρ = ‖x − y‖^alpha; for the others see
        :class:`KernelKGroups`. For a Gram matrix d is the squared distance in feature space. A
        power alpha ≤ 1 of a semimetric of negative type is again of negative type.
    distance_threshold : float or None, default=None
        Value of e at or above which clusters are not merged; requires ``n_clusters=None``.
    n_jobs : int or None, default=None
        Number of threads for the distances; None and -1 use all cores. The tree does not depend on
        it.

    Attributes
    ----------
    labels_ : array (n,)
        Cluster of each point, 0..k−1 in decreasing order of weight.
    children_ : array (n − 1, 2)
        The two nodes of each merge: points are 0..n−1, and merge t creates node n + t.
    distances_ : array (n − 1,)
        e of each merge, in nondecreasing order.
    n_clusters_, n_leaves_ : int
        Number of clusters found, and of points.
    within_dispersion_, between_statistic_ : float
        W and S of the clusters.
    cluster_weights_ : array (k,)
        Total weight of each cluster.
    metric_ : semimetric or str
        The semimetric used, with all parameters as numbers; ``alpha`` is only part of ``Energy``.
    n_features_in_, feature_names_in_
        Columns seen at fit.
    n_missing_ : dict
        For metrics that give missing entries a meaning, such as "mixed": how many there are, by
        name or position, for the columns that have some.
    column_kinds_ : dict
        For "mixed": what each column was taken for, by name or position.

    Examples
    --------
    >>> from kgroups import EnergyAgglomerative
    >>> model = EnergyAgglomerative(n_clusters=2).fit([[0.0], [1.0], [10.0], [12.0]])
    >>> model.labels_.tolist()
    [0, 0, 1, 1]
    >>> model.children_.tolist()
    [[0, 1], [2, 3], [4, 5]]
    >>> model.distances_.round(6).tolist()
    [1.0, 2.0, 19.5]
    >>> model = EnergyAgglomerative(None, distance_threshold=1.5).fit([[0.0], [1.0], [10.0]])
    >>> model.labels_.tolist()
    [0, 0, 1]

    References
    ----------
    [SR05] G. J. Székely and M. L. Rizzo, "Hierarchical Clustering via Joint Between-Within
    Distances", J. Classification 22, 2005.

    M. L. Rizzo and G. J. Székely, R package "energy", function ``energy.hclust``.
    """

    def __init__(
        self,
        n_clusters: int | None = 2,
        *,
        alpha: float = 1.0,
        metric: Metric = "energy",
        distance_threshold: float | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.alpha = alpha
        self.metric = metric
        self.distance_threshold = distance_threshold
        self.n_jobs = n_jobs

    def fit(self, X: Data, y: object = None, sample_weight: ArrayLike | None = None) -> Self:
        """Build the tree and cut it.

        Parameters
        ----------
        X : table (n, D), sequence of n objects, or matrix (n, n)
            As in :meth:`KernelKGroups.fit`; a matrix is not modified.
        y : ignored
        sample_weight : array (n,) or None
            Nonnegative, not all zero; a weight of 2 is like two points that are already merged. A
            row of weight zero is treated as having a very small weight, so it joins its nearest
            neighbor first.

        Returns
        -------
        self : EnergyAgglomerative

        Raises
        ------
        ValueError
            For a parameter or an entry that is out of range; the message says what to write.
        MemoryError
            If n²/2 numbers do not fit, before they are allocated.
        """
        with whole_fit(self):
            self._check_cut()
            n_threads = effective_n_jobs(check_n_jobs(self.n_jobs))
            space, power = _space_of_power(self.metric, self.alpha)
            space, data = read_at_fit(self, space, X)
            n = n_rows(data)
            if self.n_clusters is not None:
                check_n_clusters(self.n_clusters, n)
            weights = check_weights(sample_weight, n)
            single = getattr(data, "dtype", None) == np.float32
            with at_most(n_threads):
                gram = exact_gram(space, data, 1 if _runs_python_code(space, data) else n_threads)
            self._tree = energy_tree(
                gram, weights, power=power, dtype=np.float32 if single else np.float64
            )
            self.metric_ = self.metric if space.semimetric is None else space.semimetric
            self.negative_type_violation_ = measured(space)
            self._keep()
        return self

    def labels_at(self, n_clusters: int) -> IntArray:
        """Labels for another number of clusters, from the same tree. O(n).

        Examples
        --------
        >>> model = EnergyAgglomerative(2).fit([[0.0], [1.0], [10.0], [12.0]])
        >>> model.labels_at(3).tolist()
        [0, 0, 1, 2]
        """
        check_is_fitted(self)
        return self._tree.labels(check_n_clusters(n_clusters, self.n_leaves_))

    def linkage_matrix(self) -> Float64Array:
        """The tree in SciPy's format, (n − 1, 4): two nodes, height and number of points.

        It can be passed to the functions of :mod:`scipy.cluster.hierarchy`.

        Examples
        --------
        >>> from scipy.cluster.hierarchy import cophenet
        >>> model = EnergyAgglomerative(2).fit([[0.0], [1.0], [10.0]])
        >>> cophenet(model.linkage_matrix()).round(6).tolist()
        [1.0, 12.333333, 12.333333]
        """
        check_is_fitted(self)
        return np.column_stack([self.children_, self.distances_, self._tree.sizes()])

    def _check_cut(self) -> None:
        threshold = self.distance_threshold
        if (self.n_clusters is None) == (threshold is None):
            raise ValueError(
                f"n_clusters={self.n_clusters!r} and distance_threshold={threshold!r}: give one of "
                "them and set the other to None, as in EnergyAgglomerative(3) or "
                "EnergyAgglomerative(None, distance_threshold=10.0)."
            )
        if threshold is not None and not (is_number(threshold) and threshold >= 0):
            raise ValueError(f"distance_threshold must be a number >= 0; got {threshold!r}.")

    def _keep(self) -> None:
        tree, k = self._tree, self.n_clusters
        if k is None:
            k = tree.n_clusters_below(float(self.distance_threshold))  # type: ignore[arg-type]
        self.children_, self.distances_ = tree.children, tree.heights
        self.n_clusters_, self.n_leaves_ = k, tree.n_points
        self.labels_ = tree.labels(k)
        self.cluster_weights_ = np.bincount(self.labels_, weights=tree.weights)
        self.within_dispersion_, self.between_statistic_ = tree.within(k), tree.between(k)

    def __sklearn_tags__(self) -> Any:
        """Tags that make cross-validation index square matrices on both axes."""
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = is_pairwise(self.metric)
        tags.input_tags.sparse = takes_sparse_rows(self.metric)
        tags.input_tags.allow_nan = takes_missing(self.metric)
        tags.input_tags.positive_only = tags.input_tags.pairwise and self.metric == "precomputed"
        return tags


def _space_of_power(metric: Metric, alpha: float) -> tuple[Space, float]:
    """The space that reads X, and the remaining power; Energy includes its own."""
    if not is_number(alpha) or not 0 < alpha <= 2:
        raise ValueError(f"alpha must be a number in (0, 2]; got {alpha!r}.")
    space = space_for(metric)
    semimetric = space.semimetric
    if isinstance(semimetric, Energy):
        exponent = alpha * semimetric.alpha
        if exponent > 2:
            raise ValueError(
                f"alpha={alpha} with metric={semimetric!r} is the exponent {exponent:g}; "
                'it must be at most 2. Use metric="energy" and give the exponent as alpha.'
            )
        return PointSpace(Energy(exponent)), 1.0
    if alpha > 1 and semimetric is not None:
        warnings.warn(
            f"alpha={alpha} raises {semimetric!r} to a power above 1, which need not be of "
            "negative type: e is then not a distance between distributions.",
            TheoryWarning,
            stacklevel=3,
        )
    return space, float(alpha)


def _runs_python_code(space: Space, data: Data) -> bool:
    """Whether distances come from Python code, which must only run in one thread.

    If there are many points, a sample is checked before all pairs are computed; few points are all
    checked later.
    """
    semimetric = space.semimetric
    if semimetric is None or semimetric.terms(take(data, slice(0, 1))) is not None:
        return False
    if n_rows(data) > DENSE_UP_TO:
        few = take(data, evenly_spaced(n_rows(data), _SPOT_CHECK))
        check_made_distances(np.asarray(semimetric.pairwise(few)), semimetric)
    return True
