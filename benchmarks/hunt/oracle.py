"""What is right: every quantity in plain long double, from its definition.

Nothing of kgroups is imported, nothing is clever, and nothing is kept up to date: each number is
added up from the data whenever it is asked for. A table is an array of long doubles (n, D), ρ and G
are (n, n), w is (n,), labels are integers (n,) in 0..k−1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Long = NDArray[np.longdouble]
Labels = NDArray[np.int64]
#: A semimetric by its name and its parameters; a sum over columns has parts (metric, columns, c).
Metric = tuple[str, dict[str, Any]]

ONE = np.longdouble(1)
PI = 4 * np.arctan(ONE)


def long(values: Any) -> Long:
    """Any numbers as long doubles."""
    return np.asarray(values, np.longdouble)


# Semimetrics ------------------------------------------------------------------------------------


def distances(metric: Metric, X: Long, Y: Long) -> Long:
    """ρ(x, y) for all rows of two tables, (n, m)."""
    name, given = metric
    if name == "column_sum":
        return long(
            sum(
                long(c) * distances(part, X[:, columns], Y[:, columns])
                for part, columns, c in given["parts"]
            )
        )
    return long(BY_NAME[name](X, Y, **given))


def squared(X: Long, Y: Long) -> Long:
    """‖x − y‖²."""
    return long(((X[:, None, :] - Y[None, :, :]) ** 2).sum(axis=2))


def energy(X: Long, Y: Long, alpha: float = 1.0) -> Long:
    """‖x − y‖^α."""
    return long(np.sqrt(squared(X, Y)) ** long(alpha))


def laplacian(X: Long, Y: Long, sigma: float = 1.0) -> Long:
    """2 − 2 exp(−‖x − y‖ / 2σ)."""
    return long(-2 * np.expm1(-np.sqrt(squared(X, Y)) / (2 * long(sigma))))


def gaussian(X: Long, Y: Long, sigma: float = 1.0) -> Long:
    """2 − 2 exp(−‖x − y‖² / 2σ²)."""
    return long(-2 * np.expm1(-squared(X, Y) / (2 * long(sigma) ** 2)))


def damped_squared(X: Long, Y: Long) -> Long:
    """‖x − y‖² exp(−‖x − y‖ / 2)."""
    t = squared(X, Y)
    return long(t * np.exp(-np.sqrt(t) / 2))


def sine_squared(X: Long, Y: Long, theta: float = 0.9) -> Long:
    """‖x − y‖² θ sin(‖x − y‖ / θ)."""
    t = squared(X, Y)
    return long(t * long(theta) * np.sin(np.sqrt(t) / long(theta)))


def manhattan(X: Long, Y: Long) -> Long:
    """Σ |x_d − y_d|."""
    return long(np.abs(X[:, None, :] - Y[None, :, :]).sum(axis=2))


def hamming(X: Long, Y: Long) -> Long:
    """The share of columns that differ."""
    return long((X[:, None, :] != Y[None, :, :]).sum(axis=2)) / X.shape[1]


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


def hellinger(X: Long, Y: Long) -> Long:
    """‖√p − √q‖ / √2."""
    return long(np.sqrt(squared(np.sqrt(shares(X)), np.sqrt(shares(Y))) / 2))


def great_circle(X: Long, Y: Long, radius: float = 1.0) -> Long:
    """The arc between points given as latitude and longitude in degrees, by the haversine."""
    (a, s), (b, t) = (X * PI / 180).T, (Y * PI / 180).T
    h = np.sin((a[:, None] - b) / 2) ** 2
    h = h + np.cos(a)[:, None] * np.cos(b) * np.sin((s[:, None] - t) / 2) ** 2
    return long(2 * long(radius) * np.arcsin(np.sqrt(np.clip(h, 0, 1))))


def kendall_tau(X: Long, Y: Long) -> Long:
    """The share of pairs of columns in another order; a tie in one is half."""
    first, second = np.triu_indices(X.shape[1], 1)
    a = np.sign(X[:, first] - X[:, second])
    b = np.sign(Y[:, first] - Y[:, second])
    return manhattan(a, b) / (2 * len(first))


def shares(X: Long) -> Long:
    """Rows divided by their sums."""
    return long(X / X.sum(axis=1, keepdims=True))


BY_NAME = {
    "energy": energy,
    "laplacian": laplacian,
    "gaussian": gaussian,
    "damped_squared": damped_squared,
    "sine_squared": sine_squared,
    "manhattan": manhattan,
    "hamming": hamming,
    "jaccard": jaccard,
    "jensen_shannon": jensen_shannon,
    "hellinger": hellinger,
    "great_circle": great_circle,
    "kendall_tau": kendall_tau,
}


def median_distance(X: Long) -> np.longdouble | None:
    """What ``sigma="median"`` means: of all pairs of different rows; None if there are none."""
    apart = np.sqrt(squared(X, X))[np.triu_indices(len(X), 1)]
    apart = apart[apart > 0]
    return np.median(apart) if apart.size else None


def count_apart(rho: Long, alive: NDArray[np.bool_]) -> int:
    """How many points with weight are at a distance from each other, taken one by one."""
    waiting, found = alive.copy(), 0
    while waiting.any():
        found += 1
        waiting &= rho[int(np.argmax(waiting))] > 0
    return found


# Partitions ---------------------------------------------------------------------------------------


def weights_of(labels: Labels, w: Long, k: int) -> Long:
    """s_j."""
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
            rest = v.sum()
            Q_rest = v @ G[np.ix_(others, others)] @ v
            leave = w[i] * rest / (rest + w[i]) * _apart(G[i, i], R_rest, Q_rest, rest)
            enter = [
                w[i] * s[j] / (s[j] + w[i]) * _apart(G[i, i], R[i, j], Q[j], s[j]) for j in range(k)
            ]
            out[i] = leave - long(enter)
        out[i, labels[i]] = -np.inf
    return out


def free_gains(G: Long, labels: Labels, k: int) -> Long:
    """What Σ Q_j gains when a node alone moves to community l, or to a new one, (n, k + 1)."""
    R = sums(G, labels, long(np.ones(len(labels))), k)
    rest = R[np.arange(len(labels)), labels] - np.diagonal(G)
    out = 2 * (np.column_stack([R, np.zeros(len(labels))]) - rest[:, None])
    out[np.arange(len(labels)), labels] = -np.inf
    return out


def _apart(own: Any, R: Any, Q: Any, s: Any) -> Any:
    """Squared distance to a centroid; 0 where there is none."""
    return own - 2 * R / s + Q / s**2 if s > 0 else own * 0


@dataclass(frozen=True)
class Run:
    """A run of Hartigan's method: sure as long as no decision was within rounding."""

    labels: Labels
    history: list[np.longdouble]
    n_moves: int
    converged: bool
    sure: bool


