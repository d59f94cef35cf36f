"""What every fit says of its proof: the certificate, the intervals, and words for them."""

import json

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from helpers import each
from kgroups import KernelKGroups, KernelKMeans
from kgroups.bounds import Certificate
from kgroups.certificate.ladder import Step
from kgroups.semimetrics import Energy
from kgroups.stats import between_statistic, within_dispersion


@pytest.fixture(scope="module")
def blobs():
    rng = np.random.default_rng(0)
    return (rng.normal(size=(4, 6))[rng.integers(4, size=2500)] + rng.normal(size=(2500, 6))) * 3


@each(
    ("method", "metric", "pairs"),
    [
        ("dense", "energy", 2500 * 2499 // 2),
        ("matrix_free", "energy", 2500 * 2499 // 2),
        ("auto", Energy(2.0), 0),
    ],
)
def test_exact_fits_have_looked_at_all_pairs_or_needed_none(blobs, method, metric, pairs):
    model = KernelKGroups(4, method=method, metric=metric, random_state=0).fit(blobs)
    found = model.certificate_
    assert (found.proved, found.n_open, found.n_pairs) == (True, 0, pairs)
    assert found.n_pairs_full == 2500 * 2499 // 2
    assert model.within_dispersion_interval_ == (model.within_dispersion_,) * 2
    assert model.between_statistic_interval_ == pytest.approx((model.between_statistic_,) * 2)


def test_a_sketch_proves_nothing(blobs):
    model = KernelKGroups(4, method="nystroem", random_state=0).fit(blobs)
    assert (model.certificate_.proved, model.certificate_.n_open) == (False, 2500)
    assert model.within_dispersion_interval_ is None
    assert model.between_statistic_interval_ is None


def test_a_search_that_was_cut_short_proves_nothing(blobs):
    with pytest.warns(match="max_iter"):
        model = KernelKGroups(4, method="matrix_free", max_iter=1, random_state=3).fit(blobs)
    assert not model.certificate_.proved


@each("weighted", [False, True])
def test_a_proof_gives_the_numbers_of_all_pairs(blobs, weighted):
    weights = np.random.default_rng(1).random(2500) + 0.5 if weighted else None
    model = KernelKGroups(4, method="certified", random_state=0).fit(blobs, sample_weight=weights)
    assert model.method_ == "certified"
    assert model.exactness_ == "one-move optimal"
    assert model.certificate_.proved
    W = within_dispersion(blobs, model.labels_, sample_weight=weights)
    S = between_statistic(blobs, model.labels_, sample_weight=weights)
    assert model.within_dispersion_ == pytest.approx(W, rel=1e-10)
    assert model.cluster_dispersions_.sum() == pytest.approx(W, rel=1e-10)
    # Up to 4,096 rows all pairs are looked at for S, too.
    assert model.between_statistic_ == pytest.approx(S, rel=1e-9)
    low, high = model.within_dispersion_interval_
    assert low <= W <= high
    low, high = model.between_statistic_interval_
    assert low <= S <= high
    assert (np.diff(model.objective_history_) >= -1e-9 * S).all()
    exact = KernelKGroups(4, init=model.labels_, method="matrix_free").fit(
        blobs, sample_weight=weights
    )
    assert exact.n_moves_ == 0


def test_predict_and_transform_after_a_proof(blobs):
    model = KernelKGroups(4, method="certified", random_state=0).fit(blobs)
    assert (model.predict(blobs) == model.labels_).all()
    assert model.transform(blobs[:5]).shape == (5, 4)
    assert model.optimality_gap().gap > 0


def test_lloyds_rule_has_a_certificate_of_its_own(blobs):
    model = KernelKMeans(4, method="certified", random_state=0).fit(blobs)
    assert model.exactness_ == "stable under Lloyd's rule"
    assert (model.predict(blobs) == model.labels_).all()


def test_metrics_that_need_no_pairs_are_exact_without(blobs):
    model = KernelKGroups(4, metric=Energy(2.0), method="certified", random_state=0).fit(blobs)
    assert model.method_ == "matrix_free"
    assert model.method_reason_ == "as method='certified' asks: this metric needs no pairs"


def test_no_time_at_all_leaves_rows_open_and_says_so(blobs):
    with pytest.warns(ConvergenceWarning, match="by its limit of time or of distances while rows"):
        model = KernelKGroups(4, method="certified", time_limit=1e-9, random_state=0).fit(blobs)
    assert not model.certificate_.proved
    assert not model.converged_
    assert model.certificate_.n_open > 0
    assert model.exactness_.endswith("undecided; stopped by time_limit, not repeatable")


@each("made", [Certificate.without_pairs, Certificate.of_all_pairs])
def test_where_nothing_is_proved_no_gain_is_bounded(made):
    assert (made(5, proved=True).n_open, made(5, proved=True).largest_gain) == (0, 0.0)
    assert (made(5, proved=False).n_open, made(5, proved=False).largest_gain) == (5, np.inf)
    assert made(5, proved=False).n_pairs_full == 10


def test_a_certificate_as_json():
    found = Certificate(False, 2, 3, 4, largest_gain=np.inf, steps=[Step(256, 2, 5, 3)], rounds=1)
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False)) == {
        "proved": False, "n_open": 2, "largest_gain": None, "n_pairs": 3, "n_pairs_full": 4,
        "rounds": 1, "seconds": 0.0, "is_repeatable": True,
        "steps": [{"size": 256, "n_open": 2, "n_candidates": 5, "n_pairs": 3}],
    }  # fmt: skip
