"""The first two steps of a proof, for all clusters at once: landmarks, then a few members of each.

Both leave an interval for each point and each cluster. Most pairs are decided here, so points are
compared with the first members of all clusters together: what is left is a list of pairs, on which
:mod:`kgroups.certificate.ladder` goes on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from kgroups.certificate.certificate import Step
from kgroups.certificate.changes import Cluster
from kgroups.certificate.ladder import Open, Pairs, Rule, Scene, joined, margins
from kgroups.runtime.threads import Executor, blocks
from kgroups.semimetrics.group_sums import Group, relative_rounding, sums_to_group
from kgroups.typing import BoolArray, Float32Array, Float64Array, IntArray

# Points in a task, at least and at most, and entries of a table of points by clusters.
_FEW, _ROWS, _ENTRIES = 256, 1 << 12, 1 << 20


class Table(NamedTuple):
    """What is known of some points, the rows, and all clusters, the columns."""

    #: d² lies between these.
    low: Float64Array
    high: Float64Array
    #: Σ w ρ over the first members, 0 where they were not asked for.
    sums: Float64Array

    def of_rows(self, rows: IntArray) -> Table:
        """What is known of some of the points."""
        return Table(*(values[rows] for values in self))

    def narrowed(self, other: Table) -> Table:
        """The larger lower and the smaller upper bounds; the middle is not a better guess then."""
        return self._replace(
            low=np.maximum(self.low, other.low), high=np.minimum(self.high, other.high)
        )

    def pairs(self, row: IntArray, column: IntArray, clusters: Sequence[Cluster]) -> Pairs:
        """Some entries."""
        low, high, sums = (values[row, column] for values in self)
        is_head = np.array([cluster.head == 1 for cluster in clusters])
        head = np.where(is_head[column], sums, 0.0)
        place, reached = np.arange(len(row)), np.ones(len(row), np.int64)
        return Pairs(row, column, sums, head, low, high, place, reached)


@dataclass(frozen=True, eq=False)
class FirstLook:
    """What levels 0 and 1 of all clusters say of points: landmarks, and the first members."""

    scene: Scene
    landmarks: _LevelOfAll
    members: _LevelOfAll
    #: The members of level 1, and the points that have moved in clusters without another level.
    groups: Sequence[Group]
    changes: Sequence[Group | None]

    @classmethod
    def of(cls, scene: Scene) -> FirstLook:
        """Lay out the first members of the clusters. O(k D)."""
        clusters = scene.clusters
        sizes = [cluster.levels[1].size for cluster in clusters]
        groups = [scene.group(place, 0, size) for place, size in enumerate(sizes)]
        changes = [scene.change(place, 1) for place in range(len(clusters))]
        landmarks, members = (_LevelOfAll.of(clusters, number) for number in (0, 1))
        return cls(scene, landmarks, members, groups, changes)

    def of_landmarks(self, rho: Float64Array, lacking: Float32Array) -> Table:
        """Bounds from distances to landmarks and ‖x‖_R. O(b m k)."""
        return self.landmarks.table(rho, lacking, np.zeros((len(rho), len(self.groups))))

    def of_members(
        self, index: IntArray, rho: Float64Array, lacking: Float32Array, known: Table,
        asked: BoolArray,
    ) -> tuple[Table, int]:  # fmt: skip
        """Bounds from first members, too, of the clusters asked for; and the distances it took.

        The bounds on the others are those that are known.
        """
        scene, points, unit = self.scene, self.scene.points, self.scene.form.unit
        rounding, own = relative_rounding(points), scene.form.own(rho)
        x, n_pairs = points.table[index], 0
        columns = np.flatnonzero(asked)
        sums, changed, loose = np.zeros((3, len(columns), len(index)))
        for place, column in enumerate(columns.tolist()):
            cluster, change = scene.clusters[column], self.changes[column]
            sums[place] = sums_to_group(points, x, self.groups[column]) / unit
            n_pairs += cluster.levels[1].size * len(index)
            if change is not None:
                changed[place] = sums_to_group(points, x, change) / unit / cluster.weight
                loose[place] = rounding * cluster.size_of_change(own)
                n_pairs += len(cluster.index) * len(index)
        members = self.members.of_columns(columns)
        made = members.table(rho, lacking, sums.T, rounding, changed.T, loose.T)
        found = Table(*(values.copy() for values in known))
        for values, new in zip(found, made, strict=True):
            values[:, columns] = new
        return found, n_pairs


class _LevelOfAll(NamedTuple):
    """One level of all clusters: a column, or a number, for each of them."""

    #: The factor of sums over the members.
    factor: Float64Array
    directions: Float64Array  # (m, k)
    constant: Float64Array
    width: Float64Array
    rounding: Float64Array
    error: Float64Array
    #: ½ g(C, C) lies between these.
    least: Float64Array
    most: Float64Array

    @classmethod
    def of(cls, clusters: Sequence[Cluster], number: int) -> _LevelOfAll:
        """A level of the clusters as they are now."""
        levels = [cluster.levels[number] for cluster in clusters]
        return cls(
            factor=np.array([level.beta / level.weight if number else 0.0 for level in levels]),
            directions=np.array([level.direction for level in levels]).T,
            constant=np.array([level.constant for level in levels]),
            width=np.array([level.width for level in levels]),
            rounding=np.array([level.rounding for level in levels]),
            error=np.array([level.error for level in levels]),
            least=np.array([cluster.spread.least for cluster in clusters]),
            most=np.array([cluster.spread.most for cluster in clusters]),
        )

    def of_columns(self, columns: IntArray) -> _LevelOfAll:
        """The level of some of the clusters."""
        if len(columns) == len(self.width):
            return self
        return _LevelOfAll(*(values[..., columns] for values in self))

    def table(
        self,
        rho: Float64Array,
        lacking: Float32Array,
        sums: Float64Array,
        rounding: float = 0.0,
        changed: Float64Array | float = 0.0,
        loose: Float64Array | float = 0.0,
    ) -> Table:
        """Bounds on d² from ρ(x, Z), ‖x‖_R and sums over members with a relative rounding.

        Sums over what changed are known up to ``loose``.
        """
        mean = self.factor * sums
        g = rho @ self.directions + self.constant + mean + changed
        half = lacking[:, None] * self.width + self.error + rounding * np.abs(mean) + loose
        half += rho.max(axis=1)[:, None] * self.rounding
        return Table(g - half - self.most, g + half - self.least, sums)


def look_at_all(
    scene: Scene,
    look: FirstLook,
    index: IntArray,
    margin: Float64Array,
    executor: Executor,
    guard: float = 0.0,
) -> tuple[Open, list[Step]]:
    """Landmarks and first members, for some points; their margins are set. O(b (m + k)(D + k)).

    Points that stay by less than ``guard`` count as open.
    """
    size = max(_FEW, min(_ROWS, _ENTRIES // len(scene.clusters)))
    pieces = [index[a:b] for a, b in blocks(0, len(index), size)]
    found: list[Open] = []
    steps = [Step(0, 0, 0, 0), Step(0, 0, 0, 0)]
    for i, made in zip(
        pieces, executor.map(lambda i: _looked(look, i, guard), pieces), strict=True
    ):
        margin[i], scene.lacking[i], scene.norm[i] = made.margin, made.lacking, made.norm
        found.append(made.seen)
        steps = [step.plus(more) for step, more in zip(steps, made.steps, strict=True)]
    return joined(found), steps


@dataclass(frozen=True, eq=False)
class _Looked:
    """What a block of points has left open, and what is now known of all its points."""

    seen: Open
    margin: Float64Array
    lacking: Float32Array
    norm: Float32Array
    steps: tuple[Step, Step]


def _looked(look: FirstLook, i: IntArray, guard: float) -> _Looked:
    """Which of some points are open, with their pairs, and the margins of all of them."""
    scene = look.scene
    form, rule = scene.form, scene.rule
    rho = form.distances(scene.points, i)
    lacking, norm = scene.lacking[i], scene.norm[i]
    if np.isnan(lacking).any():
        lacking, norm = _upwards(form.lacking(rho)), _upwards(form.length(rho))
    own, w = scene.labels[i], scene.weights[i]
    known = look.of_landmarks(rho, lacking)
    stays, margin = _decided(rule, w, own, known, guard)
    some = np.flatnonzero(~stays.all(axis=1))
    first = Step(0, len(some), int(np.count_nonzero(~stays)), len(i) * form.n_landmarks)
    asked = np.zeros(len(scene.clusters), np.bool_)
    asked[own[some]] = True
    asked |= ~stays.all(axis=0)
    known = known.of_rows(some)
    found, n_pairs = look.of_members(i[some], rho[some], lacking[some], known, asked)
    stays, margin[some] = _decided(rule, w[some], own[some], found.narrowed(known), guard)
    is_open = np.flatnonzero(~stays.all(axis=1))
    left, found = some[is_open], found.of_rows(is_open)
    pairs_own = found.pairs(np.arange(len(left)), own[left], scene.clusters)
    row, column = np.nonzero(~stays[is_open])
    others = found.pairs(row, column, scene.clusters)
    seen = Open(i[left], pairs_own, others)
    size = max(cluster.levels[1].size for cluster in scene.clusters)
    second = Step(size, len(seen.index), len(seen.others.row), n_pairs)
    return _Looked(seen, margin, lacking, norm, (first, second))


def _decided(
    rule: Rule, w: Float64Array, own: IntArray, known: Table, guard: float
) -> tuple[BoolArray, Float64Array]:
    """Whether points stay for each cluster, by ``guard`` at least; their margins where they do."""
    here = np.arange(len(own))
    a = rule.leaving(w, own)[:, None]
    b = rule.entering(w[:, None], np.arange(known.low.shape[1])[None])
    own_high = known.high[here, own][:, None]
    with np.errstate(invalid="ignore"):  # ∞ · 0 of a cluster that is one point
        stays = b * known.low + rule.allowance(w)[:, None] >= a * own_high
        apart = margins(a, own_high, b, known.low)
    if guard > 0.0:
        stays &= apart >= guard
    apart[~stays] = np.inf
    apart[here, own] = np.inf
    stays[here, own] = True
    stays[rule.count[own] == 1] = True  # a cluster keeps its last point
    return stays, apart.min(axis=1)


def _upwards(numbers: Float64Array) -> Float32Array:
    """The next larger numbers in float32."""
    return np.nextafter(numbers.astype(np.float32), np.float32(np.inf))
