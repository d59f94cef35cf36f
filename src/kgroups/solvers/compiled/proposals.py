"""Moves that points of a block propose against means that stand still, and how they are made.

In features the gain of a move is w [s_j/(s_j − w) d_j² − s_l/(s_l + w) d_l²] with d the Euclidean
distances to the centroids, computed by differences, so that nothing cancels. Two bounds per point,
on the distance to its own centroid and on the smallest √(s_l/(s_l + w)) d_l, say of most points
that they stay; centroids that move by δ change no distance by more than δ [Hamerly, SDM 2010].

What a block proposes depends on its own rows, labels and bounds, and on means that nobody changes
meanwhile; so blocks may be looked at in any order, anywhere. Proposals are then carried out one
after the other, each only if it still gains with the means as they are by then.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numba import types
from numba.extending import overload

from kgroups.gram.compiled.held_rows import value
from kgroups.runtime.jit import ZERO, jit, jit_in_place, jit_inlined
from kgroups.solvers.compiled.clusters import Means, Points, share
from kgroups.solvers.compiled.feature_products import (
    FEW,
    LEAST,
    MOST,
    Narrow,
    Products,
    multiply,
    squared_at_least,
)
from kgroups.solvers.compiled.feature_search import (
    HEAVY,
    ROUNDINGS,
    cheapest,
    feature,
    gap,
    measure_near,
)
from kgroups.typing import Float64Array, IntArray


class Block(NamedTuple):
    """Some points in order, and what is known of their distances without computing them."""

    first: int  # the number of the first of them
    labels: IntArray  # (m,)
    norms: Float64Array  # (m,) squared norms of their features
    own: Float64Array  # (m,) at least the distance to the own centroid
    others: Float64Array  # (m,) at most the smallest √(s_l/(s_l + w)) d_l of the other clusters


class Proposals(NamedTuple):
    """Moves that gain, and the bounds of their points where they are made."""

    rows: IntArray  # (p,) from the first of the block
    targets: IntArray  # (p,)
    own: Float64Array  # (p,)
    others: Float64Array  # (p,)


class Added(NamedTuple):
    """What some points add up to, about the places of anchors."""

    weight: Float64Array  # (k,)
    members: IntArray  # (k,) points with positive weight
    rest: Float64Array  # (k,) the weight without that of the anchor
    beyond: Float64Array  # (k, D) Σ w (x − place), in the unit of rows
    spread: Float64Array  # (k,) Σ w ‖x − place‖²


@jit_in_place
def find_heaviest(
    weights: Float64Array, labels: IntArray, anchors: IntArray, heaviest: Float64Array
) -> None:
    """The first of the heaviest points of each cluster so far. IN-OUT: anchors and heaviest."""
    for i in range(len(labels)):
        if weights[i] > heaviest[labels[i]]:
            heaviest[labels[i]] = weights[i]
            anchors[labels[i]] = i


def _add_one(F: Points, i: int, cluster: int, places: Float64Array, beyond: Float64Array) -> float:
    """The squared distance of a point to the place of its cluster. IN-OUT: beyond."""
    total: float = 0.0
    w = F.weights[i]
    for d in range(places.shape[1]):
        apart = value(F.held, i, d) - places[cluster, d]
        beyond[cluster, d] += w * apart
        total += apart * apart
    return total


add_one = jit(_add_one, fastmath=frozenset({"contract", "reassoc"}), _nrt=False)


@jit_in_place
def add_block(
    F: Points, first: int, labels: IntArray, anchors: IntArray, places: Float64Array, A: Added
) -> None:
    """Add up some points. O(D) each. IN-OUT: A."""
    for i in range(len(labels)):
        w, cluster = F.weights[i], labels[i]
        if w > 0.0:
            A.weight[cluster] += w
            A.members[cluster] += 1
            if first + i != anchors[cluster]:
                A.rest[cluster] += w
            A.spread[cluster] += w * add_one(F, i, cluster, places, A.beyond)


@jit_in_place
def renew_bounds(
    weights: Float64Array,
    M: Means,
    B: Block,
    gone: Float64Array,
    ratio: float,
    still_open: IntArray,
) -> int:
    """Bounds after centroids have gone so far; how many points they leave open.

    ``ratio`` is how much smaller √(s_l/(s_l + w)) has become at most. IN-OUT: bounds; OUT: the
    open points, (m,).
    """
    farthest, most, second = 0, -1.0, 0.0
    for cluster in range(len(gone)):
        if gone[cluster] > most:
            second = most if most > 0.0 else 0.0
            farthest, most = cluster, gone[cluster]
        elif gone[cluster] > second:
            second = gone[cluster]
    n_open = 0
    for i in range(len(B.labels)):
        source = B.labels[i]
        slack = ROUNDINGS * np.sqrt(B.norms[i])  # of distances to centroids near a point
        B.own[i] += gone[source] + slack
        B.others[i] = ratio * (B.others[i] - (second if source == farthest else most)) - slack
        if is_open(weights[i], M, B, i):
            still_open[n_open] = i
            n_open += 1
    return n_open


@jit_inlined
def is_open(w: float, M: Means, B: Block, i: int) -> bool:
    """Whether a point may leave, as far as its bounds and its cluster go."""
    source = B.labels[i]
    s = M.weight[source]
    if w == 0.0 or M.members[source] == 1 or s <= w:
        return False
    rest = s * (1.0 - ROUNDINGS) - w
    own, others = B.own[i], B.others[i]
    return bool(not (others > 0.0 and s * own * own <= rest * others * others))


def _all_in_doubt(F: Points, M: Means, B: Block, room: Narrow, n_open: int) -> int:
    """Points with few coordinates are all measured."""
    return n_open


def _by_products(F: Points, M: Means, B: Block, room: Products, n_open: int) -> int:
    if n_open < FEW:
        for place in range(n_open):
            room.slot[place] = -1
        return n_open
    multiply(F, M, room, n_open)
    n_left = 0
    for slot in range(n_open):
        i = room.open[slot]
        if not stays(F, M, B, room, slot, i):
            room.open[n_left], room.slot[n_left] = i, slot
            n_left += 1
    return n_left


@jit_inlined
def stays(F: Points, M: Means, B: Block, room: Products, slot: int, i: int) -> bool:
    """Whether products prove that a point stays; its bounds are then those of the products."""
    w, source = F.weights[i], B.labels[i]
    proved = LEAST <= room.squared[slot] <= MOST and room.norms[source] <= MOST
    own = np.sqrt(max(squared_at_least(room, slot, source, 1.0), 0.0))
    leave = M.weight[source] * own * own
    rest = M.weight[source] * (1.0 - ROUNDINGS) - w
    others = np.inf
    for cluster in range(len(M.weight)):
        if cluster != source:
            cost = share(M.weight[cluster], w) * squared_at_least(room, slot, cluster, -1.0)
            if not (room.norms[cluster] <= MOST and cost > 0.0 and leave < rest * cost):
                proved = False
                break
            others = min(others, np.sqrt(cost))
    if proved:
        B.own[i], B.others[i] = own, others
    return bool(proved)


def in_doubt(F: Points, M: Means, B: Block, room: Narrow | Products, n_open: int) -> int:
    """How many open points products leave in doubt, if there is room for them; these come first.

    IN-OUT: the open points of the room, and the bounds of those that stay.
    """
    if isinstance(room, Products):
        return _by_products(F, M, B, room, n_open)
    return n_open


# strict=False: annotations differ from numba's types. The decorator itself has none.
@overload(in_doubt, strict=False, inline="always")  # type: ignore[untyped-decorator]
def _compiled_in_doubt(
    F: types.Type, M: types.Type, B: types.Type, room: types.Type, n_open: types.Type
) -> Callable[..., int]:
    return _by_products if room.instance_class is Products else _all_in_doubt


def _to_mean(F: Points, M: Means, cluster: int, i: int) -> float:
    """Squared distance to a centroid by the row that it is near, so that few digits cancel."""
    total: float = 0.0
    for d in range(M.places.shape[1]):
        apart = F.held.scale * (value(F.held, i, d) - M.places[cluster, d] - M.beyond[cluster, d])
        total += apart * apart
    return total


to_mean = jit(_to_mean, fastmath=frozenset({"contract"}), _nrt=False)


@jit_inlined
def rest_of(M: Means, number: int, source: int, w: float) -> float:
    """The weight of a cluster without a member.

    Of one that is nearly all of it the difference has no digits, and what is added up is taken.
    """
    if number == M.anchors[source] and M.rest[source] > 0.0:
        return float(M.rest[source])
    return float(M.weight[source] - w)


@jit_in_place
def exact_leave(F: Points, M: Means, i: int, number: int, source: int) -> float:
    """What a unit of a point's weight costs in its cluster, with all digits."""
    w = F.weights[i]
    rest = rest_of(M, number, source, w)
    return float((rest + w) / rest * to_mean(F, M, source, i))


