"""From starts to the best partition: on the operator itself, or on a sketch of it.

A sketch decides between starts where the operator is too dear for several runs. It works on a
sample of the points first; the winner is spread to all points and improved there. Its labels are a
start for the operator, which has the last word, or the answer where n is too large for that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from kgroups import _progress
from kgroups._parallel import blocks
from kgroups._progress import Progress
from kgroups._typing import Float32Array, Float64Array, IntArray
from kgroups.gram import FactorGram, FactorSums, GramOperator, MatrixFreeGram
from kgroups.gram._factor import add_by_cluster
from kgroups.gram.low_rank import CHUNK, Features
from kgroups.gram.nystroem import NystroemMap, distant_landmarks, uniform_landmarks
from kgroups.initialization import Problem
from kgroups.semimetrics import Semimetric
from kgroups.solvers import BestOf, Partition, Restarts, Solver, Start
from kgroups.solvers.lloyd import fill_empty

# Rows on which starts compete: so many a cluster, at least and at most so many, or a share of all.
_SAMPLE_A_CLUSTER = 100
_SAMPLE_LEAST, _SAMPLE_MOST = 2_000, 50_000
_SAMPLE_SHARE = 8
# Rows from which W is estimated where it is too dear to compute.
_ROWS_FOR_W = 20_000


class Improver(Protocol):
    """What may still raise the objective after the starts."""

    def improve(
        self, gram: GramOperator, partition: Partition, weights: Float64Array, k: int
    ) -> Partition:
        """A partition at least as good."""
        ...


@dataclass(frozen=True, kw_only=True)
class Search:
    """Best of several starts, then moves of whole clusters."""

    solver: Solver
    n_threads: int
    improver: Improver | None = None

    def solve(self, problem: Problem, portfolio: Callable[[Problem], Sequence[Start]]) -> Restarts:
        """The runs; the best may have been improved after the starts."""
        return self.solve_from(problem, portfolio(problem))

    def solve_from(self, problem: Problem, starts: Sequence[Start]) -> Restarts:
        """:meth:`solve` from starts that were made elsewhere."""
        w, k = problem.weights, problem.n_clusters
        runs = BestOf(solver=self.solver, n_threads=self.n_threads).solve(
            problem.gram, starts, w, k
        )
        if self.improver is None or not runs.best.converged:
            return runs
        gram = problem.gram.with_threads(self.n_threads)
        with _progress.quiet():
            best = self.improver.improve(gram, runs.best, w, k)
        if best.objective > runs.best.objective:
            _progress.tell(
                Progress(
                    phase="improve",
                    note="moves of whole clusters",
                    n_sweeps=best.n_iter,
                    n_moves=best.n_moves,
                    objective=best.objective - best.together,
                )
            )
        return Restarts(best=best, names=runs.names, partitions=runs.partitions)


class LazyFeatures:
    """Features that are made anew each time: for more points than memory holds features."""

    def __init__(self, data: Any, to_features: NystroemMap) -> None:
        self.data, self.to_features = data, to_features
        self.shape = (len(data), to_features.rank)

    def __getitem__(self, rows: slice | IntArray) -> Float32Array:
        return self.to_features(take(self.data, rows))[0]


class Featured(NamedTuple):
    """All points in features, with labels and their sums, and what the features lack of K(x, x)."""

    gram: FactorGram
    labels: IntArray
    sums: FactorSums
    lacking: Float32Array

    def error(self, weights: Float64Array) -> float:
        """Of Σ w K(x, x) about the mean, the share that features lack: trace norms of K − K̃ and K.

        The difference is positive semidefinite, so its trace norm is its trace.
        """
        lacking = float(weights @ self.lacking)
        mean = self.sums.everything(weights) / float(weights.sum())
        shown = float(weights @ self.gram.diagonal()) - mean
        return lacking / (lacking + shown) if lacking + shown > 0 else 0.0


@dataclass(frozen=True, kw_only=True)
class Sketch:
    """Labels for all points from starts on features, maybe of a sample of them."""

    points: Featured
    to_features: NystroemMap
    #: The starts; their objectives count for the points on which they competed.
    runs: Restarts
    #: Total weight of all points over that of those on which the starts competed.
    scale: float
    error: float


@dataclass(frozen=True, kw_only=True)
class Sketcher:
    """How to sketch: landmarks, and the memory that features of all points may take."""

    n_components: int
    feature_bytes: int
    landmarks: str = "uniform"
    seed: int = 0

    def sketch(
        self,
        data: Any,
        semimetric: Semimetric,
        weights: Float64Array,
        k: int,
        search: Search,
        portfolio: Callable[[Problem], Sequence[Start]],
        *,
        on_all_rows: bool = False,
    ) -> Sketch:
        """Starts on a sample, and every point at the nearest centroid of the best.

        ``on_all_rows`` makes the starts on all points, for labels that somebody gives.
        """
        rng = np.random.default_rng(self.seed)
        alive = np.flatnonzero(weights > 0)
        to_features = self._map(data, semimetric, alive, rng, search.n_threads)
        size = len(data) if on_all_rows else sample_size(len(alive), k)
        whole = size == len(data)
        if whole:
            points = self._featured(data, to_features, weights, None)
            sampled, some, w = points.gram, data, weights
        else:
            index = uniform_landmarks(alive, size, rng)
            some, w = take(data, index), weights[index]
            sampled = FactorGram(to_features(some)[0])
        share = float(w.sum() / weights.sum())
        with _progress.adapted(lambda event: _on_sample(event, size, share)):
            runs = search.solve(_problem(sampled, w, k, some), portfolio)
        if whole:
            labels = runs.best.labels
            points = points._replace(
                labels=labels, sums=points.gram.running_sums(labels, weights, k)
            )
        else:
            centres = Centres.of(sampled, runs.best, w)
            points = self._featured(data, to_features, weights, centres)
        return Sketch(
            points=points,
            to_features=to_features,
            runs=runs,
            scale=1.0 / share,
            error=points.error(weights),
        )

    def improved(self, sketch: Sketch, weights: Float64Array, k: int, solver: Solver) -> Partition:
        """A partition of all points that is optimal on the sketch, with no cluster empty.

        Points alike in features cannot be told apart there: an empty cluster gets one of those
        that the features show least.
        """
        points = sketch.points
        labels = points.labels.copy()
        fill_empty(labels, weights * points.lacking, weights, k)
        sums = points.sums if np.array_equal(labels, points.labels) else None
        with _progress.adapted(_as_sketch):
            return solver.solve(points.gram, labels, weights, k, sums)

    def _map(
        self,
        data: Any,
        semimetric: Semimetric,
        alive: IntArray,
        rng: np.random.Generator,
        n_threads: int,
    ) -> NystroemMap:
        if self.landmarks == "uniform":
            index = uniform_landmarks(alive, self.n_components, rng)
        else:
            index = distant_landmarks(data, alive, self.n_components, semimetric, rng)
        return NystroemMap.of(take(data, index), semimetric, n_threads=n_threads)

    def _featured(
        self,
        data: Any,
        to_features: NystroemMap,
        weights: Float64Array,
        centres: Centres | None,
    ) -> Featured:
        """One pass over the points: features, norms, and the nearest centre if there are some."""
        n, rank = len(data), to_features.rank
        held = np.empty((n, rank), np.float32) if 4 * n * rank <= self.feature_bytes else None
        norms, labels, lacking = np.empty(n), np.zeros(n, np.int64), np.empty(n, np.float32)
        vectors = np.zeros((1, rank) if centres is None else centres.means.shape)
        pieces = blocks(0, n, CHUNK)
        for number, (a, b) in enumerate(pieces, start=1):
            features, lacking[a:b] = to_features(data[a:b])
            if held is not None:
                held[a:b] = features
            norms[a:b] = np.einsum("ij,ij->i", features, features, dtype=np.float64)
            if centres is not None:
                labels[a:b] = centres.nearest(features)
            add_by_cluster(features, labels[a:b], weights[a:b], vectors)
            _progress.tell(Progress(phase="sketch", number=number, total=len(pieces)))
        features_of_all: Features = held if held is not None else LazyFeatures(data, to_features)
        gram = FactorGram(features_of_all, norms)
        return Featured(gram, labels, FactorSums(gram, vectors), lacking)


def _problem(gram: FactorGram, weights: Float64Array, k: int, data: Any) -> Problem:
    is_table = isinstance(data, np.ndarray) and data.dtype.kind == "f"
    table = data if is_table else None
    return Problem(gram=gram, weights=weights, n_clusters=k, centred=True, table=table)


class Centres(NamedTuple):
    """Means of clusters in features; a cluster without weight is infinitely far."""

    means: Float64Array  # (k, rank)
    squared_norms: Float64Array  # (k,)

    @classmethod
    def of(cls, gram: FactorGram, partition: Partition, weights: Float64Array) -> Centres:
        """The centres of a partition. O(n · rank)."""
        k = partition.n_clusters
        vectors = gram.running_sums(partition.labels, weights, k).vectors
        s = partition.weight[:, None]
        means = np.divide(vectors, s, out=np.zeros_like(vectors), where=s > 0)
        norms = np.einsum("ij,ij->i", means, means)
        return cls(means, np.where(partition.weight > 0, norms, np.inf))

    def squared_distances(self, features: Float32Array) -> Float64Array:
        """To each centre, less what all have in common, shape (m, k)."""
        return np.asarray(self.squared_norms - 2.0 * (features @ self.means.T))

    def nearest(self, features: Float32Array) -> IntArray:
        """The nearest centre of each point; products in float32."""
        products = features @ self.means.T.astype(np.float32)
        return np.asarray(np.argmin(self.squared_norms - 2.0 * products, axis=1), np.int64)


class Dispersion(NamedTuple):
    """W and the dispersion of everything as one cluster, S + W."""

    by_cluster: Float64Array
    total: float

    @property
    def within(self) -> float:
        """W."""
        return float(self.by_cluster.sum())


def estimated_dispersion(
    data: Any,
    semimetric: Semimetric,
    labels: IntArray,
    weights: Float64Array,
    k: int,
    rng: np.random.Generator,
    n_threads: int,
) -> Dispersion:
    """W and S + W from distances within a sample, drawn cluster by cluster; without bias.

    A mean over pairs of different points of a sample estimates that over a cluster; relative error
    about the spread of distances over √(rows sampled).
    """
    index = _stratified(labels, weights, k, rng)
    own = labels[index]
    full = np.bincount(labels, weights=weights, minlength=k)
    w = weights[index]
    sampled = np.bincount(own, weights=w, minlength=k)
    gram = MatrixFreeGram.from_points(take(data, index), semimetric, n_threads=n_threads)
    table = gram.running_sums(own, w, k).block(0, len(index))
    # T[a, b] = Σ_{x ∈ a, y ∈ b} w_x w_y ρ(x, y)
    T = -2.0 * np.array([np.bincount(own, weights=w * row, minlength=k) for row in table])
    pairs = np.outer(sampled, sampled)
    pairs[np.diag_indices(k)] -= np.bincount(own, weights=w**2, minlength=k)
    whole = np.outer(full, full)
    whole[np.diag_indices(k)] -= np.bincount(labels, weights=weights**2, minlength=k)
    mean = np.divide(T, pairs, out=np.zeros_like(T), where=pairs > 0)
    T = np.asarray(whole * mean, np.float64)
    s = np.where(full > 0, full, 1.0)
    return Dispersion(np.diagonal(T) / (2 * s), float(T.sum() / (2 * full.sum())))


def take(data: Any, rows: slice | IntArray) -> Any:
    """Some rows of a table, or some of a list of objects."""
    if isinstance(data, np.ndarray) or isinstance(rows, slice):
        return data[rows]
    return [data[i] for i in rows]


def sample_size(n: int, k: int) -> int:
    """Rows on which the starts compete."""
    wanted = max(_SAMPLE_LEAST, _SAMPLE_A_CLUSTER * k, n // _SAMPLE_SHARE)
    return min(n, max(min(wanted, _SAMPLE_MOST), 20 * k))


def _stratified(
    labels: IntArray, weights: Float64Array, k: int, rng: np.random.Generator
) -> IntArray:
    alive = np.flatnonzero(weights > 0)
    share = min(1.0, _ROWS_FOR_W / len(alive))
    order = alive[np.argsort(labels[alive], kind="stable")]
    count = np.bincount(labels[alive], minlength=k)
    chosen = [
        members[np.sort(rng.permutation(len(members))[: max(64, int(share * len(members)))])]
        for members in np.split(order, np.cumsum(count)[:-1])
    ]
    return np.concatenate(chosen)


def _on_sample(event: Progress, n: int, share: float) -> Progress | None:
    if event.phase not in ("start", "improve"):
        return None
    note = f"{event.note}, on a sketch of {n} rows"
    return Progress(**{**vars(event), "note": note}).on_scale(lambda value: value / share)


def _as_sketch(event: Progress) -> Progress | None:
    return Progress(**{**vars(event), "note": "all rows, on the sketch"})
