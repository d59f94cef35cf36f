"""Cuts by eigenvectors of the random walk, against formulas and all cuts."""

import numpy as np
import pytest
from scipy.sparse import block_diag, csr_array, diags_array

from kgroups.graphs.neighbors.walk_cut import Least, slow_pairs, walk_cut
from kgroups.input.adjacency import degrees, scaled


def cycle(n):
    """A ring of n nodes."""
    path = diags_array([np.ones(n - 1), np.ones(1)], offsets=[1, n - 1], shape=(n, n))
    return csr_array(path + path.T)


def cut_of(W, least, **options):
    """The cut of nodes that are there once."""
    return walk_cut(W, np.ones(W.shape[0], np.int64), Least(least, least), **options)


@pytest.mark.parametrize("n", [50, 900])
def test_eigenvalues_of_a_ring(n):
    values, _ = slow_pairs(scaled(cycle(n), 1 / np.sqrt(degrees(cycle(n)))))
    expected = 1 - np.cos(2 * np.pi * np.array([0, 1, 1, 2, 2, 3]) / n)
    np.testing.assert_allclose(values, expected, atol=1e-9)


def test_the_calmness_of_a_ring_is_that_of_a_cloud():
    # Two halves cost ρ = 2·2n/(n·n) in degrees of 2; λ is about (2π/n)²/2.
    n = 400
    cut = cut_of(cycle(n), 10)
    assert cut.calmness == pytest.approx(4 / n / 2 / (2 * np.pi / n / np.sqrt(2)), rel=0.01)
    assert cut.side.sum() == pytest.approx(n / 2, abs=10)


def test_two_cliques_and_a_bridge_are_cut_at_the_bridge():
    clique = np.ones((20, 20)) - np.eye(20)
    A = block_diag([clique, clique]).toarray()
    A[19, 20] = A[20, 19] = 1
    W = csr_array(A)
    cut = cut_of(W, 2)
    assert len(set(cut.side[:20])) == len(set(cut.side[20:])) == 1
    assert cut.side[0] != cut.side[20]
    half = 20 * 19 + 1
    lam = 1 - np.linalg.eigvalsh(scaled(W, 1 / np.sqrt(degrees(W))).toarray())[-2]
    assert cut.calmness == pytest.approx(2 / half / 2 / np.sqrt(lam))


def test_pieces_without_edges_between_them_and_shards():
    W = csr_array(block_diag([cycle(50), cycle(20), cycle(3)]))
    cut = cut_of(W, 5)
    assert (cut.side.sum(), cut.calmness) == (50, 0.0)
    assert cut_of(W, 5, judge=lambda side: -side.sum()).side[50:70].all()
    assert cut_of(W, 22).calmness > 0  # the second ring is a shard now
    assert cut_of(W, 40) is None


def test_sizes_are_those_of_rows_and_of_different_rows():
    W = csr_array(block_diag([cycle(30), cycle(20)]))
    counts = np.repeat([1, 5], [30, 20])
    assert walk_cut(W, counts, Least(30, 20)).side.sum() == 20  # 100 rows
    assert walk_cut(W, np.ones_like(counts), Least(30, 20)) is None
    assert walk_cut(W, counts, Least(30, 21)) is None
