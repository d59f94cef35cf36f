"""Labels of blocks of rows: the caller's, which decide, and copies where the blocks are.

A block is sent what has changed since it was asked last. Whoever works on it and has no copy, or
another one, says so and is sent all labels of the block.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from kgroups.runtime.row_blocks import Args, Blocks, Missing, RowBlock, without_rows
from kgroups.typing import Float64Array, IntArray

_NAME = "labels"
_Answer = TypeVar("_Answer")


class Moves(NamedTuple):
    """Rows of a block that changed cluster, and bounds on their distances where they are now."""

    rows: IntArray  # from the first row of the block
    targets: IntArray
    own: Float64Array
    others: Float64Array


class _Copy(NamedTuple):
    """Labels that are kept with a block."""

    version: int
    labels: NDArray[Any]


@dataclass(frozen=True)
class LabelsAt:
    """What a block is sent of its labels."""

    #: How often labels of the block have changed, and how often when it was asked last.
    version: int
    before: int
    #: The changes in between.
    moves: tuple[Moves, ...]
    #: All labels of the block, where a copy may be missing.
    labels: NDArray[Any] | None = None
    #: What has all labels, and which block this is; they stay with the caller.
    all_labels: BlockLabels | None = field(default=None, repr=False, compare=False)
    number: int = -1

    def whole(self) -> LabelsAt:
        """The same with all labels."""
        if self.all_labels is None:
            raise TypeError("only the caller has all labels")
        start, stop = self.all_labels.where.spans[self.number]
        return replace(self, labels=self.all_labels.values[start:stop].copy(), moves=())

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "all_labels": None}


def labels_in(block: RowBlock, sent: LabelsAt) -> IntArray:
    """The labels of a block, as a new array; those that are kept are brought up to date."""
    if sent.labels is not None:
        block.kept[_NAME] = _Copy(sent.version, sent.labels)
        return sent.labels.astype(np.int64)
    found: _Copy | None = block.kept.get(_NAME)
    if found is None or found.version not in (sent.before, sent.version):
        raise Missing(_NAME)
    if found.version != sent.version:
        labels = found.labels.copy()
        for moves in sent.moves:
            labels[moves.rows] = moves.targets
        found = block.kept[_NAME] = _Copy(sent.version, labels)
    return found.labels.astype(np.int64)


@dataclass(eq=False)
class BlockLabels:
    """All labels, and what blocks have been told of them."""

    where: Blocks
    #: In the smallest type that holds the numbers of all clusters.
    values: NDArray[Any]
    _version: list[int] = field(init=False)
    _told: list[int] = field(init=False)
    _moves: list[list[Moves]] = field(init=False)

    def __post_init__(self) -> None:
        self.forget()

    @classmethod
    def of(cls, where: Blocks, labels: NDArray[Any], k: int) -> BlockLabels:
        """From labels of any integer type, which are copied."""
        return cls(where, labels.astype(compact(k)))

    def forget(self) -> None:
        """Trust no copy: all labels have been assigned anew."""
        n = len(self.where.spans)
        self._version, self._told = [0] * n, [-1] * n
        self._moves = [[] for _ in range(n)]

    def at(self, number: int) -> LabelsAt:
        """What a block is sent."""
        version, told = self._version[number], self._told[number]
        sent = LabelsAt(version, told, tuple(self._moves[number]), None, self, number)
        return sent.whole() if told < 0 else sent

    def everywhere(self) -> Args:
        """The same for all blocks."""
        return [(number, self.at(number)) for number in range(len(self.where.spans))]

    def heard(self, number: int) -> None:
        """A block has answered, and knows its labels."""
        self._told[number] = self._version[number]
        self._moves[number].clear()

    def heard_from(self, answers: Iterable[_Answer]) -> Iterator[_Answer]:
        """The answers of all blocks, which know their labels from then on."""
        for number, answer in enumerate(answers):
            self.heard(number)
            yield answer

    def of_block(self, number: int) -> IntArray:
        """The labels of a block."""
        return self.values[slice(*self.where.spans[number])].astype(np.int64)

    def move(self, number: int, moves: Moves) -> None:
        """Rows of a block change cluster."""
        self.values[self.where.spans[number][0] + moves.rows] = moves.targets
        self._version[number] += 1
        self._moves[number].append(moves)


def first_members(labels: BlockLabels, k: int) -> IntArray:
    """The number of the first row with weight in each cluster, n without one. O(n) at most."""
    where = labels.where
    first = np.full(k, where.n_rows)
    for number in range(len(where.spans)):
        if (first < where.n_rows).all():
            break
        if where.has_weights:
            (found,) = where.map("labels", _first_in, None, k, [(number, labels.at(number))])
        else:
            found = _first_of(labels.of_block(number), k)
        here = where.spans[number][0] + found
        first = np.minimum(first, np.where(found < 0, where.n_rows, here))
    return first


@without_rows
def _first_in(block: RowBlock, constant: None, k: int, sent: LabelsAt) -> IntArray:
    labels = labels_in(block, sent)
    return _first_of(np.where(block.weights() > 0, labels, -1), k)


def _first_of(labels: IntArray, k: int) -> IntArray:
    """The first place of each label from 0 to k − 1; −1 where it does not occur."""
    first = np.full(k, -1)
    found, place = np.unique(labels, return_index=True)
    first[found[found >= 0]] = place[found >= 0]
    return first


def compact(k: int) -> np.dtype[Any]:
    """The smallest type of integers that holds the numbers of k clusters."""
    return np.min_scalar_type(max(k - 1, 0))
