"""Elastic distances: padding, series of several lengths, bands."""

import numpy as np
import pytest

import oracle
from kgroups import semimetrics as sm

NAN = float("nan")


def test_series_of_several_lengths():
    pytest.importorskip("tslearn")
    padded = np.array([[1.0, 2.0, 5.0, NAN], [1.0, 2.0, NAN, NAN], [1.0, 2.0, 5.0, 9.0]])
    series = [row[~np.isnan(row)] for row in padded]
    rho = oracle.distances("dtw", series).astype(float)
    for items in (padded, series):
        np.testing.assert_allclose(sm.ElasticDistance("dtw").pairwise(items), rho, 1e-12)
    # One step aside in a band of a quarter of four, and none in a band of no width.
    moved = [[0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]]
    for window, right in ((None, 0.0), (0.25, 0.0), (0.0, np.sqrt(2))):
        found = sm.ElasticDistance("dtw", window=window).pairwise(moved)
        np.testing.assert_allclose(found[0, 1], right, atol=1e-12)
