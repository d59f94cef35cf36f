"""Rows of eigenvectors against dense eigensolvers, and communities that would be empty."""

import networkx as nx
import numpy as np
import pytest
from scipy.linalg import eigh
from scipy.sparse import csr_array

from helpers import each
from kgroups.gram import SparseGram
from kgroups.graphs.embedding import (
    association_rows,
    filled,
    walk_rows,
)


def connected(seed, *, signed=False):
    """A connected graph of 30 nodes with weights, some below zero where asked."""
    G = nx.connected_watts_strogatz_graph(30, 6, 0.3, seed=seed)
    rng = np.random.default_rng(seed)
    W = np.triu(nx.to_numpy_array(G)) * rng.uniform(0.5, 2, (30, 30))
    if signed:
        W *= np.where(rng.random((30, 30)) < 0.2, -1, 1)
    return W + W.T


def projector(rows):
    return rows @ rows.T


@each("tau", [0.0, 0.1, 1.0])
@each("signed", [False, True])
@each("weighted", [False, True])
def test_rows_of_the_relaxed_normalized_cut(tau, signed, weighted):
    """Top eigenvectors of D_τ^-½ M D_τ^-½ with M_ij = w_i w_j S_ij and D of absolute values."""
    S = connected(1, signed=signed)
    w = np.random.default_rng(2).uniform(0.5, 2, 30) if weighted else np.ones(30)
    M = w[:, None] * S * w
    degree = np.abs(M).sum(axis=1)
    root = 1 / np.sqrt(degree + tau * degree.mean())
    values, vectors = eigh(root[:, None] * M * root)
    assert values[-3] - values[-4] > 1e-3
    found = association_rows(SparseGram(csr_array(S)), w, 3, seed=0, tau=tau)
    np.testing.assert_allclose(projector(found), projector(vectors[:, -3:]), atol=1e-6)


def test_rows_of_the_random_walk():
    """D^-1 A u = λ u for the largest λ; the first is 1, with u constant."""
    A = connected(3)
    rows = walk_rows(csr_array(A), 3, seed=0)
    P = A / A.sum(axis=1, keepdims=True)
    values = np.sort(np.linalg.eigvals(P).real)[::-1][:3]
    for u, value in zip(rows.T, values, strict=True):
        np.testing.assert_allclose(P @ u, value * u, atol=1e-6)
    assert values[0] == pytest.approx(1.0)
    np.testing.assert_allclose(rows[:, 0], rows[0, 0], rtol=1e-5)


def test_nodes_without_edges_have_rows_of_zeros():
    A = np.zeros((12, 12))
    A[:10, :10] = nx.to_numpy_array(nx.complete_graph(10))
    rows = association_rows(SparseGram(csr_array(A)), np.ones(12), 1, seed=0, tau=0.0)
    np.testing.assert_allclose(rows[10:], 0, atol=1e-6)
    np.testing.assert_allclose(np.abs(rows[:10, 0]), np.sqrt(0.1), rtol=1e-5)


@each(
    ("labels", "k", "weights", "expected"),
    [
        ([0, 1, 2], 3, None, [0, 1, 2]),
        ([0, 0, 0, 1], 3, None, [0, 0, 2, 1]),  # the last of the largest
        ([0, 0, 0, 0], 3, None, [0, 0, 2, 1]),
        ([0, 0, 0, 1], 3, [1, 1, 0, 1], [0, 2, 0, 1]),  # node 2 has no weight
        ([0, 1, 0, 0], 2, [1, 0, 1, 1], [0, 1, 0, 1]),  # the only node of 1 has no weight
    ],
)
def test_empty_communities_get_the_last_node_of_the_largest(labels, k, weights, expected):
    weights = None if weights is None else np.array(weights, float)
    assert filled(np.array(labels), k, weights).tolist() == expected
