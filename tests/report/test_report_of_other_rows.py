"""Reports of rows that are no table of numbers: words, texts and missing values."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from kgroups import KernelKGroups
from kgroups.answers.characteristic_words import Words
from kgroups.report import ClusterReport

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
