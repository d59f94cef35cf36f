"""Kernel k-means: Lloyd's rule, all points at once or one at a time [FRV Algorithm 1]."""

from dataclasses import dataclass

import numpy as np

from kgroups.gram.operator import RunningSums
from kgroups.runtime.threads import blocks
from kgroups.solvers.compiled.lloyd import assign, visit
from kgroups.solvers.compiled.state import State
from kgroups.solvers.fill_empty import fill_empty
from kgroups.solvers.partition import Partition, Record, Status, begin, magnitude
from kgroups.solvers.problem import Problem
from kgroups.solvers.sweep import Visit, sweep
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
        self, problem: Problem, labels: IntArray, sums: RunningSums | None = None
    ) -> Partition:
        """A partition in which no point is nearer to another centroid."""
        weights, diagonal = problem.weights, problem.gram.diagonal()
        work = begin(problem, labels, sums)
        record = Record(problem, work)
        for _ in range(self.max_iter):
            state = work.state
            least = self.tol * magnitude(state) / problem.total_weight
            assigned, distances = nearest_centroids(work.sums, state, diagonal, weights, least)
            fill_empty(assigned, weights * distances, weights, problem.n_clusters)
            moved = int(np.count_nonzero(assigned != state.labels))
            if moved:
                work.renew(problem, assigned)
            record.add(moved)
            if moved == 0:
                return record.finish(Status.STABLE)
        return record.finish(Status.MAX_ITER)


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
        self, problem: Problem, labels: IntArray, sums: RunningSums | None = None
    ) -> Partition:
        """The partition at which a whole sweep moved nothing."""
        gram, weights = problem.gram, problem.weights
        diagonal = np.zeros(gram.n) if self.as_printed else gram.diagonal()
        filled = np.array(labels, dtype=np.int64)
        # An empty cluster would attract no points.
        fill_empty(filled, weights.copy(), weights, problem.n_clusters)
        work = begin(problem, filled, sums if np.array_equal(filled, labels) else None)

        record = Record(problem, work)
        for _ in range(self.max_iter):
            least = self.tol * magnitude(work.state) / problem.total_weight
            rule = Visit(visit, diagonal, weights, least, work.state)
            record.add(moved := sweep(gram, work.sums, rule))
            if moved == 0:
                return record.finish(Status.STABLE)
        return record.finish(Status.MAX_ITER)


def nearest_centroids(
    sums: RunningSums, state: State, diagonal: Float64Array, weights: Float64Array, least: float
) -> tuple[IntArray, Float64Array]:
    """Nearest centroid of every point and its squared distance; weightless points stay."""
    labels, distances = np.empty_like(state.labels), np.empty(sums.n)
    for start, stop in blocks(0, sums.n, 4096):
        own = sums.block(start, stop)
        assign(start, own, diagonal, weights, least, state, labels, distances)
    return labels, distances
