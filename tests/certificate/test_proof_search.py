"""The search: what it calls proved is proved, also after moves, and within limits."""

from dataclasses import replace

import numpy as np
import pytest

from certificate_cases import Case, best_gains, random_case
from helpers import each
from kgroups.certificate import proof_search as module
from kgroups.certificate.landmark_form import LandmarkForm
from kgroups.certificate.proof_search import Limits
from kgroups.certificate.stages import Stages
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


@each("is_ratio", [True, False])
def test_the_last_member_of_a_cluster_is_looked_at_again_when_others_join(is_ratio):
    """It stays because it is the last one; once it is not, its margin says nothing."""
    X = np.concatenate([np.linspace(0.0, 1.0, 30), [5.0], np.linspace(9.0, 10.0, 30), [5.2, 5.3]])
    labels = np.array([0] * 30 + [1] + [2] * 32)
    case = Case(X[:, None], Energy(1.0), np.ones(63), labels, 3)
    search = case.search(8, is_ratio=is_ratio)
    search._sum_pairs(search._first_layout())
    seen = search._round()
    search._margin[seen.index] = -np.inf
    assert search._margin[30] >= 0
    search._move(search._record)
    assert np.count_nonzero(search.labels == 1) > 1
    assert search._margin[30] == -np.inf


def test_margins_of_heavy_rows_fall_by_more_than_the_drift():
    """√a multiplies what the own centroid drifts: a = 10 for nine tenths of the weight."""
    case = random_case(50, 200, 2, np.float64)
    weights = np.ones(200)
    heavy = int(np.flatnonzero(case.labels == 0)[0])
    weights[heavy] = 9.0 * (np.count_nonzero(case.labels == 0) - 1)
    search = case._replace(weights=weights).search()
    search._sum_pairs(search._first_layout())
    search._round(only_opening=True)
    search._margin[:] = 5.0
    search._lower_margins(case.labels, np.array([0.1, 0.0]))
    lost = 5.0 - search._margin[heavy]
    assert lost == pytest.approx(0.1 * np.sqrt(10.0) + 0.1, rel=1e-9)


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


def _far_group():
    """One group at 0 and one at 1, of which some rows at 0.8 have the label of the first.

    Their products with the mean of the second reach most of what the Cauchy–Schwarz inequality
    allows, because all that one landmark leaves open points in one direction.
    """
    rng = np.random.default_rng(0)
    X = np.concatenate([0.01 * rng.random(400), np.full(6, 0.8), 1.0 + 0.01 * rng.random(40)])
    labels = np.array([0] * 406 + [1] * 40)
    return Case(X[:, None], Energy(1.0), np.ones(446), labels, 2)


def _proof(case, n_landmarks):
    found = case.search(n_landmarks).run()
    exact = best_gains(case, found.labels)
    return found.certificate.proved, int(np.count_nonzero(exact.gains > exact.rounding))


def test_proofs_of_the_problems_below_are_right():
    assert _proof(_far_group(), 1) == (True, 0)
    assert _proof(_overlapping(1500), 30) == (True, 0)


def test_half_of_a_width_proves_what_is_false(monkeypatch):
    """An exact check finds it, so that such checks can fail."""
    true = module.levels_of

    def halved(*arguments):
        made = true(*arguments)
        levels = [replace(level, width=0.5 * level.width) for level in made.levels]
        return replace(made, levels=levels)

    monkeypatch.setattr(module, "levels_of", halved)
    assert _proof(_far_group(), 1) == (True, 6)


def test_half_of_what_features_lack_proves_what_is_false(monkeypatch):
    true = LandmarkForm.lacking
    monkeypatch.setattr(LandmarkForm, "lacking", lambda form, rho: 0.5 * true(form, rho))
    assert _proof(_far_group(), 1) == (True, 6)


def test_half_of_the_sums_of_one_cluster_prove_what_is_false(monkeypatch):
    true = Stages.over
    made = []

    def halved(stages, unit):
        made.append(stages)
        return true(stages, 2.0 * unit if len(made) == 2 else unit)

    monkeypatch.setattr(Stages, "over", halved)
    proved, n_wrong = _proof(_overlapping(1500), 30)
    assert proved
    assert n_wrong > 10


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
