"""Columns of a table as features."""

import numpy as np

from kgroups.cli.columns import standardized


def test_standardize_does_not_overflow():
    """An outlier of 1e200 has a square that no float holds; it is an outlier all the same."""
    scaled, constant = standardized(np.array([[2.0], [1e200], [5.0], [3.0]]))
    expected = np.array([[-1.0], [3.0], [-1.0], [-1.0]]) / np.sqrt(3)
    np.testing.assert_allclose(scaled, expected, rtol=1e-12)
    assert constant == []
