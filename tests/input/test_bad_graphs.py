"""What is wrong with a graph or a parameter, and what to write instead."""

import networkx as nx
import numpy as np
import pytest
from scipy.sparse import coo_array, csr_array

from kgroups import BetheHessianClustering, GraphKGroups
from kgroups.exceptions import DataError, GraphNotice
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


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"n_clusters": 0}, r"n_clusters must be .auto. or an integer >= 1; got 0"),
        ({"n_clusters": -3}, r"n_clusters must be .auto. or an integer >= 1; got -3"),
        ({"n_clusters": 2.5}, r"n_clusters must be .auto. or an integer >= 1; got 2.5"),
        ({"n_clusters": True}, r"n_clusters must be .auto. or an integer >= 1; got True"),
        ({"n_clusters": None}, r"n_clusters must be .auto. or an integer >= 1; got None"),
        ({"n_clusters": "2"}, r"n_clusters must be .auto. or an integer >= 1; got '2'"),
        ({"n_clusters": "many"}, r"n_clusters must be .auto. or an integer >= 1; got 'many'"),
        ({"n_clusters": 11}, r"n_clusters=11 is more than the number of nodes, 10"),
        ({"r": "zeta"}, r"r must be 'average_degree', or a number above 0; got 'zeta'"),
        ({"r": 0}, r"r must be 'average_degree', or a number above 0; got 0"),
        ({"r": -1.5}, r"r must be .* got -1.5"),
        ({"r": np.nan}, r"r must be .* got nan"),
        ({"r": np.inf}, r"r must be .* got inf"),
        ({"r": None}, r"r must be .* got None"),
        ({"r": True}, r"r must be .* got True"),
        ({"objective": "modularty"}, r"objective must be one of .* Did you mean 'modularity'\?"),
        (
            {"objective": "ncut"},
            r"objective must be one of auto, bethe_hessian, ratio_association, .*",
        ),
        ({"objective": 3}, r"objective must be one of .*; got 3"),
        ({"weights": "degrees"}, r"weights must be one of unit, degree; got 'degrees'. Did you .*"),
        ({"weights": [1] * 9}, r"weights.shape == \(9,\), expected \(10,\): one weight per row"),
        ({"weights": [[1] * 10]}, r"weights.shape == \(1, 10\), expected \(10,\)"),
        ({"weights": [1] * 9 + [-2]}, r"weights must not be negative; row 9 is -2"),
        ({"weights": [1] * 9 + [np.nan]}, r"weights contains NaN or infinity: row 9 is nan"),
        ({"weights": [np.inf] + [1] * 9}, r"weights contains NaN or infinity: row 0 is inf"),
        ({"weights": [0] * 10}, r"weights is zero for every row; at least one must be positive"),
        ({"init": "spectrl"}, r"init must be one of auto, .* Did you mean 'spectral'\?"),
        ({"init": "k-means++"}, r"init must be one of auto, spectral, .*; got 'k-means\+\+'"),
        (
            {"init": [0, 1], "n_clusters": 2},
            r"init must hold one label for each of the 10 rows; got shape \(2,\)",
        ),
        ({"init": [0, 1]}, r"init must hold one label for each of the 10 rows; got shape \(2,\)"),
        ({"init": LABELS * 1.0, "n_clusters": 2}, r"init must hold integers in 0..1; got float64"),
        (
            {"init": LABELS, "n_clusters": 3},
            r"init leaves community 2 of 3 without nodes of positive weight; every label in 0..k-1",
        ),
        ({"init": 2 * LABELS}, r"init leaves community 1 of 3 without nodes of positive weight"),
        (
            {"init": LABELS + 1, "n_clusters": 2},
            r"init must hold integers in 0..1 for n_clusters=2; got values from 1 to 2",
        ),
        (
            {"init": LABELS - 1, "n_clusters": 2},
            r"init must hold integers in 0..1 .* got values from -1 to 0",
        ),
        (
            {"init": LABELS, "weights": 1 - LABELS},
            r"init leaves community 1 of 2 without nodes of positive weight",
        ),
        (
            {"init": lambda A, k, rng: [0] * 10, "n_clusters": 2},
            r"what init returned leaves community 1 of 2 without nodes",
        ),
        (
            {"init": lambda A, k, rng: [0, 1], "n_clusters": 2},
            r"what init returned must hold one label for each of the 10 rows; got shape \(2,\)",
        ),
        (
            {"init": lambda A, k, rng: ["a", "b"] * 5, "n_clusters": 2},
            r"what init returned must hold integers in 0..1",
        ),
        ({"n_init": 0}, r"n_init must be an integer >= 1; got 0"),
        ({"n_init": "many"}, r"n_init must be an integer >= 1; got 'many'"),
        ({"n_init": 1.5}, r"n_init must be an integer >= 1; got 1.5"),
        ({"max_iter": 0}, r"max_iter must be an integer >= 1; got 0"),
        ({"max_iter": 2.0}, r"max_iter must be an integer >= 1; got 2.0"),
        ({"tol": -1e-9}, r"tol must be a number >= 0; got -1e-09"),
        ({"tol": np.nan}, r"tol must be a number >= 0; got nan"),
        ({"tol": "small"}, r"tol must be a number >= 0; got 'small'"),
        ({"n_jobs": 0}, r"n_jobs=0 has no meaning"),
        ({"n_jobs": "all"}, r"n_jobs must be an integer"),
    ],
)
def test_parameters(params, message):
    with pytest.raises(ValueError, match=message):
        GraphKGroups(**params).fit(W)


