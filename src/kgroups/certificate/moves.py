"""Moves among the few points that bounds leave open, with exact gains."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from kgroups.certificate.changes import Bracket, Cluster, sums_among
from kgroups.certificate.ladder import Open, Scene
from kgroups.gram.matrix_free import MatrixFreeGram, PairSums
from kgroups.runtime.threads import Executor, blocks
from kgroups.semimetrics.group_sums import (
    Group,
    relative_rounding,
    sums_to_group,
)
from kgroups.solvers.compiled import hartigan, lloyd
from kgroups.solvers.compiled.state import State
from kgroups.solvers.objective import sum_by_cluster
from kgroups.solvers.sweep import Visit, sweep
from kgroups.typing import Float64Array, IntArray

# The sum of a point with a cluster that it cannot gain by: no gain is as low.
_NEVER = -1e300
# Sweeps among open points; every move raises the objective.
_MOST_SWEEPS = 1000
# Points in a task.
_FEW = 64
_EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, eq=False)
class Moved:
    """What moves among open points have changed."""

    #: New labels of the open points.
    labels: IntArray
    n_moves: int
    totals: list[Bracket]
    #: How far each centroid has moved, at most.
    drift: Float64Array
    #: Distances evaluated.
    n_pairs: int


def settle(scene: Scene, seen: Open, executor: Executor) -> Moved:
    """Move points one by one while any gains, by what is known of their sums.

    The rule is that of :mod:`kgroups.solvers.hartigan`, on a problem that holds these points only;
    all others stay. Where sums are the middle of an interval, moves are good guesses, of which the
    next round says whether they were right. O(sweeps · b k) time and O(moves · b D).
    """
    b, k = len(seen.index), len(scene.clusters)
    points, weights = scene.points, scene.weights[seen.index]
    spread, s = (
        np.array([getattr(cluster, name) for cluster in scene.clusters])
        for name in ("middle_spread", "weight")
    )
    table = np.full((k, b), _NEVER)
    for pairs in (seen.own, seen.others):
        c = pairs.cluster
        table[c, pairs.row] = -0.5 * s[c] * (0.5 * (pairs.low + pairs.high) + spread[c])
    unit = points.unit / scene.form.unit
    gram = MatrixFreeGram(
        replace(points, table=points.table[seen.index], unit=unit), n_threads=executor.n_workers
    )
    within = np.array([-0.5 * cluster.total.middle for cluster in scene.clusters])
    rule = scene.rule
    state = State(
        labels=scene.labels[seen.index].copy(),
        members=rule.count.copy(),
        weight=rule.weight.copy(),
        within=within,
        peak=rule.weight.copy(),
        reach=np.abs(within),
        held_back=np.zeros(1, np.int64),
        rounding=gram.rounding,
    )
    sums, n_moves = PairSums(gram, table), 0
    visit = hartigan.visit if rule.is_ratio else lloyd.visit
    how = Visit(visit, gram.diagonal(), weights, rule.least, state)
    for _ in range(_MOST_SWEEPS):
        moved = sweep(gram, sums, how)
        n_moves += moved
        if moved == 0:
            break
    return _counted(scene, seen.index, state.labels, n_moves, executor)


def _counted(
    scene: Scene, index: IntArray, labels: IntArray, n_moves: int, executor: Executor
) -> Moved:
    """The sums within clusters and the drift of centroids, from exact sums of moved points."""
    before = scene.labels[index]
    moved = np.flatnonzero(labels != before)
    now = scene.labels.copy()
    now[index] = labels
    weight = sum_by_cluster(now, scene.weights, len(scene.clusters))
    rounding = relative_rounding(scene.points)
    totals, drift, n_pairs = [], np.zeros(len(scene.clusters)), 0
    for place, cluster in enumerate(scene.clusters):
        left, joined = moved[before[moved] == place], moved[labels[moved] == place]
        some = index[np.concatenate([joined, left])]
        if len(some) == 0:
            totals.append(cluster.total)
            continue
        signed = np.concatenate([scene.weights[index[joined]], -scene.weights[index[left]]])
        sums, n = _sums_with(scene, place, some, executor)
        n_pairs += n
        to_old = float(signed @ sums)
        among, size = sums_among(scene.points, scene.form.unit, some, signed, executor)
        n_pairs += len(some) * (len(some) - 1) // 2
        error = rounding * (2.0 * float(np.abs(signed) @ np.abs(sums)) + size)
        total = cluster.total
        of_total = _EPS * (abs(total.most) + 2.0 * abs(to_old) + size)
        totals.append(total.plus(2.0 * to_old + among, error + of_total))
        drift[place] = _drift(cluster, signed, to_old, among, error) / float(weight[place])
    return Moved(labels, n_moves, totals, drift, n_pairs)


def _sums_with(
    scene: Scene, place: int, index: IntArray, executor: Executor
) -> tuple[Float64Array, int]:
    """Σ w ρ(x, y) over the present members of a cluster, and how many distances that took."""
    cluster, table = scene.clusters[place], scene.points.table
    old = scene.members.of_cluster(place)
    # No differences: those of heavy points that have left would cost the others their digits.
    members = np.concatenate([old[scene.labels[old] == place], cluster.index[cluster.signed > 0]])
    group = Group.of(table[members], scene.weights[members])

    def some(block: tuple[int, int]) -> Float64Array:
        """The sums of some points."""
        x = table[index[slice(*block)]]
        return sums_to_group(scene.points, x, group) / scene.form.unit

    sums = list(executor.map(some, blocks(0, len(index), _FEW)))
    return np.concatenate(sums), len(index) * len(members)


def _drift(
    cluster: Cluster, signed: Float64Array, to_old: float, among: float, error: float
) -> float:
    """A bound on s' ‖μ' − μ‖ = ‖Δ − (ΣΔ) μ‖, by the energy of weights that add up to zero."""
    share = float(signed.sum()) / cluster.weight
    squared = -0.5 * (among - 2.0 * share * to_old + share**2 * cluster.total.least)
    error *= max(1.0, abs(share))
    return float(np.sqrt(max(squared, 0.0) + error))
