"""Fixtures that many tests share."""

import numpy as np
import pytest

from kgroups.gram import DenseGram
from kgroups.semimetrics import Energy


@pytest.fixture
def four_points() -> DenseGram:
    """{0, 1, 10, 12} with ρ = |x − y|: worked by hand, W({0,1},{10,12}) = 1/2 + 2/2."""
    return DenseGram.from_points(np.array([[0.0], [1.0], [10.0], [12.0]]), Energy(1.0))
