"""How well two labelings agree, whatever the names of the clusters."""

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import linear_sum_assignment
from scipy.sparse import coo_array

from kgroups.input.parameters import check_none_missing
from kgroups.typing import IntArray


def contingency(labels_true: ArrayLike, labels_pred: ArrayLike) -> IntArray:
    """The number of points with each pair of labels: one row per true label, one column per other.

    Examples
    --------
    >>> contingency(["a", "a", "b"], [0, 1, 1])
    array([[1, 1],
           [0, 1]])
    """
    true, pred = _codes(labels_true, "labels_true"), _codes(labels_pred, "labels_pred")
    if len(true) != len(pred):
        raise ValueError(
            f"labels_true has {len(true)} labels and labels_pred has {len(pred)}; "
            "both must label the same points."
        )
    shape = (int(true.max()) + 1, int(pred.max()) + 1)
    counts = coo_array((np.ones(len(true), np.int64), (true, pred)), shape=shape)
    return np.asarray(counts.toarray())


def clustering_accuracy(labels_true: ArrayLike, labels_pred: ArrayLike) -> float:
    r"""Largest share of points labeled alike, over all ways to match the clusters.

    .. math:: \max_π \frac1n \sum_i 1[π(\hat z_i) = z_i]

    The matching π is an optimal assignment, found in O(k³) after one O(n) pass. Labels may be of
    any kind, and the two labelings may have different numbers of clusters.

    Examples
    --------
    >>> clustering_accuracy(["a", "a", "b", "b"], [1, 1, 0, 1])
    0.75

    References
    ----------
    [FRV] G. França, M. L. Rizzo and J. T. Vogelstein, "Kernel k-groups via Hartigan's method",
    IEEE Trans. PAMI 43 (2020), eq. 55.
    """
    counts = contingency(labels_true, labels_pred)
    matched = counts[linear_sum_assignment(counts, maximize=True)].sum()
    return float(matched) / float(counts.sum())


def overlap(labels_true: ArrayLike, labels_pred: ArrayLike) -> float:
    r"""Accuracy rescaled so that a blind guess among k true clusters scores 0.

    .. math:: \frac{k}{k-1}\left(\text{accuracy} - \frac1k\right)

    Examples
    --------
    >>> overlap([0, 0, 1, 1], [1, 1, 0, 1])
    0.5

    References
    ----------
    [FRV] G. França, M. L. Rizzo and J. T. Vogelstein, "Kernel k-groups via Hartigan's method",
    IEEE Trans. PAMI 43 (2020), eq. 63.
    """
    k = len(np.unique(np.asarray(labels_true)))
    if k < 2:
        raise ValueError("overlap needs labels_true with at least two clusters; got one.")
    return (clustering_accuracy(labels_true, labels_pred) - 1 / k) * k / (k - 1)


def same_partition(a: ArrayLike, b: ArrayLike) -> bool:
    """Whether two labelings group the points in the same way, whatever the names of the groups.

    Examples
    --------
    >>> same_partition([0, 0, 1], ["x", "x", "y"])
    True
    >>> same_partition([0, 0, 1], [0, 1, 1])
    False
    """
    counts = contingency(a, b)
    once = np.count_nonzero(counts, axis=0).max() == 1
    return bool(once and np.count_nonzero(counts, axis=1).max() == 1)


def _codes(labels: ArrayLike, name: str) -> IntArray:
    array = np.asarray(labels)
    if array.ndim != 1 or array.size == 0:
        raise ValueError(
            f"{name} must be a list of labels, one per point; got shape {array.shape}."
        )
    check_none_missing(labels, name, "point")
    return np.unique(array, return_inverse=True)[1]
