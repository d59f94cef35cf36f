"""Results of tests as text."""

import numpy as np

from kgroups.stats import (
    disco,
    energy_test,
)


def test_results_are_readable():
    X = np.arange(10.0)
    text = str(energy_test(X[:4], X[4:], n_permutations=9, random_state=0))
    assert "2 groups (sample 1: 4, sample 2: 6) by Energy(alpha=1.0)" in text
    assert "p = 0.1 from 9 permutations" in text
    text = str(disco(X, ["a"] * 4 + ["b"] * 6, n_permutations=9, random_state=0))
    assert "between        1" in text
    assert "within         8" in text
