"""Clusters as they are now: those of which pairs were summed, and the few points that moved since.

A cluster that points joined and left is the old one plus a signed measure Δ: +w for each point that
joined, −w for each that left. Every sum is linear in it, so the levels of the old cluster serve on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from kgroups.certificate.landmark_form import LandmarkForm
from kgroups.certificate.levels import ClusterLevels, Level, Part, level_of, slack_of
from kgroups.certificate.members import Members
from kgroups.semimetrics.all_pairs import Points
from kgroups.solvers.objective import sum_by_cluster
from kgroups.typing import Float64Array, IntArray


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
    #: The weight of the old cluster, which the levels know, and of the present one.
    old_weight: float
    weight: float
    #: The level of which sums are kept, and the weight of the members in it.
    head: int
    head_weight: float
    #: Σ Σ w w ρ within the cluster.
    total: Bracket
    #: Points of Δ and their signed weights.
    index: IntArray
    signed: Float64Array

    @property
    def spread(self) -> Bracket:
        """½ g(C, C), half of the mean distance."""
        return self.total.times(0.5 / self.weight**2)

    @property
    def middle_spread(self) -> float:
        """The middle of :attr:`spread`."""
        return self.spread.middle


def clusters_now(
    points: Points,
    form: LandmarkForm,
    members: Members,
    landmarks: Sequence[Float64Array],
    levels: Sequence[ClusterLevels],
    totals: Sequence[Bracket],
    labels: IntArray,
) -> list[Cluster]:
    """All clusters for labels that differ from those of the members in few points. O(n + changes).

    ``landmarks`` are Σ w ρ(x, Z) of the old clusters, ``totals`` belong to the labels.
    """
    before = members.labels[members.order]
    weights = sum_by_cluster(labels, members.weights, len(levels))
    moved = members.order[labels[members.order] != before]
    found = []
    for cluster, (known, total) in enumerate(zip(levels, totals, strict=True)):
        left = moved[members.labels[moved] == cluster]
        joined = moved[labels[moved] == cluster]
        index = np.concatenate([joined, left])
        signed = np.concatenate([members.weights[joined], -members.weights[left]])
        weight, first = known.weight, known.levels[0]
        if len(index):
            weight = float(weights[cluster])
            summed = landmarks[cluster] + signed @ form.distances(points, index)
            whole = Part.of(form, weight, summed)
            g = total.least / weight**2
            # What rounding does to sums counts for more where less of the weight is left.
            larger = (known.weight + float(np.abs(signed).sum())) / weight
            norm = whole.product(whole, g) + larger * slack_of(form, 0.0, g, whole)
            first = level_of(form, None, whole, 0.0, float(np.sqrt(max(norm, 0.0))), 0)
            rounding, error = larger * first.rounding, larger * first.error
            first = replace(first, rounding=rounding, error=error)
        found.append(
            Cluster(
                [first, *known.levels[1:]],
                known.weight,
                weight,
                known.head,
                known.head_weight,
                total,
                index,
                signed,
            )
        )
    return found
