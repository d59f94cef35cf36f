"""Draws of rows in blocks: the rows that draws of the whole table find."""

from typing import NamedTuple

import numpy as np
import pytest

from helpers import each
from kgroups.input.rows import RowsInMemory
from kgroups.runtime.row_blocks import LocalBlocks
from kgroups.runtime.threads import Threads
from kgroups.solvers import block_draws
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
from kgroups.solvers.draws import by_potential
from kgroups.typing import Float64Array, IntArray

CHUNK = 8


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch):
    monkeypatch.setattr(block_draws, "CHUNK", CHUNK)


def drawn(potential, uniform, size):
    """The rows that are drawn, where blocks hold so many."""
    pieces = [potential[a : a + size] for a in range(0, len(potential), size)]
    args = draws([sums_by_chunk(piece) for piece in pieces], uniform)
    assert [number for number, _ in args] == sorted({number for number, _ in args})
    found = [number * size + places_of(some, pieces[number]) for number, some in args]
    return np.concatenate([np.empty(0, np.int64), *found])


# --- by potential -------------------------------------------------------------------------------


@each("scale", [1.0, 1e-300, 1e290])
def test_draws_of_one_chunk_are_those_of_a_table_to_the_bit(scale):
    rng = np.random.default_rng(0)
    for n in range(1, CHUNK + 1):
        potential = scale * rng.exponential(size=n) * (rng.random(n) < 0.7)
        uniform = rng.random(200)
        found = drawn(potential, uniform, CHUNK)
        assert found.tolist() == sorted(by_potential(potential, uniform))


@each("size", [CHUNK, 2 * CHUNK, 4 * CHUNK, 1 << 10])
def test_draws_of_several_chunks_are_those_of_a_table(size):
    """Sums of whole numbers are exact, whatever their order."""
    rng = np.random.default_rng(1)
    for n in (9, 16, 50, 203):
        potential = rng.integers(0, 4, size=n).astype(float)
        uniform = rng.random(300)
        expected = sorted(by_potential(potential, uniform))
        assert drawn(potential, uniform, size).tolist() == expected


def test_the_size_of_blocks_changes_no_draw():
    rng = np.random.default_rng(2)
    potential, uniform = rng.lognormal(sigma=3, size=333), rng.random(1000)
    by_chunk = drawn(potential, uniform, CHUNK).tolist()
    for size in (2 * CHUNK, 8 * CHUNK, 400):
        assert drawn(potential, uniform, size).tolist() == by_chunk


def test_nothing_is_drawn_where_there_is_no_potential():
    assert draws([np.zeros(2), np.zeros(1)], np.array([0.1, 0.9])) == []
    rng = np.random.default_rng(3)
    potential = rng.random(100) * (rng.random(100) < 0.1)
    potential[:20] = potential[-20:] = 0.0
    found = drawn(potential, np.r_[0.0, rng.random(2000), np.nextafter(1, 0)], 2 * CHUNK)
    assert (potential[found] > 0).all()
    assert len(found) == 2002


def test_a_share_beyond_the_last_sum_means_the_last_row_with_a_share():
    potential = np.r_[np.full(13, 0.1), np.zeros(10)]
    last = np.array([1.0])  # as rounding may make of the largest number below 1
    assert drawn(potential, last, CHUNK).tolist() == [12]
    assert drawn(potential, last, 4 * CHUNK).tolist() == [12]
    # Within a chunk the sum may be a little less than what is left of the share.
    beyond = InChunks(np.array([0]), np.array([0.4]))
    assert places_of(beyond, np.array([0.1, 0.2, 0.0])).tolist() == [1]


def test_draws_follow_the_potential():
    rng = np.random.default_rng(4)
    potential = np.zeros(40)
    potential[[3, 17, 39]] = [1.0, 2.0, 5.0]
    counts = np.bincount(drawn(potential, rng.random(8000), 2 * CHUNK), minlength=40)
    assert counts.sum() == 8000
    expected = 1000 * potential
    assert (np.abs(counts - expected) <= 4 * np.sqrt(expected)).all()


def test_sums_by_hand():
    """Chunks of 8 rows, and one of a single row."""
    assert sums_by_chunk(np.arange(17.0)).tolist() == [28.0, 92.0, 16.0]
    assert total_of([np.array([1.0, 2.0]), np.array([3.0])]) == 6.0
    # One after the other: 2⁻⁵³ is lost next to 1, each time.
    assert total_of([np.array([1.0]), np.array([2.0**-53, 2.0**-53])]) == 1.0


# --- rows by number -----------------------------------------------------------------------------


class Pair(NamedTuple):
    """Two arrays."""

    first: IntArray
    second: Float64Array


def both(block, constant, shared, arg):
    return Pair(np.arange(block.start, block.stop), block.rows()[:, 0])


def blocks_of(X, size, weights=None):
    return LocalBlocks(RowsInMemory(X), len(X), size, Threads(2), weights=weights)


def test_rows_by_their_numbers():
    X = np.random.default_rng(0).normal(size=(50, 3))
    index = np.array([0, 7, 8, 31, 49])
    for size in (8, 16, 64):
        assert (rows_of(blocks_of(X, size), index) == X[index]).all()


@each("size", [8, 16, 64])
def test_rows_among_those_with_weight(size):
    rng = np.random.default_rng(1)
    X, w = rng.normal(size=(50, 1)), rng.choice([0.0, 2.0], size=50)
    w[8:16] = 0  # a block without any
    where, alive = blocks_of(X, size, w), np.flatnonzero(w > 0)
    counts = [int((w[a:b] > 0).sum()) for a, b in where.spans]
    ranks = np.sort(rng.choice(len(alive), size=11, replace=False))
    assert alive_rows(where, counts, ranks).tolist() == alive[ranks].tolist()
    every = np.arange(len(alive))
    assert alive_rows(where, counts, every).tolist() == alive.tolist()
    unweighted = blocks_of(X, size)
    assert alive_rows(unweighted, [], ranks) is ranks


def test_answers_are_joined_field_by_field():
    X = np.arange(20.0)[:, None]
    where = blocks_of(X, 8)
    args = [(0, None), (2, None)]
    index, rows = gathered(where, both, None, None, args, "stage")
    assert index.tolist() == [*range(8), *range(16, 20)] == rows.tolist()
