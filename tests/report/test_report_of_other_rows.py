"""Reports of rows that are no table of numbers, and metrics as reports describe them."""

import json

import numpy as np
import pytest
from scipy.sparse import csr_array

from kgroups import KernelKGroups
from kgroups.answers.characteristic_words import Words
from kgroups.report import ClusterReport, describe_metric
from kgroups.semimetrics import (
    ColumnSum,
    Energy,
    Gaussian,
    Hamming,
    Manhattan,
    Mixed,
    PairFunction,
)
from kgroups.semimetrics.by_name import BY_NAME

WORDS = ["apple", "apples", "appel", "melon", "melons", "lemon"]


def letters(a, b):
    """How many letters only one of two words has."""
    return float(len(set(a) ^ set(b)))


@pytest.fixture(scope="module")
def of_texts():
    model = KernelKGroups(2, metric=letters, n_init=2, random_state=0).fit(WORDS)
    return model, ClusterReport.of(model, WORDS, texts=WORDS)


def test_texts_near_the_centers(of_texts):
    model, report = of_texts
    assert model.labels_.tolist() in ([0, 0, 0, 1, 1, 1], [1, 1, 1, 0, 0, 0])
    found = report.to_dict()["exemplars"]
    # "apple" and "appel" have the same letters, so they are nearest to the center of theirs.
    first = found[model.labels_[0]]
    assert first[:2] == [{"row": 1, "text": "apple"}, {"row": 3, "text": "appel"}]
    assert {one["text"] for one in first} == {"apple", "appel", "apples"}


def test_rows_without_columns_have_no_number_of_features(of_texts):
    _, report = of_texts
    assert report.to_dict()["n_features"] is None


def test_long_texts_are_shortened_in_words_and_whole_in_json(of_texts):
    model, _ = of_texts
    long = [f"{word}\n{'x' * 500}" for word in WORDS]
    report = ClusterReport.of(model, WORDS, texts=long)
    assert "x" * 50 not in report.to_text()
    assert "\\n" in report.to_text()  # no line break in a table
    assert report.to_dict()["exemplars"][0][0]["text"] in long


def test_words_of_sparse_rows():
    rows = csr_array(np.array([[2.0, 0, 1], [4, 0, 1], [0, 3, 1], [0, 5, 1]]))
    model = KernelKGroups(2, metric="cosine", n_init=2, random_state=0).fit(rows)
    names = ["cat", "dog", "the"]
    report = ClusterReport.of(model, rows, words=Words(rows, names.__getitem__), unit="word")
    found = report.to_dict()["sets_apart"]
    own = found[model.labels_[0]], found[model.labels_[2]]
    assert own == (
        [{"word": "cat", "mean": 3.0, "mean_of_all": 1.5}],
        [{"word": "dog", "mean": 4.0, "mean_of_all": 2.0}],
    )


def test_a_metric_is_described_by_its_name_and_parameters():
    mixed = ColumnSum([(Gaussian(2.0), [0, 1]), (Hamming(), [2, 3], 2.0)])
    by_hamming = {"name": "hamming", "params": {"missing": "error"}}
    by_gaussian = {"name": "gaussian", "params": {"sigma": 2.0}}
    parts = [
        {**by_gaussian, "columns": [0, 1], "weight": 1.0},
        {**by_hamming, "columns": [2, 3], "weight": 2.0},
    ]
    assert describe_metric(mixed) == {"name": "column_sum", "params": {"parts": parts}}
    assert describe_metric(Energy(np.float64(0.5)))["params"] == {"alpha": 0.5}
    kinds = json.loads(json.dumps(describe_metric(Mixed(kinds=["number", ["S", "M"]]))))
    assert kinds["params"]["kinds"] == ["number", ["S", "M"]]


def test_functions_and_classes_of_a_user_go_by_their_names():
    def apart(a, b):
        return abs(a - b)

    class Mine(Manhattan):
        pass

    assert describe_metric(PairFunction(apart))["params"]["function"] == "apart"
    assert describe_metric(Mine())["name"] == "Mine"


def test_every_metric_goes_by_the_name_that_metric_takes():
    for name in BY_NAME:
        described = describe_metric(BY_NAME[name]())
        assert described["name"] == name
        assert json.loads(json.dumps(described)) == described, name
