"""Certificates: of searches cut short, of metrics without pairs, and as JSON."""

import json

import numpy as np
import pytest

from helpers import each
from kgroups import KernelKGroups
from kgroups.bounds import Certificate
from kgroups.certificate.ladder import Step
from kgroups.semimetrics import Energy


@pytest.fixture(scope="module")
def blobs():
    rng = np.random.default_rng(0)
    return (rng.normal(size=(4, 6))[rng.integers(4, size=2500)] + rng.normal(size=(2500, 6))) * 3


def test_a_search_that_was_cut_short_proves_nothing(blobs):
    with pytest.warns(match="max_iter"):
        model = KernelKGroups(4, method="matrix_free", max_iter=1, random_state=3).fit(blobs)
    assert not model.certificate_.proved


def test_metrics_that_need_no_pairs_are_exact_without(blobs):
    model = KernelKGroups(4, metric=Energy(2.0), method="certified", random_state=0).fit(blobs)
    assert model.method_ == "matrix_free"
    assert model.method_reason_ == "as method='certified' asks: this metric needs no pairs"


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
