"""Sums of sparse pairs without a matrix: against the dense operator, and for any threads."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sparse_cases import SEMIMETRICS, random_rows

from helpers import each
from kgroups.gram import DenseGram, Moves
from kgroups.gram.sparse_points import SparsePointsGram, sums_of_new
from kgroups.semimetrics import Energy, Manhattan
from kgroups.testing import check_gram_operator


def operator(rows, semimetric, n_threads=1):
    return SparsePointsGram.from_terms(semimetric.terms(rows), n_threads=n_threads)


@pytest.mark.nojit
@each("semimetric", SEMIMETRICS)
def test_conformance(semimetric):
    check_gram_operator(operator(random_rows(0)[1], semimetric))


@pytest.fixture(scope="module")
def many():
    """More rows than one tile, and labels of which one cluster is tiny and one is empty."""
    table, rows = random_rows(2, n=4_500, n_columns=60, share=0.08)
    labels = np.random.default_rng(0).integers(3, size=len(table))
    labels[5] = 3
    return table, rows, labels


def test_many_rows(many):
    table, rows, labels = many
    n, k = len(table), 5
    weights = np.random.default_rng(1).uniform(0.5, 2, n)
    dense = DenseGram.from_points(table, Energy()).running_sums(labels, weights, k)
    sums = operator(rows, Energy(), n_threads=2).running_sums(labels, weights, k)
    np.testing.assert_allclose(sums.table, dense.block(0, n), rtol=1e-11, atol=1e-8)
    points = np.array([3, 100, 250])
    targets = (labels[points] + 1) % 3
    moves = Moves(points, weights[points], labels[points], targets)
    after = labels.copy()
    after[points] = targets
    expected = DenseGram.from_points(table, Energy()).running_sums(after, weights, k).block(0, n)
    sums.apply(moves, 0, 256, expected[:, :256])
    np.testing.assert_allclose(sums.table, expected, rtol=1e-11, atol=1e-8)


def test_no_bit_depends_on_the_threads(many):
    table, rows, labels = many
    weights = np.ones(len(table))
    one, two, five = (
        operator(rows, Energy(1.3), n_threads=t).running_sums(labels, weights, 4).table
        for t in (1, 2, 5)
    )
    np.testing.assert_array_equal(one, two)
    np.testing.assert_array_equal(one, five)


def test_pieces_of_rows(many):
    table, rows, _ = many
    gram = operator(rows, Manhattan(), n_threads=2)
    G = -0.5 * Manhattan().pairwise(table)
    np.testing.assert_allclose(gram.block(1_950, 2_200), G[1_950:2_200, 1_950:2_200], atol=1e-12)
    some = np.array([4_000, 7])
    np.testing.assert_allclose(gram.block(4_090, 4_100, some), G[some, 4_090:4_100], atol=1e-12)
    np.testing.assert_allclose(gram.rows(some), G[some], atol=1e-12)
    right = np.random.default_rng(0).normal(size=(len(table), 2))
    np.testing.assert_allclose(gram.matmul(right), G @ right, atol=1e-8)


@pytest.mark.nojit
def test_new_rows_and_clusters():
    table, rows = random_rows(5, n=30)
    new = random_rows(6, n=9)[0]
    rng = np.random.default_rng(0)
    labels, weights = rng.integers(4, size=30), rng.uniform(0, 1, 30)
    labels[labels == 2] = 1  # a cluster without rows
    made = sums_of_new(Energy().terms(csr_array(new)), Energy().terms(rows), labels, weights, 4, 2)
    G = -0.5 * Energy().pairwise(new, table)
    expected = [G[:, labels == j] @ weights[labels == j] for j in range(4)]
    np.testing.assert_allclose(made.T, expected, atol=1e-12)


@pytest.mark.nojit
def test_new_rows_of_another_size_are_compared_in_one_unit():
    rows = random_rows(7, n=5)[1]
    huge = csr_array(rows * 1e170)
    labels, weights = np.zeros(5, np.int64), np.ones(5)
    made = sums_of_new(Energy().terms(huge), Energy().terms(rows), labels, weights, 1, 1)
    assert np.isfinite(made).all()
    np.testing.assert_allclose(made[0, 0], -2.5 * np.sqrt((rows[[0]] ** 2).sum()) * 1e170)
