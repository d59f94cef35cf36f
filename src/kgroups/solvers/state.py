"""The record that compiled visits read and write."""

from typing import NamedTuple

from kgroups.typing import Float64Array, IntArray

#: A cluster that was so many times heavier while it changed is added up once more at the end.
LIGHTER = 64.0
#: So is everything where Q may otherwise be off by this share, sixteen roundings of float32; a
#: search in which larger gains may still be rounding has not converged.
DIGITS = 2e-6


class State(NamedTuple):
    """Where every point is, and the sufficient statistics of each cluster."""

    labels: IntArray  # (n,) cluster of each point
    members: IntArray  # (k,) points with positive weight
    weight: Float64Array  # (k,) s_j
    within: Float64Array  # (k,) Q_j
    peak: Float64Array  # (k,) largest s_j since the sums were computed
    reach: Float64Array  # (k,) largest |Q_j| since then
    held_back: IntArray  # (1,) moves since then that did not count because of rounding
    growth: float = 1.0  # share of its weight that a point adds to s_j; 0 without denominators
    rounding: float = 2.0**-52  # relative error of a sum that was just computed
