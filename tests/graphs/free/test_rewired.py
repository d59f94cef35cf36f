"""Graphs with the same degrees, and how likely a value is among them."""

import networkx as nx
import numpy as np
import pytest
from scipy.sparse import csr_array

from helpers import each
from kgroups.graphs.free.chance import is_beyond_chance
from kgroups.graphs.free.rewired import rewired


def weighted(seed, index=np.int32):
    graph = nx.gnm_random_graph(30, 70, seed=seed)
    graph.add_edges_from([(0, 0), (7, 7)])
    rng = np.random.default_rng(seed)
    for number, (a, b) in enumerate(graph.edges):
        graph[a][b]["weight"] = 1.0 + number + rng.random()
    A = csr_array(nx.to_scipy_sparse_array(graph, dtype=float, format="csr"))
    A.indices, A.indptr = A.indices.astype(index), A.indptr.astype(index)
    return A


def upper(A):
    return np.sort(A.toarray()[np.triu_indices(A.shape[0])])


@pytest.mark.nojit
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_what_stays_and_what_changes(index):
    for seed in range(4):
        A = weighted(seed, index)
        before = A.toarray()
        R = rewired(A, np.random.default_rng(seed))
        assert (R != R.T).nnz == 0
        assert np.diff(R.indptr).tolist() == np.diff(A.indptr).tolist()
        assert upper(R).tolist() == upper(A).tolist()  # simple, and the same weights
        assert np.diagonal(R.toarray()).tolist() == np.diagonal(before).tolist()
        assert R.has_sorted_indices
        kept = np.count_nonzero((R.toarray() > 0) & (before > 0)) / A.nnz
        assert kept < 0.4  # about a sixth by chance, and the loops
        assert (A.toarray() == before).all()


@each("graph", [nx.star_graph(5), nx.complete_graph(5), nx.path_graph(2)])
def test_graphs_without_another_of_the_same_degrees(graph):
    A = csr_array(nx.to_scipy_sparse_array(graph, dtype=float, format="csr"))
    assert (rewired(A, np.random.default_rng(0)) != A).nnz == 0


pytestmark = pytest.mark.nojit


@each(
    ("value", "p"),
    [(5.0, 1 / 10), (4.5, 2 / 10), (3.0, 5 / 10), (-1.0, 10 / 10)],
)
def test_the_value_counts_as_one_of_its_own_draws(value, p):
    draws = [3.0, 0.0, 1.0, 4.5, 2.0, 4.0, 3.0, 0.5, 1.5]
    assert is_beyond_chance(value, [draws], 9, p + 1e-9)
    assert not is_beyond_chance(value, [draws], 9, p - 1e-9)


def test_draws_equal_but_for_rounding_are_as_large():
    assert not is_beyond_chance(-0.1 - 0.2, [[-0.3, -9.0]], 2, 0.5)
    assert not is_beyond_chance(0.1 + 0.2, [[0.3, 0.0]], 2, 0.5)


@pytest.mark.parametrize(("value", "answer"), [(9.0, True), (0.0, False)])
def test_no_more_is_drawn_than_is_needed(value, answer):
    batches = iter([[0.0, 1.0], [0.0, 1.0]])
    assert is_beyond_chance(value, batches, 4, 0.3) is answer
    assert len(list(batches)) == 1
