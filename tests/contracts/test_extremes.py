"""Problems at the edge of arithmetic, found by random search; warnings are errors here."""

import numpy as np
import pytest

from kgroups import GraphKGroups, KernelKGroups, KernelKMeans, KGroups1D
from kgroups.semimetrics import Energy

RNG = np.random.default_rng(0)
X = RNG.normal(size=(41, 3))


@pytest.mark.parametrize(
    ("data", "metric"),
    [(X * 1e80, "gaussian"), (np.eye(41), "precomputed_kernel"), (np.eye(41), "hamming")],
)
def test_spectral_start_of_points_that_are_equally_far_apart(data, metric):
    model = KernelKGroups(2, metric=metric, init="spectral", random_state=0).fit(data)
    assert np.unique(model.labels_).size == 2


@pytest.mark.parametrize("kind", [KernelKGroups, KernelKMeans])
@pytest.mark.parametrize("scale", [2.0**123, 2.0**-120])
def test_euclidean_starts_do_not_depend_on_the_unit(kind, scale):
    """float32 whose squares over- or underflow."""
    table = X.astype(np.float32)
    ordinary = kind(3, init="euclidean-k-means++", random_state=0).fit(table)
    extreme = kind(3, init="euclidean-k-means++", random_state=0).fit(table * np.float32(scale))
    np.testing.assert_array_equal(extreme.labels_, ordinary.labels_)


def test_overflow_beyond_the_matrix_is_one_error():
    with pytest.raises(ValueError, match="is not a finite number"):
        KernelKGroups(2, metric="sqeuclidean", method="matrix_free").fit(X * 1e200)


def test_a_single_large_number_has_no_dispersion():
    model = KGroups1D(1, alpha=2.0).fit([[1e200]])
    assert model.within_dispersion_ == 0.0
    with pytest.raises(ValueError, match="is not a finite number"):  # S of these two is infinite
        KGroups1D(2, alpha=2.0).fit([[1e200], [-1e200]])


def test_a_graph_of_one_node_with_a_loop():
    assert GraphKGroups(1).fit(np.array([[2.0]])).labels_.tolist() == [0]


def test_a_dispersion_of_a_sketch_that_overflows_is_one_error():
    X = np.float32([[-9e37], [9e37]])
    model = KernelKGroups(1, method="nystroem", random_state=0)
    with pytest.raises(ValueError, match="sample_weight is too large, up to 2e\\+276"):
        model.fit(X, sample_weight=[2e276, 1e276])


@pytest.mark.parametrize("method", ["matrix_free", "dense", "nystroem"])
def test_distances_of_which_only_the_half_is_a_number_are_one_error(method):
    X = np.array([[1e206], [1.4e206]])  # 4e205 to the power of 1.5 is 2.5e308
    with pytest.raises(ValueError, match="finite number"):
        KernelKMeans(1, metric=Energy(1.5), method=method, random_state=0).fit(X)
