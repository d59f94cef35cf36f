"""Every interval that a proof makes of a squared distance, against brute force."""

import os
from dataclasses import replace

import numpy as np
import pytest

from certificate_cases import (
    Case,
    all_intervals,
    assert_intervals_hold,
    random_case,
    to_centroids,
)
from helpers import each
from kgroups.certificate.stages import layout_of, whole_layout
from kgroups.semimetrics import Energy

# KGROUPS_FULL checks more than 10⁷ intervals; a few seconds are enough for the others.
CASES = range(60 if os.environ.get("KGROUPS_FULL") else 2)
LAYOUTS = {"whole": whole_layout, "partial": lambda count: layout_of(count, 256)}


@each("layout", LAYOUTS)
@each("seed", CASES)
def test_every_interval_holds_before_and_after_moves(seed, layout):
    """At every level, of every row and cluster, for metrics, weights and types that are drawn."""
    rng = np.random.default_rng(seed)
    n, k = (1500, 3000)[seed % 2], int(rng.choice([2, 3, 8]))
    case = random_case(seed, n, k)
    search = case.search(int(rng.choice([3, 20, 60])))
    search._sum_pairs(LAYOUTS[layout])
    n_checked = assert_intervals_hold(case, search)
    search._round(np.flatnonzero(case.weights > 0), only_opening=True)
    assert search._move(search._record) > 0
    n_checked += assert_intervals_hold(case, search)
    assert n_checked > 2 * 2 * (case.weights > 0).sum()


@each("layout", LAYOUTS)
@each("seed", CASES)
def test_brackets_hold_what_is_within_clusters(seed, layout):
    case = random_case(seed + 100, 2500, 2)
    search = case.search()
    search._sum_pairs(LAYOUTS[layout])
    _, g = to_centroids(case, search.labels)
    own = np.arange(len(case.X)), search.labels
    s = np.bincount(search.labels, weights=case.weights)
    totals = s * np.bincount(search.labels, weights=case.weights * g[own])
    for bracket, total in zip(search._totals, totals / search.form.unit, strict=True):
        assert bracket.least <= total * (1 + 1e-13)
        assert bracket.most >= total * (1 - 1e-13)
        assert bracket.most - bracket.least < (0.2 if layout == "partial" else 2e-3) * total


def test_the_last_level_of_all_pairs_is_exact():
    case = random_case(7, 1200, 3, np.float64)
    search = case.search()
    search._sum_pairs(whole_layout)
    for cluster in search._present().clusters:
        last = cluster.levels[-1]
        assert (last.width, last.beta, last.gamma) == (0.0, 1.0, 0.0)
        assert not last.direction.any()
        widths = [level.width for level in cluster.levels]
        assert widths == sorted(widths, reverse=True)


def test_intervals_of_smaller_widths_do_not_hold():
    """The bounds are of the right size: a twentieth of a width is too little somewhere."""
    case = random_case(0, 1500, 3)
    search = case.search(3)
    search._sum_pairs(whole_layout)
    narrow = [
        replace(c, levels=[replace(level, width=0.05 * level.width) for level in c.levels])
        for c in search._changes.levels
    ]
    search._changes = replace(search._changes, levels=narrow)
    with pytest.raises(AssertionError, match="level"):
        assert_intervals_hold(case, search)


@each("layout", [whole_layout, lambda count: layout_of(count, 64)])
def test_few_distinct_rows_turn_first_members_round(layout):
    """Their part α of the rest is rounding, and their share in the sum may be below zero."""
    rng = np.random.default_rng(815)
    X = rng.normal(size=(4, 1))[rng.integers(4, size=400)].astype(np.float32)
    case = Case(X, Energy(0.5), np.ones(400), rng.integers(2, size=400), 2)
    search = case.search(128)
    search._sum_pairs(layout)
    assert min(cluster.levels[1].beta for cluster in search._present().clusters) < -10.0
    for interval in all_intervals(search):
        assert np.all(interval.low <= interval.high)
    assert_intervals_hold(case, search)
