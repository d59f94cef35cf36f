"""Partial distances: the mean over the columns in which neither of two rows has a gap."""

from collections.abc import Sequence

import numpy as np

from kgroups.runtime.threads import blocks
from kgroups.typing import Float64Array, FloatArray

# Rows compared with all others at a time.
_ROWS = 64


def partial_distances(
    X: FloatArray,
    Y: FloatArray,
    *,
    weights: Sequence[float],
    factors: Sequence[float],
    n_lines: int,
) -> Float64Array:
    r"""Matrix of partial distances between the rows of two tables, (n, m); NaN is a gap.

    .. math:: ρ(x, y) = \frac{\sum_e w_e}{\sum_{d ∈ P(x, y)} w_d}
              \sum_{d ∈ P(x, y)} c_d ρ_d(x_d, y_d)

    P(x, y) are the columns in which neither entry is missing; ρ_d is |x − y| in the first
    ``n_lines`` columns, and [x ≠ y] in the others. Where P is empty the distance is Σ w_e, or 0
    between two rows of gaps only. O(nmD) time; memory is the result and a few rows.

    Examples
    --------
    >>> nan = float("nan")
    >>> X = np.array([[0.0, 1.0], [3.0, nan], [nan, nan]])
    >>> partial_distances(X, X, weights=[1.0, 2.0], factors=[1.0, 1.0], n_lines=1).tolist()
    [[0.0, 9.0, 3.0], [9.0, 0.0, 3.0], [3.0, 3.0, 0.0]]

    References
    ----------
    J. C. Gower, "A General Coefficient of Similarity and Some of its Properties", Biometrics 27
    (4), 1971.
    """
    out = np.empty((len(X), len(Y)))
    total = float(sum(weights))
    for start, stop in blocks(0, len(X), _ROWS):
        distance = np.zeros((stop - start, len(Y)))
        present = np.zeros_like(distance)
        for d, (weight, factor) in enumerate(zip(weights, factors, strict=True)):
            x = X[start:stop, d, None].astype(np.float64)
            y = Y[None, :, d].astype(np.float64)
            in_both = ~(np.isnan(x) | np.isnan(y))
            apart = np.abs(x - y) if d < n_lines else (x != y).astype(np.float64)
            distance += np.where(in_both, factor * apart, 0.0)
            present += np.where(in_both, weight, 0.0)
        with np.errstate(invalid="ignore", divide="ignore"):
            out[start:stop] = np.where(present > 0, total * distance / present, total)
    nothing_in_x, nothing_in_y = (np.isnan(table).all(axis=1) for table in (X, Y))
    out[np.ix_(nothing_in_x, nothing_in_y)] = 0.0
    return out
