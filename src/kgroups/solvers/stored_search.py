"""Hartigan's method on a stored matrix, each search in one compiled call."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from kgroups.gram.compiled.dense import COLUMNS
from kgroups.gram.dense import DenseGram, DenseSums
from kgroups.runtime.threads import Executor, Threads, blocks
from kgroups.solvers.compiled.state import State
from kgroups.solvers.compiled.stored_search import (
    CONVERGED,
    DOUBTFUL,
    MAX_ITER,
    Moved,
    Stored,
    search,
)
from kgroups.solvers.drift import has_lost_digits
from kgroups.solvers.partition import Partition, Status, set_singletons, value
from kgroups.solvers.problem import Problem
from kgroups.typing import IntArray

# Additions of first sums from which starts are worth threads.
_WORTH_A_THREAD = 1 << 19
# Bytes of sums that are made at once.
_BYTES_OF_SUMS = 1 << 25
# Sweeps that a compiled search makes before it leaves a start to the solver.
_MOST_SWEEPS = 1_000


def stored_partitions(
    problem: Problem,
    gram: DenseGram,
    starts: Sequence[IntArray],
    tol: float,
    max_iter: int,
    executor: Executor,
) -> Iterator[Partition | None]:
    """The one-move optimum from each labeling; None where the solver itself has to decide.

    n² additions for the first sums, then O(nk) a sweep and O(n) a move; memory: 8 nk bytes for
    every start of which sums are made at once.
    """

    def searched(begun: Sequence[tuple[IntArray, DenseSums]]) -> list[Partition | None]:
        """The answers from some labelings."""
        return [stored_partition(problem, *one, tol, max_iter) for one in begun]

    # Threads that compete for the interpreter between short calls are slower than one.
    threads: Executor = executor if gram.n**2 > _WORTH_A_THREAD else Threads(1)
    at_once = max(threads.n_workers, _BYTES_OF_SUMS // (8 * problem.n_clusters * gram.n))
    for first, last in blocks(0, len(starts), at_once):
        some = starts[first:last]
        sums = gram.running_sums_of(some, problem.weights, problem.n_clusters)
        begun = list(zip(some, sums, strict=True))
        size = -(-len(begun) // threads.n_workers)
        for found in threads.map(searched, [begun[a:b] for a, b in blocks(0, len(begun), size)]):
            yield from found


def stored_partition(
    problem: Problem, labels: IntArray, sums: DenseSums, tol: float, max_iter: int
) -> Partition | None:
    """The optimum from one labeling and its sums, which are used up.

    None where rounding is in doubt or a cluster stays empty.
    """
    gram, weights = sums.gram, problem.weights
    G = Stored(gram.matrix, gram.scale, gram.shift, gram.diagonal(), weights, float(weights.max()))
    state = _empty_state(labels.copy(), problem.n_clusters, gram.rounding)
    history = np.empty(min(max_iter, _MOST_SWEEPS) + 1)
    block = Moved(
        points=np.empty(COLUMNS, np.int64),
        weights=np.empty(COLUMNS),
        sources=np.empty(COLUMNS, np.int64),
        targets=np.empty(COLUMNS, np.int64),
    )
    ended, n_iter, n_moves, together = search(G, sums.table, tol, state, history, block)
    cut_short = ended == MAX_ITER and n_iter < max_iter
    if ended == DOUBTFUL or cut_short or has_lost_digits(state) or not state.members.all():
        return None
    set_singletons(state.within, state, problem)
    history = history[: n_iter + 1].copy()
    history[-1] = value(state)
    return Partition(
        labels=state.labels,
        objective=float(history[-1]),
        together=together,
        weight=state.weight,
        within=state.within,
        n_iter=n_iter,
        n_moves=n_moves,
        status=Status.CONVERGED if ended == CONVERGED else Status.MAX_ITER,
        history=history,
    )


def _empty_state(labels: IntArray, k: int, rounding: float) -> State:
    """A state whose numbers are still to be added up."""
    return State(
        labels=labels,
        members=np.empty(k, np.int64),
        weight=np.empty(k),
        within=np.empty(k),
        peak=np.empty(k),
        reach=np.empty(k),
        held_back=np.zeros(1, np.int64),
        rounding=rounding,
    )
