"""What margins lose by moves: worked by hand, and whatever the pieces in which rows are taken."""

import numpy as np
import pytest

from kgroups.certificate import margins
from kgroups.certificate.ladder import Rule
from kgroups.certificate.margins import Change, lower_margins


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
