"""Mean distances between groups of points on a line, by sorting: no pair is ever formed.

With F_a the share of group a to the left of t, g(a, a) = 2 ∫ F_a (1 − F_a) dt and
𝓔(a, b) = 2 ∫ (F_a − F_b)² dt [SR13]. Every summand is positive, so nothing cancels, and equal
samples are exactly 0 apart.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kgroups.runtime.jit import jit
from kgroups.solvers.objective import sum_by_cluster
from kgroups.stats._groups import GroupMeans
from kgroups.typing import Float64Array, FloatArray, IntArray


class Line(NamedTuple):
    """Points on a line in ascending order; ρ = scale · |x − y|."""

    positions: Float64Array  # (n,) ascending
    order: IntArray  # (n,) which point stands where
    scale: float


def line_of(column: FloatArray, scale: float) -> Line:
    """Sort the points. O(n log n)."""
    order = np.argsort(column, kind="stable")
    return Line(column[order].astype(np.float64), order, scale)


def line_means(line: Line, labels: IntArray, weights: Float64Array, k: int) -> GroupMeans:
    """The means of one labeling. O(nk)."""
    weights = weights[line.order]
    labels = labels[line.order]
    # In the order of the points, so that the last share of each group is 1 to the last bit.
    totals = sum_by_cluster(labels, weights, k)
    means = GroupMeans.zeros((), k)
    _add_up(line.positions, labels, weights, totals, line.scale, means.within, means.energy)
    return means


def permuted_line_means(line: Line, table: IntArray, sizes: IntArray) -> GroupMeans:
    """The means of several labelings, one a row of ``table``, of the same group sizes."""
    means = GroupMeans.zeros((len(table),), len(sizes))
    weights, totals = np.ones(table.shape[1]), sizes.astype(np.float64)
    for row, within, energy in zip(table, means.within, means.energy, strict=True):
        _add_up(line.positions, row[line.order], weights, totals, line.scale, within, energy)
    return means


@jit
def _add_up(
    positions: Float64Array,
    labels: IntArray,
    weights: Float64Array,
    totals: Float64Array,
    scale: float,
    within: Float64Array,
    energy: Float64Array,
) -> None:
    """Add the integrals, each over the stretch in which neither share has changed."""
    k = totals.shape[0]
    mass = np.zeros(k)
    share = np.zeros(k)
    since = np.full((k, k), positions[0])
    for i in range(positions.shape[0]):
        x, a = positions[i], labels[i]
        within[a] += 2.0 * scale * (x - since[a, a]) * share[a] * (1.0 - share[a])
        for b in range(k):
            energy[a, b] += 2.0 * scale * (x - since[a, b]) * (share[a] - share[b]) ** 2
            since[a, b] = x
            since[b, a] = x
        if weights[i] > 0.0:
            mass[a] += weights[i]
            share[a] = mass[a] / totals[a]
    for a in range(k):
        for b in range(a):
            both = energy[a, b] + energy[b, a]
            energy[a, b] = both
            energy[b, a] = both
