"""Lower bounds on the within dispersion W, which show how far a clustering is from the best."""

from kgroups.bounds.blockwise import blocks_save_time
from kgroups.bounds.optimality_gap import SEMIDEFINITE_UP_TO, OptimalityGap, optimality_gap
from kgroups.bounds.semidefinite_bound import MAX_POINTS, semidefinite_bound
from kgroups.bounds.spectral_bound import spectral_bound

__all__ = [
    "MAX_POINTS",
    "SEMIDEFINITE_UP_TO",
    "OptimalityGap",
    "blocks_save_time",
    "optimality_gap",
    "semidefinite_bound",
    "spectral_bound",
]
