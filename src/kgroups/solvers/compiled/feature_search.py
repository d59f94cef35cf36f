"""Whole searches on features: from labels to a one-move optimum in one compiled call.

In features the gain of a move is w [s_j/(s_j − w) d_j² − s_l/(s_l + w) d_l²] with d the Euclidean
distances to the centroids. They are computed by differences, so that nothing cancels. Two bounds a
point, on the distance to its own centroid and on the smallest √(s_l/(s_l + w)) d_l, say of most
points in most sweeps that they stay; centroids that move by δ change no distance by more than δ
[Hamerly, SDM 2010]. No move is missed, and none is made that plain arithmetic would not make.

Each block of points remembers the centroids of its last visit. What they have moved since then is
measured from end to end, which is far less than the sum of all single steps.

Loops over single numbers only: slices and expressions of arrays take long to compile.
"""

from collections.abc import Callable

import numpy as np
from numba import types
from numba.extending import overload

from kgroups.gram.compiled.held_rows import value
from kgroups.runtime.jit import jit, jit_in_place, jit_inlined
from kgroups.solvers.compiled.clusters import Bounds, Clusters, Means, Points, share
from kgroups.solvers.compiled.feature_products import (
    Narrow,
    Products,
    WideBounds,
    fill_lower_bounds,
    screen,
    stays,
)
from kgroups.typing import Float64Array, IntArray

# Costs that differ by a smaller share are equal: of equal ones the first cluster is taken.
_TIE = 2.0**-40
# Sweeps after which centroids are made anew.
_RENEW_AFTER = 16
#: A point of so many times the weight of the others in its cluster is nearly its centroid. There is
#: no more than one in a cluster.
HEAVY = 64.0
# The share by which a cost exceeds another one that it is surely above.
_SURELY = 2.0**-30
# Roundings of a distance, relative to the numbers that it is a difference of, counted generously.
ROUNDINGS = 2.0**-48


@jit_inlined
def feature(F: Points, i: int, d: int) -> float:
    """One feature of a point."""
    return float(F.held.scale * (value(F.held, i, d) - F.held.mean[d]))


@jit_inlined
def apart(F: Points, i: int, j: int, d: int) -> float:
    """x_i − x_j in one column; rows in float32 are not rounded to their type."""
    return float(value(F.held, i, d) - value(F.held, j, d))


@jit_in_place
def add_up(F: Points, C: Clusters) -> None:
    """Weights, members and centroids of the labels, as means of differences. OUT: C.

    Centroids are added up about a member of each cluster, so that clusters that are small and far
    from the mean of all keep their digits. Clusters come one after the other, so that loops over
    coordinates run in vectors.
    """
    k = len(C.weight)
    put_in_order(C)
    for cluster in range(k):
        s, members, anchor = 0.0, 0, -1
        for d in range(len(C.x)):
            C.x[d] = 0.0
        for place in range(C.first[cluster], C.first[cluster + 1]):
            i = C.order[place]
            w = F.weights[i]
            if w > 0.0:
                s += w
                members += 1
                if anchor < 0:
                    anchor = i
                for d in range(len(C.x)):
                    C.x[d] += w * apart(F, i, anchor, d)
        if anchor < 0:
            anchor = 0  # without members any row will do
        C.weight[cluster], C.members[cluster], C.anchors[cluster] = s, members, anchor
        for d in range(len(C.x)):
            C.beyond[d, cluster] = C.x[d] / (s if s > 0.0 else 1.0)
            first = value(F.held, anchor, d) - F.held.mean[d]
            C.centers[d, cluster] = (
                F.held.scale * (C.beyond[d, cluster] + first) if s > 0.0 else 0.0
            )


@jit_in_place
def put_in_order(C: Clusters) -> None:
    """The points of one cluster after those of another, by their numbers. OUT: order and first."""
    k = len(C.weight)
    for cluster in range(k + 1):
        C.first[cluster] = 0
    for i in range(len(C.labels)):
        C.first[C.labels[i] + 1] += 1
    for cluster in range(k):
        C.first[cluster + 1] += C.first[cluster]
    for i in range(len(C.labels)):
        C.order[C.first[C.labels[i]]] = i
        C.first[C.labels[i]] += 1
    for cluster in range(k, 0, -1):
        C.first[cluster] = C.first[cluster - 1]
    C.first[0] = 0


def _squared_distance(F: Points, C: Clusters, i: int) -> float:
    """Squared distance of a point to the place x."""
    total: float = 0.0
    for d in range(len(C.x)):
        apart = feature(F, i, d) - C.x[d]
        total += apart * apart
    return total


