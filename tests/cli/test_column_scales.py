"""Means and standard deviations of a fit, followed for new rows."""

import numpy as np
import pytest

from kgroups.cli.column_scales import ColumnScales, standardized

X = np.array([[1.0, 5.0, 1e200], [3.0, 5.0, 3e200]])


@pytest.mark.nojit
def test_scales_by_hand():
    """Means 2 and 2e200, standard deviations 1 and 1e200; the constant column is 0."""
    scales = ColumnScales.of(X)
    assert scales.constant == [1]
    np.testing.assert_allclose(scales.mean * scales.unit, [2.0, 5.0, 2e200])
    assert scales.applied(X).tolist() == [[-1.0, 0.0, -1.0], [1.0, 0.0, 1.0]]
    new = scales.applied(np.array([[4.0, 7.0, 2e200]]))
    np.testing.assert_allclose(new, [[2.0, 0.0, 0.0]], atol=1e-15)


@pytest.mark.nojit
def test_rows_of_the_fit_get_the_same_bits_one_by_one():
    X = np.random.default_rng(0).normal(size=(50, 4)) * [1.0, 1e-3, 7.0, 1e9]
    scaled, constant = standardized(X)
    scales = ColumnScales.of(X)
    assert constant == []
    assert scales.applied(X).tobytes() == scaled.tobytes()
    one_by_one = np.concatenate([scales.applied(row[None]) for row in X])
    assert one_by_one.tobytes() == scaled.tobytes()
    np.testing.assert_allclose(scaled.mean(axis=0), 0.0, atol=1e-14)
    np.testing.assert_allclose(scaled.std(axis=0), 1.0)
