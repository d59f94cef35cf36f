"""Hartigan's method on features, each search in one compiled call."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from kgroups.gram.held_rows import Held, UnitRows
from kgroups.gram.low_rank import WIDE, FactorGram, product_rounding
from kgroups.native import kernels
from kgroups.runtime.threads import Executor, Threads, blocks
from kgroups.solvers.means import ROUNDINGS, Bounds, Means, Points
from kgroups.solvers.partition import Earlier, Partition, Status
from kgroups.solvers.problem import Problem
from kgroups.solvers.state import DIGITS
from kgroups.typing import Float64Array, IntArray

# Sweeps of one compiled call; bounds and means are new in the next one.
_MOST_SWEEPS = 1_000
# How much larger a gain must be each time that labels came back.
_RAISED = 8.0
# Multiply-adds from which starts are worth threads.
_WORTH_A_THREAD = 1 << 18
# Points whose centroids are remembered together, unless these would take more bytes in all.
_BLOCK, _BYTES_OF_CENTERS = 512, 1 << 26
# Points of a task that only looks for the nearest mean.
_ROWS = 1 << 16


def feature_partitions(
    problem: Problem,
    gram: FactorGram,
    held: Held,
    starts: Sequence[IntArray],
    tol: float,
    max_iter: int,
    executor: Executor,
) -> Iterator[Partition]:
    """The one-move optimum from each labeling.

    Time: O(nkD) for the first sweeps, then O(n) and O(kD) for each point that bounds do not keep
    in its cluster. Memory: 8 n bytes, 24 n per thread, and at most 64 MiB of centroids.
    """
    slack = ROUNDINGS * np.sqrt(gram.diagonal())
    k = problem.n_clusters
    searcher = _Searcher(Points(held, problem.weights), k, tol, max_iter, slack)

    def searched(some: Sequence[IntArray]) -> list[Partition]:
        """The answers from some labelings."""
        return [searcher.search(labels) for labels in some]

    # Threads that compete for the interpreter between short calls are slower than one.
    threads: Executor = executor if gram.n * k * gram.rank > _WORTH_A_THREAD else Threads(1)
    size = -(-len(starts) // threads.n_workers)
    for found in threads.map(searched, [starts[a:b] for a, b in blocks(0, len(starts), size)]):
        yield from found


def nearest_means(
    held: Held, means: Float64Array, executor: Executor
) -> tuple[IntArray, Float64Array]:
    """The nearest of k means (k, rank) of each point, and its squared distance. O(nk · rank)."""
    if products_pay(held):
        labels, squared = _by_products(held, means, executor)
        if np.isfinite(squared).all():
            return labels, squared
    centers = np.ascontiguousarray(means)

    def some(piece: tuple[int, int]) -> tuple[IntArray, Float64Array]:
        """Labels and distances of some points."""
        labels, squared = np.empty(piece[1] - piece[0], np.int64), np.empty(piece[1] - piece[0])
        kernels.find_nearest(held, centers, piece[0], labels, squared)
        return labels, squared

    made = list(executor.map(some, blocks(0, len(held.rows), _ROWS)))
    return np.concatenate([part[0] for part in made]), np.concatenate([part[1] for part in made])


def _by_products(
    held: Held, means: Float64Array, executor: Executor
) -> tuple[IntArray, Float64Array]:
    """The same by products in float32, whose rounding may decide between equally near means."""
    across, norms = means.astype(np.float32, order="C"), np.einsum("ij,ij->i", means, means)

    def some(piece: tuple[int, int]) -> tuple[IntArray, Float64Array]:
        """Labels and distances of some points."""
        a, b = piece
        products = np.empty((b - a, len(means)), np.float32)
        own = np.empty(b - a)
        kernels.fill_products(held, a, across, products, own)
        squared = norms - 2.0 * products
        labels = np.argmin(squared, axis=1)
        nearest = own + squared[np.arange(b - a), labels]
        return labels.astype(np.int64), np.maximum(nearest, 0.0)

    made = list(executor.map(some, blocks(0, len(held.rows), _ROWS)))
    return np.concatenate([part[0] for part in made]), np.concatenate([part[1] for part in made])


@dataclass(frozen=True)
class _Searcher:
    points: Points
    k: int
    tol: float
    max_iter: int
    slack: Float64Array

    def search(self, labels: IntArray) -> Partition:
        """The optimum from one labeling.

        Exact gains never lead back to earlier labels; where these come back, gains were rounding.
        """
        n, rank = self.points.held.rows.shape
        size = max(_BLOCK, -(-8 * n * self.k * rank // _BYTES_OF_CENTERS))
        means, rounding = _no_means(self.k, rank), rounding_of(self.points.held)
        earlier, tol, fallen, n_moves = Earlier(labels), self.tol, np.zeros(1), 0
        labels = labels.copy()
        while True:
            more = np.empty(min(self.max_iter - (len(fallen) - 1), _MOST_SWEEPS) + 1)
            bounds = Bounds(np.full(n, np.inf), np.full(n, -np.inf), self.slack)
            n_iter, moved, ended = kernels.search_features(
                self.points, means, labels, bounds, size, rounding, tol, more
            )
            n_moves += moved
            fallen = np.concatenate([fallen, fallen[-1] + more[1 : n_iter + 1]])
            if ended or len(fallen) > self.max_iter:
                status = Status.CONVERGED if ended else Status.MAX_ITER
                break
            if earlier.had(labels):
                tol = _RAISED * max(tol, ROUNDINGS)
                if tol > DIGITS:
                    status = Status.CYCLE
                    break
        return partition_of(means, labels, fallen, n_moves, status)


def products_pay(held: Held) -> bool:
    """Whether products are used: for directions always, of which there is one form."""
    return held.rows.shape[1] >= WIDE or isinstance(held, UnitRows)


def rounding_of(held: Held) -> float:
    """Error of products of features with centroids in float32; 0 where these do not pay."""
    return product_rounding(held.rows.shape[1]) if products_pay(held) else 0.0


def _no_means(k: int, rank: int) -> Means:
    return Means(
        weight=np.empty(k),
        members=np.empty(k, np.int64),
        centers=np.empty((k, rank)),
        anchors=np.empty(k, np.int64),
        rest=np.empty(k),
        places=np.empty((k, rank)),
        beyond=np.empty((k, rank)),
    )


def partition_of(
    means: Means, labels: IntArray, fallen: Float64Array, n_moves: int, status: Status
) -> Partition:
    """The answer, from centroids and what the dispersion had fallen by after each sweep."""
    weight, mean = means.weight, means.weight @ means.centers / means.weight.sum()
    together = float(weight.sum() * (mean @ mean))
    objective = rise_of(means) + together
    return Partition(
        labels=labels,
        objective=objective,
        together=together,
        weight=weight,
        within=weight**2 * (means.centers**2).sum(axis=1),
        n_iter=len(fallen) - 1,
        n_moves=n_moves,
        status=status,
        history=objective + (fallen - fallen[-1]),
    )


def rise_of(means: Means) -> float:
    """Q less that of one cluster, from centroids about their mean, so that it keeps its digits."""
    mean = means.weight @ means.centers / means.weight.sum()
    return float(means.weight @ ((means.centers - mean) ** 2).sum(axis=1))