def hartigan(
    G: Long, labels: Labels, w: Long, k: int, *, tol: float, max_iter: int, rounding: float
) -> Run:
    """Visit points in order, move each to where Q gains most, the lowest cluster among equals.

    Equal is what has the same sums to the last bit, where all of them are whole numbers.
    """
    labels = labels.copy()
    # Beyond 2^53 every number is whole, and sums are rounded all the same.
    whole = bool((np.rint(4 * G) == 4 * G).all() and (w == np.rint(w)).all())
    whole = whole and bool(4 * np.abs(G).max() * w.sum() ** 2 < 2**53)
    rounding = min(rounding, 1e-14) if whole else rounding
    history, n_moves = [objective(G, labels, w, k)], 0
    for _ in range(max_iter):
        s, Q = weights_of(labels, w, k), within(G, labels, w, k)
        least, moved = tol * np.abs(over(Q, s)).sum(), 0
        for i in range(len(w)):
            source = labels[i]
            if w[i] == 0 or (w[labels == source] > 0).sum() == 1:
                continue
            R = long([G[i, labels == j] @ w[labels == j] for j in range(k)])
            g, rest = w[i] ** 2 * G[i, i], s[source] - w[i]
            leave = (w[i] * Q[source] / s[source] - 2 * w[i] * R[source] + g) / rest
            enter = (2 * w[i] * R + g - w[i] * over(Q, s)) / (s + w[i])
            size = np.abs(2 * w[i] * R[source] / rest) + np.abs(w[i] * Q[source] / s[source] / rest)
            size = size + np.abs(2 * w[i] * R / (s + w[i])).max() + np.abs(g) / rest
            enter[source] = -np.inf
            best = int(np.argmax(enter))
            gain, unsure = leave + enter[best], rounding * size
            if abs(gain - least) <= unsure:
                return Run(labels, history, n_moves, converged=False, sure=False)
            if gain <= least:
                continue
            near = np.flatnonzero(enter >= enter[best] - unsure)
            same = all((R[j], Q[j], s[j]) == (R[best], Q[best], s[best]) for j in near)
            if len(near) > 1 and not (whole and same):
                return Run(labels, history, n_moves, converged=False, sure=False)
            labels[i] = best
            moved += 1
            s, Q = weights_of(labels, w, k), within(G, labels, w, k)
        n_moves += moved
        history.append(objective(G, labels, w, k))
        if moved == 0:
            return Run(labels, history, n_moves, converged=True, sure=True)
    return Run(labels, history, n_moves, converged=False, sure=True)


