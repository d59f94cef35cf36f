"""One fit, from clean input to numbers: the operator of the plan, the starts, the last sweeps."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from kgroups.certificate.certificate import Certificate
from kgroups.certificate.certified import Certified, certified
from kgroups.certificate.proof_search import Limits
from kgroups.fit.answer import EXACTNESS, OPTIMAL, Answer, exactness_text
from kgroups.fit.block_fit import BlockFit
from kgroups.fit.plan import STARTS_ON_ALL, Plan
from kgroups.gram.dense import DENSE_UP_TO
from kgroups.gram.low_rank import FactorGram
from kgroups.gram.operator import GramOperator
from kgroups.gram.sorted_columns import ColumnGram
from kgroups.gram.sparse_rows import SparseRowsGram
from kgroups.gram.squared_rows import RowsGram
from kgroups.gram.without_pairs import squared_gram
from kgroups.input.rows import RowsInMemory, has_columns, is_table, n_rows, take
from kgroups.input.spaces import Origin, PointSpace, Space
from kgroups.input.tables import check_distinct
from kgroups.runtime import progress
from kgroups.runtime.progress import Progress
from kgroups.runtime.threads import Executor
from kgroups.semimetrics.all_pairs import Points, Term
from kgroups.semimetrics.angles import Cosine
from kgroups.semimetrics.canonical_rows import is_sparse
from kgroups.semimetrics.finite import check_finite_dispersion, check_finite_distances
from kgroups.semimetrics.semimetric import Semimetric, evenly_spaced
from kgroups.sketch.dispersion import Dispersion, estimated_dispersion
from kgroups.sketch.sampled_starts import labels_from_sample
from kgroups.sketch.sketcher import Sketch, Sketcher
from kgroups.solvers.centroids import (
    Centroids,
    FeatureCentroids,
    RowsToBlockMeans,
    RowsToCentroids,
    RowsToMeans,
    RowsToSketchedCentroids,
    RowsToSparseMeans,
)
from kgroups.solvers.hartigan import Hartigan
from kgroups.solvers.objective import over_weight, sum_by_cluster
from kgroups.solvers.partition import Partition, Solver, Status
from kgroups.solvers.problem import Problem
from kgroups.solvers.restarts import BestOf, Improver, Restarts
from kgroups.solvers.scale import Scale
from kgroups.solvers.starts import Starts
from kgroups.typing import Float64Array, IntArray

# Coordinates below this have distances whose sums are far from the largest float.
_SQUARES_ARE_FAR = 1e100
# A sum with weights up to 2, of which differences of four are taken.
_LARGEST_SUM = float(np.finfo(np.float64).max) / 16
# Why a pass over all pairs was taken where a proof was planned.
_LABELS_GIVEN = "labels to start from are improved on all pairs, computed on demand"
_MANY_OPEN = "bounds decide few rows of a sample: all pairs are computed on demand"
# Rows in which k different ones are looked for first.
_FEW = 100


@dataclass(frozen=True, kw_only=True)
class Fit:
    """Everything that a fit needs, checked; :meth:`run` carries it out."""

    space: Space
    data: Any
    weights: Float64Array
    #: The unit in which the weights are held.
    weight_unit: float
    k: int
    plan: Plan
    starts: Starts
    solver: Solver
    improver: Improver | None
    executor: Executor
    tol: float = 1e-12
    #: The time on the clock at which a proof stops.
    deadline: float = np.inf

    def run(self) -> Answer:
        """Carry out the plan."""
        self._check_sums()
        progress.tell(Progress(phase="plan", note=f"{self.plan.method}: {self.plan.reason}"))
        with progress.scaled(Scale(self.weight_unit)):
            answer = self._carried_out()
        check_finite_dispersion(answer.sums(), self.weight_unit * float(self.weights.max()))
        return answer

    def _check_sums(self) -> None:
        """ValueError where a sum over all pairs may overflow, before any number does.

        By the triangle inequality of √ρ no distance is more than four times the largest from one
        row to the others. The sums of a given kernel were checked when it was read.
        """
        if not has_columns(self.data) or not self.space.origin_is_free:
            return
        if self.data.dtype == np.float16:  # whose largest number is small
            return
        entries = self.data.data if is_sparse(self.data) else self.data
        most = np.fmax.reduce(entries, axis=None, initial=0.0)  # whatever is missing
        largest = max(float(most), -float(np.fmin.reduce(entries, axis=None, initial=0.0)))
        semimetric, n = self.space.semimetric, n_rows(self.data)
        if semimetric is not None:
            if largest < _SQUARES_ARE_FAR:
                return
            with np.errstate(over="ignore", invalid="ignore"):
                largest = float(semimetric.pairwise(self.data[:1], self.data).max())
            if not np.isfinite(largest):
                return  # it is named where all distances are computed
            largest *= 4
        if largest <= _LARGEST_SUM / n**2:
            return
        if semimetric is not None:
            check_finite_distances(np.array([np.inf]))
        raise ValueError(
            f"X holds distances up to {largest:.3g}, and the sum over all pairs of "
            f"{n} rows may not be a finite number; divide X by its largest entry, "
            "which changes no cluster."
        )

    def _carried_out(self) -> Answer:
        if self.plan.method == "nystroem":
            return self._on_sketch()
        if self.plan.method == "certified":
            if self.starts.are_named or self.plan.is_large or not self.plan.fits_pairs:
                return self._certified()
            return self._with_pairs(_LABELS_GIVEN)._on_operator()
        if self.starts.are_named:
            if self.plan.starts_on_sketch:
                return self._after_sketch()
            if self.plan.starts_on_sample(n_rows(self.data)):
                return self._after_sample()
        return self._on_operator()

    def _on_operator(self) -> Answer:
        """All starts on the operator itself."""
        gram = self._gram()
        alive = self.weights > 0
        # An indefinite kernel puts different points at distance zero, so there only they count.
        free = self.space.origin_is_free
        distinct = gram.count_distinct(alive, self.k) if free else int(alive.sum())
        check_distinct(distinct, self.k, self.space.semimetric)
        problem = Problem(
            gram, self.weights, self.k, origin_is_free=free, table=self._table_of_numbers()
        )
        starts = self.starts.on(problem)
        gram, origin = self.space.at_mean(gram, self.weights)
        unit = gram.unit if isinstance(gram, RowsGram) else 1.0
        with progress.scaled(Scale(unit, origin.constant)):
            runs = self._search().solve(replace(problem, gram=gram), starts)
        scale = Scale(self.weight_unit * unit, origin.constant * self.weight_unit)
        return self._exact(gram, runs.best, runs, scale, origin, starts_scale=scale)

    def _after_sketch(self) -> Answer:
        """The labels of a sketch improved on the operator: exact from here on."""
        self._check_distinct()
        sketch = self._sketch(self._sketcher())
        labels, runs, error = sketch.points.labels, sketch.runs, sketch.error
        starts_scale = Scale(self.weight_unit).after(sketch.scale)
        del sketch  # with its features, before the pass needs memory
        answer = self._improved_on_pairs(labels, runs, starts_scale)
        return replace(answer, sketch_error=error)

    def _improved_on_pairs(self, labels: IntArray, runs: Restarts, starts_scale: Scale) -> Answer:
        """The answer from some labels by a pass over all pairs."""
        gram = self._gram()
        best = self.solver.solve(Problem(gram, self.weights, self.k), labels)
        scale = Scale(self.weight_unit)
        return self._exact(gram, best, runs, scale, Origin(), starts_scale=starts_scale)

    def _with_pairs(self, reason: str) -> Fit:
        """The fit by a pass over all pairs in place of a proof."""
        return replace(self, plan=self.plan.on_pairs(reason))

    def _over_blocks(self) -> BlockFit | None:
        """The same fit over blocks of rows, where there are many and they are rows of numbers."""
        n, space = n_rows(self.data), self.space
        if n <= STARTS_ON_ALL or not is_table(self.data) or not self.starts.are_named:
            return None
        if not isinstance(self.solver, Hartigan) or not isinstance(space, PointSpace):
            return None
        return BlockFit.in_memory(
            self.data,
            space.semimetric,
            self.weights,
            weight_unit=self.weight_unit,
            k=self.k,
            plan=self.plan,
            starts=self.starts,
            solver=self.solver,
            improver=self._search().improver,
            executor=self.executor,
        )

    def _with_rows(self, answer: Answer) -> Answer:
        """An answer over blocks, with what a fit of rows in memory keeps."""
        best = replace(answer.partition, labels=answer.partition.labels.astype(np.int64))
        nearest = answer.nearest
        if isinstance(nearest, RowsToBlockMeans):
            centroids = Centroids.of(best, self.weights)
            maps = (nearest.means, nearest.embedding, nearest.semimetric)
            nearest = RowsToMeans(self.space, Origin(), centroids, self.data, *maps)
        return replace(answer, partition=best, nearest=nearest)

    def _after_sample(self) -> Answer:
        """The best labels of a sample given to all rows and improved there: exact from here on."""
        blocks = self._over_blocks()
        if blocks is not None and not isinstance(self.space.semimetric, Cosine):
            return self._with_rows(blocks.squared())
        gram = self._squared_gram()
        table = self.data if has_columns(self.data) else None
        problem = Problem(gram, self.weights, self.k, origin_is_free=True, table=table)
        with progress.scaled(Scale(gram.unit)):
            labels, runs, part = labels_from_sample(
                problem, gram, self._search(), self.starts, self.executor
            )
            best = self.solver.solve(problem, labels)
        scale = Scale(self.weight_unit * gram.unit)
        answer = self._exact(
            gram, best, runs, scale, Origin(), starts_scale=Scale(scale.unit / part)
        )
        return replace(answer, sketch_error=0.0)

    @np.errstate(over="ignore")  # run checks every sum of the answer
    def _exact(
        self,
        gram: GramOperator,
        best: Partition,
        runs: Restarts,
        scale: Scale,
        origin: Origin,
        *,
        starts_scale: Scale,
    ) -> Answer:
        """The answer of the operator, every number from the final labels."""
        best = self._numbered(best)
        within, dispersions = self._within(gram, best)
        if self._has_distances():  # their means, which rounding may put below zero
            within, dispersions = max(within, 0.0), np.maximum(dispersions, 0.0)
        unit = scale.unit
        return Answer(
            partition=best,
            runs=runs,
            objective=scale(best.rise),
            within=within * unit,
            between=best.rise * unit,
            cluster_weights=best.weight * self.weight_unit,
            cluster_dispersions=dispersions * unit,
            history=scale(best.rises),
            starts_scale=starts_scale,
            exactness=EXACTNESS[best.status],
            plan=self.plan,
            nearest=self._nearest(gram, best, origin),
            certificate=self._of_operator(best.status),
            within_interval=(within * unit, within * unit),
            between_interval=(best.rise * unit, best.rise * unit),
        )

    def _of_operator(self, status: Status) -> Certificate:
        """What an exact search says: it has looked at all pairs, or needed none."""
        n, is_optimal = n_rows(self.data), status in OPTIMAL
        needs_none = self.plan.operator in ("squared", "columns")
        made = Certificate.without_pairs if needs_none else Certificate.of_all_pairs
        return made(n, is_optimal)

    def _within(self, gram: GramOperator, best: Partition) -> tuple[float, Float64Array]:
        """W and W_j in the unit of the operator."""
        if isinstance(gram, FactorGram | SparseRowsGram):
            dispersions = gram.dispersions(best.labels, self.weights, self.k)
            return float(dispersions.sum()), dispersions
        own = self.weights * gram.diagonal()
        dispersions = sum_by_cluster(best.labels, own, self.k)
        within = float(dispersions.sum() - best.objective)
        return within, dispersions - over_weight(best.within, best.weight)

    def _nearest(self, gram: GramOperator, best: Partition, origin: Origin) -> RowsToCentroids:
        """Squared distances from new rows to the centroids."""
        semimetric = self.space.semimetric
        if isinstance(gram, RowsGram) and semimetric is not None:
            return RowsToMeans.of_rows(self.space, semimetric, gram, best, self.weights, self.data)
        if isinstance(gram, SparseRowsGram) and semimetric is not None:
            return RowsToSparseMeans.of_rows(
                self.space, semimetric, gram, best, self.weights, self.data
            )
        return RowsToCentroids.of(self.space, origin, best, self.weights, self.data)

    @np.errstate(over="ignore")  # run checks every sum of the answer
    def _on_sketch(self) -> Answer:
        """The answer of the sketch, with W and S estimated from distances within a sample."""
        self._check_distinct()
        blocks = self._over_blocks()
        if blocks is not None:
            return self._with_rows(blocks.on_sketch())
        sketcher = self._sketcher()
        sketch = self._sketch(sketcher)
        best = self._numbered(sketcher.improved(sketch, self.weights, self.k, self.solver))
        found = self._estimated_dispersion(best)
        unit = self.weight_unit
        between = (found.total - found.within) * unit
        starts_scale = Scale(unit).after(sketch.scale)
        rises = best.history - best.history[-1]
        return Answer(
            partition=best,
            runs=sketch.runs,
            objective=between,
            within=found.within * unit,
            between=between,
            cluster_weights=best.weight * unit,
            cluster_dispersions=found.by_cluster * unit,
            history=Scale(unit, between).after(Scale(sketch.to_features.unit))(rises),
            starts_scale=starts_scale,
            exactness=f"{EXACTNESS[best.status]} on the sketch",
            plan=self.plan,
            nearest=RowsToSketchedCentroids(
                sketch.to_features, FeatureCentroids.of(sketch.points.gram, best, self.weights)
            ),
            sketch_error=sketch.error,
            certificate=Certificate.without_pairs(n_rows(self.data), proved=False),
        )

    @np.errstate(over="ignore")  # run checks every sum of the answer
    def _certified(self) -> Answer:
        """The answer of the sketch, improved until bounds prove that no single move is left."""
        self._check_distinct()
        labels, runs, error, starts_scale = self._start()
        found = certified(
            Points.of(self._terms()),
            self.weights,
            labels,
            self.k,
            n_landmarks=self.plan.n_components,
            tol=self.tol,
            is_ratio=isinstance(self.solver, Hartigan),
            seed=self.starts.seeds[0],
            executor=self.executor,
            limits=Limits(
                n_pairs=self.plan.proof_pairs,
                all_pairs=self.plan.fits_pairs,
                deadline=self.deadline,
            ),
        )
        if found is None:
            on_pairs = self._with_pairs(_MANY_OPEN)
            answer = on_pairs._improved_on_pairs(labels, runs, starts_scale)
        else:
            answer = self._proved(found, runs, starts_scale)
        return replace(answer, sketch_error=error)

    def _start(self) -> tuple[IntArray, Restarts, float, Scale]:
        """Labels that are optimal on a sketch; the starts, the sketch's error, their scale."""
        scale, blocks = Scale(self.weight_unit), self._over_blocks()
        if blocks is not None:
            made, (best, _) = blocks.start()
            return best.labels.astype(np.int64), made.runs, made.error, scale.after(made.scale)
        sketcher = self._sketcher()
        sketch = self._sketch(sketcher)
        best = sketcher.improved(sketch, self.weights, self.k, self.solver)
        return best.labels, sketch.runs, sketch.error, scale.after(sketch.scale)

    def _proved(self, found: Certified, runs: Restarts, starts_scale: Scale) -> Answer:
        """The answer of a certificate."""
        best, unit = self._numbered(found.partition), self.weight_unit
        within, total = found.within.times(unit), found.total.times(unit)
        rule = Status.CONVERGED if isinstance(self.solver, Hartigan) else Status.STABLE
        return Answer(
            partition=best,
            runs=runs,
            objective=total.middle - within.middle,
            within=within.middle,
            between=total.middle - within.middle,
            cluster_weights=best.weight * unit,
            cluster_dispersions=-over_weight(best.within, best.weight) * unit,
            history=Scale(unit)(best.rises),
            starts_scale=starts_scale,
            exactness=exactness_text(EXACTNESS[rule], found.certificate, len(best.labels)),
            plan=self.plan,
            nearest=RowsToCentroids.of(self.space, Origin(), best, self.weights, self.data),
            certificate=replace(
                found.certificate, largest_gain=found.certificate.largest_gain * unit
            ),
            within_interval=(within.least, within.most),
            between_interval=(total.least - within.most, total.most - within.least),
        )

    def _search(self) -> BestOf:
        """The solver from every start; improvements only where a trial is cheap.

        Whoever gives labels asks for the optimum next to them, not for another one.
        """
        cheap = (
            self.plan.method == "dense"
            or self.plan.starts_on_sketch
            or self.plan.operator == "squared"
        )
        improver = self.improver if cheap and self.starts.are_named else None
        return BestOf(solver=self.solver, executor=self.executor, improver=improver)

    def _gram(self) -> GramOperator:
        if self.plan.operator == "squared":
            return self._squared_gram()
        if self.plan.operator == "columns":
            gram = ColumnGram.from_terms(self._terms(), self.executor.n_workers)
            if gram is not None:
                return gram
        data = self.data
        if self.plan.method == "dense" and is_table(data) and len(data) <= DENSE_UP_TO:
            # A matrix in float32 would round distances that few rows need not have rounded.
            data = data.astype(np.float64, copy=False)
        return self.space.gram(data, self.plan.method, self.executor.n_workers)

    def _squared_gram(self) -> RowsGram | SparseRowsGram:
        semimetric, n_threads = self.space.semimetric, self.executor.n_workers
        return squared_gram(self.data, semimetric, self._terms(), self.weights, n_threads)

    def _terms(self) -> list[Term]:
        semimetric = self.space.semimetric
        terms = None if semimetric is None else semimetric.terms(self.data)
        return terms or []

    def _table_of_numbers(self) -> Any:
        """The rows where Euclidean starts may use them; None of objects and of codes."""
        has_numbers = isinstance(self.space, PointSpace) and not self.space.semimetric.reads_types
        return self.data if has_numbers and has_columns(self.data) else None

    def _numbered(self, partition: Partition) -> Partition:
        """The largest cluster first, unless a user gave the numbers."""
        return partition if self.starts.are_labels else partition.largest_first(self.weights)

    def _sketcher(self) -> Sketcher:
        return Sketcher(
            n_components=self.plan.n_components,
            feature_bytes=self.plan.feature_bytes,
            landmarks=self.plan.landmarks,
            seed=self.starts.seeds[0],
            executor=self.executor,
        )

    def _sketch(self, sketcher: Sketcher) -> Sketch:
        return sketcher.sketch(
            RowsInMemory(self.data),
            self._semimetric_with_features(),
            self.weights,
            self.k,
            self._search(),
            self.starts,
        )

    def _estimated_dispersion(self, partition: Partition) -> Dispersion:
        return estimated_dispersion(
            RowsInMemory(self.data),
            self._semimetric_with_features(),
            partition.labels,
            self.weights,
            self.k,
            np.random.default_rng([self.starts.seeds[0], 2]),
            self.executor.n_workers,
            n_drawn=self.plan.rows_for_w,
        )

    def _check_distinct(self) -> None:
        """At least k distinct points: usually found among a few rows, else all are looked at."""
        alive = np.flatnonzero(self.weights > 0)
        found = 0
        for limit in (max(_FEW, 4 * self.k), len(alive)):
            some = take(self.data, alive[evenly_spaced(len(alive), limit)])
            gram = self.space.gram(some, "matrix_free", self.executor.n_workers)
            found = gram.count_distinct(np.ones(n_rows(some), np.bool_), self.k)
            if found == self.k:
                return
        check_distinct(found, self.k, self.space.semimetric)

    def _has_distances(self) -> bool:
        """Whether ρ is nowhere below zero, as it may be where it is not of negative type."""
        semimetric = self.space.semimetric
        return self.space.origin_is_free and (semimetric is None or semimetric.is_negative_type)

    def _semimetric_with_features(self) -> Semimetric:
        space = self.space
        if not isinstance(space, PointSpace) or not space.has_features:
            raise ValueError(
                f'method="nystroem" needs a semimetric of negative type, whose kernel has '
                f'features; {space.semimetric!r} is not. Use method="matrix_free".'
            )
        return space.semimetric
