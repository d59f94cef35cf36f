"""Tables with gaps that are imputed by hand, and what decides about them."""

import numpy as np
import pandas as pd

from comparisons import gaps
from comparisons.common import Limits

NAN = float("nan")


def test_by_hand():
    table = pd.DataFrame(
        {
            "x": [1.0, NAN, 3.0, 9.0],
            "grade": pd.Categorical(["a", "b", None, "b"], ordered=True),
            "town": pd.Series(["Ulm", None, "Ulm", "Bonn"], dtype=object),
            "sea": pd.Series(["A", "B", "C", None], dtype=object),
        }
    )
    made = gaps.by_hand(table)
    assert made.shape == (4, 6)  # one column for two towns, three for three seas
    expected = [[1, 0, 1, 1, 0, 0], [3, 1, 1, 0, 1, 0], [3, 1, 1, 0, 0, 1], [9, 1, 0, 1, 0, 0]]
    standard = np.array(expected, float)
    np.testing.assert_allclose(made, (standard - standard.mean(0)) / standard.std(0))


def test_a_mean_that_is_far_below_one_by_hand_is_missed():
    ways = {gaps.OURS: 0.5, gaps.HALF: 0.5, gaps.ENERGY: 0.4, gaps.KMEANS: 0.4}
    means = pd.DataFrame([ways] * len(gaps.LIMITED), index=list(gaps.LIMITED))
    limits = Limits()
    gaps.check(limits, means)
    assert limits.status() == 0
    means.loc[gaps.LIMITED[0], gaps.OURS] = 0.38
    gaps.check(limits, means)
    assert limits.status() == 1
