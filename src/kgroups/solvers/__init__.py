"""The algorithms. ``objective`` is their specification; ``Hartigan`` is kernel k-groups."""

from kgroups.runtime.progress import Progress
from kgroups.solvers.hartigan import Hartigan
from kgroups.solvers.lloyd import Lloyd, OnlineLloyd
from kgroups.solvers.pair_moves import HartiganPairs
from kgroups.solvers.partition import Partition, Solver, Status
from kgroups.solvers.problem import Problem
from kgroups.solvers.regrowth import Regrowth
from kgroups.solvers.restarts import BestOf, Improver, Restarts, Start
from kgroups.solvers.scale import Scale

__all__ = [
    "BestOf",
    "Hartigan",
    "HartiganPairs",
    "Improver",
    "Lloyd",
    "OnlineLloyd",
    "Partition",
    "Problem",
    "Progress",
    "Regrowth",
    "Restarts",
    "Scale",
    "Solver",
    "Start",
    "Status",
]
