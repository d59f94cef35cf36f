"""Clusters in a frame: sizes, medoids and every column of what people know."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_array

from kgroups import KernelKGroups
from kgroups.answers.description import Description
from kgroups.exceptions import TheoryWarning
from kgroups.semimetrics import Energy

X = np.array([[0.0], [2.0], [1.0], [10.0], [12.0]])
START = [0, 0, 0, 1, 1]


def test_a_frame_with_other_columns_than_the_fit():
    model = KernelKGroups(2, init=START).fit(X)
    people = pd.DataFrame({"income": X[:, 0] * 1000, "town": list("aabbb"), "cluster": range(5)})
    found = model.describe(people)
    assert isinstance(found, pd.DataFrame)
    assert found.columns.tolist() == [
        "cluster", "size", "share", "medoid", "income", "town", "cluster (2)"
    ]  # fmt: skip
    assert found["size"].tolist() == [3, 2]
    assert found["share"].tolist() == [0.6, 0.4]
    assert found["medoid"].tolist() == [2, 3]
    sd = X.std()
    assert found["income"].to_numpy() == pytest.approx([(1 - 5) / sd, (11 - 5) / sd])
    assert found["town"].tolist() == ["a 67% (40%)", "b 100% (60%)"]


def test_the_library_and_the_weights_of_the_user():
    model = KernelKGroups(2, init=START).fit(X, sample_weight=[1, 1, 2, 2, 2])
    found = model.describe(pl.DataFrame({"x": X[:, 0]}), sample_weight=[1, 1, 2, 2, 2])
    assert isinstance(found, pl.DataFrame)
    assert found["share"].to_list() == [0.5, 0.5]
    assert model.describe(X, names=["x"]).columns.tolist()[-1] == "x"


def test_rows_without_columns():
    rho = Energy().pairwise(X)
    given = KernelKGroups(2, metric="precomputed", init=START).fit(rho)
    assert given.describe(rho).columns.tolist() == ["cluster", "size", "share", "medoid"]
    warnings.simplefilter("ignore", TheoryWarning)
    words = ["cat", "cart", "cats", "dog", "dogs"]
    spelled = KernelKGroups(2, metric="levenshtein", init=START).fit(words)
    assert spelled.describe(words).columns.tolist() == ["cluster", "size", "share", "medoid"]
    rows = csr_array(np.array([[1.0, 0, 3], [2, 0, 3], [1, 0, 3], [0, 5, 3], [0, 7, 3]]))
    sparse = KernelKGroups(2, metric="cosine", init=START).fit(rows)
    assert sparse.describe(rows, names=["apple", "melon", "the"])["heaviest columns"].tolist() == [
        "apple", "melon"
    ]  # fmt: skip


def test_a_sketch_knows_no_medoids():
    rows = np.random.default_rng(0).normal(size=(300, 2))
    model = KernelKGroups(2, method="nystroem", random_state=0).fit(rows)
    assert "medoid" not in model.describe(rows).columns
    assert Description.of(None, np.zeros(2, int), np.ones(2), 1, None).columns() == {
        "cluster": [0], "size": [2], "share": [1.0]
    }  # fmt: skip
