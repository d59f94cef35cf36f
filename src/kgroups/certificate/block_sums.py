"""Sums of open rows over all members of clusters, which lie in blocks; and bounds from them.

Each block adds up the distances of the open rows to its own members, and the sums over blocks are
folded in a fixed tree, without any order of the rows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kgroups.certificate.block_heads import as_points
from kgroups.certificate.ladder import Open, Pairs, Scene
from kgroups.certificate.members import Members
from kgroups.certificate.open_rows import Known, Look, OpenRows
from kgroups.gram.low_rank import CHUNK
from kgroups.runtime.row_blocks import Blocks, RowBlock
from kgroups.runtime.threads import blocks
from kgroups.semimetrics.all_pairs import Points
from kgroups.semimetrics.group_sums import Group, relative_rounding, sums_to_group
from kgroups.semimetrics.semimetric import Semimetric
from kgroups.solvers.block_labels import BlockLabels, LabelsAt, labels_in
from kgroups.solvers.block_means import folded
from kgroups.typing import BoolArray, Float64Array, FloatArray, IntArray

#: Pairs of a row and a cluster whose sums are made in one pass.
PAIRS_IN_A_PASS = 1 << 17


@dataclass(frozen=True, eq=False)
class _Queries:
    """Open rows whose distances to the members of some clusters are added up."""

    semimetric: Semimetric
    rows: FloatArray
    #: For each cluster the rows that are compared with it.
    of_cluster: list[IntArray]
    unit: float


def known_of(where: Blocks, labels: BlockLabels, look: Look, found: OpenRows) -> Known:
    """The sums of open rows and their clusters, and of the pairs that they come with."""
    row = np.concatenate([np.arange(len(found.numbers)), found.row])
    cluster = np.concatenate([found.labels, found.cluster])
    order = np.lexsort((cluster, row))
    return summed(where, labels, look, found, row[order], cluster[order])


def summed(
    where: Blocks,
    labels: BlockLabels,
    look: Look,
    found: OpenRows,
    row: IntArray,
    cluster: IntArray,
) -> Known:
    """The sums of some pairs of an open row and a cluster. O(pairs · n D / k).

    A pass over all rows for each 131,072 pairs.
    """
    sums = np.empty(len(row))
    order = np.argsort(cluster, kind="stable")
    for a, b in blocks(0, len(order), PAIRS_IN_A_PASS):
        some = order[a:b]
        sums[some] = _sums(where, labels, look, found.rows, row[some], cluster[some])
    rounding = relative_rounding(as_points(look.semimetric, found.rows))
    return Known(row, cluster, sums, rounding * np.abs(sums))


def compared(look: Look, found: OpenRows, known: Known) -> tuple[Scene, Open]:
    """Open rows in a scene of their own, with what sums over all members say of them."""
    none, no = np.empty(0, np.int64), np.zeros(len(look.clusters) + 1, np.int64)
    unknown = np.full(len(found.numbers), np.nan, np.float32)
    scene = Scene(
        points=as_points(look.semimetric, found.rows),
        form=look.form,
        members=Members(none, no, none, found.weights),
        clusters=look.clusters,
        labels=found.labels,
        rule=look.rule,
        lacking=unknown,
        norm=unknown,
    )
    low, high = _bounds(scene, known)
    zeros = np.zeros(len(known.row), np.int64)
    pairs = Pairs(known.row, known.cluster, known.sums, known.sums, low, high, zeros, zeros)
    is_own = known.cluster == found.labels[known.row]
    return scene, Open(np.arange(len(found.numbers)), pairs[is_own], pairs[~is_own])


def _sums(
    where: Blocks,
    labels: BlockLabels,
    look: Look,
    rows: FloatArray,
    place: IntArray,
    cluster: IntArray,
) -> Float64Array:
    """Σ w ρ of some pairs of a row and a cluster, in rising order of the clusters."""
    asked, place = np.unique(place, return_inverse=True)
    of_cluster = [place[cluster == c] for c in range(len(look.clusters))]
    queries = _Queries(look.semimetric, rows[asked], of_cluster, look.form.unit)
    parts = where.map("certificate", sums_of, None, queries, labels.everywhere())
    return folded(labels.heard_from(parts), np.add)


def sums_of(block: RowBlock, constant: None, queries: _Queries, sent: LabelsAt) -> Float64Array:
    """The part of a block in the sums of the queries."""
    labels, weights, rows = labels_in(block, sent), block.weights(), block.rows()
    asked = as_points(queries.semimetric, queries.rows)
    tables = [asked.table[index] for index in queries.of_cluster]

    def of_chunk(a: int, b: int) -> Float64Array:
        """The part of a chunk."""
        points = as_points(queries.semimetric, rows[a:b])
        found = [
            _to_members(asked, table, points.table, weights[a:b], labels[a:b] == cluster)
            for cluster, table in enumerate(tables)
        ]
        return np.concatenate(found) / queries.unit

    return folded((of_chunk(a, b) for a, b in blocks(0, block.n, CHUNK)), np.add)


def _to_members(
    asked: Points, x: FloatArray, table: FloatArray, weights: Float64Array, is_member: BoolArray
) -> Float64Array:
    members = np.flatnonzero(is_member & (weights > 0))
    if not len(members) or not len(x):
        return np.zeros(len(x))
    return sums_to_group(asked, x, Group.of(table[members], weights[members]))


def _bounds(scene: Scene, known: Known) -> tuple[Float64Array, Float64Array]:
    """Bounds on d² from sums over all members."""
    weight, cluster = scene.rule.weight[known.cluster], known.cluster
    mean, half = known.sums / weight, known.error / weight
    spread = [c.spread for c in scene.clusters]
    least, most = (np.array([getattr(s, name) for s in spread]) for name in ("least", "most"))
    return mean - half - most[cluster], mean + half - least[cluster]
