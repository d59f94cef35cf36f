"""Mean distances between groups of points on a line, by sorting, without forming pairs.

With F_a the share of group a to the left of t, g(a, a) = 2 ∫ F_a (1 − F_a) dt and
𝓔(a, b) = 2 ∫ (F_a − F_b)² dt. No summand is negative, so nothing cancels, and the energy of equal
samples is exactly 0.

Source: [SR13] G. J. Székely and M. L. Rizzo, "Energy Statistics: A Class of Statistics Based on
Distances", J. Stat. Plan. Inference 143, 2013.
"""

from typing import NamedTuple

import numpy as np

from kgroups.solvers.objective import sum_by_cluster
from kgroups.stats.compiled import line as compiled
from kgroups.stats.group_means import GroupMeans
from kgroups.typing import Float64Array, FloatArray, IntArray


class Line(NamedTuple):
    """Points on a line in ascending order; ρ = scale · |x − y|."""

    positions: Float64Array  # (n,) ascending
    order: IntArray  # (n,) which point is at each position
    scale: float


def line_of(column: FloatArray, scale: float) -> Line:
    """Sort the points of a column. O(n log n)."""
    order = np.argsort(column, kind="stable")
    return Line(column[order].astype(np.float64), order, scale)


def line_means(line: Line, labels: IntArray, weights: Float64Array, k: int) -> GroupMeans:
    """The group means for one labeling. O(nk)."""
    weights = weights[line.order]
    labels = labels[line.order]
    # Summed in the order of the points, so that the last share of each group is exactly 1.
    totals = sum_by_cluster(labels, weights, k)
    means = GroupMeans.zeros((), k)
    compiled.add_up(line.positions, labels, weights, totals, line.scale, means.within, means.energy)
    return means


def permuted_line_means(line: Line, table: IntArray, sizes: IntArray) -> GroupMeans:
    """The group means for several labelings with the same group sizes, one per row of ``table``."""
    means = GroupMeans.zeros((len(table),), len(sizes))
    weights, totals = np.ones(table.shape[1]), sizes.astype(np.float64)
    for row, within, energy in zip(table, means.within, means.energy, strict=True):
        compiled.add_up(
            line.positions, row[line.order], weights, totals, line.scale, within, energy
        )
    return means
