"""Cosines of rows that are not copied: half floats, lengths, sums in blocks."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from helpers import each
from kgroups.gram import directions as module
from kgroups.gram.directions import DirectedRows, DirectionGram, direction_gram
from kgroups.semimetrics import Angular, Cosine
from kgroups.testing import check_gram_operator

pytestmark = pytest.mark.nojit


def rows(n=30, d=6, dtype=np.float64):
    rng = np.random.default_rng(0)
    return (rng.normal(size=(n, d)) * rng.uniform(0.1, 9, size=(n, 1))).astype(dtype)


@each("dtype", [np.float16, np.float32, np.float64])
@each("d", [6, 60])
def test_it_is_the_operator_of_the_cosine(dtype, d):
    X = rows(d=d, dtype=dtype)
    gram = DirectionGram(DirectedRows.of(X))
    check_gram_operator(gram)
    G = gram.to_dense()
    rho = np.diag(G)[:, None] + np.diag(G) - 2 * G
    assert rho == pytest.approx(cdist(X.astype(float), X.astype(float), "cosine"), abs=1e-14)
    part = gram.taken(np.array([4, 2, 9]))
    assert part.to_dense() == pytest.approx(G[np.ix_([4, 2, 9], [4, 2, 9])], abs=1e-15)
    few = Cosine().terms(X[:3])
    assert gram.embedding(few) == pytest.approx(gram.features[:3], abs=1e-15)


def test_every_half_float_is_widened_exactly():
    numbers = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    numbers = numbers[np.isfinite(numbers) & (numbers != 0)].reshape(-1, 2)
    gram = DirectionGram(DirectedRows.of(numbers))
    wide = numbers.astype(np.float64)
    expected = np.sqrt(0.5) * wide / np.linalg.norm(wide, axis=1)[:, None]
    assert gram.features[:] == pytest.approx(expected, rel=1e-15)


def test_rows_are_not_copied():
    for dtype in (np.float16, np.float32):
        X = rows(dtype=dtype)
        assert np.shares_memory(DirectedRows.of(X).held.rows, X)


def test_lengths_near_the_ends_of_floats_need_directions_of_their_own():
    X = rows()
    X[3] *= 1e-305
    assert DirectedRows.of(X) is None
    assert direction_gram(X, Cosine(), 1) is None
    assert direction_gram(rows(), Angular(), 1) is None


@each("block", [1, 7, 30])
def test_sums_and_dispersions_in_blocks(monkeypatch, block):
    X, rng = rows(), np.random.default_rng(1)
    labels, w = rng.integers(3, size=30), rng.choice([0.0, 1.0, 2.5], size=30)
    gram = DirectionGram(DirectedRows.of(X), n_threads=2)
    monkeypatch.setattr(module, "_BLOCK", block)
    F = gram.features[:]
    vectors = gram.running_sums(labels, w, 3).vectors
    found = gram.dispersions(labels, w, 3)
    for cluster in range(3):
        inside = labels == cluster
        assert vectors[cluster] == pytest.approx(w[inside] @ F[inside], abs=1e-12)
        rho = cdist(X[inside], X[inside], "cosine")
        expected = w[inside] @ rho @ w[inside] / (2 * w[inside].sum())
        assert found[cluster] == pytest.approx(expected, rel=1e-12)
