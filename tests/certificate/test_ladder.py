"""When a point stays: Hartigan's rule on intervals, and what margins mean."""

import numpy as np

from certificate_cases import all_intervals, random_case, to_centroids
from kgroups.certificate.ladder import Rule, margins
from kgroups.certificate.stages import whole_layout


def test_rule_has_the_factors_of_the_paper():
    rule = Rule(np.array([4.0, 10.0]), np.array([2, 5]), 0.5)
    w = np.array([1.0, 4.0])
    assert rule.leaving(w, np.array([0, 0])).tolist() == [4 / 3, np.inf]
    assert rule.entering(w, np.array([1, 1])).tolist() == [10 / 11, 10 / 14]
    assert rule.allowance(w).tolist() == [0.5, 0.125]


def test_rule_of_lloyd_has_no_factors():
    rule = Rule(np.array([4.0, 10.0]), np.array([2, 5]), 0.5, is_ratio=False)
    w = np.array([1.0, 4.0])
    assert rule.leaving(w, np.array([0, 0])).tolist() == [1.0, 1.0]
    assert rule.entering(w[:, None], np.array([[0, 1]])).tolist() == [[1.0, 1.0]] * 2
    assert rule.allowance(w).tolist() == [0.5, 0.5]


def test_margins_are_lengths_and_never_negative():
    one = np.ones(3)
    low, high = np.array([9.0, 4.0, -1.0]), np.array([4.0, 9.0, 0.0])
    assert margins(one, high, one, low).tolist() == [1.0, 0.0, 0.0]
    assert margins(4 * one, high, one / 9, 9 * low).tolist() == [0.0, 0.0, 0.0]


def test_rows_that_stay_gain_nothing_by_centroids_that_come_nearer():
    """A margin of a row that is proved is at most √b d_l − √a d_own, for all other clusters."""
    case = random_case(21, 900, 4, np.float64)
    search = case.search()
    search._sum_pairs(whole_layout)
    seen = search._round()
    closed = np.setdiff1d(np.flatnonzero(case.weights > 0), seen.index)
    d, _ = to_centroids(case, search.labels)
    d = d[closed] / search.form.unit
    w, own, s = case.weights[closed], search.labels[closed], search._scene.rule.weight
    here = np.arange(len(closed))
    far = np.sqrt(s / (s + w[:, None]) * np.maximum(d, 0.0))
    near = np.sqrt(s[own] / (s[own] - w) * np.maximum(d[here, own], 0.0))
    far[here, own] = np.inf
    exact = far.min(axis=1) - near
    assert np.all(search._margin[closed] <= np.maximum(exact, 0.0) + 1e-9)
    assert len(closed) > 100


def test_intervals_of_a_level_are_inside_those_that_landmarks_give():
    case = random_case(24, 900, 3, np.float64)
    search = case.search(60)
    search._sum_pairs(whole_layout)
    widths = {}
    for interval in all_intervals(search):
        widths.setdefault(interval.level, []).append(interval.high - interval.low)
    means = [np.concatenate(widths[level]).mean() for level in sorted(widths)]
    assert means == sorted(means, reverse=True)
    assert means[-1] < 1e-3 * means[0]
