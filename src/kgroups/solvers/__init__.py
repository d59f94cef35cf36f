"""The algorithms. ``objective`` is their specification; ``Hartigan`` is kernel k-groups."""

from kgroups._progress import Progress
from kgroups.solvers.base import Partition, Solver, Status
from kgroups.solvers.exhaustive import Exhaustive
from kgroups.solvers.foresight import Foresight
from kgroups.solvers.hartigan import Hartigan
from kgroups.solvers.lloyd import Lloyd, OnlineLloyd
from kgroups.solvers.pairs import HartiganPairs
from kgroups.solvers.restarts import BestOf, Restarts, Start

__all__ = [
    "BestOf",
    "Exhaustive",
    "Foresight",
    "Hartigan",
    "HartiganPairs",
    "Lloyd",
    "OnlineLloyd",
    "Partition",
    "Progress",
    "Restarts",
    "Solver",
    "Start",
    "Status",
]
