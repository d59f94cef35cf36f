"""Clusters that run empty, of rows that lie in blocks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from kgroups.runtime.row_blocks import Blocks, RowBlock, without_rows
from kgroups.solvers.block_labels import BlockLabels, LabelsAt, Moves, labels_in
from kgroups.typing import Float64Array, IntArray

#: What each row of a block costs where it is: ``cost(block, constant, labels)``.
Cost = Callable[[RowBlock, Any, IntArray], Float64Array]


class _Question(NamedTuple):
    """Which rows may fill empty clusters."""

    cost: Cost
    k: int
    #: Rows per cluster, at most.
    most: int


class _Candidates(NamedTuple):
    """The costliest rows of each cluster."""

    rows: IntArray
    labels: IntArray
    weights: Float64Array
    cost: Float64Array


def count_members(where: Blocks, labels: BlockLabels, k: int) -> IntArray:
    """Rows with weight in each cluster."""
    if not where.has_weights:
        of_blocks = (np.bincount(labels.of_block(b), minlength=k) for b in range(len(where.spans)))
        return np.asarray(sum(of_blocks), np.int64)
    parts = where.map("sketch", _members, None, k, labels.everywhere())
    total = np.zeros(k, np.int64)
    for number, part in enumerate(parts):
        labels.heard(number)
        total += part
    return total


def fill_empty_clusters(
    where: Blocks, labels: BlockLabels, members: IntArray, cost: Cost, constant: Any
) -> bool:
    """Give each empty cluster the costliest row of one that can spare it; whether any moved.

    As :func:`kgroups.solvers.fill_empty.fill_empty`, in place. O(n) where a cluster is empty.
    """
    k, n_empty = len(members), int((members == 0).sum())
    if n_empty == 0:
        return False
    asked = _Question(cost, k, n_empty)
    parts = where.map("sketch", _costliest, constant, asked, labels.everywhere())
    few = _joined(labels, parts)
    # Candidates stand for their clusters, the other members of which cost less.
    order = np.lexsort((few.rows, -few.cost))
    filled = _filled(few, order, members.copy())
    for number, (start, stop) in enumerate(where.spans):
        here = (few.rows >= start) & (few.rows < stop) & (filled != few.labels)
        if here.any():
            unknown = np.full(int(here.sum()), np.inf)
            labels.move(number, Moves(few.rows[here] - start, filled[here], unknown, -unknown))
    return bool((filled != few.labels).any())


def _filled(few: _Candidates, order: IntArray, count: IntArray) -> IntArray:
    labels = few.labels.copy()
    for empty in np.flatnonzero(count == 0).tolist():
        for place in order.tolist():
            cluster = labels[place]
            if cluster == few.labels[place] and count[cluster] > 1:
                count[cluster] -= 1
                count[empty] += 1
                labels[place] = empty
                break
    return labels


def _joined(labels: BlockLabels, parts: Any) -> _Candidates:
    found = []
    for number, part in enumerate(parts):
        labels.heard(number)
        found.append(part)
    return _Candidates._make(np.concatenate(arrays) for arrays in zip(*found, strict=True))


@without_rows
def _members(block: RowBlock, constant: None, k: int, sent: LabelsAt) -> IntArray:
    return np.bincount(labels_in(block, sent)[block.weights() > 0], minlength=k)


def _costliest(block: RowBlock, constant: Any, asked: _Question, sent: LabelsAt) -> _Candidates:
    labels, weights = labels_in(block, sent), block.weights()
    cost = weights * asked.cost(block, constant, labels)
    rows: list[IntArray] = [np.empty(0, np.int64)]
    for cluster in range(asked.k):
        members = np.flatnonzero((labels == cluster) & (weights > 0))
        rows.append(members[np.argsort(-cost[members], kind="stable")][: asked.most])
    some = np.sort(np.concatenate(rows))
    return _Candidates(block.start + some, labels[some], weights[some], cost[some])
