"""Tables in memory: what a fit takes them for, and new rows after it."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.utils import get_tags

import oracle
from helpers import each, warnings_of
from kgroups import KernelKGroups, blocks
from kgroups.exceptions import LookalikeWarning
from kgroups.semimetrics import ColumnSum, Energy, Hamming
from kgroups.stats import disco

RNG = np.random.default_rng(0)
X = np.round(RNG.normal(size=(24, 3)) + 3 * np.eye(3)[np.arange(24) % 3], 2)
NAMES = ["a", "b", "c"]
FRAME = pd.DataFrame(X, columns=NAMES)


def fitted(rows=X, k=3, weights=None, **parameters):
    return KernelKGroups(k, random_state=0, **parameters).fit(rows, sample_weight=weights)


# --- tables --------------------------------------------------------------------------------------


@each("metric", ["energy", "sqeuclidean", "minkowski", "cosine"])
def test_float32_where_squares_are_no_floats(metric):
    for size in (1e-30, 1e25):
        rows = (X * size).astype(np.float32)
        small, wide = fitted(rows, metric=metric), fitted(rows.astype(np.float64), metric=metric)
        assert small.labels_.tolist() == wide.labels_.tolist()
        assert small.within_dispersion_ == pytest.approx(wide.within_dispersion_, rel=1e-6)


def test_new_rows_may_be_dense_or_sparse():
    dense = np.where(np.abs(X) > 1, X, 0.0)
    a, b = fitted(dense), fitted(sparse.csr_array(dense))
    assert a.within_dispersion_ == pytest.approx(b.within_dispersion_, rel=1e-12)
    for model in (a, b):
        expected = a.transform(dense[:9])
        for made in (np.asarray, sparse.csr_array, sparse.csc_array):
            assert_allclose(model.transform(made(dense[:9])), expected, rtol=1e-9, atol=1e-9)
    # Entries that are stored twice are added, in any order of the columns.
    i, j = np.nonzero(dense)
    i, j, values = np.r_[i, i][::-1], np.r_[j, j][::-1], np.r_[dense[i, j], dense[i, j]] / 2
    order = np.argsort(i, kind="stable")
    starts = np.r_[0, np.cumsum(np.bincount(i, minlength=24))]
    twice = sparse.csr_array((values[::-1][order], j[order], starts), shape=dense.shape)
    assert_allclose(twice.toarray(), dense)
    assert fitted(twice).within_dispersion_ == pytest.approx(a.within_dispersion_, rel=1e-12)
    with pytest.raises(ValueError, match="NaN"):
        b.predict([[np.nan, 1.0, 2.0]])


def test_rows_that_differ_are_counted():
    """Both zeros are one number; copies and rows without weight do not count."""
    for made in (np.asarray, sparse.csr_array, blocks.from_array):
        with pytest.raises(ValueError, match="distinct"):
            fitted(made(np.array([[0.0, 1.0], [-0.0, 1.0]] * 3)), 2)
        with pytest.raises(ValueError, match="distinct"):
            fitted(made(np.array([[0.0], [1.0], [2.0]])), 3, weights=[1, 1, 0])
        assert fitted(made(np.array([[0.0, 1.0], [0.0, 2.0]])), 2).labels_.tolist() in (
            [0, 1], [1, 0]
        )  # fmt: skip


def test_a_metric_that_chooses_columns_finds_them_by_name():
    metric = ColumnSum([(Energy(), ["a", "b"]), (Hamming(), ["town"])])
    towns = np.array(["Ulm", "Bonn", "Köln", "nan"])[np.arange(24) % 4]
    frame = FRAME.assign(town=towns, note="text that is not read")
    model = fitted(frame, metric=metric)
    rho = Energy().pairwise(X[:, :2]) + (towns[:, None] != towns)
    W = oracle.within_dispersion(rho, model.labels_, np.ones(24), 3)
    assert model.within_dispersion_ == pytest.approx(float(W), rel=1e-12)
    new = frame[["note", "town", "c", "b", "a"]]
    assert model.predict(new).tolist() == model.labels_.tolist()
    strange = frame.assign(town="Rom")
    cross = Energy().pairwise(X[:, :2]) + 1.0
    expected = oracle.transform(cross, rho, model.labels_, np.ones(24), 3).astype(float)
    assert_allclose(model.transform(strange), expected, rtol=1e-9)
    with pytest.raises(ValueError, match="'b'"):
        model.predict(frame.drop(columns="b"))


def test_what_is_done_to_a_metric_later_does_not_reach_a_fit():
    metric = Energy(0.5)
    model = fitted(metric=metric)
    before = model.transform(X)
    metric.set_params(alpha=1.5)
    assert (model.transform(X) == before).all()


def test_a_second_fit_forgets_the_columns_of_the_first():
    model = fitted(FRAME)
    assert model.feature_names_in_.tolist() == NAMES
    model.fit(X[:, :2])
    assert not hasattr(model, "feature_names_in_")
    assert model.n_features_in_ == 2
    model = fitted(FRAME.assign(d=list("ab") * 12), metric="mixed")
    assert model.column_kinds_ == {"a": "number", "b": "number", "c": "number", "d": "category"}
    assert not hasattr(model.set_params(metric="energy").fit(X), "column_kinds_")


CODES = {
    "large numbers": [2**53, 2**53 + 1, 2**53, 2**53 + 1, 5, 5],
    "zeros in front": ["07", "7", "07", "7", "x", "x"],
    "the word nan": ["nan", "None", "nan", "None", "NA", "NA"],
    "dates": [*pd.to_datetime(["2024-01-01", "2024-01-02"] * 2 + ["2025-01-01"] * 2)],
}


@each("name", CODES)
def test_categories_are_compared_as_they_are(name):
    frame = pd.DataFrame({"code": CODES[name], "other": [1, 1, 1, 1, 2, 2]})
    model = KernelKGroups(3, metric="hamming", init=[0, 1, 0, 1, 2, 2]).fit(frame)
    assert model.within_dispersion_ == 0
    assert model.labels_.tolist() == [0, 1, 0, 1, 2, 2]
    assert model.predict(frame).tolist() == [0, 1, 0, 1, 2, 2]


def test_gaps_as_a_category_of_their_own():
    for gap in (None, np.nan, pd.NA):
        frame = pd.DataFrame({"a": ["x", gap, "x", gap, "y", "y"], "b": [1, 1, 1, 1, 2, 2]})
        model = KernelKGroups(3, metric=Hamming(missing="category"), init=[0, 1, 0, 1, 2, 2])
        assert model.fit(frame).within_dispersion_ == 0
        assert model.n_missing_ == {"a": 2}
    tags = [get_tags(KernelKGroups(metric=m)).input_tags.allow_nan for m in ("mixed", "energy")]
    assert tags == [True, False]


# --- what rows look like, labels and weights ------------------------------------------------------

#: Name and numbers of a column → whether it looks like one that names or counts rows.
IDENTIFIERS = {
    "zip code": ([10115.0, 80331, 10115, 80331, 50667, 10115], True),
    "age": ([8.0, 5, 9, 8, 5, 9], False),
    "x": ([7.0, 8, 9, 10, 11, 12], True),
    "gap": ([7.0, 8, 9, 10, 11, 13], False),
    "shuffled": ([*range(1, 13)][::-2] + [*range(1, 13)][::2], True),
    "with holes": ([*range(0, 36, 3)], False),
    "account": ([*(20_000_000 + 9_876 * np.arange(12))], True),
    "amount": ([*(2_000_000 + 9_876 * np.arange(12))], False),
    "article no": ([*(2_000 + 97 * np.arange(12))], True),
    "height": ([1.5, 1.6, 1.7, 1.8, 1.9, 2.0], False),
    "id of nothing": ([3.0, 3, 3, 3, 3, 3], False),
}


@each("name", IDENTIFIERS)
def test_columns_that_name_rows(name):
    numbers, looks_so = IDENTIFIERS[name]
    frame = pd.DataFrame(
        {name: np.asarray(numbers, float), "value": np.sqrt(np.arange(len(numbers)))}
    )
    categories = warnings_of(lambda: fitted(frame, 2))
    assert (LookalikeWarning in categories) == looks_so


def test_dates_and_categories_that_count_are_no_numbers_of_rows():
    days = pd.date_range("2024-01-01", periods=12)
    frame = pd.DataFrame({"day": days, "code": list("abcdefghijaa"), "x": np.sqrt(np.arange(12))})
    assert warnings_of(lambda: fitted(frame, metric="mixed")) == set()
    assert warnings_of(lambda: fitted(frame.assign(n=range(12)), metric="mixed")) == {
        LookalikeWarning
    }


def test_labels_of_groups_are_of_one_kind():
    groups = ["10", "9", "10"] * 8
    assert disco(X, groups).statistic == disco(X, np.array([10, 9, 10] * 8)).statistic
    with pytest.raises(ValueError, match="one kind"):
        disco(X, ["a", 1, "a"] * 8)
    with pytest.raises(ValueError, match="row 1"):
        disco(X, [1.0, np.nan, 2.0] * 8)


@each(
    "parameters",
    [{"init": [0, 1, 2, 3] * 6}, {"tol": np.inf}, {"n_init": True}, {"max_iter": 1.0},
     {"init": [0, -1, 2, 1] * 6}, {"k": True}],
)  # fmt: skip
def test_parameters_that_are_almost_right(parameters):
    with pytest.raises(ValueError, match=next(iter(parameters)).replace("k", "n_clusters")):
        fitted(**parameters)


def test_rows_in_blocks_are_checked_like_others():
    """What is wrong is found where it is, also behind the first block."""
    n = 70_000
    rows = np.arange(2.0 * n).reshape(n, 2)
    rows[69_999, 1] = np.nan
    with pytest.raises(ValueError, match=r"NaN in row 69999"):
        fitted(blocks.from_array(rows), 2)
    same = np.where(np.arange(n) % 2, 0.0, -0.0)[:, None]
    with pytest.raises(ValueError, match="distinct"):
        fitted(blocks.from_array(same), 2)
    large = np.arange(1.0 * n)[:, None]
    large[66_000] = -1e300
    with pytest.raises(ValueError, match=r"1e\+300"):
        fitted(blocks.from_array(large), 2)
    for weight, word in ((-1.0, "negative"), (np.inf, "infinity")):
        w = np.ones(n)
        w[66_000] = weight
        with pytest.raises(ValueError, match=f"{word}.*row 66000"):
            fitted(blocks.from_array(np.zeros((n, 1))), 2, weights=w)
