"""A fit of rows that lie in blocks: on a sketch, or without pairs where means say it all.

The rows may be in memory, in files or on other machines. Nothing that is as long as the rows is
held here but the labels, in one byte each for up to 256 clusters.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from kgroups.certificate.block_proof import BlockProver
from kgroups.certificate.certificate import Certificate
from kgroups.certificate.proof_search import Limits
from kgroups.fit.answer import EXACTNESS, OPTIMAL, Answer, exactness_text
from kgroups.fit.checkpoint import Begun, Checkpoint, Resumed, embedding_of
from kgroups.fit.plan import Plan
from kgroups.gram.block_features import SketchedFeatures, SquaredFeatures
from kgroups.gram.nystroem import NystroemMap
from kgroups.input.rows import RowsInMemory
from kgroups.runtime.row_blocks import Blocks, LocalBlocks
from kgroups.runtime.threads import Executor
from kgroups.semimetrics.semimetric import Semimetric
from kgroups.sketch.block_dispersion import estimated_dispersion
from kgroups.sketch.block_sketch import (
    AfterSweep,
    BlockSketch,
    BlockSketcher,
    Optimum,
    improved,
    lacking,
    resumed,
)
from kgroups.sketch.block_squared import (
    dispersions,
    nearest_cost,
    sampled_starts,
    squared_features,
)
from kgroups.solvers.block_labels import BlockLabels, first_members
from kgroups.solvers.block_means import means_after
from kgroups.solvers.block_search import block_size
from kgroups.solvers.centroids import FeatureCentroids, RowsToBlockMeans, RowsToSketchedCentroids
from kgroups.solvers.hartigan import Hartigan
from kgroups.solvers.means import Means
from kgroups.solvers.partition import Partition, Status
from kgroups.solvers.restarts import BestOf, Improver
from kgroups.solvers.scale import Scale
from kgroups.solvers.starts import Starts
from kgroups.typing import Float64Array, FloatArray, IntArray

# Landmarks of a proof for few clusters.
_LANDMARKS = 128


@dataclass(frozen=True, kw_only=True)
class BlockFit:
    """Everything that a fit over blocks needs, checked."""

    where: Blocks
    semimetric: Semimetric
    #: Rows with weight in each block; the largest weight, and the unit in which they are held.
    alive: Sequence[int]
    heaviest: float
    weight_unit: float
    k: int
    plan: Plan
    starts: Starts
    solver: Hartigan
    improver: Improver | None
    executor: Executor
    #: The time on the clock at which a proof stops.
    deadline: float = np.inf
    #: Where the state of the search is kept after each sweep.
    checkpoint: Checkpoint | None = None

    @classmethod
    def in_memory(
        cls, table: FloatArray, semimetric: Semimetric, weights: Float64Array, **settings: Any
    ) -> BlockFit:
        """The fit of a table in memory; equal weights are none."""
        n, executor, plan = len(table), settings["executor"], settings["plan"]
        given = None if (weights == 1.0).all() else weights
        where = LocalBlocks(
            RowsInMemory(table),
            n,
            block_size(n),
            executor,
            weights=given,
            budget=plan.feature_bytes,
        )
        alive = [int((weights[a:b] > 0).sum()) for a, b in where.spans]
        heaviest = float(weights.max())
        return cls(where=where, semimetric=semimetric, alive=alive, heaviest=heaviest, **settings)

    @property
    def n_alive(self) -> int:
        """Rows with weight."""
        return int(sum(self.alive))

    def run(self) -> Answer:
        """Carry out the plan."""
        if self.plan.operator == "squared":
            return self.squared()
        return self.certified() if self.plan.method == "certified" else self.on_sketch()

    def start(self) -> tuple[BlockSketch, Optimum]:
        """Labels that are optimal on a sketch, for whoever goes on from there."""
        earlier = self._resumed()
        if earlier is not None:
            begun = earlier.begun
            made = SketchedFeatures(NystroemMap.of(begun.landmarks, self.semimetric))
            optimum, labels = self._from(earlier, made)
            sketch = BlockSketch(
                features=made,
                labels=labels,
                runs=begun.runs,
                scale=Scale(begun.starts_unit),
                error=begun.error,
            )
            return sketch, optimum
        sketcher = BlockSketcher(
            n_components=self.plan.n_components,
            landmarks=self.plan.landmarks,
            seed=self.starts.seeds[0],
            executor=self.executor,
        )
        how = (self.alive, self.k, self._search(), self.starts)
        sketch = sketcher.sketch(self.where, self.semimetric, *how)
        begun = Begun(
            landmarks=sketch.features.to_features.landmarks,
            runs=sketch.runs,
            starts_unit=sketch.scale.unit,
            error=sketch.error,
        )
        cost = (lacking, sketch.features)
        return sketch, self._improved(sketch.features, sketch.labels, cost, begun)

    def on_sketch(self) -> Answer:
        """The answer of the sketch, with W and S estimated from distances within a sample."""
        sketch, (best, means) = self.start()
        return self._of_sketch(sketch, best, means)

    def _of_sketch(self, sketch: BlockSketch, best: Partition, means: Means) -> Answer:
        rises = best.history - best.history[-1]
        best, order = _largest_first(best, sketch.labels, self.k)
        found = estimated_dispersion(
            self.where,
            self.semimetric,
            sketch.labels,
            order,
            np.random.default_rng([self.starts.seeds[0], 2]),
            self.executor.n_workers,
            self.plan.rows_for_w,
        )
        unit = self.weight_unit
        between = (found.total - found.within) * unit
        starts_scale = Scale(unit).after(sketch.scale)
        to_features = sketch.features.to_features
        return Answer(
            partition=best,
            runs=sketch.runs,
            objective=between,
            within=found.within * unit,
            between=between,
            cluster_weights=best.weight * unit,
            cluster_dispersions=found.by_cluster * unit,
            history=Scale(unit, between).after(Scale(to_features.unit))(rises),
            starts_scale=starts_scale,
            exactness=f"{EXACTNESS[best.status]} on the sketch",
            plan=self.plan,
            nearest=RowsToSketchedCentroids(to_features, _feature_centroids(means, order)),
            sketch_error=sketch.error,
            certificate=Certificate.without_pairs(self.where.n_rows, proved=False),
        )

    def certified(self) -> Answer:
        """The answer of the sketch, and what is proved of it; improved where rows surely gain."""
        sketch, (best, means) = self.start()
        prover = BlockProver(
            where=self.where,
            semimetric=self.semimetric,
            labels=sketch.labels,
            k=self.k,
            alive=self.alive,
            n_landmarks=min(self.plan.n_components, max(_LANDMARKS, 2 * self.k)),
            tol=self.solver.tol,
            seed=self.starts.seeds[0],
            executor=self.executor,
            limits=Limits(n_pairs=self.plan.proof_pairs, deadline=self.deadline),
        )
        proof = prover.run()
        if proof.n_moves:
            means = means_after(self.where, sketch.features, sketch.labels, means, proof.went)
            n_moves = best.n_moves + proof.n_moves
            best = replace(best, labels=sketch.labels.values, weight=means.weight, n_moves=n_moves)
        answer = self._of_sketch(sketch, best, means)
        unit, certificate = self.weight_unit, proof.certificate
        within, total = proof.within.times(unit), answer.within + answer.between
        order = _order_of(best, sketch.labels, self.k)
        return replace(
            answer,
            objective=total - within.middle,
            within=within.middle,
            between=total - within.middle,
            cluster_dispersions=proof.by_cluster[order] * unit,
            exactness=exactness_text(EXACTNESS[Status.CONVERGED], certificate, self.where.n_rows),
            certificate=replace(certificate, largest_gain=certificate.largest_gain * unit),
            within_interval=(within.least, within.most),
        )

    def squared(self) -> Answer:
        """The answer where distances are squared Euclidean ones: exact."""
        earlier = self._resumed()
        if earlier is None:
            features, labels, begun, (best, means) = self._squared_optimum()
        else:
            begun = earlier.begun
            features = SquaredFeatures(self.semimetric, embedding_of(begun))
            (best, means), labels = self._from(earlier, features)
        embedding = features.embedding
        unit = self.weight_unit * embedding.unit * embedding.unit
        found = dispersions(self.where, features, labels, means)
        best, order = _largest_first(best, labels, self.k)
        within, between = float(found.sum()) * unit, best.rise * unit
        scale, starts_scale = Scale(unit), Scale(unit / begun.starts_unit)
        n = self.where.n_rows
        return Answer(
            partition=best,
            runs=begun.runs,
            objective=scale(best.rise),
            within=within,
            between=between,
            cluster_weights=best.weight * self.weight_unit,
            cluster_dispersions=found[order] * unit,
            history=scale(best.rises),
            starts_scale=starts_scale,
            exactness=EXACTNESS[best.status],
            plan=self.plan,
            nearest=RowsToBlockMeans(
                self.semimetric,
                embedding,
                means.centers[order],
                best.weight,
            ),
            sketch_error=0.0,
            certificate=Certificate.without_pairs(n, best.status in OPTIMAL),
            within_interval=(within, within),
            between_interval=(between, between),
        )

    def _search(self) -> BestOf:
        return BestOf(solver=self.solver, executor=self.executor, improver=self.improver)

    def _squared_optimum(self) -> tuple[SquaredFeatures, BlockLabels, Begun, Optimum]:
        """The optimum by squared distances from starts on a sample."""
        features = squared_features(self.where, self.semimetric)
        how = (self.n_alive, self.k, self._search(), self.starts, self.executor)
        sampled = sampled_starts(self.where, features, *how)
        begun = Begun(
            landmarks=features.embedding, runs=sampled.runs, starts_unit=sampled.part, error=0.0
        )
        cost = (nearest_cost, (features, sampled.means))
        optimum = self._improved(features, sampled.labels, cost, begun)
        return features, sampled.labels, begun, optimum

    def _improved(self, features: Any, labels: BlockLabels, cost: Any, begun: Begun) -> Optimum:
        how = (self.k, self.heaviest, cost, self._settings())
        return improved(self.where, features, labels, *how, self._after_sweep(begun))

    def _resumed(self) -> Resumed | None:
        return None if self.checkpoint is None else self.checkpoint.load(self.where.n_rows, self.k)

    def _from(self, earlier: Resumed, features: Any) -> tuple[Optimum, BlockLabels]:
        """The optimum from where an earlier search has ended."""
        search = earlier.search(self.where, features, self.k, self.heaviest)
        after = self._after_sweep(earlier.begun)
        return resumed(search, self._settings(), after, earlier.course), search.labels

    def _settings(self) -> tuple[float, int]:
        return self.solver.tol, self.solver.max_iter

    def _after_sweep(self, begun: Begun) -> AfterSweep:
        checkpoint = self.checkpoint
        if checkpoint is None:
            return lambda search, course: None
        return partial(checkpoint.save, begun)


def _largest_first(found: Partition, labels: BlockLabels, k: int) -> tuple[Partition, IntArray]:
    """The partition with the largest cluster first, and the old numbers of its clusters."""
    order = _order_of(found, labels, k)
    return found.renumbered(order), order


def _order_of(found: Partition, labels: BlockLabels, k: int) -> IntArray:
    """The old numbers of the clusters by falling weight, then by first member."""
    return np.lexsort((first_members(labels, k), -found.weight))


def _feature_centroids(means: Means, order: IntArray) -> FeatureCentroids:
    centers = means.centers[order]
    norms = np.einsum("ij,ij->i", centers, centers)
    return FeatureCentroids(centers, np.where(means.weight[order] > 0, norms, np.inf))
