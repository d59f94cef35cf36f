"""Means of the clusters from labels alone: added up by canonical chunks, folded in a fixed tree.

Neither the number of threads nor where a chunk is added up changes a bit.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import numpy as np

from kgroups.gram.compiled.held_rows import Held, Rows, UnitRows, fill_features
from kgroups.gram.low_rank import CHUNK, FactorGram
from kgroups.runtime.threads import Executor, blocks
from kgroups.solvers.compiled.clusters import Means, Points
from kgroups.solvers.compiled.proposals import Added, add_block, find_heaviest
from kgroups.solvers.feature_search import products_pay
from kgroups.solvers.problem import Problem
from kgroups.typing import Float64Array, FloatArray, IntArray


def means_of(
    problem: Problem, gram: FactorGram, labels: IntArray, executor: Executor
) -> tuple[Means, float]:
    """The means of the clusters, and the dispersion about them.

    A cluster is added up about its heaviest member, the first of equal ones. So its dispersion,
    which is at least what this member adds, is off by n roundings at most, whatever the place.
    Time: O(nD), and where features are made when asked for, the chunks of k rows besides.
    """
    k, weights = problem.n_clusters, problem.weights
    anchors, heaviest = np.full(k, -1), np.zeros(k)
    find_heaviest(weights, labels, anchors, heaviest)
    whole = gram.in_memory() or _as_rows(np.empty((0, gram.rank)))
    places = _places(gram, np.maximum(anchors, 0))

    def added(piece: tuple[int, int]) -> Added:
        """What the rows of a chunk add up to."""
        a, b = piece
        part = _nothing(k, gram.rank)
        add_block(Points(rows_of(gram, a, b), weights[a:b]), a, labels[a:b], anchors, places, part)
        return part

    total = folded(executor.map(added, along_chunks(0, gram.n)))
    s = np.where(total.weight > 0, total.weight, 1.0)
    beyond = total.beyond / s[:, None]
    spread = total.spread - s * np.einsum("ij,ij->i", beyond, beyond)
    centers = whole.scale * (beyond + (places - whole.mean))
    centers[total.weight == 0] = 0.0
    order: Literal["C", "F"] = "F" if products_pay(whole) else "C"
    means = Means(
        weight=total.weight,
        members=total.members,
        centers=np.array(centers.T, order=order),
        anchors=anchors,
        rest=total.rest,
        places=places,
        beyond=beyond,
        x=np.empty(gram.rank),
        squared=np.empty(k),
    )
    return means, whole.scale**2 * float(np.maximum(spread, 0.0).sum())


def rows_of(gram: FactorGram, start: int, stop: int) -> Held:
    """Some rows, a view of them where they are in memory; else their features as rows."""
    held = gram.in_memory()
    if held is None:
        return _as_rows(gram.features[start:stop])
    return taken(held, slice(start, stop))


def taken(held: Held, index: slice | IntArray) -> Held:
    """Some rows; a view of them for a slice."""
    if isinstance(held, UnitRows):
        return held._replace(rows=held.rows[index], inverse=held.inverse[index])
    return held._replace(rows=held.rows[index])


def along_chunks(start: int, stop: int) -> list[tuple[int, int]]:
    """Canonical chunks: sums over rows, and features that are not held, are made by these."""
    return blocks(start, stop, CHUNK)


def folded(parts: Iterable[Added]) -> Added:
    """The sum in a fixed tree: of each two neighbors, then of each two sums, and so on.

    At most one part per level waits for its neighbor.
    """
    waiting: list[tuple[int, Added]] = []
    for part in parts:
        height, total = 0, part
        while waiting and waiting[-1][0] == height:
            total = _sum(waiting.pop()[1], total)
            height += 1
        waiting.append((height, total))
    _, total = waiting.pop()
    while waiting:
        total = _sum(waiting.pop()[1], total)
    return total


def _sum(first: Added, second: Added) -> Added:
    return Added._make(a + b for a, b in zip(first, second, strict=True))


def _nothing(k: int, rank: int) -> Added:
    return Added(
        weight=np.zeros(k),
        members=np.zeros(k, np.int64),
        rest=np.zeros(k),
        beyond=np.zeros((k, rank)),
        spread=np.zeros(k),
    )


def _as_rows(features: FloatArray) -> Rows:
    return Rows(features, np.zeros(features.shape[1]), 1.0)


def _places(gram: FactorGram, index: IntArray) -> Float64Array:
    """Some rows, in the unit in which rows are held, to the bit as their chunks have them."""
    held = gram.in_memory()
    places = np.empty((len(index), gram.rank))
    if held is not None:
        plain = held._replace(mean=np.zeros(gram.rank), scale=1.0)
        fill_features(plain, index, places)
        return places
    for start in np.unique(index - index % CHUNK).tolist():
        here = np.flatnonzero(index // CHUNK == start // CHUNK)
        places[here] = gram.features[start : start + CHUNK][index[here] - start]
    return places
