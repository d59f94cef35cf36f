"""What a search for communities has found, in one form for every kind of search."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from kgroups.fit.answer import EXACTNESS
from kgroups.graphs.community_estimator import renumbered
from kgroups.graphs.graph_objectives import GraphProblem
from kgroups.solvers import Restarts
from kgroups.solvers.partition import Status
from kgroups.typing import BoolArray, Float64Array, IntArray


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """Communities 0..k−1 with what was optimized, and how the search went."""

    objective: str
    labels: IntArray
    k: int
    #: Weight of each node, and the unit of weights.
    weights: Float64Array
    weight_unit: float
    #: The objective at the start, and after each sweep or pass.
    history: Float64Array
    n_moves: int
    status: Status
    names: tuple[str, ...]
    values: tuple[float, ...]
    kept: int
    selected_by: str
    decided_by: str = "given"
    resolution: float = 1.0
    agreement: float | None = None
    #: Number of communities and evidence of other partitions that are supported as well.
    alternatives: tuple[tuple[int, float], ...] = ()
    #: The same of all partitions among which the number was decided.
    looked_at: tuple[tuple[int, float], ...] = ()

    @classmethod
    def of_runs(
        cls, objective: str, runs: Restarts, problem: GraphProblem, k: int, unit: float
    ) -> Self:
        """The best of several starts at a number of communities."""
        best, weights = runs.best, problem.weights
        alive = int((np.bincount(best.labels, weights=weights, minlength=k) > 0).sum())
        with np.errstate(over="ignore"):  # checked below
            history = np.array([problem.named(Q, alive) for Q in best.history])
            if problem.measured is not None:
                history[-1] = problem.measured(best.labels, k)
        _check_finite(history)
        return cls(
            objective=objective,
            labels=best.labels,
            k=k,
            weights=weights,
            weight_unit=unit,
            history=history,
            n_moves=best.n_moves,
            status=best.status,
            names=tuple(runs.names),
            values=tuple(runs.values),
            kept=runs.kept,
            selected_by="objective",
        )

    @property
    def exactness(self) -> str:
        """What is known of the optimum, in words."""
        return EXACTNESS[self.status]

    def numbered(self) -> Outcome:
        """The same with communities numbered by falling weight, then by first member."""
        return replace(self, labels=renumbered(self.labels, self.weights, self.k))

    def among(self, linked: BoolArray) -> Outcome:
        """The same where only some of the nodes were searched; others get labels of their own."""
        labels = np.empty(len(linked), np.int64)
        labels[linked] = self.labels
        labels[~linked] = self.k + np.arange(int((~linked).sum()))
        weights = np.zeros(len(linked))
        weights[linked] = self.weights
        return replace(self, labels=labels, weights=weights)


def _check_finite(history: Float64Array) -> None:
    """ValueError where the objective has overflowed."""
    if not np.isfinite(history).all():
        raise ValueError(
            "The objective is not a finite number, because weights of edges are too large next to "
            "those of nodes. Divide both by their largest value, which changes no community."
        )
