"""How far from the best a clustering can be: lower bounds on the within dispersion W."""

from kgroups.bounds.centred import centred_matrix
from kgroups.bounds.gap import KINDS, OptimalityGap, optimality_gap
from kgroups.bounds.semidefinite import semidefinite_bound
from kgroups.bounds.spectral import spectral_bound

__all__ = [
    "KINDS",
    "OptimalityGap",
    "centred_matrix",
    "optimality_gap",
    "semidefinite_bound",
    "spectral_bound",
]
