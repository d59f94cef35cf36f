"""What is right: every quantity from its definition, in plain long double.

Nothing of kgroups is imported, nothing is clever, and nothing is kept up to date: each number is
added up from the data whenever it is asked for. A table is an array of long doubles (n, D), ρ and G
are (n, n), w is (n,), labels are integers (n,) in 0..k−1. Of distances ρ, the matrix G = −ρ/2 has
the gains, W and S of every kernel that generates ρ. Edits of strings come from rapidfuzz, elastic
distances between series from tslearn, and distances of SciPy by their names there.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Sequence
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.spatial.distance import cdist

Long = NDArray[np.longdouble]
Labels = NDArray[np.int64]
#: A name, or that and its parameters; a sum over columns has parts (metric, columns, c).
Metric = str | tuple[str, dict[str, Any]]

ONE = np.longdouble(1)
PI = 4 * np.arctan(ONE)


def long(values: Any) -> Long:
    """Any numbers as long doubles."""
    return np.asarray(values, np.longdouble)


# Semimetrics


def distances(metric: Metric, X: Any, Y: Any = None) -> Long:
    """ρ(x, y) for all rows of two tables, or for all objects of two lists, (n, m)."""
    name, given = (metric, {}) if isinstance(metric, str) else metric
    Y = X if Y is None else Y
    if name == "mixed":
        return mixed(X, Y)
    if name in OF_OBJECTS:
        return long([[OF_OBJECTS[name](x, y, **given) for y in Y] for x in X])
    X, Y = long(X), long(Y)
    if name == "column_sum":
        parts = given["parts"]
        return long(sum(long(c) * distances(m, X[:, at], Y[:, at]) for m, at, c in parts))
    if name not in BY_NAME:
        return long(cdist(X.astype(float), Y.astype(float), name, **given))
    return long(BY_NAME[name](X, Y, **given))


def squared(X: Long, Y: Long) -> Long:
    """‖x − y‖²."""
    return long(((X[:, None, :] - Y[None, :, :]) ** 2).sum(axis=2))


def sine_squared(X: Long, Y: Long, theta: float = 0.9) -> Long:
    """‖x − y‖² θ sin(‖x − y‖ / θ)."""
    t = squared(X, Y)
    return long(t * long(theta) * np.sin(np.sqrt(t) / long(theta)))


def jaccard(X: Long, Y: Long) -> Long:
    """1 − |a ∩ b| / |a ∪ b|, and 0 for two empty sets."""
    a, b = (X != 0)[:, None, :], (Y != 0)[None, :, :]
    both, either = (a & b).sum(axis=2), (a | b).sum(axis=2)
    return long(either - both) / np.maximum(either, 1)


def jensen_shannon(X: Long, Y: Long) -> Long:
    """½ Σ p log(p/m) + q log(q/m); in u = (p − q)/(p + q), because the sum itself cancels."""
    p, q = shares(X)[:, None, :], shares(Y)[None, :, :]
    together = np.where(p + q > 0, p + q, ONE)
    u = (p - q) / together
    series = long(sum(u ** (2 * m) / (m * (2 * m - 1)) for m in range(12, 0, -1)))
    direct = _x_log_x(1 + u) + _x_log_x(1 - u)
    terms = together / 4 * np.where(np.abs(u) < 0.05, series, direct)
    return long(terms.sum(axis=2))


def _x_log_x(x: Long) -> Long:
    return long(np.where(x > 0, x * np.log(np.where(x > 0, x, ONE)), 0))


def great_circle(X: Long, Y: Long, radius: float = 1.0, unit: Any = PI / 180) -> Long:
    """The arc between points given as latitude and longitude, by the haversine."""
    (a, s), (b, t) = (X * unit).T, (Y * unit).T
    h = np.sin((a[:, None] - b) / 2) ** 2
    h = h + np.cos(a)[:, None] * np.cos(b) * np.sin((s[:, None] - t) / 2) ** 2
    return long(2 * long(radius) * np.arcsin(np.sqrt(np.clip(h, 0, 1))))


def kendall_tau(X: Long, Y: Long) -> Long:
    """The share of pairs of columns in another order; a tie in one is half."""
    first, second = np.triu_indices(X.shape[1], 1)
    a, b = (np.sign(Z[:, first] - Z[:, second]) for Z in (X, Y))
    return long(BY_NAME["manhattan"](a, b) / (2 * len(first)))


def directions(X: Long) -> Long:
    return long(X / np.sqrt((X**2).sum(axis=1, keepdims=True)))


def shares(X: Long) -> Long:
    """Rows divided by their sums."""
    return long(X / X.sum(axis=1, keepdims=True))


BY_NAME = {
    "euclidean": lambda X, Y: np.sqrt(squared(X, Y)),
    "sqeuclidean": squared,
    "energy": lambda X, Y, alpha=1: np.sqrt(squared(X, Y)) ** long(alpha),
    "laplacian": lambda X, Y, sigma=1: -2 * np.expm1(-np.sqrt(squared(X, Y)) / (2 * long(sigma))),
    "gaussian": lambda X, Y, sigma=1: -2 * np.expm1(-squared(X, Y) / (2 * long(sigma) ** 2)),
    "damped_squared": lambda X, Y: squared(X, Y) * np.exp(-np.sqrt(squared(X, Y)) / 2),
    "sine_squared": sine_squared,
    "manhattan": lambda X, Y: np.abs(X[:, None, :] - Y[None, :, :]).sum(axis=2),
    "hamming": lambda X, Y: (X[:, None, :] != Y[None, :, :]).sum(axis=2) / long(X.shape[1]),
    "cosine": lambda X, Y: squared(directions(X), directions(Y)) / 2,
    "angular": lambda X, Y: 2 * np.arcsin(np.sqrt(squared(directions(X), directions(Y))) / 2),
    "jaccard": jaccard,
    "jensen_shannon": jensen_shannon,
    "hellinger": lambda X, Y: np.sqrt(squared(np.sqrt(shares(X)), np.sqrt(shares(Y))) / 2),
    "great_circle": great_circle,
    "haversine": lambda X, Y: great_circle(X, Y, unit=1),
    "kendall_tau": kendall_tau,
}
BY_NAME |= {"l2": BY_NAME["energy"], "l1": BY_NAME["manhattan"], "cityblock": BY_NAME["manhattan"]}


def mixed(X: Any, Y: Any) -> Long:
    """Σ_d ρ_d / E ρ_d over columns of numbers, |x − y|, and of other values, [x ≠ y].

    Columns and means are those of X, over pairs of entries that are there. None stands for a gap,
    the distribution of its column: ρ(x, ?) = E ρ(x, Y) − ½ E ρ(Y, Y').
    """

    def apart(a: Any, b: Any) -> Any:
        return long(a != b) if isinstance(a, str) else abs(long(a) - long(b))

    total = long(np.zeros((len(X), len(Y))))
    for d in range(len(X[0])):
        known = [row[d] for row in X if row[d] is not None]
        own = np.mean([apart(a, b) for a in known for b in known])

        def rho(a: Any, b: Any, known: Any = known, own: Any = own) -> Any:
            if a is not None and b is not None:
                return apart(a, b)
            seen = b if a is None else a
            return 0 if seen is None else np.mean([apart(seen, c) for c in known]) - own / 2

        if own > 0:
            total += long([[rho(x[d], y[d]) / own for y in Y] for x in X])
    return total


def samples(x: Any, y: Any, alpha: float = 1.0) -> np.longdouble:
    """Energy distance between two samples of numbers (m,) or of points (m, D)."""
    x, y = (long(v).reshape(len(v), -1) for v in (x, y))
    rho = partial(distances, ("energy", {"alpha": alpha}))
    return 2 * rho(x, y).mean() - rho(x).mean() - rho(y).mean()


def _edits(name: str, x: str, y: str, *, normalized: bool = False) -> float:
    module = importlib.import_module(f"rapidfuzz.distance.{_EDITS[name]}")
    return (module.normalized_distance if normalized else module.distance)(x, y)


def _elastic(name: str, x: Any, y: Any, **given: Any) -> float:
    metrics = importlib.import_module("tslearn.metrics")
    return getattr(metrics, name)(np.asarray(x, float), np.asarray(y, float), **given)


_EDITS = {
    "levenshtein": "Levenshtein", "damerau_levenshtein": "DamerauLevenshtein", "osa": "OSA",
    "indel": "Indel", "lcs": "LCSseq", "jaro": "Jaro", "jaro_winkler": "JaroWinkler",
}  # fmt: skip
OF_OBJECTS = {
    **{name: partial(_edits, name) for name in _EDITS},
    **{name: partial(_elastic, name) for name in ("dtw", "frechet")},
    "samples": samples,
    "sets": lambda x, y: 1 - len(x & y) / len(x | y) if x | y else 0,
}  # fmt: skip


def median_distance(X: Long) -> np.longdouble | None:
    """What ``sigma="median"`` means: of all pairs of different rows; None if there are none."""
    apart = np.sqrt(squared(X, X))
    return np.median(apart[apart > 0]) if apart.any() else None


# Partitions


def weights_of(labels: Labels, w: Long, k: int) -> Long:
    """s_j, the weight of each cluster."""
    return long([w[labels == j].sum() for j in range(k)])


def sums(G: Long, labels: Labels, w: Long, k: int) -> Long:
    """R_j(i) = Σ_{y ∈ C_j} w_y G(i, y), (n, k)."""
    return long(np.stack([G[:, labels == j] @ w[labels == j] for j in range(k)], axis=1))


def within(G: Long, labels: Labels, w: Long, k: int) -> Long:
    """Q_j = Σ_{x, y ∈ C_j} w_x w_y G(x, y)."""
    blocks = [(w[labels == j], G[np.ix_(labels == j, labels == j)]) for j in range(k)]
    return long([v @ block @ v for v, block in blocks])


def over(part: Long, whole: Long) -> Long:
    """Quotients, and 0 where the whole is 0."""
    return long(np.where(whole != 0, part / np.where(whole != 0, whole, ONE), 0))


def objective(G: Long, labels: Labels, w: Long, k: int, *, ratio: bool = True) -> np.longdouble:
    """Q = Σ Q_j / s_j, or Σ Q_j without denominators."""
    Q = within(G, labels, w, k)
    return over(Q, weights_of(labels, w, k)).sum() if ratio else Q.sum()


def dispersions(G: Long, labels: Labels, w: Long, k: int) -> Long:
    """W_j = Σ_{i ∈ C_j} w_i G_ii − Q_j / s_j."""
    own = w * np.diagonal(G)
    Q, s = within(G, labels, w, k), weights_of(labels, w, k)
    return long([own[labels == j].sum() for j in range(k)]) - over(Q, s)


def within_dispersion(rho: Any, labels: Labels, w: Any, k: int) -> np.longdouble:
    """W = Σ_j (s_j / 2) g(C_j, C_j)."""
    return long(dispersions(-long(rho) / 2, np.asarray(labels), long(w), k)).sum()


def largest_gain(rho: Any, labels: Labels, w: Any, k: int) -> np.longdouble:
    """By how much the best move of one point lowers W; at most 0 where no move does."""
    return gains(-long(rho) / 2, np.asarray(labels), long(w), k).max()


def transform(cross: Any, rho: Any, labels: Labels, w: Any, k: int) -> Long:
    """Distances of new points from the centroids: √(R_l(x) / s_l − ½ g(C_l, C_l)), (m, k)."""
    K, G = -long(cross) / 2, -long(rho) / 2
    far = to_centroids(K, long(np.zeros(len(K))), G, np.asarray(labels), long(w), k)
    return long(np.sqrt(np.maximum(far, 0)))


def to_centroids(K: Long, own: Long, G: Long, labels: Labels, w: Long, k: int) -> Long:
    """Squared distances of new points from the centroids, (m, k), infinite without weight.

    ``K`` holds G between the new points and the old ones, ``own`` G of a new point with itself.
    """
    s, Q = weights_of(labels, w, k), within(G, labels, w, k)
    out = np.full((len(K), k), np.longdouble(np.inf))
    for j in np.flatnonzero(s > 0):
        to = K[:, labels == j] @ w[labels == j]
        out[:, j] = own - 2 * to / s[j] + Q[j] / s[j] ** 2
    return out


def gains(G: Long, labels: Labels, w: Long, k: int, *, ratio: bool = True) -> Long:
    """What Q gains when point i alone moves to cluster l, (n, k).

    The terms of the source are added up without the point. −∞ where no move is allowed: to the own
    cluster, without weight, and for the last point with weight of a cluster.
    """
    n = len(w)
    s, Q, R = weights_of(labels, w, k), within(G, labels, w, k), sums(G, labels, w, k)
    out = np.full((n, k), -np.longdouble(np.inf))
    for i in range(n):
        others = labels == labels[i]
        others[i] = False
        if w[i] == 0 or not (others & (w > 0)).any():
            continue
        v = w[others]
        R_rest = G[i, others] @ v
        if not ratio:
            out[i] = 2 * w[i] * (R[i] - R_rest)
        else:
            Q_rest = v @ G[np.ix_(others, others)] @ v
            enter = [_ward(w[i], G[i, i], R[i, j], Q[j], s[j]) for j in range(k)]
            out[i] = _ward(w[i], G[i, i], R_rest, Q_rest, v.sum()) - long(enter)
        out[i, labels[i]] = -np.inf
    return out


def _ward(w: Any, own: Any, R: Any, Q: Any, s: Any) -> Any:
    """w s / (w + s) times the squared distance to a centroid; 0 where there is none."""
    return w * s / (w + s) * (own - 2 * R / s + Q / s**2) if s > 0 else own * 0


def best_on_line(x: Long, w: Long, k: int, alpha: float) -> np.longdouble:
    """The least W of partitions of a line into k intervals of distinct values."""
    order = np.argsort(x, kind="stable")
    x, w = x[order][w[order] > 0], w[order][w[order] > 0]
    rho, ones = np.abs(x[:, None] - x) ** long(alpha), np.zeros(len(x), int)
    ends = [0, *(np.flatnonzero(np.diff(x) > 0) + 1), len(x)]
    pairs = [(a, b) for b in ends for a in ends if a < b]
    W = {(a, b): within_dispersion(rho[a:b, a:b], ones[a:b], w[a:b], 1) for a, b in pairs}
    best = {b: np.inf if b else 0 for b in ends}
    for _ in range(k):
        best = {b: min([np.inf, *(best[a] + W[a, b] for a in ends if a < b)]) for b in ends}
    return long(best[len(x)])


def best_partition(G: Long, w: Long, k: int) -> np.longdouble:
    """The largest Q of all partitions of few points into k clusters."""
    every = (np.array([0, *rest]) for rest in product(range(k), repeat=len(w) - 1))
    return max(objective(G, z, w, k) for z in every if len(set(z[w > 0])) == k)


# Statistics


def mean_distance(rho: Long, a: Long, b: Long) -> np.longdouble:
    """g(A, B) of two weightings."""
    return over(a @ rho @ b, a.sum() * b.sum())


def energy_distance(
    cross: Long, left: Long, right: Long, a: Long, b: Long, *, unbiased: bool
) -> np.longdouble:
    """2 E ρ(X, Y) − E ρ(X, X') − E ρ(Y, Y')."""
    own = [mean_distance(rho, v, v) for rho, v in ((left, a), (right, b))]
    if unbiased:
        pairs = [1 - (v @ v) / v.sum() ** 2 for v in (a, b)]
        own = [mean / share for mean, share in zip(own, pairs, strict=True)]
    return 2 * mean_distance(cross, a, b) - own[0] - own[1]


def e_distances(rho: Any, labels: Labels, w: Any, k: int) -> tuple[Long, Long]:
    """2 g(C_i, C_j) − g(C_i, C_i) − g(C_j, C_j) of all pairs of groups, and their weights s_j."""
    parts = [np.where(np.asarray(labels) == j, long(w), 0) for j in range(k)]
    g = long([[mean_distance(long(rho), a, b) for a in parts] for b in parts])
    return 2 * g - np.diagonal(g) - np.diagonal(g)[:, None], long([v.sum() for v in parts])


def between(rho: Any, labels: Labels, w: Any, k: int) -> np.longdouble:
    """S = Σ_{i<j} (s_i s_j / 2s) [2g(C_i, C_j) − g(C_i, C_i) − g(C_j, C_j)]."""
    apart, s = e_distances(rho, labels, w, k)
    return np.triu(np.outer(s, s) * apart).sum() / (2 * s.sum())


def test_statistic(rho: Any, labels: Labels, k: int) -> np.longdouble:
    """T = Σ_{i<j} n_i n_j / (n_i + n_j) 𝓔(X_i, X_j)."""
    apart, n = e_distances(rho, labels, np.ones(len(labels)), k)
    return np.triu(over(np.outer(n, n), n + n[:, None]) * apart).sum()


def disco_statistic(rho: Any, labels: Labels, k: int) -> np.longdouble:
    """F = S / (k − 1) over W / (n − k)."""
    S, W = (f(rho, labels, np.ones(len(labels)), k) for f in (between, within_dispersion))
    return (S / (k - 1)) / (W / (len(labels) - k))


def merge_height(rho: Long, w: Long, a: Sequence[int], b: Sequence[int]) -> np.longdouble:
    """s_A s_B / (s_A + s_B) [2g(A, B) − g(A, A) − g(B, B)]."""
    both = [*a, *b]
    apart, s = e_distances(rho[np.ix_(both, both)], [0] * len(a) + [1] * len(b), w[both], 2)
    return s[0] * s[1] / s.sum() * apart[0, 1]


# Graphs


def twice_loops(A: Long) -> Long:
    """A with loops counted twice, because they have two ends."""
    return long(A + np.diag(np.diagonal(A)))


def regularizer(A: Long) -> float:
    """√(mean degree), at least 1; of a weighted graph the r at which Σ tanh²(βA) is n."""
    n, data = len(A), np.abs(A[A != 0])
    if (A[A != 0] == 1).all():
        return max(1.0, math.sqrt(len(data) / n))
    if len(data) <= n:
        return 1.001
    data = (data / np.sqrt((data**2).mean())).astype(float)
    beta = math.exp(
        brentq(lambda b: (np.tanh(np.exp(b) * data) ** 2).sum() - n, -100, 100, xtol=1e-14)
    )
    return max(1.001, 1 / math.tanh(beta))


def bethe_hessian(A: Long, r: Any) -> Long:
    """H_r of a graph; the weighted form where some weight is not 1."""
    r, n = long(r), len(A)
    if (A[A != 0] == 1).all():
        return long((r**2 - 1) * np.eye(n) - r * A + np.diag(A.sum(axis=1)))
    x = np.clip(np.arctanh(1 / r) / np.sqrt((A[A != 0] ** 2).mean()) * A, -5, 5)
    diagonal = np.diag(1 + (np.sinh(x) ** 2).sum(axis=1))
    return long((r**2 - 1) * (diagonal - np.sinh(2 * x) / 2))


def graph_gram(name: str, A: Long, w: Long, r: Any, resolution: float = 1.0) -> tuple[Long, Long]:
    """G and w of an objective by its name."""
    if name == "bethe_hessian":
        return -bethe_hessian(A, r), w
    if name in ("modularity", "cpm"):
        ends, ones = twice_loops(A), long(np.ones(len(A)))
        d = ends.sum(axis=1)
        null = np.outer(d, d) / d.sum() if name == "modularity" else np.outer(ones, ones)
        return ends - long(resolution) * null, ones
    if name == "normalized_cut":
        A = twice_loops(A)
        w = A.sum(axis=1)
    if name == "ratio_cut":
        A = A - np.diag(A.sum(axis=1))
    inverse = over(long(np.ones(len(A))), w)
    return A * inverse[:, None] * inverse, w


def graph_value(
    name: str, A: Long, w: Long, r: Any, labels: Labels, k: int, resolution: float = 1.0
) -> np.longdouble:
    """The quantity that goes by the objective's name."""
    if name == "modularity":
        return modularity(A, labels, k, resolution)
    if name == "cpm":
        edges = (volumes(A, labels, k) - cuts(A, labels, k)).sum() / 2
        sizes = np.bincount(labels, minlength=k)
        return edges - long(resolution) * (sizes * (sizes - 1) // 2).sum()
    if name == "normalized_cut":
        return normalized_cut(A, labels, k)
    if name == "ratio_cut" and (w > 0).all():
        return over(cuts(A, labels, k), weights_of(labels, w, k)).sum()
    G, v = graph_gram(name, A, w, r)
    Q = objective(G, labels, v, k)
    return -Q if name == "ratio_cut" else Q


def cuts(A: Long, labels: Labels, k: int) -> Long:
    """The weight that leaves each community."""
    return long([A[np.ix_(labels == j, labels != j)].sum() for j in range(k)])


def volumes(A: Long, labels: Labels, k: int) -> Long:
    """The sum of the degrees in each community, loops twice."""
    degrees = twice_loops(A).sum(axis=1)
    return long([degrees[labels == j].sum() for j in range(k)])


def modularity(A: Long, labels: Labels, k: int, resolution: float = 1.0) -> np.longdouble:
    """Σ inside_c / 2m − γ (vol_c / 2m)²."""
    volume, cut = volumes(A, labels, k), cuts(A, labels, k)
    total = volume.sum()
    return ((volume - cut) / total - long(resolution) * (volume / total) ** 2).sum()


def evidence(A: Long, labels: Labels) -> float:
    """Bits over one community: sums of logarithms, one edge, node and community after the other."""
    edges = [A[i, j] for i, j in np.argwhere(A != 0) if i <= j]
    A = A * (sum(edges) / sum(e * e for e in edges))
    linked = np.flatnonzero((A != 0).any(axis=1))
    A, labels = A[np.ix_(linked, linked)], np.asarray(labels)[linked]
    return (_forms(A, labels) - _forms(A, 0 * labels)) / math.log(2)


def _forms(A: Long, labels: Labels) -> float:
    """The logarithm of the mean of the three probabilities, and of that of the labels.

    f is the logarithm of a factorial, ``shares`` that of the number of ways to share items out.
    """
    ends, n, names = twice_loops(A), len(A), sorted(set(labels.tolist()))
    B, sizes = len(names), [int((labels == c).sum()) for c in names]
    k = [float(ends[labels == c].sum()) for c in names]
    cut = [float(ends[np.ix_(labels == c, labels != c)].sum()) for c in names]
    inside = [float(ends[np.ix_(labels == c, labels == c)].sum()) / 2 for c in names]
    m, m_in, m_out = sum(k) / 2, sum(inside), sum(cut) / 2

    def f(x: float) -> float:
        return math.lgamma(x + 1)

    def shares(kinds: float, items: float) -> float:
        return f(kinds + items - 1) - f(kinds - 1) - f(items)

    planted = f(m_out) - sum(map(f, k)) - sum(map(shares, sizes, k))
    if B > 1:
        planted -= m_out * math.log(B * (B - 1) / 2) + math.log(m + 1)
    first = planted + f(m_in) - m_in * math.log(B / 2)
    second = planted + sum(f(x) + x * math.log(2) for x in inside) - shares(B, m_in)
    third = -sum(f(2 * x) - x * math.log(2) - f(x) for x in inside) - shares(n, 2 * m)
    if B > 1:
        third -= math.log(m + 1) + f(2 * m) - f(2 * m_out) - f(2 * m - 2 * m_out)
    if m_out > 0:
        p = [x / (2 * m_out) for x in cut if x > 0]
        third -= sum(f(2 * m_out * x) - 2 * m_out * x * math.log(x) for x in p)
        third -= m_out * math.log((1 - sum(x * x for x in p)) / 2) - f(m_out)
    prior = sum(map(f, sizes)) - f(n) - (f(n - 1) - f(B - 1) - f(n - B)) - math.log(n)
    top = max(first, second, third)
    return top + math.log(sum(math.exp(x - top) for x in (first, second, third)) / 3) + prior


def normalized_cut(A: Long, labels: Labels, k: int) -> np.longdouble:
    """Σ cut_c / vol_c."""
    return over(cuts(A, labels, k), volumes(A, labels, k)).sum()
