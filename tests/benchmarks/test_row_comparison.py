"""What the benchmark of rows draws, and how it judges."""

import numpy as np
import pytest

from benchmarks.rows import Figure, documents, embeddings, people, within
from kgroups import KernelKGroups


def test_drawn_embeddings_are_unit_rows_around_directions():
    X, labels = embeddings(60, 3, 0.5, n_columns=20)
    assert X.dtype == np.float16
    assert np.linalg.norm(X.astype(float), axis=1) == pytest.approx(1, abs=2e-3)
    same = labels[:, None] == labels
    cosines = X.astype(float) @ X.astype(float).T
    assert cosines[same].mean() == pytest.approx(0.8, abs=0.1)  # 1 / (1 + noise²)
    assert cosines[~same].mean() == pytest.approx(0, abs=0.2)


def test_drawn_documents_are_unit_rows():
    rows, _ = documents(40, 2)
    assert np.sqrt((rows * rows).sum(axis=1)) == pytest.approx(1)
    assert (rows.shape, rows.nnz <= 40 * 50) == ((40, 50_000), True)


def test_drawn_people_have_gaps_in_all_columns():
    table, _ = people(400, 3, 0.2)
    assert table.shape == (400, 10)
    assert (abs(table.isna().mean() - 0.2) < 0.08).all()
    assert not people(50, 3, 0.0)[0].isna().to_numpy().any()


def test_within_is_what_a_fit_reports():
    X, _ = embeddings(50, 3, 1.0, np.float64, n_columns=10)
    model = KernelKGroups(3, metric="cosine", random_state=0).fit(X)
    assert within(X, model.labels_) == pytest.approx(model.within_dispersion_)


def test_figures():
    assert Figure("seconds", 2.0, 2.0).is_met
    assert Figure("seconds", 2.1, 2.0).verdict == "MISSED"
