"""The course of a search: moves of Hartigan's method one by one, and of free communities."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tests.oracle import Labels, Long, long, objective, over, sums, weights_of, within


def count_apart(rho: Long, alive: NDArray[np.bool_]) -> int:
    """How many points with weight are at a distance from each other, taken one by one."""
    waiting, found = alive.copy(), 0
    while waiting.any():
        found += 1
        waiting &= rho[int(np.argmax(waiting))] > 0
    return found


def free_gains(G: Long, labels: Labels, k: int) -> Long:
    """What Σ Q_j gains when a node alone moves to community l, or to a new one, (n, k + 1)."""
    R = sums(G, labels, long(np.ones(len(labels))), k)
    rest = R[np.arange(len(labels)), labels] - np.diagonal(G)
    out = 2 * (np.column_stack([R, np.zeros(len(labels))]) - rest[:, None])
    out[np.arange(len(labels)), labels] = -np.inf
    return out


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
