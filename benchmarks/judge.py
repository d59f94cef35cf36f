"""How good a partition is, whoever made it: W, and the moves that would still improve it.

Written from the formulas and apart from the package, in float64 and without an n x n array.
"""

from typing import NamedTuple

import numpy as np

from benchmarks.pairs import sums_of_distances

TOLERANCE = 1e-12  # of W: what a move must gain to count


class Clusters(NamedTuple):
    """The points by cluster, s_l points each, and T_l, the sum over ordered pairs within."""

    X: np.ndarray
    labels: np.ndarray
    sizes: np.ndarray
    totals: np.ndarray

    @property
    def dispersion(self) -> float:
        """W, the sum of T_l / (2 s_l)."""
        return float(np.sum(self.totals / (2 * self.sizes)))


def within_dispersion(X: np.ndarray, labels: np.ndarray, alpha: float) -> float:
    """W = sum_j 1/(2 s_j) sum_{x, y in C_j} ||x - y||^alpha."""
    return _clusters(X, labels, alpha).dispersion


def improving_moves(
    X: np.ndarray, labels: np.ndarray, alpha: float, sample: int | None = None
) -> int:
    """Number of points whose move alone would make W smaller, of all or of a random sample.

    Exact: with R_l(i) the sum from point i to cluster l, taking i out of its cluster j changes
    T_j / (2 s_j) by (T_j / (2 s_j) - R_j) / (s_j - 1) and putting it into l changes T_l / (2 s_l)
    by (R_l - T_l / (2 s_l)) / (s_l + 1). The last point of a cluster may not leave, and only
    clusters that hold a point are offered.
    """
    X, labels, sizes, totals = clusters = _clusters(X, labels, alpha)
    rows = np.arange(len(X))
    if sample is not None and sample < len(X):
        rows = np.random.default_rng(0).choice(len(X), sample, replace=False)
    own = labels[rows]
    sums = np.stack([sums_of_distances(X[rows], members, alpha) for members in _members(X, labels)])
    half = totals / (2 * sizes)
    leaving = (half[own] - sums[own, np.arange(len(rows))]) / np.maximum(sizes[own] - 1, 1)
    joining = (sums - half[:, None]) / (sizes + 1)[:, None]
    joining[own, np.arange(len(rows))] = np.inf
    change = leaving + joining.min(axis=0)
    return int(np.sum((change < -TOLERANCE * clusters.dispersion) & (sizes[own] > 1)))


def _clusters(X: np.ndarray, labels: np.ndarray, alpha: float) -> Clusters:
    X = np.asarray(X, np.float64)
    labels = np.unique(labels, return_inverse=True)[1]
    parts = _members(X, labels)
    sizes = np.array([len(part) for part in parts])
    totals = np.array([sums_of_distances(part, part, alpha).sum() for part in parts])
    return Clusters(X, labels, sizes, totals)


def _members(X: np.ndarray, labels: np.ndarray) -> list[np.ndarray]:
    return [X[labels == label] for label in range(labels.max() + 1)]