# Exact searches -----------------------------------------------------------------------------------


def best_on_line(x: Long, w: Long, k: int, alpha: float) -> np.longdouble:
    """The least W of partitions of a line into k intervals of distinct values."""
    order = np.argsort(x, kind="stable")
    x, w = x[order][w[order] > 0], w[order][w[order] > 0]
    n = len(x)
    cost = np.zeros((n + 1, n + 1), np.longdouble)  # of the points a..b−1
    for b in range(1, n + 1):
        rho = np.abs(x[b - 1] - x[:b]) ** long(alpha) * w[:b]
        reach = np.cumsum(rho[::-1])[::-1]
        cost[:b, b] = cost[:b, b - 1] + 2 * w[b - 1] * reach
    weight = np.cumsum(np.concatenate([[0], w]))
    for a in range(n):
        inside = np.cumsum(w[a:])  # added up anew: differences of sums cancel
        cost[a, a + 1 :] = cost[a, a + 1 :] / (2 * inside)
    del weight
    cut = np.concatenate([[True], np.diff(x) > 0, [True]])
    best = np.full(n + 1, np.longdouble(np.inf))
    best[0] = 0
    for _ in range(k):
        new = np.full(n + 1, np.longdouble(np.inf))
        for b in np.flatnonzero(cut)[1:]:
            starts = np.flatnonzero(cut[:b])
            new[b] = (best[starts] + cost[starts, b]).min()
        best = new
    return best[n]


def best_partition(G: Long, w: Long, k: int) -> np.longdouble:
    """The largest Q of all partitions of few points into k clusters."""
    n, best = len(w), -np.longdouble(np.inf)
    labels = np.zeros(n, np.int64)
    while True:
        if len(set(labels[w > 0])) == k:
            best = max(best, objective(G, labels, w, k))
        place = n - 1
        while place > 0 and labels[place] == min(k - 1, labels[:place].max() + 1):
            place -= 1
        if place == 0:
            return best
        labels[place] += 1
        labels[place + 1 :] = 0


# Statistics of samples ----------------------------------------------------------------------------


def mean_distance(rho: Long, a: Long, b: Long) -> np.longdouble:
    """g(A, B) of two weightings."""
    return (a @ rho @ b) / (a.sum() * b.sum())


def energy_distance(
    cross: Long, left: Long, right: Long, a: Long, b: Long, *, unbiased: bool
) -> np.longdouble:
    """2 E ρ(X, Y) − E ρ(X, X') − E ρ(Y, Y')."""
    own = [mean_distance(rho, v, v) for rho, v in ((left, a), (right, b))]
    if unbiased:
        pairs = [1 - (v @ v) / v.sum() ** 2 for v in (a, b)]
        own = [mean / share for mean, share in zip(own, pairs, strict=True)]
    return 2 * mean_distance(cross, a, b) - own[0] - own[1]


def between(rho: Long, labels: Labels, w: Long, k: int) -> np.longdouble:
    """S = Σ_{i<j} (s_i s_j / 2s) [2g(C_i, C_j) − g(C_i, C_i) − g(C_j, C_j)]."""
    parts = [np.where(labels == j, w, 0) for j in range(k)]
    parts = [v for v in parts if v.sum() > 0]
    s, total = [v.sum() for v in parts], w.sum()
    own = [mean_distance(rho, v, v) for v in parts]
    return long(
        [
            s[i]
            * s[j]
            / (2 * total)
            * (2 * mean_distance(rho, parts[i], parts[j]) - own[i] - own[j])
            for i in range(len(parts))
            for j in range(i)
        ]
    ).sum()


def test_statistic(rho: Long, labels: Labels, k: int) -> np.longdouble:
    """T = Σ_{i<j} n_i n_j / (n_i + n_j) 𝓔(X_i, X_j)."""
    parts = [long(labels == j) for j in range(k)]
    return long(
        [
            a.sum() * b.sum() / (a.sum() + b.sum())
            * (2 * mean_distance(rho, a, b) - mean_distance(rho, a, a) - mean_distance(rho, b, b))
            for i, a in enumerate(parts)
            for b in parts[:i]
        ]
    ).sum()  # fmt: skip


