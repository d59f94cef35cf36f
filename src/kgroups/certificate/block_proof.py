"""A proof that no single move improves labels of rows that lie in blocks; and moves until it holds.

Every step is a pass over the blocks with a small broadcast and a small answer. Rows are compared
with landmarks and with the heads of the clusters where they lie. Those that this leaves open are
fetched, and serve as queries of a last pass, in which each block adds up their distances to its
members: exact sums, without any order of the rows. Rows that gain are moved among each other, and
the proof begins again. The bounds are those of :mod:`kgroups.certificate.proof_search`.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import NamedTuple

import numpy as np

from kgroups.certificate.block_heads import (
    HeadGroups,
    Heads,
    HeadSums,
    as_points,
    clusters_of,
    drawn_heads,
    head_groups,
    tail_sums,
)
from kgroups.certificate.certificate import Certificate, Step
from kgroups.certificate.changes import Bracket, Cluster
from kgroups.certificate.first_look import FirstLook, look_at_all
from kgroups.certificate.improvements import Improvements
from kgroups.certificate.ladder import Open, Pairs, Rule, Scene, look_at_members, still_open
from kgroups.certificate.landmark_form import LandmarkForm
from kgroups.certificate.members import Members
from kgroups.certificate.proof_search import Limits
from kgroups.certificate.settling import Settling
from kgroups.gram.low_rank import CHUNK
from kgroups.runtime import progress
from kgroups.runtime.progress import Progress
from kgroups.runtime.row_blocks import Blocks, RowBlock, in_block
from kgroups.runtime.threads import Executor, Threads, blocks
from kgroups.semimetrics.all_pairs import Points
from kgroups.semimetrics.group_sums import Group, relative_rounding, sums_to_group
from kgroups.semimetrics.semimetric import Semimetric
from kgroups.solvers.block_draws import alive_rows, rows_of, weights_of
from kgroups.solvers.block_labels import BlockLabels, LabelsAt, Moves, labels_in
from kgroups.solvers.block_means import folded
from kgroups.typing import BoolArray, Float64Array, FloatArray, IntArray

# Rows that are looked at first.
_SAMPLE = 1 << 13
# How often rows are moved, at most.
_MOST_ROUNDS = 4
# Open rows that are fetched, at most, and pairs of theirs whose sums are made in one pass.
_MOST_OPEN, _MOST_PAIRS = 1 << 21, 1 << 17
_NO_STEP = Step(0, 0, 0, 0)


@dataclass(frozen=True, eq=False)
class _Look:
    """What blocks are sent to look at their rows."""

    semimetric: Semimetric
    form: LandmarkForm
    heads: Heads
    clusters: list[Cluster]
    rule: Rule
    #: Whether open rows are answered, and not only how many there are.
    tells: bool


class OpenRows(NamedTuple):
    """Rows that may move, and pairs of them, by place, with the clusters that they may move to."""

    numbers: IntArray
    labels: IntArray
    weights: Float64Array
    rows: FloatArray
    row: IntArray
    cluster: IntArray


class _Looked(NamedTuple):
    """What a block answers."""

    steps: list[Step]
    found: OpenRows | None


@dataclass(frozen=True, eq=False)
class _Queries:
    """Open rows whose distances to the members of some clusters are added up."""

    semimetric: Semimetric
    rows: FloatArray
    #: For each cluster the rows that are compared with it.
    of_cluster: list[IntArray]
    unit: float


@dataclass(frozen=True, eq=False)
class BlockProof:
    """What is proved of labels, which may have been improved."""

    certificate: Certificate
    #: W, in units of ρ times weight, and the middle of what is known of it for each cluster.
    within: Bracket
    by_cluster: Float64Array
    n_moves: int


@dataclass(eq=False)
class BlockProver:
    """A proof over blocks, and what it rests on."""

    where: Blocks
    semimetric: Semimetric
    labels: BlockLabels
    k: int
    #: Rows with weight in each block.
    alive: Sequence[int]
    n_landmarks: int
    tol: float
    seed: int
    executor: Executor
    limits: Limits = field(default_factory=Limits)
    steps: list[Step] = field(default_factory=list)
    n_pairs: int = 0
    n_moves: int = 0
    rounds: int = 0

    def run(self) -> BlockProof:
        """Prove, move the rows that gain, and prove again, within the limits."""
        begun = time.monotonic()
        form = self._form()
        while True:
            self.rounds += 1
            look = self._looked_up(form)
            n_open, found = self._look(look)
            gain, moved = np.inf if n_open else 0.0, 0
            if found is not None and self._can_afford(look, found):
                seen, scene = self._exact(look, found)
                n_open, gain = len(seen.index), _largest_gain(scene, seen)
                if n_open and self.rounds < _MOST_ROUNDS:
                    moved = self._move(scene, found)
            if not moved:
                return self._proof(look, n_open, gain, time.monotonic() - begun)
            self.n_moves += moved

    def _form(self) -> LandmarkForm:
        """Landmarks drawn uniformly among the rows with weight."""
        rng = np.random.default_rng([self.seed, 5])
        n_alive = int(sum(self.alive))
        size = min(self.n_landmarks, n_alive)
        ranks = np.sort(rng.choice(n_alive, size, replace=False))
        rows = rows_of(self.where, alive_rows(self.where, self.alive, ranks), "certificate")
        return LandmarkForm.of(as_points(self.semimetric, rows), np.arange(size))

    def _looked_up(self, form: LandmarkForm) -> _Look:
        """Heads, and the sums that say how closely they stand for their clusters."""
        heads, self._count = drawn_heads(self.where, self.labels, self.k, self.seed)
        sums = HeadSums.of(form, self.semimetric, heads, self.executor)
        groups: HeadGroups = head_groups(sums, self.semimetric, heads)
        tails = tail_sums(self.where, self.labels, heads, groups)
        sizes = np.diff(heads.offsets)
        self.n_pairs += int(tails.n_pairs) + int((sizes * (sizes - 1)).sum()) // 2
        rounding = relative_rounding(as_points(self.semimetric, heads.rows[:1]))
        clusters = clusters_of(sums, tails, heads.is_all, rounding)
        rule = self._rule(clusters)
        return _Look(self.semimetric, form, heads, clusters, rule, tells=False)

    def _rule(self, clusters: list[Cluster]) -> Rule:
        weight = np.array([cluster.weight for cluster in clusters])
        least = self.tol * sum(abs(c.weight * c.spread.middle) for c in clusters)
        return Rule(weight, self._count, least)

    def _look(self, look: _Look) -> tuple[int, OpenRows | None]:
        """How many rows are open, and these, unless they are too many to be fetched."""
        with progress.quiet():  # shares of a sample are not those of all rows
            expected = self._expected(look)
        tells = expected <= _MOST_OPEN
        look = replace(look, tells=tells)
        args = self.labels.everywhere()
        steps: list[Step] = []
        found: list[OpenRows] = []
        for number, made in enumerate(
            self.where.map("certificate", look_at_block, None, look, args)
        ):
            self.labels.heard(number)
            steps = _added(steps, made.steps)
            if made.found is not None:
                found.append(made.found)
        self._add(steps)
        return steps[-1].n_open, _joined(found) if tells else None

    def _expected(self, look: _Look) -> float:
        """Open rows, by those of a sample."""
        rng = np.random.default_rng([self.seed, 4])
        n_alive = int(sum(self.alive))
        size = min(_SAMPLE, n_alive)
        ranks = np.sort(rng.choice(n_alive, size, replace=False))
        numbers = alive_rows(self.where, self.alive, ranks)
        rows = rows_of(self.where, numbers, "certificate")
        weights = weights_of(self.where, numbers, "certificate")
        labels = self.labels.values[numbers].astype(np.int64)
        made = _looked(look, rows, labels, weights, np.zeros(len(rows), np.int64))
        self._add(made.steps)
        return made.steps[-1].n_open * n_alive / size

    def _can_afford(self, look: _Look, found: OpenRows) -> bool:
        """Whether exact sums of open rows are within the limits."""
        count = look.rule.count
        pairs = float(count[found.labels].sum()) + float(count[found.cluster].sum())
        self_pairs = self.n_pairs + pairs
        return self_pairs <= self.limits.n_pairs and not self.limits.is_late()

    def _exact(self, look: _Look, found: OpenRows) -> tuple[Open, Scene]:
        """Open rows after sums over all members, and the scene that they are in."""
        n = len(found.numbers)
        place = np.concatenate([np.arange(n), found.row])
        cluster = np.concatenate([found.labels, found.cluster])
        sums = np.empty(len(place))
        order = np.argsort(cluster, kind="stable")
        for a, b in blocks(0, len(order), _MOST_PAIRS):
            sums[order[a:b]] = self._sums(look, found, place[order[a:b]], cluster[order[a:b]])
        self.n_pairs += int(look.rule.count[cluster].sum())
        scene = _scene_of(look, found)
        low, high = _bounds(scene, sums, cluster)
        none = np.zeros(len(place), np.int64)
        pairs = Pairs(place, cluster, sums, sums, low, high, none, none)
        seen = Open(np.arange(n), pairs[np.arange(n)], pairs[np.arange(n, len(place))])
        self._pairs = seen
        left = still_open(scene, seen, np.full(n, np.inf))
        step = Step(int(look.rule.count.max()), len(left.index), len(left.others.row), 0)
        self._add([step])
        return left, scene

    def _sums(
        self, look: _Look, found: OpenRows, place: IntArray, cluster: IntArray
    ) -> Float64Array:
        """Σ w ρ of some pairs of a row and a cluster, in rising order of the clusters."""
        asked, place = np.unique(place, return_inverse=True)
        of_cluster = [place[cluster == c] for c in range(self.k)]
        queries = _Queries(self.semimetric, found.rows[asked], of_cluster, look.form.unit)
        parts = self.where.map("certificate", _sums_of, None, queries, self.labels.everywhere())
        return folded(parts, np.add)

    def _move(self, scene: Scene, found: OpenRows) -> int:
        """Move the rows that surely gain, one by one while any does; how many moves that took."""
        sure = Improvements.none().with_sure(scene, self._pairs).rows
        if not len(sure):
            return 0
        seen = self._pairs.without(np.setdiff1d(self._pairs.index, sure))
        settling = Settling.of(scene, seen, self.executor)
        n_moves = settling.run()
        self.n_pairs += settling.n_pairs
        went = np.flatnonzero(settling.labels != found.labels[seen.index])
        numbers, targets = found.numbers[seen.index[went]], settling.labels[went]
        for block, rows in in_block(self.where, numbers):
            start = self.where.spans[block][0]
            here = np.searchsorted(numbers, start + rows)
            unknown = np.full(len(rows), np.inf)
            self.labels.move(block, Moves(rows, targets[here], unknown, -unknown))
        return n_moves if len(went) else 0

    def _add(self, steps: list[Step]) -> None:
        for step in steps:
            self.steps.append(step)
            self.n_pairs += step.n_pairs
            note = f"{step.n_open / self.where.n_rows:.3%} of the rows open"
            progress.tell(Progress(phase="proof", number=len(self.steps), note=note))

    def _proof(self, look: _Look, n_open: int, gain: float, seconds: float) -> BlockProof:
        n, unit = self.where.n_rows, look.form.unit
        within = [cluster.total.times(0.5 / cluster.weight) for cluster in look.clusters]
        certificate = Certificate(
            proved=n_open == 0,
            n_open=n_open,
            n_pairs=self.n_pairs,
            n_pairs_full=n * (n - 1) // 2,
            largest_gain=gain * unit,
            steps=self.steps,
            rounds=self.rounds,
            seconds=seconds,
            is_repeatable=not self.limits.is_late(),
        )
        total = Bracket(sum(w.least for w in within), sum(w.most for w in within))
        by_cluster = unit * np.array([w.middle for w in within])
        return BlockProof(certificate, total.times(unit), by_cluster, self.n_moves)


def look_at_block(block: RowBlock, constant: None, look: _Look, sent: LabelsAt) -> _Looked:
    """Which rows of a block are open; chunk by chunk, so that blocks may be of any size."""
    labels, weights, rows = labels_in(block, sent), block.weights(), block.rows()
    steps: list[Step] = []
    found: list[OpenRows] = []
    for a, b in blocks(0, block.n, CHUNK):
        numbers = block.start + np.arange(a, b)
        made = _looked(look, rows[a:b], labels[a:b], weights[a:b], numbers)
        steps = _added(steps, made.steps)
        if made.found is not None:
            found.append(made.found)
    return _Looked(steps, _joined(found) if look.tells else None)


def _looked(
    look: _Look, rows: FloatArray, labels: IntArray, weights: Float64Array, numbers: IntArray
) -> _Looked:
    """The same for some rows, which stand behind the heads in a scene of their own."""
    n_heads = len(look.heads.numbers)
    scene = _scene(look, rows, labels, weights)
    index = n_heads + np.flatnonzero(weights > 0)
    margin, one = np.full(n_heads + len(rows), np.inf), Threads(1)
    seen, steps = look_at_all(scene, FirstLook.of(scene), index, margin, one)
    last = max(len(cluster.levels) for cluster in look.clusters) - 1
    for number in range(2, last + 1):
        seen, step = look_at_members(scene, seen, number, margin, one)
        steps.append(step)
    if not look.tells:
        return _Looked(steps, None)
    local = seen.index - n_heads
    others = seen.others
    found = OpenRows(
        numbers[local], labels[local], weights[local], rows[local], others.row, others.cluster
    )
    return _Looked(steps, found)


def _scene(look: _Look, rows: FloatArray, labels: IntArray, weights: Float64Array) -> Scene:
    """Heads and some rows."""
    heads = look.heads
    members = heads.members()
    everything = np.concatenate([heads.weights, weights])
    points = as_points(look.semimetric, np.concatenate([heads.rows, rows]))
    unknown = np.full(len(everything), np.nan, np.float32)
    return Scene(
        points,
        look.form,
        Members(members.order, members.offsets, members.labels, everything),
        look.clusters,
        np.concatenate([members.labels, labels]),
        look.rule,
        unknown,
        unknown.copy(),
    )


def _scene_of(look: _Look, found: OpenRows) -> Scene:
    """Open rows alone."""
    none = np.empty(0, np.int64)
    members = Members(none, np.zeros(len(look.clusters) + 1, np.int64), none, found.weights)
    points = as_points(look.semimetric, found.rows)
    unknown = np.full(len(found.numbers), np.nan, np.float32)
    return Scene(
        points, look.form, members, look.clusters, found.labels, look.rule, unknown, unknown
    )


def _bounds(
    scene: Scene, sums: Float64Array, cluster: IntArray
) -> tuple[Float64Array, Float64Array]:
    """Bounds on d² from sums over all members."""
    mean = sums / scene.rule.weight[cluster]
    half = relative_rounding(scene.points) * np.abs(mean)
    spread = [c.spread for c in scene.clusters]
    least, most = (np.array([getattr(s, name) for s in spread]) for name in ("least", "most"))
    return mean - half - most[cluster], mean + half - least[cluster]


def _largest_gain(scene: Scene, seen: Open) -> float:
    """What the move of an open row may gain, at most."""
    if not len(seen.index):
        return 0.0
    others, rule, w = seen.others, scene.rule, scene.weights[seen.index]
    a = (rule.leaving(w, seen.own.cluster) * seen.own.high)[others.row]
    b = rule.entering(w[others.row], others.cluster) * others.low
    with np.errstate(invalid="ignore"):  # ∞ − ∞ for a row that is all of its cluster
        gains = w[others.row] * (a - b)
    return float(np.nan_to_num(gains, nan=np.inf, posinf=np.inf).max())


def _sums_of(block: RowBlock, constant: None, queries: _Queries, sent: LabelsAt) -> Float64Array:
    """The part of a block in the sums of the queries."""
    labels, weights, rows = labels_in(block, sent), block.weights(), block.rows()
    asked = as_points(queries.semimetric, queries.rows)
    tables = [asked.table[index] for index in queries.of_cluster]

    def of_chunk(a: int, b: int) -> Float64Array:
        """The part of a chunk."""
        points = as_points(queries.semimetric, rows[a:b])
        found = [
            _to_members(asked, table, points.table, weights[a:b], labels[a:b] == cluster)
            for cluster, table in enumerate(tables)
        ]
        return np.concatenate(found) / queries.unit

    return folded((of_chunk(a, b) for a, b in blocks(0, block.n, CHUNK)), np.add)


def _to_members(
    asked: Points, x: FloatArray, table: FloatArray, weights: Float64Array, is_member: BoolArray
) -> Float64Array:
    members = np.flatnonzero(is_member & (weights > 0))
    if not len(members) or not len(x):
        return np.zeros(len(x))
    return sums_to_group(asked, x, Group.of(table[members], weights[members]))


def _added(steps: list[Step], more: list[Step]) -> list[Step]:
    return [a.plus(b) for a, b in zip_longest(steps, more, fillvalue=_NO_STEP)]


def _joined(found: list[OpenRows]) -> OpenRows:
    first = np.cumsum([0, *(len(part.numbers) for part in found)]).tolist()
    moved = [part._replace(row=part.row + at) for part, at in zip(found, first, strict=False)]
    return OpenRows._make(np.concatenate(arrays) for arrays in zip(*moved, strict=True))
