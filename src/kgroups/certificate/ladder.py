r"""Which points can be shown to stay: sums over ever more members, of ever fewer pairs.

A point i of cluster j stays if for every other cluster l

.. math:: a\, d_j^2 ≤ b_l d_l^2 + \frac{least}{w_i}, \qquad
          a = \frac{s_j}{s_j - w_i}, \quad b_l = \frac{s_l}{s_l + w_i}

[FRV eq. 50], with d_l² = g(x, C_l) − ½ g(C_l, C_l) the squared distance to a centroid, of which
:class:`~kgroups.certificate.levels.Level` gives an interval. The first steps look at all clusters
together, see :mod:`kgroups.certificate.first_look`; those here at pairs that are still open.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from kgroups.certificate.certificate import Step
from kgroups.certificate.changes import Cluster
from kgroups.certificate.landmark_form import LandmarkForm
from kgroups.certificate.levels import Level
from kgroups.certificate.members import Members
from kgroups.native import LANES
from kgroups.runtime.threads import Executor, blocks
from kgroups.semimetrics.all_pairs import Points
from kgroups.semimetrics.group_sums import Group, relative_rounding, sums_to_group
from kgroups.typing import BoolArray, Float32Array, Float64Array, IntArray

# Points in a task, at least and at most.
_FEW, _ROWS = 256, 1 << 12
# What a record holds of pairs.
_KNOWN = ("sums", "head", "low", "high", "reached")
# Tasks of a cluster that is not small, so that many threads have work.
_TASKS = 16


@dataclass(frozen=True, eq=False)
class Rule:
    """When a point stays, from the weights and numbers of members of the clusters."""

    weight: Float64Array
    count: IntArray
    #: The gain up to which no point moves; the difference of d² up to which none moves by Lloyd's.
    least: float
    #: Whether it is Hartigan's rule; else a = b = 1, which is Lloyd's.
    is_ratio: bool = True

    def allowance(self, w: Float64Array) -> Float64Array:
        """The amount by which a d_own² may exceed b d_l² while a point of weight w stays."""
        return self.least / w if self.is_ratio else np.full(w.shape, self.least)

    def leaving(self, w: Float64Array, own: IntArray) -> Float64Array:
        """The factor a of points of weight w in clusters ``own``; infinite if w is all of it."""
        if not self.is_ratio:
            return np.ones(len(w))
        s = self.weight[own]
        with np.errstate(divide="ignore"):
            return np.asarray(s / np.maximum(s - w, 0.0))

    def entering(self, w: Float64Array, target: IntArray) -> Float64Array:
        """The factor b of points of weight w and clusters ``target``."""
        if not self.is_ratio:
            return np.ones(np.broadcast(w, target).shape)
        s = self.weight[target]
        return np.asarray(s / (s + w))


@dataclass(frozen=True, eq=False)
class Scene:
    """All that bounds are made of."""

    points: Points
    form: LandmarkForm
    members: Members
    clusters: Sequence[Cluster]
    labels: IntArray
    rule: Rule
    #: Upper bounds on ‖x‖_R and √K(x, x) of each point; NaN until it is first looked at.
    lacking: Float32Array
    norm: Float32Array

    @property
    def weights(self) -> Float64Array:
        """The weights of the points."""
        return self.members.weights

    def group(self, cluster: int, start: int, stop: int) -> Group:
        """The members [start, stop) of a cluster, those of which pairs were summed."""
        index = self.members.of_cluster(cluster, start, stop)
        return Group.of(self.points.table[index], self.weights[index])

    def change(self, cluster: int, number: int) -> Group | None:
        """What has changed in a cluster, where the level with this number is its last one."""
        now = self.clusters[cluster]
        if number + 1 < len(now.levels) or not len(now.index):
            return None
        return Group.of(self.points.table[now.index], now.signed)


@dataclass(frozen=True, eq=False)
class Pairs:
    """Points and clusters that are compared."""

    #: Place of the point among those that are open.
    row: IntArray
    cluster: IntArray
    #: Σ w ρ over the members so far, and over those in the head.
    sums: Float64Array
    head: Float64Array
    #: d² lies between these.
    low: Float64Array
    high: Float64Array
    #: Where they stand in a record of what was known last.
    place: IntArray
    #: The level of the members so far.
    reached: IntArray

    def copied(self) -> Pairs:
        """The pairs with copies of what is known of them."""
        return replace(self, **{name: getattr(self, name).copy() for name in _KNOWN})

    def numbered(self) -> Pairs:
        """The same with their present places."""
        return replace(self, place=np.arange(len(self.row)))

    def recorded(self, record: Pairs) -> None:
        """Write what is known of the pairs into a record."""
        for name in _KNOWN:
            getattr(record, name)[self.place] = getattr(self, name)

    def __getitem__(self, index: IntArray | BoolArray) -> Pairs:
        return Pairs(*(values[index] for values in vars(self).values()))


@dataclass(frozen=True, eq=False)
class Open:
    """Points that may move, each with its own cluster, and the clusters that they may move to."""

    index: IntArray
    own: Pairs
    others: Pairs

    def without(self, index: IntArray) -> Open:
        """The other points."""
        left = np.flatnonzero(~np.isin(self.index, index))
        if len(left) == len(self.index):
            return self
        place = np.full(len(self.index), -1)
        place[left] = np.arange(len(left))
        others = self.others[place[self.others.row] >= 0]
        own = replace(self.own[left], row=np.arange(len(left)))
        return Open(self.index[left], own, replace(others, row=place[others.row]))

    def numbered(self) -> Open:
        """The same points, whose pairs count from here on; to be kept as a record of them."""
        return Open(self.index, self.own.numbered(), self.others.numbered())


def margins(
    a: Float64Array, own_high: Float64Array, b: Float64Array, low: Float64Array
) -> Float64Array:
    """How far centroids may come before a point moves: √b d_l − √a d_j, from bounds; at least 0.

    It is below 0 where only the least gain that counts keeps a point.
    """
    return np.asarray(np.maximum(apart(a * own_high, b * low), 0.0))


def apart(own: Float64Array, other: Float64Array) -> Float64Array:
    """The difference of distances, another's less the own, from squares; squares below 0 are 0."""
    return np.asarray(np.sqrt(np.maximum(other, 0.0)) - np.sqrt(np.maximum(own, 0.0)))


