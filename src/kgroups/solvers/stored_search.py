"""Hartigan's method on a stored matrix, in few compiled calls."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np

from kgroups.gram.dense import DenseGram
from kgroups.native import kernels
from kgroups.runtime.threads import Executor, Threads, blocks
from kgroups.solvers.partition import Partition, Status, value
from kgroups.solvers.problem import Problem
from kgroups.solvers.state import State
from kgroups.typing import Float64Array, FloatArray, IntArray

# How a search ended, as in src/native/stored_search.cpp: no point moves; no sweep is left; only
# fresh sums can say whether a point moves. Another number stands for rounding that is in doubt.
_CONVERGED, _MAX_ITER, _WORN = 0, 1, 2
# Numbers in a matrix from which it outgrows the nearest caches, and starts are worth threads.
_LARGE = 1 << 19
# Bytes of sums that are made at once; with those before and those made anew, three times as many.
_BYTES_OF_SUMS = 1 << 24
# Sweeps that a compiled search makes before it leaves a start to the solver.
_MOST_SWEEPS = 1_000
# Times that sums are made anew before rounding is in doubt.
_RENEWALS = 8
# The sums of a cluster that was so many times heavier are made anew.
_HEAVIER = 16.0


class Stored(NamedTuple):
    """G_xy = scale · matrix_xy − shift_x − shift_y, and the weights of its points."""

    matrix: FloatArray  # (n, n)
    scale: float
    shift: Float64Array  # (n,)
    diagonal: Float64Array  # (n,) of G
    weights: Float64Array  # (n,)
    heaviest: float


class Sums(NamedTuple):
    """The sums of a labeling, and how many moves ago they were made from the matrix."""

    table: Float64Array  # (k, n)
    state: State
    n_moves: int

    @classmethod
    def made(cls, gram: DenseGram, labels: IntArray, weights: Float64Array, k: int) -> Sums:
        """The sums of some labels. O(n²)."""
        table = gram.tables_of_sums([labels], weights, k)[0]
        return cls(table, _empty_state(labels.copy(), k), 0)

    def split(self, gram: DenseGram, G: Stored, leaving: IntArray) -> Sums:
        """The sums after some points became one more cluster. O(nk), and O(n) per point."""
        old, k = self.state, len(self.table)
        table = _with_zero(self.table)
        state = State(
            labels=old.labels.copy(),
            members=_with_zero(old.members),
            weight=_with_zero(old.weight),
            within=_with_zero(old.within),
            peak=_with_zero(old.peak),
            reach=_with_zero(old.reach),
            held_back=old.held_back.copy(),
            rounding=old.rounding,
        )
        kernels.move_to_cluster(G, table, leaving, k, state)
        if (state.peak > _HEAVIER * state.weight).any():
            return Sums.made(gram, state.labels, G.weights, k + 1)
        return Sums(table, state, self.n_moves + len(leaving))

    def merge(self, G: Stored, kept: int, freed: int) -> Sums:
        """The sums after a cluster went into an earlier one; later ones move up. O(nk)."""
        old = self.state
        into = np.where(old.labels == kept, G.weights, 0.0)
        within = _joined(old.within, kept, freed)
        within[kept] += 2.0 * float(self.table[freed] @ into)
        reach = np.maximum(_joined(old.reach, kept, freed), np.abs(within))
        labels = np.where(old.labels == freed, kept, old.labels)
        state = State(
            labels=labels - (labels > freed),
            members=_joined(old.members, kept, freed),
            weight=_joined(old.weight, kept, freed),
            within=within,
            peak=_joined(old.peak, kept, freed),
            reach=reach,
            held_back=old.held_back.copy(),
            rounding=old.rounding,
        )
        return Sums(_joined(self.table, kept, freed), state, self.n_moves + 1)


def _with_zero(values: Any) -> Any:
    """Values of clusters, and zero for one more."""
    out = np.empty((len(values) + 1, *values.shape[1:]), values.dtype)
    out[:-1] = values
    out[-1] = 0
    return out


def _joined(values: Any, kept: int, freed: int) -> Any:
    """Values of clusters, those of one added to another and left out."""
    out = np.delete(values, freed, axis=0)
    out[kept] += values[freed]
    return out


def stored(gram: DenseGram, weights: Float64Array) -> Stored:
    """A Gram matrix as compiled searches read it."""
    heaviest = float(weights.max())
    return Stored(gram.matrix, gram.scale, gram.shift, gram.diagonal(), weights, heaviest)


def stored_partitions(
    problem: Problem,
    gram: DenseGram,
    starts: Sequence[IntArray],
    tol: float,
    max_iter: int,
    executor: Executor,
) -> Iterator[Partition | None]:
    """The one-move optimum from each labeling; None where the solver itself has to decide.

    n² additions for the first sums, and again where rounding may have made a gain or hidden one;
    O(nk) per sweep and O(n) per move. Memory: 8 nk bytes for each start with sums made at once.
    """
    k = problem.n_clusters
    # Threads that compete for the interpreter between short calls are slower than one.
    threads: Executor = executor if gram.n**2 > _LARGE else Threads(1)
    at_once = max(1, _BYTES_OF_SUMS // (8 * k * gram.n))
    runner = _Runner(gram.with_threads(1), stored(gram, problem.weights), tol)

    def solved(begun: tuple[Sequence[IntArray], Float64Array]) -> list[Partition | None]:
        """The answers from some labelings."""
        labels, tables = begun
        searches = [
            _Search.of(Sums(table, _empty_state(own.copy(), k), 0), max_iter)
            for own, table in zip(labels, tables, strict=True)
        ]
        runner.run(searches)
        runner.run_again(searches)
        return [one.partition() for one in searches]

    for a, b in blocks(0, len(starts), at_once):
        tables = gram.tables_of_sums(starts[a:b], problem.weights, k)
        pieces = blocks(a, b, -(-(b - a) // threads.n_workers))
        begun = [(starts[c:d], tables[c - a : d - a]) for c, d in pieces]
        for found in threads.map(solved, begun):
            yield from found


def search_from(
    gram: DenseGram, G: Stored, sums: Sums, tol: float, max_iter: int
) -> tuple[Partition, Sums] | None:
    """The optimum from a labeling with its sums, which are used up, and the sums where it ends.

    None where rounding is in doubt or a cluster stays empty. Without a pass over the matrix as long
    as rounding cannot decide.
    """
    one, runner = _Search.of(sums, max_iter), _Runner(gram, G, tol)
    runner.run([one])
    runner.run_again([one])
    found = one.partition()
    return None if found is None else (found, Sums(one.table, one.state, one.since))


@dataclass
class _Search:
    """One search: what compiled code reads and writes, and how far it came."""

    table: Float64Array
    state: State
    history: Float64Array
    max_iter: int
    #: Moves since the sums of the table were made.
    since: int
    ended: int = _MAX_ITER
    n_iter: int = 0
    n_moves: int = 0
    together: float = 0.0

    @classmethod
    def of(cls, sums: Sums, max_iter: int) -> Self:
        """A search that has yet to begin."""
        history = np.empty(min(max_iter, _MOST_SWEEPS) + 1)
        return cls(sums.table, sums.state, history, max_iter, sums.n_moves)

    def told(self, told: tuple[int, int, int, float, int]) -> None:
        """Keep what a compiled search says."""
        self.ended, self.n_iter, n_moves, self.together, self.since = told
        self.n_moves += int(n_moves)

    def partition(self) -> Partition | None:
        """The optimum; None where rounding is in doubt or a cluster stays empty."""
        stopped = self.ended == _MAX_ITER and self.n_iter == self.max_iter
        if self.ended != _CONVERGED and not stopped:
            return None
        history = self.history[: self.n_iter + 1].copy()
        history[-1] = value(self.state)
        return Partition(
            labels=self.state.labels,
            objective=float(history[-1]),
            together=self.together,
            weight=self.state.weight,
            within=self.state.within,
            n_iter=self.n_iter,
            n_moves=self.n_moves,
            status=Status.MAX_ITER if stopped else Status.CONVERGED,
            history=history,
        )


@dataclass(frozen=True)
class _Runner:
    """Runs searches, with sums made anew for all of them at once."""

    gram: DenseGram
    G: Stored
    tol: float

    def run(self, searches: Sequence[_Search]) -> None:
        """Run each, one after the other."""
        for one in searches:
            how = (self.tol, one.state, one.history, one.n_iter, one.since)
            one.told(kernels.search_stored(self.G, one.table, *how))

    def run_again(self, searches: Sequence[_Search]) -> None:
        """Run those for which only fresh sums can say whether a point moves."""
        for _ in range(_RENEWALS):
            worn = [one for one in searches if one.ended == _WORN]
            if not worn:
                return
            labels, k = [one.state.labels for one in worn], len(worn[0].table)
            fresh = self.gram.tables_of_sums(labels, self.G.weights, k)
            for one, table in zip(worn, fresh, strict=True):
                one.table, one.since = table, 0
            self.run(worn)


def _empty_state(labels: IntArray, k: int) -> State:
    """A state whose numbers are still to be added up."""
    return State(
        labels=labels,
        members=np.empty(k, np.int64),
        weight=np.empty(k),
        within=np.empty(k),
        peak=np.empty(k),
        reach=np.empty(k),
        held_back=np.zeros(1, np.int64),
    )
