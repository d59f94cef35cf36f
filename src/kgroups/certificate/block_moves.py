"""Open rows of blocks that have moved: the clusters after it, and what all other rows may lose.

What is known of clusters changes by known sums, and centroids by a known distance, as in
:mod:`kgroups.certificate.moves`. So rows that stayed by more than that still stay, and no block
needs to be asked about them again. The sums of open rows change by their distances to the rows
that moved; these themselves are to be compared with all clusters.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from kgroups.certificate.changes import Cluster
from kgroups.certificate.ladder import Scene
from kgroups.certificate.margins import Change
from kgroups.certificate.moves import joined_or_left, shifted
from kgroups.certificate.open_rows import Known, Looked
from kgroups.runtime.threads import Executor
from kgroups.semimetrics.group_sums import Group, relative_rounding, sums_to_group
from kgroups.typing import Float64Array, IntArray

# Moves of which all pairs are looked at; more would take longer than another look at all rows.
_MOST_MOVES = 1 << 12
_EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, eq=False)
class AfterMoves:
    """Clusters and open rows after some moves."""

    clusters: list[Cluster]
    #: How many members each cluster has.
    count: IntArray
    #: The places of the open rows that moved, and the sums of the others.
    moved: IntArray
    known: Known
    #: How much of its margin a row that has not moved may have lost.
    lost: float
    #: Distances evaluated.
    n_pairs: int


def after_moves(
    scene: Scene, known: Known, labels: IntArray, looked: Looked, executor: Executor
) -> AfterMoves | None:
    """What new labels of open rows change; None for many moves. O((pairs + moves²) D)."""
    moved = np.flatnonzero(labels != scene.labels)
    if len(moved) > _MOST_MOVES:
        return None
    k = len(scene.clusters)
    (sums, error), known = _of_moved(known, moved, k)
    w, before, now = scene.weights[moved], scene.labels[moved], labels[moved]
    clusters, drift, n_pairs = list(scene.clusters), np.zeros(k), 0
    for place, cluster in enumerate(scene.clusters):
        some, signed = joined_or_left(place, before, now, w)
        if len(some) == 0:
            continue
        of_sums = sums[some, place], error[some, place]
        total, length = shifted(scene, cluster, moved[some], signed, *of_sums, executor)
        weight = cluster.weight + float(signed.sum())
        clusters[place] = replace(cluster, total=total, weight=weight)
        drift[place] = length / weight
        known, n = _changed(scene, known, place, moved[some], signed)
        n_pairs += n + len(some) * (len(some) - 1)  # by weights and by their sizes
    count = scene.rule.count + np.bincount(now, minlength=k) - np.bincount(before, minlength=k)
    after = replace(scene.rule, weight=np.array([c.weight for c in clusters]), count=count)
    lost = _most_lost(Change(scene.rule, after, drift), looked)
    return AfterMoves(clusters, count, moved, known, lost, n_pairs)


def _of_moved(known: Known, moved: IntArray, k: int) -> tuple[Float64Array, Known]:
    """Σ w ρ of the rows that moved, and its error, (2, moved, k), NaN elsewhere; and all others."""
    place = np.full(int(known.row.max()) + 1, -1)
    place[moved] = np.arange(len(moved))
    row = place[known.row]
    some = row >= 0
    found = np.full((2, len(moved), k), np.nan)
    found[:, row[some], known.cluster[some]] = known.sums[some], known.error[some]
    return found, known.of(~some)


def _changed(
    scene: Scene, known: Known, place: int, moved: IntArray, signed: Float64Array
) -> tuple[Known, int]:
    """The sums after open rows have joined or left a cluster, and the distances that took."""
    points, unit = scene.points, scene.form.unit
    some = np.flatnonzero(known.cluster == place)
    x, rounding = points.table[known.row[some]], relative_rounding(points)
    sums, error = known.sums.copy(), known.error.copy()
    for sign in (1.0, -1.0):  # apart, so that the error is that of a sum without cancellation
        rows = np.flatnonzero(sign * signed > 0)
        if len(rows) and len(some):
            group = Group.of(points.table[moved[rows]], np.abs(signed[rows]))
            change = sums_to_group(points, x, group) / unit
            sums[some] += sign * change
            error[some] += rounding * change + _EPS * np.abs(sums[some])
    return known._replace(sums=sums, error=error), len(some) * len(moved)


def _most_lost(change: Change, looked: Looked) -> float:
    """The most that a row which stays may have lost of its margin, whatever its cluster."""
    k = len(looked.heaviest)
    norm = np.full(k, looked.norm)
    lost = change.most_lost(looked.heaviest, np.arange(k), norm, looked.norm)
    was_last, is_last = (rule.count == 1 for rule in (change.before, change.after))
    lost[was_last & is_last] = 0.0
    lost[was_last != is_last] = np.inf
    return float(lost.max())
