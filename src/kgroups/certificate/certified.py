"""Labels that are proved to be one-move optimal, and what is proved of W and S."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kgroups.certificate.certificate import Certificate
from kgroups.certificate.changes import Bracket
from kgroups.certificate.landmark_form import LandmarkForm
from kgroups.certificate.levels import levels_of
from kgroups.certificate.members import Members
from kgroups.certificate.moments import moments_of
from kgroups.certificate.proof_search import Limits, Search
from kgroups.certificate.stages import layout_of, stages_of
from kgroups.runtime import progress
from kgroups.runtime.threads import Executor
from kgroups.semimetrics.all_pairs import Points
from kgroups.semimetrics.group_sums import relative_rounding
from kgroups.solvers.objective import over_weight, sum_by_cluster
from kgroups.solvers.partition import Partition, Status
from kgroups.typing import Float64Array, IntArray

# Landmarks, at most, and as many as serve few clusters: more take longer than they save.
_MOST_LANDMARKS, _ENOUGH = 400, 128
# Members of the head from which the total dispersion is bounded.
_HEAD_OF_ALL = 1024


@dataclass(frozen=True, eq=False)
class Certified:
    """A partition, with its numbers in units of ρ times weight, and what is proved of it."""

    #: Of the matrix −ρ/2; ``within``, the objective and the history are middles of what is proved.
    partition: Partition
    certificate: Certificate
    #: W, and W of one cluster.
    within: Bracket
    total: Bracket


def certified(
    points: Points,
    weights: Float64Array,
    labels: IntArray,
    k: int,
    *,
    n_landmarks: int,
    tol: float,
    is_ratio: bool,
    seed: int,
    executor: Executor,
    limits: Limits,
) -> Certified | None:
    """Labels improved by single moves until none is left, by a search that ends with a proof.

    None where a pass over all pairs takes less time.
    """
    form = form_of(points, weights, min(n_landmarks, max(_ENOUGH, 2 * k)), seed)
    search = Search(
        points, form, weights, labels, k, tol, executor, is_ratio=is_ratio, seed=seed, limits=limits
    )
    found = search.run()
    if found is None:
        return None
    with progress.quiet():
        total = total_dispersion(points, form, weights, executor, seed)
    s = sum_by_cluster(found.labels, weights, k)
    inside = np.array([-0.5 * bracket.middle for bracket in found.totals])
    stopped = Status.CONVERGED if is_ratio else Status.STABLE
    partition = Partition(
        labels=found.labels,
        objective=float(over_weight(inside, s).sum()),
        together=-total.middle,
        weight=s,
        within=inside,
        n_iter=len(found.history) - 1,
        n_moves=found.n_moves,
        status=stopped if found.is_settled else Status.LIMIT,
        history=-found.history,
    )
    return Certified(partition, found.certificate, within_of(found.totals, s), total)


def within_of(totals: Sequence[Bracket], weight: Float64Array) -> Bracket:
    """W = Σ T_j / 2 s_j, from the sums T_j within clusters of weight s_j."""
    parts = [total.times(0.5 / s) for total, s in zip(totals, weight.tolist(), strict=True) if s]
    return Bracket(sum(part.least for part in parts), sum(part.most for part in parts))


def form_of(points: Points, weights: Float64Array, m: int, seed: int) -> LandmarkForm:
    """The form of m landmarks, at most 400, drawn uniformly among the points with weight."""
    alive = np.flatnonzero(weights > 0)
    rng = np.random.default_rng([seed, 5])
    size = min(m, _MOST_LANDMARKS, len(alive))
    return LandmarkForm.of(points, np.sort(rng.choice(alive, size, replace=False)))


def total_dispersion(
    points: Points, form: LandmarkForm, weights: Float64Array, executor: Executor, seed: int
) -> Bracket:
    """½ s g(X, X), the dispersion of all points as one cluster. O(1536 n D).

    From all pairs up to 4,096 points, else from blocks of a random order.
    """
    together = np.zeros(len(weights), np.int64)
    members = Members.of(together, weights, 1, seed)
    layout = layout_of(len(members.order), _HEAD_OF_ALL)
    (moments,) = moments_of(form, points, members, executor)
    (stages,) = stages_of(points, members, [layout], executor)
    levels = levels_of(form, stages.over(form.unit), moments, relative_rounding(points))
    half = 0.5 * form.unit / levels.weight
    return Bracket(levels.least, levels.most).times(half)
