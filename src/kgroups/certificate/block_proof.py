"""A proof that no single move improves labels of rows that lie in blocks; and moves until it holds.

Every step is a pass over the blocks with a small broadcast and a small answer. Rows are compared
with landmarks and with the heads of the clusters where they lie. Those that this leaves open, and
those that stay by little, are fetched, and serve as queries of a last pass, in which each block
adds up their distances to its members. Rows that surely gain are moved among each other, and the
fetched rows are compared again; all others go on being proved while centroids have come by less
than the guard. Only where they have come by more does the proof begin again. The bounds are those
of :mod:`kgroups.certificate.proof_search`.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from kgroups.certificate.block_heads import (
    HeadGroups,
    HeadSums,
    as_points,
    clusters_of,
    drawn_heads,
    head_groups,
    tail_sums,
)
from kgroups.certificate.block_look import look_at_block, look_at_rows
from kgroups.certificate.block_moves import after_moves
from kgroups.certificate.block_sums import compared, known_of, summed
from kgroups.certificate.certificate import Certificate, Step
from kgroups.certificate.changes import Bracket, Cluster
from kgroups.certificate.improvements import Improvements
from kgroups.certificate.ladder import Open, Rule, Scene, still_open
from kgroups.certificate.landmark_form import LandmarkForm
from kgroups.certificate.open_rows import Known, Look, Looked, OpenRows, joined
from kgroups.certificate.proof_search import Limits
from kgroups.certificate.settling import Settling
from kgroups.runtime import progress
from kgroups.runtime.progress import Progress
from kgroups.runtime.row_blocks import Blocks, in_block
from kgroups.runtime.threads import Executor
from kgroups.semimetrics.group_sums import relative_rounding
from kgroups.semimetrics.semimetric import Semimetric
from kgroups.solvers.block_draws import alive_rows, rows_of, weights_of
from kgroups.solvers.block_labels import BlockLabels, Moves
from kgroups.solvers.block_means import Went
from kgroups.typing import Float64Array, IntArray

# Rows that are looked at first, which take less than a block.
_SAMPLE = 1 << 13
# How often all rows are looked at, and rows are moved in between: most proofs need one look and a
# few moves, and labels that need many are not worth a proof.
_MOST_ROUNDS, _MOST_TIMES = 4, 16
# Open rows that are fetched, at most, because the caller holds them.
_MOST_OPEN = 1 << 21
# How many times as many rows of the sample may be fetched for the guard, and how many in any case,
# because a sample has few open rows: moves of small clusters would fetch all.
_MOST_MORE, _FEW = 2, 8
# The guard, as a share of how far W leaves open the distance to a centroid: so few more rows are
# fetched. And by how much it exceeds what moves have changed before.
_SHARE, _BEFORE = 0.25, 2.0


class _Reached(NamedTuple):
    """What a round of a proof has come to."""

    clusters: list[Cluster]
    n_open: int
    #: What the move of an open row may gain, at most.
    gain: float
    #: Whether centroids have come by more than the guard, so that all rows are to be looked at.
    is_void: bool = False


@dataclass(frozen=True, eq=False)
class BlockProof:
    """What is proved of labels, which may have been improved."""

    certificate: Certificate
    #: W, in units of ρ times weight, and the middle of what is known of it for each cluster.
    within: Bracket
    by_cluster: Float64Array
    n_moves: int
    #: Rows that went elsewhere, in the order in which they did; a row may come several times.
    went: list[Went]


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
    _went: list[Went] = field(default_factory=list)
    #: What moves have taken from margins in the last round.
    _lost: float = 0.0

    def run(self) -> BlockProof:
        """Prove, move the rows that gain, and prove again, within the limits."""
        begun = time.monotonic()
        form = self._form()
        while True:
            self.rounds += 1
            look = self._looked_up(form)
            looked = self._look(look)
            reached = self._settled(look, looked)
            if not reached.is_void:
                return self._proof(reached, form.unit, time.monotonic() - begun)

    def _form(self) -> LandmarkForm:
        """Landmarks drawn uniformly among the rows with weight."""
        rng = np.random.default_rng([self.seed, 5])
        n_alive = int(sum(self.alive))
        size = min(self.n_landmarks, n_alive)
        ranks = np.sort(rng.choice(n_alive, size, replace=False))
        rows = rows_of(self.where, alive_rows(self.where, self.alive, ranks), "certificate")
        return LandmarkForm.of(as_points(self.semimetric, rows), np.arange(size))

    def _looked_up(self, form: LandmarkForm) -> Look:
        """Heads, and the sums that say how closely they stand for their clusters."""
        heads, count = drawn_heads(self.where, self.labels, self.k, self.seed)
        sums = HeadSums.of(form, self.semimetric, heads, self.executor)
        groups: HeadGroups = head_groups(sums, self.semimetric, heads)
        tails = tail_sums(self.where, self.labels, heads, groups)
        sizes = np.diff(heads.offsets)
        self.n_pairs += int(tails.n_pairs) + int((sizes * (sizes - 1)).sum()) // 2
        rounding = relative_rounding(as_points(self.semimetric, heads.rows[:1]))
        clusters = clusters_of(sums, tails, heads.is_all, rounding)
        rule = self._rule(clusters, count)
        return Look(self.semimetric, form, heads, clusters, rule, self._guard(clusters))

    def _rule(self, clusters: list[Cluster], count: IntArray) -> Rule:
        weight = np.array([cluster.weight for cluster in clusters])
        least = self.tol * sum(abs(c.weight * c.spread.middle) for c in clusters)
        return Rule(weight, count, least)

    def _guard(self, clusters: list[Cluster]) -> float:
        """The margin up to which rows that stay are fetched, because others may move."""
        spreads = [cluster.spread for cluster in clusters]
        most = float(np.sqrt(max(0.0, *(spread.most for spread in spreads))))
        width = max(spread.most - spread.least for spread in spreads)
        of_w = 0.5 * width / most if most > 0.0 else 0.0
        before = self._lost if np.isfinite(self._lost) else 0.0
        return max(_SHARE * of_w, _BEFORE * before)

    def _look(self, look: Look) -> Looked:
        """What all rows are answered, and the open ones, unless they are too many to be fetched."""
        with progress.quiet():  # shares of a sample are not those of all rows
            look = self._as_a_sample_allows(look)
        looked, found = Looked.nothing(self.k), list[OpenRows]()
        made = self.where.map("certificate", look_at_block, None, look, self.labels.everywhere())
        for part in self.labels.heard_from(made):
            looked = looked.plus(part)
            if part.found is not None:
                found.append(part.found)
        self._add(looked.steps)
        return looked._replace(found=joined(found), guard=look.guard) if look.tells else looked

    def _as_a_sample_allows(self, look: Look) -> Look:
        """Whether open rows are fetched, and those that stay by little, by what a sample says."""
        rng = np.random.default_rng([self.seed, 4])
        n_alive = int(sum(self.alive))
        size = min(_SAMPLE, n_alive)
        ranks = np.sort(rng.choice(n_alive, size, replace=False))
        numbers = alive_rows(self.where, self.alive, ranks)
        rows = rows_of(self.where, numbers, "certificate")
        weights = weights_of(self.where, numbers, "certificate")
        labels = self.labels.values[numbers].astype(np.int64)
        steps, n_seen = look_at_rows(look, rows, labels, weights)
        self._add(steps)
        n_open = steps[-1].n_open
        of_all = n_alive / size
        is_wide = n_seen > _MOST_MORE * n_open + _FEW or n_seen * of_all > _MOST_OPEN
        return replace(
            look,
            tells=n_open * of_all <= _MOST_OPEN,
            guard=0.0 if is_wide or self.rounds == _MOST_ROUNDS else look.guard,
        )

    def _can_afford(self, look: Look, found: OpenRows) -> bool:
        """Whether exact sums of open rows are within the limits."""
        count = look.rule.count
        pairs = float(count[found.labels].sum()) + float(count[found.cluster].sum())
        return self.n_pairs + pairs <= self.limits.n_pairs and not self.limits.is_late()

    def _affordable(self, look: Look, looked: Looked) -> tuple[OpenRows | None, float]:
        """Rows that are compared with all members, and by how much all others stay."""
        found = looked.found
        if found is None or not looked.steps[-1].n_open:
            return None, 0.0
        if self._can_afford(look, found):
            return found, looked.guard
        found = found.only_open()
        return (found if self._can_afford(look, found) else None), 0.0

    def _settled(self, look: Look, looked: Looked) -> _Reached:
        """Compare open rows with all members, and move those that surely gain, while any does."""
        found, guard = self._affordable(look, looked)
        self._lost = 0.0
        if found is None:
            n_open = looked.steps[-1].n_open
            return _Reached(look.clusters, n_open, np.inf if n_open else 0.0)
        known = known_of(self.where, self.labels, look, found)
        self.n_pairs += int(look.rule.count[known.cluster].sum())
        for _ in range(_MOST_TIMES):
            scene, seen = compared(look, found, known)
            reached = self._reached(scene, seen)
            labels = self._move_sure(scene, seen, found) if self._may_move(reached) else None
            if labels is None:
                return reached
            after = after_moves(scene, known, labels, looked, self.executor)
            self._lost += np.inf if after is None else after.lost
            if after is None or self._lost > guard:
                break
            self.n_pairs += after.n_pairs
            rule = self._rule(after.clusters, after.count)
            look = replace(look, clusters=after.clusters, rule=rule)
            found = found._replace(labels=labels)
            known = after.known.plus(self._with_all_clusters(look, found, after.moved))
        return reached._replace(is_void=True)

    def _may_move(self, reached: _Reached) -> bool:
        """Whether there is something to move, and the time to look at what that changes."""
        is_within = self.n_pairs <= self.limits.n_pairs and not self.limits.is_late()
        return reached.n_open > 0 and self.rounds < _MOST_ROUNDS and is_within

    def _reached(self, scene: Scene, seen: Open) -> _Reached:
        """What sums over all members leave open."""
        left = still_open(scene, seen, np.full(len(seen.index), np.inf))
        self._add([Step(int(scene.rule.count.max()), len(left.index), len(left.others.row), 0)])
        return _Reached(list(scene.clusters), len(left.index), _largest_gain(scene, left))

    def _with_all_clusters(self, look: Look, found: OpenRows, rows: IntArray) -> Known:
        """The sums of open rows that have moved, with their clusters and all others."""
        row, cluster = np.repeat(rows, self.k), np.tile(np.arange(self.k), len(rows))
        self.n_pairs += len(rows) * int(look.rule.count.sum())
        return summed(self.where, self.labels, look, found, row, cluster)

    def _move_sure(self, scene: Scene, seen: Open, found: OpenRows) -> IntArray | None:
        """Move the rows that surely gain, one by one while any does: new labels of open rows."""
        sure = Improvements.none().with_sure(scene, seen).rows
        if not len(sure):
            return None
        eager = seen.without(np.setdiff1d(seen.index, sure))
        settling = Settling.of(scene, eager, self.executor)
        n_moves = settling.run()
        self.n_pairs += settling.n_pairs
        went = np.flatnonzero(settling.labels != scene.labels[eager.index])
        if not len(went):
            return None
        self.n_moves += n_moves
        labels = scene.labels.copy()
        labels[eager.index] = settling.labels
        rows = eager.index[went]
        self._went.append(
            Went(found.numbers[rows], scene.weights[rows], scene.labels[rows], labels[rows])
        )
        self._tell(self._went[-1])
        return labels

    def _tell(self, went: Went) -> None:
        """Rows, by rising number, have other labels."""
        for block, rows in in_block(self.where, went.numbers):
            start = self.where.spans[block][0]
            here = np.searchsorted(went.numbers, start + rows)
            unknown = np.full(len(rows), np.inf)
            self.labels.move(block, Moves(rows, went.targets[here], unknown, -unknown))

    def _add(self, steps: list[Step]) -> None:
        for step in steps:
            self.steps.append(step)
            self.n_pairs += step.n_pairs
            note = f"{step.n_open / self.where.n_rows:.3%} of the rows open"
            progress.tell(Progress(phase="proof", number=len(self.steps), note=note))

    def _proof(self, reached: _Reached, unit: float, seconds: float) -> BlockProof:
        n = self.where.n_rows
        within = [cluster.total.times(0.5 / cluster.weight) for cluster in reached.clusters]
        certificate = Certificate(
            proved=reached.n_open == 0,
            n_open=reached.n_open,
            n_pairs=self.n_pairs,
            n_pairs_full=n * (n - 1) // 2,
            largest_gain=reached.gain * unit,
            steps=self.steps,
            rounds=self.rounds,
            seconds=seconds,
            is_repeatable=not self.limits.is_late(),
        )
        total = Bracket(sum(w.least for w in within), sum(w.most for w in within))
        by_cluster = unit * np.array([w.middle for w in within])
        return BlockProof(certificate, total.times(unit), by_cluster, self.n_moves, self._went)


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
