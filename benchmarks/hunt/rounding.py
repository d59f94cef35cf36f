"""How far rounding may take distances from what is right, metric by metric."""

from __future__ import annotations

import numpy as np

from tests import oracle
from tests.oracle import Labels, Long, Metric, long

# Relative error that sums over pairs, and differences of such sums, may have in float64.
SUMS = 4e-13
# What one rounding loses where numbers end, in float64.
SUBNORMAL = long(np.finfo(np.float64).smallest_subnormal)
# Roundings in a distance besides those of its sum over columns.
_FEW = 16


def of_distances(metric: Metric, X: Long, Y: Long, rho: Long, dtype: np.dtype) -> Long:
    """The largest |ρ computed − ρ| in a precision, (n, m)."""
    name, given = metric
    eps = long(np.finfo(dtype).eps)
    if name == "column_sum":
        parts = [(long(c), m, X[:, at], Y[:, at]) for m, at, c in given["parts"]]
        errors = [
            c * of_distances(m, a, b, oracle.distances(m, a, b), dtype) for c, m, a, b in parts
        ]
        return long(sum(errors)) + _FEW * eps * np.abs(rho)
    usual = (X.shape[1] + _FEW) * eps * np.abs(rho) + long(4 * np.finfo(dtype).tiny) * (rho != 0)
    if name in OWN:
        return usual + OWN[name](X, Y, eps, **given)
    return usual


def _energy(X: Long, Y: Long, eps: Long, alpha: float = 1.0) -> Long:
    """A power rounds ln t times, in float64."""
    t = oracle.squared(X, Y)
    logarithm = np.abs(np.log(np.where(t > 0, t, oracle.ONE)))
    return long(2.3e-16 * logarithm * np.sqrt(t) ** long(alpha))


def _damped(X: Long, Y: Long, eps: Long) -> Long:
    """Exponents of large distances, the least of which is e^−708."""
    t = oracle.squared(X, Y)
    return (
        eps * np.sqrt(t) * oracle.distances("damped_squared", X, Y)
        + t * long(1e-307)
        + eps * t * np.exp(-np.sqrt(t) / 2)
    )


def _sine(X: Long, Y: Long, eps: Long, theta: float = 0.9) -> Long:
    """The sine of an argument that is rounded."""
    t = oracle.squared(X, Y)
    return _FEW * eps * t * long(theta) * (1 + np.sqrt(t) / long(theta))


def _shannon(X: Long, Y: Long, eps: Long) -> Long:
    """Shares are rounded before they are compared."""
    p, q = oracle.shares(X)[:, None, :], oracle.shares(Y)[None, :, :]
    u = np.abs(p - q) / np.where(p + q > 0, p + q, oracle.ONE)
    return long((X.shape[1] * eps * (u + X.shape[1] * eps) * (p + q)).sum(axis=2))


def _hellinger(X: Long, Y: Long, eps: Long) -> Long:
    return long(X.shape[1] * eps) * (oracle.distances("hellinger", X, Y) > 0)


def _great_circle(X: Long, Y: Long, eps: Long, radius: float = 1.0) -> Long:
    """Unit vectors are rounded; near antipodes only the root of that is known."""
    half = np.sin(oracle.distances("great_circle", X, Y) / 2)
    steep = 1 / np.sqrt(np.maximum(1 - half**2, _FEW * eps))
    return long(radius) * _FEW * eps * (half > 0) * np.minimum(steep, 1 / np.sqrt(eps))


OWN = {
    "energy": _energy,
    "damped_squared": _damped,
    "sine_squared": _sine,
    "jensen_shannon": _shannon,
    "hellinger": _hellinger,
    "great_circle": _great_circle,
}


def of_dispersions(E: Long, labels: Labels, w: Long, k: int) -> Long:
    """What errors E of G make of W_j, (k,)."""
    own = w * np.diagonal(E)
    s, Q = oracle.weights_of(labels, w, k), oracle.within(E, labels, w, k)
    return long([own[labels == j].sum() for j in range(k)]) + oracle.over(Q, s)


