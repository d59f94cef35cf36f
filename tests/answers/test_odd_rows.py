"""Answers about clusters of odd rows: extreme units, copies, no spread, long texts."""

import tracemalloc

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_array
from scipy.special import logsumexp

from helpers import each
from kgroups import KernelKGroups
from kgroups.answers.centers import key_of
from kgroups.answers.characteristic_words import Words, characteristic_words
from kgroups.answers.profiles import profiles
from kgroups.report.exemplars import exemplars
from kgroups.semimetrics import Energy


def gaussians(rng, n, centers):
    """Rows around centers with unit variance, and the true probability of each center."""
    centers = np.asarray(centers, float)
    X = centers[rng.integers(len(centers), size=n)] + rng.normal(size=(n, centers.shape[1]))
    logarithms = -0.5 * ((X[:, None] - centers) ** 2).sum(axis=2)
    return X, np.exp(logarithms - logsumexp(logarithms, axis=1, keepdims=True))


CENTERS = {
    "line": [[0.0], [2.5]],
    "plane": [[0.0, 0.0], [2.0, 0.0], [0.0, 3.0]],
    "space": np.vstack([np.zeros(10), 1.2 * np.eye(10)[:3] * 2]),
}


@pytest.mark.parametrize("values", [2, 3])
def test_labels_of_random_categories_are_as_uncertain_as_those_of_halves(values):
    """Two models of halves agree on little more than half of the rows."""
    sure, same = [], []
    for seed in range(4):
        rng = np.random.default_rng(seed)
        X = rng.integers(0, values, (300, 6))
        model = KernelKGroups(2, metric="hamming", random_state=0)
        sure.append(model.fit(X).predict_proba(X).max(axis=1).mean())
        one, two = (model.fit(half).predict(X) for half in (X[:150], X[150:]))
        same.append(max(np.mean(one == two), np.mean(one != two)))
    assert np.mean(sure) < np.mean(same) + 0.15
    assert np.max(sure) < 0.85


def test_few_rows_and_one_cluster():
    assert KernelKGroups(1, random_state=0).fit([[0.0], [1.0]]).temperature_ == 1.0
    model = KernelKGroups(2, random_state=0).fit([[0.0], [1.0]])
    assert model.predict_proba([[0.1]]).max() > 0.999
    alike = KernelKGroups(2, random_state=0).fit([[0.0]] * 20 + [[1.0]] * 20)
    assert_allclose(alike.predict_proba([[0.0], [1.0]]).max(axis=1), 1.0, atol=1e-6)


@each("size", [1e-170, 1e-20, 1e153, 1e300])
def test_no_unit_of_length_is_too_small_or_too_large(size):
    X, _ = gaussians(np.random.default_rng(0), 60, CENTERS["line"])
    usual = KernelKGroups(2, random_state=0).fit(X)
    model = KernelKGroups(2, random_state=0).fit(X * size)
    assert_allclose(model.predict_proba(X * size), usual.predict_proba(X), rtol=1e-4)
    assert model.temperature_ / size == pytest.approx(usual.temperature_, rel=1e-4)
    rho = Energy().pairwise(X)
    one = KernelKGroups(2, metric="precomputed", random_state=0).fit(rho)
    given = KernelKGroups(2, metric="precomputed", random_state=0).fit(rho * size)
    assert_allclose(given.predict_proba(rho * size), one.predict_proba(rho), rtol=1e-4)


def test_labels_that_are_not_of_the_nearest_centroid_are_told():
    """With an indefinite matrix a row may be better off elsewhere."""
    rng = np.random.default_rng(0)
    A = rng.normal(size=(30, 30))
    model = KernelKGroups(4, metric="precomputed_kernel", random_state=0).fit(A + A.T)
    elsewhere = (model.predict(A + A.T) != model.labels_).sum()
    assert elsewhere > 0
    with pytest.warns(RuntimeWarning, match=f"{elsewhere} of 30 rows"):
        model.predict_proba(A + A.T)


def three_groups():
    """Twenty rows about each of three places."""
    rng = np.random.default_rng(0)
    return np.concatenate([rng.normal(8.0 * j, 1, (20, 2)) for j in range(3)])


@pytest.mark.parametrize("case", ["one row each", "a row far away"])
def test_clusters_without_spread_overflow_nothing(case):
    """Warnings are errors here: of whitened rows some clusters may have no variance at all."""
    X = three_groups()
    if case == "one row each":
        X = X[:50:10]
    else:
        X[0] = 1e9
    model = KernelKGroups(5 if case == "one row each" else 3, random_state=0).fit(X)
    found = model.predict_proba(X)
    assert np.isfinite(model.temperature_)
    assert_allclose(found.sum(axis=1), 1.0)


