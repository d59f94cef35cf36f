"""Rows near centers and far from them: brute force over every metric and way of a fit."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_array

from helpers import each
from kgroups import KernelKGroups
from kgroups.answers.centers import key_of, nearest_rows, outlier_scores, weighted_median
from kgroups.exceptions import TheoryWarning
from kgroups.semimetrics import Energy

RNG = np.random.default_rng(0)
X = np.concatenate([RNG.normal(c, 1, (40, 3)) for c in (0, 4, 9)])
WEIGHTS = RNG.integers(1, 4, 120).astype(float)


def brute_force(rho, labels, weights):
    """Squared feature distances of all rows to the centroid of their cluster."""
    found = np.empty(len(labels))
    for j in np.unique(labels):
        own = labels == j
        share = weights * own / weights[own].sum()
        found[own] = (rho @ share - share @ rho @ share / 2)[own]
    return found


@each("metric", ["energy", "sqeuclidean", "manhattan", "cosine", Energy(0.5)])
@each("method", ["auto", "matrix_free"])
def test_medoids_and_exemplars_by_brute_force(metric, method):
    table = X + 20 if metric == "cosine" else X
    model = KernelKGroups(3, metric=metric, method=method, random_state=0)
    model.fit(table, sample_weight=WEIGHTS)
    own = brute_force(np.asarray(model.metric_.pairwise(table)), model.labels_, WEIGHTS)
    for j, rows in enumerate(model.exemplars(4)):
        members = np.flatnonzero(model.labels_ == j)
        assert rows.tolist() == members[np.argsort(own[members])][:4].tolist()
        assert model.medoid_indices_[j] == rows[0]
        usual = np.median(np.repeat(own[members], WEIGHTS[members].astype(int)))
        assert_allclose(model.outlier_scores_[members], own[members] / usual, rtol=1e-6)


@each("kind", ["precomputed", "precomputed_kernel", "sparse"])
def test_given_matrices(kind):
    rho = Energy().pairwise(X)
    gram = rho[:, [0]] + rho[[0]] - rho
    matrix = {"precomputed": rho, "precomputed_kernel": gram / 2, "sparse": csr_array(gram / 2)}[
        kind
    ]
    metric = "precomputed" if kind == "precomputed" else "precomputed_kernel"
    model = KernelKGroups(3, metric=metric, random_state=0).fit(matrix)
    own = brute_force(rho, model.labels_, np.ones(120))
    assert_allclose(model._answers.own, own, rtol=1e-9)
    for j, row in enumerate(model.medoid_indices_.tolist()):
        members = np.flatnonzero(model.labels_ == j)
        assert row == members[np.argmin(own[members])]


def test_objects_and_sparse_rows():
    warnings.simplefilter("ignore", TheoryWarning)
    words = ["cat", "cart", "cats", "dog", "dogs", "dig"]
    model = KernelKGroups(2, metric="levenshtein", random_state=0).fit(words)
    own = brute_force(np.asarray(model.metric_.pairwise(words), float), model.labels_, np.ones(6))
    assert_allclose(model._answers.own, own)
    assert sorted(words[i] for i in model.medoid_indices_) == ["cat", "dog"]
    table = np.where(RNG.random((60, 20)) < 0.3, RNG.random((60, 20)), 0.0)
    for metric in ("energy", "cosine", "sqeuclidean"):
        table[:, 0] += 0.1
        dense = KernelKGroups(3, metric=metric, random_state=0).fit(table)
        sparse = KernelKGroups(3, metric=metric, init=dense.labels_).fit(csr_array(table))
        assert sparse.medoid_indices_.tolist() == dense.medoid_indices_.tolist()
        assert_allclose(sparse.outlier_scores_, dense.outlier_scores_, rtol=1e-6)
        rows = sparse.exemplars(2)
        assert [r.tolist() for r in rows] == [r.tolist() for r in dense.exemplars(2)]


def test_equal_rows_and_rows_without_weight_are_left_out():
    table = np.array([[5.0], [5.0], [5.0], [6.0], [50.0], [51.0], [52.0]])
    model = KernelKGroups(2, random_state=0).fit(table, sample_weight=[1, 1, 1, 1, 1, 0, 1])
    small, large = sorted(model.exemplars(3), key=lambda rows: table[rows[0], 0])
    assert small.tolist() == [0, 3]
    assert large.tolist() == [4, 6]


def test_a_fit_that_keeps_no_rows_takes_them():
    model = KernelKGroups(3, method="nystroem", random_state=0).fit(X)
    exact = KernelKGroups(3, init=model.labels_, max_iter=1).fit(X)
    assert [r[0] for r in model.exemplars(1, X)] == exact.medoid_indices_.tolist()
    assert model.uncertain_rows(0.9, X).size > 0
    for ask, instead in [
        (lambda: model.medoid_indices_, r"exemplars\(1, X\)"),
        (lambda: model.outlier_scores_, r"outlier_scores\(X\)"),
        (model.exemplars, r"exemplars\(n, X\)"),
        (model.uncertain_rows, r"uncertain_rows\(X=X\)"),
    ]:
        with pytest.raises(AttributeError, match=f"needs the rows of the fit.*{instead}"):
            ask()
    with pytest.raises(ValueError, match="the 120 rows of the fit; got 7"):
        model.exemplars(1, X[:7])


def test_outlier_scores_by_hand():
    own, labels = np.array([1.0, 2.0, 4.0, 0.0, 0.0, 3.0]), np.array([0, 0, 0, 1, 1, 1])
    assert outlier_scores(own, labels, 3, np.ones(6)).tolist() == [0.5, 1.0, 2.0, 1.0, 1.0, np.inf]
    heavy = outlier_scores(own, labels, 3, np.array([0.0, 0, 1, 0, 0, 1]))
    assert heavy.tolist() == [0.25, 0.5, 1.0, 0.0, 0.0, 1.0]


@each("seed", range(5))
def test_a_weighted_median_is_that_of_repeated_values(seed):
    rng = np.random.default_rng(seed)
    values, weights = rng.normal(size=9), rng.integers(1, 4, 9)
    assert weighted_median(values, weights.astype(float)) == np.median(np.repeat(values, weights))


def test_repeated_rows_are_usual_for_new_rows_too():
    """98 equal rows: one of the other two is as far as it is, in both answers."""
    rows = np.concatenate([[0.0, 1.0], np.full(98, 2.0), 90 + RNG.normal(size=20)])[:, None]
    model = KernelKGroups(2, random_state=0).fit(rows)
    assert_allclose(model.outlier_scores(rows), model.outlier_scores_, rtol=1e-6)
    assert model.outlier_scores_[0] > 1_000


def test_a_cluster_without_a_row_in_the_sample_is_compared_with_its_mean():
    rows = np.concatenate([RNG.normal(size=2_000), [1e3, 1e3 + 1, 1e3 + 3]])[:, None]
    model = KernelKGroups(2, method="nystroem", init=np.repeat([0, 1], [2_000, 3])).fit(rows)
    small = int(model.labels_[-1])
    model._answers.usual_distances[small] = np.nan  # as if no row of it had been drawn
    found = model.outlier_scores(rows[-3:])
    mean = model.cluster_dispersions_[small] / model.cluster_weights_[small]
    assert_allclose(found, model.transform(rows[-3:])[:, small] ** 2 / mean)


def test_outlier_scores_of_new_rows():
    model = KernelKGroups(3, random_state=0).fit(X)
    assert_allclose(model.outlier_scores(X), model.outlier_scores_, rtol=1e-9)
    assert model.outlier_scores([[100.0, 100, 100]])[0] > 20


def test_uncertain_rows_are_those_of_small_probability():
    model = KernelKGroups(3, random_state=0).fit(X)
    own = model.predict_proba(X)[np.arange(120), model.labels_]
    for below in (0.5, 0.9, 1.0):
        found = model.uncertain_rows(below)
        assert sorted(found) == np.flatnonzero(own < below).tolist()
        assert (np.diff(own[found]) >= 0).all()
    with pytest.raises(ValueError, match="below must be a probability"):
        model.uncertain_rows(3)


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


def test_clusters_without_rows():
    found = nearest_rows(np.ones(2), np.array([0, 0]), 2, 3, np.ones(2, bool), None)
    assert [rows.tolist() for rows in found] == [[0, 1], []]