def joined(found: Sequence[Open]) -> Open:
    """The open points of all parts, whose rows count from the first of them."""
    if not found:
        none, numbers = np.empty(0, np.int64), np.empty(0)
        pairs = Pairs(none, none, numbers, numbers, numbers, numbers, none, none)
        return Open(none, pairs, pairs)
    first = np.cumsum([0, *(len(part.index) for part in found)]).tolist()

    def pairs_of(parts: Sequence[Pairs]) -> Pairs:
        """Pairs of all parts."""
        moved = [replace(part, row=part.row + at) for part, at in zip(parts, first, strict=False)]
        return Pairs(*map(np.concatenate, zip(*(vars(p).values() for p in moved), strict=True)))

    return Open(
        np.concatenate([part.index for part in found]),
        pairs_of([part.own for part in found]),
        pairs_of([part.others for part in found]),
    )


def look_at_members(
    scene: Scene,
    seen: Open,
    number: int,
    margin: Float64Array,
    executor: Executor,
    record: Open | None = None,
    guard: float = 0.0,
) -> tuple[Open, Step]:
    """One level up, of points that are open; margins of those that stay are lowered.

    A record of pairs learns what is known of them now. Points that stay by less than ``guard``
    count as open. O(pairs · (members of the level) · D).
    """
    own, of_own = _refined(scene, seen, seen.own, number, executor)
    others, of_others = _refined(scene, seen, seen.others, number, executor)
    if record is not None:
        own.recorded(record.own)
        others.recorded(record.others)
    left = still_open(scene, Open(seen.index, own, others), margin, guard)
    size = max(_at(cluster, number).size for cluster in scene.clusters)
    return left, Step(size, len(left.index), len(left.others.row), of_own + of_others)


def still_open(scene: Scene, seen: Open, margin: Float64Array, guard: float = 0.0) -> Open:
    """Points and clusters that bounds do not decide, or by less than ``guard``.

    Margins of points that stay are lowered.
    """
    rule, index, own, others = scene.rule, seen.index, seen.own, seen.others
    w = scene.weights[index]
    a = (rule.leaving(w, own.cluster) * own.high)[others.row]
    b = rule.entering(w[others.row], others.cluster)
    stays = b * others.low + rule.allowance(w[others.row]) >= a
    apart = margins(np.ones(1), a, b, others.low)
    np.minimum.at(margin, index[others.row[stays]], apart[stays])
    others = others[~stays | (apart < guard)]
    left, row = np.unique(others.row, return_inverse=True)
    own = replace(own[left], row=np.arange(len(left)))
    return Open(index[left], own, replace(others, row=row))


def _at(cluster: Cluster, number: int) -> Level:
    """A level of a cluster, which for one with fewer levels is the last."""
    return cluster.levels[min(number, len(cluster.levels) - 1)]


