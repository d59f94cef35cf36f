"""W estimated from the distances within a sample, of rows that lie in blocks."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kgroups.gram.low_rank import CHUNK
from kgroups.runtime.row_blocks import Args, Blocks, RowBlock, without_rows
from kgroups.runtime.threads import blocks
from kgroups.semimetrics.semimetric import Semimetric
from kgroups.sketch.dispersion import LEAST_FOR_W, Dispersion, dispersion_of_sample
from kgroups.solvers.block_labels import BlockLabels, LabelsAt, labels_in
from kgroups.typing import BoolArray, Float64Array, FloatArray, IntArray

_NONE = np.empty(0, np.int64)


class _Members(NamedTuple):
    """Weight and number of the members of each cluster, in the chunks of a block."""

    weight: Float64Array  # (chunks, k)
    members: IntArray  # (chunks, k)


class _Draws(NamedTuple):
    """Draws from a cluster: in which chunks, and how far into the sum of the chunk's members."""

    cluster: int
    chunks: IntArray
    targets: Float64Array


class _Wanted(NamedTuple):
    """Which members of a block are wanted: all of some clusters, and draws from others."""

    labels: LabelsAt
    all_of: IntArray
    #: Of each draw the cluster, the chunk, and how far into the sum of the chunk's members it is.
    clusters: IntArray
    chunks: IntArray
    targets: Float64Array

    def whole(self) -> _Wanted:
        """The same with all labels."""
        return self._replace(labels=self.labels.whole())


class _Found(NamedTuple):
    """Rows of the sample, cluster by cluster, and their weights."""

    cluster: IntArray
    numbers: IntArray
    weight: Float64Array
    rows: FloatArray


def estimated_dispersion(
    where: Blocks,
    semimetric: Semimetric,
    labels: BlockLabels,
    order: IntArray,
    rng: np.random.Generator,
    n_threads: int,
    n_drawn: int,
) -> Dispersion:
    """W and S + W: see :func:`kgroups.sketch.dispersion.estimated_dispersion`.

    Cluster i of the answer is the one that ``order[i]`` is the label of.
    """
    k = len(order)
    parts = []
    for number, part in enumerate(where.map("W", _members, None, k, labels.everywhere())):
        labels.heard(number)
        parts.append(part)
    per_chunk = np.concatenate([part.weight for part in parts])[:, order]
    count = np.sum([part.members.sum(axis=0) for part in parts], axis=0)[order]
    first = np.concatenate([[0], np.cumsum([len(part.weight) for part in parts])])
    part_of = min(1.0, n_drawn / max(1, int(count.sum())))
    sizes = np.maximum(LEAST_FOR_W, (part_of * count).astype(np.int64))
    is_whole = sizes >= count
    drawn = [
        _Draws(int(order[c]), *_draws(per_chunk[:, c], int(sizes[c]), rng))
        for c in np.flatnonzero(~is_whole).tolist()
    ]
    args = _args(where, labels, order[is_whole], drawn, first)
    found = _Found._make(
        np.concatenate(arrays)
        for arrays in zip(*where.map("W", _sample, None, None, args), strict=True)
    )
    own = np.argsort(order)[found.cluster]
    by_cluster = np.lexsort((found.numbers, own))
    own, weight = own[by_cluster], found.weight[by_cluster]
    full = np.cumsum(per_chunk, axis=0)[-1]
    share = _shares(own, weight, is_whole, sizes)
    return dispersion_of_sample(
        found.rows[by_cluster], semimetric, own, share, full, count, n_threads=n_threads
    )


def _shares(
    own: IntArray, weight: Float64Array, is_whole: BoolArray, sizes: IntArray
) -> Float64Array:
    """The share of each row of the sample in its cluster."""
    share = 1.0 / sizes[own]
    for cluster in np.flatnonzero(is_whole).tolist():
        here = own == cluster
        w = weight[here]
        share[here] = w / w.sum() if len(w) else w
    return np.asarray(share)


def _draws(
    sums: Float64Array, size: int, rng: np.random.Generator
) -> tuple[IntArray, Float64Array]:
    """Chunks of the draws from a cluster, and how far into the sum of each these are."""
    ends = np.cumsum(sums)
    wanted = rng.random(size) * ends[-1]
    last = int(np.searchsorted(ends, ends[-1]))
    chunk = np.minimum(np.searchsorted(ends, wanted, side="right"), last)
    return chunk, wanted - np.concatenate([[0.0], ends])[chunk]


def _args(
    where: Blocks,
    labels: BlockLabels,
    all_of: IntArray,
    drawn: list[_Draws],
    first: IntArray,
) -> Args:
    clusters = np.concatenate([_NONE, *(np.full(len(d.chunks), d.cluster) for d in drawn)])
    chunks = np.concatenate([_NONE, *(d.chunks for d in drawn)])
    targets = np.concatenate([np.empty(0), *(d.targets for d in drawn)])
    block = np.searchsorted(first, chunks, side="right") - 1
    args = []
    for number in range(len(where.spans)):
        here = np.flatnonzero(block == number)
        if len(here) or len(all_of):
            wanted = (clusters[here], chunks[here] - first[number], targets[here])
            args.append((number, _Wanted(labels.at(number), all_of, *wanted)))
    return args


@without_rows
def _members(block: RowBlock, constant: None, k: int, sent: LabelsAt) -> _Members:
    labels, weights = labels_in(block, sent), block.weights()
    cuts = blocks(0, block.n, CHUNK)
    weight = [np.bincount(labels[a:b], weights=weights[a:b], minlength=k) for a, b in cuts]
    count = [np.bincount(labels[a:b][weights[a:b] > 0], minlength=k) for a, b in cuts]
    return _Members(np.array(weight), np.array(count))


def _sample(block: RowBlock, constant: None, shared: None, wanted: _Wanted) -> _Found:
    labels, weights = labels_in(block, wanted.labels), block.weights()
    index = [np.flatnonzero(np.isin(labels, wanted.all_of) & (weights > 0))]
    pairs = np.stack([wanted.clusters, wanted.chunks], axis=1)
    for cluster, chunk in np.unique(pairs, axis=0).tolist():
        here = (wanted.clusters == cluster) & (wanted.chunks == chunk)
        start = chunk * CHUNK
        some = slice(start, min(start + CHUNK, block.n))
        members = start + np.flatnonzero((labels[some] == cluster) & (weights[some] > 0))
        ends = np.cumsum(weights[members])
        place = np.searchsorted(ends, wanted.targets[here], side="right")
        index.append(members[np.minimum(place, np.searchsorted(ends, ends[-1]))])
    some_rows = np.sort(np.concatenate(index))
    cluster_of = labels[some_rows]
    rows = block.rows()[some_rows]
    return _Found(cluster_of, block.start + some_rows, weights[some_rows], rows)
