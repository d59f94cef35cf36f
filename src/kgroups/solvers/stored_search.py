"""Hartigan's method on a stored matrix, each search in one compiled call."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from kgroups.gram.dense import DenseGram
from kgroups.runtime.threads import Executor, Threads, blocks
from kgroups.solvers.compiled.state import State
from kgroups.solvers.compiled.stored_search import (
    CONVERGED,
    DOUBTFUL,
    MAX_ITER,
    UNMADE,
    Stored,
    move_all,
    search,
)
from kgroups.solvers.partition import Partition, Status, value
from kgroups.solvers.problem import Problem
from kgroups.typing import Float64Array, IntArray

# Additions of first sums from which starts are worth threads.
_WORTH_A_THREAD = 1 << 19
# Sweeps that a compiled search makes before it leaves a start to the solver.
_MOST_SWEEPS = 1_000
# The sums of a cluster that was so many times heavier are made anew.
_HEAVIER = 16.0


class Sums(NamedTuple):
    """The sums of a labeling, and how many moves ago they were made from the matrix."""

    table: Float64Array  # (k, n)
    state: State
    n_moves: int

    @classmethod
    def to_be_made(cls, gram: DenseGram, labels: IntArray, k: int) -> Sums:
        """Room for the sums of these labels."""
        return cls(np.empty((k, gram.n)), _empty_state(labels.copy(), k, gram.rounding), UNMADE)

    def split(self, G: Stored, leaving: IntArray) -> Sums:
        """The sums after some points became one more cluster. O(nk), and O(n) a point."""
        old, k = self.state, len(self.table)
        table = np.vstack([self.table, np.zeros((1, self.table.shape[1]))])
        state = State(
            labels=old.labels.copy(),
            members=np.append(old.members, 0),
            weight=np.append(old.weight, 0.0),
            within=np.append(old.within, 0.0),
            peak=np.append(old.peak, 0.0),
            reach=np.append(old.reach, 0.0),
            held_back=old.held_back.copy(),
            rounding=old.rounding,
        )
        move_all(G, table, leaving, k, state)
        heavier = (state.peak > _HEAVIER * state.weight).any()
        return Sums(table, state, UNMADE if heavier else self.n_moves + len(leaving))

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

    n² additions for the first sums, then O(nk) a sweep and O(n) a move; memory: 8 nk bytes a
    thread.
    """
    G = stored(gram, problem.weights)

    def searched(some: Sequence[IntArray]) -> list[Partition | None]:
        """The answers from some labelings."""
        return [one(labels) for labels in some]

    def one(labels: IntArray) -> Partition | None:
        """The answer from one labeling."""
        sums = Sums.to_be_made(gram, labels, problem.n_clusters)
        found = search_from(problem, G, sums, tol, max_iter)
        return None if found is None else found[0]

    # Threads that compete for the interpreter between short calls are slower than one.
    threads: Executor = executor if gram.n**2 > _WORTH_A_THREAD else Threads(1)
    size = -(-len(starts) // threads.n_workers)
    for found in threads.map(searched, [starts[a:b] for a, b in blocks(0, len(starts), size)]):
        yield from found


def search_from(
    problem: Problem, G: Stored, sums: Sums, tol: float, max_iter: int
) -> tuple[Partition, Sums] | None:
    """The optimum from a labeling with its sums, which are used up, and the sums where it ends.

    None where rounding is in doubt or a cluster stays empty. Without a pass over the matrix as long
    as rounding cannot decide.
    """
    state, history = sums.state, np.empty(min(max_iter, _MOST_SWEEPS) + 1)
    ended, n_iter, n_moves, together, since = search(
        G, sums.table, tol, state, history, sums.n_moves
    )
    cut_short = ended == MAX_ITER and n_iter < max_iter
    if ended == DOUBTFUL or cut_short:
        return None
    history = history[: n_iter + 1].copy()
    history[-1] = value(state)
    found = Partition(
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
    return found, Sums(sums.table, state, since)


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
