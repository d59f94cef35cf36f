"""Three clusters and their fit, for the tests of several reports."""

import numpy as np
import pytest

from kgroups import KernelKGroups


@pytest.fixture(scope="module")
def blobs():
    rng = np.random.default_rng(3)
    centers = np.repeat([[0.0, 0.0, 5.0], [6.0, 0.0, 5.0], [0.0, 6.0, 5.0]], [10, 20, 30], axis=0)
    return centers + rng.normal(size=(60, 3)) * [0.5, 0.5, 0.01], np.repeat([0, 1, 2], [10, 20, 30])


@pytest.fixture(scope="module")
def model(blobs):
    return KernelKGroups(3, random_state=0).fit(blobs[0])
