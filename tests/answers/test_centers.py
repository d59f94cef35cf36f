"""Rows near centers and far from them: brute force over every metric and way of a fit."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_array

from kgroups import KernelKGroups
from kgroups.answers.centers import key_of, nearest_rows

RNG = np.random.default_rng(0)
X = np.concatenate([RNG.normal(c, 1, (40, 3)) for c in (0, 4, 9)])


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


def test_repeated_rows_are_usual_for_new_rows_too():
    """98 equal rows: one of the other two is as far as it is, in both answers."""
    rows = np.concatenate([[0.0, 1.0], np.full(98, 2.0), 90 + RNG.normal(size=20)])[:, None]
    model = KernelKGroups(2, random_state=0).fit(rows)
    assert_allclose(model.outlier_scores(rows), model.outlier_scores_, rtol=1e-6)
    assert model.outlier_scores_[0] > 1_000


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
