"""What speaks for clusters, on samples of the rows."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array

from helpers import each
from kgroups import KernelKGroups
from kgroups.pages import cluster_evidence
from kgroups.pages.cluster_evidence import Evidence, are_objects, part_of, sampled, some_rows
from page_cases import groups


def evidence(X, k=3, seed=0, **options):
    return Evidence.of(KernelKGroups(k, random_state=0, **options).fit(X), X, seed)


def test_clear_groups_are_apart_and_come_back():
    found = evidence(groups())
    assert (found.n_rows, found.n_given) == (60, 60)
    assert found.reasons == ()
    assert found.n_apart == found.n_neighbors >= 2
    np.testing.assert_allclose(found.stability.jaccard, 1.0)


def test_a_lump_has_no_gap():
    found = evidence(np.random.default_rng(0).normal(size=(200, 2)), 2)
    assert (found.n_apart, found.n_neighbors) == (0, 1)
    assert found.stability.jaccard.min() < 0.95


def test_samples_are_drawn_by_the_seed_and_said(monkeypatch):
    monkeypatch.setattr(cluster_evidence, "MAX_ROWS", 50)
    X = groups(300)
    found = evidence(X)
    assert (found.n_rows, found.n_given) == (50, 300)
    again = evidence(X)
    assert found.stability.jaccard.tolist() == again.stability.jaccard.tolist()
    assert found.significance.n_samples == 50


@each("n", [10, 50, 1_000])
def test_sampled(n):
    rows = sampled(n, 50, 0)
    assert len(rows) == min(n, 50)
    assert np.all(np.diff(rows) > 0)
    assert rows.tolist() == sampled(n, 50, 0).tolist()
    assert n <= 50 or rows.tolist() != sampled(n, 50, 1).tolist()


def test_some_rows_of_anything():
    rows, X = np.array([2, 0]), groups(6)
    assert some_rows(X, rows).tolist() == X[rows].tolist()
    assert some_rows(csr_array(X), rows).toarray().tolist() == X[rows].tolist()
    assert some_rows(pd.DataFrame(X), rows).to_numpy().tolist() == X[rows].tolist()
    assert some_rows(["a", "b", "c"], rows) == ["c", "a"]


def test_polars_frames():
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame({"a": [1.0, 2.0, 3.0]})
    assert some_rows(frame, np.array([2, 0]))["a"].to_list() == [3.0, 1.0]


def test_parts_of_a_matrix_have_their_columns_alone():
    X = groups(30)
    rho = np.linalg.norm(X[:, None] - X, axis=2)
    model = KernelKGroups(3, metric="precomputed", random_state=0).fit(rho)
    rows = np.array([0, 10, 20])
    np.testing.assert_array_equal(part_of(model, rho, rows), rho[np.ix_(rows, rows)])
    np.testing.assert_array_equal(
        part_of(model, csr_array(rho), rows).toarray(), rho[np.ix_(rows, rows)]
    )
    assert part_of(model, rho, np.arange(30)) is rho


def test_objects_are_not_rows_of_numbers():
    assert are_objects(["a", "b"])
    assert are_objects([[1, 2], [3]])
    assert not are_objects(groups(6))
    assert not are_objects(pd.DataFrame(groups(6)))
    assert not are_objects(csr_array(groups(6)))


@each(
    ("X", "k"),
    [
        (groups(), 1),
        (groups(200, 100), 100),
        (np.array([[0.0], [0.1], [0.2], [9.0]]), 2),
        (np.array([[0.0], [0.1], [9.0], [9.1]]), 2),
    ],
)
def test_what_cannot_be_examined_has_a_reason(X, k):
    found = evidence(X, k)
    assert found.stability is None
    assert found.significance is None
    assert len(found.reasons) >= 1


def test_gaps_between_many_clusters_are_not_tested():
    found = evidence(groups(160, 16), 16)
    assert found.significance is None
    assert found.stability.jaccard.shape == (16,)
