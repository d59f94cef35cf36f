"""Heads of clusters whose members lie in blocks: random members that stand for all of them.

The head of a cluster is laid out where the caller is, and sent to all blocks. What it leaves open
is bounded by sums over the other members, the tail: within small groups of them, and between these
and the head. See :mod:`kgroups.certificate.levels`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from kgroups.certificate.changes import Bracket, Cluster
from kgroups.certificate.landmark_form import LandmarkForm
from kgroups.certificate.levels import (
    ClusterLevels,
    Level,
    Part,
    Tail,
    TailBlocks,
    apart,
    level_of,
    slack_of,
)
from kgroups.certificate.members import PIECE, Members
from kgroups.certificate.stages import Layout, growing, stages_of
from kgroups.gram.low_rank import CHUNK
from kgroups.native import LANES
from kgroups.runtime.row_blocks import Args, Blocks, RowBlock, without_rows
from kgroups.runtime.threads import Executor, blocks
from kgroups.semimetrics.all_pairs import Points
from kgroups.semimetrics.group_sums import Group, sums_to_group, sums_within_group
from kgroups.semimetrics.semimetric import Semimetric
from kgroups.solvers.block_labels import BlockLabels, LabelsAt, labels_in
from kgroups.solvers.block_means import folded
from kgroups.typing import Float64Array, FloatArray, IntArray

# Members in a head, and in all heads.
_MOST, _MOST_IN_ALL = 1024, 1 << 15


@dataclass(frozen=True, eq=False)
class Heads:
    """Rows of the heads, cluster by cluster, each in a random order."""

    numbers: IntArray
    rows: FloatArray
    weights: Float64Array
    offsets: IntArray
    #: Whether the head is all of its cluster.
    is_all: tuple[bool, ...]

    def layouts(self) -> list[Layout]:
        """How each head is cut: 64 members, four times as many, and so on."""
        found = []
        for start, stop in pairwise(self.offsets.tolist()):
            ends = (*growing(stop - start, stop - start), stop - start)
            found.append(Layout(ends, len(ends), PIECE))
        return found

    def members(self) -> Members:
        """The heads as clusters of their own."""
        labels = np.repeat(np.arange(len(self.is_all)), np.diff(self.offsets))
        return Members(np.arange(len(labels)), self.offsets, labels, self.weights)


class _Wanted(NamedTuple):
    """Members of a block that are wanted, by cluster, chunk and place among its members there."""

    labels: LabelsAt
    clusters: IntArray
    chunks: IntArray
    ranks: IntArray
    places: IntArray

    def whole(self) -> _Wanted:
        """The same with all labels."""
        return self._replace(labels=self.labels.whole())


class _Fetched(NamedTuple):
    """Where the rows belong, their numbers, weights, and themselves."""

    places: IntArray
    numbers: IntArray
    weights: Float64Array
    rows: FloatArray


def drawn_heads(where: Blocks, labels: BlockLabels, k: int, seed: int) -> tuple[Heads, IntArray]:
    """Members of each cluster, drawn uniformly, and how many members each has.

    One pass over the labels and one over some rows.
    """
    counts = where.map("certificate", _counts, None, k, labels.everywhere())
    per_chunk = list(labels.heard_from(counts))
    count = np.concatenate(per_chunk)
    total, ends = count.sum(axis=0), np.cumsum(count, axis=0)
    rng = np.random.default_rng([seed, 3])
    most = max(PIECE, min(_MOST, _MOST_IN_ALL // k) // PIECE * PIECE)
    sizes = np.minimum(most, total)
    ranks = [rng.choice(int(n), int(h), replace=False) for n, h in zip(total, sizes, strict=True)]
    cluster = np.repeat(np.arange(k), sizes)
    rank = np.concatenate(ranks) if len(cluster) else np.empty(0, np.int64)
    chunk = np.concatenate(
        [np.searchsorted(ends[:, j], ranks[j], side="right") for j in range(k)]
    ).astype(np.int64)
    rank = rank - (ends[chunk, cluster] - count[chunk, cluster])
    first = np.concatenate([[0], np.cumsum([len(part) for part in per_chunk])])
    block = np.searchsorted(first, chunk, side="right") - 1
    args: Args = [
        (b, _Wanted(labels.at(b), cluster[i], chunk[i] - first[b], rank[i], i))
        for b in np.unique(block).tolist()
        for i in [np.flatnonzero(block == b)]
    ]
    found = _Fetched._make(
        np.concatenate(arrays)
        for arrays in zip(*where.map("certificate", _by_rank, None, None, args), strict=True)
    )
    order = np.argsort(found.places)
    heads = Heads(
        numbers=found.numbers[order],
        rows=found.rows[order],
        weights=found.weights[order],
        offsets=np.concatenate([[0], np.cumsum(sizes)]),
        is_all=tuple((sizes == total).tolist()),
    )
    return heads, total


@without_rows
def _counts(block: RowBlock, constant: None, k: int, sent: LabelsAt) -> IntArray:
    """Members of each cluster in each chunk."""
    labels, alive = labels_in(block, sent), block.weights() > 0
    cuts = blocks(0, block.n, CHUNK)
    return np.array([np.bincount(labels[a:b][alive[a:b]], minlength=k) for a, b in cuts])


def _by_rank(block: RowBlock, constant: None, shared: None, wanted: _Wanted) -> _Fetched:
    labels, weights = labels_in(block, wanted.labels), block.weights()
    row = np.empty(len(wanted.places), np.int64)
    pairs = np.stack([wanted.clusters, wanted.chunks], axis=1)
    for cluster, chunk in np.unique(pairs, axis=0).tolist():
        here = (wanted.clusters == cluster) & (wanted.chunks == chunk)
        some = slice(chunk * CHUNK, min((chunk + 1) * CHUNK, block.n))
        members = np.flatnonzero((labels[some] == cluster) & (weights[some] > 0))
        row[here] = chunk * CHUNK + members[wanted.ranks[here]]
    return _Fetched(wanted.places, block.start + row, weights[row], block.rows()[row])


@dataclass(frozen=True, eq=False)
class HeadGroups:
    """The heads as blocks are compared with them."""

    semimetric: Semimetric
    form: LandmarkForm
    #: Of each cluster: the head laid out, the panels at which its stages end, and its mean.
    groups: list[Group]
    stops: list[list[int]]
    means: list[Part]

    @property
    def most(self) -> int:
        """Members of the largest head."""
        return max(LANES * stops[-1] for stops in self.stops)


class TailSums(NamedTuple):
    """Sums over members that are in no head; of their groups, one entry each."""

    weight: Float64Array  # (k,)
    landmarks: Float64Array  # (k, m) Σ w ρ(x, Z)
    to_stages: Float64Array  # (k, stages) Σ Σ w w ρ with the stages of the head
    n_pairs: IntArray  # ()
    clusters: IntArray
    blocks: TailBlocks

    def plus(self, other: TailSums) -> TailSums:
        """The sums, and the groups of both."""
        both = (np.concatenate(pair) for pair in zip(self.blocks, other.blocks, strict=True))
        return TailSums(
            weight=self.weight + other.weight,
            landmarks=self.landmarks + other.landmarks,
            to_stages=self.to_stages + other.to_stages,
            n_pairs=np.asarray(self.n_pairs + other.n_pairs),
            clusters=np.concatenate([self.clusters, other.clusters]),
            blocks=TailBlocks._make(both),
        )


class AskedTail(NamedTuple):
    """The labels of a block, and which of its rows are in heads."""

    labels: LabelsAt
    heads: IntArray

    def whole(self) -> AskedTail:
        """The same with all labels."""
        return self._replace(labels=self.labels.whole())


def tail_sums(where: Blocks, labels: BlockLabels, heads: Heads, scene: HeadGroups) -> TailSums:
    """One pass over all rows. O(n (m + head) D)."""
    args = []
    for number, (start, stop) in enumerate(where.spans):
        here = heads.numbers[(heads.numbers >= start) & (heads.numbers < stop)] - start
        args.append((number, AskedTail(labels.at(number), here)))
    parts: Iterator[TailSums] = where.map("certificate", _tail, None, scene, args)
    return folded(parts, TailSums.plus)


def as_points(semimetric: Semimetric, rows: FloatArray) -> Points:
    """Rows with the rule by which they are compared, which depends on nothing but the metric."""
    return Points.of(semimetric.terms(rows) or [], as_they_are=True)


def _tail(block: RowBlock, constant: None, scene: HeadGroups, asked: AskedTail) -> TailSums:
    labels, weights = labels_in(block, asked.labels), block.weights().copy()
    weights[asked.heads] = 0.0
    rows = block.rows()
    return folded(
        (_tail_of(scene, rows[a:b], labels[a:b], weights[a:b])
         for a, b in blocks(0, block.n, CHUNK)),
        TailSums.plus,
    )  # fmt: skip


def _tail_of(
    scene: HeadGroups, rows: FloatArray, labels: IntArray, weights: Float64Array
) -> TailSums:
    """The sums of a chunk."""
    form, k = scene.form, len(scene.groups)
    points = as_points(scene.semimetric, rows)
    rho = form.distances(points, slice(None))
    size = max(len(stops) for stops in scene.stops)
    weight, landmarks = np.zeros(k), np.zeros((k, form.n_landmarks))
    to_stages, n_pairs = np.zeros((k, size)), len(rows) * form.n_landmarks
    found: list[tuple[int, list[Float64Array]]] = []
    for cluster in range(k):
        members = np.flatnonzero((labels == cluster) & (weights > 0))
        for a, b in blocks(0, len(members), scene.most):
            some = members[a:b]
            w = weights[some]
            part = Part.of(form, float(w.sum()), w @ rho[some])
            group = Group.of(points.table[some], w)
            within, across = _pairs_of(points, scene, cluster, group)
            within, across = within / form.unit, across / form.unit
            weight[cluster] += part.weight
            landmarks[cluster] += w @ rho[some]
            to_stages[cluster, : len(across)] += across
            head = scene.means[cluster]
            n_pairs += (b - a) * (b - a - 1) // 2 + (b - a) * LANES * scene.stops[cluster][-1]
            inside = np.array([within / part.weight**2])
            to_head = np.array([across.sum() / (part.weight * head.weight)])
            found.append((cluster, list(TailBlocks.of(head, [part], inside, to_head))))
    groups = zip(*(values for _, values in found), strict=True)
    made = TailBlocks._make(np.concatenate(v) for v in groups) if found else _NO_BLOCKS
    clusters = np.array([cluster for cluster, _ in found], np.int64)
    return TailSums(weight, landmarks, to_stages, np.asarray(n_pairs), clusters, made)


_NO_BLOCKS = TailBlocks._make(np.empty(0) for _ in TailBlocks._fields)


def _pairs_of(
    points: Points, scene: HeadGroups, cluster: int, group: Group
) -> tuple[float, Float64Array]:
    """Σ Σ w w ρ within a group of members, and with the stages of their head."""
    w = group.weights.astype(np.float64)
    sums = sums_within_group(points, group, 0, len(group.panels))
    head, stops = scene.groups[cluster], scene.stops[cluster]
    across = [
        float(w @ sums_to_group(points, group.rows, head, a, b)) for a, b in pairwise([0, *stops])
    ]
    return float(w @ (sums.own + 2.0 * sums.later)), np.array(across)


@dataclass(frozen=True, eq=False)
class HeadSums:
    """Sums between the stages of the heads, over the unit of the form."""

    form: LandmarkForm
    layouts: list[Layout]
    tiles: list[Float64Array]
    #: Of each stage of each cluster: its weight, and Σ w ρ(x, Z).
    weight: list[Float64Array]
    landmarks: list[Float64Array]

    @classmethod
    def of(
        cls, form: LandmarkForm, semimetric: Semimetric, heads: Heads, executor: Executor
    ) -> HeadSums:
        """From all pairs within the heads."""
        points, members, layouts = (
            as_points(semimetric, heads.rows),
            heads.members(),
            heads.layouts(),
        )
        stages = stages_of(points, members, layouts, executor)
        weight, landmarks = [], []
        for place, layout in enumerate(layouts):
            index = members.of_cluster(place)
            w = heads.weights[index]
            rho = form.distances(points, index) * w[:, None]
            starts = [0, *layout.ends[:-1]]
            weight.append(np.add.reduceat(w, starts))
            landmarks.append(np.add.reduceat(rho, starts, axis=0))
        tiles = [made.tiles / form.unit for made in stages]
        return cls(form, layouts, tiles, weight, landmarks)

    def part(self, cluster: int) -> Part:
        """The mean of a head."""
        w, landmarks = self.weight[cluster], self.landmarks[cluster]
        return Part.of(self.form, float(w.sum()), landmarks.sum(axis=0))


def head_groups(sums: HeadSums, semimetric: Semimetric, heads: Heads) -> HeadGroups:
    """What blocks are sent of the heads."""
    points = as_points(semimetric, heads.rows)
    groups, stops, means = [], [], []
    for place, (a, b) in enumerate(pairwise(heads.offsets.tolist())):
        groups.append(Group.of(points.table[a:b], heads.weights[a:b]))
        stops.append([-(-end // LANES) for end in sums.layouts[place].ends])
        means.append(sums.part(place))
    return HeadGroups(semimetric, sums.form, groups, stops, means)


def clusters_of(
    sums: HeadSums, tails: TailSums, is_all: Sequence[bool], rounding: float
) -> list[Cluster]:
    """What heads and tails say of each cluster; the levels end with the head."""
    found = []
    for place in range(len(sums.layouts)):
        made = _levels(sums, tails, place, is_all[place], rounding)
        total = Bracket(made.least, made.most)
        none, no = np.empty(0, np.int64), np.empty(0)
        found.append(
            Cluster(made.levels, made.weight, made.head, made.head_weight, total, none, no)
        )
    return found


def _levels(
    sums: HeadSums, tails: TailSums, place: int, is_all: bool, rounding: float
) -> ClusterLevels:
    """As :func:`kgroups.certificate.levels.levels_of`, without levels beyond the head."""
    form, ends = sums.form, sums.layouts[place].ends
    weight, landmarks, tiles = sums.weight[place], sums.landmarks[place], sums.tiles[place]
    n_head, tail = len(ends), None
    if not is_all:
        across = tails.to_stages[place, :n_head]
        tiles = np.block([[tiles, across[:, None]], [across[None], np.zeros((1, 1))]])
        weight = np.append(weight, tails.weight[place])
        landmarks = np.vstack([landmarks, tails.landmarks[place]])
        own = tails.clusters == place
        of_tail = TailBlocks._make(values[own] for values in tails.blocks)
        rest = Part.of(form, float(weight[-1]), landmarks[-1])
        head = sums.part(place)
        g_head = float(sums.tiles[place].sum()) / head.weight**2
        tail = Tail.made(form, rounding, head, rest, g_head, of_tail)

    def part(start: int, stop: int | None = None) -> Part:
        """The mean of some stages."""
        some = slice(start, stop)
        return Part.of(form, float(weight[some].sum()), landmarks[some].sum(axis=0))

    least, most = (0.0, 0.0) if tail is None else (tail.least, tail.most)
    known, whole = float(tiles.sum()), part(0)
    g = (known * (1 - rounding) + least) / whole.weight**2
    squared = whole.product(whole, g) + slack_of(form, rounding, g, whole)
    levels: list[Level] = [level_of(form, None, whole, 0.0, float(np.sqrt(max(squared, 0.0))), 0)]
    for t in range(n_head):
        if t + 1 == len(weight):
            levels.append(level_of(form, part(0, t + 1), None, 0.0, 0.0, ends[t]))
            break
        a, b = slice(0, t + 1), slice(t + 1, None)
        first, rest = part(0, t + 1), part(t + 1)
        pairs = (tiles[a, a], tiles[a, b], tiles[b, b], least)
        width, alpha = apart(form, rounding, first, rest, *pairs)
        levels.append(level_of(form, first, rest, alpha, width, ends[t]))
    bounds = known * (1 - rounding) + least, known * (1 + rounding) + most
    return ClusterLevels(levels, whole.weight, *bounds, n_head, float(sum(weight[:n_head])))
