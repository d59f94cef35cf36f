"""All partitions of n points into k clusters, by restricted growth strings."""

import numpy as np

from kgroups.runtime.jit import jit
from kgroups.typing import Float64Array, IntArray


@jit
def best_partition(scaled: Float64Array, weights: Float64Array, k: int) -> IntArray:
    """Labels of the largest Σ Q_j/s_j; ``scaled`` is w_x w_y G(x, y). Depth first, no recursion."""
    n = scaled.shape[0]
    labels = np.full(n, -1, np.int64)
    used = np.zeros(n + 1, np.int64)  # clusters among the points before each depth
    best = labels.copy()
    best_value = -np.inf
    depth = 0
    while depth >= 0:
        if depth == n:
            value = partition_value(scaled, weights, labels, k)
            if value > best_value:
                best_value = value
                best[:] = labels
            depth -= 1
            continue
        labels[depth] += 1
        label = labels[depth]
        if label > used[depth] or label >= k:
            labels[depth] = -1
            depth -= 1
            continue
        now = max(used[depth], label + 1)
        if now + (n - depth - 1) < k:
            continue  # too few points are left to fill the other clusters
        used[depth + 1] = now
        depth += 1
    return best


@jit
def partition_value(scaled: Float64Array, weights: Float64Array, labels: IntArray, k: int) -> float:
    """Σ_j Q_j / s_j of one partition."""
    within = np.zeros(k)
    weight = np.zeros(k)
    for i in range(labels.shape[0]):
        weight[labels[i]] += weights[i]
        for j in range(labels.shape[0]):
            if labels[i] == labels[j]:
                within[labels[i]] += scaled[i, j]
    total = 0.0
    for j in range(k):
        if weight[j] > 0.0:
            total += within[j] / weight[j]
    return total
