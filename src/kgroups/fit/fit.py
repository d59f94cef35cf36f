"""One fit, from clean input to numbers: the operator of the plan, the search, the polish."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from kgroups.fit.nearest import ToCentroids, ToSketchedCentroids
from kgroups.fit.plan import Plan
from kgroups.fit.starts import Problem
from kgroups.gram import GramOperator
from kgroups.input.rows import take
from kgroups.input.spaces import PointSpace, Space, is_table
from kgroups.input.tables import check_distinct
from kgroups.runtime import progress
from kgroups.runtime.progress import Progress
from kgroups.semimetrics import Semimetric
from kgroups.semimetrics.semimetric import evenly_spaced
from kgroups.sketch.sketch import (
    Centers,
    Dispersion,
    Improver,
    Search,
    Sketch,
    Sketcher,
    estimated_dispersion,
)
from kgroups.solvers import Partition, Restarts, Start, Status
from kgroups.solvers.objective import over_weight, sum_by_cluster
from kgroups.typing import Float64Array

# Rows in which k different ones are looked for first.
_FEW = 100
#: What ``exactness_`` says.
EXACTNESS = {
    Status.CONVERGED: "one-move optimal",
    Status.PAIRS: "pair-move optimal",
    Status.STABLE: "stable under Lloyd's rule",
    Status.OPTIMAL: "optimal",
    Status.MAX_ITER: "stopped at max_iter",
}


@dataclass(frozen=True, kw_only=True)
class Fit:
    """The answer: a partition with its numbers in units of the weights."""

    partition: Partition
    runs: Restarts
    #: Σ w G(x, x) of each cluster, from which its W follows.
    totals: Float64Array
    exactness: str
    #: Squared distances from new points to the centroids.
    nearest: ToCentroids | ToSketchedCentroids
    #: All points over those on which the starts competed.
    runs_scale: float = 1.0
    sketch_error: float | None = None
    #: W where it was estimated from a sample of pairs.
    dispersion: Dispersion | None = None

    @property
    def cluster_dispersions(self) -> Float64Array:
        """W_j, shape (k,)."""
        if self.dispersion is not None:
            return self.dispersion.by_cluster
        return self.totals - over_weight(self.partition.within, self.partition.weight)


@dataclass(frozen=True, kw_only=True)
class Task:
    """Everything that a fit needs, checked."""

    space: Space
    data: Any
    weights: Float64Array
    k: int
    plan: Plan
    search: Search
    seed: int
    #: Starts of a problem, the same for the same problem.
    starts: Callable[[Problem], Sequence[Start]]
    #: Whether starts are labels of all points, that no sketch may take the place of.
    starts_exactly: bool
    #: Whether clusters keep the numbers that the starts give them.
    keeps_numbers: bool
    #: What has the last word on the winner, with pairs of points; for no sketch.
    finisher: Improver | None = None

    def run(self) -> Fit:
        """Carry out the plan."""
        if self.finisher is not None and self.plan.method == "nystroem":
            raise ValueError(
                'moves="pairs" looks at every pair of points, which method="nystroem" does not '
                f'({self.plan.reason}). Use moves="single", or method="matrix_free".'
            )
        if self.plan.method in ("dense", "sparse") or self._is_unsketchable:
            return self._on_operator()
        self._check_distinct()
        return self._on_sketch() if self.plan.method == "nystroem" else self._polished()

    @property
    def _is_unsketchable(self) -> bool:
        semimetric = self.space.semimetric
        polish = self.plan.method == "matrix_free"
        return polish and (
            self.starts_exactly or semimetric is None or not semimetric.is_negative_type
        )

    def _on_operator(self) -> Fit:
        """All starts on the operator itself."""
        gram = self.space.gram(self.data, self.plan.method, self.search.n_threads)
        alive = self.weights > 0
        # An indefinite kernel puts different points at distance zero, so there only they count.
        distinct = gram.count_distinct(alive, self.k) if self.space.centered else int(alive.sum())
        check_distinct(distinct, self.k)
        is_points = isinstance(self.space, PointSpace)
        problem = Problem(
            gram=gram,
            weights=self.weights,
            n_clusters=self.k,
            centered=self.space.centered,
            table=self.data if is_points and is_table(self.data) else None,
        )
        starts = self.starts(problem)
        centered = replace(problem, gram=self.space.at_mean(gram, self.weights))
        # Labels that were given are a question about that start; elsewhere trials are dear.
        may_improve = self.plan.method == "dense" and not self.starts_exactly
        search = self.search if may_improve else replace(self.search, improver=None)
        runs = search.solve_from(centered, starts)
        best = self._finished(centered.gram, runs.best)
        return self._fit(self.weights * centered.gram.diagonal(), best, runs)

    def _finished(self, gram: GramOperator, partition: Partition) -> Partition:
        """The winner after the moves that only it is given."""
        if self.finisher is None or not partition.converged:
            return partition
        with progress.quiet():
            best = self.finisher.improve(gram, partition, self.weights, self.k)
        progress.tell(
            Progress(
                phase="improve",
                note="moves of pairs",
                n_sweeps=best.n_iter,
                n_moves=best.n_moves,
                objective=best.objective - best.together,
            )
        )
        return best

    def _sketch(self) -> tuple[Sketcher, Sketch]:
        semimetric = self._semimetric()
        if not semimetric.is_negative_type:
            raise ValueError(
                f'method="nystroem" needs a semimetric of negative type, whose kernel has '
                f'features; {semimetric!r} is not. Use method="matrix_free".'
            )
        sketcher = Sketcher(
            n_components=self.plan.n_components,
            feature_bytes=self.plan.feature_bytes,
            landmarks=self.plan.landmarks,
            seed=self.seed,
        )
        exactly = self.starts_exactly
        made = sketcher.sketch(
            self.data,
            semimetric,
            self.weights,
            self.k,
            replace(self.search, improver=None) if exactly else self.search,
            self.starts,
            on_all_rows=exactly,
        )
        return sketcher, made

    def _polished(self) -> Fit:
        """The sketch's labels improved on the operator: exact from here on."""
        _, sketch = self._sketch()
        labels, runs = sketch.points.labels, sketch.runs
        scale, error = sketch.scale, sketch.error
        del sketch  # with its features, before the pass needs memory
        gram = self.space.gram(self.data, self.plan.method, self.search.n_threads)
        partition = self.search.solver.solve(gram, labels, self.weights, self.k)
        partition = self._finished(gram, partition)
        return replace(
            self._fit(self.weights * gram.diagonal(), partition, runs),
            runs_scale=scale,
            sketch_error=error,
        )

    def _on_sketch(self) -> Fit:
        """The answer of the sketch, with W estimated from distances."""
        sketcher, sketch = self._sketch()
        partition = sketcher.improved(sketch, self.weights, self.k, self.search.solver)
        gram, unit = sketch.points.gram, sketch.to_features.unit
        totals = unit * self.weights * gram.diagonal()
        fit = self._fit(totals, partition.in_units_of(unit), sketch.runs)
        dispersion = estimated_dispersion(
            self.data,
            self._semimetric(),
            fit.partition.labels,
            self.weights,
            self.k,
            np.random.default_rng([self.seed, 2]),
            self.search.n_threads,
            rows=self.plan.rows_for_w,
        )
        return replace(
            fit,
            runs_scale=sketch.scale,
            exactness=f"{fit.exactness} on the sketch",
            sketch_error=sketch.error,
            dispersion=dispersion,
            nearest=ToSketchedCentroids(
                sketch.to_features, Centers.of(gram, fit.partition, self.weights)
            ),
        )

    def _check_distinct(self) -> None:
        """K points that differ by ρ: most often a few rows have them, else all are looked at."""
        alive = np.flatnonzero(self.weights > 0)
        found = 0
        for limit in (max(_FEW, 4 * self.k), len(alive)):
            some = take(self.data, alive[evenly_spaced(len(alive), limit)])
            gram = self.space.gram(some, "matrix_free", self.search.n_threads)
            found = gram.count_distinct(np.ones(len(some), np.bool_), self.k)
            if found == self.k:
                return
        check_distinct(found, self.k)

    def _semimetric(self) -> Semimetric:
        if self.space.semimetric is None:
            raise TypeError("A matrix has no points to make distances from.")
        return self.space.semimetric

    def _fit(self, own: Float64Array, partition: Partition, runs: Restarts) -> Fit:
        """The answer, given w_i G_ii."""
        if not self.keeps_numbers:
            partition = partition.largest_first(self.weights)
        return Fit(
            partition=partition,
            runs=runs,
            totals=sum_by_cluster(partition.labels, own, self.k),
            exactness=EXACTNESS[partition.status],
            nearest=ToCentroids.of(self.space, partition, self.weights, self.data),
        )
