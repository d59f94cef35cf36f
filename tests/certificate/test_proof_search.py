"""The search: intervals hold, and what it calls proved is proved, after moves and within limits."""

import os

import numpy as np

from certificate_cases import Case, all_intervals, assert_intervals_hold, best_gains, random_case
from helpers import each
from kgroups.certificate import proof_search as module
from kgroups.certificate.proof_search import Limits
from kgroups.certificate.stages import layout_of, whole_layout
from kgroups.semimetrics import Energy


@each("seed", range(16))
def test_margins_that_are_left_are_proofs(seed):
    """After every round of moves no row with a margin gains by a move, whatever has changed."""
    rng = np.random.default_rng([seed, 5])
    n = int(rng.choice([20, 60, 300, 900]))
    k = int(rng.choice([2, 3, 8, min(30, n // 2)]))
    case = random_case(seed, n, k)
    if seed % 3 == 0:
        case.weights[rng.integers(n, size=3)] *= 10.0 ** rng.uniform(1, 5)
    is_ratio = seed % 4 != 3
    search = case.search(int(rng.choice([5, 30])), is_ratio=is_ratio)
    search._sum_pairs(search._first_layout())
    for number in range(30):
        seen = search._round()
        search._margin[seen.index] = -np.inf
        n_moves = search._move(search._record if number < 15 else seen)
        assert not np.isnan(search._margin).any()
        found = best_gains(case, search.labels, is_ratio=is_ratio)
        proved = search._margin >= 0
        assert not np.any(found.gains[proved] > found.rounding[proved])
        if n_moves == 0:
            break
    assert n_moves == 0


def test_rows_of_the_first_sample_that_stay_open_are_looked_at_again(monkeypatch):
    """Above twice as many rows as the sample has."""
    monkeypatch.setattr(module, "_SAMPLE", 500)
    monkeypatch.setattr(module.Search, "_is_hopeless", lambda search, seen: False)
    case = _overlapping(3000)
    found = case.search().run()
    assert found.certificate.proved
    exact = best_gains(case, found.labels)
    assert np.all(exact.gains <= exact.rounding)


def _overlapping(n, seed=0, k=4):
    rng = np.random.default_rng(seed)
    truth = rng.integers(k, size=n)
    X = 1.2 * rng.normal(size=(k, 4))[truth] + rng.normal(size=(n, 4))
    return Case(X, Energy(1.0), np.ones(n), truth, k)


@each("n_pairs", [0, 100_000, 400_000])
def test_few_pairs_leave_rows_open_and_say_so(n_pairs):
    case = _overlapping(3000)
    found = case.search(limits=Limits(n_pairs=n_pairs)).run()
    certificate = found.certificate
    assert not certificate.proved
    assert not found.is_settled
    assert certificate.is_repeatable
    assert certificate.largest_gain == np.inf
    exact = best_gains(case, found.labels)
    assert np.count_nonzero(exact.gains > exact.rounding) <= certificate.n_open <= 3000


def test_no_time_proves_nothing():
    found = _overlapping(3000).search(limits=Limits(deadline=0.0)).run()
    assert (found.certificate.proved, found.certificate.is_repeatable) == (False, False)
    assert found.certificate.n_open > 0


def test_partial_sums_leave_rows_open_whose_gains_are_bounded(monkeypatch):
    """Without the pairs within clusters; of what is said to be open no row gains more."""
    monkeypatch.setattr(module, "_FEW_TIMES", 0)
    case = _overlapping(6000, k=2)
    count = np.bincount(case.labels).astype(float)
    search = case.search(limits=Limits(n_pairs=(count * (count - 1)).sum() / 2 - 1))
    search._sum_pairs(lambda count: module.layout_of(count, 256))
    search.limits = Limits()
    seen = search._until_settled()
    certificate = search._found(seen).certificate
    exact = best_gains(case, search.labels)
    assert not certificate.proved
    assert exact.gains.max() <= certificate.largest_gain < 1.0
    assert np.count_nonzero(exact.gains > exact.rounding) <= certificate.n_open < 1000


def test_rows_beyond_the_room_for_open_pairs_stay_undecided(monkeypatch):
    """And what is said of the others is proved by no fewer distances."""
    for name, value in (("_OPEN_PER_POINT", 0.0), ("_OPEN_AT_LEAST", 1), ("_LEAST_PART", 256)):
        monkeypatch.setattr(module, name, value)
    monkeypatch.setattr(module, "_MOST_PAIRS", 512)
    case = _overlapping(6000, k=2)
    search = case.search(limits=Limits(all_pairs=False))
    found = search.run()
    certificate = found.certificate
    assert not certificate.proved
    assert 256 < certificate.n_open < 6000
    assert certificate.largest_gain == np.inf
    exact = best_gains(case, found.labels)
    proved = search._margin >= 0
    assert proved.any()
    assert not np.any(exact.gains[proved] > exact.rounding[proved])
    assert np.count_nonzero(~proved) == certificate.n_open


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