def of_centroids(K: Long, own: Long, E: Long, labels: Labels, w: Long, k: int) -> Long:
    """What they make of squared distances to centroids; K and own are errors of new points."""
    s, Q = oracle.weights_of(labels, w, k), oracle.within(E, labels, w, k)
    out = np.zeros((len(K), k), np.longdouble)
    for j in np.flatnonzero(s > 0):
        out[:, j] = own + 2 * (K[:, labels == j] @ w[labels == j]) / s[j] + Q[j] / s[j] ** 2
    return out


def of_running_sums(
    G: Long, labels: Labels, w: Long, k: int, eps: float = float(np.finfo(np.float64).eps)
) -> Long:
    """What sums with a point leave of those without it, as an error of its gains, (n, 1).

    It matters where one point is nearly all the weight of its cluster. ``eps`` is the relative
    error of the sums. Infinite where the others vanish next to it: such a point counts as the last
    of its cluster.
    """
    G, at = np.abs(G), np.arange(len(w))
    s, Q = oracle.weights_of(labels, w, k), oracle.within(G, labels, w, k)
    R = oracle.sums(G, labels, w, k)[at, labels]
    alone = np.where((labels[:, None] == labels) & ~np.eye(len(w), dtype=bool), w, 0).sum(axis=1)
    lost = (alone > 0) & (alone < 16 * np.finfo(np.float64).eps * s[labels])
    size = w * oracle.over(Q, s)[labels] + 2 * w * R + w**2 * np.diagonal(G)
    error = 64 * eps * oracle.over(size, alone)
    # The denominator is s less w, and s may be off by a rounding of itself.
    leave = np.abs(w * oracle.over(Q, s)[labels] - 2 * w * R + w**2 * np.diagonal(G))
    error += 16 * np.finfo(np.float64).eps * oracle.over(leave * s[labels], alone**2)
    error += _of_underflow(labels, w, s[labels], alone)
    return long(np.where(lost, np.inf, error)[:, None])


def _of_underflow(labels: Labels, w: Long, s: Long, alone: Long) -> Long:
    """What n² products near 0, each off by the smallest subnormal number, make of gains, (n,).

    Weights are taken in units of their largest, u: a product w_i Q_j is divided by s_j and by what
    remains, so that a gain is off by n² (1 + u/s_j) u² / alone at most, times a few.
    """
    u = w.max()
    lost = 16 * long(len(w)) ** 2 * SUBNORMAL * u
    return long(
        lost * (1 + oracle.over(u * np.ones(len(w)), s)) * oracle.over(u * np.ones(len(w)), alone)
    )


def of_gains(E: Long, labels: Labels, w: Long, k: int, *, ratio: bool = True) -> Long:
    """What they make of the gains of all moves, (n, k)."""
    R, own = oracle.sums(E, labels, w, k), np.diagonal(E)
    at = np.arange(len(w))
    s, Q = oracle.weights_of(labels, w, k), oracle.within(E, labels, w, k)
    if not ratio:
        return 2 * w[:, None] * (R + R[at, labels][:, None] + (w * own)[:, None])
    steps = long(np.where(s > 0, s, oracle.ONE))
    to = own[:, None] + 2 * R / steps + Q / steps**2
    enter = w[:, None] * s / (s + np.maximum(w[:, None], np.finfo(np.float64).tiny)) * to
    leave = np.zeros(len(w), np.longdouble)
    for i in range(len(w)):
        others = labels == labels[i]
        others[i] = False
        v = w[others]
        rest = v.sum()
        if w[i] > 0 and rest > 0:
            apart = own[i] + 2 * (E[i, others] @ v) / rest
            apart = apart + v @ E[np.ix_(others, others)] @ v / rest**2
            leave[i] = w[i] * rest / (rest + w[i]) * apart
    return leave[:, None] + enter
