r"""One-move optimality without all pairs: the search for moves, and the proof that none is left.

**Theorem.** Let ρ be of negative type, Z landmarks, and ⟨·,·⟩_R the form of
:class:`~kgroups.certificate.landmark_form.LandmarkForm`, K(x, y) less the product of the features
that ρ(x, Z) gives. For a cluster C = A ∪ B, a point x and any α

.. math:: \left| K(x, μ_C) - (1 - ψ) K(x, A) - ψ [F(x)^⊤ F(B) + α ⟨x, A⟩_R] \right|
          ≤ ψ ‖x‖_R ‖B - α A‖_R, \qquad ψ = s_B / s_C

*Proof.* μ_C = (1 − ψ) A + ψ B, and K(x, B) = F(x)ᵀF(B) + ⟨x, B⟩_R. So what stands between the bars
is ψ ⟨x, B − αA⟩_R. The form is positive semidefinite: the Gram matrix of the functions that make F
is at most the identity, and K is positive semidefinite on weights that add up to zero, as those of
differences from the landmarks' mean do. The Cauchy–Schwarz inequality for this form is the claim. ∎

‖x‖_R costs the distances from x to the landmarks; ‖B − αA‖_R the pairs within a cluster, or fewer
where the triangle inequality bounds it (:mod:`kgroups.certificate.levels`). The gain of a move
[FRV eq. 50] is a difference of squared distances to centroids, hence has an interval. A point whose
intervals stay below zero for every other cluster is proved to stay. For the others A is taken
larger, and in the end all of C.

The last step needs ½ g(C, C), the same for all points of a pair of clusters. Without all pairs of C
this has an interval, too, and points whose gains lie within it stay undecided. All pairs within the
clusters, n²/2k of them, decide the last of them; they are taken where that is worth it.

When points move, their clusters change by known sums, and centroids by a known distance. A point
goes on being proved while centroids have moved by less than its margin; the others are looked at
again, until nothing moves.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import zip_longest

import numpy as np

from kgroups.certificate.certificate import Certificate, Step
from kgroups.certificate.changes import Bracket, Changes, Cluster
from kgroups.certificate.first_look import FirstLook, look_at_all
from kgroups.certificate.kept_sums import KeptSums
from kgroups.certificate.ladder import (
    Open,
    Rule,
    Scene,
    joined,
    look_at_members,
    resumed,
    still_open,
)
from kgroups.certificate.landmark_form import LandmarkForm
from kgroups.certificate.levels import levels_of
from kgroups.certificate.margins import Change, lower_margins
from kgroups.certificate.members import Members
from kgroups.certificate.moments import moments_of
from kgroups.certificate.moves import moved_to
from kgroups.certificate.settling import Settling
from kgroups.certificate.stages import Layout, layout_of, stages_of, whole_layout
from kgroups.runtime import progress
from kgroups.runtime.progress import Progress
from kgroups.runtime.threads import Executor
from kgroups.semimetrics.all_pairs import Points
from kgroups.semimetrics.group_sums import relative_rounding
from kgroups.solvers.objective import sum_by_cluster
from kgroups.typing import Float64Array, IntArray

# All pairs within clusters are taken at once where they are so many times those of a first look.
_FEW_TIMES = 32
# The head of a first look, and those that are tried where all pairs within clusters are too many.
_FIRST_HEAD = 256
_HEADS = tuple(_FIRST_HEAD * 2**i for i in range(1, 9))
# Of the members beyond the head, about the share that open pairs need before they are decided.
_SHARE_LEFT = 0.6
# Rows that are looked at first.
_SAMPLE = 1 << 13
# Rounds that follow the first one where nearly all points are open, in their work.
_AGAIN = 1.0
# The share of all pairs up to which a proof takes less time than a pass over all of them.
_PAYS = 0.6
# Pairs of a point and a cluster that are open at the same time after the first look, about; and
# points that are looked at together, at least.
_MOST_PAIRS, _LEAST_PART = 1 << 22, 1 << 12
# Pairs that may be open in all after the first look: for each point, and at least. Points beyond
# stay undecided, which happens where there are no clusters.
_OPEN_PER_POINT, _OPEN_AT_LEAST = 2.5, 1 << 23
#: The last level at which points are looked at part by part.
OPENING = 2
# The share of the largest weight below which squares of weights may underflow.
_LIGHTEST = 1e-120
_NO_STEP = Step(0, 0, 0, 0)
# The share of the last drift of centroids by which points that stay are looked at again, so that
# those that move when others have moved do so in the same round.
_GUARD = 1.0
# Rounds in which points may move whose sums are not known exactly.
_GUESSES = 30
# How often pairs within clusters are summed anew, because heavy points have left; and how many
# times their own rounding sums may be off until then.
_MOST_SUMS, _WORN = 4, 64.0
# Rounds after which a search gives up; each ends with moves that lower W.
_MOST_ROUNDS = 100


@dataclass(frozen=True, kw_only=True)
class Limits:
    """How far a certificate goes: distances, and seconds on a clock."""

    n_pairs: float = np.inf
    #: Whether a pass over all pairs may be taken in its place.
    all_pairs: bool = True
    deadline: float = np.inf

    def is_late(self) -> bool:
        """Whether the time is over."""
        return time.monotonic() > self.deadline


def can_be_squared(weights: Float64Array) -> bool:
    """Whether no square of a weight underflows next to that of the largest."""
    alive = weights[weights > 0]
    return bool(alive.min(initial=1.0) >= _LIGHTEST * weights.max(initial=0.0))


@dataclass(frozen=True, eq=False)
class Found:
    """Labels that no single move improves, as far as the certificate says."""

    labels: IntArray
    #: Σ Σ w w ρ within each cluster, in units of ρ.
    totals: list[Bracket]
    certificate: Certificate
    n_moves: int
    #: Whether the search ended because no point moved.
    is_settled: bool
    #: W before each round and at the end.
    history: Float64Array


@dataclass(eq=False)
class Search:
    """Labels of points, what is proved of them, and the sums that this rests on."""

    points: Points
    form: LandmarkForm
    weights: Float64Array
    labels: IntArray
    k: int
    tol: float
    executor: Executor
    #: Whether the rule is Hartigan's; else Lloyd's.
    is_ratio: bool = True
    seed: int = 0
    limits: Limits = field(default_factory=Limits)
    steps: list[Step] = field(default_factory=list)
    n_pairs: int = 0
    n_moves: int = 0
    rounds: int = 0

    def __post_init__(self) -> None:
        n = len(self.points)
        self.labels = np.asarray(self.labels, np.int64)
        self._rounding = relative_rounding(self.points)
        #: ‖x‖_R, made when a point is first looked at.
        self._lacking = np.full(n, np.nan, np.float32)
        #: √K(x, x), made with it.
        self._norm = np.full(n, np.nan, np.float32)
        #: How far centroids may still come before a point is to be looked at again.
        self._margin = np.where(self.weights > 0, -np.inf, np.inf)
        self._begun = time.monotonic()
        self._history: list[float] = []

    def run(self) -> Found | None:
        """Prove, move, and prove again, within the limits.

        None where a pass over all pairs takes less time, as it does if there are no clusters, and
        is within the limits; and for weights whose squares would underflow.
        """
        if not can_be_squared(self.weights):
            return None
        self._sum_pairs(self._first_layout())
        if len(self.points) > 2 * _SAMPLE:
            with progress.quiet():  # shares of a sample are not those of all rows
                seen = self._round(self._sample(), only_opening=True)
            self._margin[seen.index] = -np.inf  # theirs are of the clusters that were ruled out
            n = len(self.points)
            may_stop = self.limits.all_pairs and self._can_afford(n * (n - 1) // 2)
            if may_stop and self._is_hopeless(seen):
                return None
            layout = None if self._is_whole else self._next_layout(seen)
            if layout is not None:
                self._sum_pairs(layout)
        seen = self._until_settled()
        for _ in range(_MOST_SUMS):
            is_done = self._is_whole or not len(seen.index)
            if (is_done and not self._is_worn()) or not self._can_afford(self._n_within()):
                break
            self._sum_pairs(whole_layout)
            seen = self._until_settled()
        return self._found(seen)

    def _first_layout(self) -> Callable[[int], Layout]:
        """All pairs within clusters where they are few, else a first look."""
        first = 1.5 * _FIRST_HEAD * len(self.points)
        n_within = self._n_within()
        is_cheap = n_within <= _FEW_TIMES * first and self._can_afford(n_within)
        return whole_layout if is_cheap else lambda count: layout_of(count, _FIRST_HEAD)

    def _sample(self) -> IntArray:
        """Rows that are looked at first, to see what the others will take."""
        alive = np.flatnonzero(self.weights > 0)
        rng = np.random.default_rng([self.seed, 4])
        return np.sort(rng.choice(alive, min(_SAMPLE, len(alive)), replace=False))

    def _expected(self, seen: Open) -> float:
        """Pairs of a point and a cluster that stay open at the first head, of all points."""
        return (len(seen.index) + len(seen.others.row)) * len(self.points) / _SAMPLE

    def _is_hopeless(self, seen: Open) -> bool:
        """Whether sums for open points take about as long as all pairs, which serve both ends."""
        n = len(self.points)
        return self._expected_pairs(seen) > _PAYS * n * (n - 1) / 2

    def _expected_pairs(self, seen: Open) -> float:
        """Distances that a whole proof takes, from those that a sample has taken.

        How fast the number of open pairs falls when members grow fourfold is that of the sample: it
        falls slowly where there are no clusters. Where many points are open many will move, and
        others are looked at again.
        """
        each = len(self.points) / self.k
        before, after = (step.n_open + step.n_candidates for step in self.steps[-2:])
        fall = float(np.log(max(before, 1) / max(after, 1)) / np.log(4.0))
        slope = min(max(fall, 0.0), 0.5)
        ladder = self._expected(seen) * _FIRST_HEAD**slope * each ** (1.0 - slope) / (1.0 - slope)
        ladder += sum(step.n_pairs for step in self.steps) * len(self.points) / _SAMPLE
        rounds = 1.0 + _AGAIN * len(seen.index) / _SAMPLE
        return float(self._n_within() + rounds * ladder)

    def _next_layout(self, seen: Open) -> Callable[[int], Layout] | None:
        """How pairs are summed after a first look; None where that look is enough.

        From the open pairs and the pairs that sums cost, of which the sum is least.
        """
        n, n_within, each = len(self.points), float(self._n_within()), len(self.points) / self.k
        n_open = self._expected(seen)
        to_end = n_open * each * _SHARE_LEFT
        if to_end <= n_within / 8:
            return None
        if self._can_afford(n_within + 2.0 * n_open * np.sqrt(_FIRST_HEAD * each)):
            return whole_layout
        costs = {
            head: 1.5 * head * n + to_end * np.sqrt(_FIRST_HEAD / head)
            for head in _HEADS
            if head < each
        }
        best = min(costs, key=lambda head: costs[head], default=_FIRST_HEAD)
        return None if best == _FIRST_HEAD else lambda count: layout_of(count, best)

    def _n_within(self) -> int:
        count = np.bincount(self.labels[self.weights > 0], minlength=self.k)
        return int((count * (count - 1)).sum()) // 2

    def _is_worn(self) -> bool:
        """Whether points that moved took digits of the sums within clusters with them."""
        most = _WORN * self._rounding
        return self._is_whole and any(t.most - t.least > most * t.most for t in self._totals)

    def _can_afford(self, n_pairs: float) -> bool:
        return self.n_pairs + n_pairs <= self.limits.n_pairs and not self.limits.is_late()

    def _sum_pairs(self, layout: Callable[[int], Layout]) -> None:
        """Sums over pairs within the present clusters, and their levels."""
        form, unit = self.form, self.form.unit
        self._members = Members.of(self.labels, self.weights, self.k, self.seed)
        layouts = [layout(count) for count in self._members.count.tolist()]
        moments = moments_of(form, self.points, self._members, self.executor)
        stages = stages_of(self.points, self._members, layouts, self.executor)
        self.n_pairs += int(sum(cut.n_pairs() for cut in layouts))
        self.n_pairs += len(self._members.order) * form.n_landmarks
        levels = [
            levels_of(form, sums.over(unit), moment, self._rounding)
            for sums, moment in zip(stages, moments, strict=True)
        ]
        landmarks = [moment.landmarks.sum(axis=0) for moment in moments]
        self._changes = Changes(self.points, form, self._members, landmarks, levels, self.executor)
        self._kept, self._guard = KeptSums.none(self.k), 0.0
        self._clusters: list[Cluster] = []
        self._totals = [Bracket(level.least, level.most) for level in levels]
        self._is_whole = all(cut.is_whole for cut in layouts)

    def _round(self, index: IntArray | None = None, *, only_opening: bool = False) -> Open:
        """Look at all points of which it is not proved that they stay, or at some points."""
        self._scene = scene = self._present()
        self._history.append(self._within().middle)
        self.rounds += 1
        index = np.flatnonzero(self._margin < self._guard) if index is None else index
        seen = self._opening(scene, index)
        if not only_opening:
            seen = self._climb(seen)
            self._kept = self._kept.with_record(self._record)
        return seen

    def _opening(self, scene: Scene, index: IntArray) -> Open:
        """Landmarks and the first two levels, part by part: most pairs are decided there.

        A part has as many points as leave about 4 million pairs open, by what the last one left.
        """
        look, found = FirstLook.of(scene), list[Open]()
        steps, begin = [_NO_STEP] * (OPENING + 1), 0
        size = max(_LEAST_PART, _MOST_PAIRS // self.k)
        room = max(_OPEN_PER_POINT * len(self.points), _OPEN_AT_LEAST)
        while (begin < len(index) and room > 0) or not found:
            part = index[begin : begin + size]
            seen, made = look_at_all(scene, look, part, self._margin, self.executor)
            each = (made[1].n_open + made[1].n_candidates) / max(1, len(part))
            # Once it is late it stays late, and no level above this one is begun.
            if not self.limits.is_late():
                seen, n_pairs = resumed(scene, self._kept.given_to(seen), self.executor)
                self.n_pairs += n_pairs
                seen, step = look_at_members(
                    scene, seen, OPENING, self._margin, self.executor, guard=self._guard
                )
                made.append(step)
            steps = [a.plus(b) for a, b in zip_longest(steps, made, fillvalue=_NO_STEP)]
            found.append(seen)
            room -= len(seen.index) + len(seen.others.row)
            begin += len(part) if len(part) else 1
            size = max(_LEAST_PART, int(_MOST_PAIRS / max(each, _MOST_PAIRS / len(self.points))))
        self._record = joined(found).numbered()
        del seen, found
        seen = still_open(scene, self._record, self._margin)
        steps[-1] = steps[-1]._replace(n_open=len(seen.index), n_candidates=len(seen.others.row))
        for step in steps:
            self._add(step)
        return seen

    def _climb(self, seen: Open) -> Open:
        """The levels of the ladder above, for points that are open."""
        last = max(len(cluster.levels) for cluster in self._scene.clusters) - 1
        record = self._record
        for number in range(OPENING + 1, last + 1):
            if not self._can_afford(0):
                break
            seen, step = look_at_members(
                self._scene, seen, number, self._margin, self.executor, record
            )
            self._add(step)
        return seen

    def _add(self, step: Step) -> None:
        self.steps.append(step)
        self.n_pairs += step.n_pairs
        share = step.n_open / len(self.points)
        note = f"{share:.3%} of the rows open"
        progress.tell(Progress(phase="proof", number=len(self.steps), note=note))

    def _present(self) -> Scene:
        before = {id(cluster) for cluster in self._clusters}
        clusters = self._changes.clusters(self._totals, self.labels, self._clusters)
        moved = [len(cluster.index) for cluster in clusters if id(cluster) not in before]
        self._clusters = clusters
        # Those that moved among each other, by weights and by their sizes, and with the landmarks.
        self.n_pairs += sum(m * (m - 1) + m * self.form.n_landmarks for m in moved)
        weight = np.array([cluster.weight for cluster in clusters])
        count = np.bincount(self.labels[self.weights > 0], minlength=self.k)
        least = self.tol * sum(abs(c.weight * c.spread.middle) for c in clusters)
        least /= 1.0 if self.is_ratio else float(weight.sum())
        rule = Rule(weight, count, least, self.is_ratio)
        return Scene(
            self.points, self.form, self._members, clusters, self.labels, rule,
            self._lacking, self._norm,
        )  # fmt: skip

    def _within(self) -> Bracket:
        """W in the unit of the form."""
        weight = sum_by_cluster(self.labels, self.weights, self.k)
        parts = [
            total.times(0.5 / s) for total, s in zip(self._totals, weight, strict=True) if s > 0
        ]
        return Bracket(sum(part.least for part in parts), sum(part.most for part in parts))

    def _until_settled(self) -> Open:
        """Look, move and look again, until no point moves. The points that are left open.

        All points that were hard to decide may move, by the middle of what is known of their sums:
        a point that is proved to stay then moves only if others have moved by more than its
        interval is wide, and the next round looks at it again.
        """
        self._is_settled = False
        for number in range(_MOST_ROUNDS):
            seen = self._round()
            if not self._can_afford(0):
                break
            self._margin[seen.index] = -np.inf
            if not self._move(self._record if number < _GUESSES else seen):
                self._is_settled = True
                break
        return seen

    def _move(self, seen: Open) -> int:
        """Move open points; margins shrink by what centroids drift."""
        if len(seen.index) == 0:
            return 0
        settling = Settling.of(self._scene, seen, self.executor)
        n_moves = settling.run()
        self.n_pairs += settling.n_pairs
        if n_moves:
            moved = moved_to(self._scene, seen.index, settling.labels, self.executor)
            labels = self.labels.copy()
            labels[seen.index] = settling.labels
            self._lower_margins(labels, moved.drift)
            self._guard = _GUARD * float(moved.drift.max())
            self.labels, self._totals = labels, moved.totals
            self.n_pairs += moved.n_pairs
            self.n_moves += n_moves
        return n_moves

    def _lower_margins(self, labels: IntArray, drift: Float64Array) -> None:
        """What points that stay lose by the moves to new labels."""
        w, before = self.weights, self._scene.rule
        after = replace(
            before,
            weight=sum_by_cluster(labels, w, self.k),
            count=np.bincount(labels[w > 0], minlength=self.k),
        )
        change = Change(before, after, drift)
        lower_margins(self._margin, w, (self.labels, labels), self._norm, change)

    def _found(self, seen: Open) -> Found:
        """The answer as it stands, with what is left open."""
        is_late = self.limits.is_late()
        is_open = self._margin < 0
        # What exact sums leave open is rounding, unless these are what is left of larger ones.
        is_exact = self._is_whole and not self._is_worn()
        is_open[seen.index] = not (self._is_settled and is_exact)
        n_open = int(is_open.sum())
        all_seen = self._is_settled and np.isin(np.flatnonzero(is_open), seen.index).all()
        n = len(self.points)
        unit = self.form.unit
        certificate = Certificate(
            proved=n_open == 0,
            n_open=n_open,
            n_pairs=self.n_pairs,
            n_pairs_full=n * (n - 1) // 2,
            largest_gain=(self._largest_gain(seen) * unit if all_seen else np.inf)
            if n_open
            else 0.0,
            steps=self.steps,
            rounds=self.rounds,
            seconds=time.monotonic() - self._begun,
            is_repeatable=not is_late,
        )
        return Found(
            labels=self.labels,
            totals=[total.times(unit) for total in self._totals],
            certificate=certificate,
            n_moves=self.n_moves,
            is_settled=self._is_settled,
            history=unit * np.array([*self._history, self._within().middle]),
        )

    def _largest_gain(self, seen: Open) -> float:
        """What the move of an open point may gain, at most."""
        index, others, rule = seen.index, seen.others, self._scene.rule
        if not len(others.row):
            return np.inf
        w = self.weights[index]
        a = (rule.leaving(w, seen.own.cluster) * seen.own.high)[others.row]
        b = rule.entering(w[others.row], others.cluster) * others.low
        return float((w[others.row] * (a - b)).max())
