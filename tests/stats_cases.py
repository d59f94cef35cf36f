"""Samples, semimetrics of every kind, and statistics by their definitions."""

import numpy as np

from kgroups import semimetrics as sm
from kgroups.stats import (
    permutations,
)

MIXED = sm.ColumnSum([(sm.Energy(), [0]), (sm.Energy(2.0), [1, 2], 0.5), (sm.Hamming(), [3], 2.0)])


METRICS = [
    sm.Energy(),
    sm.Energy(0.5),
    sm.Energy(2.0),
    sm.Manhattan(),
    sm.Laplacian(0.7),
    sm.Gaussian("median"),
    MIXED,
    sm.ColumnSum([(sm.Energy(2.0), [0]), (sm.Manhattan(), slice(1, None))]),
    sm.Jaccard(),
]


def points(rng, n, d=4):
    X = rng.normal(size=(n, d))
    X[:, -1] = rng.integers(3, size=n)
    return X


def means_of(rho, weights, labels, k):
    """g(C_a, C_b) by the definition."""
    Z = np.zeros((k, len(rho)))
    Z[labels, np.arange(len(rho))] = weights
    s = Z.sum(axis=1)
    return Z @ rho @ Z.T / np.outer(s, s)


def brute_energy(rho, n, wx, wy, unbiased=False):
    """2E ρ(X,Y) − E ρ(X,X') − E ρ(Y,Y') by sums over all pairs, one at a time."""

    def inside(rows, w):
        pairs = [(i, j) for i in range(len(w)) for j in range(len(w)) if not (unbiased and i == j)]
        total = sum(w[i] * w[j] for i, j in pairs)
        return sum(w[i] * w[j] * rho[rows[i], rows[j]] for i, j in pairs) / total

    X, Y = np.arange(n), np.arange(n, len(rho))
    across = wx @ rho[:n, n:] @ wy / (wx.sum() * wy.sum())
    return 2 * across - inside(X, wx) - inside(Y, wy)


def seen_labels(labels, n_permutations, seed):
    """All labelings of a test with that seed, in the order of the groups."""
    sizes = np.bincount(labels)
    order = np.argsort(sizes, kind="stable")
    place = np.argsort(order)
    permuted = permutations.Permuted(place[labels], sizes[order], seed)
    pieces = [
        permuted.rows(a, min(a + 32, n_permutations + 1)) for a in range(0, n_permutations + 1, 32)
    ]
    return order[np.concatenate(pieces)]
