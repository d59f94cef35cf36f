"""Starts that compete on a few of all rows."""

from dataclasses import replace

from kgroups.runtime import progress
from kgroups.runtime.progress import Progress
from kgroups.solvers.problem import Problem
from kgroups.solvers.restarts import BestOf, Restarts
from kgroups.solvers.scale import Scale
from kgroups.solvers.starts import Starts


def competed(
    problem: Problem, search: BestOf, starts: Starts, place: str, scale: Scale
) -> Restarts:
    """The starts on a sample; only how each of them ended is told, on the scale of all rows."""

    def told(event: Progress) -> Progress | None:
        """The event with a word on the sample; None for single sweeps."""
        if event.phase not in ("start", "improve"):
            return None
        return replace(event, note=f"{event.note}, on {place}")

    with progress.adapted(told), progress.scaled(scale):
        return search.solve(problem, starts.on(problem))
