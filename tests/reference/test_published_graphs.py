"""Numbers that the paper published for networks."""

import json

import networkx as nx
import numpy as np
import pytest
from scipy.sparse import coo_array, csr_array

from helpers import reference_folder
from kgroups import BetheHessianClustering, GraphKGroups
from kgroups.exceptions import GraphNotice
from kgroups.graphs import Graph, stochastic_block_model
from kgroups.metrics import clustering_accuracy, coverage, modularity, overlap, performance
from kgroups.select import bethe_hessian_n_communities

pytestmark = [
    pytest.mark.reference,
    pytest.mark.filterwarnings("ignore::kgroups.exceptions.GraphNotice"),
]

# λ: mean and standard deviation of Bethe, then of k-groups, over 500 graphs.
TABLE_I = {
    0.6: ((0.183, 0.058), (0.177, 0.057)),
    1.1: ((0.485, 0.123), (0.489, 0.133)),
    1.5: ((0.840, 0.075), (0.870, 0.074)),
    1.8: ((0.943, 0.033), (0.960, 0.027)),
    2.0: ((0.975, 0.022), (0.982, 0.020)),
    2.5: ((0.997, 0.006), (0.998, 0.005)),
    3.5: ((1.000, 0.000), (1.000, 0.000)),
}
ROUNDING = 0.002


def published_recipe(A, k, r, seed):
    """k-means on eigenvectors of the Bethe Hessian; from there k-groups with 𝒲 = D + 0.001."""
    bethe = BetheHessianClustering(k, r=r, random_state=seed).fit(A).labels_
    weights = A.sum(axis=1) + 0.001
    return bethe, GraphKGroups(k, r=r, weights=weights, init=bethe).fit(A).labels_


def overlaps(n, k, degree, snr, n_graphs):
    """Of both steps of the recipe, a column each, with r = √d for the nominal degree d."""
    rows = []
    for seed in range(n_graphs):
        A, truth = stochastic_block_model(n, k, degree, snr, loops=True, random_state=seed)
        labels = published_recipe(A, k, degree**0.5, seed)
        rows.append([overlap(truth, z) for z in labels])
    return np.array(rows)


def assert_level(values, mean, error):
    """Nearer than the standard errors of both allow, and what printed digits leave open."""
    ours = values.std(ddof=1) / len(values) ** 0.5
    assert abs(values.mean() - mean) <= 2.5 * np.hypot(ours, error) + ROUNDING


@pytest.mark.parametrize("snr", TABLE_I)
def test_girvan_newman_graphs(snr):
    """[FRV Table I]: n=128, k=4, d=16."""
    for values, (mean, deviation) in zip(
        overlaps(128, 4, 16, snr, 40).T, TABLE_I[snr], strict=True
    ):
        assert_level(values, mean, deviation / 500**0.5)


@pytest.mark.parametrize("k", [2, 5, 15])
@pytest.mark.parametrize("x", [7, 10, 12])
def test_sparse_graphs_through_the_transition(k, x):
    """[FRV Fig. 5]: n=1000, d=3; published points are means of ten, at λ = 1/2 + 2x/19."""
    path = reference_folder("reference", "published_curves.json")
    curves, snr = json.loads(path.read_text())["sbm_curves"], 0.5 + 2 * x / 19
    for values, name in zip(overlaps(1000, k, 3, snr, 12).T, ("bethe", "kg"), strict=True):
        mean = curves[f"sbm_phase_{k}/{name}"][f"{snr:.4f}"]
        assert_level(values, mean, values.std(ddof=1) / 10**0.5)


@pytest.mark.parametrize(("snr", "least"), [(1.25, 0.58), (1.5, 0.80), (1.71, 0.92)])
def test_default_is_above_both_published_curves(snr, least):
    """k=15, where k-groups has .555, .770, .894 and Bethe .518, .693, .781."""
    values = []
    for seed in range(10):
        A, truth = stochastic_block_model(1000, 15, 3, snr, loops=True, random_state=seed)
        values.append(overlap(truth, GraphKGroups(15, random_state=seed).fit(A).labels_))
    assert np.mean(values) >= least - 2 * np.std(values, ddof=1) / 10**0.5


