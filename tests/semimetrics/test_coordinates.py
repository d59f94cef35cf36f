"""Semimetrics of numeric tables: values and parameters."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from kgroups import KernelKGroups
from kgroups.semimetrics import (
    ColumnSum,
    Energy,
    Gaussian,
    Laplacian,
)
from kgroups.semimetrics.coordinates import MEDIAN_SAMPLE
from semimetric_cases import numbers


def test_the_median_scale_of_many_points_is_that_of_evenly_spaced_rows():
    X = numbers(np.random.default_rng(17), 2 * MEDIAN_SAMPLE - 1, d=1)
    rows = X[::2]
    median = np.median(np.abs(rows - rows.T)[np.triu_indices(MEDIAN_SAMPLE, 1)])
    assert Gaussian("median").resolve(X).sigma == pytest.approx(median, rel=1e-13)


def test_a_fit_settles_the_median_and_keeps_the_parameter():
    X = numbers(np.random.default_rng(18), 50)
    model = KernelKGroups(2, metric=Laplacian("median"), random_state=0).fit(X)
    assert model.metric.sigma == "median"
    assert model.metric_.sigma == pytest.approx(np.median(cdist(X, X)[np.triu_indices(50, 1)]))
    np.testing.assert_array_equal(model.predict(X[:3]), model.labels_[:3])


def test_close_points_far_from_the_mean_stay_apart_in_single_precision():
    """Differences of near float32 numbers are exact; subtracting a mean first would round them."""
    X = np.array([[0], [1e-3], [1], [1.001], [1e6]], np.float32)
    assert Energy().pairwise(X)[0, 1] == np.float32(1e-3)
    assert len(np.unique(KernelKGroups(5, random_state=0).fit(X).labels_)) == 5


def test_median_is_that_of_the_first_table():
    a, b = np.array([[0.0], [1.0]]), np.array([[0.0], [10.0]])
    alone = Gaussian("median").pairwise(a, b)
    np.testing.assert_array_equal(ColumnSum([(Gaussian("median"), [0])]).pairwise(a, b), alone)
