"""The kinds of input: which space a metric stands for, its operator, and where its origin is."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from scipy.spatial.distance import cdist
from sklearn.base import BaseEstimator

from helpers import each
from kgroups.gram import DENSE_UP_TO, DenseGram, MatrixFreeGram, SparseGram
from kgroups.input import spaces
from kgroups.input.spaces import (
    DistanceSpace,
    KernelSpace,
    Origin,
    PointSpace,
    check_metric,
    exact_gram,
    is_pairwise,
    read_at_fit,
    read_input,
    space_for,
)
from kgroups.semimetrics import Energy, Gaussian, Hamming, PairFunction

pytestmark = pytest.mark.nojit

X = np.random.default_rng(0).normal(size=(12, 2))
W = np.random.default_rng(1).uniform(0.1, 2, 12)
RHO, K = cdist(X, X), X @ X.T + 100


@each(
    ("metric", "kind", "pairwise"),
    [
        ("energy", PointSpace, False),
        (Energy(0.5), PointSpace, False),
        (lambda a, b: 0.0, PointSpace, False),
        ("precomputed", DistanceSpace, True),
        ("precomputed_kernel", KernelSpace, True),
    ],
)
def test_what_a_metric_stands_for(metric, kind, pairwise):
    assert type(space_for(metric)) is kind
    assert is_pairwise(metric) is pairwise


def test_metrics_of_every_kind():
    assert isinstance(check_metric("hamming"), Hamming)
    assert isinstance(check_metric(max), PairFunction)
    given = Energy(0.5)
    copied = check_metric(given)
    given.alpha = 1.5
    assert copied.alpha == 0.5


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


def test_a_new_fit_forgets_the_columns_of_the_last():
    estimator = BaseEstimator()
    frame = pd.DataFrame({"a": [0.0, 1.0], "b": ["x", "y"]})
    read_at_fit(estimator, PointSpace(Hamming()), frame)
    assert (estimator.n_features_in_, estimator.categories_) == (2, {1: ["x", "y"]})
    read_at_fit(estimator, PointSpace(Energy()), X[:, :1])
    assert estimator.n_features_in_ == 1
    assert not hasattr(estimator, "categories_")
    assert not hasattr(estimator, "feature_names_in_")


# --- operators ---------------------------------------------------------------------------------


@each("method", ["dense", "matrix_free"])
def test_points_become_half_their_negative_distances(method):
    gram = PointSpace(Energy()).gram(X, method, 2)
    assert type(gram) is {"dense": DenseGram, "matrix_free": MatrixFreeGram}[method]
    assert gram.n_threads == 2
    np.testing.assert_allclose(gram.to_dense(), -RHO / 2, atol=1e-12)


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


@each("space", [PointSpace(Energy()), DistanceSpace()])
def test_distances_stay_where_they_are(space):
    gram = space.gram(X if isinstance(space, PointSpace) else RHO, "dense", 1)
    assert space.at_mean(gram, W) == (gram, Origin(0.0, 0.0))


def test_a_kernel_moves_to_its_weighted_mean():
    """G'(x, y) = ⟨x − μ, y − μ⟩; one cluster has Q = wᵀKw / s, which is the constant."""
    mean = np.average(X, axis=0, weights=W)
    moved, origin = KernelSpace().at_mean(DenseGram(K), W)
    np.testing.assert_allclose(moved.to_dense(), (X - mean) @ (X - mean).T, atol=1e-12)
    assert origin.constant == pytest.approx(W @ K @ W / W.sum())
    np.testing.assert_allclose(K - origin.shift[:, None] - origin.shift, moved.to_dense())


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


def test_input_of_functions():
    space, data = read_input(RHO.tolist(), "precomputed")
    assert isinstance(space, DistanceSpace)
    np.testing.assert_array_equal(data, RHO)
