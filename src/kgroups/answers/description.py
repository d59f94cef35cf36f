"""Clusters in one row each: sizes, medoids, and every column compared with all rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy.sparse import csr_array, issparse

from kgroups.answers.characteristic_words import Words, characteristic_words
from kgroups.answers.profiles import CategoryProfile, NumberProfile, profiles
from kgroups.typing import Float64Array, IntArray


@dataclass(frozen=True, eq=False)
class Description:
    """What each cluster is; ``cells`` has one entry per cluster for each column of the table."""

    sizes: IntArray
    shares: Float64Array
    #: Rows of the fit that stand for the clusters, or None where they are not known.
    medoids: IntArray | None
    cells: tuple[tuple[str, tuple[str | float, ...]], ...] = ()

    @classmethod
    def of(
        cls,
        table: Any,
        labels: IntArray,
        weights: Float64Array,
        n_clusters: int,
        medoids: IntArray | None,
        names: Sequence[str] | None = None,
    ) -> Self:
        """The description of labels by a table, which is None where there are no columns."""
        totals = np.bincount(labels, weights, n_clusters)
        return cls(
            sizes=np.bincount(labels, minlength=n_clusters),
            shares=totals / totals.sum(),
            medoids=medoids,
            cells=tuple(_cells(table, labels, weights, n_clusters, names)),
        )

    def columns(self) -> dict[str, list[Any]]:
        """One row per cluster, by column; names that are taken get a number."""
        found: dict[str, list[Any]] = {
            "cluster": list(range(len(self.sizes))),
            "size": self.sizes.tolist(),
            "share": self.shares.tolist(),
        }
        if self.medoids is not None:
            found["medoid"] = self.medoids.tolist()
        for name, cells in self.cells:
            found[_free(name, found)] = list(cells)
        return found


def _cells(
    table: Any,
    labels: IntArray,
    weights: Float64Array,
    n_clusters: int,
    names: Sequence[str] | None,
) -> list[tuple[str, tuple[str | float, ...]]]:
    if table is None:
        return []
    is_sparse: bool = issparse(table)
    if is_sparse:
        called = [str(c) for c in range(table.shape[1])] if names is None else names
        words = Words(csr_array(table), called.__getitem__)
        found = characteristic_words(words, labels, weights, n_clusters)
        texts = tuple(", ".join(str(word) for word in cluster) for cluster in found)
        return [("heaviest columns", texts)]
    if not hasattr(table, "columns") and np.ndim(table) != 2:  # objects have no columns
        return []
    columns = profiles(table, labels, n_clusters, weights=weights, names=names).columns
    return [(column.name, tuple(_cell(column, j) for j in range(n_clusters))) for column in columns]


def _cell(column: NumberProfile | CategoryProfile, cluster: int) -> str | float:
    """Standard deviations from the mean, or ``red 80% (25%)`` with the share among all rows."""
    if isinstance(column, NumberProfile):
        return float(column.values[cluster])
    found = column.categories[cluster]
    if found is None:
        return ""
    return f"{found} {column.shares[cluster]:.0%} ({column.shares_of_all[cluster]:.0%})"


def _free(name: str, taken: dict[str, list[Any]]) -> str:
    """The name, or the first of ``name (2)``, ``name (3)``, … that is not taken."""
    found, number = name, 2
    while found in taken:
        found, number = f"{name} ({number})", number + 1
    return found
