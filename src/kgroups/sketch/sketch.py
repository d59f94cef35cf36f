"""From starts to the best partition: on the operator itself, or on a sketch of it.

A sketch decides between starts where the operator is too dear for several runs. It works on a
sample of the points first; the winner is spread to all points and improved there. Its labels are a
start for the operator, which has the last word, or the answer where n is too large for that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol

import numpy as np

from kgroups.fit.starts import Problem
from kgroups.gram import FactorGram, FactorSums, GramOperator, MatrixFreeGram
from kgroups.gram.compiled.factor import add_by_cluster
from kgroups.gram.low_rank import CHUNK, Features
from kgroups.gram.nystroem import NystroemMap, uniform_landmarks
from kgroups.input.rows import take
from kgroups.runtime import progress
from kgroups.runtime.progress import Progress
from kgroups.runtime.threads import at_most, blocks, run
from kgroups.semimetrics import Semimetric
from kgroups.semimetrics.finite import check_finite_distances
from kgroups.solvers import BestOf, Partition, Restarts, Solver, Start
from kgroups.solvers.lloyd import fill_empty
from kgroups.typing import Float32Array, Float64Array, IntArray

# Rows on which starts compete: so many a cluster, at least and at most so many, or a share of all.
_SAMPLE_A_CLUSTER = 100
_SAMPLE_LEAST, _SAMPLE_MOST = 2_000, 50_000
_SAMPLE_SHARE = 8
# Rows from which W is estimated where it is too dear to compute.
ROWS_FOR_W = 20_000
LEAST_FOR_W = 64


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
        with progress.quiet():
            best = self.improver.improve(gram, runs.best, w, k)
        if best.objective > runs.best.objective:
            progress.tell(
                Progress(
                    phase="improve",
                    note="moves of whole clusters",
                    n_sweeps=best.n_iter,
                    n_moves=best.n_moves,
                    objective=best.objective - best.together,
                )
            )
        return replace(runs, best=best)


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
    #: What objectives of the starts are to be multiplied by to count for all points: the unit of
    #: the features, times all weight over that of the points on which they competed.
    scale: float
    error: float


@dataclass(frozen=True, kw_only=True)
class Sketcher:
    """How to sketch: landmarks, and the memory that features of all points may take."""

    n_components: int
    feature_bytes: int
    landmarks: str = "distant"
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
        rng = np.random.default_rng([self.seed, 1])
        alive = np.flatnonzero(weights > 0)
        index = self._pilot(data, alive, rng)
        far = np.ones(len(data))
        if self.landmarks == "distant":
            nearest, far = distances_to(data, take(data, index), semimetric, search.n_threads)
            wanted = self.n_components - len(index)
            more = _different(data, drawn_by(weights * nearest, 2 * wanted, rng))
            index = np.union1d(index, uniform_landmarks(more, wanted, rng))
        to_features = NystroemMap.of(take(data, index), semimetric)
        size = len(data) if on_all_rows else sample_size(len(alive), k)
        whole = size == len(data)
        if whole:
            points = self._featured(data, to_features, weights, None, search.n_threads)
            sampled, some, w = points.gram, data, weights
        else:
            index, w = coreset(weights, far, size, rng)
            some = take(data, index)
            pieces = blocks(0, len(index), CHUNK // 4)
            made = run(lambda ab: to_features(some[slice(*ab)])[0], pieces, search.n_threads)
            sampled = FactorGram(np.concatenate(list(made)))
        share = float(w.sum() / weights.sum())
        with progress.adapted(lambda event: _on_sample(event, size, to_features.unit / share)):
            runs = search.solve(_problem(sampled, w, k, some), portfolio)
        if whole:
            labels = runs.best.labels
            points = points._replace(
                labels=labels, sums=points.gram.running_sums(labels, weights, k)
            )
        else:
            centers = Centers.of(sampled, runs.best, w)
            points = self._featured(data, to_features, weights, centers, search.n_threads)
        return Sketch(
            points=points,
            to_features=to_features,
            runs=runs,
            scale=to_features.unit / share,
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
        unit = sketch.to_features.unit
        with progress.adapted(lambda event: _as_sketch(event, unit)):
            return solver.solve(points.gram, labels, weights, k, sums)

    def _pilot(self, data: Any, alive: IntArray, rng: np.random.Generator) -> IntArray:
        """Landmarks drawn uniformly among rows that differ: all of them, or the first half."""
        m = self.n_components
        everybody = self.landmarks == "uniform" or m >= len(alive)
        wanted = m if everybody else max(1, m // 2)
        pool = _different(data, uniform_landmarks(alive, 4 * m, rng))
        return uniform_landmarks(pool, wanted, rng)

    def _featured(
        self,
        data: Any,
        to_features: NystroemMap,
        weights: Float64Array,
        centers: Centers | None,
        n_threads: int,
    ) -> Featured:
        """One pass over the points: features, norms, and the nearest center if there are some."""
        n, rank = len(data), to_features.rank
        held = np.empty((n, rank), np.float32) if 4 * n * rank <= self.feature_bytes else None
        norms, labels, lacking = np.empty(n), np.zeros(n, np.int64), np.empty(n, np.float32)
        vectors = np.zeros((1, rank) if centers is None else centers.means.shape)

        def fill(piece: tuple[int, int]) -> Float64Array:
            """Everything about the points of one chunk; their part of the sums."""
            some = slice(*piece)
            features, lacking[some] = to_features(data[some])
            if held is not None:
                held[some] = features
            norms[some] = np.einsum("ij,ij->i", features, features, dtype=np.float64)
            if centers is not None:
                labels[some] = centers.nearest(features)
            part = np.zeros_like(vectors)
            add_by_cluster(features, labels[some], weights[some], part)
            return part

        pieces = blocks(0, n, CHUNK)
        for number, part in enumerate(run(fill, pieces, n_threads), start=1):
            vectors += part
            progress.tell(Progress(phase="sketch", number=number, total=len(pieces)))
        features_of_all: Features = held if held is not None else LazyFeatures(data, to_features)
        gram = FactorGram(features_of_all, norms, n_threads=n_threads)
        return Featured(gram, labels, FactorSums(gram, vectors), lacking)


def _different(data: Any, index: IntArray) -> IntArray:
    """One of all rows of a table that are equal; objects are taken to differ."""
    if not isinstance(data, np.ndarray) or data.dtype.kind != "f":
        return index
    _, first = np.unique(data[index], axis=0, return_index=True)
    return index[np.sort(first)]


def distances_to(
    data: Any, pilot: Any, semimetric: Semimetric, n_threads: int
) -> tuple[Float64Array, Float64Array]:
    """ρ of each point to the nearest of some points, and its squared distance to their mean.

    The latter is the mean of ρ to them, less half their own mean ρ. O(n m D).
    """
    n = len(data)
    nearest, far = np.empty(n), np.empty(n)
    with at_most(1):
        spread = 0.5 * float(np.asarray(semimetric.pairwise(pilot)).mean(dtype=np.float64))

    def fill(piece: tuple[int, int]) -> None:
        """Both distances for the points of one chunk."""
        some = slice(*piece)
        with at_most(1):
            rho = np.asarray(semimetric.pairwise(data[some], pilot))
        nearest[some] = rho.min(axis=1)
        far[some] = rho.mean(axis=1, dtype=np.float64) - spread

    for _ in run(fill, blocks(0, n, CHUNK), n_threads):
        pass
    check_finite_distances(far)
    return np.maximum(nearest, 0.0), np.maximum(far, 0.0)


def drawn_by(potential: Float64Array, size: int, rng: np.random.Generator) -> IntArray:
    """Points that differ, at most ``size``, drawn with probability proportional to a potential."""
    cumulative = np.cumsum(potential)
    if size <= 0 or not cumulative[-1] > 0:
        return np.empty(0, np.int64)
    drawn = np.searchsorted(cumulative, rng.random(size) * cumulative[-1], side="right")
    return np.unique(np.minimum(drawn, np.flatnonzero(potential)[-1]))


def coreset(
    weights: Float64Array, far: Float64Array, size: int, rng: np.random.Generator
) -> tuple[IntArray, Float64Array]:
    """Points that stand for all, and their weights: drawn half by weight, half by distance.

    Sums over the sample estimate sums over all without bias, and groups that are small but far away
    have their say. Source: Bachem, Lucic & Krause, KDD 2018, "lightweight coresets".
    """
    inertia = weights * far
    chance = 0.5 * weights / weights.sum()
    chance += 0.5 * inertia / inertia.sum() if inertia.sum() > 0 else chance
    cumulative = np.cumsum(chance)
    drawn = np.searchsorted(cumulative, rng.random(size) * cumulative[-1], side="right")
    drawn = np.minimum(drawn, np.flatnonzero(chance)[-1])
    index, count = np.unique(drawn, return_counts=True)
    return index, count * weights[index] / (size * chance[index])


def _problem(gram: FactorGram, weights: Float64Array, k: int, data: Any) -> Problem:
    is_table = isinstance(data, np.ndarray) and data.dtype.kind == "f"
    table = data if is_table else None
    return Problem(gram=gram, weights=weights, n_clusters=k, centered=True, table=table)


class Centers(NamedTuple):
    """Means of clusters in features; a cluster without weight is infinitely far."""

    means: Float64Array  # (k, rank)
    squared_norms: Float64Array  # (k,)

    @classmethod
    def of(cls, gram: FactorGram, partition: Partition, weights: Float64Array) -> Centers:
        """The centers of a partition. O(n · rank)."""
        k = partition.n_clusters
        vectors = gram.running_sums(partition.labels, weights, k).vectors
        s = partition.weight[:, None]
        means = np.divide(vectors, s, out=np.zeros_like(vectors), where=s > 0)
        norms = np.einsum("ij,ij->i", means, means)
        return cls(means, np.where(partition.weight > 0, norms, np.inf))

    def squared_distances(self, features: Float32Array) -> Float64Array:
        """To each center, less what all have in common, shape (m, k)."""
        return np.asarray(self.squared_norms - 2.0 * (features @ self.means.T))

    def nearest(self, features: Float32Array) -> IntArray:
        """The nearest center of each point; products in float32."""
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
    rows: int = ROWS_FOR_W,
) -> Dispersion:
    """W and S + W from distances within a sample, drawn cluster by cluster; without bias.

    Rows are drawn with probability proportional to their weight; the mean over pairs of draws
    estimates that over a cluster. The error of both is about W times the relative spread of
    distances over √(rows drawn).
    """
    index, share = _drawn(labels, weights, k, rng, rows)
    own = labels[index]
    gram = MatrixFreeGram.from_points(take(data, index), semimetric, n_threads=n_threads)
    table = gram.running_sums(own, share, k).block(0, len(index))
    # mean[a, b] = Σ_{x ∈ a, y ∈ b} p_x p_y ρ(x, y) with p the shares within each cluster
    mean = -2.0 * np.array([np.bincount(own, weights=share * row, minlength=k) for row in table])
    apart = 1.0 - np.bincount(own, weights=share**2, minlength=k)
    full = np.bincount(labels, weights=weights, minlength=k)
    # Of a cluster that was drawn from, the draws that are compared with themselves do not count.
    complete = np.bincount(own, minlength=k) == np.bincount(labels[weights > 0], minlength=k)
    factor = np.divide(1.0, apart, out=np.ones(k), where=~complete & (apart > 0))
    mean[np.diag_indices(k)] *= factor
    T = np.asarray(np.outer(full, full) * mean, np.float64)
    within = np.asarray(0.5 * full * np.diagonal(mean), np.float64)
    return Dispersion(within, float(T.sum() / (2 * full.sum())))


def sample_size(n: int, k: int) -> int:
    """Rows on which the starts compete."""
    wanted = max(_SAMPLE_LEAST, _SAMPLE_A_CLUSTER * k, n // _SAMPLE_SHARE)
    return min(n, max(min(wanted, _SAMPLE_MOST), 20 * k))


def _drawn(
    labels: IntArray, weights: Float64Array, k: int, rng: np.random.Generator, rows: int
) -> tuple[IntArray, Float64Array]:
    """Points of each cluster and their shares in it: all, or draws by weight with replacement."""
    alive = np.flatnonzero(weights > 0)
    order = alive[np.argsort(labels[alive], kind="stable")]
    part = min(1.0, rows / len(alive))
    index, share = [np.empty(0, np.int64)], [np.empty(0)]
    for members in np.split(order, np.cumsum(np.bincount(labels[alive], minlength=k))[:-1]):
        size, w = max(LEAST_FOR_W, int(part * len(members))), weights[members]
        if size >= len(members):
            index.append(members)
            share.append(w / w.sum() if len(w) else w)
        else:
            cumulative = np.cumsum(w)
            drawn = np.searchsorted(cumulative, rng.random(size) * cumulative[-1], side="right")
            index.append(members[np.sort(np.minimum(drawn, len(members) - 1))])
            share.append(np.full(size, 1.0 / size))
    return np.concatenate(index), np.concatenate(share)


def _on_sample(event: Progress, n: int, scale: float) -> Progress | None:
    if event.phase not in ("start", "improve"):
        return None
    note = f"{event.note}, on a sketch of {n} rows"
    return Progress(**{**vars(event), "note": note}).on_scale(lambda value: value * scale)


def _as_sketch(event: Progress, unit: float) -> Progress | None:
    note = "all rows, on the sketch"
    return Progress(**{**vars(event), "note": note}).on_scale(lambda value: value * unit)
