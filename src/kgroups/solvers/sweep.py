"""One sweep over all points in blocks: the moves, their order and the labels of a plain loop.

Inside a block only the block's B × B piece of G and its own columns of the sums are touched, so
a visit costs O(k) and a move O(B). Then all moves of the block are applied to the other points in
one pass. The piece is asked for only when something moves.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import singledispatch
from typing import Any

import numpy as np

from kgroups._parallel import blocks
from kgroups._typing import Float64Array
from kgroups.gram import BLOCK, GramOperator, Moves, RunningSums
from kgroups.solvers._numba.state import State

#: A compiled rule that visits a block: of Hartigan, of Lloyd.
Visit = Callable[..., Any]

_NO_PIECE = np.empty((0, 0))


@singledispatch
def sweep(
    gram: GramOperator,
    sums: RunningSums,
    state: State,
    weights: Float64Array,
    diagonal: Float64Array,
    least: float,
    visit: Visit,
) -> int:
    """Visit every point once, in order; returns the number of moves. Dispatches on the operator.

    An operator whose sums are cheaper to recompute than to keep, such as a sparse matrix, registers
    a sweep of its own with the same labels.
    """
    record = [np.empty(BLOCK, np.int64) for _ in range(3)]
    n_moves = 0
    for start, stop in blocks(0, gram.n, BLOCK):
        own = sums.block(start, stop)
        rest = (start, own, _NO_PIECE, diagonal, weights, least, state, *record)
        reached, _ = visit(0, *rest)
        if reached == stop - start:
            continue
        rest = (start, own, gram.block(start, stop), diagonal, weights, least, state, *record)
        _, moved = visit(reached, *rest)
        points, sources, targets = (array[:moved] for array in record)
        sums.apply(Moves(points, weights[points], sources, targets), start, stop, own)
        n_moves += moved
    return n_moves
