"""Which rows of a block bounds leave open: landmarks, then the heads of the clusters.

The rows stand in a scene of their own, whose clusters begin with members that lie elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from kgroups.certificate.block_heads import as_points
from kgroups.certificate.certificate import Step
from kgroups.certificate.first_look import FirstLook, look_at_all
from kgroups.certificate.ladder import Open, Scene, look_at_members, still_open
from kgroups.certificate.open_rows import Look, Looked, OpenRows, joined
from kgroups.gram.low_rank import CHUNK
from kgroups.runtime.row_blocks import RowBlock
from kgroups.runtime.threads import Threads, blocks
from kgroups.semimetrics.group_sums import Group
from kgroups.solvers.block_labels import LabelsAt, labels_in
from kgroups.typing import Float64Array, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class RowsScene(Scene):
    """Rows, and clusters whose first members are other rows; these are laid out once."""

    heads: FloatArray
    row_weights: Float64Array
    _laid: dict[tuple[int, int, int], Group] = field(default_factory=dict)

    @classmethod
    def of(cls, look: Look, rows: FloatArray, labels: IntArray, weights: Float64Array) -> Scene:
        """The scene of some rows."""
        unknown = np.full(len(rows), np.nan, np.float32)
        return cls(
            points=as_points(look.semimetric, rows),
            form=look.form,
            members=look.heads.members(),
            clusters=look.clusters,
            labels=labels,
            rule=look.rule,
            lacking=unknown,
            norm=unknown.copy(),
            heads=as_points(look.semimetric, look.heads.rows).table,
            row_weights=weights,
        )

    @property
    def weights(self) -> Float64Array:
        """The weights of the rows."""
        return self.row_weights

    def group(self, cluster: int, start: int, stop: int) -> Group:
        """The members [start, stop) of a head."""
        key = (cluster, start, stop)
        if key not in self._laid:
            index = self.members.of_cluster(cluster, start, stop)
            self._laid[key] = Group.of(self.heads[index], self.members.weights[index])
        return self._laid[key]


def look_at_block(block: RowBlock, constant: None, look: Look, sent: LabelsAt) -> Looked:
    """Which rows of a block are open, by canonical chunks."""
    labels, weights, rows = labels_in(block, sent), block.weights(), block.rows()
    scene = RowsScene.of(look, rows, labels, weights)
    first, total = FirstLook.of(scene), Looked.nothing(len(look.clusters))
    found: list[OpenRows] = []
    for a, b in blocks(0, block.n, CHUNK):
        index = a + np.flatnonzero(weights[a:b] > 0)
        seen, left, made = _looked(look, scene, first, index)
        total = total.plus(made)
        if look.tells:
            i, others = seen.index, seen.others
            known = block.start + i, labels[i], weights[i], rows[i], np.isin(i, left.index)
            found.append(OpenRows(*known, others.row, others.cluster))
    return total._replace(found=joined(found)) if look.tells else total


def look_at_rows(
    look: Look, rows: FloatArray, labels: IntArray, weights: Float64Array
) -> tuple[list[Step], int]:
    """How many of some rows are open after each step, and how many would be fetched."""
    scene = RowsScene.of(look, rows, labels, weights)
    seen, _, made = _looked(look, scene, FirstLook.of(scene), np.flatnonzero(weights > 0))
    return made.steps, len(seen.index)


def _looked(
    look: Look, scene: Scene, first: FirstLook, index: IntArray
) -> tuple[Open, Open, Looked]:
    """Rows of a scene that stay by less than the guard, those that are open, and what is said."""
    margin, one = np.full(len(scene.labels), np.inf), Threads(1)
    seen, steps = look_at_all(scene, first, index, margin, one, look.guard)
    last = max(len(cluster.levels) for cluster in look.clusters) - 1
    for number in range(2, last + 1):
        seen, step = look_at_members(scene, seen, number, margin, one, guard=look.guard)
        steps.append(step)
    left = still_open(scene, seen, margin)
    steps[-1] = steps[-1]._replace(n_open=len(left.index), n_candidates=len(left.others.row))
    heaviest = np.zeros(len(look.clusters))
    np.maximum.at(heaviest, scene.labels[index], scene.weights[index])
    norm = float(scene.norm[index].max(initial=0.0))
    return seen, left, Looked(steps, None, heaviest, norm)
