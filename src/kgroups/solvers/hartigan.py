"""Kernel k-groups: Hartigan's method on the objective Q [FRV Algorithm 2]."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kgroups.gram import GramOperator, RunningSums
from kgroups.runtime import progress
from kgroups.solvers.compiled.hartigan import visit
from kgroups.solvers.compiled.state import State
from kgroups.solvers.partition import Partition, Status, begin, finish, magnitude, value
from kgroups.solvers.sweep import sweep
from kgroups.typing import Float64Array, IntArray

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
    #: Whether Q is Σ Q_j/s_j. Without denominators it is Σ Q_j, such as Newman's modularity.
    ratio: bool = True

    def solve(
        self,
        gram: GramOperator,
        labels: IntArray,
        weights: Float64Array,
        k: int,
        sums: RunningSums | None = None,
    ) -> Partition:
        """The one-move optimum reached from ``labels``."""
        state, sums = begin(gram, labels, weights, k, sums, ratio=self.ratio)
        diagonal = gram.diagonal()
        total = float(weights.sum()) if self.ratio else 1.0
        together = sums.everything(weights) / total if progress.is_heard() else 0.0
        history, n_moves = [value(state)], 0
        drift = Drift.none(sums, state, weights)
        status = Status.MAX_ITER
        for n_iter in range(1, self.max_iter + 1):
            least = least_gain(self.tol, state, drift, weights)
            moved = sweep(gram, sums, state, weights, diagonal, least, visit)
            drift.add(moved, sums, state, weights)
            if drift.n_moves and drift.bound(state, weights) > least:
                state, sums = begin(gram, state.labels, weights, k, ratio=self.ratio)
                drift = Drift.none(sums, state, weights)
                if moved == 0:
                    # Drift may have hidden a gain: only fresh sums can say that there is none.
                    least = least_gain(self.tol, state, drift, weights)
                    moved = sweep(gram, sums, state, weights, diagonal, least, visit)
                    drift.add(moved, sums, state, weights)
            n_moves += moved
            history.append(value(state))
            progress.tell_sweep(n_iter, moved, history[-1] - together)
            if moved == 0:
                status = Status.CONVERGED
                break
        return finish(state, sums, weights, n_moves=n_moves, status=status, history=history)


@dataclass
class Drift:
    """Bound on what updates of the sums by rounding may have done to any gain since they were new.

    Each update rounds w_i R_l(i) and Q_l by a part of their largest values so far, which may be
    those of heavier members that have left. A gain holds them over s_l ∓ w_i, Q_l times w_i / s_l.
    """

    sums: Float64Array
    within: Float64Array
    n_moves: int = 0

    @classmethod
    def none(cls, sums: RunningSums, state: State, weights: Float64Array) -> Drift:
        """No update yet."""
        return cls(sums.largest(weights), np.abs(state.within))

    def add(self, n_moves: int, sums: RunningSums, state: State, weights: Float64Array) -> None:
        """Take the moves of a sweep into account."""
        self.n_moves += n_moves
        if n_moves:
            # Within a sweep a cluster holds no more than at its two ends together, and the larger
            # of the two no less than half of that.
            self.sums = np.maximum(self.sums, 2.0 * sums.largest(weights))
            self.within = np.maximum(self.within, np.abs(state.within))

    def bound(self, state: State, weights: Float64Array) -> float:
        """The largest error of a gain at the present weights of the clusters."""
        return self.n_moves * self.of_one(state, weights) if self.n_moves else 0.0

    def of_one(self, state: State, weights: Float64Array) -> float:
        """The error that one update may make. O(n)."""
        alive = state.weight > 0
        if not alive.any():
            return 0.0
        heaviest = np.zeros(len(state.weight))
        np.maximum.at(heaviest, state.labels, weights)
        s, w = state.weight[alive], heaviest[alive]
        rest = np.where(state.members[alive] > 1, s - state.growth * w, s)
        rest = np.maximum(rest, float(np.finfo(np.float64).tiny))
        of_within = np.maximum(w / (s * rest), np.minimum(1.0, weights.max() / s) / s)
        of_within *= state.growth
        terms = 2.0 * self.sums[alive] / rest + self.within[alive] * of_within
        return _ROUNDINGS * float(terms.max())


def least_gain(tol: float, state: State, drift: Drift, weights: Float64Array) -> float:
    """The gain from which points move."""
    least = tol * magnitude(state)
    # Sums without denominators may all but vanish, while the terms of a gain do not.
    return least if state.growth else max(least, drift.of_one(state, weights))
