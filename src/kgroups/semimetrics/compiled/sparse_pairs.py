"""Compiled distances between sparse rows: what two rows share, from entries sorted by column.

The distance of two rows is that of rows without a common column, less what the common columns take
off: ‖x‖² + ‖y‖² − 2xᵀy, or ‖x‖₁ + ‖y‖₁ − Σ (|x_d| + |y_d| − |x_d − y_d|), or the same with numbers
of entries. The entries of some rows, a *tile*, are kept column by column. A row is compared with
all rows of a tile by walking its own entries, and nothing is done for columns that it lacks.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kgroups.runtime.jit import jit, jit_inlined
from kgroups.semimetrics.codes import ABSOLUTE, POWER, SQUARED
from kgroups.semimetrics.compiled.phi import transform
from kgroups.typing import Float64Array, IntArray

# Below this share of ‖x‖² + ‖y‖² too few digits of the difference are left: rows are merged.
_CANCELED = 1e-6
# Multiplicative hashing: a prime near 2³² over the golden ratio, and the lowest bits left out.
_PRIME, _SHIFT = 2654435761, 15
_LOW = (1 << 31) - 1


class Rule(NamedTuple):
    """ρ = φ(Σ_d δ(x_d, y_d)) by the codes of δ and φ."""

    delta: int
    phi: int
    parameter: float


class Rows(NamedTuple):
    """Sparse rows, with rising columns and without zeros."""

    starts: IntArray  # (n + 1,)
    columns: NDArray[np.signedinteger]  # (entries,)
    values: Float64Array  # (entries,)
    sizes: Float64Array  # (n,) Σ_d δ(x_d, 0)


class Tiles(NamedTuple):
    """Sparse rows in some order, cut into tiles, in each of which entries are sorted by column."""

    order: IntArray  # (n,) the row at each place
    edges: IntArray  # (tiles + 1,) the places of each tile
    sizes: Float64Array  # (n,) of the row at each place
    # Where the columns of each tile are: slots of a table by column, with its entries' limits.
    tables: IntArray  # (tiles + 1,)
    keys: NDArray[np.signedinteger]  # (slots,) the column, or −1
    first: NDArray[np.signedinteger]  # (slots,)
    last: NDArray[np.signedinteger]  # (slots,)
    places: NDArray[np.uint16]  # (entries,) from the first of the tile
    values: Float64Array  # (entries,)


@jit_inlined
def slot_of(column: int, n_slots: int, n_columns: int) -> np.int64:
    """Where a column is looked for first: at its own number if there are as many slots."""
    number = np.int64(column)
    if n_slots >= n_columns:
        return number
    folded = (number ^ (number >> 31)) & _LOW
    return ((folded * _PRIME) >> _SHIFT) & (n_slots - 1)


@jit
def fill_table(
    columns: IntArray,
    limits: IntArray,
    n_columns: int,
    keys: IntArray,
    first: IntArray,
    last: IntArray,
) -> None:
    """Put the columns of a tile, and the limits of their entries, into an empty table."""
    n_slots = keys.shape[0]
    for c in range(columns.shape[0]):
        slot = slot_of(columns[c], n_slots, n_columns)
        while keys[slot] >= 0:
            slot = (slot + 1) & (n_slots - 1)
        keys[slot] = columns[c]
        first[slot], last[slot] = limits[c], limits[c + 1]


@jit
def add_shared(
    rows: Rows, i: int, tiles: Tiles, t: int, n_columns: int, delta: int, shared: Float64Array
) -> None:
    """Add to shared[j] what the columns of row i and of row j of a tile take off, once each."""
    base = tiles.tables[t]
    n_slots = tiles.tables[t + 1] - base
    for e in range(rows.starts[i], rows.starts[i + 1]):
        column, x = rows.columns[e], rows.values[e]
        slot = slot_of(column, n_slots, n_columns)
        key = tiles.keys[base + slot]
        while key >= 0 and key != column:
            slot = (slot + 1) & (n_slots - 1)
            key = tiles.keys[base + slot]
        if key < 0:
            continue
        begin, end = tiles.first[base + slot], tiles.last[base + slot]
        if delta == SQUARED:
            twice = 2.0 * x
            for p in range(begin, end):
                shared[tiles.places[p]] += twice * tiles.values[p]
        elif delta == ABSOLUTE:
            for p in range(begin, end):
                y = tiles.values[p]
                alike = (x > 0.0) == (y > 0.0)
                shared[tiles.places[p]] += 2.0 * min(abs(x), abs(y)) if alike else 0.0
        else:
            for p in range(begin, end):
                shared[tiles.places[p]] += 2.0 if x == tiles.values[p] else 1.0


@jit
def merged(rows: Rows, i: int, others: Rows, j: int, delta: int) -> float:
    """Σ_d δ of two rows over the union of their columns, so that nothing cancels."""
    total = 0.0
    p, p_stop = rows.starts[i], rows.starts[i + 1]
    q, q_stop = others.starts[j], others.starts[j + 1]
    while p < p_stop or q < q_stop:
        apart = 0.0
        if q == q_stop or (p < p_stop and rows.columns[p] < others.columns[q]):
            apart = rows.values[p]
            p += 1
        elif p == p_stop or others.columns[q] < rows.columns[p]:
            apart = others.values[q]
            q += 1
        else:
            apart = rows.values[p] - others.values[q]
            p += 1
            q += 1
        if delta == SQUARED:
            total += apart * apart
        elif delta == ABSOLUTE:
            total += abs(apart)
        else:
            total += 1.0 if apart != 0.0 else 0.0
    return total


@jit
def subtract(size: float, sizes: Float64Array, shared: Float64Array, out: Float64Array) -> np.int64:
    """Set out to size + sizes − shared, and count where this cancels."""
    canceled = np.int64(0)
    for j in range(out.shape[0]):
        both = size + sizes[j]
        out[j] = both - shared[j]
        canceled += np.int64(out[j] < _CANCELED * both)
    return canceled


@jit
def scale(value: Float64Array, factor: float, out: Float64Array) -> None:
    """Set out to factor · value; from 0 on, because compilers vectorize that."""
    for j in range(value.shape[0]):
        out[j] = factor * value[j]


@jit
def apply_phi(value: Float64Array, phi: int, parameter: float) -> None:
    """Replace each sum t by φ(t); powers that cost square roots only by these."""
    n = value.shape[0]
    if phi == POWER and parameter == 1.0:
        return
    if phi == POWER and parameter == 0.5:
        for j in range(n):
            value[j] = np.sqrt(value[j])
    elif phi == POWER and parameter == 0.25:
        for j in range(n):
            value[j] = np.sqrt(np.sqrt(value[j]))
    elif phi == POWER and parameter == 0.75:
        for j in range(n):
            root = np.sqrt(value[j])
            value[j] = root * np.sqrt(root)
    else:
        transform(value, phi, parameter)


@jit
def distances(
    rows: Rows,
    i: int,
    others: Rows,
    tiles: Tiles,
    t: int,
    start: int,
    stop: int,
    n_columns: int,
    rule: Rule,
    shared: Float64Array,
    value: Float64Array,
) -> None:
    """Set value[j] to ρ of row i and the row at place j of a tile, for j from start to stop.

    ``shared`` is as long as the tile, and zero before and after.
    """
    base = tiles.edges[t]
    add_shared(rows, i, tiles, t, n_columns, rule.delta, shared)
    size = rows.sizes[i]
    sums = value[start:stop]
    canceled = subtract(size, tiles.sizes[base + start : base + stop], shared[start:stop], sums)
    shared[: tiles.edges[t + 1] - base] = 0.0
    if canceled > 0:
        for j in range(start, stop):
            if value[j] < _CANCELED * (size + tiles.sizes[base + j]):
                value[j] = merged(rows, i, others, tiles.order[base + j], rule.delta)
    apply_phi(sums, rule.phi, rule.parameter)


@jit
def fill(
    rows: Rows,
    index: IntArray,
    others: Rows,
    tiles: Tiles,
    n_columns: int,
    rule: Rule,
    factor: float,
    out: Float64Array,
    first_row: int,
    last_row: int,
    left: int,
    right: int,
) -> None:
    """Set out[i, j] to factor · ρ of row index[i] and the row at place left + j, up to right."""
    longest = 0
    for t in range(tiles.edges.shape[0] - 1):
        longest = max(longest, tiles.edges[t + 1] - tiles.edges[t])
    shared, value = np.zeros(longest), np.empty(longest)
    for t in range(tiles.edges.shape[0] - 1):
        base = tiles.edges[t]
        start, stop = max(left - base, 0), min(right, tiles.edges[t + 1]) - base
        if start >= stop:
            continue
        for i in range(first_row, last_row):
            distances(rows, index[i], others, tiles, t, start, stop, n_columns, rule, shared, value)
            scale(value[start:stop], factor, out[i][base + start - left : base + stop - left])
