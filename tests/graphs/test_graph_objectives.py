"""The Bethe Hessian in any unit of weights, and units whose product overflows."""

import networkx as nx
import numpy as np
import pytest
from scipy.sparse import csr_array

from helpers import each
from kgroups import GraphKGroups
from kgroups.graphs import bethe_hessian
from kgroups.graphs.bethe_hessian import average_degree_r, is_weighted

pytestmark = pytest.mark.filterwarnings("ignore::kgroups.exceptions.GraphNotice")


def random_graph(seed, n=14, weighted=True, loops=True, lone=2):
    """Weights, loops, and ``lone`` nodes without edges."""
    rng = np.random.default_rng(seed)
    W = (rng.random((n, n)) < 0.35) * (rng.uniform(0.2, 3, (n, n)) if weighted else 1.0)
    W = np.triu(W, 0 if loops else 1)
    W[0, 1], W[2, 3] = 1.0, 1.0
    W = W + np.triu(W, 1).T
    if lone:
        W[-lone:] = W[:, -lone:] = 0
    return W


@each("r", [None, 0.6, 1.0, 1.9, 7.0])
@each("seed", range(2))
def test_bethe_hessian_is_that_of_networkx(seed, r):
    graph = nx.gnp_random_graph(25, 0.2, seed=seed)
    mean_degree = 2 * graph.number_of_edges() / 25
    H = bethe_hessian(graph, r)
    expected = nx.bethe_hessian_matrix(graph, r=r or max(1, mean_degree) ** 0.5)
    np.testing.assert_allclose(H.toarray(), expected.toarray(), rtol=1e-14, atol=1e-14)
    assert H.nnz <= 25 + 2 * graph.number_of_edges()


# --- the Bethe Hessian -------------------------------------------------------------------------


@pytest.mark.nojit
@each("seed", range(2))
def test_equal_weights_are_no_weights(seed):
    """Whatever the unit: the same matrix, and the same r."""
    A = random_graph(seed, n=30, weighted=False, loops=False, lone=0)
    assert average_degree_r(csr_array(A)) == pytest.approx(np.sqrt(A.sum() / 30))
    for unit in (0.25, 2.0, 1e-12, 1e12, 1e-200, 1e200):
        assert is_weighted(csr_array(unit * A))
        np.testing.assert_allclose(
            bethe_hessian(unit * A, 2.0).toarray(), bethe_hessian(A, 2.0).toarray(), rtol=1e-9
        )
        assert average_degree_r(csr_array(unit * A)) == pytest.approx(np.sqrt(A.sum() / 30))


def test_units_whose_product_overflows_leave_an_objective_of_zero():
    """Two nodes apart: nothing is inside, whatever the units of edges and weights are."""
    A = np.array([[0.0, 1.3e133], [1.3e133, 0.0]])
    model = GraphKGroups(2, objective="ratio_association", weights=[1.5e-283, 1e-283], init=[0, 1])
    model.fit(A)
    assert model.objective_ == 0
    assert (model.objective_history_ == 0).all()
    together = GraphKGroups(1, objective="ratio_association", weights=[1.5e-283, 1e-283])
    with pytest.raises(ValueError, match="not a finite number"):
        together.fit(A)
