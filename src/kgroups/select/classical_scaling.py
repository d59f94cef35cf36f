"""Classical scaling: coordinates for points of which only distances are known."""

import numpy as np

from kgroups.runtime.eigenpairs import eigenpairs
from kgroups.runtime.scaling import power_of_two
from kgroups.semimetrics.duality import double_centered
from kgroups.typing import Float64Array, FloatArray

# The number of coordinates at most; the leading ones are kept.
_MOST_COORDINATES = 30
# Eigenvalues below this share of the largest are rounding.
_NEGLIGIBLE = 1e-9


def scaled_as_distances(rho: FloatArray) -> Float64Array:
    """Leading coordinates whose Euclidean distances approximate ρ, in a unit of their own.

    Negative eigenvalues, which belong to the part of ρ that is not Euclidean, are dropped. So are
    those equal to one beyond the last that is kept: which of their directions came first would be
    chance. O(n³).

    The distances are not meant to be √ρ, although that is the distance in feature space: points
    along a line lie on a curve there, and a curve seen from one side is dense at both ends.
    """
    unit = power_of_two(np.abs(rho).max())  # no square over- or underflows
    gram = double_centered((np.asarray(rho, np.float64) / unit) ** 2)
    n = len(gram)
    few = min(n, _MOST_COORDINATES + 1)
    values, vectors = eigenpairs(gram, n - few, n - 1)
    beyond = float(values[0]) if few > _MOST_COORDINATES else 0.0
    keep = values > max(beyond, 0.0) + _NEGLIGIBLE * max(float(values[-1]), 0.0)
    kept = np.asarray(vectors[:, keep] * np.sqrt(values[keep]), np.float64)
    return kept[:, ::-1] if kept.shape[1] else np.zeros((n, 1))
