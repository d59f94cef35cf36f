"""Compiled integrals over a line, from left to right."""

import numpy as np

from kgroups.runtime.jit import jit
from kgroups.typing import Float64Array, IntArray


@jit
def add_up(
    positions: Float64Array,
    labels: IntArray,
    weights: Float64Array,
    totals: Float64Array,
    scale: float,
    within: Float64Array,
    energy: Float64Array,
) -> None:
    """Add the integrals, each over the intervals on which its shares are constant."""
    k = totals.shape[0]
    mass = np.zeros(k)
    share = np.zeros(k)
    since = np.full((k, k), positions[0])
    for i in range(positions.shape[0]):
        x, a = positions[i], labels[i]
        within[a] += 2.0 * scale * (x - since[a, a]) * share[a] * (1.0 - share[a])
        for b in range(k):
            energy[a, b] += 2.0 * scale * (x - since[a, b]) * (share[a] - share[b]) ** 2
            since[a, b] = since[b, a] = x
        if weights[i] > 0.0:
            mass[a] += weights[i]
            share[a] = mass[a] / totals[a]
    for a in range(k):
        for b in range(a):
            energy[a, b] = energy[b, a] = energy[a, b] + energy[b, a]
