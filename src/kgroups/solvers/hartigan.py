"""Kernel k-groups: Hartigan's method on the objective Q [FRV Algorithm 2]."""

from __future__ import annotations

from dataclasses import dataclass

from kgroups._typing import Float64Array, IntArray
from kgroups.gram import GramOperator
from kgroups.solvers._numba.hartigan import visit
from kgroups.solvers.base import Partition, Status, begin, finish, scale, value
from kgroups.solvers.sweep import sweep


@dataclass(frozen=True, kw_only=True)
class Hartigan:
    """Move one point at a time to the cluster where Q gains most, until none gains.

    Differs from the algorithm as printed in three ways: points are visited in blocks (same moves,
    same order); a cluster's last point may not leave; a gain counts when it exceeds
    ``tol`` · Σ|Q_j/s_j|, below which it is rounding. Converges for any symmetric matrix. Time: the
    operator's first sums, then O(nk) a sweep and O(n) a move; memory: the operator's sums.
    """

    max_iter: int = 300
    tol: float = 1e-12
    #: Sweeps after which the running sums, which drift by rounding, are computed anew.
    refresh_every: int = 50

    def solve(
        self, gram: GramOperator, labels: IntArray, weights: Float64Array, k: int
    ) -> Partition:
        """The one-move optimum reached from ``labels``, checked on sums free of drift."""
        state, sums = begin(gram, labels, weights, k)
        diagonal = gram.diagonal()
        history, n_moves, stale = [value(state)], 0, False
        status = Status.MAX_ITER
        for n_iter in range(1, self.max_iter + 1):
            moved = sweep(gram, sums, state, weights, diagonal, self.tol * scale(state), visit)
            stale = stale or moved > 0
            if stale and (moved == 0 or n_iter % self.refresh_every == 0):
                state, sums = begin(gram, state.labels, weights, k)
                stale = False
                if moved == 0:
                    # Drift may have hidden a gain: only fresh sums can say that there is none.
                    least = self.tol * scale(state)
                    moved = sweep(gram, sums, state, weights, diagonal, least, visit)
                    stale = moved > 0
            n_moves += moved
            history.append(value(state))
            if moved == 0:
                status = Status.CONVERGED
                break
        if stale:
            state, _ = begin(gram, state.labels, weights, k)
        return finish(state, n_moves=n_moves, status=status, history=history)
