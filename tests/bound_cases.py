"""Problems with known optimum for the bounds."""

import numpy as np

from helpers import best_objective

FOUR = [[0.0], [1.0], [10.0], [12.0]]


def best_w(G, w, k):
    """W of the best partition of the points with weight."""
    alive = w > 0
    G, w = G[np.ix_(alive, alive)], w[alive]
    return float(w @ np.diag(G)) - best_objective(G, w, k)


def plain_bound(G, w, k):
    """tr − Σ of the k − 1 largest eigenvalues on the complement of √w, as the formula has it."""
    r = np.sqrt(w[w > 0])
    H = np.linalg.qr(np.column_stack([r, np.eye(len(r))[:, 1:]]))[0][:, 1:]
    A = H.T @ (r[:, None] * G[np.ix_(w > 0, w > 0)] * r) @ H
    values = np.sort(np.linalg.eigvalsh(A))[::-1]
    return values.sum() - values[: k - 1].sum()


def random_weights(rng, n, kind):
    if kind == "unit":
        return np.ones(n)
    w = rng.exponential(size=n)
    if kind == "zeros":
        w[rng.permutation(n)[:2]] = 0
    return w * 10.0 ** rng.uniform(-8, 8, n) if kind == "extreme" else w
