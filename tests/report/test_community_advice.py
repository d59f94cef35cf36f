"""Advice on results of communities: when each sentence is said, and when it is not."""

import warnings

import networkx as nx
import numpy as np
import pytest

from kgroups.exceptions import GraphNotice
from kgroups.report import CommunityReport
from kgroups.report.community_advice import advice
from report_cases import fitted


def told(G, k="auto", **params):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GraphNotice)
        graph, model = fitted(G, k, **params)
    return advice(CommunityReport.of(model, graph), model, graph)


def hubs():
    """Three stars of 40 leaves, joined through their middles: variance 34 times the mean."""
    G = nx.disjoint_union_all([nx.star_graph(40) for _ in range(3)])
    G.add_edges_from([(0, 41), (41, 82), (82, 0)])
    degrees = np.array([d for _, d in G.degree()])
    assert degrees.var() > 10 * degrees.mean()
    return G


def test_uneven_degrees_are_told():
    words = "degrees are very uneven: hubs may form communities of their own; compare "
    assert told(hubs(), 3) == [f"{words}--objective modularity or normalized_cut"]
    assert told(hubs(), 1) == []
    assert told(hubs(), 3, objective="modularity") == []
    assert told(hubs(), 3, weights="degree") == []
    assert told(hubs(), 3, weights=np.ones(123)) == []
    assert told(nx.karate_club_graph(), 2) == []


def test_a_largest_community_that_is_none_is_told():
    halves = [0] * 6 + [1] * 5
    words = "most edges of the largest community lead to other communities; compare --objective"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # labels as given are kept
        graph, model = fitted(nx.complete_bipartite_graph(6, 5), 2, init=halves)
    model.labels_ = np.array(halves)
    (told_of,) = advice(CommunityReport.of(model, graph), model, graph)
    assert told_of == f"{words} modularity or normalized_cut"


@pytest.mark.parametrize("objective", ["auto", "bethe_hessian", "modularity", "normalized_cut"])
def test_a_graph_without_communities_is_told(objective):
    words = "no communities detected; use -k to ask for a number anyway"
    assert told(nx.complete_graph(12), objective=objective) == [words]
    assert told(nx.complete_graph(12), 1, objective=objective) == []


def test_many_divisions_that_are_as_good_are_told():
    """Searches for modularity in a grid hardly agree; those in a ring of cliques do."""
    assert told(nx.karate_club_graph(), objective="modularity") == []
    graph, model = fitted(nx.grid_2d_graph(10, 10), objective="modularity")
    assert model.agreement_ < 0.65
    assert advice(CommunityReport.of(model, graph), model, graph) == [
        f"independent searches agree little ({model.agreement_:.2f} of 1): many different "
        "divisions are nearly as good by modularity"
    ]


def test_other_divisions_that_are_supported_are_told():
    graph, model = fitted(nx.ring_of_cliques(10, 5))
    assert advice(CommunityReport.of(model, graph), model, graph) == []
    model.alternatives_ = [(12, 80.4), (7, 61.0), (8, 1.0), (9, 0.5), (5, 0.1)]
    assert advice(CommunityReport.of(model, graph), model, graph) == [
        "other divisions are supported nearly as well: k = 12 (80 bits), 7 (61 bits), 8 (1 bit), "
        "9 (0.5 bits), ...; there may be no single best one"
    ]


def test_evidence_is_not_used_with_negative_weights():
    G = nx.karate_club_graph()
    G[0][1]["weight"] = -1
    left_out, number = told(G)
    assert left_out.startswith("some weights are negative: modularity, the normalized cut and")
    assert number == (
        "evidence is not used with negative weights: the number of communities follows from "
        "eigenvalues of the Bethe Hessian that chance does not give; use -k to choose another"
    )
    assert len(told(G, 2)) == 1


@pytest.mark.parametrize(
    ("alone", "words"),
    [
        (1, "1 node without edges has a label of its own, after those of the communities"),
        (2, "2 nodes without edges each have a label of their own, after those of the communities"),
    ],
)
def test_nodes_without_edges_are_told(alone, words):
    G = nx.ring_of_cliques(4, 5)
    G.add_nodes_from(range(100, 100 + alone))
    assert told(G) == [words]
    put = "1 node without edges is" if alone == 1 else "2 nodes without edges are"
    beyond = [f"{put} in communities, and nothing in the graph says where they belong"]
    assert told(G, 4) == beyond
    assert told(G, objective="bethe_hessian") == [words]


def test_pieces_of_a_graph_are_told_with_the_communities_that_hold_several():
    G = nx.disjoint_union_all([nx.complete_graph(n) for n in (7, 6, 5)])
    said = "the graph is not connected: it has 3 components, of 7, 6 and 5 nodes"
    assert told(G) == [said]
    assert (
        told(G, 2)[0] == f"{said}; 1 community holds nodes of several components, which no "
        "edge links"
    )
    G.add_node(20)
    assert told(G)[0] == f"{said}, and 1 node without edges"
    many = nx.disjoint_union_all([nx.complete_graph(5)] * 7)
    assert told(many)[0].endswith("it has 7 components, of 5, 5, 5, 5, ... nodes")


def test_components_take_the_place_of_communities_that_are_not_in_sight():
    pieces = nx.disjoint_union_all([nx.path_graph(2) for _ in range(6)])
    pieces.add_nodes_from([20, 21])
    words = "no communities detected, but 6 components; -k 6 would separate them"
    assert told(pieces, objective="bethe_hessian")[0] == words
    assert told(pieces)[0] == words
    with pytest.warns(GraphNotice):
        _, model = fitted(pieces, 6)
    assert all(model.labels_[i] == model.labels_[i + 1] for i in range(0, 12, 2))
    assert len(set(model.labels_[:12:2])) == 6


@pytest.mark.parametrize("objective", ["normalized_cut", "ratio_cut"])
def test_a_small_component_of_its_own_is_told(objective):
    G = nx.disjoint_union(nx.karate_club_graph(), nx.path_graph(2))
    ending = "because that cuts no edge; --largest-component leaves such components out"
    assert told(G, 2, objective=objective) == [
        "the graph is not connected: it has 2 components, of 34 and 2 nodes",
        f"a component of 2 nodes is a community of its own, {ending}",
    ]
    assert not any("cuts no edge" in note for note in told(G, 2, objective="modularity"))
    G = nx.disjoint_union(G, nx.path_graph(3))
    assert told(G, 3, objective=objective)[1:] == [
        f"2 components, the smallest of 2 nodes, are communities of their own, {ending}"
    ]
    equal = nx.disjoint_union(nx.complete_graph(5), nx.complete_graph(5))
    assert len(told(equal, 2, objective=objective)) == 1
    assert told(nx.karate_club_graph(), 2, objective=objective) == []
