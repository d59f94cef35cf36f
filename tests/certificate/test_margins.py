"""What margins lose by moves: worked by hand, and whatever the pieces in which rows are taken."""

import numpy as np
import pytest

from kgroups.certificate import margins
from kgroups.certificate.block_moves import _most_lost
from kgroups.certificate.ladder import Rule
from kgroups.certificate.margins import Change, lower_margins
from kgroups.certificate.open_rows import Looked


def change(before, after, count=((5, 5), (5, 5)), drift=(0.5, 0.25), *, is_ratio=True):
    rules = [
        Rule(np.array(weight), np.array(n), 0.0, is_ratio)
        for weight, n in zip((before, after), count, strict=True)
    ]
    return Change(*rules, np.array(drift))


def test_by_lloyds_rule_a_margin_loses_both_drifts():
    """a = b = 1, so that only centroids count: 0.5 or 0.25 of the own, 0.5 of another at most."""
    margin = np.array([3.0, 3.0])
    labels = np.array([0, 1])
    lower_margins(
        margin, np.ones(2), (labels, labels), np.ones(2, np.float32),
        change((5.0, 5.0), (5.0, 5.0), is_ratio=False),
    )  # fmt: skip
    assert margin.tolist() == [2.0, 2.25]


def test_new_weights_count_by_the_largest_distance():
    """The weights (4, 5) become (5, 4), and no distance is above 2 + 3.

    √(5/4) for the drift; √(4/3) − √(5/4) and ½ · 1 / 4² for new factors, w = 1.
    """
    margin = np.array([9.0, 9.0])
    labels, norm = np.array([0, 1]), np.array([2.0, 3.0], np.float32)
    lower_margins(
        margin, np.ones(2), (labels, labels), norm, change((4.0, 5.0), (5.0, 4.0), drift=(0.5, 0.1))
    )
    factor = np.sqrt(4 / 3) - np.sqrt(5 / 4) + 0.5 / 16
    assert margin[0] == pytest.approx(9.0 - (np.sqrt(5 / 4) * 0.5 + 0.5 + factor * 5))
    assert margin[1] == pytest.approx(9.0 - (np.sqrt(4 / 3) * 0.1 + 0.5 + factor * 6))


def test_rows_that_move_and_those_that_a_number_of_members_keeps():
    """The last member loses nothing while it is the last; the margin is void when that changes."""
    before, after = np.array([0, 0, 1, 2]), np.array([0, 1, 1, 2])
    margin = np.full(4, 7.0)
    counts = ((2, 1, 1), (1, 2, 1))
    rules = change((2.0, 1.0, 1.0), (1.0, 2.0, 1.0), counts, drift=(0.1, 0.1, 0.0))
    lower_margins(margin, np.ones(4), (before, after), np.ones(4, np.float32), rules)
    assert margin.tolist() == [-np.inf, -np.inf, -np.inf, 7.0]


def test_rows_without_weight_keep_theirs():
    margin, labels = np.array([np.inf, 1.0]), np.array([0, 0])
    norm = np.array([np.nan, 1.0], np.float32)
    rules = change((4.0, 4.0), (4.0, 4.0), drift=(0.0, 0.0))
    lower_margins(margin, np.array([0.0, 1.0]), (labels, labels), norm, rules)
    assert margin.tolist() == [np.inf, 1.0]


def test_pieces_change_nothing(monkeypatch):
    rng = np.random.default_rng(0)
    before, after = rng.integers(3, size=(2, 100))
    w, norm = rng.random(100) + 0.1, rng.random(100).astype(np.float32)
    rules = change((9.0, 8.0, 7.0), (8.0, 9.0, 6.0), ((3, 3, 3), (3, 3, 3)), (0.1, 0.2, 0.3))
    made = []
    for rows in (1 << 16, 7):
        monkeypatch.setattr(margins, "_ROWS", rows)
        margin = np.full(100, 5.0)
        lower_margins(margin, w, (before, after), norm, rules)
        made.append(margin)
    assert np.array_equal(*made)
    assert np.isfinite(made[0]).any()


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
