"""Communities by the Bethe Hessian, whose negative eigenvalues say how many there are."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import coo_array, csr_array, triu

from kgroups.graphs.community_estimator import communities_by_bethe_hessian
from kgroups.graphs.free.evidence import bits_of
from kgroups.graphs.graph_objectives import BY_NAME
from kgroups.graphs.graph_starts import GraphStarts
from kgroups.input.adjacency import both_directions
from kgroups.runtime.seeds import seed_of, seeds_of
from kgroups.runtime.threads import Executor
from kgroups.solvers import BestOf, Hartigan, Problem
from kgroups.typing import IntArray

# Nodes times communities, and nodes, up to which eigenvectors take no longer than the search for
# modularity.
_TABLE, _NODES = 200_000, 30_000
# Starts of different kinds; the number of communities hardly depends on more.
_STARTS = 3
# Share of the edges that a repeated search leaves out.
_LEFT_OUT = 0.1


@dataclass(eq=False)
class BetheSearch:
    """Q of −H_r at the number of its negative eigenvalues, the start with the most evidence."""

    A: csr_array
    r: float
    executor: Executor
    objective: str = "bethe_hessian"

    def is_affordable(self, n_clusters: int | None) -> bool:
        """Whether eigenvectors are cheap: on some 10,000 nodes, for few communities."""
        n = self.A.shape[0]
        return n <= _NODES and n * (n_clusters or 1) <= _TABLE

    def labels(self, seed: int) -> IntArray:
        """The communities of the start with the most evidence."""
        return self._labels(self.A, seed)

    def again(self, seed: int) -> IntArray:
        """The same without a tenth of the edges: eigenvectors are the same in every search."""
        return self._labels(thinned(self.A, np.random.default_rng(seed)), seed)

    def _labels(self, A: csr_array, seed: int) -> IntArray:
        n, k, rng = A.shape[0], self.n_clusters, np.random.default_rng(seed)
        if k == 1 or n * k > _TABLE:
            return np.zeros(n, np.int64)
        problem = BY_NAME[self.objective](A, np.ones(n), self.r, 1.0)
        solver = Hartigan(max_iter=300, tol=1e-12)
        starts = GraphStarts(A, problem, k, solver, r=self.r, seed=seed_of(rng))
        seeds = seeds_of(rng, min(starts.default_n_init("auto"), _STARTS))
        search = BestOf(
            solver=solver,
            executor=self.executor,
            judge=lambda partition: bits_of(A, partition.labels, k),
        )
        problem_at_k = Problem(problem.gram, problem.weights, k)
        labels = search.solve(problem_at_k, starts.portfolio("auto", seeds)).best.labels
        return np.unique(labels, return_inverse=True)[1].astype(np.int64)

    @cached_property
    def n_clusters(self) -> int:
        """Negative eigenvalues, at least 1."""
        return min(communities_by_bethe_hessian(self.A, self.r), self.A.shape[0])


def thinned(A: csr_array, rng: np.random.Generator) -> csr_array:
    """The graph without a tenth of its edges, drawn at random."""
    upper = triu(A, format="coo")
    kept = rng.random(upper.nnz) >= _LEFT_OUT
    part = coo_array((upper.data[kept], (upper.row[kept], upper.col[kept])), shape=A.shape)
    return both_directions(csr_array(part))
