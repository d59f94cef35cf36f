"""Partitions of the same rows into 1, 2, 3, ... clusters, each found from the ones next to it."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from kgroups.gram import DenseGram, GramOperator
from kgroups.runtime import progress
from kgroups.solvers.foresight import cross_sums, merging_losses
from kgroups.solvers.hartigan import Hartigan
from kgroups.solvers.objective import over_weight
from kgroups.solvers.partition import Partition, begin
from kgroups.solvers.problem import Problem
from kgroups.solvers.restarts import BestOf, Start
from kgroups.solvers.starts import plus_plus
from kgroups.typing import IntArray

# How many of the possible splits are tried, those with the largest gain. With one of them W is .2 %
# above the best known on average over references and data of the suite of benchmarks.how_many,
# with three and a cold start .05 %, which eight starts with moves of whole clusters reach as well.
_N_SPLITS = 3
# Partitions that are found anew: so many divided by k, but one at least.
_N_ANEW = 6
# A partition is better if its Q is larger by more than this share.
_MARGIN = 1e-12


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
    for each k, most of which begin close to their end; O(n) memory for each k in addition to the
    operator.

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
        self._search = BestOf(solver=Hartigan(), margin=_MARGIN)
        self._found: list[Partition] = []
        self._candidate: Partition | None = None
        self._halves: dict[bytes, Halves] = {}

    def partition(self, k: int) -> Partition:
        """The partition into k clusters, the largest first; k is at most the number of points."""
        while len(self._found) < k:
            self._find_next()
        return self._found[k - 1]

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
        k = len(self._found) + 1
        anew = [self._anew(k) for _ in range(max(1, _N_ANEW // k))]
        here, above = self._best(k, anew, self._candidate), None
        while k < self._gram.n:
            above = self._best(k + 1, list(self._splits(here)), above)
            below = self._best(k, [self._merged(above)], here)
            if below is here:
                break
            here = below
        self._found.append(here.largest_first(self._weights))
        self._candidate = above

    def _best(self, k: int, starts: Sequence[IntArray], known: Partition | None) -> Partition:
        """The best partition from any of the starts, or the one known if none is better."""
        named = [Start(name="next", labels=partial(np.array, labels)) for labels in starts]
        with progress.quiet():
            found = self._search.solve(self._problem(k), named).best
        if known is None or found.objective - known.objective > _MARGIN * abs(known.objective):
            return found
        return known

    def _problem(self, k: int) -> Problem:
        return Problem(self._gram, self._weights, k, origin_is_free=self._free)

    def _anew(self, k: int) -> IntArray:
        return plus_plus(self._problem(k), self._rng)

    def _splits(self, found: Partition) -> Iterator[IntArray]:
        """Labels with one cluster cut in two, those with the largest gains first."""
        k, before = found.n_clusters, over_weight(found.within, found.weight)
        gains, leaving = np.full(k, -np.inf), dict[int, IntArray]()
        for cluster in np.flatnonzero(found.weight > 1).tolist():
            halves = self._cut(np.flatnonzero(found.labels == cluster))
            gains[cluster] = halves.objective - before[cluster]
            leaving[cluster] = halves.leaving
        for cluster in np.argsort(-gains, kind="stable")[: min(_N_SPLITS, len(leaving))].tolist():
            labels = found.labels.copy()
            labels[leaving[cluster]] = k
            yield labels

    def _cut(self, rows: IntArray) -> Halves:
        """The cluster of these rows cut in two, from greedy seeds."""
        key = rows.tobytes()
        if key not in self._halves:
            gram = self._gram
            part = gram.part(rows) if isinstance(gram, DenseGram) else self._operator(rows)
            problem = Problem(part, np.ones(len(rows)), 2, origin_is_free=self._free)
            with progress.quiet():
                parts = self._search.solver.solve(problem, plus_plus(problem, self._rng))
            self._halves[key] = Halves(parts.objective, rows[parts.labels == 1])
        return self._halves[key]

    def _merged(self, found: Partition) -> IntArray:
        """Labels with the two clusters merged whose union lowers Q least."""
        work = begin(self._problem(found.n_clusters), found.labels)
        losses = merging_losses(cross_sums(work.sums, work.state, self._weights), work.state)
        first, second = np.triu_indices(found.n_clusters, 1)
        cheapest = int(np.argmin(losses[first, second]))
        kept, freed = first[cheapest], second[cheapest]
        labels = np.where(found.labels == freed, kept, found.labels)
        labels[labels == found.n_clusters - 1] = freed
        return labels
