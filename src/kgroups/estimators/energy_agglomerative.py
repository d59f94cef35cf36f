"""Hierarchical clustering by energy, as a scikit-learn estimator."""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import check_is_fitted

from kgroups.exceptions import TheoryWarning
from kgroups.gram import DENSE_UP_TO
from kgroups.input.matrices import check_made_distances
from kgroups.input.parameters import check_n_clusters, check_n_jobs, check_weights
from kgroups.input.rows import n_rows, take
from kgroups.input.spaces import PointSpace, Space, exact_gram, is_pairwise, read_at_fit, space_for
from kgroups.runtime.threads import at_most, effective_n_jobs
from kgroups.semimetrics import Energy
from kgroups.semimetrics.semimetric import evenly_spaced, is_number
from kgroups.solvers.agglomerative import energy_tree
from kgroups.typing import Float64Array, IntArray

# Objects on which a semimetric is checked for symmetry before all pairs are asked for.
_SPOT_CHECK = 100


class EnergyAgglomerative(ClusterMixin, BaseEstimator):
    r"""Merge the two clusters of least energy distance until k are left.

    Every point begins as a cluster of its own, and each step merges the two of least

    .. math:: e(A, B) = \frac{s_A s_B}{s_A + s_B}
              \left[2 g(A, B) - g(A, A) - g(B, B)\right], \qquad
              g(A, B) = \frac{1}{s_A s_B} \sum_{x ∈ A} \sum_{y ∈ B} w_x w_y ρ(x, y)

    where s is the weight of a cluster. A merge raises the within dispersion W by e/2, the least
    that any merge can: this is the greedy way from n clusters to one. With ``alpha=2`` it is Ward's
    method; with less, clusters of one mean and different spread are told apart. Distances of a
    union follow from those of its parts (Lance and Williams), also with weights, so no pair of
    points is looked at twice. Of equally near pairs the one whose first point comes first in X is
    taken.

    Time: O(n²D) for the distances, then O(n²) in practice, 3 s for 10,000 points; memory: n²/2
    numbers, in float32 if X is. The whole tree is kept: see :meth:`labels_at`.

    Parameters
    ----------
    n_clusters : int or None, default=2
        Number of clusters; None where ``distance_threshold`` decides.
    alpha : float, default=1.0
        Exponent in (0, 2]: ρ = d^alpha, where d is the distance that ``metric`` speaks of.
    metric : str, semimetric, callable, "precomputed" or "precomputed_kernel", default="energy"
        What d is. "energy" is the Euclidean distance, so ρ = ‖x − y‖^alpha; for the others see
        :class:`KernelKGroups`. Of a Gram matrix d is the squared distance in feature space. A power
        alpha ≤ 1 of a semimetric of negative type is of negative type again.
    distance_threshold : float or None, default=None
        e at or above which clusters are not merged; needs ``n_clusters=None``.
    n_jobs : int or None, default=None
        Threads that make the distances; None and -1 use all cores. The tree does not depend on it.

    Attributes
    ----------
    labels_ : array (n,)
        Cluster of each point, 0..k−1 by falling weight.
    children_ : array (n − 1, 2)
        The nodes of each merge: points are 0..n−1, and merge t makes node n + t.
    distances_ : array (n − 1,)
        e of each merge, which never falls.
    n_clusters_, n_leaves_ : int
        Clusters found; points.
    within_dispersion_, between_statistic_ : float
        W and S of the clusters.
    cluster_weights_ : array (k,)
        Total weight of each cluster.
    metric_ : semimetric or str
        The semimetric used, with every parameter a number; ``alpha`` is part of ``Energy`` only.
    n_features_in_, feature_names_in_
        Columns seen at fit.

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
    Székely & Rizzo, "Hierarchical Clustering via Joint Between-Within Distances", J. Classification
    22 (2005) [SR05]; R's ``energy::energy.hclust``.
    """

    def __init__(
        self,
        n_clusters: int | None = 2,
        *,
        alpha: float = 1.0,
        metric: Any = "energy",
        distance_threshold: float | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.alpha = alpha
        self.metric = metric
        self.distance_threshold = distance_threshold
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Build the tree and cut it.

        Parameters
        ----------
        X : table (n, D), sequence of n objects, or matrix (n, n)
            As for :meth:`KernelKGroups.fit`; a matrix is not changed.
        y : ignored
        sample_weight : array (n,) or None
            Not negative, not all zero; a weight of 2 is two points that begin merged. A row of
            weight zero counts as one of vanishing weight, which joins its nearest neighbor first.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            For any parameter or entry out of its range, with the place and what to write instead.
        MemoryError
            When n²/2 numbers would not fit, before they are made.
        """
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
            gram = exact_gram(space, data, 1 if _asks_somebody(space, data) else n_threads)
        self._tree = energy_tree(
            gram, weights, power=power, dtype=np.float32 if single else np.float64
        )
        self.metric_ = self.metric if space.semimetric is None else space.semimetric
        self._keep()
        return self

    def labels_at(self, n_clusters: int) -> IntArray:
        """Labels for another number of clusters, cut from the same tree. O(n).

        Examples
        --------
        >>> model = EnergyAgglomerative(2).fit([[0.0], [1.0], [10.0], [12.0]])
        >>> model.labels_at(3).tolist()
        [0, 0, 1, 2]
        """
        check_is_fitted(self)
        return self._tree.labels(check_n_clusters(n_clusters, self.n_leaves_))

    def linkage_matrix(self) -> Float64Array:
        """The tree as SciPy has it, (n − 1, 4): two nodes, height, number of points.

        For :mod:`scipy.cluster.hierarchy`.

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
                "them and let the other be None, as in EnergyAgglomerative(3) or "
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
        """Square matrices are indexed on both axes by cross-validation."""
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = is_pairwise(self.metric)
        tags.input_tags.positive_only = tags.input_tags.pairwise and self.metric == "precomputed"
        return tags


def _space_of_power(metric: Any, alpha: Any) -> tuple[Space, float]:
    """What reads X, and the power that is left to take: Energy takes its own."""
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
            "negative type: e is then no distance between distributions.",
            TheoryWarning,
            stacklevel=3,
        )
    return space, float(alpha)


def _asks_somebody(space: Space, data: Any) -> bool:
    """Whether distances come from Python code, which is then called by one thread alone.

    Of many points some are checked before all pairs are asked for; of few all are.
    """
    semimetric = space.semimetric
    if semimetric is None or semimetric.terms(take(data, slice(0, 1))) is not None:
        return False
    if len(data) > DENSE_UP_TO:
        few = take(data, evenly_spaced(len(data), _SPOT_CHECK))
        check_made_distances(np.asarray(semimetric.pairwise(few)), semimetric)
    return True
