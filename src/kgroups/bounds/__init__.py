"""How far from the best a clustering can be: lower bounds on the within dispersion W."""

from kgroups.bounds.blockwise import EXACT_UP_TO
from kgroups.bounds.gap import KINDS, OptimalityGap, optimality_gap
from kgroups.bounds.semidefinite import MAX_POINTS, semidefinite_bound
from kgroups.bounds.spectral import spectral_bound

__all__ = [
    "EXACT_UP_TO",
    "KINDS",
    "MAX_POINTS",
    "OptimalityGap",
    "optimality_gap",
    "semidefinite_bound",
    "spectral_bound",
]