@jit_in_place
def noise_of(norm: float, heavy: float, near: float, far: float, entry: float) -> float:
    """Rounding of what a unit of weight gains, by squared distances to its two centroids.

    Of a heavy point both the distance to its centroid and the weight of the rest are rounded.
    """
    slack = ROUNDINGS * (np.sqrt(norm) + np.sqrt(near) + np.sqrt(far))
    noise = heavy * ((np.sqrt(near) + slack) * slack + ROUNDINGS * heavy * near)
    return float(noise + (np.sqrt(entry) + slack) * slack)


@jit_in_place
def best_exactly(
    F: Points, M: Means, i: int, number: int, source: int, most: float
) -> tuple[int, float]:
    """The best target and its gain, among clusters that a unit of weight costs at most ``most``."""
    w = F.weights[i]
    best, least = source, np.inf
    for cluster in range(len(M.weight)):
        if cluster != source and share(M.weight[cluster], w) * M.squared[cluster] <= most:
            cost = share(M.weight[cluster], w) * to_mean(F, M, cluster, i)
            if cost < least:
                best, least = cluster, cost
    return best, w * (exact_leave(F, M, i, number, source) - least)


@jit_in_place
def propose(
    F: Points,
    M: Means,
    B: Block,
    still_open: IntArray,
    least: float,
    room: Narrow | Products,
    P: Proposals,
) -> int:
    """How many of the open points propose a move that gains more than ``least``.

    Time: O(kD) for each open point. OUT: P; IN-OUT: bounds, and room.
    """
    n_found: int = ZERO
    size = len(room.open)
    for start in range(0, len(still_open), size):
        n_open = min(size, len(still_open) - start)
        for place in range(n_open):
            room.open[place] = still_open[start + place]
        n_open = in_doubt(F, M, B, room, n_open)
        for place in range(n_open):
            i = room.open[place]
            measure_near(F, M, room, place, i, B.labels[i])
            n_found += look(F, M, B, i, least, P, n_found)
    return n_found


