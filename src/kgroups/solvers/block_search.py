"""Hartigan's method on features of many rows: groups of rows propose moves, which are then made.

All rows of a group look at the same means, so that they can be shared out over threads, and over
machines. Their proposals are carried out in the order of the rows, each if it still gains with the
means as they have become, so that every move raises Q. Rows whose bounds say that they stay are not
looked at. The search ends with a sweep that finds nothing to move, against means of the labels as
they are: what such a sweep sees does not depend on groups.

Labels and means are those of the caller. Bounds are kept where the rows are; where they are lost
all rows are looked at, which finds the same moves.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import NamedTuple, TypeGuard

import numpy as np

from kgroups.gram.block_features import BlockFeatures, GramFeatures, joined, taken
from kgroups.gram.held_rows import Held
from kgroups.gram.low_rank import CHUNK, FactorGram
from kgroups.gram.operator import GramOperator
from kgroups.input.rows import ROWS_PER_BLOCK
from kgroups.native import kernels
from kgroups.runtime import progress
from kgroups.runtime.row_blocks import Blocks, LocalBlocks, RowBlock
from kgroups.runtime.threads import Executor, blocks, kept, run
from kgroups.solvers.block_labels import BlockLabels, LabelsAt, Moves, labels_in
from kgroups.solvers.block_means import along_chunks, means_of
from kgroups.solvers.feature_search import partition_of, rise_of, rounding_of
from kgroups.solvers.means import ROUNDINGS, Block, Bounds, Means, Points, Proposals
from kgroups.solvers.partition import Partition, Status
from kgroups.solvers.problem import Problem
from kgroups.solvers.state import DIGITS
from kgroups.typing import Float32Array, Float64Array, IntArray

# Rows up to which points move one by one, each seeing all moves before its own.
_ONE_BY_ONE = 50_000
# Groups in a sweep: with fewer, points know less of each other's moves, and sweeps are more; with
# more there is less to share out.
_GROUPS = 16
# Sweeps after which means are made anew.
_RENEW_AFTER = 16
# How much larger a gain must be where many of them did not lower the dispersion.
_RAISED = 8.0
# Nanoseconds from which a group is worth threads, and what a point takes whose bounds hold; another
# takes half of one per cluster and coordinate, and two per cluster.
_WORTH_THREADS, _PER_ROW = 400_000, 8
_TINY = float(np.finfo(np.float64).tiny)
_BOUNDS = "bounds"


def takes(gram: GramOperator) -> TypeGuard[FactorGram]:
    """Whether points of this operator are searched in groups: many, or none of them held."""
    if not isinstance(gram, FactorGram):
        return False
    return gram.n > _ONE_BY_ONE or gram.in_memory() is None


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
    for new means now and then. Memory: 9 bytes per point for bounds and labels; where features are
    made when asked for, those of a few chunks per thread.
    """
    k, size = problem.n_clusters, block_size(gram.n)
    with kept(executor) as threads:
        where = LocalBlocks(None, gram.n, size, threads, weights=problem.weights)
        values = BlockLabels.of(where, labels, k)
        search = BlockSearch(where, GramFeatures(gram), values, k, float(problem.weights.max()))
        found = searched(search, tol, max_iter)
    return replace(found, labels=found.labels.astype(np.int64))


def block_size(n: int) -> int:
    """Rows of a block: those of a canonical one, or of a group where that is smaller."""
    return min(rows_at_once(n), ROWS_PER_BLOCK)


@dataclass
class Course:
    """How far the sweeps of a search have come."""

    n_iter: int = 0
    n_moves: int = 0
    #: What the dispersion had fallen by after each sweep.
    fallen: list[float] = field(default_factory=lambda: [0.0])
    #: The least dispersion about new means, and the gain below which all are rounding.
    lowest: float = np.inf
    floor: float = 0.0


