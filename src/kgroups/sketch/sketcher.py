"""Labels of all rows by a sketch: features that approximate the kernel.

A sketch decides between starts where the operator is too slow for several runs. It works on a
sample of the rows first; the winner is spread to all rows and improved there. Its labels are a
start for the operator, which decides, or the answer where n is too large for that.
"""

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from kgroups.gram.held_rows import Rows as HeldRows
from kgroups.gram.low_rank import CHUNK, FactorGram, FactorSums, Features
from kgroups.gram.nystroem import NystroemMap
from kgroups.input.rows import Rows, n_rows, over_rows
from kgroups.native import kernels
from kgroups.runtime import progress
from kgroups.runtime.progress import Progress
from kgroups.runtime.threads import Executor, blocks
from kgroups.semimetrics.semimetric import Semimetric
from kgroups.sketch.competition import competed
from kgroups.sketch.sample import coreset, drawn_landmarks, sample_size
from kgroups.solvers.centroids import FeatureCentroids
from kgroups.solvers.feature_search import nearest_means
from kgroups.solvers.fill_empty import fill_empty
from kgroups.solvers.partition import Partition, Solver
from kgroups.solvers.problem import Problem
from kgroups.solvers.restarts import BestOf, Restarts
from kgroups.solvers.scale import Scale
from kgroups.solvers.starts import Starts
from kgroups.typing import Float32Array, Float64Array, IntArray


class LazyFeatures:
    """Features that are made anew each time: for more rows than memory holds features."""

    def __init__(self, rows: Rows, to_features: NystroemMap) -> None:
        self.rows, self.to_features = rows, to_features
        self.shape = (rows.n_rows, to_features.rank)

    def __getitem__(self, index: slice | IntArray) -> Float32Array:
        return self.to_features.features(self.rows.take(index))


class Featured(NamedTuple):
    """All rows in features, with labels and their sums, and what the features lack of K(x, x)."""

    gram: FactorGram
    labels: IntArray
    sums: FactorSums
    lacking: Float64Array

    def error(self, weights: Float64Array) -> float:
        """The share of Σ w K(x, x) about the mean that features lack: trace norm of K − K̃ over K.

        The difference is positive semidefinite, so its trace norm is its trace.
        """
        lacking = float(weights @ self.lacking)
        mean = self.sums.everything(weights) / float(weights.sum())
        shown = float(weights @ self.gram.diagonal()) - mean
        return lacking / (lacking + shown) if lacking + shown > 0 else 0.0


class _Chunk(NamedTuple):
    """Some rows in features: where they are, and their part of :class:`Featured`."""

    rows: slice
    features: Float32Array | None
    norms: Float64Array
    labels: IntArray
    lacking: Float64Array
    sums: Float64Array


@dataclass(frozen=True, kw_only=True)
class Sketch:
    """Labels for all rows from starts on features, possibly those of a sample."""

    points: Featured
    to_features: NystroemMap
    #: The starts; their objectives count for the rows on which they competed.
    runs: Restarts
    #: From the objectives of the starts to those of all rows.
    scale: Scale
    error: float


