"""Which points of labels that stay as they are a single move would improve."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kgroups.certificate.certificate import Certificate
from kgroups.certificate.changes import Bracket
from kgroups.certificate.improvements import Improvements
from kgroups.certificate.ladder import Open, look_at_members
from kgroups.certificate.proof_search import OPENING, Search
from kgroups.certificate.stages import whole_layout


@dataclass(frozen=True, eq=False)
class Looked:
    """Which points a single move would improve, and what is proved of the others."""

    improvements: Improvements
    certificate: Certificate
    #: Σ Σ w w ρ within each cluster.
    totals: list[Bracket]


class LabelCheck(Search):
    """A search that moves nothing."""

    def look(self) -> Looked:
        """Points that would move, of labels that stay as they are.

        A point that surely gains is looked at no further: its gain is the middle of an interval.
        """
        self._sum_pairs(self._first_layout())
        found, seen = self._looked(Improvements.none())
        if len(seen.index) and not self._is_whole and self._can_afford(self._n_within()):
            self._sum_pairs(whole_layout)
            self._margin[seen.index] = -np.inf
            found, seen = self._looked(found)
        if self._is_settled and self._is_whole:
            found = found.with_sure(self._scene, seen, may_be_rounding=True)
        answer = self._found(seen)
        return Looked(found.by_row(self.form.unit), answer.certificate, answer.totals)

    def _looked(self, found: Improvements) -> tuple[Improvements, Open]:
        """One round in which points that surely gain leave the ladder."""
        seen = self._round(only_opening=True)
        found, seen = self._without_sure(found, seen)
        last = max(len(cluster.levels) for cluster in self._scene.clusters) - 1
        self._is_settled = False
        for number in range(OPENING + 1, last + 1):
            if not self._can_afford(0):
                return found, seen
            seen, step = look_at_members(self._scene, seen, number, self._margin, self.executor)
            self._add(step)
            found, seen = self._without_sure(found, seen)
        self._is_settled = self._can_afford(0)
        return found, seen

    def _without_sure(self, found: Improvements, seen: Open) -> tuple[Improvements, Open]:
        """Points that surely gain are found, and others go on."""
        found = found.with_sure(self._scene, seen)
        self._margin[found.rows] = np.inf
        return found, seen.without(found.rows)
