"""Agglomeration by energy: the nearest two clusters merge until one is left.

Source: G. J. Székely and M. L. Rizzo, "Hierarchical Clustering via Joint Between-Within Distances",
J. Classification 22, 2005.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import DTypeLike

from kgroups.gram.operator import GramOperator
from kgroups.native import kernels
from kgroups.runtime.memory import require
from kgroups.runtime.scaling import power_of_two
from kgroups.runtime.threads import blocks, crew
from kgroups.semimetrics.finite import check_finite_dispersion, check_finite_distances
from kgroups.solvers.objective import sum_by_cluster
from kgroups.solvers.partition import largest_first
from kgroups.typing import Float64Array, FloatArray, IntArray

# Number of pairs that a thread requests from the operator at a time.
_PAIRS_AT_ONCE = 1 << 20
# Distances that are raised to a power at a time.
_ENTRIES_AT_ONCE = 1 << 24
# A negative distance above minus this share of the largest is zero up to rounding.
_ZERO = 1e-10
# Stand-in for weight zero, as a share of the smallest other weight: too small to change a sum.
_VANISHING = 2.0**-60


@dataclass(frozen=True, kw_only=True)
class Tree:
    """All merges of n points, in order.

    Points are the nodes 0..n−1, and merge t joins the nodes ``children[t]`` to node n + t at height
    ``heights[t]``, their distance e. A merge raises W by half its height, so sums of heights are
    dispersions.
    """

    children: IntArray
    heights: Float64Array
    weights: Float64Array

    @property
    def n_points(self) -> int:
        """Number of leaves."""
        return len(self.weights)

    def n_clusters_below(self, threshold: float) -> int:
        """Number of clusters if no merge at or above ``threshold`` is made."""
        return 1 + int(np.count_nonzero(self.heights >= threshold))

    def labels(self, n_clusters: int) -> IntArray:
        """Labels in decreasing order of cluster weight, then by first member. O(n)."""
        n = self.n_points
        owner = np.arange(2 * n - 1)
        for t in reversed(range(n - n_clusters)):
            owner[self.children[t]] = owner[n + t]
        _, labels = np.unique(owner[:n], return_inverse=True)
        weight = sum_by_cluster(labels, self.weights, n_clusters)
        order = largest_first(labels, np.ones(n), weight)
        return np.asarray(np.argsort(order)[labels], dtype=np.int64)

    def within(self, n_clusters: int) -> float:
        """The within dispersion W: half the sum of the heights below the cut."""
        return float(self.heights[: self.n_points - n_clusters].sum()) / 2

    def between(self, n_clusters: int) -> float:
        """The between statistic S: half the sum of the heights above the cut."""
        return float(self.heights[self.n_points - n_clusters :].sum()) / 2

    def sizes(self) -> IntArray:
        """Number of points below each merge."""
        sizes = np.ones(2 * self.n_points - 1, np.int64)
        for t, pair in enumerate(self.children):
            sizes[self.n_points + t] = sizes[pair].sum()
        return sizes[self.n_points :]


def energy_tree(
    gram: GramOperator, weights: Float64Array, *, power: float = 1.0, dtype: DTypeLike = np.float64
) -> Tree:
    """The tree for ρ_ij = (G_ii + G_jj − 2 G_ij)^power, from n²/2 numbers of type ``dtype``.

    Raises MemoryError before allocating if they do not fit.
    """
    distances = condensed(gram, dtype)
    _to_power(distances, power)
    # Powers of two, so that nothing overflows and nothing is rounded.
    unit, scale = power_of_two(weights.max()), power_of_two(distances.max(initial=0.0))
    scaled = weights / unit
    scaled[scaled == 0] = _VANISHING * scaled[scaled > 0].min()
    children, heights = np.empty((gram.n - 1, 2), np.int64), np.empty(gram.n - 1)
    kernels.agglomerate(distances, scaled, 1 / scale, children, heights)
    # A union is never nearer to others than its parts, for any ρ: heights only fall by rounding.
    with np.errstate(over="ignore"):
        heights = np.maximum.accumulate(heights) * unit * scale
        sums = np.array([heights.sum(), weights.sum()])
    check_finite_dispersion(sums, weights.max())
    return Tree(children=children, heights=heights, weights=weights)


def condensed(gram: GramOperator, dtype: DTypeLike = np.float64) -> FloatArray:
    """Distances of all pairs i < j, row by row, without an n × n array."""
    n, diagonal = gram.n, gram.diagonal()
    strip = max(1, _PAIRS_AT_ONCE // n)
    n_pairs = n * (n - 1) // 2
    require(
        n_pairs * np.dtype(dtype).itemsize + gram.n_threads * 3 * 8 * strip * n,
        what=f"Hierarchical clustering of {n:,} points",
        instead="Use KernelKGroups, which needs no pairs, or a sample of the rows.",
    )
    out = np.empty(n_pairs, dtype)

    def some(piece: tuple[int, int]) -> None:
        """Fill in the distances between some points and all later ones."""
        a, b = piece
        rho = -2.0 * gram.block(a, n, np.arange(a, b))
        rho += diagonal[a:b, None]
        rho += diagonal[a:]
        with np.errstate(over="ignore"):  # in float32; checked below
            for i, row in enumerate(rho, start=a):
                stop = (i + 1) * n - (i + 1) * (i + 2) // 2
                out[stop - n + i + 1 : stop] = row[i - a + 1 :]

    with crew(gram.n_threads) as work:
        work(some, blocks(0, n, strip))
    check_finite_distances(out)
    return out


def _to_power(distances: FloatArray, power: float) -> None:
    """Raise ρ to a power in place; entries that are negative by rounding become zero."""
    least = distances.min(initial=0.0)
    if least < 0 and -least <= _ZERO * distances.max():
        np.maximum(distances, 0, out=distances)
    elif least < 0 and power != 1:
        raise ValueError(
            f"alpha={power} requires a power of ρ, which is {least:.6g} for some pair; use alpha=1."
        )
    if power != 1:
        with np.errstate(over="ignore"):
            for a, b in blocks(0, len(distances), _ENTRIES_AT_ONCE):
                np.power(distances[a:b], power, out=distances[a:b])
        check_finite_distances(distances)