squared_distance = jit(_squared_distance, fastmath=frozenset({"contract", "reassoc"}), _nrt=False)


@jit_in_place
def add_up_dispersion(F: Points, C: Clusters) -> float:
    """W about the centroids, of labels whose order is known."""
    dispersion = 0.0
    for cluster in range(len(C.weight)):
        for d in range(len(C.x)):
            C.x[d] = C.centers[d, cluster]
        for place in range(C.first[cluster], C.first[cluster + 1]):
            i = C.order[place]
            if F.weights[i] > 0.0:
                dispersion += F.weights[i] * squared_distance(F, C, i)
    return dispersion


def _across_clusters(F: Points, C: Clusters | Means, point: int) -> None:
    n_columns, k = C.centers.shape
    for cluster in range(k):
        C.squared[cluster] = 0.0
    for d in range(n_columns):
        C.x[d] = feature(F, point, d)
        x = C.x[d]
        for cluster in range(k):
            apart = x - C.centers[d, cluster]
            C.squared[cluster] += apart * apart


def _gap(C: Clusters | Means, cluster: int) -> float:
    """Squared distance of the place x to a centroid."""
    total: float = 0.0
    for d in range(len(C.x)):
        apart = C.x[d] - C.centers[d, cluster]
        total += apart * apart
    return total


gap = jit(_gap, fastmath=frozenset({"contract", "reassoc"}), _nrt=False)


def _along_columns(F: Points, C: Clusters | Means, point: int) -> None:
    for d in range(len(C.x)):
        C.x[d] = feature(F, point, d)
    for cluster in range(len(C.squared)):
        C.squared[cluster] = gap(C, cluster)


def measure(F: Points, C: Clusters | Means, point: int) -> None:
    """Squared distances from a point to all centroids. OUT: x and squared of C."""
    _across_clusters(F, C, point)


# strict=False: annotations differ from numba's types. The decorator itself has none.
@overload(measure, strict=False, inline="always")  # type: ignore[untyped-decorator]
def _compiled_measure(F: types.Type, C: types.Type, point: types.Type) -> Callable[..., None]:
    is_wide = C.types[C.fields.index("centers")].layout == "F"
    return _along_columns if is_wide else _across_clusters


@jit_inlined
def measure_near(
    F: Points,
    C: Clusters | Means,
    room: Bounds | WideBounds | Products | Narrow,
    place: int,
    point: int,
    source: int,
) -> None:
    """Squared distances of a point to its own centroid and to all that may be better.

    For all others ``squared`` holds lower bounds, where products gave some. ``place`` is where the
    room has the point. OUT: x and squared of C.
    """
    if fill_lower_bounds(C, room, place):
        measure_candidates(F, C, point, source)
    else:
        measure(F, C, point)


@jit_inlined
def measure_candidates(F: Points, C: Clusters | Means, point: int, source: int) -> None:
    """Replace lower bounds by distances where a cluster may cost less than the point's own.

    IN-OUT: squared of C; OUT: x.
    """
    w, s = F.weights[point], C.weight[source]
    for d in range(len(C.x)):
        C.x[d] = feature(F, point, d)
    C.squared[source] = gap(C, source)
    leave = s / (s - w) * C.squared[source] * (1.0 + _SURELY)
    for cluster in range(len(C.squared)):
        if cluster != source and share(C.weight[cluster], w) * C.squared[cluster] <= leave:
            C.squared[cluster] = gap(C, cluster)


@jit_inlined
def move_centroid(F: Points, C: Clusters, cluster: int, point: int, w: float) -> None:
    """Take the point that was measured into a cluster, or out of it if w < 0. IN-OUT: C."""
    s, squared, anchor = C.weight[cluster], C.squared[cluster], C.anchors[cluster]
    part = w / (s + w)
    for d in range(len(C.x)):
        C.centers[d, cluster] += part * (C.x[d] - C.centers[d, cluster])
        C.beyond[d, cluster] += part * (apart(F, point, anchor, d) - C.beyond[d, cluster])
    C.weight[cluster] = s + w
    C.members[cluster] += 1 if w > 0.0 else -1
    C.shift[cluster] += (np.fabs(part) + ROUNDINGS) * np.sqrt(squared)
    C.squared[cluster] = (1.0 - part) * (1.0 - part) * squared


