"""Which points a single move would put into a better cluster, and what that gains."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from kgroups.certificate.ladder import Open, Scene
from kgroups.gram.operator import GramOperator
from kgroups.runtime.threads import blocks
from kgroups.solvers.objective import over_weight, sum_by_cluster
from kgroups.typing import Float64Array, IntArray

_ROWS = 1 << 12


@dataclass(frozen=True, eq=False)
class Improvements:
    """Points, the clusters where they gain most, and how much W falls if one of them moves."""

    rows: IntArray
    targets: IntArray
    gains: Float64Array

    @classmethod
    def none(cls) -> Self:
        """No points."""
        return cls(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0))

    def by_row(self, unit: float) -> Improvements:
        """In the order of the points, with gains times a unit."""
        order = np.argsort(self.rows)
        return Improvements(self.rows[order], self.targets[order], unit * self.gains[order])

    def with_sure(self, scene: Scene, seen: Open, *, may_be_rounding: bool = False) -> Improvements:
        """Those of the open points that surely gain, too; or, from exact sums, that seem to."""
        rule, own, others = scene.rule, seen.own, seen.others
        row, w = others.row, scene.weights[seen.index]
        a = rule.leaving(w, own.cluster)[row]
        b = rule.entering(w[row], others.cluster)
        sure = w[row] * (a * own.low[row] - b * others.high)
        middle = a * (own.low + own.high)[row] - b * (others.low + others.high)
        middle *= 0.5 * w[row]
        gains = middle > rule.least if may_be_rounding else sure > rule.least
        best = np.full(len(seen.index), -np.inf)
        np.maximum.at(best, row, np.where(gains, middle, -np.inf))
        chosen = np.flatnonzero(gains & (middle == best[row]))
        _, first = np.unique(row[chosen], return_index=True)
        chosen = chosen[first]
        return Improvements(
            np.concatenate([self.rows, seen.index[row[chosen]]]),
            np.concatenate([self.targets, others.cluster[chosen]]),
            np.concatenate([self.gains, middle[chosen]]),
        )


def improvements_on(
    gram: GramOperator, labels: IntArray, weights: Float64Array, k: int, tol: float
) -> tuple[Improvements, float]:
    """All points that gain by a move [FRV eq. 50], from all sums, and W. O(n k) and the sums."""
    sums = gram.running_sums(labels, weights, k)
    s = sum_by_cluster(labels, weights, k)
    count = np.bincount(labels[weights > 0], minlength=k)
    within, diagonal = sums.within(labels, weights, k), gram.diagonal()
    means = over_weight(within, s)
    least = tol * float(np.abs(means).sum())
    found = Improvements.none()
    for a, b in blocks(0, gram.n, _ROWS):
        some = np.arange(a, b)
        some = some[(weights[a:b] > 0) & (count[labels[a:b]] > 1)]
        if len(some) == 0:
            continue
        R, w, own = sums.block(a, b)[:, some - a], weights[some], labels[some]
        here, g = np.arange(len(some)), w * w * diagonal[some]
        with np.errstate(divide="ignore", invalid="ignore"):  # a cluster that is one point
            leave = (w * means[own] - 2.0 * w * R[own, here] + g) / (s[own] - w)
            enter = (2.0 * w * R + g - w * means[:, None]) / (s[:, None] + w)
        enter[own, here] = -np.inf
        target = enter.argmax(axis=0)
        gain = leave + enter[target, here]
        better = gain > least
        found = Improvements(
            np.concatenate([found.rows, some[better]]),
            np.concatenate([found.targets, target[better]]),
            np.concatenate([found.gains, gain[better]]),
        )
    return found, float(weights @ diagonal) - float(means.sum())
