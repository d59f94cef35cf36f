"""Where k-groups on a graph begins: eigenvectors in several forms, beliefs, levels, or chance."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from functools import cached_property, partial

import numpy as np
from scipy.sparse import csr_array
from sklearn.exceptions import ConvergenceWarning

from kgroups.graphs.belief import believed_labels
from kgroups.graphs.bethe_hessian import bethe_hessian, is_weighted
from kgroups.graphs.community_estimator import has_edges
from kgroups.graphs.embedding import association_rows, cluster_rows, filled, unit_rows, walk_rows
from kgroups.graphs.graph_objectives import GraphProblem
from kgroups.graphs.multilevel import multilevel_labels
from kgroups.graphs.spectrum import smallest_eigenpairs
from kgroups.input.adjacency import components
from kgroups.solvers import Solver, Start
from kgroups.solvers.draws import random_labels
from kgroups.typing import Float64Array, IntArray

# Numbers in the table of eigenvectors, and of messages, up to which these are affordable.
_LARGEST_TABLE, _LARGEST_MESSAGES = 3_000_000, 5_000_000
# Starts: at most, at least, and multiply-adds of k-means for all of them.
_MOST, _LEAST, _WORK = 12, 4, 4e8


class GraphStarts:
    """Makes starts for one graph; eigenvectors are computed once, if some start needs them."""

    def __init__(
        self,
        A: csr_array,
        problem: GraphProblem,
        k: int,
        solver: Solver,
        *,
        r: float | None,
        seed: int,
    ) -> None:
        self.A, self.problem, self.k, self.solver = A, problem, k, solver
        self.r, self.seed = r, seed

    def portfolio(self, name: str, seeds: Sequence[int]) -> list[Start]:
        """One start per seed."""
        names = self._in_turn() if name == "auto" else (name,)
        if name == "auto" and not self._has_eigenvectors(names):
            names = ("multilevel",)
        chosen = [names[number % len(names)] for number in range(len(seeds))]
        self._prepare(chosen)
        return [
            Start(name=name, labels=partial(self._made, name, seed), costly=True)
            for name, seed in zip(chosen, seeds, strict=True)
        ]

    def _has_eigenvectors(self, names: Sequence[str]) -> bool:
        """Whether they can be had; levels need none of the whole graph."""
        try:
            self._prepare(names)
        except (RuntimeError, MemoryError) as error:
            warnings.warn(
                f"Eigenvectors are unavailable; using multilevel starts only: {error}",
                ConvergenceWarning,
                stacklevel=7,
            )
            return False
        return True

    def _prepare(self, names: Sequence[str]) -> None:
        """Eigenvectors once, where a warning is heard, and not on several threads at once."""
        if not {"spectral", "spectral-unit", "belief"}.isdisjoint(names):
            _ = self.rows
        if "spectral-walk" in names and self.pieces[2] > 1:
            _ = self.walk

    def _made(self, name: str, seed: int) -> IntArray:
        return filled(self._makers[name](seed), self.k, self.problem.weights)

    def default_n_init(self, name: str) -> int:
        """One start with k-means' best of ten for a named one; for "auto" as many as are cheap."""
        if name != "auto":
            return 1
        if self._in_turn() == ("multilevel",):
            return 1
        return int(np.clip(_WORK / (self.A.shape[0] * self.k**2), _LEAST, _MOST))

    def _in_turn(self) -> tuple[str, ...]:
        """What "auto" takes in turn: levels alone where the rest is too dear."""
        if self.A.shape[0] * self.k > _LARGEST_TABLE:
            return ("multilevel",)
        if self.A.nnz * self.k > _LARGEST_MESSAGES or is_weighted(self.A):
            return (*self._of_cuts, "spectral-unit", "spectral", "multilevel")
        return ("belief", *self._of_cuts, "spectral", "spectral-unit", "multilevel")

    @property
    def _of_cuts(self) -> tuple[str, ...]:
        """Small components are cheap to cut, and no communities."""
        return () if self.r is not None else ("spectral-walk",)

    @property
    def _makers(self) -> dict[str, Callable[[int], IntArray]]:
        return {
            "spectral": self._spectral,
            "spectral-unit": self._spectral_unit,
            "spectral-walk": self._spectral_walk,
            "belief": self._belief,
            "multilevel": self._multilevel,
            "random": self._random,
        }

    @cached_property
    def rows(self) -> Float64Array:
        """Of H_r where r is given, else of the normalized adjacency matrix."""
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
        by_size = np.empty(count, np.int64)
        by_size[np.argsort(-alive, kind="stable")] = np.arange(count)
        n_pieces = min(int((alive > 0).sum()), self.k)
        labels = np.maximum(n_pieces - 1 - by_size[of_node], 0)
        largest = np.flatnonzero(by_size[of_node] == 0)
        return labels, largest, min(self.k - n_pieces + 1, len(largest))

    @cached_property
    def walk(self) -> Float64Array:
        """Of the largest component."""
        _, largest, parts = self.pieces
        return walk_rows(csr_array(self.A[largest][:, largest]), parts, seed=self.seed)

    def _spectral(self, seed: int) -> IntArray:
        return cluster_rows(self.rows, self.k, seed=seed, n_init=10)

    def _spectral_unit(self, seed: int) -> IntArray:
        return cluster_rows(unit_rows(self.rows), self.k, seed=seed, n_init=2)

    def _spectral_walk(self, seed: int) -> IntArray:
        """Components, which cost no cut, one a cluster; the largest is cut into what is left."""
        labels, largest, parts = self.pieces
        if parts > 1:
            labels = labels.copy()
            labels[largest] += cluster_rows(self.walk, parts, seed=seed, n_init=10)
        return labels

    def _belief(self, seed: int) -> IntArray:
        labels = cluster_rows(unit_rows(self.rows), self.k, seed=seed, n_init=1)
        return believed_labels(self.A, labels, self.k)

    def _multilevel(self, seed: int) -> IntArray:
        gram, weights = self.problem.gram, self.problem.weights
        return multilevel_labels(gram, weights, self.k, self.solver, seed)

    def _random(self, seed: int) -> IntArray:
        return random_labels(self.problem.weights, self.k, np.random.default_rng(seed))
