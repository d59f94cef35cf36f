"""Hartigan's method on features of many rows: groups of rows propose moves, which are then made.

All rows of a group look at the same means, so that they can be shared out over threads, and over
machines. Their proposals are carried out in the order of the rows, each if it still gains with the
means as they have become, so that every move raises Q. Rows whose bounds say that they stay are not
looked at. The search ends with a sweep that finds nothing to move, against means of the labels as
they are: what such a sweep sees does not depend on groups.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple, TypeGuard

import numpy as np

from kgroups.gram.compiled.held_rows import Held
from kgroups.gram.low_rank import CHUNK, FactorGram, product_rounding
from kgroups.gram.operator import GramOperator
from kgroups.input.rows import ROWS_PER_BLOCK
from kgroups.runtime import progress
from kgroups.runtime.threads import Executor, Threads, blocks, kept
from kgroups.solvers.block_means import along_chunks, means_of, rows_of, taken
from kgroups.solvers.compiled.clusters import Means, Points
from kgroups.solvers.compiled.feature_products import Narrow, Products
from kgroups.solvers.compiled.proposals import (
    Block,
    Proposals,
    carry_out,
    propose,
    renew_bounds,
)
from kgroups.solvers.compiled.state import DIGITS
from kgroups.solvers.feature_search import partition_of, rise_of
from kgroups.solvers.partition import Partition, Status
from kgroups.solvers.problem import Problem
from kgroups.typing import Float64Array, IntArray

# Rows up to which points move one by one, each seeing all moves before its own.
_ONE_BY_ONE = 50_000
# Groups in a sweep: with fewer, points know less of each other's moves, and sweeps are more; with
# more there is less to share out.
_GROUPS = 16
# Sweeps after which means are made anew.
_RENEW_AFTER = 16
# How much larger a gain must be where many of them did not lower the dispersion.
_RAISED = 8.0
# Points whose products with all centroids are taken at once.
_AT_ONCE = 512
# Nanoseconds from which a group is worth threads, and what a point takes whose bounds hold; another
# takes half of one per cluster and coordinate, and two per cluster.
_WORTH_THREADS, _PER_ROW = 400_000, 8
_TINY = float(np.finfo(np.float64).tiny)


def takes(gram: GramOperator) -> TypeGuard[FactorGram]:
    """Whether points of this operator are searched in groups."""
    return isinstance(gram, FactorGram) and gram.n > _ONE_BY_ONE


def rows_at_once(n: int) -> int:
    """Rows that look at the same means: about a share of all, whatever their number.

    A power of two up to a canonical block, then whole blocks.
    """
    part = -(-n // _GROUPS)
    if part > ROWS_PER_BLOCK:
        return -(-part // ROWS_PER_BLOCK) * ROWS_PER_BLOCK
    return max(CHUNK, 1 << (part - 1).bit_length())


def partition_by_blocks(
    problem: Problem,
    gram: FactorGram,
    labels: IntArray,
    tol: float,
    max_iter: int,
    executor: Executor,
) -> Partition:
    """The one-move optimum from a labeling, the same to the bit for any number of threads.

    A cluster that is empty and that no move fills stays so. Time: O(nkD) for the first sweep, then
    O(n) and O(kD) for each point that bounds do not keep in its cluster, O(D) per move, and O(nD)
    for new means now and then. Memory: 16 bytes per point for bounds; where features are made when
    asked for, those of a few chunks per thread.
    """
    with kept(executor) as threads:
        return _searched(_Search(problem, gram, labels.copy(), threads), tol, max_iter)


def _searched(search: _Search, tol: float, max_iter: int) -> Partition:
    """Sweeps until none finds anything to move."""
    fallen, n_moves, status = [0.0], 0, Status.MAX_ITER
    lowest, floor = search.dispersion, 0.0
    for number in range(1, max_iter + 1):
        least = max(tol * search.dispersion, floor)
        moved, gained = search.sweep(least)
        if search.since and (moved == 0 or number % _RENEW_AFTER == 0):
            search.renew()
            # Gains lower the dispersion, so those that did not were rounding.
            floor = _RAISED * least if search.dispersion >= lowest else floor
            lowest = min(lowest, search.dispersion)
            if moved == 0:
                moved, gained = search.sweep(max(tol * search.dispersion, floor))
        n_moves += moved
        fallen.append(fallen[-1] + gained)
        if progress.is_heard():
            progress.tell_sweep(number, moved, rise_of(search.means))
        if moved == 0:
            is_rounded = floor > DIGITS * search.dispersion
            status = Status.CYCLE if is_rounded else Status.CONVERGED
            break
    if search.since:
        search.renew()
    return partition_of(search.means, search.labels, np.array(fallen), n_moves, status)


class Frozen(NamedTuple):
    """Means that a group looks at, and what has become of them since it did so last."""

    means: Means
    #: How far the centroids have gone, and how much smaller √(s_l/(s_l + w)) is at most.
    gone: Float64Array
    ratio: float
    #: The gain from which points move.
    least: float


class Answer(NamedTuple):
    """New bounds of some rows, and what they propose."""

    own: Float64Array
    others: Float64Array
    #: Rows that bounds left open.
    n_open: int
    #: The rows that propose a move, and what they propose.
    proposed: tuple[Points, Proposals] | None = None


def answer(read: Callable[[], Held], weights: Float64Array, block: Block, frozen: Frozen) -> Answer:
    """What rows answer, from their labels, their bounds and means; nothing that is given changes.

    The rows are read only if bounds leave some of them open.
    """
    rank, k = frozen.means.centers.shape
    means = frozen.means._replace(x=np.empty(rank), squared=np.empty(k))
    block = block._replace(own=block.own.copy(), others=block.others.copy())
    is_open = np.empty(len(weights), np.int64)
    n_open = renew_bounds(weights, means, block, frozen.gone, frozen.ratio, is_open)
    if n_open == 0:
        return Answer(block.own, block.others, n_open)
    points = Points(read(), weights)
    found = Proposals(
        rows=np.empty(n_open, np.int64),
        targets=np.empty(n_open, np.int64),
        own=np.empty(n_open),
        others=np.empty(n_open),
    )
    room = _room(min(n_open, _AT_ONCE), means)
    n_found = propose(points, means, block, is_open[:n_open], frozen.least, room, found)
    if n_found == 0:
        return Answer(block.own, block.others, n_open)
    made = Proposals._make(array[:n_found].copy() for array in found)
    movers = Points(taken(points.held, made.rows), weights[made.rows])
    return Answer(block.own, block.others, n_open, (movers, made))


def _room(size: int, means: Means) -> Narrow | Products:
    """Room for points that are measured, by products where centroids are held by column."""
    is_open = np.empty(size, np.int64)
    if means.centers.flags.c_contiguous:
        return Narrow(is_open)
    rank, k = means.centers.shape
    return Products(
        open=is_open,
        slot=np.empty(size, np.int64),
        features=np.empty((size, rank), np.float32),
        squared=np.empty(size),
        single=np.empty((rank, k), np.float32, order="F"),
        norms=np.empty(k),
        products=np.empty((size, k), np.float32),
        rounding=product_rounding(rank),
    )


@dataclass
class _Search:
    """Labels, bounds and means, and how they change."""

    problem: Problem
    gram: FactorGram
    labels: IntArray
    executor: Executor
    means: Means = field(init=False)
    #: The dispersion about means of the labels, less what moves have gained since these were made.
    dispersion: float = field(init=False)
    #: Moves since then.
    since: int = field(init=False)

    def __post_init__(self) -> None:
        n, k = self.gram.n, self.problem.n_clusters
        self.own, self.others = np.full(n, np.inf), np.full(n, -np.inf)
        self.heaviest = float(self.problem.weights.max())
        self.groups = blocks(0, n, rows_at_once(n))
        # Centroids and weights when each group was looked at last, and rows that were open then.
        self.then = [(np.zeros((self.gram.rank, k)), np.zeros(k))] * len(self.groups)
        self.were_open = [stop - start for start, stop in self.groups]
        self.renew()

    def renew(self) -> None:
        """Means and their dispersion from the labels alone. O(nD)."""
        self.means, self.dispersion = means_of(self.problem, self.gram, self.labels, self.executor)
        self.since = 0

    def sweep(self, least: float) -> tuple[int, float]:
        """Every group once: the number of moves, and their gain, added up in their order."""
        n_moves, gained = 0, 0.0
        for number in range(len(self.groups)):
            moved, gained = self._visit(number, least, gained)
            n_moves += moved
        self.since += n_moves
        self.dispersion = max(self.dispersion - gained, 0.0)
        return n_moves, gained

    def _visit(self, number: int, least: float, gained: float) -> tuple[int, float]:
        """What a group proposes, made where it gains: how many moves, and the gain so far."""
        frozen = self._frozen(number, least)
        executor = self._worth_it(number)

        def answered(piece: tuple[int, int]) -> Answer:
            """What some rows answer."""
            weights = self.problem.weights[slice(*piece)]
            return answer(lambda: rows_of(self.gram, *piece), weights, self._block(*piece), frozen)

        n_moves, n_open = 0, 0
        pieces = self._pieces(number, executor.n_workers)
        for (a, b), found in zip(pieces, executor.map(answered, pieces), strict=True):
            self.own[a:b], self.others[a:b] = found.own, found.others
            n_open += found.n_open
            if found.proposed is not None:
                movers, proposals = found.proposed
                block = self._block(a, b)
                moved, gained = carry_out(movers, self.means, block, proposals, least, gained)
                n_moves += moved
        self.were_open[number] = n_open
        return n_moves, gained

    def _block(self, start: int, stop: int) -> Block:
        some = slice(start, stop)
        norms = self.gram.diagonal()
        return Block(start, self.labels[some], norms[some], self.own[some], self.others[some])

    def _worth_it(self, number: int) -> Executor:
        """Threads, unless a group takes less time than they take to begin."""
        start, stop = self.groups[number]
        half = self.problem.n_clusters * (self.gram.rank + 4) // 2
        nanoseconds = self.were_open[number] * half + (stop - start) * _PER_ROW
        is_worth_it = nanoseconds > _WORTH_THREADS or self.gram.in_memory() is None
        return self.executor if is_worth_it else Threads(1)

    def _pieces(self, number: int, n_workers: int) -> list[tuple[int, int]]:
        """The rows of a group, one piece per thread; chunks where features have to be made."""
        start, stop = self.groups[number]
        if self.gram.in_memory() is None:
            return along_chunks(start, stop)
        return blocks(start, stop, -(-(stop - start) // n_workers))

    def _frozen(self, number: int, least: float) -> Frozen:
        """The means as they are, which the group remembers."""
        M = self.means
        still = Means._make(array.copy("K") for array in M)
        centers, weight = self.then[number]
        gone = np.sqrt(((M.centers - centers) ** 2).sum(axis=0))
        before, now = weight / (weight + self.heaviest), M.weight / (M.weight + self.heaviest)
        ratio = (now / np.maximum(before, _TINY)).min(where=weight > 0, initial=1.0)
        self.then[number] = still.centers, still.weight
        return Frozen(still, gone, float(np.sqrt(ratio)), least)
