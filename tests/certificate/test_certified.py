"""Labels that are certified, checked by all sums of all rows."""

import os

import numpy as np
import pytest

from certificate_cases import Case, best_gains, random_case, to_centroids
from helpers import each, wrong_today
from kgroups import KernelKGroups
from kgroups.certificate.certified import certified
from kgroups.certificate.proof_search import Limits, Search
from kgroups.runtime.threads import Threads
from kgroups.semimetrics import Energy, Gaussian, Mixed

# KGROUPS_FULL checks a hundred problems.
CASES = range(100 if os.environ.get("KGROUPS_FULL") else 3)


def certify(case, n_landmarks=40, n_threads=1, **options):
    how = {"tol": 1e-12, "is_ratio": True, "seed": 0, "limits": Limits(), **options}
    problem = (case.points(), case.weights, case.labels, case.k)
    return certified(*problem, n_landmarks=n_landmarks, executor=Threads(n_threads), **how)


def problem(seed):
    rng = np.random.default_rng([seed, 77])
    if os.environ.get("KGROUPS_FULL"):
        n = int(rng.choice([500, 3000, 8000, 20000], p=[0.3, 0.4, 0.2, 0.1]))
        k = int(rng.choice([2, 3, 8, 20, 100]))
    else:
        n, k = int(rng.choice([300, 2000])), int(rng.choice([2, 5, 20]))
    return random_case(seed + 1000, n, k)


@each("seed", CASES)
def test_no_single_move_improves_what_is_proved(seed):
    case = problem(seed)
    found = certify(case, seed=seed)
    if found is None:  # all pairs take less time
        assert len(case.X) > 2 * (1 << 13)
        return
    assert found.certificate.proved
    exact = best_gains(case, found.partition.labels)
    assert np.all(exact.gains <= exact.rounding)
    slack = 1e-13 * exact_within(case, found)
    assert found.within.least - slack <= exact_within(case, found) <= found.within.most + slack


def exact_within(case, found):
    labels = found.partition.labels
    _, g = to_centroids(case, labels)
    own = np.arange(len(labels)), labels
    return 0.5 * float(case.weights @ g[own])


def edge(name):
    rng = np.random.default_rng(5)
    X, w, labels = rng.normal(size=(900, 3)), np.ones(900), rng.integers(4, size=900)
    labels[:4] = np.arange(4)
    k = 4
    if name == "one cluster":
        labels, k = np.zeros(900, np.int64), 1
    elif name == "few rows":
        X, w, labels = X[:10], w[:10], np.arange(10) % 8
        k = 8
    elif name == "k close to n":
        X, w, labels, k = X[:200], w[:200], np.arange(200) % 190, 190
    elif name == "more clusters than landmarks":
        labels, k = np.arange(900) % 60, 60
    elif name == "nearly all rows equal":
        X[5:] = 0.0
    elif name == "duplicates":
        X = X[rng.integers(20, size=900)]
    elif name == "twelve orders of magnitude":
        w = 10.0 ** rng.uniform(-6, 6, 900)
    elif name == "weights of zero":
        w[rng.random(900) < 0.5] = 0.0
        w[:4] = 1.0
    elif name == "one heavy row":
        w[7] = 1e6
    elif name == "nearly all in one cluster":
        labels[4:] = 0
    elif name == "groups of one":
        X[:3], labels, k = 50.0 + 10 * X[:3], np.r_[[1, 2, 3], np.zeros(897, np.int64)], 4
    elif name == "heavy tails":
        X = rng.standard_cauchy((900, 3)).astype(np.float32)
    elif name == "far from the origin":
        X = (100 * X + 1e8).astype(np.float32)
    return Case(X, Energy(1.0), w, labels, k)


