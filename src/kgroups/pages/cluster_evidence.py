"""What speaks for the clusters of a fit: gaps between them, and whether they come back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy.sparse import csr_array, issparse

from kgroups.fit.fitted import FittedClustering
from kgroups.graphs.neighbors.neighbor_table import NeighborTable
from kgroups.input.columns import frame_of
from kgroups.input.rows import n_rows
from kgroups.select import ClusterSignificance, PairSignificance, cluster_significance
from kgroups.select.cluster_stability import ClusterStability, cluster_stability
from kgroups.select.held_out import LEVEL
from kgroups.select.neighbor_borders import N_NEIGHBORS
from kgroups.select.subject import Subject
from kgroups.typing import IntArray

#: Rows that are used; distances between objects take longer.
MAX_ROWS, MAX_OBJECTS = 2_000, 500
#: Bootstrap samples in which clusters are looked for again.
N_RESAMPLES = 20
#: With more clusters than this, pairs are too many to be tested.
MAX_TESTED = 15
#: With more than this, samples of the rows hold too few of each cluster.
MAX_FOUND_AGAIN = 60
# A cluster of fewer sampled rows than this cannot be found again for sure.
_LEAST_ROWS = 2
# Clusters of fewer rows show no gap, however far apart they are.
_FEW_ROWS = 10


@dataclass(frozen=True, kw_only=True, eq=False)
class Evidence:
    """Results on a sample of the rows; None with a reason where there are none."""

    n_rows: int
    n_given: int
    significance: ClusterSignificance | None
    stability: ClusterStability | None
    #: Why the results are missing, as sentences.
    reasons: tuple[str, ...] = ()
    #: Clusters by nearest neighbors, where clusters cut through groups of a table of numbers.
    n_curved: int | None = None
    #: Clusters with too few rows to be found again, which were left out.
    left_out: tuple[int, ...] = ()
    #: Clusters with too few rows to show a gap.
    few_rows: frozenset[int] = frozenset()

    @classmethod
    def of(cls, model: FittedClustering, X: Any, seed: int) -> Self:
        """Both results on at most 2,000 rows, or 500 objects, drawn by the seed."""
        k, n = len(model.cluster_weights_), len(model.labels_)
        rows = sampled(n, MAX_OBJECTS if are_objects(X) else MAX_ROWS, seed)
        n_drawn, sizes = len(rows), np.bincount(model.labels_[rows], minlength=k)
        examined = sizes >= _LEAST_ROWS
        rows = rows[examined[model.labels_[rows]]]
        reasons = list(_reasons(X, k, int(examined.sum())))
        significance = stability = n_curved = None
        if not reasons:
            part, labels = part_of(model, X, rows), model.labels_[rows]
            options: dict[str, Any] = {"metric": model.metric, "random_state": seed}
            stability = cluster_stability(part, labels, n_resamples=N_RESAMPLES, **options)
            if k <= MAX_TESTED and not (isinstance(model.metric, str) and is_sparse(X)):
                significance = cluster_significance(part, labels, **options)
                n_curved = _count_curved(part, **options) if significance.cut_through else None
            else:
                reasons.append(
                    f"Gaps between clusters were not tested: that is done for at most {MAX_TESTED} "
                    "clusters, and not on sparse matrices."
                )
        return cls(
            n_rows=n_drawn,
            n_given=n,
            significance=significance,
            stability=stability,
            reasons=tuple(reasons),
            n_curved=n_curved,
            left_out=tuple(np.flatnonzero(~examined).tolist()),
            few_rows=frozenset(np.flatnonzero(sizes < _FEW_ROWS).tolist()),
        )

    @property
    def n_neighbors(self) -> int:
        """Pairs of clusters next to each other, for which a gap was looked for."""
        return len(self._tested)

    @property
    def n_apart(self) -> int:
        """How many of these have a gap between them, at level 0.05."""
        return sum(pair.pvalue <= LEVEL for pair in self._tested if pair.pvalue is not None)

    @property
    def n_unseen(self) -> int:
        """How many of the others have too few rows for a gap to show."""
        return sum(self.is_unseen(pair) for pair in self._tested)

    def is_unseen(self, pair: PairSignificance) -> bool:
        """Whether a pair that shows no gap has too few rows for one."""
        is_apart = pair.pvalue is not None and pair.pvalue <= LEVEL
        return not is_apart and not self.few_rows.isdisjoint((pair.first, pair.second))

    @property
    def has_gap(self) -> bool:
        """Whether there is any gap, also one between unions of clusters."""
        return self.significance is not None and self.significance.any_separated()

    @property
    def cuts_through(self) -> bool:
        """Whether clusters cut through groups of rows that are linked from neighbor to neighbor."""
        return self.significance is not None and bool(self.significance.cut_through)

    @property
    def is_unjudged(self) -> bool:
        """Whether no gap shows where distances take few values, so that none needs to."""
        found = self.significance
        return found is not None and found.few_distances and not (self.has_gap or self.n_apart)

    @property
    def _tested(self) -> list[PairSignificance]:
        pairs = () if self.significance is None else self.significance.pairs
        return [pair for pair in pairs if pair.pvalue is not None]


def sampled(n: int, limit: int, seed: int) -> IntArray:
    """All rows, or ``limit`` of them drawn without replacement, in order."""
    if n <= limit:
        return np.arange(n)
    return np.sort(np.random.default_rng([seed, 7]).choice(n, limit, replace=False))


def part_of(model: FittedClustering, X: Any, rows: IntArray) -> Any:
    """Some rows of what the model was fitted on, of a matrix with their columns alone."""
    if len(rows) == len(model.labels_):
        return X
    if isinstance(model.metric, str) and model.metric.startswith("precomputed"):
        matrix: Any = csr_array(X) if is_sparse(X) else np.asarray(X)
        return matrix[rows][:, rows]
    return some_rows(X, rows)


def some_rows(X: Any, rows: IntArray) -> Any:
    """Some rows of a frame, an array, a sparse matrix or a sequence."""
    if is_sparse(X):
        return csr_array(X)[rows]
    if (frame := frame_of(X)) is not None:
        return frame[rows].to_native()
    if isinstance(X, np.ndarray):
        return X[rows]
    return [X[row] for row in rows.tolist()]


def is_sparse(X: Any) -> bool:
    """Whether rows are those of a sparse matrix."""
    return bool(issparse(X))


def are_objects(X: Any) -> bool:
    """Whether distances are between objects, which take longer than those of rows of a table."""
    return not (is_sparse(X) or hasattr(X, "columns") or getattr(X, "ndim", 1) == 2)


def _count_curved(part: Any, **options: Any) -> int | None:
    """How many clusters nearest neighbors find, None unless rows are numbers of a table."""
    subject = Subject.of(part, **options)
    if not subject.is_plain_table:
        return None
    return int(NeighborTable.of(subject.coordinates, N_NEIGHBORS).walk.max()) + 1


def _reasons(X: Any, k: int, n_examined: int) -> list[str]:
    """Why nothing can be said, each a sentence."""
    if k == 1:
        return ["There is one cluster, so there is nothing to tell apart."]
    if k > MAX_FOUND_AGAIN:
        return [f"This is examined for at most {MAX_FOUND_AGAIN} clusters; here are {k:,}."]
    if n_examined < 2:
        return [
            f"All clusters but one have fewer than {_LEAST_ROWS} of the rows that are used, so "
            "they cannot be looked for again."
        ]
    if n_rows(X) < 2 * k + 2:
        return ["There are too few rows to draw some of them again."]
    return []
