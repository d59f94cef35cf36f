"""Landmarks, and the rows on which starts compete, of rows that lie in blocks.

The draws are those of :mod:`kgroups.sketch.sample`, made by sums over canonical chunks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from kgroups.gram.low_rank import CHUNK
from kgroups.runtime.row_blocks import Args, Blocks, RowBlock, all_blocks, without_rows
from kgroups.runtime.threads import at_most, blocks
from kgroups.semimetrics.finite import check_finite_distances
from kgroups.semimetrics.semimetric import Semimetric
from kgroups.sketch.sample import uniform_landmarks
from kgroups.solvers.block_draws import (
    InChunks,
    alive_rows,
    draws,
    gathered,
    places_of,
    rows_of,
    sums_by_chunk,
    total_of,
)
from kgroups.typing import Float64Array, FloatArray, IntArray

_NEAREST, _FAR = "nearest", "far"


@dataclass(frozen=True, eq=False)
class Reach:
    """Distances that draws go by: to the nearest of some landmarks, and to their mean."""

    semimetric: Semimetric
    landmarks: FloatArray
    #: Half the mean distance between the landmarks.
    spread: float

    @classmethod
    def of(cls, semimetric: Semimetric, landmarks: FloatArray) -> Reach:
        """From the rows of the landmarks. O(m² D)."""
        with at_most(1), np.errstate(over="ignore"):
            rho = np.asarray(semimetric.pairwise(landmarks))
        return cls(semimetric, landmarks, 0.5 * float(rho.mean(dtype=np.float64)))

    def nearest(self, block: RowBlock) -> Float64Array:
        """ρ of each row to the nearest landmark."""
        return self._made(block)[0]

    def far(self, block: RowBlock) -> Float64Array:
        """Squared distance of each row to the mean of the landmarks."""
        return self._made(block)[1]

    def _made(self, block: RowBlock) -> tuple[Float64Array, Float64Array]:
        """Both, kept with the block. O(m D) per row."""
        if _FAR in block.kept and _NEAREST in block.kept:
            return block.kept[_NEAREST], block.kept[_FAR]
        nearest, far, rows = np.empty(block.n), np.empty(block.n), block.rows()
        for a, b in blocks(0, block.n, CHUNK):
            with at_most(1), np.errstate(over="ignore", invalid="ignore"):
                rho = np.asarray(self.semimetric.pairwise(rows[a:b], self.landmarks))
                far[a:b] = rho.mean(axis=1, dtype=np.float64) - self.spread
            nearest[a:b] = rho.min(axis=1)
        check_finite_distances(far)
        np.maximum(nearest, 0.0, out=nearest)
        np.maximum(far, 0.0, out=far)
        block.kept[_NEAREST], block.kept[_FAR] = nearest, far
        return nearest, far


class Ones:
    """The same distance for all rows."""

    def far(self, block: RowBlock) -> Float64Array:
        """One for each row."""
        return np.ones(block.n)


class Norms:
    """Squared norms of features as distances."""

    def __init__(self, features: Any) -> None:
        self.features = features

    def far(self, block: RowBlock) -> Float64Array:
        """Squared norms."""
        return np.asarray(self.features.norms(block))


class Landmarks(NamedTuple):
    """The rows of the landmarks, and the distances by which a sample is drawn."""

    rows: FloatArray
    far: Any  # Reach, Ones


def drawn_landmarks(
    where: Blocks,
    semimetric: Semimetric,
    alive: Sequence[int],
    m: int,
    how: str,
    rng: np.random.Generator,
) -> Landmarks:
    """At most ``m`` rows that differ: see :func:`kgroups.sketch.sample.drawn_landmarks`.

    ``alive`` says how many rows of each block have weight. O(n m D).
    """
    n_alive = int(sum(alive))
    all_uniform = how == "uniform" or m >= n_alive
    wanted = m if all_uniform else max(1, m // 2)
    ranks = np.sort(rng.choice(n_alive, size=min(4 * m, n_alive), replace=False))
    pool = _Pool.of(where, alive_rows(where, alive, ranks))
    index = uniform_landmarks(pool.numbers, wanted, rng)
    if how == "uniform":
        return Landmarks(pool.taken(index), Ones())
    reach = Reach.of(semimetric, pool.taken(index))
    sums = list(where.map("landmarks", _near_sums, reach, None, all_blocks(where)))
    wanted = m - len(index)
    found = _by_distance(where, reach, sums, rng.random(2 * wanted) if wanted > 0 else np.empty(0))
    more = uniform_landmarks(found.numbers, wanted, rng)
    both = pool.with_others(found)
    return Landmarks(both.taken(np.union1d(index, more)), reach)


class _Pool(NamedTuple):
    """Rows that differ, by their numbers."""

    numbers: IntArray
    rows: FloatArray

    @classmethod
    def of(cls, where: Blocks, index: IntArray) -> _Pool:
        """Rows by their numbers, each different one once."""
        return cls(index, rows_of(where, index, "landmarks")).distinct()

    def distinct(self) -> _Pool:
        """One of each set of equal rows."""
        _, first = np.unique(self.rows, axis=0, return_index=True)
        first = np.sort(first)
        return _Pool(self.numbers[first], self.rows[first])

    def with_others(self, other: _Pool) -> _Pool:
        """Both."""
        index, first = np.unique(np.concatenate([self.numbers, other.numbers]), return_index=True)
        return _Pool(index, np.concatenate([self.rows, other.rows])[first])

    def taken(self, index: IntArray) -> FloatArray:
        """Rows by their numbers."""
        return self.rows[np.searchsorted(self.numbers, index)]


def _by_distance(
    where: Blocks, reach: Reach, sums: Sequence[Float64Array], uniform: Float64Array
) -> _Pool:
    args = draws(sums, uniform)
    if not args or not len(uniform):
        return _Pool(np.empty(0, np.int64), reach.landmarks[:0])
    index, rows = gathered(where, _drawn_near, reach, None, args, "landmarks")
    return _Pool(index, rows).distinct()


def _near_sums(block: RowBlock, reach: Reach, shared: None, arg: None) -> Float64Array:
    return sums_by_chunk(block.weights() * reach.nearest(block))


def _drawn_near(
    block: RowBlock, reach: Reach, shared: None, drawn: InChunks
) -> tuple[IntArray, FloatArray]:
    places = np.unique(places_of(drawn, block.weights() * reach.nearest(block)))
    return block.start + places, block.rows()[places]


class Sample(NamedTuple):
    """Rows that represent all, by rising numbers, and the weight that each stands for."""

    numbers: IntArray
    weights: Float64Array
    rows: FloatArray
    #: The weight of all rows.
    total: float


class _Chances(NamedTuple):
    """From weights and distances to the chance of each row to be drawn."""

    weight: float
    inertia: float

    def of(self, block: RowBlock, far: Any) -> Float64Array:
        """The chance of each row of a block to be drawn."""
        weights = block.weights()
        chance = 0.5 * weights / self.weight
        inertia = weights * far.far(block)
        chance += 0.5 * inertia / self.inertia if self.inertia > 0 else chance
        return np.asarray(chance)


def coreset(
    where: Blocks, far: Any, size: int, n_alive: int, rng: np.random.Generator, least: int = 1
) -> Sample:
    """Rows that represent all: see :func:`kgroups.sketch.sample.coreset`.

    ``far`` has a method of that name with the distances of a block. All rows with weight where
    there are no more than ``size``.
    """
    parts = list(where.map("sample", _weight_sums, far, None, all_blocks(where)))
    weight, inertia = (total_of([part[i] for part in parts]) for i in (0, 1))
    if size >= n_alive:
        index, rows, w = gathered(where, _all_alive, None, None, all_blocks(where), "sample")
        return Sample(index, w, rows, weight)
    chances = _Chances(weight, inertia)
    sums = list(where.map("sample", _chance_sums, far, chances, all_blocks(where)))
    args = draws(sums, rng.random(size))
    index, count, chance, w, rows = gathered(where, _drawn, far, chances, args, "sample")
    found = Sample(index, count * w / (size * chance), rows, weight)
    return found if len(index) >= least else _with_likeliest(where, far, chances, found, least)


def _with_likeliest(
    where: Blocks, far: Any, chances: _Chances, found: Sample, least: int
) -> Sample:
    """The likeliest other rows join, and represent themselves."""
    args: Args = [
        (number, found.numbers[(found.numbers >= a) & (found.numbers < b)] - a)
        for number, (a, b) in enumerate(where.spans)
    ]
    how = (chances, least)
    index, chance, w, rows = gathered(where, _likeliest, far, how, args, "sample")
    more = np.argsort(-chance, kind="stable")[: least - len(found.numbers)]
    both = np.concatenate([found.numbers, index[more]])
    order = np.argsort(both)
    return Sample(
        both[order],
        np.concatenate([found.weights, w[more]])[order],
        np.concatenate([found.rows, rows[more]])[order],
        found.total,
    )


@without_rows
def _weight_sums(
    block: RowBlock, far: Any, shared: None, arg: None
) -> tuple[Float64Array, Float64Array]:
    weights = block.weights()
    return sums_by_chunk(weights), sums_by_chunk(weights * far.far(block))


@without_rows
def _chance_sums(block: RowBlock, far: Any, chances: _Chances, arg: None) -> Float64Array:
    return sums_by_chunk(chances.of(block, far))


def _drawn(
    block: RowBlock, far: Any, chances: _Chances, drawn: InChunks
) -> tuple[IntArray, IntArray, Float64Array, Float64Array, FloatArray]:
    chance = chances.of(block, far)
    index, count = np.unique(places_of(drawn, chance), return_counts=True)
    weights, rows = block.weights()[index], block.rows()[index]
    return block.start + index, count, chance[index], weights, rows


def _likeliest(
    block: RowBlock, far: Any, how: tuple[_Chances, int], but: IntArray
) -> tuple[IntArray, Float64Array, Float64Array, FloatArray]:
    chances, most = how
    chance, weights = chances.of(block, far), block.weights()
    others = np.setdiff1d(np.flatnonzero(weights > 0), but)
    index = np.sort(others[np.argsort(-chance[others], kind="stable")][:most])
    return block.start + index, chance[index], weights[index], block.rows()[index]


def _all_alive(
    block: RowBlock, constant: None, shared: None, arg: None
) -> tuple[IntArray, FloatArray, Float64Array]:
    weights = block.weights()
    index = np.flatnonzero(weights > 0)
    return block.start + index, block.rows()[index], weights[index]


@without_rows
def forget(block: RowBlock, constant: None, shared: None, arg: None) -> None:
    """Distances that served the draws make room."""
    for name in (_NEAREST, _FAR):
        block.kept.pop(name, None)