@each(
    "name",
    [
        "one cluster", "few rows", "k close to n", "more clusters than landmarks",
        "nearly all rows equal", "duplicates", "twelve orders of magnitude", "weights of zero",
        "one heavy row", "nearly all in one cluster", "groups of one", "heavy tails",
        "far from the origin",
    ],
)  # fmt: skip
@each("n_landmarks", [1, 30])
def test_proofs_of_unusual_problems(name, n_landmarks):
    case = edge(name)
    found = certify(case, n_landmarks)
    assert found.certificate.proved
    exact = best_gains(case, found.partition.labels)
    assert np.all(exact.gains <= exact.rounding)
    W = exact_within(case, found)
    assert found.within.least - 1e-13 * W <= W <= found.within.most + 1e-13 * W
    assert found.within.most - found.within.least <= 1e-3 * W
    assert np.bincount(found.partition.labels, minlength=case.k).min() > 0


@each("seed", [1, 3])
def test_the_same_bits_for_any_number_of_threads(seed):
    case = random_case(seed, 2500, 5)
    one, two = (certify(case, n_threads=n) for n in (1, 2))
    assert np.array_equal(one.partition.labels, two.partition.labels)
    assert (one.within, one.total) == (two.within, two.total)
    assert one.certificate.steps == two.certificate.steps


def small(n=2500, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 3)) + 2.0 * rng.integers(0, 2, size=(n, 3))


def test_a_bound_on_gains_is_in_units_of_w(monkeypatch):
    """Weights 1,024 times as large have gains 1,024 times as large, and the same rows open."""
    monkeypatch.setattr(Search, "_can_afford", lambda search, n_pairs: n_pairs == 0)
    X, found = small(6000, seed=4), []
    for unit in (1.0, 1024.0):
        fit = KernelKGroups(2, method="certified", random_state=0)
        found.append(fit.fit(X, sample_weight=np.full(len(X), unit)).certificate_)
    assert found[0].n_open == found[1].n_open > 0
    assert found[1].largest_gain == 1024.0 * found[0].largest_gain
    case = Case(X, Energy(1.0), np.full(len(X), 1024.0), fit.labels_, 2)
    assert best_gains(case, fit.labels_).gains.max() <= found[1].largest_gain < np.inf


def test_memory_is_refused_before_any_work():
    fit = KernelKGroups(3, metric=Gaussian(1.0), method="certified", memory_limit="64 KiB")
    with pytest.raises(MemoryError, match="certified"):
        fit.fit(small())


@wrong_today("a plan looks for missing entries in the first row alone")
def test_missing_entries_are_refused_wherever_they_are():
    """They make differences that have no bound, in the first row as in the last one."""
    X = small(300)
    X[0, 0] = np.nan
    for rows in (X, X[::-1]):
        with pytest.raises(ValueError, match="certified"):
            KernelKGroups(3, metric=Mixed(), method="certified", random_state=0).fit(rows)


def test_groups_far_apart_in_single_precision():
    """Coordinates that were rounded about the mean of all proved wrong labels."""
    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1, 2], [300, 300, 600])
    X = 1e-3 * rng.normal(size=(1200, 40))
    X[truth == 1] += 0.35e-3
    X[truth == 2] += 1e4
    X = X.astype(np.float32)
    case = Case(X, Energy(1.0), np.ones(1200), truth, 3)
    for method in ("certified", "matrix_free"):
        model = KernelKGroups(3, method=method, random_state=0).fit(X)
        exact = best_gains(case, model.labels_)
        least, most = model.within_dispersion_interval_
        assert model.certificate_.proved
        assert np.all(exact.gains <= exact.rounding)
        assert least * (1 - 1e-6) <= exact.within <= most * (1 + 1e-6)


def test_weights_whose_squares_underflow():
    rng = np.random.default_rng(0)
    X, weights = rng.normal(size=(100, 2)), np.ones(100)
    weights[:50] = 1e-200
    X[:50] += 30
    found, plain = (
        KernelKGroups(3, method=method, random_state=0).fit(X, sample_weight=weights)
        for method in ("certified", "matrix_free")
    )
    assert found.method_ == "matrix_free"
    assert np.array_equal(found.labels_, plain.labels_)
