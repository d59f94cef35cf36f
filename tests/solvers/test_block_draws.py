"""Draws of rows in blocks: the rows that draws of the whole table find."""

import numpy as np
import pytest

from helpers import each
from kgroups.solvers import block_draws
from kgroups.solvers.block_draws import InChunks, draws, places_of, sums_by_chunk
from kgroups.solvers.draws import by_potential

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


@each("scale", [1.0, 1e-300, 1e290])
def test_draws_of_one_chunk_are_those_of_a_table_to_the_bit(scale):
    rng = np.random.default_rng(0)
    for n in range(1, CHUNK + 1):
        potential = scale * rng.exponential(size=n) * (rng.random(n) < 0.7)
        uniform = rng.random(200)
        found = drawn(potential, uniform, CHUNK)
        assert found.tolist() == sorted(by_potential(potential, uniform))


def test_the_size_of_blocks_changes_no_draw():
    rng = np.random.default_rng(2)
    potential, uniform = rng.lognormal(sigma=3, size=333), rng.random(1000)
    by_chunk = drawn(potential, uniform, CHUNK).tolist()
    for size in (2 * CHUNK, 8 * CHUNK, 400):
        assert drawn(potential, uniform, size).tolist() == by_chunk


def test_a_share_beyond_the_last_sum_means_the_last_row_with_a_share():
    potential = np.r_[np.full(13, 0.1), np.zeros(10)]
    last = np.array([1.0])  # as rounding may make of the largest number below 1
    assert drawn(potential, last, CHUNK).tolist() == [12]
    assert drawn(potential, last, 4 * CHUNK).tolist() == [12]
    # Within a chunk the sum may be a little less than what is left of the share.
    beyond = InChunks(np.array([0]), np.array([0.4]))
    assert places_of(beyond, np.array([0.1, 0.2, 0.0])).tolist() == [1]
