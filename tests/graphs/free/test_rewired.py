"""Random graphs with the same degrees."""

import networkx as nx
import numpy as np
import pytest
from scipy.sparse import csr_array

from helpers import each
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