class _Task(NamedTuple):
    """Pairs of one cluster, and the members that are new at a level of it."""

    cluster: Cluster
    number: int
    #: None where sums over them are known.
    members: Group | None
    #: What has changed, where it is the last level.
    change: Group | None
    pairs: IntArray


def resumed(scene: Scene, seen: Open, executor: Executor) -> tuple[Open, int]:
    """Bounds of the levels that pairs had reached, whose sums are known; and the distances it took.

    These are distances to landmarks, and on a last level those to points that have moved.
    """
    own, of_own = _resumed(scene, seen, seen.own, executor)
    others, of_others = _resumed(scene, seen, seen.others, executor)
    return Open(seen.index, own, others), of_own + of_others


def _resumed(scene: Scene, seen: Open, pairs: Pairs, executor: Executor) -> tuple[Pairs, int]:
    found, n_pairs = pairs.copied(), 0
    for number in np.unique(pairs.reached[pairs.reached > 1]).tolist():
        some = np.flatnonzero(pairs.reached == number)
        n_pairs += _carried_out(
            scene, seen, found, _tasks(scene, pairs, some, number, number), executor
        )
    return found, n_pairs


def _refined(
    scene: Scene, seen: Open, pairs: Pairs, number: int, executor: Executor
) -> tuple[Pairs, int]:
    """Pairs with the sums and bounds of a level, and the number of distances that these took."""
    found, some = pairs.copied(), np.flatnonzero(pairs.reached < number)
    tasks = _tasks(scene, pairs, some, number - 1, number)
    return found, _carried_out(scene, seen, found, tasks, executor)


def _carried_out(
    scene: Scene, seen: Open, pairs: Pairs, tasks: Iterator[_Task], executor: Executor
) -> int:
    """Write the sums and bounds of tasks into pairs. The number of distances that these took."""
    n_pairs = 0
    for task, made, n in executor.map(lambda task: _raised(scene, seen, pairs, task), tasks):
        for name in _KNOWN:
            getattr(pairs, name)[task.pairs] = getattr(made, name)
        n_pairs += n
    return n_pairs


def _tasks(
    scene: Scene, pairs: Pairs, some: IntArray, reached: int, number: int
) -> Iterator[_Task]:
    """Some pairs by cluster; members of a cluster are laid out when their turn comes.

    How pairs are cut does not depend on the number of threads: rows that are compared together may
    share how their squared distances are computed.
    """
    order = some[np.argsort(pairs.cluster[some], kind="stable")]
    starts = np.searchsorted(pairs.cluster[order], np.arange(len(scene.clusters) + 1))
    for place, cluster in enumerate(scene.clusters):
        a, b = int(starts[place]), int(starts[place + 1])
        if a == b or number >= len(cluster.levels):
            continue
        begin, end = (cluster.levels[t].size for t in (reached, number))
        members = scene.group(place, begin, end) if reached < number else None
        change = scene.change(place, number)
        size = max(_FEW, min(_ROWS, (b - a) // _TASKS // LANES * LANES))
        for c, d in blocks(a, b, size):
            yield _Task(cluster, number, members, change, order[c:d])


def _raised(scene: Scene, seen: Open, pairs: Pairs, task: _Task) -> tuple[_Task, Pairs, int]:
    """Some pairs of one cluster at the next level."""
    form, cluster = scene.form, task.cluster
    level = cluster.levels[task.number]
    known = pairs[task.pairs]
    i = seen.index[known.row]
    x, unit = scene.points.table[i], form.unit
    sums, n_added = known.sums, form.n_landmarks
    if task.members is not None:
        sums = sums + sums_to_group(scene.points, x, task.members) / unit
        n_added += int(np.count_nonzero(task.members.weights))
    head = sums if task.number == cluster.head else known.head
    rho = form.distances(scene.points, i)
    mean = level.beta * sums / level.weight
    size = abs(mean)
    if level.gamma:
        mean += level.gamma * head / cluster.head_weight
        size += abs(level.gamma) * head / cluster.head_weight
    g = mean + rho @ level.direction + level.constant
    rounding = relative_rounding(scene.points)
    half = scene.lacking[i] * level.width + rho.max(axis=1) * level.rounding + level.error
    half += rounding * size
    if task.change is not None:
        g += sums_to_group(scene.points, x, task.change) / unit / cluster.weight
        half += rounding * cluster.size_of_change(form.own(rho))
        n_added += len(cluster.index)
    spread = cluster.spread
    low, high = g - half - spread.most, g + half - spread.least
    reached = np.full(len(i), task.number)
    made = Pairs(known.row, known.cluster, sums, head, low, high, known.place, reached)
    return task, made, n_added * len(i)
