"""Starts on a sample of the rows, where clusters are means and any row can be given to one."""

from __future__ import annotations

import numpy as np

from kgroups.gram.sparse_rows import SparseRowsGram
from kgroups.gram.squared_rows import RowsGram
from kgroups.runtime.threads import Executor
from kgroups.sketch.competition import competed
from kgroups.sketch.sample import coreset, sample_size
from kgroups.solvers.centroids import FeatureCentroids
from kgroups.solvers.feature_search import nearest_means
from kgroups.solvers.fill_empty import fill_empty
from kgroups.solvers.partition import Partition
from kgroups.solvers.problem import Problem
from kgroups.solvers.restarts import BestOf, Restarts
from kgroups.solvers.scale import Scale
from kgroups.solvers.starts import Starts
from kgroups.typing import Float64Array, IntArray

# Rows on which the starts compete at least: a start takes a few milliseconds there.
_LEAST = 10_000


def size_of_sample(n: int, k: int) -> int:
    """Rows on which the starts compete."""
    return min(n, max(_LEAST, sample_size(n, k)))


def labels_from_sample(
    problem: Problem,
    gram: RowsGram | SparseRowsGram,
    search: BestOf,
    starts: Starts,
    executor: Executor,
) -> tuple[IntArray, Restarts, float]:
    """All rows at the nearest of the centroids that won on a sample, of which none is left out.

    Returns the labels, the starts on the sample, and the share of all weight that it stands for,
    by which objectives of the two differ. O(nkD) time.
    """
    weights, k = problem.weights, problem.n_clusters
    rng = np.random.default_rng([starts.seeds[0], 1])
    index, w = coreset(weights, gram.diagonal(), size_of_sample(gram.n, k), rng, least=k)
    table = None if problem.table is None else problem.table[index]
    sample = Problem(gram.taken(index), w, k, origin_is_free=True, table=table)
    part = float(w.sum() / weights.sum())
    runs = competed(sample, search, starts, f"a sample of {len(index)} rows", Scale(1 / part))
    labels, cost = _at_nearest(gram, index, runs.best, w, executor)
    fill_empty(labels, weights * cost, weights, k)
    return labels, runs, part


def _at_nearest(
    gram: RowsGram | SparseRowsGram,
    index: IntArray,
    best: Partition,
    weights: Float64Array,
    executor: Executor,
) -> tuple[IntArray, Float64Array]:
    """The nearest mean of a partition of a sample for each point, and its squared distance."""
    if isinstance(gram, SparseRowsGram):
        means = gram.taken(index).means(best.labels, weights, best.n_clusters)
        squared = gram.squared_distances_to(means)
        labels = np.argmin(squared, axis=0)
        return labels.astype(np.int64), squared[labels, np.arange(gram.n)]
    centroids = FeatureCentroids.of(gram.taken(index), best, weights)
    return nearest_means(gram.in_memory(), centroids.means, executor)
