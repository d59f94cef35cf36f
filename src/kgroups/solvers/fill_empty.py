"""What becomes of clusters that run empty."""

import numpy as np

from kgroups.typing import Float64Array, IntArray


def fill_empty(labels: IntArray, cost: Float64Array, weights: Float64Array, k: int) -> None:
    """Give each empty cluster the costliest point of a cluster that can spare one, in place."""
    alive = weights > 0
    count = np.bincount(labels[alive], minlength=k)
    for empty in np.flatnonzero(count == 0):
        can_leave = alive & (count[labels] > 1)
        if not can_leave.any():
            return
        point = int(np.argmax(np.where(can_leave, cost, -np.inf)))
        count[labels[point]] -= 1
        count[empty] += 1
        labels[point] = empty
        cost[point] = -np.inf
