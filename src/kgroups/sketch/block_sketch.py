"""Labels of all rows by a sketch, of rows that lie in blocks: a few passes over all blocks.

The steps are those of :mod:`kgroups.sketch.sketcher`. What is as long as the rows stays with the
blocks, but for the labels.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kgroups.gram.block_features import FEATURES, NORMS, SketchedFeatures
from kgroups.gram.low_rank import CHUNK, FactorGram
from kgroups.gram.nystroem import NystroemMap
from kgroups.native import kernels
from kgroups.runtime import progress
from kgroups.runtime.progress import Progress
from kgroups.runtime.row_blocks import Blocks, RowBlock, all_blocks
from kgroups.runtime.threads import Executor, blocks
from kgroups.semimetrics.semimetric import Semimetric
from kgroups.sketch.block_fill import Cost, count_members, fill_empty_clusters
from kgroups.sketch.block_sample import Sample, coreset, drawn_landmarks, forget
from kgroups.sketch.competition import competed
from kgroups.sketch.sample import sample_size
from kgroups.solvers.block_labels import BlockLabels, compact
from kgroups.solvers.block_means import folded
from kgroups.solvers.block_search import BlockSearch, Course, searched
from kgroups.solvers.centroids import FeatureCentroids
from kgroups.solvers.means import Means
from kgroups.solvers.partition import Partition
from kgroups.solvers.problem import Problem
from kgroups.solvers.restarts import BestOf, Restarts
from kgroups.solvers.scale import Scale
from kgroups.solvers.starts import Starts
from kgroups.typing import Float64Array, FloatArray, IntArray

#: What is called after each sweep.
AfterSweep = Callable[[BlockSearch, Course], None]


class Totals(NamedTuple):
    """Sums over rows: what their features show of K(x, x) and lack of it, and the features."""

    weight: Float64Array  # ()
    shown: Float64Array  # ()
    lacking: Float64Array  # ()
    vector: Float64Array  # (rank,)

    @property
    def error(self) -> float:
        """The share of Σ w K(x, x) about the mean that features lack."""
        lacking = float(self.lacking)
        shown = float(self.shown) - float(self.vector @ self.vector) / float(self.weight)
        return lacking / (lacking + shown) if lacking + shown > 0 else 0.0


class _Featured(NamedTuple):
    """What a block answers when its features are made."""

    labels: NDArray[Any]
    totals: Totals


@dataclass(frozen=True, kw_only=True)
class BlockSketch:
    """Labels of all rows from starts on the features of a sample."""

    features: SketchedFeatures
    labels: BlockLabels
    #: The starts; their objectives count for the rows on which they competed.
    runs: Restarts
    #: From the objectives of the starts to those of all rows.
    scale: Scale
    error: float


@dataclass(frozen=True, kw_only=True)
class BlockSketcher:
    """How to sketch."""

    n_components: int
    landmarks: str
    seed: int
    executor: Executor

    def sketch(
        self,
        where: Blocks,
        semimetric: Semimetric,
        alive: Sequence[int],
        k: int,
        search: BestOf,
        starts: Starts,
    ) -> BlockSketch:
        """Starts on a sample of the rows with weight, and every row at the nearest centroid."""
        rng = np.random.default_rng([self.seed, 1])
        drawn = drawn_landmarks(where, semimetric, alive, self.n_components, self.landmarks, rng)
        to_features = NystroemMap.of(drawn.rows, semimetric)
        n_alive = int(sum(alive))
        size = sample_size(n_alive, k)
        sample = coreset(where, drawn.far, size, n_alive, rng, least=k)
        for _ in where.map("sample", forget, None, None, all_blocks(where), light=True):
            pass
        gram = _features_of(sample, to_features, self.executor)
        problem = Problem(gram, sample.weights, k, origin_is_free=True, table=sample.rows)
        # The sample has fewer points than it has draws; what it stands for is its weight.
        scale = Scale(to_features.unit / float(sample.weights.sum() / sample.total))
        runs = competed(problem, search, starts, f"a sketch of {size} rows", scale)
        centroids = FeatureCentroids.of(gram, runs.best, sample.weights)
        features = SketchedFeatures(to_features)
        labels, totals = _featured(where, features, centroids, k)
        return BlockSketch(
            features=features, labels=labels, runs=runs, scale=scale, error=totals.error
        )


class Optimum(NamedTuple):
    """What a search over blocks has reached."""

    partition: Partition
    means: Means


def improved(
    where: Blocks,
    features: Any,
    labels: BlockLabels,
    k: int,
    heaviest: float,
    cost: tuple[Cost, Any],
    settings: tuple[float, int],
    after_sweep: AfterSweep = lambda search, course: None,
) -> Optimum:
    """The one-move optimum on features, with no cluster empty.

    An empty cluster gets the costliest row, as ``cost`` says before the search, and by the
    dispersion about its centroid after it. ``settings`` are ``tol`` and ``max_iter``.
    """
    fill_empty_clusters(where, labels, count_members(where, labels, k), *cost)
    search = BlockSearch(where, features, labels, k, heaviest)
    return resumed(search, settings, after_sweep)


def resumed(
    search: BlockSearch,
    settings: tuple[float, int],
    after_sweep: AfterSweep,
    course: Course | None = None,
) -> Optimum:
    """The same from a search that has made some sweeps."""
    where, features, labels = search.where, search.features, search.labels
    while True:
        found = searched(search, *settings, course, partial(after_sweep, search))
        about = (features, search.means.centers)
        if not fill_empty_clusters(where, labels, search.means.members, spread, about):
            return Optimum(found, search.means)
        search, course = BlockSearch(where, features, labels, search.k, search.heaviest), None


def lacking(block: RowBlock, features: SketchedFeatures, labels: IntArray) -> Float64Array:
    """What the features of each row lack of K(x, x)."""
    return np.concatenate([features.chunk(block, a, b)[1] for a, b in blocks(0, block.n, CHUNK)])


def spread(block: RowBlock, about: tuple[Any, Float64Array], labels: IntArray) -> Float64Array:
    """The squared distance of each row to its centroid, in features."""
    features, centers = about
    out = np.empty(block.n)
    for a, b in blocks(0, block.n, CHUNK):
        held = features.read(block, a, b)
        apart = held.scale * (held.rows - held.mean) - centers[labels[a:b]]
        out[a:b] = np.einsum("ij,ij->i", apart, apart)
    return out


def _features_of(sample: Sample, to_features: NystroemMap, executor: Executor) -> FactorGram:
    """The operator of a sample, whose features are held."""
    pieces = blocks(0, len(sample.numbers), CHUNK // 4)
    made = executor.map(lambda ab: to_features(sample.rows[slice(*ab)])[0], pieces)
    return FactorGram(np.concatenate(list(made)))


def _featured(
    where: Blocks, features: SketchedFeatures, centroids: FeatureCentroids, k: int
) -> tuple[BlockLabels, Totals]:
    """One pass over the rows: features, norms, and the nearest centroid."""
    values = np.empty(where.n_rows, compact(k))
    made = where.map("sketch", _feature, features, centroids, all_blocks(where))

    def told() -> Any:
        """The totals of the blocks, one by one."""
        for number, found in enumerate(made):
            values[slice(*where.spans[number])] = found.labels
            progress.tell(Progress(phase="sketch", number=number + 1, total=len(where.spans)))
            yield found.totals

    totals: Totals = folded(told())
    return BlockLabels(where, values), totals


def _feature(
    block: RowBlock, features: SketchedFeatures, centroids: FeatureCentroids, arg: None
) -> _Featured:
    labels = np.empty(block.n, compact(len(centroids.means)))
    rows, weights = block.rows(), block.weights()
    norms, room = np.empty(block.n), features.room(block)

    def of_chunk(a: int, b: int) -> Totals:
        """The totals of a chunk."""
        some, norms[a:b], lack = features.to_features.measured(rows[a:b])
        labels[a:b] = centroids.nearest(some)
        if room is not None:
            room[a:b] = some
        return _totals(some, weights[a:b], norms[a:b], lack)

    totals = folded(of_chunk(a, b) for a, b in blocks(0, block.n, CHUNK))
    block.kept[NORMS] = norms
    if room is not None:
        block.kept[FEATURES] = room
    return _Featured(labels, totals)


def _totals(
    features: FloatArray, weights: Float64Array, norms: Float64Array, lack: Float64Array
) -> Totals:
    vector = np.zeros((1, features.shape[1]))
    kernels.add_by_cluster(features, np.zeros(len(features), np.int64), weights, vector)
    return Totals(
        weight=np.asarray(weights.sum()),
        shown=np.asarray((weights * norms).sum()),
        lacking=np.asarray((weights * lack).sum()),
        vector=vector[0],
    )
