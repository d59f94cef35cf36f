"""The specification: the objective and the gain of a move, in plain NumPy, as in the paper.

Every fast implementation in this package is tested against this file. G is a symmetric n × n array,
w are the weights (n,), and labels are integers (n,) in 0..k−1.

[FRV] is G. França, M. L. Rizzo and J. T. Vogelstein, "Kernel k-Groups via Hartigan's Method", IEEE
TPAMI 43 (12), 2020.
"""

import numpy as np

from kgroups.typing import Float64Array, IntArray


def sum_by_cluster(labels: IntArray, values: Float64Array, k: int) -> Float64Array:
    """The sums Σ_{i ∈ C_j} values_i, shape (k,)."""
    return np.asarray(np.bincount(labels, weights=values, minlength=k), dtype=np.float64)


def cluster_weights(labels: IntArray, w: Float64Array, k: int) -> Float64Array:
    """The weights s_j = Σ_{i ∈ C_j} w_i, shape (k,)."""
    return sum_by_cluster(labels, w, k)


def cluster_sums(G: Float64Array, labels: IntArray, w: Float64Array, k: int) -> Float64Array:
    """The sums R_l(i) = Σ_{y ∈ C_l} w_y G(i, y), (n, k); w_i R_l(i) is q_l(i) of [FRV eq. 42]."""
    indicator = np.zeros((len(w), k))
    indicator[np.arange(len(w)), labels] = w
    return G @ indicator


def within(G: Float64Array, labels: IntArray, w: Float64Array, k: int) -> Float64Array:
    """The sums Q_j = Σ_{x, y ∈ C_j} w_x w_y G(x, y), shape (k,) [FRV eq. 41]."""
    own = cluster_sums(G, labels, w, k)[np.arange(len(w)), labels]
    return sum_by_cluster(labels, w * own, k)


def over_weight(Q: Float64Array, s: Float64Array) -> Float64Array:
    """The ratios Q_j / s_j, and 0 for a cluster without weight."""
    return np.divide(Q, s, out=np.zeros_like(Q), where=s > 0)


def objective(G: Float64Array, labels: IntArray, w: Float64Array, k: int) -> float:
    """The objective Q = Σ_j Q_j / s_j, to be maximized [FRV eq. 41]."""
    return float(over_weight(within(G, labels, w, k), cluster_weights(labels, w, k)).sum())


def move_gain(
    G: Float64Array, labels: IntArray, w: Float64Array, k: int, point: int, target: int
) -> float:
    r"""Change of Q when one point moves to another cluster [FRV eq. 50].

    .. math:: ΔQ = \frac{1}{s_j - w_i}\left[\frac{w_i}{s_j} Q_j - 2 q_j(i) + w_i^2 G_{ii}\right]
                 - \frac{1}{s_l + w_i}\left[\frac{w_i}{s_l} Q_l - 2 q_l(i) - w_i^2 G_{ii}\right]

    An empty target has Q_l/s_l = 0, and so has a source that is left without weight.
    """
    source, wi = labels[point], w[point]
    if source == target or wi == 0:
        return 0.0
    s, Q = cluster_weights(labels, w, k), within(G, labels, w, k)
    q = wi * cluster_sums(G, labels, w, k)[point]
    g = wi * wi * G[point, point]
    rest = s[source] - wi
    leave = (wi * Q[source] / s[source] - 2 * q[source] + g) / rest if rest > 0 else -Q[source] / wi
    mean = Q[target] / s[target] if s[target] > 0 else 0.0
    enter = -(wi * mean - 2 * q[target] - g) / (s[target] + wi)
    return float(leave + enter)


def movable(labels: IntArray, w: Float64Array, k: int, point: int) -> bool:
    """Whether a point has weight and is not the last such point of its cluster.

    The test uses the number of points, never their weight: with an indefinite G merging a singleton
    always raises Q, so this guard keeps k clusters. Points of weight zero do not count.
    """
    members = np.bincount(labels[w > 0], minlength=k)
    return bool(w[point] > 0 and members[labels[point]] > 1)


def threshold(G: Float64Array, labels: IntArray, w: Float64Array, k: int, tol: float) -> float:
    """The gain up to which a move counts as rounding, tol · Σ_j |Q_j / s_j|."""
    parts = over_weight(within(G, labels, w, k), cluster_weights(labels, w, k))
    return tol * float(np.abs(parts).sum())


def best_move(
    G: Float64Array, labels: IntArray, w: Float64Array, k: int, point: int
) -> tuple[int, float]:
    """The target with the largest gain, the first among equals, and that gain."""
    gains = [
        move_gain(G, labels, w, k, point, target) if target != labels[point] else -np.inf
        for target in range(k)
    ]
    target = int(np.argmax(gains))
    return target, gains[target]


def is_one_move_optimal(
    G: Float64Array, labels: IntArray, w: Float64Array, k: int, tol: float = 1e-12
) -> bool:
    """Whether no move of one point raises Q, by trying all. O(n²k) per point."""
    least = threshold(G, labels, w, k, tol)
    return not any(
        movable(labels, w, k, i) and best_move(G, labels, w, k, i)[1] > least
        for i in range(len(w))
        if k > 1
    )
