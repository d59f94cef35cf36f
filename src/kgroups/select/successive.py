"""Partitions of the same rows into 1, 2, 3, ... clusters, each found from the ones next to it."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from kgroups.gram import DenseGram, GramOperator
from kgroups.runtime import progress
from kgroups.solvers.hartigan import Hartigan
from kgroups.solvers.neighboring import Found, Neighboring, neighboring
from kgroups.solvers.objective import over_weight
from kgroups.solvers.partition import Partition
from kgroups.solvers.problem import Problem
from kgroups.solvers.starts import plus_plus
from kgroups.typing import IntArray

# How many of the possible splits are tried, those with the largest gain. With one of them W is .2 %
# above the best known on average over references and data of the suite of comparisons.counts,
# with three and a cold start .05 %, which eight starts and clusters grown anew reach as well.
_N_SPLITS = 3
# Partitions that are found anew: so many divided by k, but one at least.
_N_ANEW = 6
# The gain that counts, relative to |Q|. No criterion sees less, and rounding is far below it, so
# that sums which have been updated a thousand times need not be made anew.
_SOLVER = Hartigan(tol=1e-9)
# A partition is better if its Q is larger by more than this share.
_MARGIN = 1e-9


class Halves(NamedTuple):
    """A cluster cut in two: the sum of Q_j/s_j of both, and the points of the second."""

    objective: float
    leaving: IntArray


class Successive:
    """Partitions of n points into 1, 2, 3, ... clusters by Hartigan's method.

    The search for k + 1 clusters begins with the three best of the partitions that cut one of the
    k clusters in two, and once anew by k-means++. The search for k clusters begins again with the
    partition into k + 1, the two clusters merged whose union costs least, and as long as that is
    better, the search for k + 1 clusters begins again from there. So each partition is as good as
    that of many starts, but most of a search is known before it begins.

    A partition does not depend on which others are asked for. Time: about seven runs of the solver
    for each k, most of which begin close to their end and with sums that are known; O(nk) memory
    in addition to the operator.

    Sources: for splits and merges T. Kaukoranta, P. Fränti and O. Nevalainen, Optical Engineering
    37, 1998; for k + 1 clusters from k A. Likas, N. Vlassis and J. J. Verbeek, "The Global k-Means
    Clustering Algorithm", Pattern Recognition 36, 2003.
    """

    def __init__(
        self,
        operator: Callable[[IntArray], GramOperator],
        n: int,
        seed: int,
        *,
        origin_is_free: bool = True,
    ) -> None:
        self._operator = operator
        self._gram = operator(np.arange(n))
        self._free = origin_is_free
        self._weights = np.ones(n)
        self._rng = np.random.default_rng(seed)
        self._searches = self._neighboring(self._gram)
        self._partitions: list[Partition] = []
        self._candidate: Found | None = None
        self._halves: dict[bytes, Halves] = {}

    def partition(self, k: int) -> Partition:
        """The partition into k clusters, the largest first; k is at most the number of points."""
        with progress.quiet():
            while len(self._partitions) < k:
                self._find_next()
        return self._partitions[k - 1]

    def labels(self, k: int) -> IntArray:
        """The labels of this partition."""
        return self.partition(k).labels

    def within_dispersion(self, k: int) -> float:
        """W of this partition, which may be below zero unless ρ is of negative type."""
        return float(self._gram.diagonal().sum() - self.partition(k).objective)

    def _find_next(self) -> None:
        """Find the partition into one more cluster than those found, and a candidate for the next.

        Partitions alternate between k and k + 1 clusters while the one into k is improved.
        """
        k = len(self._partitions) + 1
        here, above = _best(self._anew(k), self._candidate), None
        while k < self._gram.n:
            above = _best(self._splits(here), above)
            below = _best(iter([self._searches.merged(above)]), here)
            if below is here:
                break
            here = below
        self._partitions.append(here.partition.largest_first(self._weights))
        self._candidate = above

    def _anew(self, k: int) -> Iterator[Found]:
        """Partitions found from seeds, each of different labels once; into one cluster only one."""
        problem, seen = self._searches.problem(k), set[bytes]()
        for _ in range(max(1, _N_ANEW // k)):
            labels = plus_plus(problem, self._rng, compiled_beyond=0)
            if labels.tobytes() not in seen:
                seen.add(labels.tobytes())
                yield self._searches.begun(labels, k)

    def _splits(self, found: Found) -> Iterator[Found]:
        """Partitions found from one cluster cut in two, those with the largest gains first."""
        one = found.partition
        before = over_weight(one.within, one.weight)
        gains, leaving = np.full(one.n_clusters, -np.inf), dict[int, IntArray]()
        for cluster in np.flatnonzero(one.weight > 1).tolist():
            halves = self._cut(np.flatnonzero(one.labels == cluster))
            gains[cluster] = halves.objective - before[cluster]
            leaving[cluster] = halves.leaving
        for cluster in np.argsort(-gains, kind="stable")[: min(_N_SPLITS, len(leaving))].tolist():
            yield self._searches.split(found, leaving[cluster])

    def _cut(self, rows: IntArray) -> Halves:
        """The cluster of these rows cut in two, from greedy seeds."""
        key = rows.tobytes()
        if key not in self._halves:
            searches = self._neighboring(self._part(rows))
            labels = plus_plus(searches.problem(2), self._rng, compiled_beyond=0)
            parts = searches.begun(labels, 2).partition
            self._halves[key] = Halves(parts.objective, rows[parts.labels == 1])
        return self._halves[key]

    def _neighboring(self, gram: GramOperator) -> Neighboring:
        """Searches on points of weight 1."""
        problem = Problem(gram, np.ones(gram.n), 1, origin_is_free=self._free)
        return neighboring(problem, _SOLVER)

    def _part(self, rows: IntArray) -> GramOperator:
        """The operator on some rows; from the nearest matrix that is held."""
        if len(rows) == self._gram.n:
            return self._gram
        return self._gram.part(rows) if isinstance(self._gram, DenseGram) else self._operator(rows)


def _best(some: Iterator[Found], known: Found | None) -> Found:
    """The best partition of some and the one known, which is kept if none is better."""
    best = next(some) if known is None else known
    for found in some:
        rise = found.partition.objective - best.partition.objective
        if rise > _MARGIN * abs(best.partition.objective):
            best = found
    return best