@jit_in_place
def look(F: Points, M: Means, B: Block, i: int, least: float, P: Proposals, at: int) -> int:
    """What a point that was measured does; 1 if it proposes a move, else 0. OUT: P and bounds."""
    w, source = F.weights[i], B.labels[i]
    target, entry, next_entry = cheapest(M, source, w)
    heavy = M.weight[source] / (M.weight[source] - w)
    leave = heavy * M.squared[source]
    gain = w * (leave - entry)
    noise = noise_of(B.norms[i], heavy, M.squared[source], M.squared[target], entry)
    if w * noise > least and np.fabs(gain - least) <= w * noise:
        target, gain = best_exactly(F, M, i, B.first + i, source, max(leave, entry) + 2.0 * noise)
        next_entry = entry  # the target may be another one
    B.own[i] = np.sqrt(M.squared[source])
    B.others[i] = np.sqrt(min(entry, next_entry))
    if not gain > least:
        return 0
    P.rows[at], P.targets[at] = i, target
    P.own[at] = np.sqrt(M.squared[target])
    back = share(M.weight[source], w) * M.squared[source]
    P.others[at] = np.sqrt(min(next_entry, back))
    return 1


@jit_in_place
def carry_out(
    F: Points, M: Means, B: Block, P: Proposals, least: float, gained: float
) -> tuple[int, float]:
    """Make the moves that gain more than ``least``, in order; how many, and the gain so far.

    ``F`` holds the points of the proposals only. O(D) each. IN-OUT: M, labels and bounds of B.
    """
    n_moves = 0
    for j in range(len(P.rows)):
        i, target, w = P.rows[j], P.targets[j], F.weights[j]
        source = B.labels[i]
        s = M.weight[source]
        if M.members[source] == 1 or s <= w:
            continue
        gain = gain_of(F, M, B, j, i, source, target, least)
        if gain > least:
            leave_cluster(F, M, j, B.first + i, source)
            enter_cluster(F, M, j, B.first + i, target)
            B.labels[i] = target
            B.own[i], B.others[i] = P.own[j], P.others[j]
            n_moves += 1
            gained += gain
    return n_moves, gained


