"""The compiled pass over all pairs of points that adds up their distances by column."""

import numpy as np

from kgroups.runtime.jit import jit
from kgroups.semimetrics.codes import ABSOLUTE, MISMATCH, POWER, SQUARED
from kgroups.semimetrics.compiled.phi import add_shannon, transform
from kgroups.typing import Float64Array, IntArray

# Points that are compared with a row at once: a few vectors long, and short enough for the parts of
# many columns to stay in the caches.
_TILE = 128


@jit
def add_pairs(
    columns: Float64Array,
    weights: Float64Array,
    starts: IntArray,
    delta: int,
    phi: int,
    parameter: float,
    first: int,
    last: int,
    within: Float64Array,
    across: Float64Array,
) -> None:
    """Add the distances between rows [first, last) and all later points."""
    k = starts.shape[0] - 1
    n_columns = columns.shape[0]
    parts = np.empty((n_columns, _TILE))
    total = np.empty(_TILE)
    share = np.empty(_TILE)
    own = np.searchsorted(starts, first, side="right") - 1
    for i in range(first, last):
        while starts[own + 1] <= i:
            own += 1
        for group in range(own, k):
            for a in range(max(i + 1, starts[group]), starts[group + 1], _TILE):
                size = min(_TILE, starts[group + 1] - a)
                total[:size] = 0.0
                for d in range(n_columns):
                    _fill(columns[d], i, a, delta, parts[d, :size])
                    total[:size] += parts[d, :size]
                _apply(total[:size], phi, parameter, share[:size])
                _to_shares(share[:size], total[:size], weights[a : a + size])
                for d in range(n_columns):
                    value = weights[i] * _product(share[:size], parts[d, :size])
                    if group == own:
                        within[own, d] += value
                    else:
                        across[own, d] += value
                        across[group, d] += value


@jit
def _fill(column: Float64Array, i: int, a: int, delta: int, out: Float64Array) -> None:
    """Set out[j] to δ between the points i and a + j in one column."""
    x = column[i]
    if delta == SQUARED:
        for j in range(out.shape[0]):
            out[j] = (x - column[a + j]) ** 2
    elif delta == ABSOLUTE:
        for j in range(out.shape[0]):
            out[j] = abs(x - column[a + j])
    elif delta == MISMATCH:
        for j in range(out.shape[0]):
            out[j] = 1.0 if x != column[a + j] else 0.0
    else:
        out[:] = 0.0
        add_shannon(x, column[a : a + out.shape[0]], out)


@jit
def _apply(total: Float64Array, phi: int, parameter: float, out: Float64Array) -> None:
    """Set out to φ of the totals; a square root has an instruction of its own."""
    if phi == POWER and parameter == 0.5:
        for j in range(total.shape[0]):
            out[j] = np.sqrt(total[j])
    else:
        out[:] = total
        transform(out, phi, parameter)


@jit
def _to_shares(value: Float64Array, total: Float64Array, weights: Float64Array) -> None:
    """Turn φ(t) into w φ(t)/t, the factor of each column's δ; 0 for equal points."""
    for j in range(value.shape[0]):
        value[j] = weights[j] * value[j] / total[j] if total[j] > 0.0 else 0.0


def _dot(a: Float64Array, b: Float64Array) -> float:
    total = 0.0
    for j in range(a.shape[0]):
        total += a[j] * b[j]
    return total


# Reassociated, because serial additions are slow; no decision depends on the rounding.
_product = jit(_dot, fastmath=frozenset({"reassoc", "contract"}))
