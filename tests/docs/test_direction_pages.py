"""The examples of docs/embeddings.md and docs/sparse-text.md, and their claims without a clock."""

import doctest
import re

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.cluster import KMeans

from benchmarks.rows import embeddings, within
from kgroups import KernelKGroups
from kgroups.fit.plan import Wish, make_plan
from kgroups.names import SEMIMETRICS
from kgroups.select import feature_contributions
from kgroups.semimetrics import Energy, by_name
from pages import blocks, number, page, said, size, table

EMBEDDINGS, TEXT = page("embeddings"), page("sparse-text")
SPARSE = csr_array(np.random.default_rng(0).poisson(0.6, (30, 12)) + np.eye(30, 12))


@pytest.mark.parametrize(("text", "least"), [(EMBEDDINGS, 15), (TEXT, 12)], ids=["rows", "text"])
def test_the_examples(text, least):
    code = "\n".join(blocks(text, "python"))
    example = doctest.DocTestParser().get_doctest(code, {}, "page", None, 0)
    assert len(example.examples) >= least
    assert doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(example).failed == 0


def test_the_pages_begin_with_what_a_user_says():
    assert EMBEDDINGS.startswith("# I have 100,000 sentence embeddings\n")
    assert TEXT.startswith("# I have 200,000 documents as TF-IDF\n")


# --- embeddings --------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_lengths_and_types_of_rows_do_not_matter(dtype):
    X, topic = embeddings(300, 4, 0.5, dtype, n_columns=24)
    fits = [
        KernelKGroups(4, metric="cosine", random_state=0).fit_predict(rows)
        for rows in (X, 4 * X, X.astype(np.float64))
    ]
    for labels in fits:
        np.testing.assert_array_equal(labels, fits[0])
        assert len(set(zip(labels.tolist(), topic.tolist(), strict=True))) == 4


@pytest.mark.parametrize("n", [10**3, 10**6, 10**8])
def test_no_pairs_for_any_number_of_rows(n):
    """Cosine is a squared distance between directions, of as many coordinates as columns."""
    plan = make_plan(Wish(), size(n, columns=768, squared_rank=768), None)
    assert (plan.method, plan.operator) == ("matrix_free", "squared")
    X, _ = embeddings(2100, 3, 2.0, n_columns=8)
    model = KernelKGroups(3, metric="cosine", random_state=0).fit(X)
    assert "need no pairs" in model.method_reason_


def test_a_million_rows_in_float16_take_the_memory_that_the_page_says():
    gigabytes, rows = said(
        EMBEDDINGS, r"whole process ([\d.]+) GB, of which the rows are ([\d.]+) GB"
    )
    assert rows == pytest.approx(1e6 * 768 * 2 / 1e9, abs=0.05)
    assert gigabytes > rows


@pytest.mark.parametrize("seed", range(3))
def test_w_is_half_the_inertia_and_not_above_that_of_kmeans(seed):
    X, _ = embeddings(400, 8, 6.0, np.float64, n_columns=16, seed=seed)
    ours = KernelKGroups(8, metric="cosine", random_state=seed).fit(X)
    theirs = KMeans(8, n_init=10, random_state=seed).fit(X)
    assert ours.within_dispersion_ == pytest.approx(within(X, ours.labels_))
    assert ours.within_dispersion_ <= theirs.inertia_ / 2 * (1 + 1e-9)


# --- sparse text -------------------------------------------------------------------------------


def named():
    """The two cells of the table of metrics, as metrics by their names there."""
    cells = [row[0] for row in table(TEXT, "| metric | pairs of rows |")]
    names = [re.findall(r'`"?([\w()]+)"?`', cell) for cell in cells]
    return [{n: Energy(2) if n == "Energy(2)" else by_name(n) for n in part} for part in names]


def test_the_table_names_the_metrics_that_take_sparse_rows():
    without, by_pairs = named()
    assert {n for n in SEMIMETRICS if by_name(n).takes_sparse} == (
        {*without, *by_pairs} - {"sqeuclidean", "Energy(2)"}
    )
    for name, metric in {**without, **by_pairs}.items():
        if not metric.is_negative_type:
            continue
        model = KernelKGroups(2, metric=metric, random_state=0).fit(SPARSE)
        dense = KernelKGroups(2, metric=metric, random_state=0).fit(SPARSE.toarray())
        assert model.within_dispersion_ == pytest.approx(dense.within_dispersion_), name
        assert ("need no pairs" in model.method_reason_) == (name in without), name


@pytest.mark.filterwarnings("ignore::kgroups.exceptions.TheoryWarning")
@pytest.mark.parametrize("name", SEMIMETRICS)
def test_other_metrics_refuse_sparse_rows(name):
    if not any(name in part for part in named()):
        with pytest.raises(TypeError, match="sparse"):
            KernelKGroups(2, metric=name).fit(SPARSE)


def test_contributions_add_up_and_only_columns_with_entries_are_listed():
    rows = csr_array((SPARSE.data, SPARSE.indices, SPARSE.indptr), shape=(30, 10**6))
    labels = np.arange(30) % 3
    result = feature_contributions(rows, labels, metric="cosine")
    assert result.contributions.sum() == pytest.approx(result.total)
    assert len(result.names) == 12


@pytest.mark.parametrize("metric", ["cosine", "angular"])
def test_a_document_without_words_has_no_direction(metric):
    rows = SPARSE.tolil()
    rows[7] = 0
    with pytest.raises(ValueError, match="row 7 has length zero"):
        KernelKGroups(2, metric=metric).fit(rows.tocsr())
    KernelKGroups(2, metric="energy", random_state=0).fit(rows.tocsr())


def test_the_sentences_follow_from_the_table():
    for row in table(TEXT, "| texts, and their classes |"):
        ours, theirs, reduced = (number(cell) for cell in row[1:])
        assert ours < theirs < reduced
