"""Mistakes with labels, samples and numbers of clusters: the class of error and two key words."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.spatial.distance import pdist, squareform

from helpers import assert_each_says, wrong_today
from kgroups import KernelKGroups
from kgroups.bounds import certify, semidefinite_bound, spectral_bound
from kgroups.exceptions import TheoryWarning
from kgroups.metrics import clustering_accuracy, overlap
from kgroups.plots import GramDisplay, PartitionDisplay
from kgroups.select import (
    choose_n_clusters,
    feature_contributions,
)
from kgroups.semimetrics import Energy
from kgroups.stats import (
    dip_test,
    disco,
    energy_distance,
    energy_test,
    within_dispersion,
)

NAN = np.nan
LINE = np.array([0.0, 1, 2, 3, 10, 11, 12, 13])
X = LINE[:, None] + np.array([[0.0, 0.5]])
RHO = squareform(pdist(X))
HALVES = np.repeat([0, 1], 4)
GAPPED = [0, 1, NAN]
MASKED = np.ma.MaskedArray(HALVES, np.arange(8) == 2)

LABELS = [
    ("one label less", lambda: within_dispersion(X, HALVES[:-1]), ValueError, "labels", "(7,)"),
    ("a column of labels", lambda: disco(X, HALVES[:, None]), ValueError, "labels", "(8, 1)"),
    ("None", lambda: within_dispersion([1.0, 2, 3], [0, 1, None]), ValueError, "labels", "row 2"),
    ("NaN", lambda: disco([1.0, 2, 3], GAPPED), ValueError, "labels", "row 2"),
    ("NaN, certified", lambda: certify([[1.0], [2], [3]], GAPPED), ValueError, "labels", "row 2"),
    ("text and numbers", lambda: within_dispersion([1.0, 2, 3], ["1", 1, 1]), ValueError,
     "labels", "text"),
    ("a model as labels", lambda: disco(X, KernelKGroups(2).fit(X)), ValueError,
     "estimator", "labels_"),
    ("NaN in known labels", lambda: clustering_accuracy(GAPPED, [0, 1, 1]), ValueError,
     "labels_true", "point 2"),
    ("masked labels", lambda: disco(X, MASKED), ValueError, "labels", "masked"),
    ("masked labels, certified", lambda: certify(X, MASKED), ValueError, "labels", "masked"),
    ("masked known labels", lambda: clustering_accuracy(MASKED, HALVES), ValueError,
     "labels_true", "masked"),
    ("of other points", lambda: clustering_accuracy([0, 1, 1], [0, 1]), ValueError, "3", "2"),
    ("one class", lambda: overlap([0, 0, 0], [0, 1, 1]), ValueError, "labels_true", "one"),
]  # fmt: skip

SAMPLES = [
    ("one group", lambda: energy_test([1.0, 2], labels=[0, 0]), ValueError, "labels", "group"),
    ("one group", lambda: disco([1.0, 2], [0, 0]), ValueError, "labels", "group"),
    ("groups as a sample", lambda: energy_test(X, HALVES), ValueError, "labels=", "group"),
    ("other numbers of columns", lambda: energy_test([1.0], [[2.0, 3]]), ValueError,
     "columns", "sample 2"),
    ("other numbers of columns", lambda: energy_distance(np.ones((3, 2)), np.ones((4, 3))),
     ValueError, "2 columns", "3"),
    ("other names of columns", lambda: energy_distance(
        pd.DataFrame({"a": [1.0]}), pd.DataFrame({"b": [1.0]})), ValueError, "columns", "b"),
    ("frames of two libraries", lambda: energy_distance(
        pd.DataFrame({"a": [1.0]}), pl.DataFrame({"a": [1.0]})), TypeError, "pandas", "polars"),
    ("NaN", lambda: energy_distance([1.0, 2], [1.0, NAN]), ValueError, "NaN", "row 1"),
    ("NaN on a line", lambda: dip_test([1.0, NAN, 2]), ValueError, "NaN", "row 1"),
    ("a table on a line", lambda: dip_test(X), ValueError, "x", "(8, 2)"),
    ("a matrix for two", lambda: energy_distance(RHO, RHO, metric="precomputed"), ValueError,
     "energy_test", "labels"),
    ("a negative distance", lambda: energy_test(-RHO, labels=HALVES, metric="precomputed"),
     ValueError, "negative", "row"),
    ("one point, unbiased", lambda: energy_distance([1.0, 2], [1.0], unbiased=True), ValueError,
     "unbiased", "Y"),
    ("a negative weight", lambda: energy_distance([1.0], [1.0], sample_weight_Y=[-1.0]),
     ValueError, "sample_weight_Y", "-1"),
    ("weights too large", lambda: within_dispersion(LINE, HALVES, sample_weight=[1e308] * 8),
     ValueError, "sample_weight", "1e+308"),
    ("distances too large", lambda: energy_test([1e308], [-1e308], metric="manhattan"), ValueError,
     "finite", "X"),
    ("no permutations", lambda: energy_test(X, X, n_permutations=0), ValueError,
     "n_permutations", "0"),
    ("not of negative type", lambda: energy_test(X, X, metric="damped_squared", n_permutations=1),
     TheoryWarning, "DampedSquared", "negative type"),
    ("not of negative type", lambda: certify(X, HALVES, metric="damped_squared"),
     TheoryWarning, "DampedSquared", "negative type"),
]  # fmt: skip

NUMBERS = [
    ("k above n", lambda: choose_n_clusters(X, [1, 500]), ValueError, "500", "8 rows"),
    ("distances as rows", lambda: choose_n_clusters(RHO), UserWarning, "8 x 8", "precomputed"),
    ("no sum over columns", lambda: feature_contributions(X, HALVES, metric="jaccard"), ValueError,
     "Jaccard", "add"),
    ("names of other columns", lambda: feature_contributions(X, HALVES, names=["a"]), ValueError,
     "names", "2"),
    ("too large", lambda: feature_contributions(X * 1e160, HALVES, metric=Energy(2.0)), ValueError,
     "finite", "large"),
    ("bound in blocks of a matrix", lambda: spectral_bound(
        RHO, 2, metric="precomputed", method="blockwise"), ValueError, "blockwise", "metric"),
    ("a picture of other rows", lambda: PartitionDisplay.from_estimator(
        KernelKGroups(2).fit(X), X[:3]), ValueError, "3 points", "8"),
]  # fmt: skip

SUBJECTS = {"labels": LABELS, "samples": SAMPLES, "numbers of clusters": NUMBERS}


@pytest.mark.parametrize("subject", SUBJECTS)
def test_mistakes_in_statistics(subject):
    assert_each_says(SUBJECTS[subject])


#: What is not refused today, or by a message that does not say what is wrong.
OPEN = [
    ("a negative tolerance", lambda: semidefinite_bound(X, 2, tol=-1), ValueError, "tol", "-1"),
    ("a picture of a part of a matrix", lambda: GramDisplay.from_estimator(
        KernelKGroups(2, metric="precomputed").fit(RHO), RHO[:, :3]), ValueError, "X", "3"),
]  # fmt: skip


@wrong_today("accepted, or refused without saying what is wrong")
@pytest.mark.parametrize("row", OPEN, ids=lambda row: row[0])
def test_mistakes_in_statistics_that_are_not_refused_well(row):
    assert_each_says([row])
