"""Whole fits by cosine: rows of every type, in every way, against the definition."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.spatial.distance import cdist

from helpers import each
from kgroups import KernelKGroups
from kgroups.fit import plan
from kgroups.sketch import sampled_starts


def directions(n=120, d=60, dtype=np.float64, seed=0):
    """Rows of any length around four directions."""
    rng = np.random.default_rng(seed)
    X = 2 * rng.normal(size=(4, d))[rng.integers(4, size=n)] + rng.normal(size=(n, d))
    return (X * rng.uniform(0.1, 5, size=(n, 1))).astype(dtype)


def by_definition(X, labels, w):
    rho = cdist(X.astype(float), X.astype(float), "cosine")
    parts = [np.flatnonzero(labels == j) for j in np.unique(labels)]
    return sum(w[p] @ rho[np.ix_(p, p)] @ w[p] / (2 * w[p].sum()) for p in parts)


@each("dtype", [np.float16, np.float32, np.float64])
@each("d", [8, 60, 200])
def test_w_is_that_of_the_definition(dtype, d):
    """With 200 columns and 120 rows the matrix is stored; else rows stay as they are."""
    X, rng = directions(d=d, dtype=dtype), np.random.default_rng(1)
    w = rng.choice([0.0, 1.0, 2.0], size=120)
    model = KernelKGroups(4, metric="cosine", random_state=0).fit(X, sample_weight=w)
    assert model.within_dispersion_ == pytest.approx(by_definition(X, model.labels_, w), rel=1e-10)
    assert model.exactness_ == "one-move optimal"
    assert model.predict(X).tolist() == model.labels_.tolist()
    assert model.method_ == ("dense" if d == 200 else "matrix_free")


def test_rows_in_half_precision_are_the_numbers_that_they_hold():
    X = directions(dtype=np.float16)
    half, wide = (
        KernelKGroups(4, metric="cosine", random_state=0).fit(table)
        for table in (X, X.astype(np.float64))
    )
    assert half.labels_.tolist() == wide.labels_.tolist()
    assert half.within_dispersion_ == pytest.approx(wide.within_dispersion_, rel=1e-14)
    assert half.transform(X) == pytest.approx(wide.transform(X.astype(np.float32)), abs=1e-12)
    other = KernelKGroups(4, metric="energy", random_state=0).fit(X)
    expected = KernelKGroups(4, metric="energy", random_state=0).fit(X.astype(np.float64))
    assert other.labels_.tolist() == expected.labels_.tolist()


def test_starts_on_a_sample(monkeypatch):
    """Beyond a number of rows; dense and sparse."""
    X = directions(n=400, d=50)
    monkeypatch.setattr(plan, "STARTS_ON_ALL", 100)
    monkeypatch.setattr(sampled_starts, "_LEAST", 100)
    monkeypatch.setattr(sampled_starts, "sample_size", lambda n, k: 150)
    whole = KernelKGroups(4, metric="cosine", random_state=0, method="dense").fit(X)
    for rows in (X, X.astype(np.float16), csr_array(X)):
        model = KernelKGroups(4, metric="cosine", random_state=0).fit(rows)
        assert model.within_dispersion_ == pytest.approx(whole.within_dispersion_, rel=1e-3)
        assert model.predict(rows).tolist() == model.labels_.tolist()
