"""Labels within a page."""

import json

import numpy as np

from helpers import each
from kgroups.pages import label_data
from kgroups.pages.label_data import LabelData


def labels_of(data):
    """What the script of the page reads."""
    return [
        int(data.digits[i : i + data.width], 36) for i in range(0, len(data.digits), data.width)
    ]


@each("k", [1, 2, 36, 37, 1_296, 1_297])
def test_all_labels_come_back(k):
    labels = np.random.default_rng(0).integers(k, size=500)
    labels[0] = k - 1
    data = LabelData.of(labels)
    assert labels_of(data) == labels.tolist()
    assert data.width == (1 if k <= 36 else 2 if k <= 1_296 else 3)


def test_names_that_do_not_fit_are_left_out(monkeypatch):
    monkeypatch.setattr(label_data, "ROOM", 40)
    data = LabelData.of(np.zeros(10, np.int64), ["n" * 10] * 10)
    assert data.digits == "0" * 10
    assert data.ids is None


def test_labels_that_do_not_fit_are_left_out(monkeypatch):
    monkeypatch.setattr(label_data, "ROOM", 9)
    data = LabelData.of(np.zeros(10, np.int64), ["a"] * 10)
    assert (data.digits, data.ids) == ("", None)


def test_no_name_ends_the_script():
    text = LabelData.of(np.array([0, 1]), ["</script>", "<!--&"]).to_json()
    assert not set("<>&") & set(text)
    assert json.loads(text)["ids"] == ["</script>", "<!--&"]
    assert json.loads(text)["head"] == ["row", "name", "cluster"]


def test_100000_rows_take_100_kilobytes():
    data = LabelData.of(np.arange(100_000) % 8)
    assert len(data.to_json()) < 100_100
