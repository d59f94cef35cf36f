"""What blocks are asked in a proof, and what they answer: open rows, and sums of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import NamedTuple

import numpy as np

from kgroups.certificate.block_heads import Heads
from kgroups.certificate.certificate import Step
from kgroups.certificate.changes import Cluster
from kgroups.certificate.ladder import Rule
from kgroups.certificate.landmark_form import LandmarkForm
from kgroups.semimetrics.semimetric import Semimetric
from kgroups.typing import BoolArray, Float64Array, FloatArray, IntArray

_NO_STEP = Step(0, 0, 0, 0)


@dataclass(frozen=True, eq=False)
class Look:
    """What blocks are sent to look at their rows."""

    semimetric: Semimetric
    form: LandmarkForm
    heads: Heads
    clusters: list[Cluster]
    rule: Rule
    #: Rows that stay by less than this count as open, because others may move.
    guard: float = 0.0
    #: Whether open rows are answered, and not only how many there are.
    tells: bool = False


class OpenRows(NamedTuple):
    """Rows that are open, or stay by less than the guard, and the clusters that they may join."""

    numbers: IntArray
    labels: IntArray
    weights: Float64Array
    rows: FloatArray
    #: Whether bounds leave the row open; else it stays by less than the guard.
    is_open: BoolArray
    #: Place of the row of each pair, and the cluster.
    row: IntArray
    cluster: IntArray

    def only_open(self) -> OpenRows:
        """Those that bounds leave open, with their pairs."""
        place = np.cumsum(self.is_open) - 1
        some = self.is_open[self.row]
        return OpenRows(
            numbers=self.numbers[self.is_open],
            labels=self.labels[self.is_open],
            weights=self.weights[self.is_open],
            rows=self.rows[self.is_open],
            is_open=self.is_open[self.is_open],
            row=place[self.row[some]],
            cluster=self.cluster[some],
        )


class Looked(NamedTuple):
    """What a block answers."""

    #: Each step, with what it left open; of the last one without rows that stay by little.
    steps: list[Step]
    found: OpenRows | None
    #: The largest weight of a row in each cluster, and the largest √K(x, x) of all rows.
    heaviest: Float64Array
    norm: float
    #: Rows that were not fetched stay by at least this margin; set by the caller.
    guard: float = 0.0

    @classmethod
    def nothing(cls, k: int) -> Looked:
        """What no rows answer."""
        return cls([], None, np.zeros(k), 0.0)

    def plus(self, more: Looked) -> Looked:
        """The answer of both, but for open rows, which are joined at last."""
        steps = _added(self.steps, more.steps)
        heaviest = np.maximum(self.heaviest, more.heaviest)
        return Looked(steps, None, heaviest, max(self.norm, more.norm))


class Known(NamedTuple):
    """Σ w ρ of pairs of an open row, by place, and a cluster; the own one is among them."""

    row: IntArray
    cluster: IntArray
    sums: Float64Array
    #: What rounding may have done to the sums.
    error: Float64Array

    def plus(self, more: Known) -> Known:
        """These pairs and others, row by row."""
        both = [np.concatenate(pair) for pair in zip(self, more, strict=True)]
        order = np.lexsort((both[1], both[0]))
        return Known._make(values[order] for values in both)

    def of(self, some: BoolArray) -> Known:
        """Some of the pairs."""
        return Known._make(values[some] for values in self)


def joined(found: Sequence[OpenRows]) -> OpenRows:
    """The open rows of all parts, whose places count from the first of them."""
    first = np.cumsum([0, *(len(part.numbers) for part in found)]).tolist()
    moved = [part._replace(row=part.row + at) for part, at in zip(found, first, strict=False)]
    return OpenRows._make(np.concatenate(arrays) for arrays in zip(*moved, strict=True))


def _added(steps: list[Step], more: list[Step]) -> list[Step]:
    """The same steps of more rows."""
    return [a.plus(b) for a, b in zip_longest(steps, more, fillvalue=_NO_STEP)]
