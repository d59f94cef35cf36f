"""How far a clustering is from the best: lower bounds on W, and proofs of one-move optimality."""

from kgroups.bounds.blockwise import blocks_save_time
from kgroups.bounds.certify import certify
from kgroups.bounds.optimality_gap import SEMIDEFINITE_UP_TO, OptimalityGap, optimality_gap
from kgroups.bounds.semidefinite_bound import MAX_POINTS, semidefinite_bound
from kgroups.bounds.spectral_bound import spectral_bound
from kgroups.certificate.certificate import Certificate, CertifiedLabels

__all__ = [
    "MAX_POINTS",
    "SEMIDEFINITE_UP_TO",
    "Certificate",
    "CertifiedLabels",
    "OptimalityGap",
    "blocks_save_time",
    "certify",
    "optimality_gap",
    "semidefinite_bound",
    "spectral_bound",
]
