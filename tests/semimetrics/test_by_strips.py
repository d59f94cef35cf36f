"""Distances made some rows at a time: each pair once, in the type that is held."""

import threading
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from helpers import each
from kgroups import KernelKGroups
from kgroups.fit.plan import size_of
from kgroups.gram import DenseGram
from kgroups.gram.dense import DENSE_UP_TO
from kgroups.input.spaces import PointSpace
from kgroups.runtime.threads import at_most
from kgroups.semimetrics import by_strips
from kgroups.semimetrics.by_strips import SINGLE_BEYOND, ByStrips


@dataclass
class Gap(ByStrips[list]):
    """|x − y| between numbers, which notes what was asked for."""

    takes_objects: ClassVar[bool] = True

    def __post_init__(self):
        self.asked, self.threads, self.lock = [], set(), threading.Lock()

    def read_objects(self, X):
        return [float(x) for x in X]

    def strips(self, items, others, dtype):
        x, y = np.array(items), np.array(others)

        def strip(a, b, c):
            with self.lock:
                self.asked.append((a, b, c))
                self.threads.add(threading.get_ident())
            # Nothing below the diagonal is to be read: it is wrong here.
            below = np.arange(a, b)[:, None] > np.arange(c, len(y))
            wrong = below & (items is others)
            return np.where(wrong, 99.0, abs(x[a:b, None] - y[None, c:])).astype(dtype)

        return strip


def gaps(X):
    return abs(np.subtract.outer(X, X))


@pytest.mark.nojit
@each("n", [1, 2, 31, 64, 100])
def test_one_half_is_made_and_the_other_copied(n):
    X = np.random.default_rng(n).normal(size=n)
    rho = Gap()
    np.testing.assert_array_equal(rho.pairwise(X), gaps(X))
    assert all(a == c for a, _, c in rho.asked)
    assert [a for a, _, _ in sorted(rho.asked)][1:] == [b for _, b, _ in sorted(rho.asked)][:-1]
    made = sum((b - a) * (n - c) for a, b, c in rho.asked)
    assert made <= n * (n + 1) / 2 + n * n / by_strips._STRIPS + n


@pytest.mark.nojit
def test_between_two_lists_all_pairs_are_made():
    X, Y = np.arange(70.0), np.arange(3.0)
    rho = Gap()
    np.testing.assert_array_equal(rho.pairwise(X, Y), gaps(X)[:, :3])
    assert {c for _, _, c in rho.asked} == {0}
    assert rho.pairwise([], []).shape == (0, 0)


def test_the_matrix_of_many_rows_is_in_float32():
    assert SINGLE_BEYOND == DENSE_UP_TO
    rho = Gap()
    X = np.arange(SINGLE_BEYOND + 1.0)
    held = rho.matrix(X)
    assert held.dtype == np.float32
    np.testing.assert_array_equal(held, gaps(X))
    assert rho.pairwise(X[:10]).dtype == rho.matrix(X[:10]).dtype == np.float64
    gram = DenseGram.from_points(list(X), rho)
    assert gram.matrix.dtype == np.float32
    assert size_of(PointSpace(rho), list(X), 2, 1).itemsize == 4
    n = len(X)
    assert size_of(PointSpace(rho), list(X), 2, 1).dense_bytes() < 1.3 * 4 * n * n


def test_threads_are_as_many_as_allowed():
    X = np.arange(200.0)
    rho = Gap()
    with at_most(1):
        rho.pairwise(X)
    assert rho.threads == {threading.get_ident()}


def test_a_fit_with_a_metric_of_ones_own():
    model = KernelKGroups(2, metric=Gap(), random_state=0).fit([0, 1, 50, 52])
    assert model.labels_[0] == model.labels_[1] != model.labels_[2] == model.labels_[3]
    assert model.within_dispersion_ == (1 / 2) + (2 / 2)
    assert model.negative_type_violation_ == 0
