"""Prediction strength by hand."""

from types import SimpleNamespace

import numpy as np
import pytest

from kgroups.select.halves import splits
from kgroups.select.prediction_strength import prediction_strength_of, strength
from kgroups.select.subject import Subject
from select_cases import lumps


def test_prediction_strength_by_hand():
    """Clusters {0,1,2} and {3,4,5,6}; the other half splits off point 2 and point 6."""
    found = np.array([0, 0, 0, 1, 1, 1, 1])
    predicted = np.array([0, 0, 1, 1, 1, 1, 0])
    split = SimpleNamespace(k=2, is_possible=True, found=found, predicted=predicted)
    # One of three pairs stays together; three of six.
    assert strength(split) == pytest.approx(min(1 / 3, 3 / 6))
    assert strength(SimpleNamespace(k=1)) == 1.0


def test_the_standard_error_counts_in_favor_of_more_clusters(monkeypatch):
    """.7, .86, .7, .86: the mean .78 is below .8, and its standard error is .08 / √4 = .04."""
    strengths = iter([1.0, 0.7, 1.0, 0.86] * 2)
    monkeypatch.setitem(prediction_strength_of.__globals__, "strength", lambda _: next(strengths))
    subject = Subject.of(lumps(1), "energy", random_state=0)
    k = np.array([1, 2])
    found = prediction_strength_of(subject, k, splits(subject, k, 4))
    assert (found.n_clusters, found.values[1], found.errors[1]) == (
        2, pytest.approx(0.78), pytest.approx(0.04)
    )  # fmt: skip
