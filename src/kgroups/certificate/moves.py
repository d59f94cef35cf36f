"""What moves change: the sums within clusters, and how far centroids drift."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kgroups.certificate.changes import Bracket, Cluster, sums_among
from kgroups.certificate.ladder import Scene
from kgroups.runtime.threads import Executor, blocks
from kgroups.semimetrics.group_sums import (
    Group,
    relative_rounding,
    sums_to_group,
)
from kgroups.solvers.objective import sum_by_cluster
from kgroups.typing import Float64Array, IntArray

# Points in a task.
_FEW = 64
_EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, eq=False)
class Moved:
    """What moves have changed: Σ Σ w w ρ within clusters, and their centroids."""

    totals: list[Bracket]
    #: How far each centroid has moved, at most.
    drift: Float64Array
    #: Distances evaluated.
    n_pairs: int


def moved_to(scene: Scene, index: IntArray, labels: IntArray, executor: Executor) -> Moved:
    """What new labels of some points change, by exact sums of those that have moved.

    O(moves · n D / k) time.
    """
    before = scene.labels[index]
    moved = np.flatnonzero(labels != before)
    now = scene.labels.copy()
    now[index] = labels
    weight = sum_by_cluster(now, scene.weights, len(scene.clusters))
    rounding = relative_rounding(scene.points)
    totals, drift, n_pairs = [], np.zeros(len(scene.clusters)), 0
    weights = scene.weights[index[moved]]
    for place, cluster in enumerate(scene.clusters):
        here, signed = joined_or_left(place, before[moved], labels[moved], weights)
        some = index[moved[here]]
        if len(some) == 0:
            totals.append(cluster.total)
            continue
        sums, n = _sums_with(scene, place, some, executor)
        n_pairs += n + len(some) * (len(some) - 1)  # by weights and by their sizes
        error = rounding * np.abs(sums)
        total, length = shifted(scene, cluster, some, signed, sums, error, executor)
        totals.append(total)
        drift[place] = length / float(weight[place])
    return Moved(totals, drift, n_pairs)


def joined_or_left(
    place: int, before: IntArray, now: IntArray, weights: Float64Array
) -> tuple[IntArray, Float64Array]:
    """Which of some points have joined or left a cluster, and w, or −w where they left."""
    joined, left = np.flatnonzero(now == place), np.flatnonzero(before == place)
    return np.concatenate([joined, left]), np.concatenate([weights[joined], -weights[left]])


def shifted(
    scene: Scene,
    cluster: Cluster,
    index: IntArray,
    signed: Float64Array,
    sums: Float64Array,
    error: Float64Array,
    executor: Executor,
) -> tuple[Bracket, float]:
    """Σ Σ w w ρ within a cluster that some points have joined or left, and s' ‖μ' − μ‖, at most.

    ``signed`` are their weights, below 0 for those that left; ``sums`` are their Σ w ρ over the
    members before, up to ``error``. O(moves² D).
    """
    to_old, of_old = float(signed @ sums), float(np.abs(signed) @ error)
    among, size = sums_among(scene.points, scene.form.unit, index, signed, executor)
    of_among = relative_rounding(scene.points) * size
    total = cluster.total
    of_total = _EPS * (abs(total.most) + 2.0 * abs(to_old) + size)
    now = total.plus(2.0 * to_old + among, 2.0 * of_old + of_among + of_total)
    share = float(signed.sum()) / cluster.weight
    # ‖Δ − (ΣΔ) μ‖², the energy of weights that add up to zero
    squared = -0.5 * (among - 2.0 * share * to_old + share**2 * total.least)
    loose = of_among + 2.0 * abs(share) * of_old
    loose += _EPS * (size + 2.0 * abs(share * to_old) + share**2 * abs(total.most))
    return now, float(np.sqrt(max(squared + 0.5 * loose, 0.0)))


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
