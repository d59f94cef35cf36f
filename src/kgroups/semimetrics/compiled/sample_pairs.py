"""Sums over two samples: the squared difference of their distributions, and mean distances."""

import numpy as np

from kgroups.runtime.jit import jit
from kgroups.typing import Float64Array, IntArray


@jit
def fill_lines(
    x: Float64Array,
    x_begins: IntArray,
    y: Float64Array,
    y_begins: IntArray,
    first: int,
    start: int,
    above: bool,
    out: Float64Array,
) -> None:
    """Set out[i, j] to 2∫(F − G)² of sorted samples first + i of x and start + j of y.

    With ``above`` only where the second has the higher number. O(m_x + m_y) each.
    """
    for i in range(out.shape[0]):
        a, b = x_begins[first + i], x_begins[first + i + 1]
        step = 1.0 / (b - a)
        for j in range(out.shape[1]):
            if above and start + j <= first + i:
                continue
            p, q, end = a, y_begins[start + j], y_begins[start + j + 1]
            other_step = 1.0 / (end - q)
            n_left, n_right, total = 0, 0, 0.0
            last = min(x[p], y[q])
            while p < b or q < end:
                if q >= end or (p < b and x[p] <= y[q]):
                    at, left, right = x[p], 1, 0
                    p += 1
                else:
                    at, left, right = y[q], 0, 1
                    q += 1
                gap = n_left * step - n_right * other_step
                total += gap * gap * (at - last)
                last = at
                n_left += left
                n_right += right
            out[i, j] = 2.0 * total


@jit
def fill_means(
    x: Float64Array,
    x_begins: IntArray,
    y: Float64Array,
    y_begins: IntArray,
    half: float,
    first: int,
    start: int,
    above: bool,
    out: Float64Array,
) -> None:
    """Set out[i, j] to the mean of ‖s − t‖^(2 half) over points s and t of two samples.

    Samples are first + i of x and start + j of y, with one row per point. O(m_x m_y D) each.
    """
    n_columns = x.shape[1]
    for i in range(out.shape[0]):
        a, b = x_begins[first + i], x_begins[first + i + 1]
        for j in range(out.shape[1]):
            if above and start + j <= first + i:
                continue
            c, d = y_begins[start + j], y_begins[start + j + 1]
            total = 0.0
            for p in range(a, b):
                for q in range(c, d):
                    squared = 0.0
                    for column in range(n_columns):
                        gap = x[p, column] - y[q, column]
                        squared += gap * gap
                    total += np.sqrt(squared) if half == 0.5 else squared**half
            out[i, j] = total / ((b - a) * (d - c))


@jit
def fill_own_means(x: Float64Array, begins: IntArray, half: float, out: Float64Array) -> None:
    """Set out[i] to the mean of ‖s − t‖^(2 half) over all pairs of points of sample i."""
    for i in range(out.size):
        a, b = begins[i], begins[i + 1]
        total = 0.0
        for p in range(a, b):
            for q in range(a, p):
                squared = 0.0
                for column in range(x.shape[1]):
                    gap = x[p, column] - x[q, column]
                    squared += gap * gap
                total += np.sqrt(squared) if half == 0.5 else squared**half
        out[i] = 2.0 * total / ((b - a) * (b - a))
