"""Kernel k-groups with moves of two points at once, where no single point wants to move.

[LR] build k-groups by second variation on joint moves of two points. Here every such move has its
exact price from the sums that Hartigan's method keeps and one entry G_ab, and so has the exchange
of two points of different clusters, which leaves the sizes as they are.
"""

from dataclasses import dataclass, replace

import numpy as np

from kgroups.gram.operator import BLOCK, GramOperator, Moves
from kgroups.native import kernels
from kgroups.runtime.threads import blocks
from kgroups.solvers.drift import Drift
from kgroups.solvers.hartigan import Hartigan, least_gain
from kgroups.solvers.partition import Partition, Status, Work, begin
from kgroups.solvers.problem import Problem
from kgroups.typing import Float64Array, IntArray

# Columns of the piece of G that is held at a time.
_COLUMNS = 2048


@dataclass(frozen=True, kw_only=True)
class HartiganPairs:
    r"""Hartigan's method; then moves of pairs and single points in turn, until neither gains.

    Two points T = {a, b} of C_j, which has more than two, move to C_l as one point of their weight:

    .. math:: ΔQ = \frac{Q_j - 2 q_j(T) + Q_T}{s_j - w_T} - \frac{Q_j}{s_j}
                 + \frac{Q_l + 2 q_l(T) + Q_T}{s_l + w_T} - \frac{Q_l}{s_l}

    with q_l(T) = w_a R_l(a) + w_b R_l(b) and Q_T = w_a² G_aa + w_b² G_bb + 2 w_a w_b G_ab. Two
    points of different clusters change places. A pass visits each point once and carries out the
    best move with a partner behind it that gains more than ``tol`` · Σ|Q_j/s_j|. It reads each pair
    once: O(n² (D + k/k')) time for k' clusters of like size and D operations an entry of G, with a
    piece of 256 × 2,048 entries in memory. The pass that finds nothing works with sums made anew.

    No single point leaves {4, 4, 8, 8} for {12}, where W = 4; both 8 together leave W = 8/3:

    >>> import numpy as np
    >>> from kgroups.gram import DenseGram
    >>> from kgroups.semimetrics import Energy
    >>> gram = DenseGram.from_points(np.array([[4.0], [4], [8], [8], [12]]), Energy())
    >>> start = np.array([0, 0, 0, 0, 1])
    >>> HartiganPairs().solve(Problem(gram, np.ones(5), 2), start).labels.tolist()
    [0, 0, 1, 1, 1]

    Source: Li & Rizzo 2017 [LR], "k-groups by second variation", for moves of two points.
    """

    #: Maximum number of sweeps over the points, with passes over the pairs among them.
    max_iter: int = 300
    tol: float = 1e-12
    #: Whether Q is Σ Q_j/s_j. Without denominators it is Σ Q_j, such as Newman's modularity.
    ratio: bool = True
    note: str = "moves of pairs"

    def solve(self, problem: Problem, labels: IntArray) -> Partition:
        """The optimum for single points and pairs reached from ``labels``."""
        found = self._single(self.max_iter).solve(problem, labels)
        return self._improved(problem, found, self.max_iter - found.n_iter)

    def improve(self, problem: Problem, partition: Partition) -> tuple[Partition, tuple[()]]:
        """The same from a one-move optimum that is known already; there are no others."""
        return self._improved(problem, partition, self.max_iter), ()

    def _single(self, max_iter: int) -> Hartigan:
        return Hartigan(max_iter=max_iter, tol=self.tol, ratio=self.ratio)

    def _improved(self, problem: Problem, found: Partition, left: int) -> Partition:
        """Pass and sweeps in turn, of which ``left`` may be made in all."""
        while found.converged and left > 0:
            work = begin(problem, found.labels, ratio=self.ratio)
            moved = self._pass(problem, work)
            if moved == 0:
                history = np.append(found.history, found.objective)
                return replace(found, status=Status.PAIRS, n_iter=found.n_iter + 1, history=history)
            after = self._single(left - 1).solve(problem, work.state.labels)
            left -= 1 + after.n_iter
            found = replace(
                after,
                n_iter=found.n_iter + 1 + after.n_iter,
                n_moves=found.n_moves + moved + after.n_moves,
                history=np.concatenate([found.history, after.history]),
            )
        return replace(found, status=Status.MAX_ITER)

    def _pass(self, problem: Problem, work: Work) -> int:
        """Each point with all behind it, in order; the number of points that moved.

        Ends early when drift of the sums could reach the least gain: there is another pass then.
        """
        gram, weights = problem.gram, problem.weights
        drift, n_moves = Drift.none(work, weights), 0
        least = least_gain(self.tol, work.state, drift, weights)
        mover = _Mover(gram, gram.diagonal(), weights, least, work)
        for rows in blocks(0, gram.n, BLOCK):
            moved = sum(mover.visit(rows, columns) for columns in blocks(rows[0], gram.n, _COLUMNS))
            n_moves += moved
            drift.add(moved, work, weights)
            if moved and drift.bound(work.state, weights) > least:
                break
        return n_moves


@dataclass(frozen=True)
class _Mover:
    """Carries out moves of pairs, one piece of G after the other."""

    gram: GramOperator
    diagonal: Float64Array
    weights: Float64Array
    least: float
    work: Work

    def visit(self, rows: tuple[int, int], columns: tuple[int, int]) -> int:
        """The moves of the pairs of a piece of G; the number of points that moved."""
        piece = self.gram.block(*columns, np.arange(*rows))
        state, sums = self.work.state, self.work.sums
        row, n_moves = 0, 0
        while True:
            left, right = sums.block(*rows), sums.block(*columns)
            row, column, target = kernels.find_pair(
                row, rows[0], left, columns[0], right, piece,
                self.diagonal, self.weights, self.least, state,
            )  # fmt: skip
            if row == rows[1] - rows[0]:
                return n_moves
            point, partner = rows[0] + row, columns[0] + column
            source, with_it = state.labels[point], state.labels[partner] != target
            self._move(point, target)
            self._move(partner, target if with_it else source)
            row, n_moves = row + 1, n_moves + 2

    def _move(self, point: int, target: int) -> None:
        """Move one point, and bring the state and all sums up to date."""
        state, sums = self.work.state, self.work.sums
        w, G, source = self.weights[point], self.diagonal[point], state.labels[point]
        own = sums.block(point, point + 1)
        kernels.move_point(own, point, target, w, G, state)
        moves = Moves(np.array([point]), np.array([w]), np.array([source]), np.array([target]))
        sums.apply(moves, point, point + 1, own)
