"""Squared Euclidean distances of rows that lie in blocks: exact, and without any pair.

The steps are those of :mod:`kgroups.sketch.sampled_starts`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kgroups.gram.block_features import SquaredFeatures
from kgroups.gram.low_rank import CHUNK
from kgroups.gram.squared_rows import Embedding, SquaredGram, origin_of, side_by_side
from kgroups.runtime.row_blocks import Blocks, RowBlock, all_blocks
from kgroups.runtime.threads import Executor, Threads, blocks
from kgroups.semimetrics.semimetric import Semimetric
from kgroups.semimetrics.units import few_rows, unit_of_extent
from kgroups.sketch.block_sample import Norms, coreset
from kgroups.sketch.competition import competed
from kgroups.sketch.sampled_starts import size_of_sample
from kgroups.solvers.block_draws import rows_of
from kgroups.solvers.block_labels import BlockLabels, LabelsAt, compact, labels_in
from kgroups.solvers.block_means import folded
from kgroups.solvers.centroids import FeatureCentroids
from kgroups.solvers.feature_search import nearest_means
from kgroups.solvers.means import Means
from kgroups.solvers.problem import Problem
from kgroups.solvers.restarts import BestOf, Restarts
from kgroups.solvers.scale import Scale
from kgroups.solvers.starts import Starts
from kgroups.typing import Float64Array, IntArray


class Extent(NamedTuple):
    """The least and the largest number of each coordinate."""

    low: Float64Array
    high: Float64Array


class _Sum(NamedTuple):
    """Σ w and Σ w (x − place)."""

    weight: Float64Array
    beyond: Float64Array


class Sampled(NamedTuple):
    """All rows at the nearest of the centroids that won on a sample."""

    labels: BlockLabels
    runs: Restarts
    #: The share of all weight that the sample stands for.
    part: float
    #: Where the centroids of the sample are, in features.
    means: Float64Array


def squared_features(where: Blocks, semimetric: Semimetric) -> SquaredFeatures:
    """The features of all rows: three passes over the blocks."""
    parts = list(where.map("extent", _extent, semimetric, None, all_blocks(where)))
    low = np.min([part.low for part in parts], axis=0)
    high = np.max([part.high for part in parts], axis=0)
    n = where.n_rows
    few, scale = _coordinates(where, semimetric, few_rows(n))
    unit = unit_of_extent(low, high, few)
    start = Embedding(few[0].astype(np.float64), unit, np.zeros(few.shape[1]), scale)
    made = SquaredFeatures(semimetric, start)
    first = next(
        row for row in where.map("extent", _first_alive, made, None, all_blocks(where))
        if row is not None
    )  # fmt: skip
    total: _Sum = folded(where.map("mean", _mean, made, first, all_blocks(where)))
    mean = first + total.beyond / float(total.weight)
    some = rows_of(where, _evenly(n))
    rows = start.rows(semimetric.terms(some) or [])
    origin = origin_of(mean, rows)
    return SquaredFeatures(semimetric, Embedding(start.first, unit, origin, scale))


def sampled_starts(
    where: Blocks,
    features: SquaredFeatures,
    n_alive: int,
    k: int,
    search: BestOf,
    starts: Starts,
    executor: Executor,
) -> Sampled:
    """Starts on a sample, and every row at the nearest of the winner's centroids. O(nkD)."""
    rng = np.random.default_rng([starts.seeds[0], 1])
    size = size_of_sample(where.n_rows, k)
    sample = coreset(where, Norms(features), size, n_alive, rng, least=k)
    rows = features.embedding.rows(features.semimetric.terms(sample.rows) or [])
    gram = SquaredGram.of_rows(features.embedding, rows, n_threads=executor.n_workers)
    problem = Problem(gram, sample.weights, k, origin_is_free=True, table=sample.rows)
    part = float(sample.weights.sum() / sample.total)
    place = f"a sample of {len(sample.numbers)} rows"
    runs = competed(problem, search, starts, place, Scale(1 / part))
    means = FeatureCentroids.of(gram, runs.best, sample.weights).means
    values = np.empty(where.n_rows, compact(k))
    found = where.map("sample", _nearest, features, means, all_blocks(where))
    for (a, b), labels in zip(where.spans, found, strict=True):
        values[a:b] = labels
    return Sampled(BlockLabels(where, values), runs, part, means)


