"""Hartigan's method on a stored matrix, in few compiled calls."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from kgroups.gram.compiled.dense import COLUMNS
from kgroups.gram.dense import DenseGram, DenseSums
from kgroups.runtime.threads import Executor, Threads, blocks
from kgroups.solvers.compiled.state import State
from kgroups.solvers.compiled.stored_search import (
    CONVERGED,
    MAX_ITER,
    WORN,
    Moved,
    Stored,
    apply_blocks,
    begin,
    go_on,
    search,
    visit_block,
)
from kgroups.solvers.drift import has_lost_digits
from kgroups.solvers.partition import Partition, Status, set_singletons, value
from kgroups.solvers.problem import Problem
from kgroups.typing import Float64Array, IntArray

# Numbers in a matrix from which it outgrows the nearest caches, and starts are worth threads.
_LARGE = 1 << 19
# Bytes of sums that are made at once.
_BYTES_OF_SUMS = 1 << 25
# Sweeps that a compiled search makes before it leaves a start to the solver.
_MOST_SWEEPS = 1_000
# Times that sums are made anew before rounding is in doubt.
_RENEWALS = 8


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
    O(nk) a sweep and O(n) a move. Memory: 8 nk bytes for each start whose sums are made at once.
    """
    k = problem.n_clusters
    # Threads that compete for the interpreter between short calls are slower than one.
    threads: Executor = executor if gram.n**2 > _LARGE else Threads(1)
    at_once = max(threads.n_workers, _BYTES_OF_SUMS // (8 * k * gram.n))

    def solved(begun: tuple[Sequence[IntArray], Float64Array]) -> list[Partition | None]:
        """The answers from some labelings."""
        own = gram.with_threads(1)
        return _solved(problem, own, [_search(one, k, max_iter) for one in begun[0]], begun[1], tol)

    for a, b in blocks(0, len(starts), at_once):
        tables = gram.tables_of_sums(starts[a:b], problem.weights, k)
        pieces = blocks(a, b, -(-(b - a) // threads.n_workers))
        begun = [(starts[c:d], tables[c - a : d - a]) for c, d in pieces]
        for found in threads.map(solved, begun):
            yield from found


def stored_partition(
    problem: Problem, labels: IntArray, sums: DenseSums, tol: float, max_iter: int
) -> Partition | None:
    """The same from one labeling and its sums, which are used up."""
    one = _search(labels, problem.n_clusters, max_iter)
    (found,) = _solved(problem, sums.gram, [one], sums.table[None], tol)
    return found


@dataclass
class _Search:
    """One search: what compiled code reads and writes besides the sums, and how far it came."""

    state: State
    history: Float64Array
    block: Moved
    max_iter: int
    ended: int = WORN
    n_iter: int = 0
    n_moves: int = 0
    together: float = 0.0

    def run(self, G: Stored, table: Float64Array, tol: float) -> None:
        """Search from fresh sums."""
        self._told(search(G, table, tol, self.state, self.history, self.block, self.n_iter))

    def go_on(self, G: Stored, table: Float64Array, tol: float, least: float, moved: int) -> None:
        """Search after a sweep in which ``moved`` points gained ``least``."""
        how = (G, table, tol, self.state, self.history, self.block, self.n_iter)
        self._told(go_on(*how, least, moved))

    def _told(self, told: tuple[int, int, int, float]) -> None:
        self.ended, self.n_iter, n_moves, self.together = told
        self.n_moves += n_moves

    def partition(self, problem: Problem) -> Partition | None:
        """The optimum; None where rounding is in doubt or a cluster stays empty."""
        state, history = self.state, self.history[: self.n_iter + 1].copy()
        stopped = self.ended == MAX_ITER and self.n_iter == self.max_iter
        if self.ended != CONVERGED and not stopped:
            return None
        if has_lost_digits(state) or not state.members.all():
            return None
        set_singletons(state.within, state, problem)
        history[-1] = value(state)
        return Partition(
            labels=state.labels,
            objective=float(history[-1]),
            together=self.together,
            weight=state.weight,
            within=state.within,
            n_iter=self.n_iter,
            n_moves=self.n_moves,
            status=Status.MAX_ITER if stopped else Status.CONVERGED,
            history=history,
        )


def _search(labels: IntArray, k: int, max_iter: int) -> _Search:
    """A search that has yet to begin; its numbers are added up by compiled code."""
    state = State(
        labels=labels.copy(),
        members=np.empty(k, np.int64),
        weight=np.empty(k),
        within=np.empty(k),
        peak=np.empty(k),
        reach=np.empty(k),
        held_back=np.zeros(1, np.int64),
    )
    history = np.empty(min(max_iter, _MOST_SWEEPS) + 1)
    return _Search(state, history, _room_for_moves(COLUMNS), max_iter)


def _solved(
    problem: Problem,
    gram: DenseGram,
    searches: Sequence[_Search],
    tables: Float64Array,
    tol: float,
) -> list[Partition | None]:
    """The answers of some searches, with what reads all of the matrix done for all at once."""
    weights, k = problem.weights, problem.n_clusters
    heaviest = float(weights.max())
    G = Stored(gram.matrix, gram.scale, gram.shift, gram.diagonal(), weights, heaviest)
    if len(searches) > 1 and gram.n**2 > _LARGE:
        _run_side_by_side(G, searches, tables, tol)
    else:
        for one, table in zip(searches, tables, strict=True):
            one.run(G, table, tol)
    for _ in range(_RENEWALS):
        worn = [one for one in searches if one.ended == WORN]
        if not worn:
            break
        fresh = gram.tables_of_sums([one.state.labels for one in worn], weights, k)
        for one, table in zip(worn, fresh, strict=True):
            one.run(G, table, tol)
    return [one.partition(problem) for one in searches]


def _run_side_by_side(
    G: Stored, searches: Sequence[_Search], tables: Float64Array, tol: float
) -> None:
    """Run some searches, with their first sweeps side by side.

    Nearly all points move in the first sweep from random labels, and each search then reads nearly
    all of the matrix. Side by side they read a block of its rows while it is near.
    """
    m = len(searches)
    least, counts, moved = np.empty(m), np.empty(m, np.int64), np.zeros(m, np.int64)
    for i, one in enumerate(searches):
        one.history[0], size = begin(G, tables[i], one.state)
        least[i] = tol * size
    room = _room_for_moves((m, COLUMNS))
    rows = [Moved(*row) for row in zip(*room, strict=True)]
    for start, stop in blocks(0, len(G.weights), COLUMNS):
        for i, one in enumerate(searches):
            counts[i] = visit_block(G, tables[i], least[i], one.state, rows[i], start, stop)
        apply_blocks(G, tables, room, counts, 0, start)
        apply_blocks(G, tables, room, counts, stop, len(G.weights))
        moved += counts
    for i, one in enumerate(searches):
        one.go_on(G, tables[i], tol, float(least[i]), int(moved[i]))


def _room_for_moves(shape: int | tuple[int, int]) -> Moved:
    return Moved(
        points=np.empty(shape, np.int64),
        weights=np.empty(shape),
        sources=np.empty(shape, np.int64),
        targets=np.empty(shape, np.int64),
    )
