"""What sets each cluster apart: its size, how wide it is, and where its columns differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kgroups.typing import Float64Array, IntArray

#: Columns named for a cluster.
N_COLUMNS = 3


class Deviation(NamedTuple):
    """How far a cluster's mean of a column lies from the mean of all, in standard deviations."""

    column: str
    sds: float

    def __str__(self) -> str:
        """The column with the signed number, as in ``petal length +1.3 sd``."""
        return f"{self.column} {self.sds:+.1f} sd"


@dataclass(frozen=True, kw_only=True)
class ClusterProfile:
    """One cluster; ``dispersion`` is its within dispersion per unit of weight."""

    size: int
    weight: float
    share: float
    dispersion: float | None
    deviations: tuple[Deviation, ...]


def profiles(
    model: Any, weights: Float64Array, table: Float64Array | None, names: Sequence[str]
) -> tuple[ClusterProfile, ...]:
    """The clusters of a fitted estimator, described by the columns of ``table``."""
    labels, totals = model.labels_, model.cluster_weights_
    k = len(totals)
    sizes = np.bincount(labels, minlength=k)
    dispersion = _mean_dispersion(model)
    deviations = _deviations(labels, weights, totals, table, names)
    return tuple(
        ClusterProfile(
            size=int(sizes[j]),
            weight=float(totals[j]),
            share=float(totals[j] / totals.sum()),
            dispersion=None if dispersion is None else float(dispersion[j]),
            deviations=deviations[j],
        )
        for j in range(k)
    )


def _mean_dispersion(model: Any) -> Float64Array | None:
    """W_j / s_j; None for a Gram matrix, whose dispersion has no unit that people know."""
    if isinstance(model.metric_, str) and model.metric_ == "precomputed_kernel":
        return None
    return _per_weight(model.cluster_dispersions_, model.cluster_weights_)


def _deviations(
    labels: IntArray,
    weights: Float64Array,
    totals: Float64Array,
    table: Float64Array | None,
    names: Sequence[str],
) -> list[tuple[Deviation, ...]]:
    """The columns that differ most in each cluster; none where there is no table."""
    if table is None or table.shape[1] == 0:
        return [() for _ in totals]
    mean = np.average(table, axis=0, weights=weights)
    spread = np.sqrt(np.average((table - mean) ** 2, axis=0, weights=weights))
    standard = np.divide(table - mean, spread, out=np.zeros_like(table), where=spread > 0)
    found = []
    for j, total in enumerate(totals):
        members = labels == j
        shift = _per_weight(weights[members] @ standard[members], total)
        most = np.argsort(-np.abs(shift), kind="stable")[:N_COLUMNS]
        found.append(tuple(Deviation(names[c], float(shift[c])) for c in most if shift[c] != 0))
    return found


def _per_weight(sums: NDArray[Any], totals: Any) -> Float64Array:
    """Means from sums; 0 for a cluster without weight."""
    means = np.zeros(sums.shape)
    np.divide(sums, totals, out=means, where=np.asarray(totals) > 0)
    return means
