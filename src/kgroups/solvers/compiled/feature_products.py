"""Bounds on the distances of many points to all centroids, by one matrix product in float32.

Where points have many coordinates, a matrix product takes a fraction of the time of differences in
float64, and its rounding is known: a sum of D products is off by at most D roundings of the product
of both norms, in whatever order it is made [Higham, Accuracy and Stability of Numerical Algorithms,
section 3.1]. Points that such bounds leave in doubt are measured by differences.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numba import types
from numba.extending import overload

from kgroups.gram.compiled.held_rows import fill_features, squared_norm
from kgroups.runtime.jit import jit_inlined, jit_with_arrays
from kgroups.solvers.compiled.clusters import Bounds, Clusters, Means, Points, share
from kgroups.typing import Float32Array, Float64Array, IntArray

#: Fewer points than this are measured one by one.
FEW = 8
#: Squared norms between which no product of numbers in float32 overflows, and what underflows is
#: far below the rounding of their sum.
LEAST, MOST = 2.0**-60, 2.0**60


class Narrow(NamedTuple):
    """Room for points that are measured one by one."""

    open: IntArray  # (size,)


class Products(NamedTuple):
    """Room for the products of some points with all centroids."""

    open: IntArray  # (size,) points that are multiplied
    slot: IntArray  # (size,) where those in doubt stand among these; -1 for all if none was
    features: Float32Array  # (size, D)
    squared: Float64Array  # (size,) norms of the features
    single: Float32Array  # (D, k) centroids, column by column
    norms: Float64Array  # (k,) their squared norms
    products: Float32Array  # (size, k)
    rounding: float  # of a product, relative to half the sum of both squared norms


class WideBounds(NamedTuple):
    """:class:`Bounds`, and room for the products of a block of points with all centroids."""

    own: Float64Array  # (n,)
    others: Float64Array  # (n,)
    centers: Float64Array  # (blocks, D + 1, k)
    size: int
    heaviest: float
    slack: Float64Array  # (n,)
    open: IntArray  # (size,) points that the bounds leave open when a visit begins
    slot: IntArray  # (size,) where they stand among these; -1 for the others
    features: Float32Array  # (size, D)
    squared: Float64Array  # (size,) norms of the features
    single: Float32Array  # (D, k) centroids, column by column
    norms: Float64Array  # (k,) their squared norms
    products: Float32Array  # (size, k)
    rounding: float  # of a product, relative to half the sum of both squared norms


def _no_products(F: Points, C: Clusters, B: Bounds, start: int, stop: int) -> None:
    """Points with few coordinates are measured one by one."""


@jit_with_arrays
def multiply(F: Points, C: Clusters | Means, B: WideBounds | Products, n_open: int) -> None:
    """Products of the open points with all centroids. OUT: arrays of B."""
    n_columns, k = C.centers.shape
    fill_features(F.held, B.open[:n_open], B.features[:n_open])
    for row in range(n_open):
        B.squared[row] = squared_norm(B.features, row)
    B.norms[:] = 0.0
    for cluster in range(k):
        for d in range(n_columns):
            center = C.centers[d, cluster]
            B.single[d, cluster] = center
            B.norms[cluster] += center * center
    np.dot(B.features[:n_open], B.single, B.products[:n_open])


def _with_products(F: Points, C: Clusters, B: WideBounds, start: int, stop: int) -> None:
    n_open = 0
    for i in range(start, stop):
        B.slot[i - start] = -1
        w, source = F.weights[i], C.labels[i]
        s = C.weight[source]
        if w == 0.0 or C.members[source] == 1 or s <= w:
            continue
        if B.others[i] > 0.0 and s * B.own[i] * B.own[i] <= (s - w) * B.others[i] * B.others[i]:
            continue
        B.open[n_open] = i
        B.slot[i - start] = n_open
        n_open += 1
    if n_open < FEW:
        for i in range(start, stop):
            B.slot[i - start] = -1
    else:
        multiply(F, C, B, n_open)


def screen(F: Points, C: Clusters, bounds: Bounds | WideBounds, start: int, stop: int) -> None:
    """Products of the points of a block that bounds leave open, if there is room for them."""
    if isinstance(bounds, WideBounds):
        _with_products(F, C, bounds, start, stop)


# strict=False: annotations differ from numba's types. The decorator itself has none.
@overload(screen, strict=False, inline="always")  # type: ignore[untyped-decorator]
def _compiled_screen(
    F: types.Type, C: types.Type, bounds: types.Type, start: types.Type, stop: types.Type
) -> Callable[..., None]:
    return _with_products if bounds.instance_class is WideBounds else _no_products


@jit_inlined
def squared_at_least(B: WideBounds | Products, slot: int, cluster: int, sign: float) -> float:
    """A bound on a squared distance when the visit began: the least, or the most for sign 1."""
    norms = B.squared[slot] + B.norms[cluster]
    return float(norms - 2.0 * np.float64(B.products[slot, cluster]) + sign * B.rounding * norms)


@jit_inlined
def at_least(B: WideBounds | Products, slot: int, cluster: int) -> float:
    """The least that a squared distance was when the visit began; 0 beyond the range of float32."""
    if not (LEAST <= B.squared[slot] <= MOST and B.norms[cluster] <= MOST):
        return 0.0
    least = squared_at_least(B, slot, cluster, -1.0)
    return float(least if least > 0.0 else 0.0)


def _no_bounds(C: Clusters | Means, room: Bounds | Narrow, place: int) -> bool:
    return False


def _from_products(C: Clusters | Means, room: Products, place: int) -> bool:
    slot = room.slot[place]
    if slot >= 0:
        for cluster in range(len(C.squared)):
            C.squared[cluster] = at_least(room, slot, cluster)
    return bool(slot >= 0)


def _from_earlier_products(C: Clusters, room: WideBounds, place: int) -> bool:
    slot = room.slot[place]
    if slot >= 0:
        for cluster in range(len(C.squared)):
            near = np.sqrt(at_least(room, slot, cluster)) - C.shift[cluster]
            C.squared[cluster] = near * near if near > 0.0 else 0.0
    return bool(slot >= 0)


def fill_lower_bounds(
    C: Clusters | Means, room: Bounds | WideBounds | Products | Narrow, place: int
) -> bool:
    """Whether there are products of a point; then lower bounds on its squared distances.

    Centroids may have gone since the products of a visit were made. OUT: squared of C.
    """
    if isinstance(C, Clusters) and isinstance(room, WideBounds):
        return _from_earlier_products(C, room, place)
    if isinstance(room, Products):
        return _from_products(C, room, place)
    return False


@overload(fill_lower_bounds, strict=False, inline="always")  # type: ignore[untyped-decorator]
def _compiled_fill_lower_bounds(
    C: types.Type, room: types.Type, place: types.Type
) -> Callable[..., bool]:
    if room.instance_class is WideBounds:
        return _from_earlier_products
    return _from_products if room.instance_class is Products else _no_bounds


def _unknown(C: Clusters, B: Bounds, i: int, start: int, block: int, w: float, rest: float) -> bool:
    return False


def _by_products(
    C: Clusters, B: WideBounds, i: int, start: int, block: int, w: float, rest: float
) -> bool:
    slot, source = B.slot[i - start], C.labels[i]
    if slot < 0:
        return False
    if not LEAST <= B.squared[slot] <= MOST or not B.norms[source] <= MOST:
        return False
    most = squared_at_least(B, slot, source, 1.0)
    own = np.sqrt(max(most, 0.0))
    now = own + C.shift[source]
    leave = C.weight[source] * now * now
    n_columns, others = len(C.centers), np.inf
    for cluster in range(len(C.weight)):
        if cluster != source:
            if not B.norms[cluster] <= MOST:
                return False
            least = squared_at_least(B, slot, cluster, -1.0)
            if not least > 0.0:
                return False
            far = np.sqrt(least)
            near = far - C.shift[cluster]
            if not (near > 0.0 and leave < rest * share(C.weight[cluster], w) * near * near):
                return False
            then = share(B.centers[block, n_columns, cluster], w)
            others = min(others, np.sqrt(then) * far)
    B.own[i], B.others[i] = own, others
    return True


def stays(
    C: Clusters,
    bounds: Bounds | WideBounds,
    i: int,
    start: int,
    block: int,
    w: float,
    rest: float,
) -> bool:
    """Whether products prove that a point stays; its bounds are then those of the products."""
    if isinstance(bounds, WideBounds):
        return _by_products(C, bounds, i, start, block, w, rest)
    return False


@overload(stays, strict=False, inline="always")  # type: ignore[untyped-decorator]
def _compiled_stays(
    C: types.Type,
    bounds: types.Type,
    i: types.Type,
    start: types.Type,
    block: types.Type,
    w: types.Type,
    rest: types.Type,
) -> Callable[..., bool]:
    return _by_products if bounds.instance_class is WideBounds else _unknown
