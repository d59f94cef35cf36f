"""Smoothing of rounded numbers, because a value that many rows share is not a cluster."""

import numpy as np

from kgroups.typing import Float64Array


def smoothed(table: Float64Array) -> Float64Array:
    """A copy of the table in which repeated values are spread evenly over their rounding interval.

    Rounded numbers have a mode at every value, which says nothing about clusters. The interval of a
    column is the lower median of the distances between neighboring values. The random shifts are
    the same on every call.
    """
    rng = np.random.default_rng(0)
    out = table.copy()
    for column in range(table.shape[1]):
        values = np.unique(table[:, column])
        if 1 < len(values) < len(table):
            width = float(np.quantile(np.diff(values), 0.5, method="lower"))
            out[:, column] += rng.uniform(-0.5, 0.5, len(table)) * width
    return out
