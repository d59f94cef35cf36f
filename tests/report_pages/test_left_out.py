"""Data of which parts of a page have nothing to say: these are left out, and the page says why."""

import warnings

import numpy as np
import pytest
from scipy.sparse import csr_array

from kgroups import KernelKGroups, KernelKMeans
from page_cases import groups, headings, mixed_table, parsed, report_of, without_pictures

ALL = [
    "In short", "How large they are", "What sets each cluster apart", "Typical rows", "The map",
    "Distances", "Do repeated searches agree?", "Could another division be better?",
    "Are the clusters real?", "Uncertain and unusual rows", "How to repeat it", "The labels",
]  # fmt: skip


pytestmark = pytest.mark.usefixtures("undrawn")


def test_nothing_is_left_out_of_a_table(html):
    assert headings(html) == ALL


def test_given_distances_have_no_columns():
    X = groups()
    distances = np.linalg.norm(X[:, None] - X, axis=2)
    html = report_of(distances, metric="precomputed").to_html()
    assert headings(html) == [name for name in ALL if name != "What sets each cluster apart"]
    assert "the given distances" in html


def test_a_table_describes_clusters_of_given_distances():
    X = groups()
    distances = np.linalg.norm(X[:, None] - X, axis=2)
    html = report_of(distances, metric="precomputed", table=X).to_html()
    assert headings(html) == ALL


def test_given_similarities_have_no_separation():
    X = groups() - groups().mean(axis=0)
    html = report_of(X @ X.T, metric="precomputed_kernel").to_html()
    assert "Uncertain and unusual rows" in headings(html)
    assert "How clearly rows belong" not in html


def test_one_cluster():
    html = report_of(groups(), 1).to_html()
    assert "were put into one cluster, as was asked for" in html
    assert "Uncertain and unusual rows" not in headings(html)
    assert "There is one cluster, so there is nothing to tell apart." in html


@pytest.mark.filterwarnings("ignore")
def test_all_rows_alike():
    html = report_of(np.ones((20, 2)), 1).to_html()
    parsed(html)


def test_two_rows():
    html = report_of(np.array([[0.0], [1.0]]), 2).to_html()
    assert "cannot be looked for again" in html


def test_words_and_sparse_rows():
    words = ["cat", "cart", "car", "dog", "dogs", "dig"]
    html = report_of(words, 2, metric="levenshtein").to_html()
    assert "What sets each cluster apart" not in headings(html)
    assert '<td class="words">cart</td>' in html
    X = csr_array(np.kron(np.eye(2), np.ones((6, 3))) + 0.01)
    found = without_pictures(report_of(X, 2, metric="cosine").to_html())
    assert "column 1, column 2 and column 3" in found


def test_a_mixed_table_with_gaps_is_told_in_its_own_units():
    table = mixed_table()
    html = without_pictures(report_of(table, metric="mixed").to_html())
    assert "region is nearly always" in html or "region is mostly" in html
    assert "2020-01-01 on average; all rows 2021-02-04" in html
    assert "missing" in html


def test_weights_labels_and_names():
    X = groups()
    model = KernelKGroups(3, random_state=0).fit(X, sample_weight=np.arange(1, 61.0))
    page = model.report(X, sample_weight=np.arange(1, 61.0), labels_true=np.repeat([0, 1, 2], 20))
    html = page.to_html()
    assert ">weight</th>" in html
    assert "100% of the rows are in the cluster that stands for their class" in html


def test_what_is_not_of_the_fit():
    X = groups()
    model = KernelKMeans(3, random_state=0).fit(X)
    with pytest.raises(ValueError, match="X has 59 rows and the model was fitted on 60"):
        model.report(X[1:])
    with pytest.raises(ValueError, match="ids has 2 rows and the model was fitted on 60"):
        model.report(X, ids=["a", "b"])
    with pytest.raises(ValueError, match="table has 1 rows"):
        model.report(X, table=X[:1])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert model.report(X).title == "3 clusters in the data"
