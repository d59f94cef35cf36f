"""How far rounding may have taken sums that are kept while points move."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kgroups.solvers.partition import Work, magnitude
from kgroups.solvers.state import DIGITS, LIGHTER, State
from kgroups.typing import Float64Array

# Roundings that one update leaves in a gain, counted generously.
_ROUNDINGS = 8 * float(np.finfo(np.float64).eps)


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
    def none(cls, work: Work, weights: Float64Array) -> Drift:
        """The bound of sums that were just computed."""
        return cls(work.sums.largest(weights), np.abs(work.state.within))

    def add(self, n_moves: int, work: Work, weights: Float64Array) -> None:
        """Take the moves of a sweep into account."""
        self.n_moves += n_moves
        if n_moves:
            # Within a sweep a cluster holds no more than at its two ends together, and the larger
            # of the two no less than half of that.
            self.sums = np.maximum(self.sums, 2.0 * work.sums.largest(weights))
            self.within = np.maximum(self.within, np.abs(work.state.within))

    def bound(self, state: State, weights: Float64Array) -> float:
        """The largest error of a gain at the present weights of the clusters."""
        return self.n_moves * self.of_one(state, weights) if self.n_moves else 0.0

    def of_one(self, state: State, weights: Float64Array) -> float:
        """The error that one update may make. O(n)."""
        alive = state.weight > 0
        if not alive.any():
            return 0.0
        heaviest = _heaviest(state, weights)
        s, w = state.weight[alive], heaviest[alive]
        rest = np.where(state.members[alive] > 1, s - state.growth * w, s)
        rest = np.maximum(rest, float(np.finfo(np.float64).tiny))
        # Where weights are beyond all proportion no bound is a number, and sums are always renewed.
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            of_within = np.maximum(w / (s * rest), np.minimum(1.0, weights.max() / s) / s)
            of_within *= state.growth
            terms = 2.0 * self.sums[alive] / rest + self.within[alive] * of_within
        largest = float(terms.max())
        return np.inf if np.isnan(largest) else _ROUNDINGS * largest


def _heaviest(state: State, weights: Float64Array) -> Float64Array:
    """The largest weight of a point in each cluster."""
    k = len(state.weight)
    if weights.min() == weights.max():
        return np.full(k, weights[0])
    heaviest = np.zeros(k)
    np.maximum.at(heaviest, state.labels, weights)
    return heaviest


def any_worn(state: State) -> bool:
    """Whether heavy points that have left some cluster took half of its digits with them.

    The same as ``is_worn`` of any cluster in ``src/native/hartigan.hpp``.
    """
    return bool((state.rounding**0.25 * state.peak > state.weight).any())


def has_lost_digits(state: State) -> bool:
    """Whether updates have cost Q or a centroid digits that new sums would have."""
    alive = state.weight > 0
    s = state.weight[alive]
    if (state.peak[alive] > LIGHTER * s).any():
        return True
    lost = state.rounding * float((state.reach[alive] / s).sum())
    return lost > DIGITS * magnitude(state)