def test_different_rows_are_looked_for_among_all_members():
    rows = np.concatenate([np.zeros(300), [0.5, 1.0, 1.5], np.full(5, 50.0)])[:, None]
    model = KernelKGroups(2, random_state=0).fit(rows)
    assert [found.tolist() for found in model.exemplars(2)] == [[0, 300], [303]]
    sketch = KernelKGroups(2, method="nystroem", init=model.labels_).fit(rows)
    weights = np.ones(308)
    weights[0] = 0
    found = sketch.exemplars(2, rows, sample_weight=weights)
    assert [rows.tolist() for rows in found] == [[1, 300], [303]]


def test_keys_of_rows():
    assert key_of(np.array([[0.0], [-0.0]]), 0) == key_of(np.array([[0.0], [-0.0]]), 1)
    long = [np.arange(2_000.0), np.arange(2_000.0)]
    long[1][1_000] = -7  # where NumPy prints three dots
    assert key_of(long, 0) != key_of(long, 1)
    near = [np.array([9.0, 9.0]), np.array([9.0, 9.0 + 1e-9])]
    assert key_of(near, 0) != key_of(near, 1)
    assert key_of([frozenset({0, 8}), frozenset({8, 0})], 0) == frozenset({0, 8})
    assert key_of(np.array([[1.0], [1.0]]), 0) == key_of(np.array([[1.0], [1.0]]), 1)
    rows = csr_array(np.array([[0.0, 1], [1, 0], [0, 1]]))
    assert key_of(rows, 0) == key_of(rows, 2) != key_of(rows, 1)
    assert key_of(["a", "b", "a"], 0) == key_of(["a", "b", "a"], 2)


LABELS = np.array([0, 0, 1, 1])


def test_columns_that_say_nothing():
    table = np.column_stack([np.ones(4), np.full(4, np.nan), [1e300, -1e300, 1e300, 1e300]])
    constant, empty, huge = profiles(table, LABELS, 2).columns
    assert constant.values.tolist() == [0.0, 0.0]
    assert constant.explained == 0.0
    assert np.isnan(empty.mean_of_all)
    assert empty.values.tolist() == [0.0, 0.0]
    assert empty.explained == 0.0
    assert huge.mean_of_all == pytest.approx(5e299)
    assert_allclose(huge.values, [-1 / 3**0.5, 1 / 3**0.5])


def test_names_that_are_not_text():
    table = pd.DataFrame(np.eye(4), columns=["a", "b", 3, np.nan])
    assert [c.name for c in profiles(table, LABELS, 2).columns] == ["a", "b", "3", "nan"]
    assert [c.name for c in profiles(np.eye(4), LABELS, 2).columns] == ["0", "1", "2", "3"]
    assert profiles(np.eye(4)[:, :1], LABELS, 2, names=["x"]).columns[0].name == "x"


def test_one_long_text_does_not_make_all_others_long():
    table = pd.DataFrame({"a": ["b"] * 20_000})
    table.loc[7, "a"] = "long" * 25_000
    tracemalloc.start()
    (column,) = profiles(table, np.arange(20_000) % 2, 2).columns
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert column.categories[0] == "b"
    assert most < 20e6  # and not 20,000 times 400 kB


pytestmark = pytest.mark.nojit


def test_ties_go_to_the_first_column_and_wide_rows_take_no_memory():
    columns = np.array([10**11, 5, 10**12 - 1, 7])
    rows = csr_array((np.ones(4), columns, np.array([0, 2, 4])), shape=(2, 10**12))
    found = characteristic_words(Words(rows, str), np.array([0, 1]), np.ones(2), 2)
    assert [one.word for one in found[0]] == ["5", str(10**11)]


def test_large_clusters_are_sampled():
    asked = []

    class Counting(Energy):
        def pairwise(self, X, Y=None):
            asked.append(len(X))
            return super().pairwise(np.asarray(X))

    items = [[float(i)] for i in range(1001)]
    texts = [str(i) for i in range(1001)]
    (found,) = exemplars(Counting(), items, texts, np.zeros(1001, int), np.ones(1001), 1)
    assert asked == [200]
    assert abs(int(found[0].text) - 500) < 5
