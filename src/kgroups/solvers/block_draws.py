"""Draws of rows that lie in blocks: by the sums of canonical chunks, then within a chunk.

The caller draws all random numbers. So the same rows are drawn wherever the blocks are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from kgroups.gram.low_rank import CHUNK
from kgroups.runtime.row_blocks import Args, Blocks, RowBlock, in_block, without_rows
from kgroups.runtime.threads import blocks
from kgroups.typing import Float64Array, FloatArray, IntArray


class InChunks(NamedTuple):
    """Draws that fall into a block: in which of its chunks, and how far into the chunk's sum."""

    chunks: IntArray
    targets: Float64Array


def sums_by_chunk(values: Float64Array) -> Float64Array:
    """The sum of each canonical chunk of a block, (chunks,)."""
    ends = [np.cumsum(values[a:b])[-1] for a, b in blocks(0, len(values), CHUNK)]
    return np.array(ends, np.float64)


def total_of(sums: Sequence[Float64Array]) -> float:
    """The sum over all chunks, added up in their order."""
    return float(np.cumsum(np.concatenate(sums))[-1])


def draws(sums: Sequence[Float64Array], uniform: Float64Array) -> Args:
    """For each block that is drawn from, its :class:`InChunks`; none where all sums are 0.

    ``sums`` are those of the chunks of each block, ``uniform`` numbers between 0 and 1.
    """
    ends = np.cumsum(np.concatenate(sums))
    if not ends[-1] > 0:
        return []
    wanted = uniform * ends[-1]
    # The last sum may round to less than the share; the last chunk with a share is meant.
    last = int(np.searchsorted(ends, ends[-1]))
    chunk = np.minimum(np.searchsorted(ends, wanted, side="right"), last)
    target = wanted - np.concatenate([[0.0], ends])[chunk]
    first = np.concatenate([[0], np.cumsum([len(s) for s in sums])])
    block = np.searchsorted(first, chunk, side="right") - 1
    return [
        (number, InChunks(chunk[here] - first[number], target[here]))
        for number in np.unique(block).tolist()
        for here in [np.flatnonzero(block == number)]
    ]


def places_of(drawn: InChunks, potential: Float64Array) -> IntArray:
    """The rows of a block that are drawn by a potential, in rising order; some several times."""
    found = []
    for number in np.unique(drawn.chunks).tolist():
        targets = drawn.targets[drawn.chunks == number]
        ends = np.cumsum(potential[number * CHUNK : (number + 1) * CHUNK])
        place = np.searchsorted(ends, targets, side="right")
        found.append(number * CHUNK + np.minimum(place, np.searchsorted(ends, ends[-1])))
    return np.sort(np.concatenate(found))


def rows_of(where: Blocks, index: IntArray, stage: str = "rows") -> FloatArray:
    """Some rows by rising numbers, each block read once."""
    found = where.map(stage, _rows, None, None, list(in_block(where, index)))
    return np.concatenate(list(found))


def weights_of(where: Blocks, index: IntArray, stage: str = "rows") -> Float64Array:
    """The weights of some rows by rising numbers, in the unit in which they are held."""
    if not where.has_weights:
        return np.ones(len(index))
    found = where.map(stage, _weights, None, None, list(in_block(where, index)))
    return np.concatenate(list(found))


def alive_rows(where: Blocks, counts: Sequence[int], ranks: IntArray) -> IntArray:
    """Numbers of some rows among those with weight, of which each block has so many."""
    if not where.has_weights:
        return ranks
    first = np.concatenate([[0], np.cumsum(counts)])
    block = np.searchsorted(first, ranks, side="right") - 1
    args = [(b, ranks[block == b] - first[b]) for b in np.unique(block).tolist()]
    return np.concatenate(list(where.map("rows", _alive, None, None, args)))


def gathered(
    where: Blocks, work: Callable[..., Any], constant: Any, shared: Any, args: Args, stage: str
) -> list[Any]:
    """Named tuples of arrays from several blocks, joined field by field."""
    parts = list(where.map(stage, work, constant, shared, args))
    return [np.concatenate(arrays) for arrays in zip(*parts, strict=True)]


def _rows(block: RowBlock, constant: None, shared: None, index: IntArray) -> FloatArray:
    return np.asarray(block.rows()[index])


@without_rows
def _weights(block: RowBlock, constant: None, shared: None, index: IntArray) -> Float64Array:
    return np.asarray(block.weights()[index])


def _alive(block: RowBlock, constant: None, shared: None, ranks: IntArray) -> IntArray:
    return np.asarray(block.start + np.flatnonzero(block.weights() > 0)[ranks])
