"""Contributions of columns of sparse rows: those of the dense table, and by name."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.feature_extraction.text import CountVectorizer
from sparse_cases import SEMIMETRICS, counts_with_topics, random_rows

from helpers import each
from kgroups.select import feature_contributions
from kgroups.select.sparse_column_sums import occurring
from kgroups.semimetrics import Gaussian, Manhattan


@pytest.mark.nojit
@pytest.mark.filterwarnings("ignore::kgroups.exceptions.TheoryWarning")
@each("semimetric", SEMIMETRICS, ids=repr)
def test_contributions_are_those_of_the_dense_table(semimetric):
    table, rows = random_rows(0, n=24, n_columns=9, share=0.3)
    rng = np.random.default_rng(0)
    labels, weights = rng.integers(3, size=24), rng.uniform(size=24)
    weights[3] = 0
    dense = feature_contributions(table, labels, metric=semimetric, sample_weight=weights)
    made = feature_contributions(rows, labels, metric=semimetric, sample_weight=weights)
    scale = np.abs(dense.contributions).max()
    np.testing.assert_allclose(made.contributions, dense.contributions, atol=1e-12 * scale)
    np.testing.assert_allclose(made.by_cluster, dense.by_cluster, atol=1e-12 * scale)
    np.testing.assert_allclose(made.explained, dense.explained, atol=1e-11)
    assert made.total == pytest.approx(dense.total, rel=1e-10)
    assert made.names == dense.names


def test_more_rows_than_one_tile():
    table, rows = random_rows(1, n=2_300, n_columns=12, share=0.2)
    labels = np.random.default_rng(0).integers(4, size=2_300)
    dense = feature_contributions(table, labels)
    made = feature_contributions(rows, labels)
    np.testing.assert_allclose(made.contributions, dense.contributions, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(made.explained, dense.explained, rtol=1e-9)


@pytest.mark.nojit
def test_by_hand():
    """Each column of |x − y| counts by itself: S of column 2 is that of the numbers 0, 0, 8, 8."""
    rows = csr_array([[0.0, 0.0, 0.0], [3.0, 0.0, 0.0], [0.0, 0.0, 8.0], [3.0, 0.0, 8.0]])
    found = feature_contributions(rows, [0, 0, 1, 1], metric=Manhattan())
    assert found.names == ("column 0", "column 2")
    assert found.contributions.tolist() == [0.0, 8.0]
    assert found.explained.tolist() == [0.0, 1.0]


@pytest.mark.nojit
def test_names_of_a_vectorizer():
    texts = ["pear plum pear", "plum plum", "saw drill", "drill drill saw saw"]
    vectorizer = CountVectorizer()
    rows = vectorizer.fit_transform(texts)
    names = vectorizer.get_feature_names_out()
    found = feature_contributions(rows, [0, 0, 1, 1], names=names)
    assert set(found.names) == {"pear", "plum", "saw", "drill"}
    assert "drill" in found.to_text()
    with pytest.raises(ValueError, match="names holds 3 names, and X has 4 columns"):
        feature_contributions(rows, [0, 0, 1, 1], names=names[:3])


@pytest.mark.nojit
def test_names_of_a_dense_table():
    found = feature_contributions([[0.0, 1.0], [3.0, 1.0]], [0, 1], names=["a", "b"])
    assert found.names == ("a", "b")


@pytest.mark.nojit
def test_contributions_add_up_however_many_columns_there_are():
    table, topic = counts_with_topics(0)
    rows = csr_array(table)
    places = np.arange(40) * 25_000_001
    wide = csr_array((rows.data, places[rows.indices], rows.indptr), shape=(60, 10**9))
    narrow = feature_contributions(rows, topic, metric=Gaussian(2.0))
    found = feature_contributions(wide, topic, metric=Gaussian(2.0))
    np.testing.assert_allclose(found.contributions, narrow.contributions)
    assert found.names[1] == "column 25000001"


@pytest.mark.nojit
def test_only_columns_with_entries():
    kept, columns = occurring(csr_array([[0.0, 2.0, 0.0, 0.0], [0.0, 0.0, 0.0, 3.0]]))
    assert columns.tolist() == [1, 3]
    assert kept.toarray().tolist() == [[2.0, 0.0], [0.0, 3.0]]
