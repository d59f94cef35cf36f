r"""Which points can be shown to stay: sums over ever more members, of ever fewer pairs.

A point i of cluster j stays if for every other cluster l

.. math:: a\, d_j^2 ≤ b_l d_l^2 + \frac{least}{w_i}, \qquad
          a = \frac{s_j}{s_j - w_i}, \quad b_l = \frac{s_l}{s_l + w_i}

[FRV eq. 50], with d_l² = g(x, C_l) − ½ g(C_l, C_l) the squared distance to a centroid, of which
:class:`~kgroups.certificate.levels.Level` gives an interval. The first step looks at all points and
clusters with distances to landmarks; the following ones at points and clusters that are still open.
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
from kgroups.runtime.threads import Executor, blocks
from kgroups.semimetrics.all_pairs import Points
from kgroups.semimetrics.compiled.vector import LANES
from kgroups.semimetrics.group_sums import Group, relative_rounding, sums_to_group
from kgroups.typing import BoolArray, Float32Array, Float64Array, IntArray

# Points in a task, at least and at most, and entries of a table of points by clusters.
_FEW, _ROWS, _ENTRIES = 256, 1 << 12, 1 << 20
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


@dataclass(frozen=True, eq=False)
class Pairs:
    """Points and clusters that are compared."""

    #: Place of the point among those that are open.
    row: IntArray
    cluster: IntArray
    #: Σ w ρ over the members so far, over those in the head, and over what changed.
    sums: Float64Array
    head: Float64Array
    change: Float64Array
    #: d² lies between these.
    low: Float64Array
    high: Float64Array
    #: ρ(x, Z) · u of the first level above landmarks.
    product: Float64Array
    #: Where they stand in a record of what was known last.
    place: IntArray

    @classmethod
    def of(
        cls,
        row: IntArray,
        cluster: IntArray,
        low: Float64Array,
        high: Float64Array,
        product: Float64Array,
    ) -> Pairs:
        """Pairs without sums."""
        sums, head, change = np.zeros((3, len(row)))
        place = np.arange(len(row))
        return cls(row, cluster, sums, head, change, low, high, product, place)

    def numbered(self) -> Pairs:
        """The pairs with their present places, and copies of what is known of them."""
        low, high = self.low.copy(), self.high.copy()
        return replace(self, low=low, high=high, place=np.arange(len(self.row)))

    def recorded(self, record: Pairs) -> None:
        """Write what is known of the pairs into a record."""
        record.low[self.place], record.high[self.place] = self.low, self.high

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
    apart = np.sqrt(b * np.maximum(low, 0.0)) - np.sqrt(a * np.maximum(own_high, 0.0))
    return np.asarray(np.maximum(apart, 0.0))


class _Bounds(NamedTuple):
    """What landmarks say of all clusters: a column, or a number, for each of them."""

    #: Directions of the level of landmarks, and of the one above it, (m, k).
    directions: Float64Array
    above: Float64Array
    constant: Float64Array
    width: Float64Array
    rounding: Float64Array
    error: Float64Array
    #: ½ g(C, C) lies between these.
    least: Float64Array
    most: Float64Array

    @classmethod
    def of(cls, clusters: Sequence[Cluster]) -> _Bounds:
        """The bounds of the clusters as they are now."""
        levels = [cluster.levels[0] for cluster in clusters]
        return cls(
            directions=np.array([level.direction for level in levels]).T,
            above=np.array([cluster.levels[1].direction for cluster in clusters]).T,
            constant=np.array([level.constant for level in levels]),
            width=np.array([level.width for level in levels]),
            rounding=np.array([level.rounding for level in levels]),
            error=np.array([level.error for level in levels]),
            least=np.array([cluster.spread.least for cluster in clusters]),
            most=np.array([cluster.spread.most for cluster in clusters]),
        )


def look_at_landmarks(
    scene: Scene, index: IntArray, margin: Float64Array, executor: Executor
) -> tuple[Open, Step]:
    """The first step, of some points; their margins are set. O(b m (D + k))."""
    bounds = _Bounds.of(scene.clusters)
    size = max(_FEW, min(_ROWS, _ENTRIES // len(scene.clusters)))
    pieces = [index[a:b] for a, b in blocks(0, len(index), size)]
    found = []
    for i, made in zip(
        pieces, executor.map(lambda i: _looked(scene, bounds, i), pieces), strict=True
    ):
        margin[i], scene.lacking[i], scene.norm[i] = made.margin, made.lacking, made.norm
        found.append(made.seen)
    seen = joined(found)
    n_pairs = len(index) * scene.form.n_landmarks
    return seen, Step(0, len(seen.index), len(seen.others.row), n_pairs)


def _looked(scene: Scene, bounds: _Bounds, i: IntArray) -> _Looked:
    """Which of some points are open, with their pairs, and the margins of all of them."""
    form, rule = scene.form, scene.rule
    rho = form.distances(scene.points, i)
    lacking, norm = scene.lacking[i], scene.norm[i]
    if np.isnan(lacking).any():
        lacking, norm = _upwards(form.lacking(rho)), _upwards(form.length(rho))
    g = rho @ bounds.directions + bounds.constant
    half = lacking[:, None] * bounds.width + bounds.error
    half += rho.max(axis=1)[:, None] * bounds.rounding
    low, high = g - half - bounds.most, g + half - bounds.least
    here, own, w = np.arange(len(i)), scene.labels[i], scene.weights[i]
    a, b = rule.leaving(w, own), rule.entering(w[:, None], np.arange(low.shape[1])[None])
    own_high = high[here, own]
    with np.errstate(invalid="ignore"):  # ∞ · 0 of a cluster that is one point
        stays = b * low + rule.allowance(w)[:, None] >= (a * own_high)[:, None]
        apart = margins(a[:, None], own_high[:, None], b, low)
    apart[~stays] = np.inf
    apart[here, own] = np.inf
    stays[here, own] = True
    stays[rule.count[own] == 1] = True  # a cluster keeps its last point
    is_open = ~stays.all(axis=1)
    tables = low[is_open], high[is_open], rho[is_open] @ bounds.above
    seen = _open_of(i[is_open], own[is_open], ~stays[is_open], *tables)
    return _Looked(seen, apart.min(axis=1), lacking, norm)


def _open_of(
    index: IntArray,
    own: IntArray,
    is_candidate: BoolArray,
    low: Float64Array,
    high: Float64Array,
    product: Float64Array,
) -> Open:
    """Open points with their own clusters and candidates, from tables of points by clusters."""

    def pairs(row: IntArray, cluster: IntArray) -> Pairs:
        """Some entries of the tables."""
        at = row, cluster
        return Pairs.of(row, cluster, low[at], high[at], product[at])

    return Open(index, pairs(np.arange(len(index)), own), pairs(*np.nonzero(is_candidate)))


@dataclass(frozen=True, eq=False)
class _Looked:
    """What a block of points has left open, and what is now known of all its points."""

    seen: Open
    margin: Float64Array
    lacking: Float32Array
    norm: Float32Array


def _upwards(numbers: Float64Array) -> Float32Array:
    """The next larger numbers in float32."""
    return np.nextafter(numbers.astype(np.float32), np.float32(np.inf))


def joined(found: Sequence[Open]) -> Open:
    """The open points of all parts, whose rows count from the first of them."""
    if not found:
        none = np.empty(0, np.int64)
        pairs = Pairs.of(none, none, *np.empty((3, 0)))
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
) -> tuple[Open, Step]:
    """One level up, of points that are open; margins of those that stay are lowered.

    A record of pairs learns what is known of them now. O(pairs · (members of the level) · D).
    """
    own, of_own = _refined(scene, seen, seen.own, number, executor)
    others, of_others = _refined(scene, seen, seen.others, number, executor)
    if record is not None:
        own.recorded(record.own)
        others.recorded(record.others)
    rule, index = scene.rule, seen.index
    w = scene.weights[index]
    a = (rule.leaving(w, own.cluster) * own.high)[others.row]
    b = rule.entering(w[others.row], others.cluster)
    stays = b * others.low + rule.allowance(w[others.row]) >= a
    apart = margins(np.ones(1), a, b, others.low)
    np.minimum.at(margin, index[others.row[stays]], apart[stays])
    others = others[~stays]
    left, row = np.unique(others.row, return_inverse=True)
    own = replace(own[left], row=np.arange(len(left)))
    size = max(_at(cluster, number).size for cluster in scene.clusters)
    step = Step(size, len(left), len(row), of_own + of_others)
    return Open(index[left], own, replace(others, row=row)), step


def _at(cluster: Cluster, number: int) -> Level:
    """A level of a cluster, which for one with fewer levels is the last."""
    return cluster.levels[min(number, len(cluster.levels) - 1)]


class _Task(NamedTuple):
    """Pairs of one cluster, and the members that are new at a level of it."""

    cluster: Cluster
    number: int
    members: Group
    change: Group | None
    #: A bound on ρ(x, y) − 2 K(x, x) for the points y that changed.
    reach: float
    pairs: IntArray


def _refined(
    scene: Scene, seen: Open, pairs: Pairs, number: int, executor: Executor
) -> tuple[Pairs, int]:
    """Pairs with the sums and bounds of a level, and the number of distances that these took."""
    found = Pairs(*(values.copy() for values in vars(pairs).values()))
    order = np.argsort(pairs.cluster, kind="stable")
    starts = np.searchsorted(pairs.cluster[order], np.arange(len(scene.clusters) + 1))
    tasks = _tasks(scene, number, order, starts)
    n_pairs = 0
    for task, made, n in executor.map(lambda task: _raised(scene, seen, found, task), tasks):
        p = task.pairs
        found.sums[p], found.head[p], found.change[p] = made.sums, made.head, made.change
        found.low[p], found.high[p] = made.low, made.high
        n_pairs += n
    return found, n_pairs


def _tasks(scene: Scene, number: int, order: IntArray, starts: IntArray) -> Iterator[_Task]:
    """Pairs by cluster; members of a cluster are laid out when their turn comes.

    How pairs are cut does not depend on the number of threads: rows that are compared together may
    share how their squared distances are computed.
    """
    table, form = scene.points.table, scene.form
    for place, cluster in enumerate(scene.clusters):
        a, b = int(starts[place]), int(starts[place + 1])
        if a == b or number >= len(cluster.levels):
            continue
        begin, end = (cluster.levels[t].size for t in (number - 1, number))
        index = scene.members.of_cluster(place, begin, end)
        members = Group.of(table[index], scene.weights[index])
        change, reach = None, 0.0
        if len(cluster.index):
            reach = 2.0 * float(form.own(form.distances(scene.points, cluster.index)).max())
            if number == 1:
                change = Group.of(table[cluster.index], cluster.signed)
        size = max(_FEW, min(_ROWS, (b - a) // _TASKS // LANES * LANES))
        for c, d in blocks(a, b, size):
            yield _Task(cluster, number, members, change, reach, order[c:d])


def _raised(scene: Scene, seen: Open, pairs: Pairs, task: _Task) -> tuple[_Task, Pairs, int]:
    """Some pairs of one cluster at the next level."""
    form, cluster = scene.form, task.cluster
    level = cluster.levels[task.number]
    known = pairs[task.pairs]
    i = seen.index[known.row]
    x, unit = scene.points.table[i], form.unit
    sums = known.sums + sums_to_group(scene.points, x, task.members) / unit
    head = sums if task.number == cluster.head else known.head
    change = known.change
    if task.change is not None:
        change = sums_to_group(scene.points, x, task.change) / unit
    if task.number == 1:
        product, largest = known.product, 2.0 * scene.norm[i].astype(np.float64) ** 2 + form.reach
        own = scene.norm[i].astype(np.float64) ** 2
    else:
        rho = form.distances(scene.points, i)
        product, largest, own = rho @ level.direction, rho.max(axis=1), form.own(rho)
    mean = level.beta * sums / level.weight
    size = abs(mean)
    if level.gamma:
        mean += level.gamma * head / cluster.head_weight
        size += abs(level.gamma) * head / cluster.head_weight
    g = mean + product + level.constant
    rounding = relative_rounding(scene.points)
    half = scene.lacking[i] * level.width + largest * level.rounding + level.error
    half += rounding * size
    share = cluster.old_weight / cluster.weight
    g, half = share * g + change / cluster.weight, share * half
    if len(cluster.index):  # ρ(x, y) ≤ 2 K(x, x) + 2 K(y, y)
        heavy = float(np.abs(cluster.signed).sum()) / cluster.weight
        half += rounding * heavy * (2.0 * own + task.reach)
    spread = cluster.spread
    low, high = g - half - spread.most, g + half - spread.least
    n_added = int(np.count_nonzero(task.members.weights)) + form.n_landmarks
    n_added += 0 if task.change is None else len(cluster.index)
    made = Pairs(
        known.row, known.cluster, sums, head, change, low, high, known.product, known.place
    )
    return task, made, n_added * len(i)