def edges_and_classes(name):
    edges = reference_folder("data", "graphs", f"{name}.edges.csv")
    ends = np.loadtxt(edges, delimiter=",", skiprows=1, usecols=(0, 1), dtype=np.int64)
    lines = edges.with_name(f"{name}.labels.csv").read_text().splitlines()[1:]
    return ends.T, np.array([line.split(",")[1] for line in lines])


def undirected(name):
    """Zeros and ones, (A + A') > 0, with a row for nodes without edges too."""
    ends, classes = edges_and_classes(name)
    shape = (len(classes), len(classes))
    A = coo_array((np.ones(ends.shape[1]), tuple(ends)), shape=shape).tocsr()
    return csr_array(((A + A.T) > 0).astype(float)), classes


def karate():
    club = nx.karate_club_graph()
    A = nx.to_scipy_sparse_array(club, weight=None, dtype=float, format="csr")
    return A, np.array([club.nodes[i]["club"] for i in club])


def real_network(name):
    return karate() if name == "karate" else undirected(name)


def from_the_published_start(A, k, normalize_rows=False):
    """With 𝒲 = I, which is what Tables IV to VI took."""
    bethe = BetheHessianClustering(k, normalize_rows=normalize_rows, random_state=0).fit(A).labels_
    return bethe, GraphKGroups(k, weights="unit", init=bethe).fit(A).labels_


@pytest.mark.parametrize(
    ("name", "least"), [("dolphins", 1.0), ("football", 0.90), ("polbooks", 0.75)]
)
def test_networks_with_known_communities(name, least):
    """[FRV Table IV]."""
    A, truth = real_network(name)
    _, labels = from_the_published_start(A, len(set(truth)))
    assert overlap(truth, labels) >= least


def test_karate_club():
    """[FRV Table IV] has 1: the factions. The club of one member of 34 is not that of his."""
    A, truth = karate()
    bethe, labels = from_the_published_start(A, 2)
    for found in (bethe, labels, GraphKGroups(2, random_state=0).fit(A).labels_):
        assert clustering_accuracy(truth, found) == pytest.approx(33 / 34)
        assert overlap(truth, found) == pytest.approx(0.941, abs=5e-4)


@pytest.mark.parametrize("name", ["karate", "dolphins", "football", "polbooks"])
def test_default_is_not_worse_than_either_convention_of_rows(name):
    A, truth = real_network(name)
    k = len(set(truth))
    best = max(overlap(truth, from_the_published_start(A, k, unit)[1]) for unit in (False, True))
    assert overlap(truth, GraphKGroups(k, random_state=0).fit(A).labels_) >= best - 1e-12


@pytest.mark.parametrize(
    ("side", "scores", "sizes"),
    [
        ("left", (0.669, 0.838, 0.041), [93, 116]),
        ("right", (0.664, 0.827, 0.055), [101, 112]),
    ],
)
def test_drosophila(side, scores, sizes):
    """[FRV Table V]: performance, coverage and modularity of two communities, and their sizes."""
    A, _ = undirected(f"drosophila_{side}")
    k = bethe_hessian_n_communities(A)
    assert k == 2
    _, labels = from_the_published_start(A, k)
    found = [score(A, labels) for score in (performance, coverage, modularity)]
    assert found == pytest.approx(scores, abs=5e-4)
    assert sorted(np.bincount(labels)) == sizes


def test_collaborations_in_general_relativity():
    """[FRV Table VI]: the counts are exact; k-groups is above Bethe in all three scores."""
    (source, target), names = edges_and_classes("ca_grqc")
    graph = Graph.from_edges(source, target, n_nodes=len(names))
    assert (graph.n_nodes, graph.n_edges) == (5242, 14496)
    k = bethe_hessian_n_communities(graph)
    assert k == 165
    bethe, groups = from_the_published_start(graph, k)
    for score in (performance, coverage, modularity):
        assert score(graph, groups) > score(graph, bethe)


def test_isolated_bloggers_are_nodes_too():
    """1,490 blogs, 266 of them alone; the two sides of the others, whose degrees differ widely."""
    A, truth = undirected("polblogs")
    with pytest.warns(GraphNotice, match="266 nodes stand alone"):
        labels = GraphKGroups(2, objective="modularity", random_state=0).fit(A).labels_
    linked = np.diff(A.indptr) > 0
    assert (len(labels), int((~linked).sum())) == (1490, 266)
    assert clustering_accuracy(truth[linked], labels[linked]) > 0.9
