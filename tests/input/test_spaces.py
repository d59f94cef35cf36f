"""The kinds of input: which space a metric stands for, its operator, and where its origin is."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.spatial.distance import cdist
from sklearn.base import BaseEstimator

from kgroups.gram import DENSE_UP_TO, DenseGram, MatrixFreeGram, SparseGram
from kgroups.input import spaces
from kgroups.input.spaces import (
    DistanceSpace,
    KernelSpace,
    Origin,
    PointSpace,
    exact_gram,
)
from kgroups.semimetrics import Energy, Gaussian

pytestmark = pytest.mark.nojit

X = np.random.default_rng(0).normal(size=(12, 2))
W = np.random.default_rng(1).uniform(0.1, 2, 12)
RHO, K = cdist(X, X), X @ X.T + 100


def test_reading_settles_parameters_in_a_new_space():
    """The median distance takes the place of "median", and not in the space that was asked."""
    space = PointSpace(Gaussian("median"))
    read, data = space.read(BaseEstimator(), X)
    assert space.semimetric.sigma == "median"
    assert read.semimetric.sigma == pytest.approx(np.median(RHO[np.triu_indices(12, 1)]))
    assert data is X
    assert space.read(BaseEstimator(), 10 * X)[0].semimetric.sigma == pytest.approx(
        10 * read.semimetric.sigma
    )


# --- operators ---------------------------------------------------------------------------------


def test_matrices_become_operators_without_a_copy():
    distance, kernel = DistanceSpace().gram(RHO, "dense", 1), KernelSpace().gram(K, "dense", 1)
    assert distance.matrix is RHO
    assert kernel.matrix is K
    np.testing.assert_array_equal(distance.to_dense(), -RHO / 2)
    np.testing.assert_array_equal(kernel.to_dense(), K)
    assert isinstance(KernelSpace().gram(csr_array(K), "sparse", 1), SparseGram)


def test_all_pairs_are_held_while_they_are_few():
    few, many = np.zeros((DENSE_UP_TO, 1)), np.zeros((DENSE_UP_TO + 1, 1))
    space = PointSpace(Energy())
    assert isinstance(exact_gram(space, few[:5], 1), DenseGram)
    assert isinstance(exact_gram(space, many, 1), MatrixFreeGram)
    assert isinstance(exact_gram(KernelSpace(), csr_array(K), 1), SparseGram)


# --- the origin ----------------------------------------------------------------------------------


def test_a_sparse_kernel_stays_sparse():
    gram = SparseGram(csr_array(K))
    same, origin = KernelSpace().at_mean(gram, W)
    assert same is gram
    assert origin.shift.tolist() == [0.0] * 12
    assert origin.constant == pytest.approx(W @ K @ W / W.sum())


# --- new points ----------------------------------------------------------------------------------


@pytest.mark.parametrize("at_once", [1, 30, 1 << 23])
def test_similarities_of_new_points(at_once, monkeypatch):
    """Some rows at a time: one, two of twelve pairs each, or all five."""
    monkeypatch.setattr(spaces, "_PAIRS_AT_ONCE", at_once)
    new = X[:5] + 1
    rho, shift = cdist(new, X), np.arange(12.0)
    pieces = {
        "points": PointSpace(Energy()).similarities(new, X, Origin()),
        "distances": DistanceSpace().similarities(rho, None, Origin()),
        "kernel": KernelSpace().similarities(-rho / 2 + shift, None, Origin(shift)),
        "sparse": KernelSpace().similarities(csr_array(-rho / 2 + shift), None, Origin(shift)),
    }
    sizes = {1: [1] * 5, 30: [2, 2, 1], 1 << 23: [5]}[at_once]
    for name, made in pieces.items():
        chunks = list(made)
        assert [len(chunk) for chunk in chunks] == sizes, name
        np.testing.assert_allclose(np.concatenate(chunks), -rho / 2, atol=1e-12, err_msg=name)
