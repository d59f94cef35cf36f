"""Sums of ρ from new rows to the members of each cluster, of which no distance is kept."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kgroups.runtime.threads import blocks, default_threads, run
from kgroups.semimetrics.all_pairs import Points, Term
from kgroups.semimetrics.group_sums import Group, as_float64, sums_to_group
from kgroups.typing import Float64Array, IntArray

#: From this many pairs on, not keeping them saves more time than laying out the rows takes.
PAIRS_WORTH_GROUPS = 1 << 22
# New rows of one task: a multiple of 32, so that no sum depends on where they are cut.
_ROWS_AT_ONCE = 1 << 9


def sums_to_clusters(
    terms: Sequence[Term], n_new: int, labels: IntArray, weights: Float64Array, n_clusters: int
) -> Float64Array:
    r"""Σ_{y ∈ C_l} w_y ρ(x, y) from each new row to each cluster, (n_new, k), in float64.

    O(n_new n D) time and O(nD) memory. The terms are of the new rows, followed by the n rows that
    have labels.
    """
    points = Points.of(terms, n_new)
    new = as_float64(points, slice(0, n_new))
    out = np.zeros((n_new, n_clusters))
    pieces = blocks(0, n_new, _ROWS_AT_ONCE)
    for cluster in range(n_clusters):
        members = np.flatnonzero((labels == cluster) & (weights > 0))
        if not len(members):
            continue
        group = Group.of(as_float64(points, n_new + members).table, weights[members])

        def fill(piece: tuple[int, int], group: Group = group, cluster: int = cluster) -> None:
            rows = slice(*piece)
            out[rows, cluster] = sums_to_group(new, new.table[rows], group)

        for _ in run(fill, pieces, default_threads()):
            pass
    return out
