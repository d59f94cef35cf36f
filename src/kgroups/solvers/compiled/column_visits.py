"""Hartigan's rule on sums over columns, where bounds decide nearly all visits.

The gain of a move is w [s_j/(s_j − w) d_j² − s_l/(s_l + w) d_l²] with d the distances to centroids
in feature space, where ρ is a squared distance. So the triangle inequality holds: what a visit has
found about a point, how far at most it is from its own centroid and how far at least from any
other, holds later up to the way that centroids have gone since [Hamerly, SDM 2010]. What this does
not decide, chords of the sums over each bin may; the rest is computed in full. No move is missed,
and none is made that plain arithmetic would not.

Missing entries add terms of both signs, which do not round relative to what they add up to: where
there are some, every squared distance is taken to be off by the ``slack`` of the bounds. If ρ is
that of a space up to ε, squared distances to means are those of that space up to 2ε, so the same
covers terms that were themselves rounded.
"""

from typing import Any

import numpy as np

from kgroups.gram.compiled.sorted_columns import (
    COST_IN_VAIN,
    Bounds,
    Columns,
    Pending,
    Tables,
    approximate_sums,
    carry_over,
    rebuild,
    similarities,
    sums_of_point,
)
from kgroups.runtime.jit import jit
from kgroups.solvers.compiled.hartigan import best_target, is_sound
from kgroups.solvers.compiled.state import transfer
from kgroups.solvers.state import State
from kgroups.typing import BoolArray, Float64Array, IntArray


@jit
def stays(bounds: Bounds, point: int, w: float, state: State) -> bool:
    """Whether no other centroid can be nearer, in the sense of the gain, than the own one.

    Where another cluster has r times the weight that it had, √(s/(s + w)) is no less than √r times
    what it was, if r < 1, and no less than before otherwise.
    """
    source = state.labels[point]
    before = bounds.marks[bounds.mark[point]]
    shift, ratio = 0.0, 1.0
    for c in range(before.shape[1]):
        if c != source:
            shift = max(shift, bounds.way[c] - before[0, c])
            ratio = min(ratio, state.weight[c] * before[1, c])
    near = bounds.upper[point] + (bounds.way[source] - before[0, source])
    far = np.sqrt(ratio) * bounds.lower[point] - shift
    s = state.weight[source]
    nearest, farthest = (
        near * near * (1.0 + bounds.rounding) + bounds.slack,
        far * far - bounds.slack,
    )
    return bool(far > 0.0 and s > w and s * nearest < (s - w) * farthest)


@jit
def set_scales(state: State, scales: Float64Array) -> None:
    """Squared distances to centroids are scales[0] · R + scales[1]; scales[2] are weights.

    The distance to a centroid without weight is 0.
    """
    for c in range(scales.shape[1]):
        s = state.weight[c]
        scales[0, c] = -2.0 / s if s > 0.0 else 0.0
        scales[1, c] = state.within[c] / (s * s) if s > 0.0 else 0.0
        scales[2, c] = s


@jit
def remember(
    bounds: Bounds,
    point: int,
    source: int,
    w: float,
    sums: Float64Array,
    above: float,
    scales: Float64Array,
) -> None:
    """Bounds from sums that may be larger by ``above``, as of the latest mark."""
    least = np.inf
    for c in range(sums.shape[0]):
        mean, own, s = scales[0, c] * sums[c], scales[1, c], scales[2, c]
        slack = bounds.rounding * (abs(mean) + abs(own)) + bounds.slack
        if c == source:
            bounds.upper[point] = np.sqrt(max(0.0, mean + own + slack))
        else:
            squared = mean + own - slack + scales[0, c] * above
            least = min(least, squared * (s / (s + w)))
    bounds.lower[point] = np.sqrt(max(0.0, least))
    bounds.mark[point] = bounds.n_marks[0] - 1


@jit
def set_mark(bounds: Bounds, state: State) -> None:
    """From now on bounds are as of now."""
    last = bounds.n_marks[0]
    is_new = last == 0
    for c in range(bounds.way.shape[0]):
        is_new = is_new or bounds.marks[last - 1, 0, c] != bounds.way[c]
    if not is_new:
        return
    for c in range(bounds.way.shape[0]):
        s = state.weight[c]
        bounds.marks[last, 0, c] = bounds.way[c]
        bounds.marks[last, 1, c] = 1.0 / s if s > 0.0 else 1.0
    bounds.n_marks[0] += 1


@jit
def go(
    bounds: Bounds, source: int, target: int, w: float, sums: Float64Array, state: State
) -> None:
    """Lengthen the way of the two centroids that a move shifts."""
    for c in (source, target):
        s = state.weight[c]
        if s <= 0.0:
            continue  # its centroid was nowhere, and no bound was made then
        squared = -2.0 * sums[c, 0] / s + state.within[c] / (s * s) + bounds.slack
        rest = s - w if c == source else s + w
        bounds.way[c] += w * np.sqrt(max(0.0, squared)) / rest


@jit
def carry_pending(columns: Columns, tables: Tables, pending: Pending, count: int) -> None:
    """Move what is pending into the tables."""
    carry_over(
        columns,
        tables,
        pending.points[:count],
        pending.weights[:count],
        pending.sources[:count],
        pending.targets[:count],
    )
    rebuild(columns, tables)


@jit
def late_changes(
    columns: Columns,
    pending: Pending,
    count: int,
    point: int,
    alike: Float64Array,
    out: Float64Array,
    rough: Float64Array,
) -> None:
    """What pending moves change about the sums of a point; ``alike`` is scratch.

    IN-OUT: rough sums, to which it is added.
    """
    out[:] = 0.0
    similarities(columns, point, pending.x, pending.codes, pending.gaps, alike[:count])
    for m in range(count):
        change = pending.weights[m] * alike[m]
        out[pending.sources[m]] -= change
        out[pending.targets[m]] += change
    for c in range(out.shape[0]):
        rough[c] += out[c]