@pytest.mark.parametrize(
    "init",
    [
        pytest.param(["a"] * 10, id="text"),
        pytest.param(None, id="none"),
        pytest.param([0.5] * 10, id="fractions"),
        pytest.param([-1] * 10, id="negative"),
        pytest.param([10**12] * 10, id="huge"),
    ],
)
def test_a_start_that_is_no_labels_while_k_is_auto(init):
    with pytest.raises(ValueError, match="init"):
        GraphKGroups(init=init).fit(W)


@pytest.mark.parametrize("objective", OWN_WEIGHTS)
def test_objectives_with_weights_of_their_own(objective):
    message = rf'objective="{objective}" has weights of its own; .* objective="ratio_cut"'
    with pytest.raises(ValueError, match=message):
        GraphKGroups(2, objective=objective, weights=np.ones(10)).fit(W)
    for weights in ("unit", "degree"):
        model = GraphKGroups(2, objective=objective, weights=weights, random_state=0)
        assert model.fit(W).labels_.tolist() == LABELS.tolist()


def test_degrees_that_are_negative():
    message = r'weights="degree" needs degrees that are not negative; that of node 0 is -6'
    with pytest.raises(ValueError, match=message):
        GraphKGroups(2, weights="degree").fit(changed(0, 9, -10))


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"n_clusters": "all"}, r"n_clusters must be .auto. or an integer >= 1; got 'all'"),
        ({"n_clusters": 0}, r"n_clusters must be .auto. or an integer >= 1; got 0"),
        ({"n_clusters": 11}, r"n_clusters=11 is more than the number of nodes, 10"),
        ({"r": "zetta"}, r"r must be 'average_degree' or 'zeta', or a number above 0; got 'zetta'"),
        ({"r": -2}, r"r must be .* got -2"),
        ({"normalize_rows": "yes"}, r'normalize_rows must be False, True or "auto"; got \'yes\''),
        ({"normalize_rows": None}, r'normalize_rows must be False, True or "auto"; got None'),
        ({"n_init": 0}, r"n_init must be an integer >= 1; got 0"),
        ({"n_init": "auto"}, r"n_init must be an integer >= 1; got 'auto'"),
    ],
)
def test_parameters_of_spectral_clustering(params, message):
    with pytest.raises(ValueError, match=message):
        BetheHessianClustering(**params).fit(W)


@every_estimator
def test_a_bad_seed(make):
    with pytest.raises(
        ValueError, match=r"random_state must be an integer from 0 to .* got 'seed'"
    ):
        make(2, random_state="seed").fit(W)


def test_r_of_the_count():
    with pytest.raises(ValueError, match="r must be 'average_degree', or a number above 0"):
        bethe_hessian_n_communities(W, r="zeta")


@every_estimator
def test_r_below_the_least_of_a_weighted_graph(make):
    with pytest.raises(ValueError, match=r"or a number of at least 1\.001 .*; got 1"):
        make(2, r=1).fit(2.5 * W)
    assert make(2, r=1.01, random_state=0).fit(2.5 * W).n_clusters_ == 2


# --- graphs --------------------------------------------------------------------------------------


@every_estimator
@pytest.mark.parametrize(
    ("graph", "error", "message"),
    [
        (np.zeros((3, 4)), ValueError, r"A must be square: .* got shape \(3, 4\)"),
        (np.zeros(4), ValueError, r"A must be square: .* got shape \(4,\)"),
        (np.zeros((0, 0)), ValueError, r"A: the graph has no nodes"),
        (nx.Graph(), ValueError, r"A: the graph has no nodes"),
        (csr_array((5, 5)), ValueError, r"A has 5 nodes and no edges: there are no communities"),
        (np.zeros((1, 1)), ValueError, r"A has 1 node and no edges: there are no communities"),
        (W * 1j, TypeError, r"A holds complex numbers; weights must be real. Write A.real"),
        (changed(2, 7, np.nan), ValueError, r"A contains NaN in row 2, column 7; write 0 where"),
        (changed(2, 7, np.inf), ValueError, r"A contains infinity in row 2, column 7"),
        (csr_array(changed(7, 2, -np.inf)), ValueError, r"A contains infinity in row 2, column 7"),
        (W.astype(str), TypeError, r"A must hold numbers; got <U"),
        ("karate.gml", DataError, r"karate\.gml does not exist"),
        (None, TypeError, r"A must be a scipy sparse array, .*; got NoneType"),
        ([[0, 1], [1]], ValueError, r"A must be a square matrix; its rows differ in length"),
        (np.ma.masked_array(W, W == 0), TypeError, r"A is a masked array; write A.filled\(0\)"),
    ],
)
def test_graphs(make, graph, error, message):
    with pytest.raises(error, match=message):
        make(2).fit(graph)


