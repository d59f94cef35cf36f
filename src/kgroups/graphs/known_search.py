"""Communities at a number that is given or counted: the best of several starts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Protocol

import numpy as np
from scipy.sparse import csr_array

from kgroups.graphs.belief import UNEVEN
from kgroups.graphs.community_estimator import has_edges, number_of_communities
from kgroups.graphs.free.accepted import SUPPORTED
from kgroups.graphs.free.evidence import bits_of
from kgroups.graphs.free_search import FreeSearch, FreeSettings
from kgroups.graphs.graph_objectives import BY_NAME, FREE, OWN_WEIGHTS, GraphProblem
from kgroups.graphs.graph_starts import LARGEST_TABLE, GraphStarts
from kgroups.graphs.likelihood import planted_likelihood
from kgroups.graphs.neighbors.neighbor_table import NeighborTable
from kgroups.graphs.outcome import Outcome
from kgroups.input.adjacency import degrees
from kgroups.input.parameters import check_labels, check_weights
from kgroups.runtime import progress
from kgroups.runtime.progress import Progress
from kgroups.runtime.scaling import in_units as units_of_weights
from kgroups.runtime.seeds import check_random_state, seed_of
from kgroups.runtime.threads import Threads, effective_n_jobs
from kgroups.solvers import BestOf, Hartigan, Problem, Restarts, Start
from kgroups.solvers.starts import Starts, checked_init
from kgroups.text import counted
from kgroups.typing import Float64Array, IntArray

# Objectives that correct for degrees, in which hubs form no communities of their own.
_CORRECTED = ("normalized_cut", "modularity")


class Settings(FreeSettings, Protocol):
    """The parameters of a GraphKGroups that are used here."""

    n_clusters: Any
    objective: str
    resolution: float
    weights: Any
    init: Any
    tol: float


@dataclass(frozen=True, eq=False)
class KnownSearch:
    """A graph as it was given and as a matrix, with the settings of the search.

    ``table`` is given where the nodes are rows of a table.
    """

    settings: Settings
    given: Any
    matrix: csr_array
    edge_unit: float
    r: float
    table: NeighborTable | None = None

    def best(self, objective: str) -> Outcome:
        """The best of several starts with as many communities as asked for or counted."""
        weights, weight_unit = units_of_weights(self._node_weights())
        by_degree = isinstance(self.settings.weights, str) and self.settings.weights == "degree"
        if objective == "normalized_cut" or (by_degree and objective not in FREE):
            weight_unit *= self.edge_unit
        # A resolution of modularity has no unit, that of the constant Potts model has that of A.
        resolution = float(self.settings.resolution)
        per_unit = self.edge_unit if objective == "cpm" else 1.0
        problem = BY_NAME[objective](self.matrix, weights, self.r, resolution / per_unit)
        problem = problem.in_units(self.edge_unit, weight_unit)
        k, decided_by, agreement = self._number(weights)
        together = problem.together() if progress.is_heard() else 0.0
        with progress.scaled(lambda rise: problem.named(together + rise, k)):
            runs, selected_by = self._runs(problem, k, objective)
        outcome = Outcome.of_runs(objective, runs, problem, k, weight_unit)
        return replace(
            outcome if starts_from_labels(self.settings.init) else outcome.numbered(),
            selected_by=selected_by,
            decided_by=decided_by,
            resolution=resolution,
            agreement=agreement,
        )

    def best_supported(self) -> Outcome:
        """The best by the Bethe Hessian, or by a form that corrects for degrees.

        The latter only where degrees are uneven, and for clearly more evidence.
        """
        bethe = self.best("bethe_hessian")
        if bethe.k * self.matrix.shape[0] > LARGEST_TABLE or not _has_uneven_degrees(self.matrix):
            return bethe
        others = [self.best(objective) for objective in _CORRECTED]
        evidence = [self._bits(other) for other in others]
        # Below 0 bits neither is supported, and near the limit of detectability only Q finds them.
        least = max(self._bits(bethe), 0.0) + SUPPORTED
        return others[int(np.argmax(evidence))] if max(evidence) > least else bethe

    def _bits(self, outcome: Outcome) -> float:
        return bits_of(self.matrix, outcome.labels, outcome.k)

    def _runs(self, problem: GraphProblem, k: int, objective: str) -> tuple[Restarts, str]:
        """The solver from every start; likelihood judges unless weights are negative."""
        matrix, settings = self.matrix, self.settings
        by_likelihood = objective == "bethe_hessian" and matrix.data.min() >= 0
        solver = Hartigan(max_iter=settings.max_iter, tol=float(settings.tol), ratio=problem.ratio)
        search = BestOf(
            solver=solver,
            executor=Threads(effective_n_jobs(settings.n_jobs)),
            judge=(lambda p: planted_likelihood(matrix, p.labels, k)) if by_likelihood else None,
        )
        starts = self._starts(problem, k, solver, objective)
        runs = search.solve(Problem(problem.gram, problem.weights, k), starts)
        return runs, "likelihood" if by_likelihood else "objective"

    def _node_weights(self) -> Float64Array:
        given, n = self.settings.weights, self.matrix.shape[0]
        if not isinstance(given, str):
            return check_weights(given, n, "weights")
        if given == "unit" or self.settings.objective in OWN_WEIGHTS:
            return np.ones(n)
        weights = degrees(self.matrix)
        if (weights < 0).any():
            node = int(weights.argmin())
            raise ValueError(
                f'weights="degree" needs degrees that are not negative; that of node {node} is '
                f'{weights[node]:.6g}. Use weights="unit".'
            )
        if not weights.any():
            raise ValueError('weights="degree": all degrees are 0. Use weights="unit".')
        return weights

    def _number(self, weights: Float64Array) -> tuple[int, str, float | None]:
        """The number of communities, what decided it, and how far searches agree on them."""
        A, table, settings = self.matrix, self.table, self.settings
        if starts_from_labels(settings.init) and self._is_auto:
            n = A.shape[0] if table is None else len(table.places)
            return int(check_labels(settings.init, n, n, "init").max()) + 1, "given", None
        found: Outcome | None = None
        if table is not None and self._is_auto:
            k = int(table.walk.max()) + 1
        elif self._is_counted:
            k = number_of_communities(settings.n_clusters, A, has_edges(A) & (weights > 0), self.r)
        else:
            found = self._free()
            k = found.k
        progress.tell(Progress(phase="plan", note=counted(k, "community", "communities")))
        if found is not None:
            return k, found.decided_by, found.agreement
        return k, "spectrum" if self._is_auto else "given", None

    def _free(self) -> Outcome:
        """Communities of any number, by the objective if it has a number of its own."""
        settings = self.settings
        search = FreeSearch.of(settings, self.matrix, self.edge_unit)
        if settings.objective in FREE:
            return search.largest(settings.objective, float(settings.resolution))
        return search.accepted()

    @property
    def _is_auto(self) -> bool:
        return isinstance(self.settings.n_clusters, str)

    @property
    def _is_counted(self) -> bool:
        """Whether the number is given, or that of the negative eigenvalues."""
        is_bethe = self.settings.objective in ("auto", "bethe_hessian")
        return not self._is_auto or is_bethe or bool(self.matrix.data.min() < 0)

    def _voted(self, objective: str, seed: int) -> IntArray:
        """Communities of any number, as a search with the same seed finds them."""
        rng = np.random.default_rng(seed)
        search = FreeSearch(
            self.matrix,
            self.edge_unit,
            Threads(1),
            rng,
            n_init=None,
            max_iter=self.settings.max_iter,
        )
        return search.labels_of_largest(objective, float(self.settings.resolution))

    def _starts(
        self, problem: GraphProblem, k: int, solver: Hartigan, objective: str
    ) -> list[Start]:
        init, table, n = self.settings.init, self.table, self.matrix.shape[0]
        rng = check_random_state(self.settings.random_state)
        if k == 1 and not starts_from_labels(init):
            return [Start(name="one community", labels=lambda: np.zeros(n, np.int64))]
        if table is not None and starts_as_is(init) and problem.ratio:
            walk = table.divided(k)
            if walk.max() == k - 1:
                return [Start(name="walk", labels=lambda: walk)]
        r = self.r if objective == "bethe_hessian" else None
        # Eigenvectors have a seed of their own, drawn before those of the starts.
        seed = seed_of(rng) if isinstance(init, str) else 0
        voted = None if problem.ratio else partial(self._voted, objective, seed)
        named = GraphStarts(self.matrix, problem, k, solver, r=r, seed=seed, voted=voted)
        default = named.default_n_init(init) if isinstance(init, str) else 1
        checked = checked_init(init, n if table is None else len(table.places), k)
        if table is not None and starts_from_labels(init):
            checked = table.of_nodes(checked)
        starts = Starts.asked(checked, self.settings.n_init, default, self.given, rng)
        return starts.made(named.portfolio, n, k, partial(_check_full, problem.weights, k))


def _has_uneven_degrees(A: csr_array) -> bool:
    """Whether degrees vary more than by chance, so that correcting for them may help."""
    edges = np.diff(A.indptr)
    return bool(edges.var() > UNEVEN * edges.mean())


def starts_as_is(init: object) -> bool:
    """Whether no start was asked for."""
    return isinstance(init, str) and init == "auto"


def starts_from_labels(init: object) -> bool:
    """Whether labels were given."""
    return not isinstance(init, str) and not callable(init)


def _check_full(weights: Float64Array, k: int, labels: IntArray, name: str) -> IntArray:
    """Labels that leave no community empty, because an indefinite G may never fill one."""
    count = np.bincount(labels[weights > 0], minlength=k)
    if not count.all():
        raise ValueError(
            f"{name} leaves community {int(count.argmin())} of {k} without nodes of positive "
            "weight; every label in 0..k-1 must be used."
        )
    return labels
