"""Communities whose number is not given: by the rule, or the largest modularity or Potts value."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol, Self

import numpy as np
from scipy.sparse import csr_array

from kgroups.exceptions import GraphNotice
from kgroups.graphs.bethe_hessian import average_degree_r
from kgroups.graphs.bethe_search import BetheSearch
from kgroups.graphs.community_estimator import has_edges
from kgroups.graphs.free.accepted import Accepted, Candidate, Judge
from kgroups.graphs.free.agreement import agreement
from kgroups.graphs.free.at_number import is_annealed
from kgroups.graphs.free.coarse import coarse_levels
from kgroups.graphs.free.evidence import bits_of, in_edges
from kgroups.graphs.free.potts import PottsGraph
from kgroups.graphs.free.search import QUICK, Found, agreed, search, settled
from kgroups.graphs.graph_objectives import BY_NAME
from kgroups.graphs.outcome import Outcome
from kgroups.runtime import progress
from kgroups.runtime.progress import Progress
from kgroups.runtime.seeds import check_random_state, seed_of, seeds_of
from kgroups.runtime.threads import Executor, Threads, effective_n_jobs
from kgroups.solvers import Hartigan, Problem
from kgroups.solvers.partition import Status
from kgroups.text import counted
from kgroups.typing import BoolArray, Float64Array, IntArray

# Searches that vote on the largest modularity.
_N_INIT = 6
# Visits to edges for which a large graph is searched from single nodes.
_VISITS = 1.2e7
# Share of the evidence of a finer search that communities of a coarse graph must have.
_AS_GOOD = 0.999


class FreeSettings(Protocol):
    """The parameters of a GraphKGroups that are used here."""

    n_init: Any
    max_iter: int
    random_state: Any
    n_jobs: int | None


@dataclass(eq=False)
class FreeSearch:
    """A graph, in which the nodes that have an edge are searched for communities.

    Each node without an edge gets a label of its own, after those of the communities.
    """

    A: csr_array
    edge_unit: float
    executor: Executor
    rng: np.random.Generator
    n_init: int | None
    max_iter: int

    @classmethod
    def of(cls, settings: FreeSettings, A: csr_array, edge_unit: float) -> Self:
        """The search with the parameters of an estimator."""
        rng = np.random.default_rng(seed_of(check_random_state(settings.random_state)))
        n_init = None if settings.n_init == "auto" else int(settings.n_init)
        executor = Threads(effective_n_jobs(settings.n_jobs))
        return cls(A, edge_unit, executor, rng, n_init, settings.max_iter)

    def accepted(self) -> Outcome:
        """The communities that the graph supports and that searches agree on."""
        found, labels = self._judged()
        one = found.candidate
        outcome = self._final(one, labels)
        return replace(
            outcome,
            selected_by="evidence",
            decided_by=found.decided_by,
            agreement=one.agreement,
            alternatives=tuple((other.k, other.evidence) for other in found.alternatives),
            looked_at=found.looked_at,
        )

    def _final(self, one: Candidate, labels: IntArray) -> Outcome:
        """Labels that no move of a node improves, unless there is less evidence for these."""
        moved = self._moved(one, labels, self.max_iter)
        before, after = _bits(self.part, labels), _bits(self.A, moved.labels)
        if moved.n_moves == 0 or after >= before:
            return replace(moved, values=(after,))
        as_it_was = self._moved(one, labels, max_iter=0)
        return replace(as_it_was, values=(before,), status=Status.SUPPORTED)

    def _moved(self, one: Candidate, labels: IntArray, max_iter: int) -> Outcome:
        """The communities after moves of single nodes, by the objective that found them."""
        if one.objective == "bethe_hessian":
            return self._by_bethe_hessian(labels, one.k, max_iter)
        graph = PottsGraph.of_modularity(self.part, one.resolution)
        if one.k == 1:
            best = Found(labels, (graph.value(labels),))
        else:
            best = settled(graph, labels, self.rng, max_iter=max_iter)
        return self._outcome("modularity", one.resolution, best, [best], 0)

    def _judged(self) -> tuple[Accepted, IntArray]:
        """The answer of the judge; on a large graph that of a coarse one, refined.

        A coarse graph may hide communities that its groups cut across. So its answer counts if a
        search on the next finer one finds none with more evidence.
        """
        A, first = in_edges(self.part), 1.0
        held: tuple[Accepted, IntArray] | None = None
        for level in coarse_levels(A, self.rng):
            judge = self._judge(level.A, level.sizes)
            if held is not None and _holds(held, judge):
                found, labels = held
                return found, level.refined(labels, found.candidate.resolution)
            candidates = judge.by_resolution(first)
            best = max(candidates, key=lambda one: one.evidence)
            held, first = None, best.resolution
            if best.k > 1 and level.resolves(best.k):
                found = judge.accepted(candidates)
                one = found.candidate
                if one.k > 1 and level.resolves(one.k):
                    held = found, level.finer(one.labels, one.resolution)
        judge = self._judge(A, np.ones(A.shape[0]))
        if held is not None and _holds(held, judge):
            return held
        other = BetheSearch(self.part, self.r, self.executor)
        found = judge.accepted(judge.by_resolution(first), [other])
        return found, found.candidate.labels

    def _judge(self, A: csr_array, sizes: Float64Array) -> Judge:
        return Judge(A, sizes, self.executor, self.rng, self.n_init)

    def largest(self, objective: str, resolution: float) -> Outcome:
        """The partition of largest modularity or Potts value that searches and their votes find."""
        best, runs = self._voted(self._graph(objective, resolution))
        outcome = self._outcome(objective, resolution, best, [*runs, best], len(runs))
        if objective == "cpm" and outcome.k == self.part.shape[0]:
            self._tell_of_single_nodes(resolution)
        return replace(
            outcome,
            decided_by="objective",
            agreement=agreement([one.labels for one in runs]) if len(runs) > 1 else None,
        )

    def labels_of_largest(self, objective: str, resolution: float) -> IntArray:
        """The labels of that partition, with nodes without an edge alone.

        A large graph is searched once, on its coarsest level if it has any.
        """
        graph = self._graph(objective, resolution)
        if is_annealed(graph):
            best, _ = self._voted(graph)
        else:
            begun = self._from_coarse(graph)
            best = begun[0] if begun else search(graph, self.rng, worthwhile=QUICK)
        labels = int(best.labels.max()) + np.cumsum(~self.linked)
        labels[self.linked] = best.labels
        return np.asarray(labels, np.int64)

    def _graph(self, objective: str, resolution: float) -> PottsGraph:
        """The nodes that have an edge, with the objective."""
        if objective == "cpm":
            return PottsGraph.of_constant(self.part, resolution / self.edge_unit)
        return PottsGraph.of_modularity(self.part, resolution)

    def _voted(self, graph: PottsGraph) -> tuple[Found, list[Found]]:
        """The best that comes of independent searches, and what each of them has found."""
        runs = self._from_coarse(graph)
        worthwhile = QUICK if runs else 0.0
        seeds = seeds_of(self.rng, self._n_searches(len(runs)))

        def run_of(seed: int) -> Found:
            rng = np.random.default_rng(seed)
            return search(graph, rng, max_iter=self.max_iter, worthwhile=worthwhile)

        for run in self.executor.map(run_of, seeds):
            runs.append(run)
            found = counted(int(run.labels.max()) + 1, "community", "communities")
            progress.tell(Progress(phase="level", number=len(runs), total=len(seeds), note=found))
        rng = np.random.default_rng(seed_of(self.rng))
        return agreed(graph, runs, rng, max_iter=self.max_iter, worthwhile=worthwhile), runs

    def _tell_of_single_nodes(self, resolution: float) -> None:
        """A notice that every node is a community, where a smaller resolution would help."""
        n = self.part.shape[0]
        density = float(self.part.data.sum()) / max(n * (n - 1.0), 1.0) * self.edge_unit
        if density < resolution:
            message = (
                f"each of {n:,} nodes is a community of its own: a community needs more than "
                f"resolution={resolution:g} of weight for each pair of its nodes. The whole graph "
                f"has {density:.3g}; try a resolution between the two."
            )
            warnings.warn(message, GraphNotice, stacklevel=5)

    def _from_coarse(self, graph: PottsGraph) -> list[Found]:
        """On a large graph, what searches on its coarsest one find, refined; else nothing."""
        level = next(coarse_levels(self.part, self.rng), None)
        if level is None:
            return []
        small = level.of(graph)
        runs = [search(small, self.rng, max_iter=self.max_iter) for _ in range(_N_INIT)]
        best = agreed(small, runs, self.rng, max_iter=self.max_iter)
        labels = level.refined(best.labels, graph=graph)
        return [search(graph, self.rng, labels, max_iter=self.max_iter, worthwhile=QUICK)]

    def _n_searches(self, n_begun: int) -> int:
        """How many searches begin with single nodes: fewer where others have begun."""
        return self.n_init or (int(min(_N_INIT, _VISITS / self.part.nnz)) if n_begun else _N_INIT)

    @cached_property
    def linked(self) -> BoolArray:
        """Which nodes have an edge."""
        return has_edges(self.A)

    @cached_property
    def part(self) -> csr_array:
        """The graph of the nodes that have an edge."""
        if self.linked.all():
            return self.A
        return csr_array(self.A[self.linked][:, self.linked])

    @cached_property
    def r(self) -> float:
        """The regularizer of the Bethe Hessian, to which nodes without edges add nothing."""
        return average_degree_r(self.part)

    def _outcome(
        self, objective: str, resolution: float, best: Found, runs: list[Found], kept: int
    ) -> Outcome:
        """What a search found, in the units of the graph."""
        per_unit = self.edge_unit if objective == "cpm" else 1.0
        ones = np.ones(self.part.shape[0])
        problem = BY_NAME[objective](self.part, ones, self.r, resolution / per_unit)
        named = problem.in_units(self.edge_unit, 1.0).named
        k = int(best.labels.max()) + 1
        found = Outcome(
            objective=objective,
            labels=best.labels,
            k=k,
            weights=ones,
            weight_unit=1.0,
            history=np.array([named(value, k) for value in best.history]),
            n_moves=best.n_moves,
            status=Status.CONVERGED if best.converged else Status.MAX_ITER,
            names=tuple("levels" if i < kept or kept == 0 else "agreed" for i in range(len(runs))),
            values=tuple(named(one.value, k) for one in runs),
            kept=kept,
            selected_by="objective",
            resolution=resolution,
        )
        return found.numbered().among(self.linked)

    def _by_bethe_hessian(self, labels: IntArray, k: int, max_iter: int) -> Outcome:
        """Communities that were found by the Bethe Hessian, as its solver leaves them."""
        ones = np.ones(len(labels))
        problem = BY_NAME["bethe_hessian"](self.part, ones, self.r, 1.0)
        solver = Hartigan(max_iter=max_iter, tol=1e-12)
        best = solver.solve(Problem(problem.gram, problem.weights, k), labels)
        found = Outcome(
            objective="bethe_hessian",
            labels=best.labels,
            k=k,
            weights=ones,
            weight_unit=1.0,
            history=np.array(best.history),
            n_moves=best.n_moves,
            status=best.status,
            names=("eigenvectors",),
            values=(best.objective,),
            kept=0,
            selected_by="evidence",
        )
        return found.numbered().among(self.linked)


def _bits(A: csr_array, labels: IntArray) -> float:
    return bits_of(A, labels, int(labels.max()) + 1)


def _holds(held: tuple[Accepted, IntArray], judge: Judge) -> bool:
    """Whether communities of a coarser graph have as much evidence as the best found here."""
    found, labels = held
    here = max(one.evidence for one in judge.by_leaps(found.candidate.resolution))
    return judge.evidence(labels) >= _AS_GOOD * here