@jit_inlined
def cheapest(C: Clusters | Means, source: int, w: float) -> tuple[int, float, float]:
    """The other cluster that costs a measured point least to enter, its cost and the next one."""
    target, entry, next_entry = source, np.inf, np.inf
    for cluster in range(len(C.weight)):
        s = C.weight[cluster]
        # Most clusters cost more than two others, which is seen without a division.
        if s * C.squared[cluster] < next_entry * (s + w) and cluster != source:
            cost = share(s, w) * C.squared[cluster]
            if cost < entry * (1.0 - _TIE):
                target, entry, next_entry = cluster, cost, entry
            elif cost < next_entry:
                next_entry = cost
    return target, entry, next_entry


@jit_inlined
def exact_distance(F: Points, C: Clusters, cluster: int, point: int) -> float:
    """Squared distance to a centroid by the row that it is near, so that few digits cancel."""
    total, anchor = 0.0, C.anchors[cluster]
    for d in range(len(C.x)):
        gap = F.held.scale * (apart(F, point, anchor, d) - C.beyond[d, cluster])
        total += gap * gap
    return total


@jit_in_place
def cost_from_members(F: Points, C: Clusters, point: int) -> float:
    """What a point adds to the dispersion of the others in its cluster, from all rows. O(nD)."""
    w, cluster, others, squared = F.weights[point], C.labels[point], 0.0, 0.0
    for i in range(len(C.labels)):
        if C.labels[i] == cluster and i != point:
            others += F.weights[i]
    for d in range(len(C.x)):
        total = 0.0
        for i in range(len(C.labels)):
            if C.labels[i] == cluster:
                total += F.weights[i] * apart(F, i, point, d)
        mean = F.held.scale * total / others if others > 0.0 else 0.0
        squared += mean * mean
    return float(w * share(others, w) * squared)


@jit_in_place
def best_exactly(F: Points, C: Clusters, point: int, most: float) -> tuple[int, float]:
    """The best target and its gain, among clusters that a unit of weight costs at most ``most``."""
    w, source = F.weights[point], C.labels[point]
    best, least = source, np.inf
    for cluster in range(len(C.weight)):
        if cluster != source and share(C.weight[cluster], w) * C.squared[cluster] <= most:
            cost = share(C.weight[cluster], w) * exact_distance(F, C, cluster, point)
            if cost < least:
                best, least = cluster, cost
    heavy = C.weight[source] / (C.weight[source] - w)
    if heavy > HEAVY:
        return best, cost_from_members(F, C, point) - w * least
    return best, w * (heavy * exact_distance(F, C, source, point) - least)


@jit_inlined
def refresh(C: Clusters, bounds: Bounds | WideBounds, block: int, start: int, stop: int) -> None:
    """Bring the bounds of a block to the centroids as they are now, and remember these.

    Where √(s_l/(s_l + w)) has become smaller for a cluster, so has what is known of all of them.
    OUT: bounds, and a shift of 0.
    """
    n_columns, k = C.centers.shape
    for cluster in range(k):
        C.shift[cluster] = 0.0
    for d in range(n_columns):
        for cluster in range(k):
            gone = C.centers[d, cluster] - bounds.centers[block, d, cluster]
            C.shift[cluster] += gone * gone
            bounds.centers[block, d, cluster] = C.centers[d, cluster]
    farthest, most, second, ratio = 0, -1.0, 0.0, 1.0
    for cluster in range(k):
        gone = np.sqrt(C.shift[cluster])
        C.shift[cluster] = gone
        if gone > most:
            second = most if most > 0.0 else 0.0
            farthest, most = cluster, gone
        elif gone > second:
            second = gone
        then = share(bounds.centers[block, n_columns, cluster], bounds.heaviest)
        now = share(C.weight[cluster], bounds.heaviest)
        if now < ratio * then:
            ratio = now / then
        bounds.centers[block, n_columns, cluster] = C.weight[cluster]
    ratio = np.sqrt(ratio)
    for i in range(start, stop):
        cluster = C.labels[i]
        bounds.own[i] += C.shift[cluster] + bounds.slack[i]
        gone = second if cluster == farthest else most
        bounds.others[i] = ratio * (bounds.others[i] - gone) - bounds.slack[i]
    for cluster in range(k):
        C.shift[cluster] = 0.0