def dispersions(
    where: Blocks, features: SquaredFeatures, labels: BlockLabels, means: Means
) -> Float64Array:
    """W_j from differences to means, so that nothing cancels, in units of features. O(nD)."""
    about = (means.places, means.beyond)
    parts = where.map("W", _dispersions, features, about, labels.everywhere())
    total: Float64Array = folded(parts, np.add)
    return features.embedding.scale**2 * total


def nearest_cost(
    block: RowBlock, about: tuple[SquaredFeatures, Float64Array], labels: IntArray
) -> Float64Array:
    """The squared distance of each row to the nearest of some means."""
    features, means = about
    return _by_chunks(block, features, means)[1]


def _by_chunks(
    block: RowBlock, features: SquaredFeatures, means: Float64Array
) -> tuple[IntArray, Float64Array]:
    """The nearest mean of each row, and its squared distance; chunk by chunk, to the same bits."""
    made = [
        nearest_means(features.read(block, a, b), means, Threads(1))
        for a, b in blocks(0, block.n, CHUNK)
    ]
    return np.concatenate([m[0] for m in made]), np.concatenate([m[1] for m in made])


def _evenly(n: int) -> IntArray:
    from kgroups.gram.squared_rows import SOME
    from kgroups.semimetrics.semimetric import evenly_spaced

    return evenly_spaced(n, SOME)


def _coordinates(where: Blocks, semimetric: Semimetric, index: IntArray) -> tuple[Any, float]:
    return side_by_side(semimetric.terms(rows_of(where, index)) or [])


def _extent(block: RowBlock, semimetric: Semimetric, shared: None, arg: None) -> Extent:
    table, _ = side_by_side(semimetric.terms(block.rows()) or [])
    return Extent(table.min(axis=0), table.max(axis=0))


def _first_alive(
    block: RowBlock, features: SquaredFeatures, shared: None, arg: None
) -> Float64Array | None:
    """The first row with weight, in the unit of rows."""
    alive = np.flatnonzero(block.weights() > 0)
    if not len(alive):
        return None
    first = int(alive[0])
    return np.asarray(features.read(block, first, first + 1).rows[0], np.float64)


def _mean(block: RowBlock, features: SquaredFeatures, first: Float64Array, arg: None) -> _Sum:
    weights = block.weights()

    def of_chunk(a: int, b: int) -> _Sum:
        """Weight and weighted sum of rows a to b."""
        apart = features.read(block, a, b).rows - first
        return _Sum(np.asarray(weights[a:b].sum()), _weighted(weights[a:b], apart))

    return folded(of_chunk(a, b) for a, b in blocks(0, block.n, CHUNK))


def _weighted(weights: Float64Array, rows: Float64Array) -> Float64Array:
    """Σ w x, column by column in one order, whatever the machine's product would do."""
    return np.asarray(np.einsum("i,ij->j", weights, rows, dtype=np.float64))


def _nearest(
    block: RowBlock, features: SquaredFeatures, means: Float64Array, arg: None
) -> NDArray[Any]:
    labels, _ = _by_chunks(block, features, means)
    return labels.astype(compact(len(means)))


def _dispersions(
    block: RowBlock,
    features: SquaredFeatures,
    about: tuple[Float64Array, Float64Array],
    sent: LabelsAt,
) -> Float64Array:
    places, beyond = about
    labels, weights = labels_in(block, sent), block.weights()

    def of_chunk(a: int, b: int) -> Float64Array:
        """Weighted squared distances of rows a to b to their means, summed per cluster."""
        own = labels[a:b]
        apart = (features.read(block, a, b).rows - places[own]) - beyond[own]
        squared = np.einsum("ij,ij->i", apart, apart)
        sums = np.bincount(own, weights=weights[a:b] * squared, minlength=len(places))
        return np.asarray(sums, np.float64)

    return folded((of_chunk(a, b) for a, b in blocks(0, block.n, CHUNK)), np.add)
