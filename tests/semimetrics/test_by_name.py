"""Semimetrics by their names."""

import re

import numpy as np
import pytest
from sklearn.metrics import pairwise_distances
from sklearn.metrics.pairwise import rbf_kernel

from helpers import each
from kgroups import semimetrics as sm


@each(
    "kind",
    [
        sm.Energy, sm.Laplacian, sm.Gaussian, sm.Manhattan, sm.Hamming, sm.Cosine, sm.Angular,
        sm.Jaccard,
        sm.JensenShannon, sm.Hellinger, sm.GreatCircle, sm.KendallTau, sm.DampedSquared,
        sm.SineSquared,
    ],
)  # fmt: skip
def test_every_class_has_a_name(kind):
    name = re.sub("(?<=[a-z])(?=[A-Z])", "_", kind.__name__).lower()
    assert sm.by_name(name) == kind()


@each(
    ("name", "same"),
    [
        ("euclidean", sm.Energy()),
        ("l2", sm.Energy()),
        ("sqeuclidean", sm.Energy(2.0)),
        ("cityblock", sm.Manhattan()),
        ("l1", sm.Manhattan()),
        ("haversine", sm.GreatCircle(units="radians")),
    ],
)
def test_names_of_other_libraries_mean_the_same_there(name, same):
    """The distances are those of scikit-learn for the same name."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-1.5, 1.5, size=(20, 2))
    assert sm.by_name(name) == same
    expected = pairwise_distances(X, metric=name)
    np.testing.assert_allclose(sm.by_name(name).pairwise(X), expected, rtol=1e-6, atol=1e-7)


def test_what_is_advised_for_correlation_and_rbf_is_the_same_metric():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 4))
    advised = sm.by_name("cosine").pairwise(X - X.mean(axis=1, keepdims=True))
    np.testing.assert_allclose(advised, pairwise_distances(X, metric="correlation"), atol=1e-14)
    kernel = rbf_kernel(X, gamma=0.3)
    from_kernel = sm.semimetric_from_kernel(kernel)
    gaussian = sm.Gaussian(sigma=(2 * 0.3) ** -0.5)
    np.testing.assert_allclose(gaussian.pairwise(X), from_kernel, atol=1e-14)


def test_units_of_places():
    degrees = np.array([[10.0, 20.0], [-30.0, 170.0], [90.0, 0.0]])
    expected = sm.GreatCircle(6371.0).pairwise(degrees)
    radians = sm.GreatCircle(6371.0, units="radians")
    np.testing.assert_allclose(radians.pairwise(np.radians(degrees)), expected, rtol=1e-12)
    assert radians.pairwise(np.radians(degrees).astype("f")).dtype == np.float32
    with pytest.raises(ValueError, match=r"\[-π/2, π/2\] radians; row 2 has 90"):
        radians.pairwise(degrees)
    with pytest.raises(ValueError, match='units must be "degrees" or "radians"'):
        sm.GreatCircle(units="grad")
