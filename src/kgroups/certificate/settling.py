"""Moves among the points that bounds leave open, one by one while any gains.

The rule is that of :mod:`kgroups.solvers.hartigan`, on a problem that holds these points only; all
others stay. Where sums are the middle of an interval, moves are good guesses, of which the next
round says whether they were right.

A point that stays by a margin goes on staying while centroids have come by less. So only the points
that want to move are visited; what their moves change is then added to the sums of the points that
centroids have come near enough to, in one pass for many moves, and these are visited next.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from kgroups.certificate.ladder import Open, Rule, Scene, apart
from kgroups.gram.matrix_free import MatrixFreeGram, PairSums
from kgroups.gram.operator import BLOCK
from kgroups.native import LANES, kernels
from kgroups.runtime.threads import Executor, blocks
from kgroups.semimetrics.all_pairs import Points
from kgroups.semimetrics.group_sums import Group, sums_to_group
from kgroups.solvers.state import State
from kgroups.solvers.sweep import Visit, sweep
from kgroups.typing import BoolArray, Float64Array, IntArray

# The sum of a point with a cluster that it cannot gain by: no gain is as low.
_NEVER = -1e300
# Sweeps among points that want to move, and how often these are looked for; every move raises the
# objective, but by rounding alone a search might go on for ever.
_MOST_SWEEPS = 1000
# Pairs of a point and a cluster in a task.
_PAIRS = 1 << 11


class _Step(NamedTuple):
    """Points that have moved together, by number, and from where to where."""

    points: IntArray
    sources: IntArray
    targets: IntArray


class _Task(NamedTuple):
    """Pairs of one cluster, and the measure by which the cluster has changed."""

    change: Group
    #: The panel with which begins what the sums do not contain yet.
    first: int
    pairs: IntArray


@dataclass(eq=False)
class Settling:
    """Open points, where they are now, and what is known of their sums.

    O(points + pairs) memory, and O(k) for each point that wants to move at the same time.
    """

    points: Points
    weights: Float64Array
    labels: IntArray
    rule: Rule
    #: Σ Σ w w K within each cluster, where K = −ρ/2.
    within: Float64Array
    #: Pairs of a point and a cluster: their numbers, and Σ w ρ over the members.
    row: IntArray
    cluster: IntArray
    sums: Float64Array
    executor: Executor
    n_moves: int = 0
    #: Distances evaluated.
    n_pairs: int = 0
    #: What each step has changed in each cluster.
    _log: list[list[Group]] = field(default_factory=list)

    def __post_init__(self) -> None:
        n = len(self.labels)
        self._state = State(
            labels=self.labels,
            members=self.rule.count.copy(),
            weight=self.rule.weight.copy(),
            within=self.within,
            peak=self.rule.weight.copy(),
            reach=np.abs(self.within),
            held_back=np.zeros(1, np.int64),
            rounding=MatrixFreeGram(self.points).rounding,
        )
        # How many steps the sums of a point contain, and how far centroids may come to it.
        self._contained = np.zeros(n, np.int64)
        self._margin = np.full(n, np.inf)
        self._measure(np.ones(n, np.bool_))

    @classmethod
    def of(cls, scene: Scene, seen: Open, executor: Executor) -> Settling:
        """Open points of a scene, by the middle of what is known of their squared distances."""
        spread, s = (
            np.array([getattr(cluster, name) for cluster in scene.clusters])
            for name in ("middle_spread", "weight")
        )
        row, place, low, high = (
            np.concatenate([getattr(seen.own, name), getattr(seen.others, name)])
            for name in ("row", "cluster", "low", "high")
        )
        points = scene.points
        return cls(
            points=replace(
                points, table=points.table[seen.index], unit=points.unit / scene.form.unit
            ),
            weights=scene.weights[seen.index],
            labels=scene.labels[seen.index].copy(),
            rule=scene.rule,
            within=np.array([-0.5 * cluster.total.middle for cluster in scene.clusters]),
            row=row,
            cluster=place,
            sums=s[place] * (0.5 * (low + high) + spread[place]),
            executor=executor,
        )

    def run(self) -> int:
        """Visit the points that want to move until none does. How many moves that took.

        O(points + pairs) time for each step of many moves, and O(D) for each of these and each pair
        of a point that centroids have come near to.
        """
        for _ in range(_MOST_SWEEPS):
            if not self._visit_eager():
                break
            late = (self._margin < 0) & (self._contained < len(self._log))
            if late.any():
                self._bring_up_to_date(late)
        return self.n_moves

    def _visit_eager(self) -> bool:
        """Sweeps over the points that want to move. Whether any has moved."""
        eager = np.flatnonzero(self._margin < 0)
        if not len(eager):
            return False
        pairs = np.flatnonzero((self._margin < 0)[self.row])
        place = self.cluster[pairs], np.searchsorted(eager, self.row[pairs])
        table = np.full((len(self.within), len(eager)), _NEVER)
        table[place] = -0.5 * self.sums[pairs]
        before = self._state._replace(weight=self._state.weight.copy(), within=self.within.copy())
        known, labels = table.copy(), self.labels[eager]
        n_moves = self._swept(eager, table, labels)
        if n_moves == 0:
            return False
        self.n_moves += n_moves
        self.sums[pairs] = -2.0 * table[place]
        some = np.flatnonzero(labels != self.labels[eager])
        step = _Step(eager[some], self.labels[eager[some]], labels[some])
        self._log.append(self._changes(step))
        self._contained[eager] = len(self._log)
        self.labels[eager] = labels
        drift = self._drift(before, known[:, some], step)
        self._margin -= drift[self.labels] + drift.max()
        self._measure(np.bincount(eager, minlength=len(self.labels)) > 0)
        return True

    def _swept(self, eager: IntArray, table: Float64Array, labels: IntArray) -> int:
        """Move some points one by one while any gains. IN-OUT: their sums and labels."""
        n = len(eager)
        some = replace(self.points, table=self.points.table[eager])
        gram = MatrixFreeGram(some, n_threads=self.executor.n_workers)
        rule = kernels.visit_by_gain if self.rule.is_ratio else kernels.visit_by_centroid
        state = self._state._replace(labels=labels)
        how = Visit(rule, gram.diagonal(), self.weights[eager], self.rule.least, state)
        sums, n_moves = PairSums(gram, table), 0
        for _ in range(_MOST_SWEEPS):
            moved = sweep(gram, sums, how)
            n_moves += moved
            if moved == 0:
                break
            # Of a block in which points move, all pairs at most, and of points that move all.
            self.n_pairs += moved * n + min(moved * BLOCK, n) * BLOCK
        return n_moves

    def _drift(self, before: State, known: Float64Array, step: _Step) -> Float64Array:
        """How far centroids have moved, by the sums of the points that did before they moved.

        s' (μ' − μ) = Δ − (ΣΔ) μ for the signed measure Δ of the points; the product of Δ with
        itself is what Σ Σ w w K has grown by beyond twice its product with the cluster.
        """
        k, w, number = len(self.within), self.weights[step.points], np.arange(len(step.points))
        net, to_old = np.zeros(k), np.zeros(k)
        for place, sign in ((step.targets, 1.0), (step.sources, -1.0)):
            net += np.bincount(place, weights=sign * w, minlength=k)
            to_old += np.bincount(place, weights=sign * w * known[place, number], minlength=k)
        among = self.within - before.within - 2.0 * to_old
        share = net / np.where(before.weight > 0, before.weight, 1.0)
        squared = among - 2.0 * share * to_old + share**2 * before.within
        after = np.where(self._state.weight > 0, self._state.weight, 1.0)
        return np.asarray(np.sqrt(np.maximum(squared, 0.0)) / after)

    def _measure(self, some: BoolArray) -> None:
        """How far centroids may come before points want to move, from sums that are up to date."""
        state = self._state
        rule = replace(self.rule, weight=state.weight, count=state.members)
        pairs = np.flatnonzero(some[self.row])
        row, place = self.row[pairs], self.cluster[pairs]
        s = state.weight[place]
        squared = self.sums[pairs] / s + self.within[place] / s**2
        is_own = place == self.labels[row]
        leaving = rule.leaving(self.weights[row[is_own]], place[is_own])
        own = np.zeros(len(self.labels))  # and so for a point that is all of its cluster
        own[row[is_own]] = np.where(np.isfinite(leaving), leaving, 0.0) * squared[is_own]
        row, place, squared = row[~is_own], place[~is_own], squared[~is_own]
        b = rule.entering(self.weights[row], place)
        self._margin[some] = np.inf
        np.minimum.at(self._margin, row, apart(own[row], b * squared))

    def _bring_up_to_date(self, late: BoolArray) -> None:
        """Add to the sums of some points what has moved since they were last up to date."""

        def some(task: _Task) -> tuple[_Task, Float64Array]:
            """What the cluster of a task has gained in the sums of its pairs."""
            x = self.points.table[self.row[task.pairs]]
            return task, sums_to_group(self.points, x, task.change, task.first)

        for task, gained in self.executor.map(some, self._tasks(np.flatnonzero(late[self.row]))):
            self.sums[task.pairs] += gained
            self.n_pairs += len(task.pairs) * (len(task.change.panels) - task.first) * LANES
        self._contained[late] = len(self._log)
        self._measure(late)

    def _tasks(self, pairs: IntArray) -> Iterator[_Task]:
        """Pairs by cluster, and by the steps that they have not seen."""
        contained, cluster = self._contained[self.row[pairs]], self.cluster[pairs]
        order = np.lexsort((contained, cluster))
        pairs, key = pairs[order], (cluster * len(self._log) + contained)[order]
        starts = np.flatnonzero(np.diff(key, prepend=-1))
        earliest, last = int(contained.min()), -1
        for start, stop in pairwise([*starts.tolist(), len(pairs)]):
            place, first = divmod(int(key[start]), len(self._log))
            if place != last:
                steps = [step[place] for step in self._log[earliest:]]
                change, last = Group(*map(np.concatenate, zip(*steps, strict=True))), place
                begin = np.cumsum([0, *(len(step.panels) for step in steps)]).tolist()
            if begin[first - earliest] < begin[-1]:
                for a, b in blocks(start, stop, _PAIRS):
                    yield _Task(change, begin[first - earliest], pairs[a:b])

    def _changes(self, step: _Step) -> list[Group]:
        """What has joined each cluster, less what has left it; in whole panels."""
        index = np.tile(step.points, 2)
        place = np.concatenate([step.targets, step.sources])
        w = self.weights[step.points]
        signed = np.concatenate([w, -w])
        of_cluster = [np.flatnonzero(place == c) for c in range(len(self.within))]
        return [Group.of(self.points.table[index[some]], signed[some]) for some in of_cluster]