@jit_inlined
def gain_of(
    F: Points, M: Means, B: Block, j: int, i: int, source: int, target: int, least: float
) -> float:
    """The gain of one move, with the care that gains within rounding need. OUT: x of M."""
    w, s = F.weights[j], M.weight[source]
    for d in range(len(M.x)):
        M.x[d] = feature(F, j, d)
    heavy, near, far = s / (s - w), gap(M, source), gap(M, target)
    entry = share(M.weight[target], w) * far
    gain = float(w * (heavy * near - entry))
    noise = noise_of(B.norms[i], heavy, near, far, entry)
    if w * noise > least and np.fabs(gain - least) <= w * noise:
        leave = exact_leave(F, M, j, B.first + i, source)
        gain = w * (leave - share(M.weight[target], w) * to_mean(F, M, target, j))
    return gain


@jit_inlined
def leave_cluster(F: Points, M: Means, j: int, number: int, cluster: int) -> None:
    """Take the point at x out of its cluster. IN-OUT: M."""
    w = F.weights[j]
    rest = rest_of(M, number, cluster, w)
    part = w / rest
    for d in range(len(M.x)):
        apart = value(F.held, j, d) - M.places[cluster, d]
        M.centers[d, cluster] -= part * (M.x[d] - M.centers[d, cluster])
        M.beyond[cluster, d] -= part * (apart - M.beyond[cluster, d])
    M.weight[cluster] = rest
    M.members[cluster] -= 1
    if number == M.anchors[cluster]:
        M.anchors[cluster] = -1
    else:
        M.rest[cluster] -= w


@jit_inlined
def enter_cluster(F: Points, M: Means, j: int, number: int, cluster: int) -> None:
    """Take the point at x into a cluster, whose anchor it becomes if it is nearly all of it.

    IN-OUT: M.
    """
    w, s = F.weights[j], M.weight[cluster]
    is_new = M.members[cluster] == 0 or w > HEAVY * s
    part = w / (s + w)
    for d in range(len(M.x)):
        apart = value(F.held, j, d) - M.places[cluster, d]
        if is_new:
            M.places[cluster, d] = value(F.held, j, d)
            M.beyond[cluster, d] = (s / (s + w)) * (M.beyond[cluster, d] - apart)
        else:
            M.beyond[cluster, d] += part * (apart - M.beyond[cluster, d])
        M.centers[d, cluster] += part * (M.x[d] - M.centers[d, cluster])
    if is_new:
        M.anchors[cluster], M.rest[cluster] = number, s
    else:
        M.rest[cluster] += w
    M.weight[cluster] = s + w
    M.members[cluster] += 1
