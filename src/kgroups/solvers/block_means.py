"""Means of the clusters from labels alone: added up by canonical chunks, folded in a fixed tree.

Neither the number of threads nor where a chunk is added up changes a bit. Blocks hold a power of
two of chunks, so the sum over a block is a branch of the tree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np

from kgroups.gram.block_features import BlockFeatures
from kgroups.gram.low_rank import CHUNK
from kgroups.native import kernels
from kgroups.runtime.row_blocks import Blocks, RowBlock, in_block, without_rows
from kgroups.runtime.threads import blocks
from kgroups.solvers.block_labels import BlockLabels, LabelsAt, labels_in
from kgroups.solvers.means import Added, Means, Points
from kgroups.typing import Float64Array, IntArray

Part = TypeVar("Part")
# Rows up to which their features are fetched: the caller holds them.
_FEW = 1 << 14


class Anchors(NamedTuple):
    """A heaviest member of each cluster, the first of equal ones, and where it is."""

    numbers: IntArray  # (k,) -1 without one
    places: Float64Array  # (k, D), in the unit in which rows are held


class Went(NamedTuple):
    """Rows by rising numbers, their weights, and the clusters from and to which they went."""

    numbers: IntArray
    weights: Float64Array
    sources: IntArray
    targets: IntArray


def means_of(
    where: Blocks, features: BlockFeatures, labels: BlockLabels, k: int
) -> tuple[Means, float]:
    """The means of the clusters, and the dispersion about them.

    A cluster is added up about its heaviest member, the first of equal ones. So its dispersion,
    which is at least what this member adds, is off by n roundings at most, whatever the place.
    Time: O(nD), and where features are made when asked for, the chunks of k rows besides.
    """
    anchors = _anchors(where, features, labels, k)
    parts = where.map("means", _added, features, anchors, labels.everywhere())
    total: Added = folded(labels.heard_from(parts))
    frame = features.frame
    s = np.where(total.weight > 0, total.weight, 1.0)
    beyond = total.beyond / s[:, None]
    spread = total.spread - s * np.einsum("ij,ij->i", beyond, beyond)
    centers = frame.scale * (beyond + (anchors.places - frame.mean))
    centers[total.weight == 0] = 0.0
    means = Means(
        weight=total.weight,
        members=total.members,
        centers=centers,
        anchors=anchors.numbers,
        rest=total.rest,
        places=anchors.places,
        beyond=beyond,
    )
    return means, frame.scale**2 * float(np.maximum(spread, 0.0).sum())


def means_after(
    where: Blocks, features: BlockFeatures, labels: BlockLabels, means: Means, went: Sequence[Went]
) -> Means:
    """The means after rows have gone elsewhere, one list after the other. O(rows D) for few rows.

    They have no anchors any more. All means are made anew after moves of many rows, or of
    more than half of the weight of a cluster, which would leave few digits.
    """
    k = len(means.weight)
    weight_of_moves = sum(
        np.bincount(some, weights=weights, minlength=k)
        for _, weights, *both in went
        for some in both
    )
    is_much = bool(np.any(weight_of_moves > 0.5 * means.weight))
    if is_much or sum(len(some.numbers) for some in went) > _FEW:
        return means_of(where, features, labels, k)[0]
    frame = features.frame
    members, weight, centers = means.members.copy(), means.weight.copy(), means.centers.copy()
    for numbers, w, sources, targets in went:
        rows = frame.scale * (rows_at(where, features, numbers) - frame.mean)
        for cluster in np.union1d(sources, targets).tolist():
            some = np.flatnonzero((sources == cluster) | (targets == cluster))
            signed = np.where(targets[some] == cluster, w[some], -w[some])
            members[cluster] += np.count_nonzero(signed > 0) - np.count_nonzero(signed < 0)
            weight[cluster] += signed.sum()
            # s' (μ' − μ) = Σ ±w (f − μ)
            change = signed @ rows[some] - signed.sum() * centers[cluster]
            centers[cluster] += change / weight[cluster]
    return means._replace(
        weight=weight,
        members=members,
        centers=centers,
        anchors=np.full(k, -1),
        beyond=means.beyond + (centers - means.centers) / frame.scale,
    )


def along_chunks(start: int, stop: int) -> list[tuple[int, int]]:
    """Canonical chunks: sums over rows, and features that are not held, are made by these."""
    return blocks(start, stop, CHUNK)


def folded(parts: Iterable[Part], add: Callable[[Part, Part], Part] | None = None) -> Part:
    """The sum in a fixed tree: of each two neighbors, then of each two sums, and so on.

    At most one part per level waits for its neighbor. Named tuples are added field by field.
    """
    join = add or _sum
    waiting: list[tuple[int, Part]] = []
    for part in parts:
        height, total = 0, part
        while waiting and waiting[-1][0] == height:
            total = join(waiting.pop()[1], total)
            height += 1
        waiting.append((height, total))
    _, total = waiting.pop()
    while waiting:
        total = join(waiting.pop()[1], total)
    return total


def _sum(first: Any, second: Any) -> Any:
    return type(first)._make(a + b for a, b in zip(first, second, strict=True))


def rows_at(where: Blocks, features: BlockFeatures, index: IntArray) -> Float64Array:
    """Some rows, in the unit in which rows are held, to the bit as their chunks have them."""
    distinct, place = np.unique(index, return_inverse=True)
    args = list(in_block(where, distinct))
    found = where.map("means", _places, features, None, args)
    return np.asarray(np.concatenate(list(found))[place])


def _anchors(where: Blocks, features: BlockFeatures, labels: BlockLabels, k: int) -> Anchors:
    numbers, heaviest = np.full(k, -1), np.zeros(k)
    found = where.map("means", _heaviest, None, k, labels.everywhere())
    for here, weight in labels.heard_from(found):
        better = weight > heaviest
        numbers[better], heaviest[better] = here[better], weight[better]
    return Anchors(numbers, rows_at(where, features, np.maximum(numbers, 0)))


@without_rows
def _heaviest(block: RowBlock, constant: None, k: int, sent: LabelsAt) -> tuple[Any, Any]:
    """The first of the heaviest rows of a block in each cluster, and their weights."""
    anchors, heaviest = np.full(k, -1), np.zeros(k)
    kernels.find_heaviest(block.weights(), labels_in(block, sent), anchors, heaviest)
    return np.where(anchors < 0, -1, anchors + block.start), heaviest


def _places(block: RowBlock, features: BlockFeatures, shared: None, rows: IntArray) -> Float64Array:
    """Some rows of a block, as they are held."""
    out = np.empty((len(rows), features.rank))
    for start in np.unique(rows - rows % CHUNK).tolist():
        here = np.flatnonzero(rows // CHUNK == start // CHUNK)
        held = features.read(block, start, min(start + CHUNK, block.n))
        plain = held._replace(mean=np.zeros(features.rank), scale=1.0)
        kernels.fill_features(
            plain, rows[here] - start, some := np.empty((len(here), features.rank))
        )
        out[here] = some
    return out


def _added(block: RowBlock, features: BlockFeatures, anchors: Anchors, sent: LabelsAt) -> Added:
    """What the rows of a block add up to."""
    labels, weights = labels_in(block, sent), block.weights()
    k = len(anchors.numbers)

    def of_chunk(a: int, b: int) -> Added:
        """What rows a to b add to the sums."""
        part = _nothing(k, features.rank)
        points = Points(features.read(block, a, b), weights[a:b])
        kernels.add_block(points, block.start + a, labels[a:b], *anchors, part)
        return part

    return folded((of_chunk(a, b) for a, b in along_chunks(0, block.n)))


def _nothing(k: int, rank: int) -> Added:
    return Added(
        weight=np.zeros(k),
        members=np.zeros(k, np.int64),
        rest=np.zeros(k),
        beyond=np.zeros((k, rank)),
        spread=np.zeros(k),
    )