def merge_height(rho: Long, w: Long, a: Sequence[int], b: Sequence[int]) -> np.longdouble:
    """s_A s_B / (s_A + s_B) [2g(A, B) − g(A, A) − g(B, B)]."""
    u, v = np.zeros(len(w), np.longdouble), np.zeros(len(w), np.longdouble)
    u[list(a)], v[list(b)] = w[list(a)], w[list(b)]
    bracket = 2 * mean_distance(rho, u, v) - mean_distance(rho, u, u) - mean_distance(rho, v, v)
    return u.sum() * v.sum() / (u.sum() + v.sum()) * bracket


# Graphs -------------------------------------------------------------------------------------------


def twice_loops(A: Long) -> Long:
    """A with loops counted twice, because they have two ends."""
    return long(A + np.diag(np.diagonal(A)))


def regularizer(A: Long) -> np.longdouble:
    """√(mean degree), at least 1; of a weighted graph the r at which Σ tanh²(βA) is n."""
    n, data = len(A), np.abs(A[A != 0])
    if (A[A != 0] == 1).all():
        return max(ONE, np.sqrt(long(len(data)) / n))
    data = data / _rms(data)
    low, high = long(-40), long(40)
    if (np.tanh(np.exp(high) * data) ** 2).sum() / n <= 1:
        return long(1.001)
    for _ in range(200):
        middle = (low + high) / 2
        if (np.tanh(np.exp(middle) * data) ** 2).sum() / n > 1:
            high = middle
        else:
            low = middle
    return max(long(1.001), 1 / np.tanh(np.exp(high)))


def bethe_hessian(A: Long, r: Any) -> Long:
    """H_r of a graph; the weighted form where some weight is not 1."""
    r, n = long(r), len(A)
    if (A[A != 0] == 1).all():
        return long((r**2 - 1) * np.eye(n) - r * A + np.diag(A.sum(axis=1)))
    x = np.clip(np.arctanh(1 / r) / _rms(A[A != 0]) * A, -5, 5)
    diagonal = np.diag(1 + (np.sinh(x) ** 2).sum(axis=1))
    return long((r**2 - 1) * (diagonal - np.sinh(2 * x) / 2))


def _rms(data: Long) -> np.longdouble:
    return np.sqrt((data**2).mean())


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
    Q = objective(*_swap(graph_gram(name, A, w, r), labels), k)
    return -Q if name == "ratio_cut" else Q


def _swap(pair: tuple[Long, Long], labels: Labels) -> tuple[Long, Labels, Long]:
    return pair[0], labels, pair[1]


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


def _log_factorial(x: float) -> float:
    return math.lgamma(x + 1)


def _log_shares(kinds: float, items: float) -> float:
    """The logarithm of the number of ways to share items out among kinds."""
    return math.lgamma(kinds + items) - math.lgamma(kinds) - math.lgamma(items + 1)


def _forms(A: Long, labels: Labels) -> float:
    """The logarithm of the mean of the three probabilities, and of that of the labels."""
    ends, n, names = twice_loops(A), len(A), sorted(set(labels.tolist()))
    B, sizes = len(names), [int((labels == c).sum()) for c in names]
    k = [float(ends[labels == c].sum()) for c in names]
    cut = [float(ends[np.ix_(labels == c, labels != c)].sum()) for c in names]
    inside = [float(ends[np.ix_(labels == c, labels == c)].sum()) / 2 for c in names]
    m, m_in, m_out = sum(k) / 2, sum(inside), sum(cut) / 2
    f, shares = _log_factorial, _log_shares
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


def conductance(A: Long, labels: Labels, k: int) -> Long:
    """cut_c over the smaller of the two volumes."""
    volume, cut = volumes(A, labels, k), cuts(A, labels, k)
    return over(cut, np.minimum(volume, volume.sum() - volume))


def coverage(A: Long, labels: Labels) -> float:
    """The share of edges inside, loops among them."""
    edges = [(i, j) for i, j in np.argwhere(A != 0) if i <= j]
    return sum(labels[i] == labels[j] for i, j in edges) / len(edges)


def performance(A: Long, labels: Labels) -> float:
    """The share of pairs on which edges and labels agree; self-loops do not count."""
    n = len(A)
    inside = sum(labels[i] == labels[j] for i, j in np.argwhere(A != 0) if i < j)
    apart = sum(A[i, j] == 0 and labels[i] != labels[j] for i in range(n) for j in range(i))
    return (inside + apart) / (n * (n - 1) / 2) if n > 1 else 1.0
