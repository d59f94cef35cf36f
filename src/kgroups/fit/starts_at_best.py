"""How many starts of a fit reached the best result: one rule for reports and pictures."""

import math
from collections.abc import Iterable

from kgroups.fit.fitted import FittedClustering

# Objectives that differ by less belong to the same optimum, up to rounding: relative to the larger
# one, or, because the objective of one cluster is zero up to rounding of the total, to S + W.
_OF_OBJECTIVE, _OF_TOTAL = 1e-9, 1e-12


def starts_at_best(ends: Iterable[float], best: float, total: float = 0.0) -> int:
    """Number of starts whose last objective equals the best one; ``total`` is S + W.

    >>> starts_at_best([2.0, 2.0 - 1e-12, 1.0], 2.0)
    2
    """
    return sum(same_objective(end, best, total) for end in ends)


def same_objective(a: float, b: float, total: float = 0.0) -> bool:
    """Whether two objectives are equal up to rounding; ``total`` is S + W."""
    return math.isclose(a, b, rel_tol=_OF_OBJECTIVE, abs_tol=_OF_TOTAL * abs(total))


def decided_on_sketch(model: FittedClustering) -> bool:
    """Whether the starts of a fit ran on a sketch, where they compare among themselves only."""
    return model.sketch_error_ is not None


def best_end(model: FittedClustering) -> float:
    """What starts are compared with: the objective of the fit, or that of its place on a sketch."""
    return model._best_start if decided_on_sketch(model) else model.objective_


def last_objectives(model: FittedClustering) -> list[float]:
    """The objective at which each start of a fit ended."""
    return [float(history[-1]) for history in model.start_histories_]


def total_dispersion(model: FittedClustering) -> float:
    """S + W of a fit."""
    return model.within_dispersion_ + model.between_statistic_
