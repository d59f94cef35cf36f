"""Kernel k-means: Lloyd's rule, all points at once or one at a time [FRV Algorithm 1]."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kgroups.gram import GramOperator, RunningSums
from kgroups.runtime import progress
from kgroups.runtime.threads import blocks
from kgroups.solvers.compiled.lloyd import assign, visit
from kgroups.solvers.compiled.state import State
from kgroups.solvers.draws import fill_empty
from kgroups.solvers.partition import Partition, Status, begin, finish, magnitude, value
from kgroups.solvers.sweep import sweep
from kgroups.typing import Float64Array, IntArray


@dataclass(frozen=True, kw_only=True)
class Lloyd:
    """Batch kernel k-means: all points go to their nearest centroid, then centroids are computed.

    Q never falls when G is positive semidefinite up to the origin; for an indefinite G it may cycle
    until ``max_iter``. A cluster that runs empty takes the point farthest from its own centroid.
    O(n²) time a sweep for a dense matrix.
    """

    max_iter: int = 300
    tol: float = 1e-12

    def solve(
        self,
        gram: GramOperator,
        labels: IntArray,
        weights: Float64Array,
        k: int,
        sums: RunningSums | None = None,
    ) -> Partition:
        """A partition in which no point is nearer to another centroid."""
        state, sums = begin(gram, labels, weights, k, sums)
        diagonal = gram.diagonal()
        together = sums.everything(weights) / weights.sum() if progress.is_heard() else 0.0
        history, n_moves = [value(state)], 0
        status = Status.MAX_ITER
        for _ in range(self.max_iter):
            least = self.tol * magnitude(state) / weights.sum()
            assigned, distances = nearest_centroids(sums, state, diagonal, weights, least)
            fill_empty(assigned, weights * distances, weights, k)
            moved = int(np.count_nonzero(assigned != state.labels))
            if moved:
                state, sums = begin(gram, assigned, weights, k)
            n_moves += moved
            history.append(value(state))
            progress.tell_sweep(len(history) - 1, moved, history[-1] - together)
            if moved == 0:
                status = Status.STABLE
                break
        return finish(state, sums, weights, n_moves=n_moves, status=status, history=history)


@dataclass(frozen=True, kw_only=True)
class OnlineLloyd:
    """Kernel k-means one point at a time: centroids move with every point that does.

    ``as_printed`` leaves out (𝒲G𝒲)_ii where Q_j is updated, as lines 12 and 13 of Algorithm 1 do.
    Then Q_j drifts, labels depend on the origin and many clusters collapse: for reproduction only.
    The guard that a cluster keeps its last point stands in both forms.
    """

    max_iter: int = 300
    tol: float = 1e-12
    as_printed: bool = False

    def solve(
        self,
        gram: GramOperator,
        labels: IntArray,
        weights: Float64Array,
        k: int,
        sums: RunningSums | None = None,
    ) -> Partition:
        """The partition at which a whole sweep moved nothing."""
        labels = np.array(labels, dtype=np.int64)
        given = labels.copy()
        fill_empty(labels, weights.copy(), weights, k)  # an empty cluster would attract nobody
        if not np.array_equal(given, labels):
            sums = None
        state, sums = begin(gram, labels, weights, k, sums)
        diagonal = np.zeros(gram.n) if self.as_printed else gram.diagonal()
        together = sums.everything(weights) / weights.sum() if progress.is_heard() else 0.0
        history, n_moves = [value(state)], 0
        status = Status.MAX_ITER
        for _ in range(self.max_iter):
            least = self.tol * magnitude(state) / weights.sum()
            moved = sweep(gram, sums, state, weights, diagonal, least, visit)
            n_moves += moved
            history.append(value(state))
            progress.tell_sweep(len(history) - 1, moved, history[-1] - together)
            if moved == 0:
                status = Status.STABLE
                break
        return finish(state, sums, weights, n_moves=n_moves, status=status, history=history)


def nearest_centroids(
    sums: RunningSums, state: State, diagonal: Float64Array, weights: Float64Array, least: float
) -> tuple[IntArray, Float64Array]:
    """Nearest centroid of every point and its squared distance; weightless points stay."""
    labels, distances = np.empty_like(state.labels), np.empty(sums.n)
    for start, stop in blocks(0, sums.n, 4096):
        own = sums.block(start, stop)
        assign(start, own, diagonal, weights, least, state, labels, distances)
    return labels, distances
