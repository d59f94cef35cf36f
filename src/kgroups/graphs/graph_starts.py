"""Where k-groups on a graph begins: eigenvectors, beliefs, levels, a free number, or chance."""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np
from scipy.sparse import csr_array
from sklearn.exceptions import ConvergenceWarning

from kgroups.graphs.belief import believed_labels
from kgroups.graphs.bethe_hessian import bethe_hessian, is_weighted
from kgroups.graphs.community_estimator import has_edges
from kgroups.graphs.embedding import association_rows, cluster_rows, filled, unit_rows, walk_rows
from kgroups.graphs.free.at_number import annealed, at_number, is_annealed
from kgroups.graphs.free.potts import PottsGraph
from kgroups.graphs.free.search import search
from kgroups.graphs.graph_objectives import GraphProblem
from kgroups.graphs.multilevel import multilevel_labels
from kgroups.graphs.spectrum import smallest_eigenpairs
from kgroups.input.adjacency import components
from kgroups.solvers import Solver, Start
from kgroups.solvers.draws import random_labels
from kgroups.typing import Float64Array, IntArray

# Numbers in the table of eigenvectors, and of messages, up to which these are affordable.
LARGEST_TABLE, _LARGEST_MESSAGES = 3_000_000, 5_000_000
# Resolutions of free searches, of which communities are merged, are up to so many times that asked.
_FINEST = 4.0
# Starts: at most, at least, and multiply-adds of k-means for all of them.
_MOST, _LEAST, _WORK = 12, 4, 4e8


