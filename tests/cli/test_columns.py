"""Columns of a table as features."""

import numpy as np
import pytest

from kgroups.cli.columns import standardized


def test_standardize_does_not_overflow():
    """An outlier of 1e200 has a square that no float holds; it is an outlier all the same."""
    scaled, constant = standardized(np.array([[2.0], [1e200], [5.0], [3.0]]))
    expected = np.array([[-1.0], [3.0], [-1.0], [-1.0]]) / np.sqrt(3)
    np.testing.assert_allclose(scaled, expected, rtol=1e-12)
    assert constant == []


@pytest.mark.parametrize("unit", [1e-320, 1e-200, 1e308])
def test_standardized_at_any_scale(unit):
    scaled, constant = standardized(unit * np.array([[1.0], [-1.0], [1.0], [-1.0]]))
    assert scaled[:, 0].tolist() == [1.0, -1.0, 1.0, -1.0]
    assert constant == []
