"""What all solvers share: the answer, the state they keep, and how both are made."""

from __future__ import annotations

import enum
import hashlib
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np

from kgroups.gram.operator import RunningSums
from kgroups.runtime import progress
from kgroups.solvers.objective import over_weight, sum_by_cluster
from kgroups.solvers.problem import Problem
from kgroups.solvers.state import State
from kgroups.typing import Float64Array, IntArray


class Status(enum.Enum):
    """Why a solver stopped."""

    CONVERGED = "No move of a single point increases the objective."
    PAIRS = "No move of one point, or of two at once, increases the objective."
    STABLE = "No point is nearer to another centroid than to its own."
    CYCLE = (
        "Stopped because labels returned to earlier ones, as they may when similarities are not "
        "positive semidefinite, or where gains are rounding; more sweeps would repeat them."
    )
    SUPPORTED = "Moves of single nodes increase the objective, but lose evidence; none was made."
    LIMIT = (
        "Stopped by its limit of time or of distances while rows were undecided; exactness_ says "
        'how many. Use method="certified" without time_limit to finish the proof.'
    )
    MAX_ITER = "Stopped at max_iter while points still moved; increase max_iter."


@dataclass(frozen=True, kw_only=True)
class Partition:
    """The answer of a solver; every number is recomputed from the labels at the end.

    ``objective`` is Q = Σ Q_j/s_j of the operator's matrix, ``history`` its value before the first
    sweep and after each one, ``together`` what Q is when one cluster holds everything.
    """

    labels: IntArray
    objective: float
    together: float
    weight: Float64Array
    within: Float64Array
    n_iter: int
    n_moves: int
    status: Status
    history: Float64Array

    @property
    def n_clusters(self) -> int:
        """Number of clusters asked for."""
        return len(self.weight)

    def largest_first(self, weights: Float64Array) -> Partition:
        """The same partition with clusters numbered by falling weight, then by first member."""
        return self.renumbered(largest_first(self.labels, weights, self.weight))

    def renumbered(self, order: IntArray) -> Partition:
        """The same partition, in which cluster i is the one that was ``order[i]``."""
        numbers = np.argsort(order).astype(self.labels.dtype)
        return replace(
            self,
            labels=numbers[self.labels],
            weight=self.weight[order],
            within=self.within[order],
        )

    @property
    def rise(self) -> float:
        """Q less that of one cluster, which does not depend on the origin of the kernel."""
        return self.objective - self.together

    @property
    def rises(self) -> Float64Array:
        """The same before the first sweep and after each one."""
        return self.history - self.together

    @property
    def converged(self) -> bool:
        """Whether the solver stopped by its own rule."""
        return self.status not in (Status.MAX_ITER, Status.LIMIT, Status.CYCLE)


def largest_first(labels: IntArray, weights: Float64Array, weight: Float64Array) -> IntArray:
    """The order of the clusters by falling weight, then by first member that has weight.

    Runs that find the same clusters thus give them the same numbers; rows without weight do not
    matter. ``order[i]`` is the old number of the cluster that is now called i.
    """
    first = np.full(len(weight), len(labels))
    alive = np.flatnonzero(weights > 0)
    np.minimum.at(first, labels[alive], alive)
    return np.asarray(np.lexsort((first, -weight)), np.int64)


class Solver(Protocol):
    """Frozen settings with one method; solvers know nothing of tables, metrics or estimators."""

    def solve(self, problem: Problem, labels: IntArray) -> Partition:
        """A local optimum reached from ``labels``, which are not changed."""
        ...


@dataclass
class Work:
    """What a solver changes while it works: the state, and the sums that belong to it."""

    state: State
    sums: RunningSums

    def renew(self, problem: Problem, labels: IntArray | None = None) -> None:
        """State and sums computed anew, of other labels if these are given."""
        ratio = bool(self.state.growth)
        fresh = begin(problem, self.state.labels if labels is None else labels, ratio=ratio)
        self.state, self.sums = fresh.state, fresh.sums


