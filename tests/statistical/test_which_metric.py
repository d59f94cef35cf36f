"""Where another metric than the default is nearer to the groups, as the page on metrics says."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from kgroups import KernelKGroups
from kgroups.semimetrics import GreatCircle, Manhattan


@pytest.mark.parametrize("seed", range(1, 4))
def test_a_metric_wins_on_other_draws_too(seed):
    """Two of the shapes of the picture, drawn anew."""
    rng, groups = np.random.default_rng(seed), np.repeat([0, 1], 40)
    X = groups[:, None] + rng.normal(0, 0.4, (80, 20))
    for row in X:
        row[rng.integers(20, size=2)] += rng.choice([-9.0, 9.0], size=2)
    places = np.array([[-17.0, 179.0], [-10.0, 150.0]])[groups] + rng.normal(0, 5, (80, 2))
    places[:, 1] = (places[:, 1] + 180) % 360 - 180
    for rows, metric in ((X, Manhattan()), (places, GreatCircle())):
        found = [KernelKGroups(2, metric=m, random_state=0).fit(rows) for m in (metric, "energy")]
        best, other = (adjusted_rand_score(groups, model.labels_) for model in found)
        assert best > 0.85 > 0.5 > other
