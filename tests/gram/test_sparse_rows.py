"""Squared distances of sparse rows: sums over entries against the dense table."""

import numpy as np
import pytest
from scipy.sparse import csr_array, random_array

from helpers import each
from kgroups.gram.sparse_rows import SparseRowsGram, known_columns
from kgroups.testing import check_gram_operator

pytestmark = pytest.mark.nojit


def rows(seed=0, n=40, d=90, density=0.08):
    X = random_array((n, d), density=density, rng=np.random.default_rng(seed), format="csr")
    X.sort_indices()
    return csr_array(X)


@each("seed", range(4))
def test_it_is_an_operator(seed):
    X = rows(seed)
    gram = SparseRowsGram(X, 0.5, n_threads=2)
    check_gram_operator(gram, seed=seed)
    assert gram.to_dense() == pytest.approx(0.5 * (X @ X.T).toarray(), abs=1e-14)
    part = gram.taken(np.array([5, 1, 7]))
    assert part.to_dense() == pytest.approx(0.5 * (X @ X.T).toarray()[[5, 1, 7]][:, [5, 1, 7]])


def test_dispersions_by_the_definition():
    X, rng = rows(1), np.random.default_rng(1)
    labels, w = rng.integers(3, size=40), rng.choice([0.0, 1.0, 2.5], size=40)
    table, found = X.toarray(), SparseRowsGram(X, 2.0).dispersions(labels, w, 3)
    for cluster in range(3):
        inside = labels == cluster
        center = w[inside] @ table[inside] / w[inside].sum()
        expected = 2 * w[inside] @ ((table[inside] - center) ** 2).sum(axis=1)
        assert found[cluster] == pytest.approx(expected, rel=1e-12)


def test_tight_clusters_keep_the_digits_of_their_dispersion():
    """Entries of 1000 that differ by 1e-6: sums of squares would leave nothing."""
    table = np.full((6, 3), 1000.0) + 1e-6 * np.arange(6)[:, None] * np.array([1.0, 0.0, -1.0])
    table[3:, 1] = 0.0
    labels = np.array([0, 0, 0, 1, 1, 1])
    found = SparseRowsGram(csr_array(table)).dispersions(labels, np.ones(6), 2)
    assert found == pytest.approx([4e-12, 4e-12], rel=1e-6)


def test_equal_rows_are_at_distance_zero():
    X = rows(2, n=6)
    twice = csr_array(np.vstack([X.toarray(), X.toarray()]))
    gram = SparseRowsGram(twice)
    assert (gram.squared_distances(2) == 0).sum() == 2
    assert gram.count_distinct(np.ones(12, bool), 10) == 6


def test_only_columns_that_occur_are_held():
    table = np.zeros((4, 50))
    table[[0, 1, 2, 3], [7, 40, 7, 11]] = [1.0, 2.0, 3.0, 4.0]
    assert SparseRowsGram(csr_array(table)).columns.tolist() == [7, 11, 40]
    many = csr_array(([1.0, 2.0], ([0, 1], [3, 10**9 - 1])), shape=(2, 10**9))
    gram = SparseRowsGram(many)
    assert gram.columns.tolist() == [3, 10**9 - 1]
    assert gram.to_dense().tolist() == [[1.0, 0.0], [0.0, 4.0]]


@each("offset", [0.0, 1e6, 1e9])
def test_columns_in_which_every_row_has_an_entry_cost_no_digits(offset):
    """A year, or a constant: without its mean the others keep their digits, for new rows too."""
    table = np.hstack([rows(4, n=30).toarray(), np.full((30, 1), offset)])
    table[:, -1] += np.arange(30) % 2
    gram = SparseRowsGram(csr_array(table))
    labels, w = np.arange(30) % 3, np.ones(30)
    means = gram.means(labels, w, 3)
    squared = gram.squared_distances_to(means)
    new = csr_array(np.vstack([table[:4], np.zeros((1, table.shape[1]))]))
    known, strange = known_columns(new, gram.columns)
    other = SparseRowsGram.of_columns(known, gram.columns, gram.shift)
    for cluster in range(3):
        center = table[labels == cluster].mean(axis=0)
        expected = ((table - center) ** 2).sum(axis=1)
        assert squared[cluster] == pytest.approx(expected, rel=1e-6)
        found = (other.squared_distances_to(means) + strange)[cluster]
        far = max(1.0, offset) ** 2
        assert found[:4] == pytest.approx(expected[:4], rel=1e-6)
        assert found[4] == pytest.approx((center**2).sum(), rel=1e-9, abs=1e-9 * far)


def test_rows_next_to_a_mean_are_measured_by_differences():
    table = np.zeros((4, 5))
    table[:2, :3] = [[1000.0, 0, 1000.0], [1000.0, 0, 1000.0 + 1e-5]]
    table[2:, 1] = 7.0
    gram = SparseRowsGram(csr_array(table))
    found = gram.squared_distances_to(gram.means(np.array([0, 0, 1, 1]), np.ones(4), 2))
    assert found[0, :2] == pytest.approx([2.5e-11, 2.5e-11], rel=1e-4)
    assert found[1, 2:].tolist() == [0.0, 0.0]
