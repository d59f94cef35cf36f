"""Sparse input: every format, bad entries named by their place, and what is said of metrics."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import coo_array, csc_array, csr_array, csr_matrix
from sparse_cases import counts_with_topics, random_rows

from helpers import each
from kgroups import KernelKGroups
from kgroups.input.tables import check_points, filled, has_sparse_rows, is_sparse_frame
from kgroups.semimetrics import Energy, Hamming


def fit(X, **params):
    return KernelKGroups(**{"n_clusters": 3, "random_state": 0, **params}).fit(X)


class Reader(KernelKGroups):
    """What remembers the columns of the fit."""


@each("name", ["csr", "csc", "coo", "lil", "dok", "bsr"])
def test_every_format_gives_the_same_clusters(name):
    table, _ = counts_with_topics(0)
    expected = fit(csr_array(table))
    model = fit(csr_matrix(table).asformat(name))
    assert model.labels_.tolist() == expected.labels_.tolist()
    assert model.n_features_in_ == 40


@pytest.mark.nojit
def test_rows_are_read_into_one_form():
    _table, rows = random_rows(0)
    reader = Reader()
    made = check_points(reader, csc_array(rows.astype(np.float32)), Energy(), reset=True)
    assert isinstance(made, csr_array)
    assert made.dtype == np.float32
    assert has_sparse_rows(reader)
    assert check_points(Reader(), coo_array(rows > 0), Energy(), reset=True).dtype == np.float64


@pytest.mark.nojit
def test_rows_of_zeros_are_points_like_any_other():
    model = fit(csr_array((np.ones(1), (np.array([2]), np.array([1]))), shape=(4, 5)), n_clusters=2)
    assert np.unique(model.labels_, return_counts=True)[1].tolist() == [3, 1]


def test_a_fit_forgets_that_rows_were_sparse():
    table, _ = counts_with_topics(2)
    model = fit(csr_array(table)).fit(table)
    assert not has_sparse_rows(model)
    np.testing.assert_array_equal(model.predict(csr_array(table)), model.labels_)


@pytest.mark.nojit
def test_filling_up_more_than_memory_holds_is_refused():
    with pytest.raises(MemoryError, match="because the fit had a table"):
        filled(csr_array((10**6, 10**9)))


def test_columns_beyond_those_of_a_table():
    """10⁹ columns, of which those with entries are all that counts."""
    table, _ = counts_with_topics(3)
    rows = csr_array(table)
    places = np.sort(np.random.default_rng(0).choice(10**9, 40, replace=False))
    wide = csr_array((rows.data, places[rows.indices], rows.indptr), shape=(60, 10**9))
    for metric in ("energy", "manhattan"):
        narrow = fit(rows, metric=metric)
        model = fit(wide, metric=metric, method="matrix_free", init=narrow.labels_)
        assert model.labels_.tolist() == narrow.labels_.tolist()
        assert model.predict(wide).tolist() == narrow.labels_.tolist()


@pytest.mark.nojit
def test_tags_say_which_metrics_take_sparse_rows():
    def takes(metric):
        return KernelKGroups(metric=metric).__sklearn_tags__().input_tags.sparse

    assert takes("energy")
    assert takes(Hamming())
    assert not takes("jaccard")
    assert not takes("precomputed")
    assert not takes("no such metric")


def test_frames_of_sparse_columns_are_sparse_rows_with_names():
    table, _ = counts_with_topics(5)
    frame = pd.DataFrame.sparse.from_spmatrix(csr_array(table)).add_prefix("word ")
    model = fit(frame)
    assert has_sparse_rows(model)
    assert model.feature_names_in_[3] == "word 3"
    assert model.labels_.tolist() == fit(csr_array(table)).labels_.tolist()
    assert not is_sparse_frame(pd.DataFrame({"a": [1.0, 2.0]}))
    assert not is_sparse_frame(csr_array(np.eye(2)))


@each(("make", "place"), [(csr_array, -1), (csr_array, 10**6), (csc_array, 9)])
@each("metric", ["energy", "cosine"])
def test_entries_outside_of_a_damaged_matrix(make, place, metric):
    X = make(np.ones((6, 5)))
    X.indices[3] = place
    with pytest.raises(ValueError, match="damaged sparse matrix"):
        KernelKGroups(2, metric=metric).fit(X)


def test_a_damaged_indptr():
    X = csr_array(np.ones((6, 5)))
    X.indptr[2] = 100
    with pytest.raises(ValueError, match="indptr must"):
        KernelKGroups(2, metric="energy").fit(X)