def searched(
    search: BlockSearch,
    tol: float,
    max_iter: int,
    course: Course | None = None,
    after_sweep: Callable[[Course], None] = lambda course: None,
) -> Partition:
    """Sweeps until none finds anything to move, from where an earlier search has ended."""
    at, status = course or Course(lowest=search.dispersion), Status.MAX_ITER
    while at.n_iter < max_iter:
        at.n_iter += 1
        least = max(tol * search.dispersion, at.floor)
        moved, gained = search.sweep(least)
        if search.since and (moved == 0 or at.n_iter % _RENEW_AFTER == 0):
            search.renew()
            # Gains lower the dispersion, so those that did not were rounding.
            at.floor = _RAISED * least if search.dispersion >= at.lowest else at.floor
            at.lowest = min(at.lowest, search.dispersion)
            if moved == 0:
                moved, gained = search.sweep(max(tol * search.dispersion, at.floor))
        at.n_moves += moved
        at.fallen.append(at.fallen[-1] + gained)
        if progress.is_heard():
            progress.tell_sweep(at.n_iter, moved, rise_of(search.means))
        if moved == 0:
            is_rounded = at.floor > DIGITS * search.dispersion
            status = Status.CYCLE if is_rounded else Status.CONVERGED
            break
        after_sweep(at)
    if search.since:
        search.renew()
    found = search.labels.values
    return partition_of(search.means, found, np.array(at.fallen), at.n_moves, status)


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
    own, others, slack = block.bounds
    block = block._replace(bounds=Bounds(own.copy(), others.copy(), slack))
    means, is_open = frozen.means, np.empty(len(weights), np.int64)
    n_open = kernels.renew_bounds(weights, means, block, frozen.gone, frozen.ratio, is_open)
    own, others, _ = block.bounds
    if n_open == 0:
        return Answer(own, others, n_open)
    points = Points(read(), weights)
    found = Proposals(
        rows=np.empty(n_open, np.int64),
        targets=np.empty(n_open, np.int64),
        own=np.empty(n_open),
        others=np.empty(n_open),
    )
    n_found = kernels.propose(
        points, means, block, is_open[:n_open], frozen.least, rounding_of(points.held), found
    )
    if n_found == 0:
        return Answer(own, others, n_open)
    made = Proposals._make(array[:n_found].copy() for array in found)
    movers = Points(taken(points.held, made.rows), weights[made.rows])
    return Answer(own, others, n_open, (movers, made))


class Proposed(NamedTuple):
    """The rows of a block that propose a move, what they propose, and rounding of distances."""

    movers: Points
    proposals: Proposals
    slack: Float64Array


class Visited(NamedTuple):
    """What the rows of a block answer, for the caller."""

    n_open: int
    proposed: Proposed | None = None


class _Bounds(NamedTuple):
    """Bounds that are kept with a block: rounded away from the distances, to half of the bytes."""

    #: Which search made them, and in which visit.
    search: str
    visit: int
    own: Float32Array
    others: Float32Array

    @classmethod
    def of(cls, search: str, visit: int, own: Float64Array, others: Float64Array) -> _Bounds:
        """Bounds that hold where the given ones do."""
        with np.errstate(over="ignore"):
            up, down = own.astype(np.float32), others.astype(np.float32)
        most, least = np.float32(np.inf), np.float32(-np.inf)
        up = np.where(up < own, np.nextafter(up, most), up)
        down = np.where(down > others, np.nextafter(down, least), down)
        return cls(search, visit, up, down)


class _Asked(NamedTuple):
    """What a block is sent for a visit."""

    labels: LabelsAt
    #: Which search it is, and how often it has visited the block.
    search: str
    visit: int
    #: Moves since the last visit, of which bounds have to know.
    moves: tuple[Moves, ...]

    def whole(self) -> _Asked:
        """The same with all labels."""
        return self._replace(labels=self.labels.whole())


def visit(block: RowBlock, features: BlockFeatures, frozen: Frozen, asked: _Asked) -> Visited:
    """What the rows of a block answer; their bounds are kept with them."""
    labels, weights = labels_in(block, asked.labels), block.weights()
    slack = ROUNDINGS * np.sqrt(features.norms(block))
    own, others = _bounds_in(block, asked)
    proposing: list[tuple[Points, Proposals]] = []
    n_open = 0
    pieces = _pieces(block, features)

    def answered(piece: tuple[int, int]) -> Answer:
        """What some rows answer."""
        a, b = piece
        few = Block(block.start + a, labels[a:b], Bounds(own[a:b], others[a:b], slack[a:b]))
        return answer(lambda: features.read(block, a, b), weights[a:b], few, frozen)

    for (a, b), found in zip(pieces, run(answered, pieces, block.n_threads), strict=True):
        own[a:b], others[a:b] = found.own, found.others
        n_open += found.n_open
        if found.proposed is not None:
            points, made = found.proposed
            proposing.append((points, made._replace(rows=made.rows + a)))
    block.kept[_BOUNDS] = _Bounds.of(asked.search, asked.visit + 1, own, others)
    if not proposing:
        return Visited(n_open)
    every = [made for _, made in proposing]
    proposals = Proposals._make(np.concatenate(parts) for parts in zip(*every, strict=True))
    movers = _joined([points for points, _ in proposing])
    return Visited(n_open, Proposed(movers, proposals, slack[proposals.rows]))


def _bounds_in(block: RowBlock, asked: _Asked) -> tuple[Float64Array, Float64Array]:
    """Bounds of the last visit, of rows that moved since then those where they are now."""
    found: _Bounds | None = block.kept.get(_BOUNDS)
    if found is None or (found.search, found.visit) != (asked.search, asked.visit):
        return np.full(block.n, np.inf), np.full(block.n, -np.inf)
    own, others = found.own.astype(np.float64), found.others.astype(np.float64)
    for moves in asked.moves:
        own[moves.rows], others[moves.rows] = moves.own, moves.others
    return own, others


