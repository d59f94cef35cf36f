"""Compiled loops over permuted labels."""

from kgroups.runtime.jit import jit
from kgroups.typing import Float64Array, IntArray


@jit
def deal(points: IntArray, slots: IntArray, uniform: Float64Array, row: IntArray) -> None:
    """Assign a random unused point to each slot, by the first steps of a shuffle."""
    n = points.shape[0]
    for i in range(slots.shape[0]):
        j = i + int(uniform[i] * (n - i))
        points[i], points[j] = points[j], points[i]
        row[points[i]] = slots[i]


@jit
def add_to_groups(labels: IntArray, sums: Float64Array, among: Float64Array) -> None:
    """Add the sums (rows, k − 1, P) of each row to those of its group in each permutation."""
    few = among.shape[0]
    for x in range(sums.shape[0]):
        for b in range(few):
            for p in range(sums.shape[2]):
                a = labels[x, p]
                if a < few:
                    among[a, b, p] += sums[x, b, p]
