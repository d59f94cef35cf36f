"""Checks that distances are finite, and what to say when they are not."""

import numpy as np

from kgroups.runtime.threads import blocks
from kgroups.typing import FloatArray

# Rows in float16 that are looked at together: their sum would overflow.
_ROWS = 4096


def is_finite(values: FloatArray) -> bool:
    """Whether all values are finite; no second array of their size is made in the usual case."""
    if values.dtype == np.float16:
        return all(
            (values[a:b].view(np.uint16) & 0x7FFF).max() < 0x7C00
            for a, b in blocks(0, len(values), _ROWS)
        )
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.isfinite(values.sum()) or np.isfinite(values).all())


def check_finite_distances(values: FloatArray) -> None:
    """Raise ValueError when distances, or sums of distances, have overflowed. O(size)."""
    if not is_finite(values):
        raise ValueError(
            "A distance between points, or a sum of distances, is not a finite number: the values "
            "of X are too large for its type. Standardize the columns of X, or give X as float64."
        )


def check_finite_dispersion(values: FloatArray, largest_weight: float) -> None:
    """Raise ValueError when sums of distances times weights have overflowed. O(size)."""
    if is_finite(values):
        return
    if largest_weight > 1:
        raise ValueError(
            "The dispersion is not a finite number because sample_weight is too large, up to "
            f"{largest_weight:.6g}. Divide all weights by that, which also divides the dispersion."
        )
    check_finite_distances(values)


def check_computed_distances(distances: FloatArray, semimetric: object) -> None:
    """Raise ValueError for a non-finite distance, by overflow or from a user-defined semimetric.

    The message names the semimetric and the first pair of rows.
    """
    if is_finite(distances):
        return
    i, j = np.argwhere(~np.isfinite(distances))[0]
    raise ValueError(
        f"{semimetric!r} gives {distances[i, j]} between rows {i} and {j}; a distance is a "
        "finite number. If the values of X are very large, standardize its columns."
    )
