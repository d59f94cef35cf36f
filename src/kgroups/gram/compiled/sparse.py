"""Compiled loops over the stored entries of a sparse Gram matrix."""

from typing import Any, NamedTuple

import numpy as np

from kgroups.runtime.jit import jit
from kgroups.typing import Float64Array, IntArray


class Parts(NamedTuple):
    """G = S + diag(extra) + Σ_r c_r u_r u_rᵀ, and Σ_{y ∈ C_l} w_y u_r(y) by cluster."""

    indptr: Any  # (n + 1,) of S, in 32 or 64 bits
    indices: Any  # (nnz,)
    data: Float64Array  # (nnz,)
    extra: Float64Array  # (n,)
    columns: Float64Array  # (n, rank) u
    signs: Float64Array  # (rank,) c
    by_cluster: Float64Array  # (k, rank)


@jit
def sums_of_point(
    parts: Parts,
    labels: IntArray,
    weights: Float64Array,
    point: int,
    out: Float64Array,
    column: int,
) -> None:
    """R_l of one point for all clusters, into a column of ``out``: O(degree + k rank)."""
    for cluster in range(out.shape[0]):
        total = 0.0
        for r in range(parts.signs.shape[0]):
            total += parts.columns[point, r] * parts.signs[r] * parts.by_cluster[cluster, r]
        out[cluster, column] = total
    for entry in range(parts.indptr[point], parts.indptr[point + 1]):
        neighbor = parts.indices[entry]
        out[labels[neighbor], column] += weights[neighbor] * parts.data[entry]
    out[labels[point], column] += weights[point] * parts.extra[point]


@jit
def sums_of_points(
    parts: Parts, labels: IntArray, weights: Float64Array, start: int, out: Float64Array
) -> None:
    """R_l of the points from ``start`` on, shape (k, points)."""
    for column in range(out.shape[1]):
        sums_of_point(parts, labels, weights, start + column, out, column)


@jit
def own_sums(
    parts: Parts, labels: IntArray, weights: Float64Array, clusters: IntArray, out: Float64Array
) -> None:
    """R_l of each point for the one cluster that ``clusters`` names."""
    for point in range(out.shape[0]):
        own = clusters[point]
        total = 0.0
        for r in range(parts.signs.shape[0]):
            total += parts.columns[point, r] * parts.signs[r] * parts.by_cluster[own, r]
        for entry in range(parts.indptr[point], parts.indptr[point + 1]):
            neighbor = parts.indices[entry]
            if labels[neighbor] == own:
                total += weights[neighbor] * parts.data[entry]
        if labels[point] == own:
            total += weights[point] * parts.extra[point]
        out[point] = total


@jit
def largest_reach(parts: Parts, weights: Float64Array) -> float:
    """max_i Σ_y |w_i w_y (S + diag(extra))_iy|."""
    largest = 0.0
    for point in range(weights.shape[0]):
        total = abs(parts.extra[point]) * weights[point]
        for entry in range(parts.indptr[point], parts.indptr[point + 1]):
            total += abs(parts.data[entry]) * weights[parts.indices[entry]]
        largest = max(largest, total * weights[point])
    return largest


@jit
def add_product(
    indptr: Any,
    indices: Any,
    data: Float64Array,
    right: Float64Array,
    out: Float64Array,
    start: int,
    stop: int,
) -> None:
    """out[start:stop] += S[start:stop] @ right."""
    for row in range(start, stop):
        into = out[row]
        for entry in range(indptr[row], indptr[row + 1]):
            value = data[entry]
            vector = right[indices[entry]]
            for c in range(vector.shape[0]):
                into[c] += value * vector[c]


@jit
def contract(
    indptr: Any,
    indices: Any,
    data: Float64Array,
    share: Float64Array,
    groups: IntArray,
    n_groups: int,
) -> tuple[Float64Array, Any, Any]:
    """Data, indices and row starts of Σ_{x ∈ a, y ∈ b} share_x share_y S_xy."""
    n = groups.shape[0]
    first = np.zeros(n_groups + 1, np.int64)
    for point in range(n):
        first[groups[point] + 1] += 1
    first = np.cumsum(first)
    place = first[:-1].copy()
    members = np.empty(n, np.int64)
    for point in range(n):
        members[place[groups[point]]] = point
        place[groups[point]] += 1
    # Where the entry of a column stands in the row that is being made, if it is from ``begin`` on.
    entry_of = np.full(n_groups, -1, np.int64)
    starts = np.zeros(n_groups + 1, indptr.dtype)
    columns = np.empty(len(indices), indices.dtype)
    sums = np.empty(len(indices))
    size = 0
    for row in range(n_groups):
        begin = size
        for point in members[first[row] : first[row + 1]]:
            for entry in range(indptr[point], indptr[point + 1]):
                other = indices[entry]
                column = groups[other]
                value = share[point] * share[other] * data[entry]
                if entry_of[column] < begin:
                    entry_of[column] = size
                    columns[size] = column
                    sums[size] = value
                    size += 1
                else:
                    sums[entry_of[column]] += value
        starts[row + 1] = size
    return sums[:size].copy(), columns[:size].copy(), starts
