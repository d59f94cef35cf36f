"""What every operator has from its four methods alone, against NumPy on the matrix."""

import numpy as np
import pytest

from helpers import each, random_gram
from kgroups.gram import GramOperator, Moves
from kgroups.gram.operator import SumTable
from kgroups.solvers import objective as spec
from kgroups.testing import check_gram_operator

pytestmark = pytest.mark.nojit


class Plain(GramOperator):
    """An operator with nothing but what it must have, which counts the rows it is asked for."""

    def __init__(self, matrix, n_threads=1):
        self.matrix, self.n, self.n_threads = matrix, len(matrix), n_threads
        self.asked = []

    def diagonal(self):
        return np.diagonal(self.matrix).copy()

    def rows(self, index):
        self.asked.append(len(index))
        return self.matrix[index]

    def matmul(self, right):
        return self.matrix @ right

    def with_threads(self, n_threads):
        return Plain(self.matrix, n_threads)


@pytest.fixture(params=["kernel", "distance", "indefinite"])
def G(request):
    return random_gram(np.random.default_rng(0), 45, request.param)


def test_it_conforms(G):
    check_gram_operator(Plain(G))


def test_blocks_and_distances(G):
    gram = Plain(G)
    np.testing.assert_array_equal(gram.block(10, 20), G[10:20, 10:20])
    np.testing.assert_array_equal(gram.block(10, 20, np.array([1, 40])), G[[1, 40], 10:20])
    expected = [G[4, 4] + G[j, j] - 2 * G[4, j] for j in range(45)]
    np.testing.assert_allclose(gram.squared_distances(4), expected, rtol=1e-14)
    np.testing.assert_array_equal(gram.to_dense(), G)
    gram.block(0, 45)[:] = 0
    assert G.any()


def test_sums_by_cluster(G):
    rng = np.random.default_rng(1)
    labels, w = rng.integers(4, size=45), rng.uniform(0, 2, 45)
    labels[labels == 3] = 0  # an empty cluster
    sums = Plain(G).running_sums(labels, w, 4)
    table = spec.cluster_sums(G, labels, w, 4)
    np.testing.assert_allclose(sums.block(7, 30), table[7:30].T, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(sums.own(labels), table[np.arange(45), labels], atol=1e-12)
    within = spec.within(G, labels, w, 4)
    np.testing.assert_allclose(sums.within(labels, w, 4), within, rtol=1e-11, atol=1e-12)
    assert sums.everything(w) == pytest.approx(w @ G @ w, rel=1e-11)
    largest = np.abs(w[:, None] * table).max(axis=0)
    np.testing.assert_allclose(sums.largest(w), largest, rtol=1e-12)


def test_a_block_of_sums_is_a_copy():
    sums = Plain(np.eye(3)).running_sums(np.array([0, 1, 0]), np.ones(3), 2)
    sums.block(0, 3)[:] = 9
    assert sums.block(0, 3).tolist() == [[1, 0, 1], [0, 1, 0]]


def test_moves_by_hand():
    """Points 0 and 2 go from cluster 0 to 1; the caller's block of columns 0 and 1 is kept."""
    gram = Plain(np.arange(16.0).reshape(4, 4) + np.arange(16.0).reshape(4, 4).T)
    w, labels = np.array([1.0, 1.0, 2.0, 1.0]), np.array([0, 1, 0, 1])
    sums = gram.running_sums(labels, w, 2)
    moves = Moves(np.array([0, 2]), w[[0, 2]], np.array([0, 0]), np.array([1, 1]))
    sums.apply(moves, 0, 2, np.full((2, 2), -7.0))
    assert sums.block(0, 2).tolist() == [[-7, -7], [-7, -7]]
    after = spec.cluster_sums(gram.matrix, np.array([1, 1, 1, 1]), w, 2).T
    np.testing.assert_allclose(sums.block(2, 4), after[:, 2:], atol=1e-12)


def test_rows_of_many_moves_come_some_at_a_time():
    n = 40
    gram = Plain(random_gram(np.random.default_rng(2), n, "kernel"))
    labels, w, points = np.zeros(n, int), np.ones(n), np.arange(35)
    sums = gram.running_sums(labels, w, 2)
    moves = Moves(points, w[points], labels[points], np.ones(35, int))
    sums.apply(moves, 0, 0, np.empty((2, 0)))
    assert gram.asked == [16, 16, 3]
    labels[points] = 1
    expected = spec.cluster_sums(gram.matrix, labels, w, 2).T
    np.testing.assert_allclose(sums.block(0, n), expected, rtol=1e-10, atol=1e-10)


@each("n", [4097, 8192])
def test_sums_beyond_one_piece(n):
    """More than 4,096 points are added up in pieces: here G is the product of x with itself."""
    x = np.linspace(-1, 2, n)
    labels, w = np.arange(n) % 2, np.linspace(0.5, 1, n)
    totals = np.array([(w * x)[labels == j].sum() for j in range(2)])
    sums = SumTable(Plain(np.empty((n, 0))), np.outer(totals, x))
    np.testing.assert_allclose(super(SumTable, sums).own(labels), totals[labels] * x)
    np.testing.assert_allclose(sums.within(labels, w, 2), totals**2)
    assert super(SumTable, sums).everything(w) == pytest.approx(totals.sum() ** 2)
    expected = np.abs(totals) * np.abs(w * x).max()
    np.testing.assert_allclose(sums.largest(w), expected, rtol=1e-12)


def test_points_that_differ_are_counted_up_to_a_limit():
    x = np.array([1.0, 1.0, 2.0, 5.0, 2.0, 7.0])
    gram = Plain(np.outer(x, x))
    everyone = np.ones(6, bool)
    assert gram.count_distinct(everyone, 10) == 4
    assert gram.count_distinct(everyone, 3) == 3
    assert gram.count_distinct(np.array([1, 1, 0, 0, 0, 0], bool), 10) == 1
    assert gram.count_distinct(np.zeros(6, bool), 10) == 0
    assert everyone.all(), "the mask of the caller is not used up"
    assert len(gram.asked) == 4 + 3 + 1


def test_work_of_a_sweep_is_by_points_or_by_clusters():
    assert Plain(np.eye(10)).sweep_work(3) == 100
    assert Plain(np.eye(10)).sweep_work(30) == 300
