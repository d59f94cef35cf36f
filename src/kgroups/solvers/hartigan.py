"""Kernel k-groups: Hartigan's method on the objective Q [FRV Algorithm 2]."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kgroups import _progress
from kgroups._typing import Float64Array, IntArray
from kgroups.gram import GramOperator, RunningSums
from kgroups.solvers._numba.hartigan import visit
from kgroups.solvers._numba.state import State
from kgroups.solvers.base import Partition, Status, begin, finish, scale, value
from kgroups.solvers.sweep import sweep

# Roundings that one update leaves in a gain, counted generously.
_ROUNDINGS = 8 * float(np.finfo(np.float64).eps)


@dataclass(frozen=True, kw_only=True)
class Hartigan:
    """Move one point at a time to the cluster where Q gains most, until none gains.

    Differs from the algorithm as printed in three ways: points are visited in blocks (same moves,
    same order); a cluster's last point may not leave; a gain counts when it exceeds
    ``tol`` · Σ|Q_j/s_j|, below which it is rounding. Converges for any symmetric matrix. Time: the
    operator's first sums, then O(nk) a sweep and O(n) a move; memory: the operator's sums.

    Sums that are kept while points move drift by rounding. They are computed anew, at the price of
    the first ones, as soon as a bound on the drift says that it could reach ``tol``.
    """

    max_iter: int = 300
    tol: float = 1e-12

    def solve(
        self,
        gram: GramOperator,
        labels: IntArray,
        weights: Float64Array,
        k: int,
        sums: RunningSums | None = None,
    ) -> Partition:
        """The one-move optimum reached from ``labels``."""
        state, sums = begin(gram, labels, weights, k, sums)
        diagonal = gram.diagonal()
        together = sums.everything(weights) / weights.sum() if _progress.is_heard() else 0.0
        history, n_moves, since_fresh = [value(state)], 0, 0
        status = Status.MAX_ITER
        for n_iter in range(1, self.max_iter + 1):
            least = self.tol * scale(state)
            moved = sweep(gram, sums, state, weights, diagonal, least, visit)
            since_fresh += moved
            if since_fresh and drift(sums, state, weights, since_fresh) > least:
                state, sums = begin(gram, state.labels, weights, k)
                since_fresh = 0
                if moved == 0:
                    # Drift may have hidden a gain: only fresh sums can say that there is none.
                    least = self.tol * scale(state)
                    moved = sweep(gram, sums, state, weights, diagonal, least, visit)
                    since_fresh = moved
            n_moves += moved
            history.append(value(state))
            _progress.tell_sweep(n_iter, moved, history[-1] - together)
            if moved == 0:
                status = Status.CONVERGED
                break
        return finish(state, sums, weights, n_moves=n_moves, status=status, history=history)


def drift(sums: RunningSums, state: State, weights: Float64Array, n_moves: int) -> float:
    """Bound on what ``n_moves`` updates of the sums by rounding may have done to any gain.

    Each update rounds R_l(i) by at most half an ulp of its largest value so far, and a gain holds
    2 w_i R_l(i) over s_l ∓ w_i, which is taken to be no less than s_l / 2. Q_j drifts alike.
    """
    alive = state.weight > 0
    terms = sums.largest(weights)[alive] / state.weight[alive]
    return _ROUNDINGS * n_moves * float(terms.max(initial=0.0))
