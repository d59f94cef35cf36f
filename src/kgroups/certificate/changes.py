r"""Clusters as they are now: those of which pairs were summed, and the few points that moved since.

A cluster C that points joined and left is the old one plus a signed measure Δ: +w for each point
that joined, −w for each that left. Sums are linear in it. With s and s' the weights before and now

.. math:: g(x, C') = \frac{s}{s'} [g(x, C) - L(x)] + L'(x) - \frac{2}{s'} ⟨x, Δ⟩_R, \qquad
          |⟨x, Δ⟩_R| ≤ ‖x‖_R ‖Δ‖_R

where L(x) is what landmarks say of g(x, C), up to the product of residuals. So the levels of the
old cluster serve on, a little wider; few points are short of what all others are known up to. On
the last level, where nothing is bounded, the sum over Δ itself is added.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.linalg import norm

from kgroups.certificate.landmark_form import LandmarkForm
from kgroups.certificate.levels import ClusterLevels, Level, Part, level_of, slack_of
from kgroups.certificate.members import Members
from kgroups.native import LANES
from kgroups.runtime.threads import Executor, blocks
from kgroups.semimetrics.all_pairs import Points
from kgroups.semimetrics.group_sums import Group, relative_rounding, sums_within_group
from kgroups.solvers.objective import sum_by_cluster
from kgroups.typing import Float64Array, IntArray

# Panels of points in a task.
_PANELS = 32
_EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class Bracket:
    """A number that lies between two others."""

    least: float
    most: float

    @property
    def middle(self) -> float:
        """The number, if it is one of these."""
        return 0.5 * (self.least + self.most)

    def plus(self, change: float, error: float) -> Bracket:
        """The sum with a number that is known up to an error."""
        return Bracket(self.least + change - error, self.most + change + error)

    def times(self, factor: float) -> Bracket:
        """The product with a positive number."""
        return Bracket(self.least * factor, self.most * factor)


@dataclass(frozen=True, eq=False)
class Cluster:
    """What bounds read of a cluster. All distances are in the unit of the form."""

    levels: list[Level]
    weight: float
    #: The level of which sums are kept, and the weight of the members in it.
    head: int
    head_weight: float
    #: Σ Σ w w ρ within the cluster.
    total: Bracket
    #: Points of Δ and their signed weights.
    index: IntArray
    signed: Float64Array
    #: A bound on ρ(x, y) − 2 K(x, x) for the points y of Δ.
    reach: float = 0.0

    @property
    def spread(self) -> Bracket:
        """½ g(C, C), half of the mean distance."""
        return self.total.times(0.5 / self.weight**2)

    @property
    def middle_spread(self) -> float:
        """The middle of :attr:`spread`."""
        return self.spread.middle

    def is_of(self, index: IntArray, total: Bracket) -> bool:
        """Whether it is what some points made of it, by having joined or left."""
        return self.total == total and np.array_equal(self.index, index)

    def size_of_change(self, own: Float64Array) -> Float64Array:
        """A bound on Σ |w| ρ(x, y) / s' over Δ, for points of which K(x, x) is ``own``.

        ρ(x, y) ≤ 2 K(x, x) + 2 K(y, y), by the triangle inequality of √ρ.
        """
        heavy = float(np.abs(self.signed).sum()) / self.weight
        return np.asarray(heavy * (2.0 * own + self.reach))


@dataclass(frozen=True, eq=False)
class Changes:
    """How clusters differ from those of which pairs were summed; see the module."""

    points: Points
    form: LandmarkForm
    members: Members
    #: Σ w ρ(x, Z) of the old clusters.
    landmarks: Sequence[Float64Array]
    levels: Sequence[ClusterLevels]
    executor: Executor

    def clusters(
        self, totals: Sequence[Bracket], labels: IntArray, earlier: Sequence[Cluster] = ()
    ) -> list[Cluster]:
        """All clusters for labels that differ from those of the members in few points.

        ``totals`` belong to the labels. Those that are as they were ``earlier`` are taken
        from there. O(n + Σ |Δ|² D) for the others.
        """
        members = self.members
        weights = sum_by_cluster(labels, members.weights, len(self.levels))
        moved = np.flatnonzero((labels != members.labels) & (members.weights > 0))
        found = []
        for place, total in enumerate(totals):
            left = moved[members.labels[moved] == place]
            joined = moved[labels[moved] == place]
            index = np.concatenate([joined, left])
            signed = np.concatenate([members.weights[joined], -members.weights[left]])
            if earlier and earlier[place].is_of(index, total):
                found.append(earlier[place])
                continue
            if len(index):
                found.append(self._changed(place, float(weights[place]), total, index, signed))
                continue
            known = self.levels[place]
            how = (known.levels, known.weight, known.head, known.head_weight)
            found.append(Cluster(*how, total, index, signed))
        return found

    def _changed(
        self, place: int, weight: float, total: Bracket, index: IntArray, signed: Float64Array
    ) -> Cluster:
        form, known = self.form, self.levels[place]
        rho = form.distances(self.points, index)
        whole = Part.of(form, weight, self.landmarks[place] + signed @ rho)
        g = total.least / weight**2
        # What rounding does to sums counts for more where less of the weight is left.
        larger = (known.weight + float(np.abs(signed).sum())) / weight
        # So do the digits that large sums lose where what is left is small.
        before = form.own(self.landmarks[place] / known.weight)
        far = known.weight * (2.0 * float(before) + form.reach)
        far = (far + float(np.abs(signed) @ rho.max(axis=1))) / weight
        loud = replace(whole, own=max(whole.own, 0.5 * (far - form.reach)))
        squared = whole.product(whole, g) + larger * slack_of(form, 0.0, g, loud)
        first = level_of(form, None, whole, 0.0, float(np.sqrt(max(squared, 0.0))), 0)
        first = replace(
            first,
            rounding=larger * first.rounding + form.sensitivity * far,
            error=larger * first.error + (form.rounding + form.sensitivity) * far,
        )
        share, width = known.weight / weight, self._norm(rho, index, signed) / weight
        levels = [_changed_level(level, share, known.levels[0], first, width)
                  for level in known.levels[1:-1]]  # fmt: skip
        last = known.levels[-1]
        scaled = {name: share * getattr(last, name) for name in ("beta", "rounding", "error")}
        levels.append(replace(last, **scaled))
        reach = 2.0 * float(form.own(rho).max())
        return Cluster(
            [first, *levels], weight, known.head, known.head_weight, total, index, signed, reach
        )

    def _norm(self, rho: Float64Array, index: IntArray, signed: Float64Array) -> float:
        """An upper bound on ‖Δ‖_R, from all pairs of Δ and its distances ``rho`` to landmarks.

        ‖Δ‖_R² = (Σ w) Σ w K(x, x) − ½ Σ Σ w w ρ − ‖Σ w F(x)‖².
        """
        form = self.form
        net, size = float(signed.sum()), float(np.abs(signed).sum())
        among = sums_among(self.points, form.unit, index, signed, self.executor)
        features = signed @ form.features(rho)
        largest = float(rho.max())
        own = net * float(signed @ form.own(rho))
        length = float(norm(features))
        squared = own - 0.5 * among.total - length**2
        # ‖F(x)‖² ≤ K(x, x) ≤ the largest distance.
        of_sums = form.rounding + len(index) * _EPS
        error = size * (form.sensitivity * largest + of_sums * np.sqrt(largest))
        squared += error * (2.0 * length + error) + of_sums * size**2 * (largest + form.half)
        squared += 0.5 * relative_rounding(self.points) * among.size
        return float(np.sqrt(max(squared, 0.0)))


def _changed_level(level: Level, share: float, before: Level, after: Level, width: float) -> Level:
    """A level of the old cluster as one of the present; ``width`` is ‖Δ‖_R / s'."""
    return replace(
        level,
        beta=share * level.beta,
        gamma=share * level.gamma,
        direction=share * (level.direction - before.direction) + after.direction,
        constant=share * (level.constant - before.constant) + after.constant,
        width=share * level.width + 2.0 * width,
        rounding=share * (level.rounding + before.rounding) + after.rounding,
        error=share * (level.error + before.error) + after.error,
    )


class Among(NamedTuple):
    """Σ Σ w w ρ over signed weights, and the same over their absolute values."""

    total: float
    size: float


def sums_among(
    points: Points, unit: float, index: IntArray, signed: Float64Array, executor: Executor
) -> Among:
    """The sums over all pairs of some points, in a unit, each pair looked at once. O(b² D)."""

    def sum_over(w: Float64Array) -> float:
        """Σ Σ w w ρ for some weights."""
        group = Group.of(points.table[index], w)

        def some(block: tuple[int, int]) -> float:
            """The sum from some panels to themselves and to later ones."""
            rows = slice(block[0] * LANES, block[1] * LANES)
            sums = sums_within_group(points, group, *block)
            return float(group.weights[rows].astype(np.float64) @ (sums.own + 2.0 * sums.later))

        panels = blocks(0, len(group.panels), _PANELS)
        return sum(executor.map(some, panels)) / unit

    return Among(sum_over(signed), sum_over(np.abs(signed)))
