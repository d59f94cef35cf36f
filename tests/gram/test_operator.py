"""What every operator has from its four methods alone: sums in pieces, points that differ."""

import numpy as np
import pytest

from helpers import each
from kgroups.gram import GramOperator
from kgroups.gram.operator import SumTable

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
