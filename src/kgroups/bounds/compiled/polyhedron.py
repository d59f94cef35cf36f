"""The compiled sweep of Hildreth's method over inequalities of four entries."""

from kgroups.runtime.jit import jit
from kgroups.typing import Float64Array, IntArray


@jit
def add_cut(
    Y: Float64Array, points: IntArray, coefficients: Float64Array, multiplier: float
) -> None:
    """Add a multiple of a cut, as a symmetric matrix."""
    i, j, k = points
    Y[i, i] += multiplier * coefficients[0]
    for a, b, c in ((j, k, 1), (i, j, 2), (i, k, 3)):
        Y[a, b] += multiplier * coefficients[c]
        Y[b, a] += multiplier * coefficients[c]


@jit
def sweep(
    Y: Float64Array,
    entries: Float64Array,
    points: IntArray,
    coefficients: Float64Array,
    multipliers: Float64Array,
) -> None:
    """Project onto each inequality once, or move back as far as its multiplier allows."""
    for t in range(len(points)):
        i, j, k = points[t]
        c = coefficients[t]
        value = c[0] * Y[i, i] + 2.0 * (c[1] * Y[j, k] + c[2] * Y[i, j] + c[3] * Y[i, k])
        wanted = max(0.0, multipliers[t] - value)
        if wanted != multipliers[t]:
            add_cut(Y, points[t], c, wanted - multipliers[t])
            multipliers[t] = wanted
    for i in range(len(Y)):
        for j in range(len(Y)):
            wanted = max(0.0, entries[i, j] - Y[i, j])
            Y[i, j] += wanted - entries[i, j]
            entries[i, j] = wanted


@jit
def lift(
    Y: Float64Array, points: IntArray, coefficients: Float64Array, multipliers: Float64Array
) -> None:
    """Add all cuts times their multipliers to Y."""
    for t in range(len(points)):
        add_cut(Y, points[t], coefficients[t], multipliers[t])


@jit
def most_violated(X: Float64Array, i: int, least: float, found: IntArray) -> int:
    """Find pairs j < k that most violate X_ij + X_ik ≤ X_ii + X_jk, at most one for each j."""
    count = 0
    for j in range(len(X)):
        worst, where = -least * X[i, i], -1
        for k in range(j + 1, len(X)):
            slack = X[i, i] + X[j, k] - X[i, j] - X[i, k]
            if slack < worst and i not in (j, k):
                worst, where = slack, k
        if where >= 0:
            found[count, 0], found[count, 1] = j, where
            count += 1
    return count