def _pieces(block: RowBlock, features: BlockFeatures) -> list[tuple[int, int]]:
    """The rows of a block, one piece per thread; chunks where features have to be made."""
    if not features.is_held(block):
        return along_chunks(0, block.n)
    return blocks(0, block.n, -(-block.n // block.n_threads))


def _joined(parts: list[Points]) -> Points:
    weights = np.concatenate([part.weights for part in parts])
    return Points(joined([part.held for part in parts]), weights)


@dataclass
class BlockSearch:
    """Labels and means, and how they change."""

    where: Blocks
    features: BlockFeatures
    labels: BlockLabels
    k: int
    #: The largest weight of a row.
    heaviest: float
    means: Means = field(init=False)
    #: The dispersion about means of the labels, less what moves have gained since these were made.
    dispersion: float = field(init=False)
    #: Moves since then.
    since: int = field(init=False)

    def __post_init__(self) -> None:
        self.begin()
        self.renew()

    def begin(self) -> None:
        """Groups of which nothing is known."""
        n, rank = self.where.n_rows, self.features.rank
        self.groups = _groups(self.where, rows_at_once(n))
        # Centroids and weights when each group was looked at last, and rows that were open then.
        self.then = [(np.zeros((self.k, rank)), np.zeros(self.k))] * len(self.groups)
        self.were_open = [sum(self._size(b) for b in group) for group in self.groups]
        self.name = uuid.uuid4().hex
        self.visits = [0] * len(self.where.spans)
        self.moves: list[list[Moves]] = [[] for _ in self.where.spans]

    def renew(self) -> None:
        """Means and their dispersion from the labels alone. O(nD)."""
        self.means, self.dispersion = means_of(self.where, self.features, self.labels, self.k)
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
        frozen, group = self._frozen(number, least), self.groups[number]
        args = [(b, self._asked(b)) for b in group]
        light = self._is_light(number)
        n_moves, n_open = 0, 0
        found = self.where.map("sweep", visit, self.features, frozen, args, light=light)
        for block, answered in zip(group, found, strict=True):
            self.labels.heard(block)
            self.moves[block].clear()
            self.visits[block] += 1
            n_open += answered.n_open
            if answered.proposed is not None:
                moved, gained = self._carried_out(block, answered.proposed, least, gained)
                n_moves += moved
        self.were_open[number] = n_open
        return n_moves, gained

    def _carried_out(
        self, number: int, found: Proposed, least: float, gained: float
    ) -> tuple[int, float]:
        """The moves of a block that still gain, in the order of its rows."""
        rows, before = found.proposals.rows, self.labels.of_block(number)
        own, others, slack = np.empty((3, self._size(number)))
        slack[rows] = found.slack
        first, labels = self.where.spans[number][0], before.copy()
        block = Block(first, labels, Bounds(own, others, slack))
        n_moves, gained = kernels.carry_out(
            found.movers, self.means, block, found.proposals, least, gained
        )
        went = rows[labels[rows] != before[rows]]
        if len(went):
            moves = Moves(went, labels[went], own[went], others[went])
            self.labels.move(number, moves)
            self.moves[number].append(moves)
        return n_moves, gained

    def _asked(self, number: int) -> _Asked:
        labels, moves = self.labels.at(number), tuple(self.moves[number])
        return _Asked(labels, self.name, self.visits[number], moves)

    def _size(self, number: int) -> int:
        start, stop = self.where.spans[number]
        return stop - start

    def _is_light(self, number: int) -> bool:
        """Whether a group takes less time than threads take to begin."""
        half = self.k * (self.features.rank + 4) // 2
        rows = sum(self._size(b) for b in self.groups[number])
        return self.were_open[number] * half + rows * _PER_ROW <= _WORTH_THREADS

    def _frozen(self, number: int, least: float) -> Frozen:
        """The means as they are, which the group remembers."""
        M = self.means
        still = Means._make(array.copy() for array in M)
        centers, weight = self.then[number]
        gone = np.sqrt(((M.centers - centers) ** 2).sum(axis=1))
        before, now = weight / (weight + self.heaviest), M.weight / (M.weight + self.heaviest)
        ratio = (now / np.maximum(before, _TINY)).min(where=weight > 0, initial=1.0)
        self.then[number] = still.centers, still.weight
        return Frozen(still, gone, float(np.sqrt(ratio)), least)


def _groups(where: Blocks, size: int) -> list[list[int]]:
    """Blocks of the groups, each of ``size`` rows."""
    groups: list[list[int]] = []
    for number, (start, _) in enumerate(where.spans):
        if start % size == 0:
            groups.append([])
        groups[-1].append(number)
    return groups
