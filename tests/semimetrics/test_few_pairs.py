"""Distances between few points by SciPy against the compiled ones."""

import numpy as np
import pytest

from cells import cells
from kgroups.semimetrics import ColumnSum, Energy, Gaussian, Hamming, Manhattan
from kgroups.semimetrics.few_pairs import few_pairs

METRICS = [
    Energy(),
    Energy(2),
    Energy(0.5),
    Energy(1.3),
    Manhattan(),
    ColumnSum([(Energy(), [0], 2.0), (Manhattan(), [1, 2], 0.5)]),
]


@cells("metric", METRICS)
def test_they_are_those_of_the_semimetric(metric):
    X = np.random.default_rng(0).normal(size=(40, 3)) + 1e8
    rho = few_pairs(metric.terms(X))
    assert rho == pytest.approx(metric.pairwise(X), rel=1e-13)
    assert (rho == rho.T).all()
    assert not np.diag(rho).any()


def test_what_is_not_simple_is_left_to_compiled_code():
    X = np.random.default_rng(0).normal(size=(40, 3))
    assert few_pairs(None) is None
    assert few_pairs(Hamming().terms(X)) is None
    assert few_pairs(Gaussian().terms(X)) is None
    assert few_pairs(Energy().terms(X.astype(np.float32))) is None
    assert few_pairs(Energy().terms(1e200 * X)) is None
    assert few_pairs(Energy().terms(np.zeros((300, 2)))) is None
