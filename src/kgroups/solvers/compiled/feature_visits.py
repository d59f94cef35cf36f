"""Hartigan's rule on features, where a cluster is a centroid and bounds decide most visits.

In features the gain of a move is w [s_j/(s_j − w) d_j² − s_l/(s_l + w) d_l²] with d the Euclidean
distances to centroids. They come from one matrix product for a block of points, rounded to the type
of the features. Until a point's turn comes, moves have shifted centroids; a shift by δ changes no
distance by more than δ [Elkan, ICML 2003]. So most points are seen to stay where they are, and the
others are computed in full: no move is missed, and none is made that plain arithmetic would not.
"""

import numpy as np

from kgroups.runtime.jit import jit
from kgroups.solvers.compiled.hartigan import best_target, is_sound
from kgroups.solvers.compiled.state import State, transfer
from kgroups.typing import Float64Array, FloatArray


def _product(vector: Float64Array, feature: Float64Array) -> float:
    """The inner product of two vectors."""
    total: float = 0.0
    for d in range(feature.shape[0]):
        total += vector[d] * feature[d]
    return total


product = jit(_product, fastmath=frozenset({"contract", "reassoc"}))


@jit
def squared_distance(cluster: int, product: float, norm: float, state: State) -> float:
    """Squared distance to a centroid, by the product with the sum of its features; may be < 0."""
    s = float(state.weight[cluster])
    return norm - 2.0 * product / s + float(state.within[cluster]) / (s * s)


@jit
def distance(cluster: int, product: float, norm: float, state: State) -> float:
    """Distance to a centroid; 0 to one without weight."""
    if state.weight[cluster] <= 0.0:
        return 0.0
    return float(np.sqrt(max(0.0, squared_distance(cluster, product, norm, state))))


@jit
def bound_distances(
    products: FloatArray, start: int, diagonal: Float64Array, state: State, lower: Float64Array
) -> None:
    """lower[i, l] ≤ distance of a point of the block to each centroid, as both are now."""
    # A product of m terms is off by a few roundings of the product of both norms.
    rounding = 32.0 * np.finfo(products.dtype).eps
    for cluster in range(lower.shape[1]):
        s = state.weight[cluster]
        own = state.within[cluster] / (s * s) if s > 0.0 else 0.0
        for i in range(lower.shape[0]):
            if s <= 0.0:
                lower[i, cluster] = 0.0
                continue
            norm = diagonal[start + i]
            squared = norm - 2.0 * products[i, cluster] / s + own - rounding * (norm + own)
            lower[i, cluster] = np.sqrt(max(0.0, squared))


@jit
def may_leave(
    lower: Float64Array, shift: Float64Array, source: int, own: float, w: float, state: State
) -> bool:
    """Whether some other cluster could be nearer, in the sense of the gain, than ``own`` allows."""
    s = state.weight[source]
    if s <= w:
        return False
    limit = s / (s - w) * own * own
    for target in range(shift.shape[0]):
        s = state.weight[target]
        least = max(0.0, lower[target] - shift[target])
        if target != source and s * least * least <= limit * (s + w):
            return True
    return False


@jit
def visit_features(
    features: FloatArray,
    products: FloatArray,
    start: int,
    vectors: Float64Array,
    diagonal: Float64Array,
    weights: Float64Array,
    least: float,
    state: State,
) -> int:
    """Visit the points of a block in order; the number of moves. IN-OUT: vectors and state."""
    moved = 0
    size, k = products.shape
    lower = np.empty((size, k))
    bound_distances(products, start, diagonal, state, lower)
    shift = np.zeros(k)
    sums = np.empty((k, 1))
    feature = np.empty(vectors.shape[1])
    for row in range(size):
        point = start + row
        w, norm = weights[point], diagonal[point]
        source = state.labels[point]
        if w == 0.0 or state.members[source] == 1:
            continue
        for d in range(feature.shape[0]):
            feature[d] = features[row, d]
        near = product(vectors[source], feature)
        own = distance(source, near, norm, state)
        if not may_leave(lower[row], shift, source, own, w, state):
            continue
        for cluster in range(k):
            sums[cluster, 0] = product(vectors[cluster], feature)
        g = w * w * norm
        target, gain = best_target(sums, 0, source, w, g, state)
        if not gain > least or not is_sound(sums, 0, target, point, w, g, gain - least, state):
            continue
        shift[source] += w * own / (state.weight[source] - w)
        if state.weight[target] > 0.0:
            far = distance(target, sums[target, 0], norm, state)
            shift[target] += w * far / (state.weight[target] + w)
        else:
            shift[target] = np.inf  # its centroid was nowhere
        transfer(sums, 0, point, target, w, g, state)
        for d in range(feature.shape[0]):
            vectors[source, d] -= w * feature[d]
            vectors[target, d] += w * feature[d]
        moved += 1
    return moved
