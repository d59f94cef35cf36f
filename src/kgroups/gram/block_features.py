"""Features of blocks of rows, from which a search reads: held, or made where the rows are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from kgroups.gram.held_rows import Held, Rows, UnitRows
from kgroups.gram.low_rank import CHUNK, FactorGram
from kgroups.gram.nystroem import NystroemMap
from kgroups.gram.squared_rows import Embedding
from kgroups.runtime.row_blocks import RowBlock
from kgroups.runtime.threads import blocks
from kgroups.semimetrics.semimetric import Semimetric
from kgroups.typing import Float32Array, Float64Array, FloatArray, IntArray

#: The name under which features are kept.
FEATURES = "features"
#: The name under which squared norms are kept.
NORMS = "norms"


class BlockFeatures(Protocol):
    """What a search on features asks of a block."""

    @property
    def rank(self) -> int:
        """Number of features."""
        ...

    @property
    def frame(self) -> Held:
        """No rows, held as those of all blocks are."""
        ...

    def is_held(self, block: RowBlock) -> bool:
        """Whether any rows can be read at once; else they are made, and by whole chunks."""
        ...

    def read(self, block: RowBlock, start: int, stop: int) -> Held:
        """Some rows of a block, counted from its first."""
        ...

    def norms(self, block: RowBlock) -> Float64Array:
        """Squared norms of the features of all rows of a block."""
        ...


def taken(held: Held, index: slice | IntArray) -> Held:
    """Some rows; a view of them for a slice."""
    if isinstance(held, UnitRows):
        return held._replace(rows=held.rows[index], inverse=held.inverse[index])
    return held._replace(rows=held.rows[index])


def joined(parts: Sequence[Held]) -> Held:
    """Rows that are held alike, one after the other."""
    rows = np.concatenate([part.rows for part in parts])
    first = parts[0]
    if isinstance(first, UnitRows):
        inverse = np.concatenate([p.inverse for p in parts if isinstance(p, UnitRows)])
        return first._replace(rows=rows, inverse=inverse)
    return first._replace(rows=rows)


def as_rows(features: FloatArray) -> Rows:
    """Features as they are."""
    return Rows(features, np.zeros(features.shape[1]), 1.0)


@dataclass(frozen=True, eq=False)
class GramFeatures:
    """The features of an operator of this process, which stand for the rows."""

    gram: FactorGram

    @property
    def rank(self) -> int:
        """Number of features."""
        return self.gram.rank

    @property
    def frame(self) -> Held:
        """No rows, held as those of the operator are."""
        held = self.gram.in_memory()
        return as_rows(np.empty((0, self.rank))) if held is None else taken(held, slice(0, 0))

    def is_held(self, block: RowBlock) -> bool:
        """Whether the operator holds its features."""
        return self.gram.in_memory() is not None

    def read(self, block: RowBlock, start: int, stop: int) -> Held:
        """Some rows of a block."""
        some = slice(block.start + start, block.start + stop)
        held = self.gram.in_memory()
        return as_rows(self.gram.features[some]) if held is None else taken(held, some)

    def norms(self, block: RowBlock) -> Float64Array:
        """The diagonal of the operator."""
        return self.gram.diagonal()[block.start : block.stop]


@dataclass(frozen=True, eq=False)
class SketchedFeatures:
    """Features of a sketch, made by canonical chunks of rows, and kept where there is room."""

    to_features: NystroemMap

    @property
    def rank(self) -> int:
        """Number of features."""
        return self.to_features.rank

    @property
    def frame(self) -> Held:
        """No rows."""
        return as_rows(np.empty((0, self.rank), np.float32))

    def is_held(self, block: RowBlock) -> bool:
        """Whether features of the block are kept."""
        return FEATURES in block.kept

    def read(self, block: RowBlock, start: int, stop: int) -> Held:
        """Some rows of a block; made by the chunks in which they are."""
        if FEATURES in block.kept:
            return as_rows(block.kept[FEATURES][start:stop])
        first = start // CHUNK * CHUNK
        rows = block.rows()
        made = [self.to_features.features(rows[a:b]) for a, b in self.chunks(block, first, stop)]
        features = made[0] if len(made) == 1 else np.concatenate(made)
        return as_rows(features[start - first : stop - first])

    def room(self, block: RowBlock) -> Float32Array | None:
        """Room for features that are to be kept with a block; None where there is none."""
        if FEATURES not in block.kept and not block.budget.take(4 * block.n * self.rank):
            return None
        return np.empty((block.n, self.rank), np.float32)

    def chunks(self, block: RowBlock, start: int, stop: int) -> list[tuple[int, int]]:
        """The canonical chunks from one on that hold rows before ``stop``."""
        return [(a, min(a + CHUNK, block.n)) for a, _ in blocks(start, stop, CHUNK)]

    def chunk(self, block: RowBlock, start: int, stop: int) -> tuple[FloatArray, Float64Array]:
        """Features of a chunk, and what each row lacks."""
        return self.to_features(block.rows()[start:stop])

    def norms(self, block: RowBlock) -> Float64Array:
        """Squared norms, which are kept, because features take long to make.

        They are missing only where all that was kept of a block is lost. So features are made
        and kept again with them.
        """
        if NORMS in block.kept:
            return np.asarray(block.kept[NORMS])
        if not self.is_held(block):
            block.rows()  # or they are said to be missing, before room is taken
        norms, room = np.empty(block.n), self.room(block)
        for a, b in blocks(0, block.n, CHUNK):
            held = self.read(block, a, b)
            norms[a:b] = squared_norms(held)
            if room is not None:
                room[a:b] = held.rows
        block.kept[NORMS] = norms
        if room is not None:
            block.kept[FEATURES] = room
        return norms


@dataclass(frozen=True, eq=False)
class SquaredFeatures:
    """Rows as they are, of squared Euclidean distances."""

    semimetric: Semimetric
    embedding: Embedding

    @property
    def rank(self) -> int:
        """Number of columns."""
        return len(self.embedding.mean)

    @property
    def frame(self) -> Held:
        """No rows, with the place and the scale of all."""
        return Rows(np.empty((0, self.rank)), self.embedding.mean, self.embedding.scale)

    def is_held(self, block: RowBlock) -> bool:
        """Rows need not be made."""
        return True

    def read(self, block: RowBlock, start: int, stop: int) -> Held:
        """Some rows of a block."""
        terms = self.semimetric.terms(block.rows()[start:stop]) or []
        return Rows(self.embedding.rows(terms), self.embedding.mean, self.embedding.scale)

    def norms(self, block: RowBlock) -> Float64Array:
        """Squared norms, which are kept if there is room."""
        if NORMS in block.kept:
            return np.asarray(block.kept[NORMS])
        norms = np.empty(block.n)
        for a, b in blocks(0, block.n, CHUNK):
            norms[a:b] = squared_norms(self.read(block, a, b))
        block.keep(NORMS, norms)
        return norms


def squared_norms(held: Held) -> Float64Array:
    """Squared norms of features, in float64."""
    features = held.rows
    if held.scale != 1.0 or held.mean.any():
        features = np.asarray(held.scale * (held.rows - held.mean), np.float64)
    return np.asarray(np.einsum("ij,ij->i", features, features, dtype=np.float64))
