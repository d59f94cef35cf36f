"""How many starts found the best, however they were run."""

from __future__ import annotations

import math
from typing import Any

# Starts whose objectives differ by less found the same optimum, up to rounding.
_SAME_OBJECTIVE = 1e-9


def decided_on_sketch(model: Any) -> bool:
    """Whether the starts of a fit ran on a sketch, where they compare among themselves only."""
    return model.sketch_error_ is not None


def starts_at_best(model: Any) -> int:
    """Starts that ended at the objective of the fit, or on a sketch at that of the best start."""
    ends = [history[-1] for history in model.start_histories_]
    best = max(ends) if decided_on_sketch(model) else model.objective_
    # An objective of zero, as that of one cluster, is zero up to rounding of the total.
    rounding = 1e-12 * abs(model.within_dispersion_ + model.between_statistic_)
    return sum(math.isclose(end, best, rel_tol=_SAME_OBJECTIVE, abs_tol=rounding) for end in ends)
