"""Rows of several types as ``metric="mixed"`` reads them, at fit and at predict."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator

from kgroups.input.spaces import PointSpace, read_at_fit
from kgroups.input.typed_columns import column_keys, missing_counts
from kgroups.semimetrics import Hamming, Manhattan, Mixed

NAN = float("nan")


class Reader(BaseEstimator):
    """An estimator that only reads."""

    def __init__(self, metric=None):
        self.metric = metric or Mixed()

    def fit(self, X):
        self.space, self.data = read_at_fit(self, PointSpace(self.metric), X)
        return self

    def new(self, X):
        return self.space.read_new(self, X)


def frame():
    return pd.DataFrame(
        {
            "age": [30.0, None, 50.0],
            "town": ["Ulm", "Bonn", None],
            "size": pd.Categorical(["S", "L", None], ["S", "M", "L"], ordered=True),
            "born": pd.to_datetime(["1970-01-02", "1970-01-04", None]),
            "paid": [True, None, False],
        }
    )


KINDS = {"age": "number", "town": "category", "size": "ordered", "born": "date", "paid": "boolean"}
DATA = [[30, 1, 0, 1, 1], [NAN, 0, 2, 3, NAN], [50, NAN, NAN, NAN, 0]]


def test_lists_and_object_arrays_column_by_column():
    rows = [[30.0, "Ulm", True], [None, "Bonn", None], [50, None, False]]
    for X in (rows, np.array(rows, object)):
        made = Reader().fit(X)
        assert made.column_kinds_ == {0: "number", 1: "category", 2: "boolean"}
        np.testing.assert_array_equal(made.data, [[30, 1, 1], [NAN, 0, NAN], [50, NAN, 0]])
        np.testing.assert_array_equal(made.new(rows), made.data)


def test_arrays_of_numbers():
    made = Reader().fit(np.array([[1, 2], [3, 4]]))
    assert (made.column_kinds_, made.n_missing_) == ({0: "number", 1: "number"}, {})
    single = np.array([[1, NAN], [3, 4]], np.float32)
    assert Reader().fit(single).data.dtype == np.float32


def test_types_that_say_the_same_may_change():
    made = Reader().fit(frame())
    new = frame().assign(
        age=[30, 1, 50], size=["S", "L", None], town=pd.Categorical(["Ulm", "Bonn", None])
    )
    np.testing.assert_array_equal(made.new(new)[:, 1:3], np.array(DATA)[:, 1:3])
    nothing = pd.DataFrame({name: [None] for name in KINDS})
    assert np.isnan(made.new(nothing)).all()


def test_unseen_categories_are_named_and_differ_from_all():
    made = Reader().fit(frame())
    new = frame().assign(town=["Kiel", "Ulm", "Jena"])
    with pytest.warns(UserWarning, match="'Kiel'"):
        data = made.new(new)
    assert data[:, 1].tolist() == [-1, 1, -1]
    rho = made.space.semimetric.pairwise(data, made.data)
    known = made.space.semimetric.pairwise(made.new(frame()), made.data)
    assert (rho[0, :2] - known[0, :2]).tolist() == [2, 0]  # 1 / mean ½, and Bonn is no Ulm
    # To a gap: 1 − ½ · ½, and Ulm is at ½ − ½ · ½.
    assert rho[0, 2] - known[0, 2] == pytest.approx((0.75 - 0.25) / 0.5)


def test_a_column_of_gaps_only_says_so_and_contributes_nothing():
    table = frame().assign(none=[None] * 3, nan=[NAN] * 3, cat=pd.Categorical([None] * 3))
    with pytest.warns(UserWarning, match="'none'"):
        made = Reader().fit(table)
    assert [made.column_kinds_[name] for name in ("none", "nan", "cat")] == ["empty"] * 3
    assert made.n_missing_["none"] == 3
    new = made.new(table.assign(none=["x", 3, [1]]))  # not read
    rho = made.space.semimetric.pairwise(new, made.data)
    np.testing.assert_allclose(rho, Reader().fit(frame()).space.semimetric.pairwise(DATA))


def test_rows_of_gaps_only_have_a_distance():
    table = frame().iloc[[0, 1, 2, 0]]
    made = Reader().fit(table.mask(np.arange(4)[:, None] == np.full((1, 5), 3)))
    rho = made.space.semimetric.pairwise(made.data)
    assert np.isfinite(rho).all()
    assert (rho[3, :3] > 0).all()


def test_counts_of_other_metrics():
    table = pd.DataFrame({"a": [1.0, NAN, NAN], "b": [1.0, 2.0, 3.0]})
    assert Reader(Manhattan("distribution")).fit(table).n_missing_ == {"a": 2}
    towns = pd.DataFrame({"a": ["x", None, "y"], "b": ["x", "x", "y"]})
    for missing in ("distribution", "category"):
        assert Reader(Hamming(missing)).fit(towns).n_missing_ == {"a": 1}
    assert Reader(Mixed(missing="category")).fit(towns).n_missing_ == {"a": 1}
    assert not hasattr(Reader(Manhattan()).fit(table[["b"]]), "n_missing_")


def test_names_of_results():
    assert column_keys(2, ["a", "b"]) == ["a", "b"]
    assert column_keys(2, ["a", "a"]) == [0, 1]
    assert column_keys(2, None) == [0, 1]
    X = np.array([[NAN, np.inf, 1], [NAN, -np.inf, NAN]])
    assert missing_counts(X, None) == {0: 2, 2: 1}
