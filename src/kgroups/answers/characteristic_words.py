"""The words that set clusters of sparse rows apart: those whose mean exceeds that of all rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kgroups.typing import Float64Array, IntArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array

#: Words named for a cluster.
N_WORDS = 6
# Difference of two means that rounding may make, relative to the larger.
_ROUNDING = 1e-9


class Words(NamedTuple):
    """Sparse rows, and what a column is called."""

    rows: csr_array
    name: Callable[[int], str]


class Characteristic(NamedTuple):
    """A word with its mean weight in a cluster and in all rows."""

    word: str
    mean: float
    mean_of_all: float

    def __str__(self) -> str:
        """The word alone: its weights have no unit."""
        return self.word


def characteristic_words(
    words: Words, labels: IntArray, weights: Float64Array, n_clusters: int
) -> list[tuple[Characteristic, ...]]:
    """For each cluster the words whose mean exceeds that of all rows most, the farthest first.

    O(entries + k D') time and O(entries + D') memory, D' the number of columns that are not empty;
    of equal ones the first column comes first.
    """
    from scipy.sparse import csr_array

    used, places = np.unique(words.rows.indices, return_inverse=True)
    n = len(labels)
    rows = csr_array((words.rows.data, places, words.rows.indptr), shape=(n, len(used)))
    of_cluster = csr_array((weights, (labels, np.arange(n))), shape=(n_clusters, n))
    sums, totals = csr_array(of_cluster @ rows), np.bincount(labels, weights, n_clusters)
    everywhere = np.asarray(rows.T @ weights) / totals.sum()
    found: list[tuple[Characteristic, ...]] = []
    for j, total in enumerate(totals.tolist()):
        if not total > 0:
            found.append(())
            continue
        inside = sums[[j]].toarray()[0] / total
        above = inside - everywhere
        most = np.argsort(-above, kind="stable")[:N_WORDS].tolist()
        found.append(
            tuple(
                Characteristic(words.name(int(used[c])), float(inside[c]), float(everywhere[c]))
                for c in most
                if above[c] > _ROUNDING * inside[c]
            )
        )
    return found
