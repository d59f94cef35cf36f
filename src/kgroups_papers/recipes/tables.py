"""Tables of the papers as they are clustered, and how clusters are held against classes."""

import numpy as np
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from kgroups.metrics import clustering_accuracy
from kgroups_papers.types import Float64Array, IntArray

# The same partition gives the same number, whatever its clusters are called and added up first.
_DIGITS = 12


def standardized(X: Float64Array) -> Float64Array:
    """Columns of mean 0 and variance 1, divided by n; a constant column is 0.

    >>> standardized(np.array([[1.0, 5.0], [3.0, 5.0]]))
    array([[-1.,  0.],
           [ 1.,  0.]])
    """
    spread = X.std(axis=0)
    centered = X - X.mean(axis=0)
    found: Float64Array = np.zeros_like(centered)
    np.divide(centered, spread, out=found, where=np.ptp(X, axis=0) > 0)
    return found


def mean_filled(X: Float64Array) -> Float64Array:
    """Each missing value is the mean of its column's others.

    >>> mean_filled(np.array([[1.0], [3.0], [np.nan]]))[2]
    array([2.])
    """
    return np.asarray(np.where(np.isnan(X), np.nanmean(X, axis=0), X))


def mutual_information(y: IntArray, labels: IntArray) -> float:
    """Mutual information over the geometric mean of the entropies: NMI as [FRV] has it."""
    return round(
        float(normalized_mutual_info_score(y, labels, average_method="geometric")), _DIGITS
    )


def agreement(y: IntArray, labels: IntArray) -> dict[str, float]:
    """Accuracy [FRV eq. 55], adjusted Rand index and NMI."""
    return {
        "accuracy": clustering_accuracy(y, labels),
        "adjusted_rand": round(float(adjusted_rand_score(y, labels)), _DIGITS),
        "nmi": mutual_information(y, labels),
    }