@dataclass(frozen=True, kw_only=True)
class Sketcher:
    """How to sketch: landmarks, and the memory that features of all rows may take."""

    n_components: int
    feature_bytes: int
    landmarks: str = "distant"
    seed: int = 0
    executor: Executor

    def sketch(
        self,
        rows: Rows,
        semimetric: Semimetric,
        weights: Float64Array,
        k: int,
        search: BestOf,
        starts: Starts,
    ) -> Sketch:
        """Starts on a sample of the rows with weight, and every row at the nearest centroid.

        Starts whose labels come from the user are made on all rows.
        """
        rng = np.random.default_rng([self.seed, 1])
        landmarks = drawn_landmarks(
            rows, semimetric, weights, self.n_components, self.landmarks, rng, self.executor
        )
        to_features = NystroemMap.of(rows.take(landmarks.index), semimetric)
        alive = np.flatnonzero(weights > 0)
        size = sample_size(len(alive), k) if starts.are_named else rows.n_rows
        if size == rows.n_rows:
            return self._on_all_rows(rows, to_features, weights, k, search, starts)
        index, w = alive, weights[alive]
        if size < len(alive):
            index, w = coreset(weights, landmarks.far, size, rng, least=k)
        gram = self._features_of(rows, index, to_features)
        problem = Problem(gram, w, k, origin_is_free=True, table=_table(rows, index))
        # The sample has fewer points than it has draws; what it stands for is its weight.
        scale = Scale(to_features.unit / float(w.sum() / weights.sum()))
        runs = competed(problem, search, starts, f"a sketch of {size} rows", scale)
        centroids = FeatureCentroids.of(gram, runs.best, w)
        points = self._featured(rows, to_features, weights, centroids)
        if runs.rivals:
            rivals = [FeatureCentroids.of(gram, rival, w) for rival in runs.rivals]
            best, points = self._at_best(points, weights, [centroids, *rivals])
            runs = replace(runs, best=(runs.best, *runs.rivals)[best])
        error = points.error(weights)
        return Sketch(points=points, to_features=to_features, runs=runs, scale=scale, error=error)

    def _at_best(
        self, points: Featured, weights: Float64Array, several: list[FeatureCentroids]
    ) -> tuple[int, Featured]:
        """All rows at the nearest of those centroids about which they are dispersed least.

        A cluster that is cut fits the rows of the sample better than all rows, a group that stands
        apart does not; so the best of the sample are compared again.
        """
        n, k = points.gram.n, len(several[0].means)
        labels, cost = np.empty((len(several), n), np.int64), np.empty((len(several), n))
        for start, features in points.gram.chunks():
            held = HeldRows(features, np.zeros(points.gram.rank), 1.0)
            some = slice(start, start + len(features))
            for i, one in enumerate(several):
                labels[i, some], cost[i, some] = nearest_means(held, one.means, self.executor)
        best = int(np.argmin(cost @ weights))
        if best == 0:
            return best, points
        sums = points.gram.running_sums(labels[best], weights, k)
        return best, points._replace(labels=labels[best], sums=sums)

    def _on_all_rows(
        self,
        rows: Rows,
        to_features: NystroemMap,
        weights: Float64Array,
        k: int,
        search: BestOf,
        starts: Starts,
    ) -> Sketch:
        points = self._featured(rows, to_features, weights, None)
        table = _table(rows, slice(None))
        problem = Problem(points.gram, weights, k, origin_is_free=True, table=table)
        scale = Scale(to_features.unit)
        runs = competed(problem, search, starts, f"a sketch of {rows.n_rows} rows", scale)
        labels = runs.best.labels
        points = points._replace(labels=labels, sums=points.gram.running_sums(labels, weights, k))
        error = points.error(weights)
        return Sketch(points=points, to_features=to_features, runs=runs, scale=scale, error=error)

    def improved(self, sketch: Sketch, weights: Float64Array, k: int, solver: Solver) -> Partition:
        """A partition of all rows that is optimal on the sketch, with no cluster empty.

        Rows alike in features cannot be told apart there: an empty cluster gets one of those that
        the features show least.
        """
        points = sketch.points
        labels = points.labels.copy()
        fill_empty(labels, weights * points.lacking, weights, k)
        note = "all rows, on the sketch"
        with (
            progress.adapted(lambda event: replace(event, note=note)),
            progress.scaled(Scale(sketch.to_features.unit)),
        ):
            return solver.solve(Problem(points.gram, weights, k), labels)

    def _features_of(self, rows: Rows, index: IntArray, to_features: NystroemMap) -> FactorGram:
        """The operator of some rows, whose features are held."""
        some = rows.take(index)
        pieces = blocks(0, len(index), CHUNK // 4)
        made = self.executor.map(lambda ab: to_features(some[slice(*ab)])[0], pieces)
        return FactorGram(np.concatenate(list(made)))

    def _featured(
        self,
        rows: Rows,
        to_features: NystroemMap,
        weights: Float64Array,
        centroids: FeatureCentroids | None,
    ) -> Featured:
        """One pass over the rows: features, norms, and the nearest centroid if there are some."""
        n, rank = rows.n_rows, to_features.rank
        held = np.empty((n, rank), np.float32) if 4 * n * rank <= self.feature_bytes else None
        norms, labels, lacking = np.empty(n), np.zeros(n, np.int64), np.empty(n)
        vectors = np.zeros((1, rank) if centroids is None else centroids.means.shape)

        def featured(start: int, chunk: Any) -> _Chunk:
            """Everything about some rows, and their part of the sums."""
            some = slice(start, start + n_rows(chunk))
            features, squares, lack = to_features.measured(chunk)
            nearest = np.zeros(n_rows(chunk), np.int64)
            if centroids is not None:
                nearest = centroids.nearest(features)
            part = np.zeros_like(vectors)
            kernels.add_by_cluster(features, nearest, weights[some], part)
            return _Chunk(some, None if held is None else features, squares, nearest, lack, part)

        total = -(-n // CHUNK)
        for number, made in enumerate(over_rows(featured, rows, CHUNK, self.executor), start=1):
            if held is not None:
                held[made.rows] = made.features
            norms[made.rows], labels[made.rows] = made.norms, made.labels
            lacking[made.rows] = made.lacking
            vectors += made.sums
            progress.tell(Progress(phase="sketch", number=number, total=total))
        features_of_all: Features = held if held is not None else LazyFeatures(rows, to_features)
        gram = FactorGram(features_of_all, norms, n_threads=self.executor.n_workers)
        return Featured(gram, labels, FactorSums(gram, vectors), lacking)


def _table(rows: Rows, index: slice | IntArray) -> Float64Array | None:
    return None if rows.n_columns is None else rows.take(index)
