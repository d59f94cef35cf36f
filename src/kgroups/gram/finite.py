"""One place that says what to do about distances that are no numbers."""

import numpy as np

from kgroups.typing import FloatArray


def check_finite(values: FloatArray) -> None:
    """ValueError when some of the values, distances or sums of them, overflowed. O(size)."""
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(values.sum()):
            return
    if not np.isfinite(values).all():
        raise ValueError(
            "A distance between points is not a finite number: the values of X are too large for "
            "its type. Standardize the columns of X, or give X as float64."
        )
