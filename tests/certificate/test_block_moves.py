"""What all other rows may lose when some move, where a cluster has few members."""

import numpy as np
import pytest

from kgroups.certificate.block_moves import _most_lost
from kgroups.certificate.ladder import Rule
from kgroups.certificate.margins import Change
from kgroups.certificate.open_rows import Looked


def most_lost(before, after, counts, drift, heaviest=1.0, norm=3.0):
    rules = [
        Rule(np.array(weight, float), np.array(count), 0.0)
        for weight, count in zip((before, after), counts, strict=True)
    ]
    looked = Looked([], None, np.full(len(before), heaviest), norm)
    return _most_lost(Change(*rules, np.array(drift)), looked)


def test_without_moves_nothing_is_lost():
    assert most_lost([5, 9], [5, 9], ([5, 9], [5, 9]), [0.0, 0.0]) == 0.0


def test_a_move_takes_the_drift_and_what_the_factors_change():
    """√(s/(s−1)) of clusters of 5 and 9, which have 6 and 8 now; distances are 6 at most."""
    lost = most_lost([5, 9], [6, 8], ([5, 9], [6, 8]), [0.1, 0.05])
    slope = 0.5 / 5**2
    first = np.sqrt(6 / 5) * 0.1 + 0.1 + 6 * (slope + np.sqrt(5 / 4) - np.sqrt(6 / 5))
    second = np.sqrt(8 / 7) * 0.05 + 0.1 + 6 * (slope + np.sqrt(8 / 7) - np.sqrt(9 / 8))
    assert lost == pytest.approx(max(first, second), rel=1e-12)


def test_the_last_member_of_a_cluster_stays_and_a_new_last_one_is_looked_at():
    assert np.isfinite(most_lost([1, 9, 5], [1, 8, 6], ([1, 9, 5], [1, 8, 6]), [0.0, 0.1, 0.1]))
    assert most_lost([2, 9], [1, 10], ([2, 9], [1, 10]), [0.1, 0.1]) == np.inf
    assert most_lost([1, 9], [2, 8], ([1, 9], [2, 8]), [0.1, 0.1]) == np.inf


def test_a_row_as_heavy_as_its_cluster_may_lose_anything():
    assert most_lost([3, 9], [4, 8], ([3, 9], [4, 8]), [0.1, 0.1], heaviest=3.0) == np.inf
