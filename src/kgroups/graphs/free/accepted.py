"""How many communities, and which: those that the graph supports and that searches agree on.

The rule, in words. Communities are searched at several resolutions, and by other means. A partition
is *supported* if it shortens the description of the graph by more than chance would
(:func:`kgroups.graphs.evidence`), and *reproducible* if independent searches give nearly the same
one; that of the Bethe Hessian, if it is found again without a tenth of the edges. With weights, the
edges alone have to support it, or the weights more than they would in another order. The best
supported of the reproducible partitions is the answer. In a large graph, communities may be too
blurred for any one partition to be supported: those of the Bethe Hessian are the answer then, if
they are reproducible. A graph may also be too small for evidence: then the partition of largest
modularity is the answer, if searches agree on it, random graphs with the same degrees have less,
and each community has at least as many edges inside as nodes. Otherwise the graph is one community.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol

import numpy as np
from scipy.sparse import csr_array

from kgroups.graphs.free.agreement import adjusted_rand, agreement, nested
from kgroups.graphs.free.chance import is_beyond_chance
from kgroups.graphs.free.evidence import bits, in_edges, resolution_of
from kgroups.graphs.free.hierarchy import CommunityGraph
from kgroups.graphs.free.potts import PottsGraph
from kgroups.graphs.free.rewired import reweighted, rewired
from kgroups.graphs.free.search import QUICK, Found, agreed, search
from kgroups.input.adjacency import components, like
from kgroups.metrics.community_sums import CommunitySums
from kgroups.runtime import progress
from kgroups.runtime.progress import Progress
from kgroups.runtime.seeds import seeds_of
from kgroups.runtime.threads import Executor, Threads
from kgroups.typing import Float64Array, IntArray

# Resolutions are powers of this, from 1 on; steps become leaps after so many without more evidence.
_STEP, _PATIENCE, _LEAP, _LOWEST, _HIGHEST = 2.0**0.5, 3, 4, 2.0**-6, 2.0**12
# Searches at far larger resolutions, to see whether a coarse graph has hidden communities.
_PROBES = 3
# Nodes that a community has on the average, where finer ones are not looked for; and searches at
# the resolution of the best partition itself.
_NODES, _OWN = 3, 3
#: Evidence in bits, and mean adjusted Rand index between searches, from which a partition counts.
SUPPORTED, _AGREED = 3.0, 0.65
# Partitions as good as each other have evidence that differs by rounding.
_ROUNDING = 1e-9
# Share of the evidence of the answer from which another partition is worth a note.
_RIVAL = 0.5
# Share of pairs that a coarser partition keeps together, from which the finer one is part of it.
_NESTED = 0.8
# Searches that must agree: this many visits to edges in all, at most and at least so many.
_VISITS, _MOST, _LEAST = 4e5, 24, 4
# The same by other means.
_REPEATS = 3
# Nodes from which on reproducible communities may lack so many bits of evidence for each node.
_MANY, _PRICE = 500, 0.1
# Random graphs are drawn for at most so many edges. No more than the share of chance may be as
# modular; below _FEW nodes the larger share, and the answer is called weak.
_EDGES, _COPIES, _CHANCE = 2_000, 600, 0.01
_FEW, _WEAK_CHANCE = 20, 0.25
# Graphs with their weights in another order, none of which may have as much evidence, and how many
# of either kind are drawn at a time.
_SHUFFLED, _NONE = 40, 0.03
_FEW_AT_A_TIME, _AT_A_TIME = 5, 40


@dataclass(frozen=True)
class Candidate:
    """A partition into communities 0..k−1, the evidence for it in bits, and where it comes from."""

    labels: IntArray
    k: int
    evidence: float
    agreement: float
    objective: str
    resolution: float


@dataclass(frozen=True)
class Accepted:
    """The answer, and what decided: "evidence", "spectrum", "random graphs", "weak", "one"."""

    candidate: Candidate
    decided_by: str
    #: Different partitions with at least half the evidence, the best supported first.
    alternatives: tuple[Candidate, ...] = ()
    #: Number of communities and evidence of each partition that was looked at.
    looked_at: tuple[tuple[int, float], ...] = ()


class Search(Protocol):
    """Another means of search, with the name of what it optimizes."""

    objective: str

    def is_affordable(self, n_clusters: int | None) -> bool:
        """Whether to search, given the number of communities found so far, if any."""

    def labels(self, seed: int) -> IntArray:
        """The communities 0..k−1 that one search finds."""

    def again(self, seed: int) -> IntArray:
        """Those of another search, as independent of the first as may be."""


@dataclass(frozen=True, eq=False)
class Judge:
    """Evidence and agreement on one graph without isolated nodes.

    Its weights sum to a number of edges (:func:`~kgroups.graphs.free.evidence.in_edges`). Where it
    is a coarse graph, ``sizes`` are the numbers of nodes that stand behind each node.
    """

    A: csr_array
    sizes: Float64Array
    executor: Executor
    rng: np.random.Generator
    #: How many searches must agree; None is as many as are cheap.
    n_searches: int | None = None

    def accepted(self, found: Sequence[Candidate], others: Sequence[Search] = ()) -> Accepted:
        """The answer by the rule above from partitions at several resolutions.

        ``others`` are further means of search.
        """
        best, looked_at = self._best(found, self._repeated), [*found]
        blurred: Candidate | None = None
        for other in others:
            if other.is_affordable(None if best is None else best.k):
                one = self._candidate(other.labels(self._seed()), np.nan, other.objective)
                looked_at.append(one)
                if best is None or one.evidence > best.evidence * (1.0 + _ROUNDING):
                    again = partial(self._repeated_by, other)
                    better = self._best([one], again)
                    best = better or best
                    blurred = None if better else self._blurred(one, again)
        if best is not None:
            best, near = self._merged(best), self._near(best)
            agrees = agreement([one.labels for one in near])
            best = replace(best, agreement=min(best.agreement, agrees))
            answer = Accepted(best, "evidence", _alternatives(best, [*found, *near]))
        elif blurred is not None:
            answer = Accepted(blurred, "spectrum")
        else:
            answer = self._by_random_graphs()
        return replace(answer, looked_at=tuple((one.k, one.evidence) for one in looked_at))

    def _blurred(
        self, candidate: Candidate, repeated: Callable[[Candidate], Candidate]
    ) -> Candidate | None:
        """Communities of a large graph that are found again, though no partition is supported.

        Close to the limit of detectability most nodes are uncertain: many partitions are about as
        likely, and none of them pays for its description alone.
        """
        n = self.A.shape[0]
        if candidate.k == 1 or n < _MANY or candidate.evidence < -_PRICE * n:
            return None
        again = repeated(candidate)
        return again if again.agreement >= _AGREED else None

    def _merged(self, candidate: Candidate) -> Candidate:
        """The same with communities merged as long as that gives more evidence."""
        of = CommunityGraph.of_edges(self.A, self.sizes, candidate.labels, candidate.k)
        tree = of.hierarchy()
        evidence = np.array(tree.evidence)
        step = int(evidence.argmax())
        if evidence[step] <= evidence[0]:
            return candidate
        labels = tree.coarsened(candidate.labels, candidate.k - step)
        resolution = resolution_of(self.A, labels)
        merged = self._candidate(labels, resolution, candidate.objective)
        return replace(merged, agreement=candidate.agreement)

    def _best(
        self, candidates: Sequence[Candidate], repeated: Callable[[Candidate], Candidate]
    ) -> Candidate | None:
        """The best supported of the reproducible partitions, if there is one."""
        supported = [one for one in candidates if one.k > 1 and one.evidence >= SUPPORTED]
        for one in sorted(supported, key=lambda one: -one.evidence):
            again = repeated(one)
            if (
                again.agreement >= _AGREED
                and again.evidence >= SUPPORTED
                and self._is_beyond_weights(again)
            ):
                return again
        return None

    def _is_beyond_weights(self, candidate: Candidate) -> bool:
        """Whether edges alone support it, or the weights more than they do in another order.

        A few heavy edges shorten the description of any graph, as if they were many edges.
        """
        weights = self.A.data
        if not self._is_fine or (weights == weights[0]).all():
            return True
        edges = in_edges(like(self.A, np.ones_like(weights)))
        if replace(self, A=edges).evidence(candidate.labels) >= SUPPORTED:
            return True
        _tell("comparing with the same weights in another order")

        def of_shuffled(seed: np.random.SeedSequence) -> float:
            """The evidence found with the weights in another order."""
            rng = np.random.default_rng(seed)
            other = replace(self, A=reweighted(self.A, rng), executor=Threads(1), rng=rng)
            return max(one.evidence for one in other.by_resolution())

        seeds = np.random.SeedSequence(1).spawn(_SHUFFLED)
        draws = self._in_batches(of_shuffled, seeds, _FEW_AT_A_TIME)
        return is_beyond_chance(candidate.evidence, draws, _SHUFFLED, _NONE)

    @property
    def _is_fine(self) -> bool:
        """Whether nodes are those of the graph, not groups of them."""
        return bool((self.sizes == 1.0).all())

    # --- partitions ------------------------------------------------------------------------------

    def by_resolution(self, first: float = 1.0) -> list[Candidate]:
        """One search at each resolution, up and down from the first, and at the best one's own.

        Where evidence no longer grows the steps become leaps, because communities may have
        communities of their own, at quite another resolution.
        """
        _tell("searching at several resolutions")
        fewest = components(self.A)[0]
        ways = [(first, _STEP, self._generator()), (first / _STEP, 1.0 / _STEP, self._generator())]
        up, down = self.executor.map(lambda way: self._in_steps(*way, fewest), ways)
        found = [*up, *down]
        self._improve(found)
        return _different(found)

    def by_leaps(self, first: float) -> list[Candidate]:
        """One search at the resolution, and at a few that are far larger."""
        seeds = seeds_of(self.rng, _PROBES)
        ways = [(first * _STEP ** (_LEAP * i), seed) for i, seed in enumerate(seeds)]
        return list(
            self.executor.map(lambda way: self._at(way[0], np.random.default_rng(way[1])), ways)
        )

    def _in_steps(
        self, resolution: float, step: float, rng: np.random.Generator, fewest: int
    ) -> list[Candidate]:
        found: list[Candidate] = []
        best, patience = -np.inf, _PATIENCE
        while _LOWEST < resolution < _HIGHEST:
            found.append(one := self._at(resolution, rng))
            is_coarsest = step < 1.0 and one.k <= fewest
            is_finest = step > 1.0 and one.k * _NODES > self.A.shape[0]
            if is_coarsest or is_finest:
                break
            patience = _PATIENCE if one.evidence > best else patience - 1
            best = max(best, one.evidence)
            resolution *= step if patience > 0 else step**_LEAP
        return found

    def _improve(self, found: list[Candidate]) -> None:
        """Search on at the resolution that the best partition itself has, while evidence grows.

        Source: M. E. J. Newman, Phys. Rev. E 94, 052315 (2016).
        """
        rng = self._generator()
        best = max(found, key=lambda one: one.evidence)
        for _ in range(_OWN if best.evidence > 0.0 else 0):
            own = resolution_of(self.A, best.labels)
            if not _LOWEST < own < _HIGHEST:
                break
            found.append(one := self._at(own, rng))
            if one.evidence <= best.evidence:
                break
            best = one

    def _at(self, resolution: float, rng: np.random.Generator) -> Candidate:
        graph = PottsGraph.of_modularity(self.A, resolution)
        return self._candidate(search(graph, rng, worthwhile=QUICK).labels, resolution)

    def evidence(self, labels: IntArray) -> float:
        """The evidence for labels 0..k−1, in bits."""
        sums = CommunitySums.of(self.A, labels, int(labels.max()) + 1)
        size = np.bincount(labels, weights=self.sizes, minlength=len(sums.size))
        return bits(sums._replace(size=size))

    def _candidate(
        self, labels: IntArray, resolution: float, objective: str = "modularity"
    ) -> Candidate:
        k = int(labels.max()) + 1
        return Candidate(labels, k, self.evidence(labels), np.nan, objective, resolution)

    # --- agreement -------------------------------------------------------------------------------

    def _repeated(self, candidate: Candidate) -> Candidate:
        """Independent searches at the same resolution: their best, and how much they agree."""
        _tell(f"searching for {candidate.k:,} communities again")
        return self._most_evident(
            candidate, [one.labels for one in self._runs(candidate.resolution)]
        )

    def _repeated_by(self, other: Search, candidate: Candidate) -> Candidate:
        """Further searches by other means, and how much they and the first agree."""
        seeds = seeds_of(np.random.default_rng(0), _REPEATS)
        again = [other.again(seed) for seed in seeds]
        agrees = float(np.median([adjusted_rand(candidate.labels, labels) for labels in again]))
        return replace(candidate, agreement=agrees)

    def _near(self, best: Candidate) -> list[Candidate]:
        """What searches for modularity find where other means have found the best partition."""
        resolution = resolution_of(self.A, best.labels)
        if best.objective == "modularity" or not _LOWEST < resolution < _HIGHEST:
            return []
        return [self._candidate(one.labels, resolution) for one in self._runs(resolution)]

    def _most_evident(self, candidate: Candidate, runs: Sequence[IntArray]) -> Candidate:
        found = [self._candidate(z, candidate.resolution, candidate.objective) for z in runs]
        best = max([candidate, *found], key=lambda one: one.evidence)
        return replace(best, agreement=agreement(runs))

    def _runs(self, resolution: float) -> list[Found]:
        """Independent searches, with seeds of their own, so that agreement is not by luck."""
        graph = PottsGraph.of_modularity(self.A, resolution)
        count = self.n_searches or int(np.clip(_VISITS / self.A.nnz, _LEAST, _MOST))
        seeds = np.random.SeedSequence(0).spawn(max(count, _LEAST))
        return list(
            self.executor.map(
                lambda seed: search(graph, np.random.default_rng(seed), worthwhile=QUICK), seeds
            )
        )

    # --- random graphs ---------------------------------------------------------------------------

    def _by_random_graphs(self) -> Accepted:
        """The partition of largest modularity where random graphs have less, else one community."""
        runs = self._runs(1.0)
        agrees = agreement([one.labels for one in runs])
        if agrees >= _AGREED and self.A.nnz <= 2 * _EDGES:
            best = agreed(PottsGraph.of_modularity(self.A), runs, self._generator())
            candidate = replace(self._candidate(best.labels, 1.0), agreement=agrees)
            few = self.A.shape[0] < _FEW
            if (
                candidate.k > 1
                and _dense_inside(self.A, candidate)
                and self._is_beyond_chance(best.value, _WEAK_CHANCE if few else _CHANCE)
            ):
                return Accepted(candidate, "weak" if few else "random graphs")
        one = self._candidate(np.zeros(self.A.shape[0], np.int64), 1.0)
        return Accepted(replace(one, agreement=agrees), "one")

    def _is_beyond_chance(self, value: float, chance: float) -> bool:
        """Whether at most this share of random graphs with the same degrees is as modular.

        They have seeds of their own, so that the answer does not depend on luck.
        """
        _tell("comparing with random graphs")
        total = float(PottsGraph.of_modularity(self.A).sizes.sum())
        seeds = np.random.SeedSequence(0).spawn(_COPIES)
        draws = self._in_batches(self._of_random_graph, seeds, _AT_A_TIME)
        return is_beyond_chance(value / total, draws, _COPIES, chance)

    def _of_random_graph(self, seed: np.random.SeedSequence) -> float:
        """The largest modularity that two searches find in a random graph."""
        rng = np.random.default_rng(seed)
        graph = PottsGraph.of_modularity(rewired(self.A, rng))
        return max(search(graph, rng).value for _ in range(2)) / float(graph.sizes.sum())

    def _in_batches(
        self,
        draw: Callable[[np.random.SeedSequence], float],
        seeds: Sequence[np.random.SeedSequence],
        size: int,
    ) -> Iterator[list[float]]:
        for first in range(0, len(seeds), size):
            yield list(self.executor.map(draw, seeds[first : first + size]))

    def _seed(self) -> int:
        return seeds_of(self.rng, 1)[0]

    def _generator(self) -> np.random.Generator:
        return np.random.default_rng(self._seed())


def _tell(what: str) -> None:
    progress.tell(Progress(phase="plan", note=what))


def _different(found: Sequence[Candidate]) -> list[Candidate]:
    """The candidates without those of equal labels, the first kept."""
    return list({one.labels.tobytes(): one for one in reversed(found)}.values())[::-1]


def _alternatives(best: Candidate, found: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """Candidates with half its evidence that neither split nor join its communities, or others'."""
    kept = [best]
    for one in sorted(found, key=lambda one: -one.evidence):
        if one.k == 1 or one.evidence < _RIVAL * best.evidence:
            break
        if all(nested(one.labels, other.labels) < _NESTED for other in kept):
            kept.append(one)
    return tuple(kept[1:])


def _dense_inside(A: csr_array, candidate: Candidate) -> bool:
    """Whether each community has at least as many edges inside as nodes, so that none is a tree."""
    sums = CommunitySums.of(like(A, A.data), candidate.labels, candidate.k, counted=True)
    return bool((sums.inside / 2.0 >= sums.size).all())