@jit_in_place
def visit_block(
    F: Points, C: Clusters, bounds: Bounds | WideBounds, block: int, least: float
) -> tuple[int, float]:
    """Visit the points of a block in order; number of moves and their gain. IN-OUT: C, bounds."""
    start = block * bounds.size
    stop = start + bounds.size
    if stop > len(C.labels):
        stop = len(C.labels)
    n_columns, k = C.centers.shape
    if k == 1:
        return 0, 0.0  # there is nowhere to go
    refresh(C, bounds, block, start, stop)
    screen(F, C, bounds, start, stop)
    gone = 0.0  # the farthest that any centroid has moved in this visit
    # s_l/(s_l + w) now over that at the beginning of the visit, at least; and the reverse.
    up = down = 1.0
    moved, gained = 0, 0.0
    for i in range(start, stop):
        w, source = F.weights[i], C.labels[i]
        s = C.weight[source]
        if w == 0.0 or C.members[source] == 1 or s <= w:
            continue
        own = bounds.own[i] + C.shift[source]
        others = bounds.others[i] - gone
        rest = s * (1.0 - ROUNDINGS) - w
        if others > 0.0 and s * own * own <= rest * up * others * others:
            continue
        if stays(C, bounds, i, start, block, w, rest):
            continue
        measure_near(F, C, bounds, i - start, i, source)
        target, entry, next_entry = cheapest(C, source, w)
        heavy = s / (s - w)
        leave = heavy * C.squared[source]
        gain = w * (leave - entry)
        # Of a heavy point both the distance to its centroid and the weight of the rest are rounded.
        far = np.sqrt(C.squared[source]) + np.sqrt(C.squared[target])
        slack = bounds.slack[i] + ROUNDINGS * far
        noise = heavy * (np.sqrt(C.squared[source]) + slack) * slack
        noise += heavy * ROUNDINGS * leave + (np.sqrt(entry) + slack) * slack
        if w * noise > least and np.fabs(gain - least) <= w * noise:
            target, gain = best_exactly(F, C, i, max(leave, entry) + 2.0 * noise)
            next_entry = entry  # the target may be another one
        if gain > least:
            move_centroid(F, C, source, i, -w)
            move_centroid(F, C, target, i, w)
            C.labels[i] = target
            moved += 1
            gained += gain
            entry = share(C.weight[source], w) * C.squared[source]
            for cluster in (source, target):
                then = share(bounds.centers[block, n_columns, cluster], bounds.heaviest)
                now = share(C.weight[cluster], bounds.heaviest)
                if now < up * then:
                    up = now / then
                if then < down * now:
                    down = then / now
                if C.shift[cluster] > gone:
                    gone = C.shift[cluster]
            source = target
        if next_entry < entry:
            entry = next_entry
        # As of the beginning of the visit, which is what the next one measures from.
        bounds.own[i] = np.sqrt(C.squared[source]) + C.shift[source]
        bounds.others[i] = np.sqrt(down * entry) - gone
    return moved, gained


@jit_in_place
def search(
    F: Points, C: Clusters, bounds: Bounds | WideBounds, tol: float, history: Float64Array
) -> tuple[int, int, bool]:
    """Sweep until no point moves, or as often as ``history`` has room.

    Centroids are made anew now and then, and before the sweep that finds nothing to move. Returns
    how many sweeps and moves were made, and whether the last sweep moved no point. IN-OUT: labels
    of C, bounds, and the history of what the dispersion has fallen by.
    """
    add_up(F, C)
    dispersion = add_up_dispersion(F, C)
    history[0] = 0.0
    n_moves, since = 0, 0
    for sweep in range(1, len(history)):
        moved, gained = 0, 0.0
        while True:
            least = tol * dispersion
            for block in range(len(bounds.centers)):
                found, gain = visit_block(F, C, bounds, block, least)
                moved += found
                gained += gain
                dispersion = dispersion - gain if gain < dispersion else 0.0
            since += moved
            if since == 0 or (moved > 0 and sweep % _RENEW_AFTER > 0):
                break
            add_up(F, C)
            dispersion = add_up_dispersion(F, C)  # which may be far less than it was
            since = 0
            if moved > 0:
                break
        n_moves += moved
        history[sweep] = history[sweep - 1] + gained
        if moved == 0:
            return sweep, n_moves, True
    if since > 0:
        add_up(F, C)
    return len(history) - 1, n_moves, False


@jit_in_place
def assign(F: Points, C: Clusters, start: int, labels: IntArray, distances: Float64Array) -> None:
    """The nearest centroid of each point from ``start`` on, and its squared distance. OUT: both."""
    for i in range(len(labels)):
        measure(F, C, start + i)
        nearest = 0
        for cluster in range(1, len(C.squared)):
            if C.squared[cluster] < C.squared[nearest]:
                nearest = cluster
        labels[i], distances[i] = nearest, C.squared[nearest]