@jit
def entry(cluster: int, sum_: float, w: float, state: State) -> float:
    """The part of the gain of a move that its target decides."""
    s = float(state.weight[cluster])
    mean = float(state.within[cluster]) / s if s > 0.0 else 0.0
    return (2.0 * w * sum_ - w * mean) / (s + w)


@jit
def candidates(
    source: int,
    sums: Float64Array,
    above: float,
    bounds: Bounds,
    w: float,
    state: State,
    found: IntArray,
) -> int:
    """The own cluster and those that may be the best target, if sums may be larger by ``above``.

    IN-OUT: found, of which as many entries as are returned.
    """
    most = -np.inf
    for c in range(sums.shape[0]):
        if c != source:
            off = bounds.rounding * abs(sums[c]) + bounds.slack * state.weight[c]
            most = max(most, entry(c, sums[c] - off, w, state))
    found[0] = source
    count = 1
    for c in range(sums.shape[0]):
        if c != source:
            off = bounds.rounding * abs(sums[c]) + bounds.slack * state.weight[c]
            if entry(c, sums[c] + above + off, w, state) >= most:
                found[count] = c
                count += 1
    return count


@jit
def combine(
    rough: Float64Array,
    above: float,
    exact: Float64Array,
    late: Float64Array,
    found: IntArray,
    out: Float64Array,
) -> None:
    """Exact sums of the clusters that were found, and the most that the others may be."""
    for c in range(rough.shape[0]):
        out[c, 0] = rough[c] + above
    for c in found:
        out[c, 0] = exact[c] + late[c]


@jit
def copy(values: Any, into: Any) -> None:
    """Copy a row: a loop, because assigning arrays takes numba a second to compile."""
    for d in range(into.shape[0]):
        into[d] = values[d]


@jit
def screen(
    columns: Columns,
    tables: Tables,
    bounds: Bounds,
    weights: Float64Array,
    state: State,
    start: int,
    stop: int,
    is_open: BoolArray,
) -> None:
    """Which points from ``start`` to ``stop`` may move, by bounds or by chords.

    Nothing is pending, and a mark was just set. IN-OUT: bounds of these points, and is_open.
    """
    k = tables.totals.shape[1]
    part, sums, scales = np.empty(k), np.empty(k), np.empty((3, k))
    set_scales(state, scales)
    for point in range(start, stop):
        w, source = weights[point], state.labels[point]
        is_open[point] = False
        if w > 0.0 and not stays(bounds, point, w, state):
            above = approximate_sums(columns, tables, point, part, sums)
            remember(bounds, point, source, w, sums, above, scales)
            is_open[point] = not stays(bounds, point, w, state)


@jit
def visit_columns(
    columns: Columns,
    tables: Tables,
    bounds: Bounds,
    pending: Pending,
    weights: Float64Array,
    least: float,
    state: State,
    start: int,
    stop: int,
    is_open: BoolArray,
) -> int:
    """Visit some points in order; the number of moves. IN-OUT: tables, bounds and state.

    ``is_open`` says which of them may move as long as no other does.
    """
    k = state.members.shape[0]
    part, rough, late, exact = np.empty(k), np.empty(k), np.empty(k), np.empty(k)
    sums, found, alike = np.empty((k, 1)), np.empty(k, np.int64), np.empty(len(pending.points))
    scales, now = np.empty((3, k)), np.empty((3, k))
    set_scales(state, scales)
    moved, count, in_vain = 0, 0, 0
    for point in range(start, stop):
        w, source = weights[point], state.labels[point]
        if w == 0.0 or state.members[source] == 1:
            continue
        if not is_open[point] and (moved == 0 or stays(bounds, point, w, state)):
            continue
        above = approximate_sums(columns, tables, point, part, rough)
        if moved > 0:
            remember(bounds, point, source, w, rough, above, scales)
            if stays(bounds, point, w, state):
                continue
        late_changes(columns, pending, count, point, alike, late, rough)
        n_found = candidates(source, rough, above, bounds, w, state, found)
        sums_of_point(columns, tables, point, found[:n_found], part, exact)
        combine(rough, above, exact, late, found[:n_found], sums)
        target, gain = best_target(sums, 0, source, w, 0.0, state)
        is_real = gain > least and is_sound(sums, 0, target, point, w, 0.0, gain - least, state)
        if is_real:
            go(bounds, source, target, w, sums, state)
            transfer(sums, 0, point, target, w, 0.0, state)
            bounds.upper[point] = np.inf
            pending.points[count], pending.weights[count] = point, w
            pending.sources[count], pending.targets[count] = source, target
            copy(columns.x[point], pending.x[count])
            copy(columns.codes[point], pending.codes[count])
            copy(columns.gaps[point], pending.gaps[count])
            count += 1
            moved += 1
        else:
            set_scales(state, now)
            for c in range(k):  # because later weights are compared with these
                now[2, c] = min(now[2, c], scales[2, c])
            remember(bounds, point, source, w, sums[:, 0], 0.0, now)
            in_vain += 1
        if count > 0 and count + COST_IN_VAIN * in_vain >= pending.points.shape[0]:
            carry_pending(columns, tables, pending, count)
            set_mark(bounds, state)
            set_scales(state, scales)
            count, in_vain = 0, 0
    if count:
        carry_pending(columns, tables, pending, count)
        set_mark(bounds, state)
    return moved
