"""One sweep over all points: the moves, their order and the labels of a plain loop.

A window of sums is scanned for the first point that wants to move; a visit costs O(k). From there
on, a block of points is visited one by one: only the block's own columns of the sums are touched,
and of G the pieces of rows of the points that move, O(block) each. Then all moves of the block are
applied to the other points in one pass, and the scan goes on behind it.
"""

from collections.abc import Callable
from functools import singledispatch
from typing import Any, NamedTuple

import numpy as np

from kgroups.gram.operator import BLOCK, GramOperator, Moves, RunningSums
from kgroups.gram.sorted_columns import COST_IN_VAIN, ColumnGram, ColumnSums
from kgroups.gram.sparse import SparseGram, SparseSums
from kgroups.gram.sparse_rows import SparseRowsGram, SparseRowSums
from kgroups.native import kernels
from kgroups.runtime.threads import blocks, crew
from kgroups.solvers.state import State
from kgroups.typing import Float64Array


class Visit(NamedTuple):
    """How points are visited: the compiled rule, Hartigan's or Lloyd's, and what it works on."""

    rule: Callable[..., Any]
    diagonal: Float64Array
    weights: Float64Array
    #: The gain from which points move.
    least: float
    state: State


# Points whose bounds are looked at before any of them moves, and by one thread at a time.
_MANY_COLUMNS, _FEW_COLUMNS = 1 << 16, 1 << 12
_NO_PIECE = np.empty((0, 0)), np.empty(0, np.bool_)
_NO_RECORD = (*[np.empty(0, np.int64)] * 3, 0)
# Most points scanned at a time while nothing moves.
_WINDOW = 1 << 14
# Rows of a piece of G asked for one by one, before the rest comes in one call.
_ONE_BY_ONE = 4


@singledispatch
def sweep(gram: GramOperator, sums: RunningSums, visit: Visit) -> int:
    """Visit every point once, in order; returns the number of moves. Dispatches on the operator.

    An operator whose sums are cheaper to recompute than to keep, such as a sparse matrix, registers
    a sweep of its own with the same labels.
    """
    n_moves, position, window = 0, 0, BLOCK
    rule, *fixed = visit
    while position < gram.n:
        start, stop = position, min(position + window, gram.n)
        reached, _ = rule(0, start, sums.block(start, stop), *_NO_PIECE, *fixed, *_NO_RECORD)
        position = start + reached
        if position == stop:
            window = min(2 * window, _WINDOW)
            continue
        stop = min(position + BLOCK, gram.n)
        own = sums.block(position, stop)
        moves = _visit_block(gram, own, position, visit)
        sums.apply(moves, position, stop, own)
        n_moves += len(moves.points)
        position, window = stop, BLOCK
    return n_moves


def _visit_block(gram: GramOperator, own: Float64Array, start: int, visit: Visit) -> Moves:
    """Visit the points of a block; rows of G come one by one, and all at once when many move."""
    rule, *fixed = visit
    size = own.shape[1]
    piece, known = np.empty((size, size)), np.zeros(size, np.bool_)
    record = [np.empty(size, np.int64) for _ in range(3)]
    reached, moved, asked = 0, 0, 0
    while True:
        reached, moved = rule(reached, start, own, piece, known, *fixed, *record, moved)
        if reached == size:
            break
        asked += 1
        some = slice(reached, reached + 1 if asked < _ONE_BY_ONE else size)
        piece[some] = gram.block(start, start + size, np.arange(start, start + size)[some])
        known[some] = True
    points, sources, targets = (array[:moved] for array in record)
    return Moves(points, visit.weights[points], sources, targets)


_in_blocks = sweep.dispatch(object)


@sweep.register
def _(gram: SparseGram | SparseRowsGram, sums: RunningSums, visit: Visit) -> int:
    """Visits point by point, from the entries of its row: a move has no table to change."""
    if visit.rule is not kernels.visit_by_gain or not isinstance(sums, SparseSums | SparseRowSums):
        return int(_in_blocks(gram, sums, visit))
    n_moves = kernels.visit_points(*sums.parts, *visit[1:])
    if isinstance(sums, SparseSums):
        sums.labels[:] = visit.state.labels
    return int(n_moves)


@sweep.register
def _(gram: ColumnGram, sums: RunningSums, visit: Visit) -> int:
    """Visits without pieces of G, most of which bounds decide: a move changes sums by bin.

    Bounds are those of distances to centroids, which sums without denominators do not have.
    """
    is_ratio = visit.rule is kernels.visit_by_gain and visit.state.growth
    if not is_ratio or not isinstance(sums, ColumnSums):
        return int(_in_blocks(gram, sums, visit))
    sums.bring_up_to_date()
    windows = blocks(0, gram.n, _MANY_COLUMNS)
    bounds, pending = sums.room_for_a_sweep(len(windows))
    _, _, weights, least, state = visit
    tables = gram.columns, sums.tables, bounds
    is_open = np.empty(gram.n, np.bool_)

    def look(piece: tuple[int, int]) -> None:
        kernels.screen(*tables, weights, state, *piece, is_open)

    n_moves = 0
    with crew(gram.n_threads) as work:
        for a, b in windows:
            kernels.set_mark(bounds, state)
            work(look, blocks(a, b, _FEW_COLUMNS))
            n_moves += kernels.visit_columns(
                *tables, pending, weights, least, state, a, b, is_open, COST_IN_VAIN
            )
    return n_moves