def begin(
    problem: Problem, labels: IntArray, sums: RunningSums | None = None, *, ratio: bool = True
) -> Work:
    """State and running sums computed from labels alone: free of drift.

    Without ``ratio`` the objective is Σ Q_j: every s_j is 1, and stays so.
    """
    gram, weights, k = problem.gram, problem.weights, problem.n_clusters
    labels = in_range(labels, gram.n, k)
    if sums is None:
        sums = gram.running_sums(labels, weights, k)
    weight = sum_by_cluster(labels, weights, k) if ratio else np.ones(k)
    inside = sums.within(labels, weights, k)
    state = State(
        labels=labels,
        members=np.bincount(labels[weights > 0], minlength=k),
        weight=weight,
        within=inside,
        peak=weight.copy(),
        reach=np.abs(inside),
        held_back=np.zeros(1, np.int64),
        growth=float(ratio),
        rounding=gram.rounding,
    )
    return Work(state, sums)


def in_range(labels: IntArray, n: int, k: int) -> IntArray:
    """A copy of labels that compiled loops may take for indices."""
    labels = np.array(labels, dtype=np.int64)
    if labels.shape != (n,) or labels.min() < 0 or labels.max() >= k:
        raise ValueError(f"labels must be {n} integers in 0..{k - 1}.")
    return labels


def value(state: State) -> float:
    """Q of the state."""
    return float(over_weight(state.within, state.weight).sum())


def magnitude(state: State) -> float:
    """Σ |Q_j / s_j|, against which a gain is judged to be rounding or not."""
    return float(np.abs(over_weight(state.within, state.weight)).sum())


@dataclass
class Record:
    """What has happened in the sweeps of a solver; every sweep is told as it is added."""

    problem: Problem
    work: Work
    history: list[float] = field(init=False)
    n_moves: int = 0

    def __post_init__(self) -> None:
        self.history = [value(self.work.state)]
        self._together = _together(self.problem, self.work) if progress.is_heard() else 0.0

    def add(self, n_moves: int) -> None:
        """One sweep, after which the state is what it is now."""
        self.n_moves += n_moves
        self.history.append(value(self.work.state))
        rise = self.history[-1] - self._together
        progress.tell_sweep(len(self.history) - 1, n_moves, rise)

    def finish(self, status: Status) -> Partition:
        """The answer; Q_j are added up once more from the sums, free of what updates rounded."""
        state, sums = self.work.state, self.work.sums
        weights, k = self.problem.weights, self.problem.n_clusters
        weight = sum_by_cluster(state.labels, weights, k) if state.growth else state.weight
        within = sums.within(state.labels, weights, k)
        set_singletons(within, state, self.problem)
        state = state._replace(weight=weight, within=within)
        return Partition(
            labels=state.labels,
            objective=value(state),
            together=_together(self.problem, self.work),
            weight=state.weight,
            within=state.within,
            n_iter=len(self.history) - 1,
            n_moves=self.n_moves,
            status=status,
            history=np.array([*self.history[:-1], value(state)]),
        )


class Earlier:
    """Labels that were there so far, by their digests."""

    def __init__(self, *labels: IntArray) -> None:
        self.places = {_digest(some): place for place, some in enumerate(labels)}
        self.count = len(labels)

    def had(self, labels: IntArray) -> bool:
        """Whether these labels were there before; they are from now on. O(n)."""
        return self.since(labels) is not None

    def since(self, labels: IntArray) -> int | None:
        """How many labels ago these were there last, None if never; they are from now on. O(n)."""
        digest = _digest(labels)
        place = self.places.get(digest)
        since = None if place is None else self.count - place
        self.places[digest] = self.count
        self.count += 1
        return since


def _digest(labels: IntArray) -> bytes:
    return hashlib.blake2b(labels.tobytes(), digest_size=16).digest()


def set_singletons(within: Float64Array, state: State, problem: Problem) -> None:
    """Q_j = w_i² G_ii where a point is alone, whose sums may hold the rounding of others. O(n)."""
    w = problem.weights
    alone = np.flatnonzero((w > 0) & (state.members[state.labels] == 1))
    if len(alone):
        within[state.labels[alone]] = w[alone] ** 2 * problem.gram.diagonal()[alone]


def _together(problem: Problem, work: Work) -> float:
    """Q when one cluster holds everything."""
    everything = work.sums.everything(problem.weights)
    return everything / problem.total_weight if work.state.growth else everything
