"""The arithmetic of many rows on many cores."""

import pytest

from benchmarks.dask_schedule import NETWORK, ROUND, Round, Stage, estimate
from kgroups.certificate.block_sums import PAIRS_IN_A_PASS


def test_a_stage_takes_as_long_as_its_blocks_on_each_core():
    """80 blocks of 2 s on 10 cores, in 20 tasks: 16 s, and what moves."""
    seen = Stage([Round([2.0, 2.0])], n_bytes=10**9)
    found = estimate("means", seen, n0=100, n=4000, cores=10)
    assert found.tasks == 20
    assert found.bytes_moved == 40e9
    assert found.by_arithmetic == pytest.approx(ROUND + 16.0 + 40e9 / NETWORK)
    assert found.by_simulation == pytest.approx(found.by_arithmetic, rel=0.01)


def test_pairs_with_open_rows_grow_with_all_rows():
    few = Round([2.0, 3.0], [0.5, 1.0], PAIRS_IN_A_PASS // 100)
    assert few.grown(100) == ([1.5 + 50.0, 2.0 + 100.0], 1)
    many = Round([2.0], [0.5], PAIRS_IN_A_PASS)
    assert many.grown(3) == ([2.0], 3)
    assert Round([2.0]).grown(100) == ([2.0], 1)
    seen = Stage([many])
    assert estimate("open rows", seen, 1, 3, 3).by_arithmetic == pytest.approx(3 * (ROUND + 2.0))
