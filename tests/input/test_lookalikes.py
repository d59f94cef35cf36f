"""What looks like something else: what becomes of it, and where no warning is due."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_array
from scipy.spatial.distance import pdist, squareform

from helpers import each
from kgroups import EnergyAgglomerative, KernelKGroups, KernelKMeans
from kgroups.exceptions import LookalikeWarning
from kgroups.semimetrics import ColumnSum, Energy, Hamming

X = np.random.default_rng(0).normal(size=(12, 3))
ESTIMATORS = pytest.mark.parametrize(
    "kind", [KernelKGroups, KernelKMeans, EnergyAgglomerative], ids=lambda kind: kind.__name__
)


def fit(X, metric="energy", kind=KernelKGroups, **weights):
    return kind(2, metric=metric).fit(X, **weights)


@each(
    "table",
    [X, X @ X.T, np.ones((4, 4)), np.zeros((5, 5)), squareform(pdist(X))[:, :-1], np.eye(4) - 1],
)
def test_other_square_tables_are_rows(table):
    KernelKGroups(1).fit(table)  # warnings are errors here


@each("dtype", [np.float64, np.float32])
def test_a_matrix_of_distances_given_as_similarities(dtype):
    """The two pairs that are closest are torn apart, as the most similar ones would not be."""
    rho = squareform(pdist(np.array([[0.0], [1], [10], [11]]))).astype(dtype)
    with pytest.warns(LookalikeWarning):
        torn = fit(rho, "precomputed_kernel").labels_
    kept = fit(rho, "precomputed").labels_  # warnings are errors here
    assert torn[0] != torn[1]
    assert kept[0] == kept[1]
    for gram in (-rho, rho + np.eye(4, dtype=dtype), rho.max() - rho, csr_array(rho)):
        fit(gram, "precomputed_kernel")


@ESTIMATORS
def test_a_masked_array(kind):
    masked = np.ma.masked_array(X, np.zeros(X.shape, bool))
    expected = fit(X, kind=kind).labels_
    np.testing.assert_array_equal(fit(masked, kind=kind).labels_, expected)


def letters_apart(a, b):
    return len(set(a) ^ set(b))


WORDS = ["cat", "act", "tac", "dog", "god", "dg"]


@each(
    "given",
    [
        pd.DataFrame({"word": WORDS}),
        pl.DataFrame({"word": WORDS}),
        pd.DataFrame({"word": WORDS}, dtype="string"),
        np.array(WORDS).reshape(-1, 1),
        np.array(WORDS, object).reshape(-1, 1),
        pd.Series(WORDS),
        pl.Series(WORDS),
    ],
)
def test_one_column_of_text_is_a_list_of_words_for_a_function(given):
    expected = fit(WORDS, letters_apart)
    assert expected.within_dispersion_ == pytest.approx(2 / 3)  # by hand: (1 + 1)/3
    model = fit(given, letters_apart)
    np.testing.assert_array_equal(model.labels_, expected.labels_)
    np.testing.assert_array_equal(model.predict(given), model.labels_)


def cosine_distance(a, b):
    return 1 - a @ b / (np.linalg.norm(a) * np.linalg.norm(b))


def test_a_function_whose_distances_are_rounded():
    """ρ(x, x) is 1e-16 here and there; the labels are those of the clean matrix."""
    model = fit(X, cosine_distance)
    rows = X / np.linalg.norm(X, axis=1, keepdims=True)
    rho = squareform(pdist(rows, "sqeuclidean")) / 2
    assert max(cosine_distance(x, x) for x in X) > 0
    np.testing.assert_array_equal(fit(rho, "precomputed").labels_, model.labels_)
    np.testing.assert_array_equal(model.predict(X), model.labels_)


CITIES = np.array(
    [[52.5, 13.4], [48.9, 2.4], [40.7, -74.0], [-33.9, 151.2], [35.7, 139.7], [-1.3, 36.8]]
)


def places(X, metric="great_circle", names=None):
    table = X if names is None else pd.DataFrame(X, columns=names)
    return KernelKGroups(2, metric=metric, random_state=0).fit(table)


def test_radians_given_as_degrees():
    radians = np.radians(CITIES)
    expected = places(CITIES).labels_  # warnings are errors here
    np.testing.assert_array_equal(places(radians, "haversine").labels_, expected)
    with pytest.warns(LookalikeWarning):
        places(radians)
    places(radians[:4])  # too few to tell
    places(radians / 20)  # all within 0.2 of 0, 0
    places(radians + np.array([0.0, 2.0]))  # beyond the longitudes of radians


def test_codes_of_categories_are_not_row_numbers():
    months = pd.period_range("2020-01", periods=12, freq="M")
    frame = pd.DataFrame({"month": months, "name": [f"{i:02}" for i in range(12)], "x": X[:, 0]})
    mixed = ColumnSum([(Hamming(), ["month", "name"]), (Energy(), ["x"])])
    for metric in ("hamming", mixed):
        KernelKGroups(2, metric=metric, random_state=0).fit(frame)  # warnings are errors here
