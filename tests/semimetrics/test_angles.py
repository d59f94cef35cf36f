"""Cosine and angle: by hand, against SciPy, and for rows of every length and type."""

import numpy as np
import pytest

from helpers import each
from kgroups.semimetrics import Angular, Cosine
from kgroups.semimetrics.angles import scaled_lengths
from kgroups.testing import check_semimetric

pytestmark = pytest.mark.nojit


@pytest.fixture
def X():
    return np.random.default_rng(0).normal(size=(40, 6))


@each("metric", [Cosine(), Angular()])
@each("dtype", [np.float16, np.float32, np.float64])
def test_distances_are_those_of_the_numbers_that_rows_of_any_type_hold(X, metric, dtype):
    X = X.astype(dtype)
    check_semimetric(metric, X.astype(np.float64))
    made, expected = metric.pairwise(X), metric.pairwise(X.astype(np.float64))
    assert made.dtype == (np.float32 if dtype == np.float32 else np.float64)
    np.testing.assert_array_equal(made, expected.astype(made.dtype))


def test_lengths_mean_nothing_however_large_or_small(X):
    lengths = 10.0 ** np.linspace(-290, 300, len(X))[:, None]
    np.testing.assert_allclose(Cosine().pairwise(X * lengths), Cosine().pairwise(X), atol=1e-15)
    tiny = np.array([[5e-324, 0.0], [0.0, 5e-324], [5e-324, 5e-324]])
    expected = [0.0, 1.0, 1 - np.sqrt(0.5)]
    np.testing.assert_allclose(Cosine().pairwise(tiny)[0], expected, atol=1e-15)
    np.testing.assert_array_equal(Cosine().pairwise(X * 2.0**90), Cosine().pairwise(X))


def test_lengths_in_powers_of_two(X):
    lengths, powers = scaled_lengths(np.array([[3.0, 4.0], [0.0, -0.5], [0.0, 1e300]]))
    assert lengths[:2].tolist() == [0.625, 0.5]
    assert powers[:2].tolist() == [3, 0]
    assert np.ldexp(lengths[2], powers[2]) == 1e300
    many = np.repeat(X, 60, axis=0)  # more than one block of rows
    np.testing.assert_allclose(
        np.ldexp(*scaled_lengths(many)), np.linalg.norm(many, axis=1), rtol=1e-15
    )
