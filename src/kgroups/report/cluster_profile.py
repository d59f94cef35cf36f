"""What sets each cluster apart: columns of numbers that deviate, and categories that prevail."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from kgroups.answers.characteristic_words import Characteristic, Words, characteristic_words
from kgroups.answers.profiles import Grouping, NumberProfile, category_profile, number_profile
from kgroups.fit.fitted import FittedClustering
from kgroups.report.exemplars import Exemplar
from kgroups.typing import Float64Array

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
    groups = Grouping(labels, weights, k)
    found, shares = deviations(groups, table, names), prevalences(groups, categories)
    heaviest = [()] * k if words is None else characteristic_words(words, labels, weights, k)
    return tuple(
        ClusterProfile(
            size=int(sizes[j]),
            weight=float(totals[j]),
            share=float(totals[j] / totals.sum()),
            dispersion=None if dispersion is None else float(dispersion[j]),
            deviations=found[j],
            prevalences=shares[j],
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
    groups: Grouping, table: Float64Array | None, names: Sequence[str]
) -> list[tuple[Deviation, ...]]:
    """The columns that differ most in each cluster; none without a table.

    Names of further columns, such as those of categories, may follow those of the table.
    """
    if table is None:
        return [()] * groups.n_clusters
    named = zip(table.T, names, strict=False)
    columns = [number_profile(values, name, groups) for values, name in named]
    return [_farthest(columns, cluster) for cluster in range(groups.n_clusters)]


def _farthest(columns: Sequence[NumberProfile], cluster: int) -> tuple[Deviation, ...]:
    """The columns that differ most in one cluster, without those that are printed as zero."""
    found = [Deviation(column.name, float(column.values[cluster])) for column in columns]
    found.sort(key=lambda deviation: -abs(deviation.sds))
    return tuple(one for one in found[:N_COLUMNS] if round(abs(one.sds), 1) > 0)


def prevalences(
    groups: Grouping, categories: Mapping[str, ArrayLike]
) -> list[tuple[Prevalence, ...]]:
    """For each cluster and column the category whose share exceeds that of all rows most."""
    columns = [
        category_profile(np.asarray(values).tolist(), name, groups)
        for name, values in categories.items()
    ]
    return [
        tuple(
            Prevalence(column.name, found, float(column.shares[j]), float(column.shares_of_all[j]))
            for column in columns
            if (found := column.categories[j]) is not None
        )
        for j in range(groups.n_clusters)
    ]


def _per_weight(sums: Float64Array, totals: ArrayLike) -> Float64Array:
    """Means from sums; 0 for a cluster without weight."""
    means = np.zeros(sums.shape)
    np.divide(sums, totals, out=means, where=np.asarray(totals) > 0)
    return means
