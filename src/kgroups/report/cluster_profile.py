"""What sets each cluster apart: columns of numbers that deviate, and categories that prevail."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from kgroups.fit.fitted import FittedClustering
from kgroups.report.characteristic_words import Characteristic, Words, characteristic_words
from kgroups.report.exemplars import Exemplar
from kgroups.runtime.scaling import columns_in_units
from kgroups.typing import BoolArray, Float64Array, IntArray

# Difference of two shares that rounding may make.
_ROUNDING = 1e-9
#: Columns named for a cluster.
N_COLUMNS = 3


class Deviation(NamedTuple):
    """How far a cluster's mean of a column lies from the mean of all, in standard deviations."""

    column: str
    sds: float

    def __str__(self) -> str:
        """The column with the signed number, as in ``petal length +1.3 sd``."""
        return f"{self.column} {self.sds:+.1f} sd"


class Prevalence(NamedTuple):
    """A category that a cluster has more often than all rows, with both shares of the weight.

    ``sds`` is the difference of the shares in standard deviations of having the category, so that
    it compares to a :class:`Deviation`.
    """

    column: str
    value: str
    share: float
    share_of_all: float

    @property
    def sds(self) -> float:
        """(share − share_of_all) / √(share_of_all (1 − share_of_all))."""
        p = self.share_of_all
        return (self.share - p) / math.sqrt(p * (1 - p))

    def __str__(self) -> str:
        """The category with its share of the cluster, as in ``species = setosa 98%``."""
        return f"{self.column} = {self.value} {self.share:.0%}"


@dataclass(frozen=True, kw_only=True)
class ClusterProfile:
    """One cluster; ``dispersion`` is its within dispersion per unit of weight."""

    size: int
    weight: float
    share: float
    dispersion: float | None
    deviations: tuple[Deviation, ...]
    #: The most characteristic category of each column that has one.
    prevalences: tuple[Prevalence, ...] = ()
    #: The words of sparse rows that are heaviest here, compared to all rows.
    words: tuple[Characteristic, ...] = ()
    #: Rows that can be shown, the nearest to the center first.
    exemplars: tuple[Exemplar, ...] = ()

    @property
    def sets_apart(self) -> tuple[Deviation | Prevalence | Characteristic, ...]:
        """Columns of both kinds that differ most from all rows, the farthest first; or words."""
        both: list[Deviation | Prevalence] = [*self.deviations, *self.prevalences]
        columns = sorted(both, key=lambda found: -abs(found.sds))[:N_COLUMNS]
        return (*columns, *self.words)


def cluster_profiles(
    model: FittedClustering,
    weights: Float64Array,
    table: Float64Array | None,
    names: Sequence[str],
    categories: Mapping[str, ArrayLike],
    *,
    words: Words | None = None,
    shown: Sequence[Sequence[Exemplar]] | None = None,
) -> tuple[ClusterProfile, ...]:
    """The clusters of a fitted estimator, described by columns of numbers and of categories.

    Sparse rows are described by ``words``, and rows that can be shown by those of ``shown``.
    """
    labels, totals = model.labels_, model.cluster_weights_
    k = len(totals)
    sizes = np.bincount(labels, minlength=k)
    dispersion = _mean_dispersion(model)
    found = deviations(labels, weights, totals, table, names)
    prevalences = [_prevalences(labels == j, weights, categories) for j in range(k)]
    heaviest = [()] * k if words is None else characteristic_words(words, labels, weights, k)
    return tuple(
        ClusterProfile(
            size=int(sizes[j]),
            weight=float(totals[j]),
            share=float(totals[j] / totals.sum()),
            dispersion=None if dispersion is None else float(dispersion[j]),
            deviations=found[j],
            prevalences=prevalences[j],
            words=heaviest[j],
            exemplars=() if shown is None else tuple(shown[j]),
        )
        for j in range(k)
    )


def _mean_dispersion(model: FittedClustering) -> Float64Array | None:
    """W_j / s_j; None for a Gram matrix, whose dispersion has no unit that people know."""
    if isinstance(model.metric_, str) and model.metric_ == "precomputed_kernel":
        return None
    return _per_weight(model.cluster_dispersions_, model.cluster_weights_)


def deviations(
    labels: IntArray,
    weights: Float64Array,
    totals: Float64Array,
    table: Float64Array | None,
    names: Sequence[str],
) -> list[tuple[Deviation, ...]]:
    """The columns that differ most in each cluster; none without a table."""
    if table is None or table.shape[1] == 0:
        return [() for _ in totals]
    gaps = np.isnan(table)
    has_gaps = bool(gaps.any())
    if has_gaps:  # those do not deviate
        table = np.where(gaps, _present_mean(table, gaps, weights), table)
    table = columns_in_units(table)  # so that no square over- or underflows
    mean = np.average(table, axis=0, weights=weights)
    spread = np.sqrt(np.average((table - mean) ** 2, axis=0, weights=weights))
    standard = np.divide(table - mean, spread, out=np.zeros_like(table), where=spread > 0)
    found = []
    for j, total in enumerate(totals):
        members = labels == j
        own = weights[members] @ ~gaps[members] if has_gaps else total
        shift = _per_weight(weights[members] @ standard[members], own)
        most = np.argsort(-np.abs(shift), kind="stable")[:N_COLUMNS]
        found.append(
            tuple(
                Deviation(names[c], float(shift[c]))
                for c in most
                if round(abs(float(shift[c])), 1) > 0
            )
        )
    return found


def _present_mean(table: Float64Array, gaps: BoolArray, weights: Float64Array) -> Float64Array:
    """The mean of the entries that are there, of each column; 0 without any."""
    present = weights @ ~gaps
    return _per_weight(weights @ np.where(gaps, 0.0, table), present)


def _prevalences(
    members: BoolArray, weights: Float64Array, categories: Mapping[str, ArrayLike]
) -> tuple[Prevalence, ...]:
    """For each column the category whose share exceeds that of all rows most, if one does."""
    found = []
    for column, given in categories.items():
        values, codes = np.unique(np.asarray(given), return_inverse=True)
        everywhere: Float64Array = np.bincount(codes, weights, len(values)).astype(np.float64)
        inside = np.bincount(codes[members], weights[members], len(values)).astype(np.float64)
        shares = _per_weight(inside, inside.sum()), everywhere / everywhere.sum()
        most = int(np.argmax(shares[0] - shares[1]))
        if shares[0][most] > shares[1][most] + _ROUNDING:
            pair = float(shares[0][most]), float(shares[1][most])
            found.append(Prevalence(column, str(values[most]), *pair))
    return tuple(found)


def _per_weight(sums: Float64Array, totals: ArrayLike) -> Float64Array:
    """Means from sums; 0 for a cluster without weight."""
    means = np.zeros(sums.shape)
    np.divide(sums, totals, out=means, where=np.asarray(totals) > 0)
    return means
