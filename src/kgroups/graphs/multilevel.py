"""Coarsen a graph, cluster what is left, and refine on the way back, as Graclus does.

Neighbors are merged, level by level, until a few thousand nodes are left. Those are clustered by
eigenvectors; then each level is undone, and its nodes are moved one by one by Hartigan's rule. The
objective is exact: it is the same number on every level. No eigenvector of a large graph is
computed, so this works for millions of nodes.

Sources: I. S. Dhillon, Y. Guan and B. Kulis, IEEE Trans. PAMI 29 (2007), section 5. Merging groups
instead of pairs, which keeps communities separate on graphs with hubs: H. Meyerhenke, P. Sanders
and C. Schulz, SEA 2014.
"""

from dataclasses import dataclass

import numpy as np

from kgroups.gram import SparseGram
from kgroups.graphs.compiled.multilevel import grow_groups
from kgroups.graphs.embedding import association_rows, cluster_rows, filled, unit_rows
from kgroups.runtime import progress
from kgroups.runtime.progress import Progress
from kgroups.runtime.seeds import seed_of
from kgroups.solvers import Problem, Solver
from kgroups.typing import Float64Array, IntArray

# Coarsening ends at this many nodes per cluster, and at n / _SHARE nodes or _ENOUGH if fewer.
_NODES_PER_CLUSTER = 10
_SHARE, _ENOUGH = 8, 2_000
# Largest weight of a group, in weights of a mean node, and rounds in which groups grow.
_GROWTH, _ROUNDS = 10.0, 3
# A level that keeps more than this share of the nodes is not worth its time.
_STALLED = 0.9


@dataclass(frozen=True)
class Level:
    """A graph whose nodes are groups of nodes of the level below."""

    gram: SparseGram
    weights: Float64Array
    groups: IntArray


def multilevel_labels(
    gram: SparseGram, weights: Float64Array, k: int, solver: Solver, seed: int
) -> IntArray:
    """Labels from the coarsest level, refined on all others but the given graph; O(nnz) each."""
    rng = np.random.default_rng(seed)
    levels = coarsen(gram, weights, k, rng)
    top = levels[-1] if levels else Level(gram, weights, np.arange(gram.n))
    rows = association_rows(top.gram, top.weights, k, seed=seed_of(rng))
    labels = cluster_rows(unit_rows(rows), k, seed=seed_of(rng), n_init=4)
    labels = filled(labels, k, top.weights)
    for number in range(len(levels), 0, -1):
        level = levels[number - 1]
        labels = solver.solve(Problem(level.gram, level.weights, k), labels).labels[level.groups]
        _tell("refined", number, len(levels), level.gram.n)
    return labels


def coarsen(
    gram: SparseGram, weights: Float64Array, k: int, rng: np.random.Generator
) -> list[Level]:
    """Levels from the finest to the coarsest; none for a graph that is small already."""
    least = max(_NODES_PER_CLUSTER * k, min(gram.n // _SHARE, _ENOUGH))
    levels: list[Level] = []
    while gram.n > least:
        most = min(_GROWTH / gram.n, 1.0 / least) * float(weights.sum())
        S = gram.matrix
        order = rng.permutation(gram.n)
        groups, count = grow_groups(S.indptr, S.indices, S.data, weights, order, most, _ROUNDS)
        if count > _STALLED * gram.n:
            break
        gram, weights = gram.contracted(weights, groups, count)
        levels.append(Level(gram, weights, groups))
        _tell("coarsened", len(levels), None, count)
    return levels


def _tell(what: str, number: int, total: int | None, n: int) -> None:
    progress.tell(Progress(phase="level", number=number, total=total, note=f"{what}, {n:,} nodes"))
