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
        warnings.simplefilter("ignore")
        graph, model = fitted(nx.complete_bipartite_graph(6, 5), 2, init=halves)
    model.labels_ = np.array(halves)
    (told_of,) = advice(CommunityReport.of(model, graph), model, graph)
    assert told_of == f"{words} modularity or normalized_cut"


def test_where_the_number_comes_from_is_told():
    karate = nx.karate_club_graph()
    words = "the number of communities comes from the Bethe Hessian; use -k to choose another"
    assert told(karate, objective="modularity") == [words]
    assert told(karate, 2, objective="modularity") == []
    assert told(nx.complete_graph(12)) == [
        "no communities detected; use -k to ask for a number anyway"
    ]


def test_components_take_the_place_of_communities_that_are_not_in_sight():
    pieces = nx.disjoint_union_all([nx.path_graph(2) for _ in range(6)])
    pieces.add_nodes_from([20, 21])
    words = "no communities detected, but 6 components; -k 6 would separate them"
    assert told(pieces) == [words]
    with pytest.warns(GraphNotice):
        _, model = fitted(pieces, 6)
    assert all(model.labels_[i] == model.labels_[i + 1] for i in range(0, 12, 2))
    assert len(set(model.labels_[:12:2])) == 6


@pytest.mark.parametrize("objective", ["normalized_cut", "ratio_cut"])
def test_a_small_component_of_its_own_is_told(objective):
    G = nx.disjoint_union(nx.karate_club_graph(), nx.path_graph(2))
    ending = "because that cuts no edge; --largest-component leaves such components out"
    assert told(G, 2, objective=objective) == [
        f"a component of 2 nodes is a community of its own, {ending}"
    ]
    assert told(G, 2, objective="modularity") == []
    G = nx.disjoint_union(G, nx.path_graph(3))
    assert told(G, 3, objective=objective) == [
        f"2 components, the smallest of 2 nodes, are communities of their own, {ending}"
    ]
    equal = nx.disjoint_union(nx.complete_graph(5), nx.complete_graph(5))
    assert told(equal, 2, objective=objective) == []
    assert told(nx.karate_club_graph(), 2, objective=objective) == []