@dataclass(eq=False)
class GraphStarts:
    """Makes starts for one graph; eigenvectors are computed once, if some start needs them."""

    A: csr_array
    problem: GraphProblem
    k: int
    solver: Solver
    r: float | None
    seed: int
    #: Searches for communities of any number, where the objective has one at which it is largest.
    voted: Callable[[], IntArray] | None = None

    def portfolio(self, name: str, seeds: Sequence[int]) -> list[Start]:
        """One start per seed."""
        names = self._in_turn() if name == "auto" else (name,)
        if name == "auto":
            try:
                self._prepare(names)
            except (RuntimeError, MemoryError) as error:
                warnings.warn(
                    f"Eigenvectors are unavailable; using multilevel starts only: {error}",
                    ConvergenceWarning,
                    stacklevel=6,
                )
                names = ("multilevel",)
        chosen = [names[number % len(names)] for number in range(len(seeds))]
        if name == "auto" and "annealed" not in names:
            # More starts of the same kinds would begin where the first have.
            chosen[_MOST:] = ["random"] * (len(seeds) - _MOST)
        self._prepare(chosen)
        starts = [
            Start(name=name, labels=partial(self._made, name, seed), costly=True)
            for name, seed in zip(chosen, seeds, strict=True)
        ]
        if name == "auto" and self.voted is not None and self._is_affordable:
            labels = partial(self._from_votes, self.voted)
            voted = Start(name="levels", labels=labels, costly=True)
            # The first kind of a large graph is the best of them, and the last one repeats others.
            starts = [voted, *(starts[1:] if "annealed" in names else starts[:-1])]
        return starts

    def _prepare(self, names: Sequence[str]) -> None:
        """Eigenvectors once, where a warning is heard, and not on several threads at once."""
        if not {"spectral", "spectral-unit", "belief"}.isdisjoint(names):
            _ = self.rows
        if "spectral-walk" in names and self.pieces[2] > 1:
            _ = self.walk

    def _made(self, name: str, seed: int) -> IntArray:
        """Labels from a named start, with a node of positive weight in every cluster."""
        return filled(self._begun(name, seed), self.k, self.problem.weights)

    def _begun(self, name: str, seed: int) -> IntArray:
        gram, weights = self.problem.gram, self.problem.weights
        match name:
            case "spectral":
                return cluster_rows(self.rows, self.k, seed=seed, n_init=10)
            case "spectral-unit":
                return cluster_rows(unit_rows(self.rows), self.k, seed=seed, n_init=2)
            case "spectral-walk":
                return self._spectral_walk(seed)
            case "belief":
                labels = cluster_rows(unit_rows(self.rows), self.k, seed=seed, n_init=1)
                return believed_labels(self.A, labels, self.k)
            case "multilevel":
                return multilevel_labels(gram, weights, self.k, self.solver, seed)
        return self._by_chance(name, np.random.default_rng(seed))

    def _by_chance(self, name: str, rng: np.random.Generator) -> IntArray:
        """Labels at random, annealed or not, or from a search at a finer resolution."""
        if name == "levels":
            finer = replace(self.potts, rate=self.potts.rate * _FINEST ** rng.random())
            return at_number(self.potts, search(finer, rng).labels, self.k, rng)
        labels = random_labels(self.problem.weights, self.k, rng)
        return annealed(self.potts, labels, self.k, rng) if name == "annealed" else labels

    def _from_votes(self, voted: Callable[[], IntArray]) -> IntArray:
        """The communities of the largest sum of all, merged or divided."""
        return at_number(self.potts, voted(), self.k, np.random.default_rng(self.seed))

    @cached_property
    def potts(self) -> PottsGraph:
        """The objective as a sum in which the number of communities is free."""
        gram = self.problem.gram
        return PottsGraph(gram.matrix, gram.columns[:, 0], -float(gram.signs[0]))

    def default_n_init(self, name: str) -> int:
        """One start with k-means' best of ten for a named one; for "auto" as many as are cheap."""
        if name != "auto" or not self._is_affordable:
            return 1
        return int(np.clip(_WORK / (self.A.shape[0] * self.k**2), _LEAST, _MOST))

    def _in_turn(self) -> tuple[str, ...]:
        """What "auto" takes in turn: only levels where the rest would take too long."""
        if self.voted is not None and is_annealed(self.potts):
            return "levels", "annealed"
        if not self._is_affordable:
            return ("multilevel",)
        # For the Bethe Hessian, small components are cheap to cut, and not communities.
        of_cuts = () if self.r is not None else ("spectral-walk",)
        if self.A.nnz * self.k > _LARGEST_MESSAGES or is_weighted(self.A):
            return (*of_cuts, "spectral-unit", "spectral", "multilevel")
        return ("belief", *of_cuts, "spectral", "spectral-unit", "multilevel")

    @property
    def _is_affordable(self) -> bool:
        """Whether more than levels is."""
        return self.A.shape[0] * self.k <= LARGEST_TABLE

    @cached_property
    def rows(self) -> Float64Array:
        """Eigenvectors of H_r where r is given, else of the normalized adjacency matrix."""
        if self.r is None:
            gram, weights = self.problem.gram, self.problem.weights
            return association_rows(gram, weights, self.k, seed=self.seed)
        return smallest_eigenpairs(bethe_hessian(self.A, self.r), self.k, seed=self.seed).vectors

    @cached_property
    def pieces(self) -> tuple[IntArray, IntArray, int]:
        """Labels by component, the nodes of the largest, and in how many it may be cut.

        The largest component has the last numbers; beyond k components the small ones share 0.
        """
        count, of_node = components(self.A)
        alive = np.bincount(of_node, weights=has_edges(self.A), minlength=count)
        by_size = np.argsort(np.argsort(-alive, kind="stable"))
        n_pieces = min(int((alive > 0).sum()), self.k)
        labels = np.maximum(n_pieces - 1 - by_size[of_node], 0)
        largest = np.flatnonzero(by_size[of_node] == 0)
        return labels, largest, min(self.k - n_pieces + 1, len(largest))

    @cached_property
    def walk(self) -> Float64Array:
        """Eigenvectors of the random walk on the largest component."""
        _, largest, parts = self.pieces
        return walk_rows(csr_array(self.A[largest][:, largest]), parts, seed=self.seed)

    def _spectral_walk(self, seed: int) -> IntArray:
        """Components, which cost no cut, one per cluster; the largest is cut into what is left."""
        labels, largest, parts = self.pieces
        if parts > 1:
            labels = labels.copy()
            labels[largest] += cluster_rows(self.walk, parts, seed=seed, n_init=10)
        return labels
