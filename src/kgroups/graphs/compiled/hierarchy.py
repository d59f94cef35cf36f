"""Communities that become one, the most densely linked pair of neighbors first."""

import numpy as np

from kgroups.runtime.jit import jit
from kgroups.typing import Float64Array, IndexArray, IntArray


@jit
def merge_neighbors(
    indptr: IndexArray, indices: IndexArray, data: Float64Array, volumes: Float64Array
) -> tuple[IntArray, Float64Array]:
    """Merges (steps, 2) of r and s of largest A(r, s)/(v_r v_s), with (weight, density) of each.

    A chain of nearest neighbors: its last two are merged when each is the nearest of the other. A
    community has the number of its first member. Merges come in the order of the chain, and no
    density is above those of the parts. O(neighbors) a step; neighbors are kept in linked lists,
    which are joined at once and cleared of what has become the same when they are read.
    """
    k, n_entries = volumes.shape[0], indices.shape[0]
    home, volumes, weight, target = np.arange(k), volumes.copy(), data.copy(), indices.copy()
    after, first, last = (
        np.full(n_entries, -1, np.int64),
        np.full(k, -1, np.int64),
        np.empty(k, np.int64),
    )
    for one in range(k):
        for entry in range(indptr[one], indptr[one + 1]):
            if indptr[one] == entry:
                first[one] = entry
            else:
                after[entry - 1] = entry
            last[one] = entry
    place, cap = np.full(k, -1, np.int64), np.full(k, np.inf)
    merges, values, steps = np.empty((k, 2), np.int64), np.empty((k, 2)), 0
    chain, rise, is_on_chain = np.empty(k, np.int64), np.zeros(k), np.zeros(k, np.bool_)
    for start in range(k):
        length = 0
        while True:
            if length == 0:
                if home[start] != start:
                    break
                chain[0], rise[0], length, is_on_chain[start] = start, 0.0, 1, True
            top = chain[length - 1]
            found = nearest(top, home, volumes, weight, target, after, first, last, place)
            near = target[found] if found >= 0 else -1
            density = density_of(weight[found], volumes[top], volumes[near]) if found >= 0 else 0.0
            if length == 1 and found < 0:
                is_on_chain[top] = False
                break
            if length == 1 or (density > rise[length - 1] and not is_on_chain[near]):
                chain[length], rise[length], is_on_chain[near] = near, density, True
                length += 1
                continue
            before = chain[length - 2]
            kept, gone = min(top, before), max(top, before)
            values[steps, 0] = weight_to(top, before, weight, target, after, first)
            cap[kept] = min(rise[length - 1], cap[kept], cap[gone])
            values[steps, 1] = cap[kept]
            merges[steps] = kept, gone
            steps += 1
            length -= 2
            is_on_chain[top] = is_on_chain[before] = False
            home[gone] = kept
            volumes[kept] += volumes[gone]
            after[last[kept]] = first[gone]
            last[kept] = last[gone]
    return merges[:steps], values[:steps]


@jit
def density_of(weight: float, one: float, other: float) -> float:
    """The weight between two communities over both volumes, the same from either side."""
    return weight / max(one, other) / min(one, other)


@jit
def nearest(
    one: int,
    home: IntArray,
    volumes: Float64Array,
    weight: Float64Array,
    target: IndexArray,
    after: IntArray,
    first: IntArray,
    last: IntArray,
    place: IntArray,
) -> int:
    """The entry of the densest positive link of a community, −1 if there is none.

    IN-OUT: its list, of which each neighbor has one entry then. ``place`` is −1 before and after.
    """
    entry, kept = first[one], -1
    while entry >= 0:
        other = root(home, target[entry])
        if other != one and place[other] >= 0:
            weight[place[other]] += weight[entry]
        elif other != one:
            target[entry], place[other] = other, entry
            if kept < 0:
                first[one] = entry
            else:
                after[kept] = entry
            kept = entry
        entry = after[entry]
    if kept < 0:
        first[one] = -1
        return -1
    after[kept], last[one] = -1, kept
    best, densest, entry = -1, 0.0, first[one]
    while entry >= 0:
        other = target[entry]
        place[other] = -1
        if weight[entry] > 0:
            density = density_of(weight[entry], volumes[one], volumes[other])
            if density > densest or (density == densest and other < target[best]):
                best, densest = entry, density
        entry = after[entry]
    return best


@jit
def weight_to(
    one: int,
    other: int,
    weight: Float64Array,
    target: IndexArray,
    after: IntArray,
    first: IntArray,
) -> float:
    """The weight between two communities, of which the list of the first has just been read."""
    entry = first[one]
    while entry >= 0:
        if target[entry] == other:
            return float(weight[entry])
        entry = after[entry]
    return 0.0


@jit
def root(home: IntArray, one: int) -> int:
    """The community that one is part of; shortens the way there."""
    while home[one] != one:
        home[one] = home[home[one]]
        one = home[one]
    return one


@jit
def sums_of_steps(merges: IntArray, weights: Float64Array, sums: Float64Array) -> Float64Array:
    """Sums (3, steps, 3) of both communities and of what they become; IN-OUT: ``sums`` (k, 3).

    Columns are nodes with edges, ends of edges inside, and ends of edges that leave.
    """
    out = np.empty((3, merges.shape[0], 3))
    for step in range(merges.shape[0]):
        kept, gone = merges[step]
        out[0, step], out[1, step] = sums[kept], sums[gone]
        sums[kept] += sums[gone]
        sums[kept, 1] += 2.0 * weights[step]
        sums[kept, 2] = max(sums[kept, 2] - 2.0 * weights[step], 0.0)
        out[2, step] = sums[kept]
    return out
