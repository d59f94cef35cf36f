"""Where an objective, a weight or a number of communities does not suit the graph."""

import numpy as np
import pytest

from helpers import each
from kgroups import BetheHessianClustering, GraphKGroups
from kgroups.exceptions import GraphNotice
from kgroups.graphs.graph_objectives import BY_NAME, OWN_WEIGHTS, SIGNED
from kgroups.select import bethe_hessian_n_communities

W = np.kron(np.eye(2), np.ones((5, 5)) - np.eye(5))
W[4, 5] = W[5, 4] = 1
LABELS = np.repeat([0, 1], 5)

ESTIMATORS = [GraphKGroups, BetheHessianClustering]
every_estimator = pytest.mark.parametrize("make", ESTIMATORS, ids=lambda make: make.__name__)


def changed(row, column, value, other=None):
    A = W.copy()
    A[row, column] = value
    A[column, row] = value if other is None else other
    return A


def lone(n=4):
    """An edge, and nodes without."""
    A = np.zeros((n, n))
    A[0, 1] = A[1, 0] = 1
    return A


# --- parameters ----------------------------------------------------------------------------------


@each("objective", OWN_WEIGHTS)
def test_objectives_with_weights_of_their_own(objective):
    with pytest.raises(ValueError, match="weights of its own"):
        GraphKGroups(2, objective=objective, weights=np.ones(10)).fit(W)
    for weights in ("unit", "degree"):
        model = GraphKGroups(2, objective=objective, weights=weights, random_state=0)
        assert model.fit(W).labels_.tolist() == LABELS.tolist()


@every_estimator
def test_r_below_the_least_of_a_weighted_graph(make):
    with pytest.raises(ValueError, match="at least"):
        make(2, r=1).fit(2.5 * W)
    assert make(2, r=1.01, random_state=0).fit(2.5 * W).n_clusters_ == 2


# --- graphs --------------------------------------------------------------------------------------


@each("objective", BY_NAME)
def test_negative_weights(objective):
    repelled = changed(0, 9, -0.5)
    model = GraphKGroups(2, objective=objective, random_state=0)
    if objective in SIGNED:
        assert model.fit(repelled).labels_.tolist() == LABELS.tolist()
        return
    with pytest.raises(ValueError, match="negative weights"):
        model.fit(repelled)


def test_negative_weights_in_spectral_clustering():
    repelled = changed(0, 9, -0.5)
    assert BetheHessianClustering(2, random_state=0).fit(repelled).n_clusters_ == 2
    assert bethe_hessian_n_communities(repelled) >= 1
    with pytest.raises(ValueError, match="negative weights"):
        BetheHessianClustering(2, normalize_rows="auto").fit(repelled)


@every_estimator
def test_more_communities_than_nodes_with_an_edge(make):
    with pytest.warns(GraphNotice), pytest.raises(ValueError, match=r"n_clusters=3 .* at most 2"):
        make(3).fit(lone())
    with pytest.warns(GraphNotice):
        assert make(2, random_state=0).fit(lone()).n_clusters_ == 2


@every_estimator
def test_notices_point_at_the_line_that_fits(make):
    """A warning that names a file of the package cannot be found by who reads it."""
    with pytest.warns(GraphNotice) as heard:
        make(1).fit(lone())
    assert heard[0].filename == __file__
