"""Compiled pair loops: a sum over coordinates, then a scalar function of that sum.

Every semimetric of the form ρ(x, y) = φ(Σ_d δ(x_d, y_d)) is a pair of codes, one for δ and one for
φ; the loops below know the codes and nothing else. A tile is a run of second points for one first
point, so the inner loops are vectorised across pairs and no sum is reordered.
"""

import numpy as np

from kgroups._numba import jit, jit_fma
from kgroups._typing import FloatArray

# δ, what one coordinate adds
SQUARED, ABSOLUTE, MISMATCH, SHANNON = range(4)
# φ, what becomes of the sum
POWER, SCALE, LAPLACIAN, GAUSSIAN, DAMPED, SINE, ARC = range(7)

TILE = 64


@jit_fma
def accumulate(
    x: FloatArray, rows_t: FloatArray, start: int, stop: int, delta: int, out: FloatArray
) -> None:
    """out[j] = Σ_d δ(x_d, y_d) for the points y = rows_t[:, start + j]."""
    size = stop - start
    out[:size] = 0
    for d in range(x.shape[0]):
        a = x[d]
        column = rows_t[d, start:stop]
        if delta == SQUARED:
            for j in range(size):
                t = a - column[j]
                out[j] += t * t
        elif delta == ABSOLUTE:
            for j in range(size):
                out[j] += abs(a - column[j])
        elif delta == MISMATCH:
            for j in range(size):
                if a != column[j]:
                    out[j] += 1
        else:
            for j in range(size):
                out[j] += shannon(a, column[j])


@jit
def shannon(p: float, q: float) -> float:
    """½ p log(p/m) + ½ q log(q/m) with m = (p + q)/2 and 0 log 0 = 0."""
    if p == q:
        return p * 0
    m = 0.5 * (p + q)
    left = p * np.log(p / m) if p > 0 else p * 0
    right = q * np.log(q / m) if q > 0 else q * 0
    return max(p * 0, 0.5 * (left + right))  # not negative but for rounding


@jit
def transform(out: FloatArray, size: int, phi: int, parameter: float) -> None:
    """Replace each sum t in out[:size] by φ(t)."""
    p = out.dtype.type(parameter)
    if phi == POWER:
        raise_to(out, size, parameter)
    elif phi == SCALE:
        for j in range(size):
            out[j] *= p
    elif phi == LAPLACIAN:
        for j in range(size):
            out[j] = -2 * np.expm1(-np.sqrt(out[j]) / (2 * p))
    elif phi == GAUSSIAN:
        for j in range(size):
            out[j] = -2 * np.expm1(-out[j] / (2 * p * p))
    elif phi == DAMPED:
        for j in range(size):
            out[j] *= np.exp(-np.sqrt(out[j]) / 2)
    elif phi == SINE:
        for j in range(size):
            out[j] *= p * np.sin(np.sqrt(out[j]) / p)
    else:
        for j in range(size):
            out[j] = 2 * p * np.arcsin(min(out.dtype.type(1), np.sqrt(out[j]) / 2))


@jit
def raise_to(out: FloatArray, size: int, exponent: float) -> None:
    """Powers in quarters by square roots, exact to rounding and vectorised; others by pow."""
    if exponent == 1.0:
        return
    if exponent == 0.5:
        for j in range(size):
            out[j] = np.sqrt(out[j])
    elif exponent == 0.25:
        for j in range(size):
            out[j] = np.sqrt(np.sqrt(out[j]))
    elif exponent == 0.75:
        for j in range(size):
            root = np.sqrt(out[j])
            out[j] = root * np.sqrt(root)
    else:
        p = out.dtype.type(exponent)
        for j in range(size):
            out[j] = out[j] ** p


@jit
def fill_cross(
    rows: FloatArray,
    others_t: FloatArray,
    delta: int,
    phi: int,
    parameter: float,
    out: FloatArray,
    start: int,
    stop: int,
) -> None:
    """out[i, j] = ρ(rows[i], others[j]) for i in [start, stop)."""
    m = others_t.shape[1]
    tile = np.empty(TILE, out.dtype)
    for i in range(start, stop):
        for a in range(0, m, TILE):
            b = min(a + TILE, m)
            accumulate(rows[i], others_t, a, b, delta, tile)
            transform(tile, b - a, phi, parameter)
            out[i, a:b] = tile[: b - a]


@jit
def fill_symmetric(
    rows: FloatArray,
    rows_t: FloatArray,
    delta: int,
    phi: int,
    parameter: float,
    out: FloatArray,
    start: int,
    stop: int,
) -> None:
    """Both triangles of out for the first points [start, stop): half the pairs are computed."""
    n = rows.shape[0]
    square = np.empty((TILE, TILE), out.dtype)
    for a in range(start, stop, TILE):
        b = min(a + TILE, stop)
        for c in range(a, n, TILE):
            d = min(c + TILE, n)
            for i in range(a, b):
                accumulate(rows[i], rows_t, c, d, delta, square[i - a])
                transform(square[i - a], d - c, phi, parameter)
                out[i, c:d] = square[i - a, : d - c]
            if c > a:
                for j in range(c, d):
                    for i in range(a, b):
                        out[j, i] = square[i - a, j - c]
