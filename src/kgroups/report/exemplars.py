"""Rows that stand for a cluster: those nearest to its center."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from kgroups.semimetrics.semimetric import Semimetric
from kgroups.typing import Float64Array, IntArray

#: Rows shown for a cluster.
N_EXEMPLARS = 4
# Members of a cluster that are compared: sums over so many show which are near the center.
_MOST_MEMBERS = 200


class Exemplar(NamedTuple):
    """A row, counted from 1, as it was written."""

    row: int
    text: str


def exemplars(
    metric: Semimetric | str,
    items: Sequence[Any],
    texts: Sequence[str],
    labels: IntArray,
    weights: Float64Array,
    n_clusters: int,
) -> list[tuple[Exemplar, ...]]:
    r"""For each cluster some of its rows, the nearest to its center first, each text once.

    The distance of x to the center is Σ_y w_y ρ(x, y) / s_j, up to a constant. Of a large cluster
    200 members are compared, evenly spaced: O(200² k) distances. None for a given matrix.
    """
    if isinstance(metric, str):
        return [() for _ in range(n_clusters)]
    return [
        _of_cluster(metric, items, texts, np.flatnonzero((labels == j) & (weights > 0)), weights)
        for j in range(n_clusters)
    ]


def _of_cluster(
    metric: Semimetric,
    items: Sequence[Any],
    texts: Sequence[str],
    members: IntArray,
    weights: Float64Array,
) -> tuple[Exemplar, ...]:
    if len(members) > _MOST_MEMBERS:
        members = members[np.linspace(0, len(members) - 1, _MOST_MEMBERS).astype(np.int64)]
    if not len(members):
        return ()
    distances = np.asarray(metric.pairwise([items[i] for i in members]), np.float64)
    order = members[np.argsort(distances @ weights[members], kind="stable")]
    first: dict[str, int] = {}
    for row in order.tolist():
        first.setdefault(texts[row], row)
    return tuple(Exemplar(row + 1, text) for text, row in list(first.items())[:N_EXEMPLARS])