@every_estimator
def test_an_asymmetric_matrix_is_noticed(make):
    with pytest.warns(
        GraphNotice, match=r"A is not symmetric: 1 edge has no counterpart in the other direction"
    ):
        make(2).fit(changed(0, 1, 1, 0))
    with pytest.warns(GraphNotice, match="the weights of both directions are added"):
        make(2).fit(changed(0, 1, 1, 3))


@pytest.mark.parametrize("objective", BY_NAME)
def test_negative_weights(objective):
    repelled = changed(0, 9, -0.5)
    model = GraphKGroups(2, objective=objective, random_state=0)
    if objective in SIGNED:
        assert model.fit(repelled).labels_.tolist() == LABELS.tolist()
        return
    message = (
        r"A has negative weights: row 0, column 9 is -0.5. "
        r'objective="bethe_hessian" and "ratio_association" take negative weights'
    )
    with pytest.raises(ValueError, match=message):
        model.fit(repelled)


def test_negative_weights_in_spectral_clustering():
    repelled = changed(0, 9, -0.5)
    assert BetheHessianClustering(2, random_state=0).fit(repelled).n_clusters_ == 2
    assert bethe_hessian_n_communities(repelled) >= 1
    with pytest.raises(ValueError, match="A has negative weights: row 0, column 9"):
        BetheHessianClustering(2, normalize_rows="auto").fit(repelled)


@every_estimator
def test_more_communities_than_nodes_with_an_edge(make):
    message = r"n_clusters=3 is more than .* nodes with an edge and weight, 2 of 4; .* at most 2"
    with pytest.warns(GraphNotice), pytest.raises(ValueError, match=message):
        make(3).fit(lone())
    with pytest.warns(GraphNotice):
        assert make(2, random_state=0).fit(lone()).n_clusters_ == 2


@every_estimator
@pytest.mark.parametrize(
    ("graph", "message"),
    [
        (np.kron(np.eye(2), np.ones((3, 3))), r"2 components, with 3 and 3 nodes\."),
        (lone(), r"3 components, one with 2 nodes, and 2 isolated nodes"),
        (np.kron(np.eye(7), np.ones((2, 2))), r"7 components, with 2, 2, 2, 2, 2, \.\.\. nodes"),
        (np.eye(3), r"3 components, 3 isolated nodes"),
    ],
)
def test_a_graph_in_pieces_is_noticed(make, graph, message):
    with pytest.warns(GraphNotice, match=f"the graph is not connected: it has {message}") as heard:
        make(1).fit(graph)
    assert len(heard) == 1


@every_estimator
def test_repeated_edges_are_noticed(make):
    twice = coo_array(([1, 1, 1.0], ([0, 1, 0], [1, 0, 1])), shape=(2, 2))
    with pytest.warns(GraphNotice) as heard:
        make(1).fit(twice)
    said = [str(notice.message) for notice in heard]
    assert said[0] == "A has 1 entry that repeats another; their weights were added."
    assert "1 pair of nodes has different weights in the two directions" in said[1]
    multigraph = nx.MultiGraph([(0, 1), (0, 1), (1, 2)])
    with pytest.warns(GraphNotice, match="A has 1 edge that repeats another"):
        make(1).fit(multigraph)


@every_estimator
def test_a_damaged_matrix(make):
    broken = csr_array(W)
    broken.indices = broken.indices + 9
    with pytest.raises(ValueError, match="A is a damaged sparse matrix"):
        make(2).fit(broken)


@every_estimator
def test_notices_point_at_the_line_that_fits(make):
    """A warning that names a file of the package cannot be found by who reads it."""
    with pytest.warns(GraphNotice) as heard:
        make(1).fit(lone())
    assert heard[0].filename == __file__


@every_estimator
def test_an_estimator_that_failed_can_be_used_again(make):
    model = make(11)
    with pytest.raises(ValueError, match="n_clusters=11"):
        model.fit(W)
    assert not hasattr(model, "labels_")
    assert model.set_params(n_clusters=2, random_state=0).fit(W).labels_.tolist() == LABELS.tolist()


def test_degrees_that_cancel_are_no_weights():
    W = np.array([[0.0, 1, -1], [1, 0, -1], [-1, -1, 0]])
    W = np.block([[np.zeros((3, 3)), W - W.mean()], [(W - W.mean()).T, np.zeros((3, 3))]])
    W -= np.diag(W.sum(axis=1))
    with pytest.raises(ValueError, match=r"all degrees are 0|not negative"):
        GraphKGroups(2, weights="degree").fit(W)
