"""Whole fits of sparse rows: W and labels of the dense rows, for all ways of a fit."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline
from sparse_cases import counts_with_topics

from cells import cells
from kgroups import KernelKGroups
from kgroups.bounds import spectral_bound
from kgroups.fit.plan import size_of
from kgroups.input.spaces import space_for
from kgroups.metrics import same_partition
from kgroups.select import choose_n_clusters
from kgroups.semimetrics import Energy, Gaussian, Laplacian, Manhattan
from kgroups.stats import energy_distance, energy_test, within_dispersion

METRICS = [Energy(0.5), Energy(1), Energy(1.5), Manhattan(), Laplacian(2.0), Gaussian(3.0)]


@cells("seed", range(36))
def test_w_and_labels_are_those_of_the_dense_rows(seed):
    """From the same labels; half of the problems have weights."""
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(10, 60)), int(rng.integers(2, 6))
    table = np.where(rng.random((n, 30)) < rng.uniform(0.05, 0.5), rng.normal(size=(n, 30)), 0.0)
    weights = rng.uniform(size=n) if seed % 2 else None
    start = rng.permutation(np.arange(n) % k)
    metric = METRICS[seed % len(METRICS)]
    method = ("dense", "matrix_free")[seed // 2 % 2]
    dense, sparse = (
        KernelKGroups(k, metric=metric, init=start, method=method, n_jobs=1).fit(
            X, sample_weight=weights
        )
        for X in (table, csr_array(table))
    )
    assert sparse.within_dispersion_ == pytest.approx(dense.within_dispersion_, rel=1e-9)
    assert sparse.labels_.tolist() == dense.labels_.tolist()
    assert sparse.predict(csr_array(table)).tolist() == sparse.labels_.tolist()


@cells("init", ["euclidean-k-means++", "spectral", "random"])
def test_starts(init):
    table, _ = counts_with_topics(1)
    dense, sparse = (
        KernelKGroups(3, init=init, random_state=0, n_init=5).fit(X)
        for X in (table, csr_array(table))
    )
    assert sparse.within_dispersion_ == pytest.approx(dense.within_dispersion_, rel=1e-9)


def test_a_function_gets_the_rows_that_were_given():
    table, topic = counts_with_topics(2)
    rows = csr_array(table)

    def topics(X, k, rng):
        assert X is rows
        return topic

    found = KernelKGroups(3, init=topics).fit(rows)
    assert same_partition(found.labels_, KernelKGroups(3, init=topic).fit(table).labels_)


def test_means_are_what_k_means_calls_centers():
    table, topic = counts_with_topics(3)
    model = KernelKGroups(3, metric=Energy(2), init=topic).fit(csr_array(table))
    means = [table[model.labels_ == j].mean(axis=0) for j in range(3)]
    np.testing.assert_allclose(model.cluster_centers_, means)


def test_text_in_a_pipeline():
    fruit = ["apple pear plum", "pear plum cherry", "apple cherry", "plum apple pear"]
    tools = ["hammer nail saw", "saw drill nail", "hammer drill", "nail hammer saw"]
    for metric in ("energy", "cosine", "angular"):
        model = make_pipeline(TfidfVectorizer(), KernelKGroups(2, metric=metric, random_state=0))
        labels = model.fit_predict(fruit + tools)
        assert same_partition(labels, [0] * 4 + [1] * 4)
        assert model.predict(["pear cherry", "drill saw"]).tolist() == [labels[0], labels[4]]


def test_statistics_and_bounds_are_those_of_the_dense_rows():
    table, topic = counts_with_topics(6)
    rows = csr_array(table)
    for metric in ("energy", Energy(2), "manhattan"):
        expected = energy_distance(table[topic == 0], table[topic == 1], metric=metric)
        made = energy_distance(rows[topic == 0], rows[topic == 1], metric=metric)
        assert made == pytest.approx(expected, rel=1e-9)
        mixed = energy_distance(rows[topic == 0], table[topic == 1], metric=metric)
        assert mixed == pytest.approx(expected, rel=1e-9)
        made = within_dispersion(rows, topic, metric=metric)
        assert made == pytest.approx(within_dispersion(table, topic, metric=metric), rel=1e-9)
    parts = [rows[topic == j] for j in range(2)]
    dense = [table[topic == j] for j in range(2)]
    assert energy_test(*parts, random_state=0).pvalue == energy_test(*dense, random_state=0).pvalue
    assert spectral_bound(rows, 3) == pytest.approx(spectral_bound(table, 3), rel=1e-9)


def test_the_number_of_clusters():
    table, _ = counts_with_topics(9, n=90)
    found = choose_n_clusters(csr_array(table), range(1, 6), random_state=0)
    assert found.n_clusters == 3


def test_what_a_plan_counts():
    """Entries instead of columns, and the columns that two rows share."""
    rows = csr_array(np.array([[1.0, 1.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 1.0]]))
    size = size_of(space_for("energy"), rows, 2, 1)
    assert size.n_columns == 2
    assert size.n_shared == pytest.approx((4 + 1 + 1 + 1) / 9)
    assert size.matrix_free_bytes(2) < 10_000_000
