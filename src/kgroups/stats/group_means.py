"""Mean distances within groups and energies between them, from which all statistics follow."""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np

from kgroups.semimetrics.finite import check_finite_distances
from kgroups.typing import Float64Array, IntArray

# A difference of sums that is less than this share of them is 0 up to rounding.
_ROUNDING = 1e-13


class GroupMeans(NamedTuple):
    """g(C_a, C_a) and 𝓔(C_a, C_b) = 2g(C_a, C_b) − g(C_a, C_a) − g(C_b, C_b) of k groups.

    Both are additive over the parts of a semimetric, and every statistic follows from them without
    subtracting large numbers. Leading axes, if any, are different labelings. The means of a group
    without weight are meaningless; they only enter multiplied by its weight.
    """

    within: Float64Array  # (..., k)
    energy: Float64Array  # (..., k, k)

    @classmethod
    def zeros(cls, shape: tuple[int, ...], k: int) -> Self:
        """Means that are all zero."""
        return cls(np.zeros((*shape, k)), np.zeros((*shape, k, k)))

    @classmethod
    def of_pairs(cls, means: Float64Array) -> Self:
        """Construct from g(C_a, C_b) for all pairs of groups, (..., k, k)."""
        within = np.array(np.diagonal(means, axis1=-2, axis2=-1))
        inside = within[..., :, None] + within[..., None, :]
        return cls(within, unrounded(2 * means - inside, inside))

    def plus(self, other: GroupMeans) -> GroupMeans:
        """The means of the sum of two semimetrics."""
        return GroupMeans(self.within + other.within, self.energy + other.energy)

    def taken(self, groups: IntArray) -> GroupMeans:
        """The means with the groups in another order."""
        return GroupMeans(self.within[..., groups], self.energy[..., groups, :][..., groups])

    def check(self) -> Self:
        """Raise ValueError if distances or their sums have overflowed; otherwise return self."""
        check_finite_distances(self.within)
        check_finite_distances(self.energy)
        return self

    def across(self) -> Float64Array:
        """The means 2g(C_a, C_b) for all pairs of groups."""
        return self.energy + self.within[..., :, None] + self.within[..., None, :]


def dispersion(means: GroupMeans, weight: Float64Array) -> Float64Array:
    """The within dispersion W = Σ_j (s_j/2) g(C_j, C_j)."""
    return means.within @ (weight / 2)


def between(means: GroupMeans, weight: Float64Array) -> Float64Array:
    """The between statistic S = Σ_{i<j} (s_i s_j / 2s) 𝓔(C_i, C_j)."""
    largest = weight.max()
    shares = weight / largest / (weight / largest).sum()
    # The smaller weight times the larger share, or weights of very different size would underflow.
    both = np.minimum.outer(weight, weight) * np.maximum.outer(shares, shares)
    return np.asarray(np.einsum("...ij,ij->...", means.energy, both) / 4)


def multisample(means: GroupMeans, sizes: Float64Array) -> Float64Array:
    """The e-distances n_i n_j / (n_i + n_j) 𝓔(C_i, C_j), of shape (..., k, k)."""
    return means.energy * _harmonic(sizes)


def multisample_statistic(means: GroupMeans, sizes: Float64Array) -> Float64Array:
    """The sum of the e-distances of all pairs, without storing them."""
    return np.asarray(np.einsum("...ij,ij->...", means.energy, _harmonic(sizes)) / 2)


def unrounded(difference: Float64Array, terms: Float64Array) -> Float64Array:
    """A difference of terms, set to 0 where it is only rounding."""
    return np.where(np.abs(difference) <= _ROUNDING * np.abs(terms), 0.0, difference)


def _harmonic(sizes: Float64Array) -> Float64Array:
    return sizes[:, None] * sizes / (sizes[:, None] + sizes)
