"""Reports of communities: every number against networkx and by hand."""

import json
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from helpers import ESCAPE
from kgroups.graphs import Graph
from kgroups.report import CommunityReport
from kgroups.report.community_profile import (
    Portrait,
    best_connected,
    community_profiles,
    node_degrees,
)
from kgroups.report.known_labels import label_scores, truth_scores
from report_cases import fitted


def weighted_graph(seed, *, loops):
    """Four planted communities of names, weights, and perhaps self-loops."""
    rng = np.random.default_rng(seed)
    G = nx.planted_partition_graph(4, 12, 0.7, 0.1, seed=seed)
    if loops:
        G.add_edges_from([(3, 3), (20, 20)])
    for u, v in G.edges:
        G[u][v]["weight"] = float(rng.uniform(0.5, 2))
    return nx.relabel_nodes(G, {i: f"n{i}" for i in G})


def groups(graph, model):
    return [set(graph.nodes[model.labels_ == j].tolist()) for j in range(model.n_clusters_)]


@pytest.mark.parametrize("loops", [False, True])
def test_scores_are_those_of_networkx(loops):
    G = weighted_graph(0, loops=loops)
    graph, model = fitted(G, 4)
    report = CommunityReport.of(model, graph)
    found = groups(graph, model)
    coverage, _ = nx.community.partition_quality(G, found)
    pairs = nx.Graph((u, v) for u, v in G.edges if u != v)
    pairs.add_nodes_from(G)
    _, performance = nx.community.partition_quality(pairs, found)
    assert report.scores.modularity == pytest.approx(nx.community.modularity(G, found))
    assert report.scores.coverage == pytest.approx(coverage)
    assert report.scores.performance == pytest.approx(performance)
    ncut = sum(nx.cut_size(G, c, weight="weight") / nx.volume(G, c, weight="weight") for c in found)
    assert report.scores.normalized_cut == pytest.approx(ncut)
    for community, own in zip(report.communities, found, strict=True):
        assert community.nodes == len(own)
        assert community.share == len(own) / 48
        assert community.edges_inside == G.subgraph(own).number_of_edges()
        assert community.edges_leaving == nx.cut_size(G, own)
        assert community.weight_inside == pytest.approx(G.subgraph(own).size("weight"))
        assert community.weight_leaving == pytest.approx(nx.cut_size(G, own, weight="weight"))
        assert community.conductance == pytest.approx(nx.conductance(G, own, weight="weight"))
        degree = dict(G.degree(own, weight="weight"))
        best = sorted(degree, key=degree.__getitem__, reverse=True)[:3]
        assert [member.node for member in community.best_connected] == best
        degrees = [member.degree for member in community.best_connected]
        assert degrees == pytest.approx([degree[node] for node in best])
    assert report.total_weight == pytest.approx(G.size("weight"))
    assert report.mean_degree == pytest.approx(np.mean([d for _, d in G.degree()]))


def test_weights_below_zero():
    G = weighted_graph(0, loops=False)
    G["n0"][next(iter(G["n0"]))]["weight"] = -1.0
    graph, model = fitted(G, 4)
    report = CommunityReport.of(model, graph)
    found = groups(graph, model)
    assert (report.scores.modularity, report.scores.normalized_cut) == (None, None)
    assert report.scores[1:3] == pytest.approx(nx.community.partition_quality(G, found))
    assert {community.conductance for community in report.communities} == {None}
    degree = dict(G.degree(found[0]))
    assert report.communities[0].best_connected[0].degree == max(degree.values())
    json.dumps(report.to_dict(), allow_nan=False)


def test_huge_weights_leave_conductance_finite():
    """The volume of the other side is lost by rounding; it is the cut all the same."""
    G = nx.Graph()
    G.add_weighted_edges_from([("a", "b", 1e40), ("b", "c", 1e40), ("c", "d", 1.0)])
    graph, model = fitted(G, 2, objective="modularity", init=[0, 0, 0, 1])
    assert CommunityReport.of(model, graph).communities[0].conductance == 1.0


def test_names_cannot_steer_a_terminal():
    names = {0: f"{ESCAPE}2J", 1: "x" * 100}
    G = nx.relabel_nodes(nx.star_graph(3), names)
    graph, model = fitted(G, 1)
    text = CommunityReport.of(model, replace(graph, source="\x07.csv")).to_text(width=200)
    assert ESCAPE not in text
    assert "\x07" not in text


def test_a_community_without_edges_has_no_conductance():
    G = nx.Graph([(0, 1), (1, 2), (2, 0)])
    G.add_nodes_from([3, 4])
    with pytest.warns(UserWarning, match="the graph is not connected"):
        graph, model = fitted(G, 2, objective="modularity", init=[0, 0, 0, 1, 0])
    lone = Graph(graph.adjacency, graph.nodes)
    model.labels_ = np.array([0, 0, 0, 1, 1])
    report = CommunityReport.of(model, lone)
    assert [c["conductance"] for c in report.to_dict()["communities"]] == [0.0, None]


def graph(edges, n):
    A = np.zeros((n, n))
    for u, v, weight in edges:
        A[u, v] = A[v, u] = weight
    return csr_array(A)


# A triangle with a loop at 0 and a pair, joined by one edge of weight 1/2.
A = graph([(0, 1, 3), (0, 2, 1), (1, 2, 1), (2, 3, 0.5), (3, 4, 4), (0, 0, 2)], 5)
LABELS = np.array([0, 0, 0, 1, 1])


def test_two_communities_by_hand():
    members = best_connected(node_degrees(A, is_signed=False), LABELS, 2, np.array(list("abcde")))
    first, second = community_profiles(Portrait.of(A, LABELS, 2), members)
    assert (first.nodes, first.share, first.edges_inside, first.edges_leaving) == (3, 0.6, 4, 1)
    assert (first.weight_inside, first.weight_leaving) == (7.0, 0.5)
    assert (second.edges_inside, second.weight_inside) == (1, 4.0)
    assert first.conductance == second.conductance == pytest.approx(0.5 / 8.5)
    assert first.best_connected == (("a", 8.0), ("b", 4.0), ("c", 2.5))  # the loop counts twice
    assert second.best_connected == (("d", 4.5), ("e", 4.0))


def test_scores_are_counted_or_weighed():
    scores = Portrait.of(A, LABELS, 2).scores()
    assert scores.coverage == pytest.approx(5 / 6)
    assert scores.modularity == pytest.approx(22 / 23 - (14.5**2 + 8.5**2) / 23**2)
    plain = Portrait.of(graph([(0, 1, 1), (1, 2, 1)], 3), np.array([0, 0, 1]), 2)
    assert plain.weighed is plain.counted


def test_weights_below_zero_leave_shares_undefined():
    portrait = Portrait.of(graph([(0, 1, 1), (1, 2, -1)], 3), np.array([0, 0, 1]), 2)
    assert portrait.is_signed
    assert portrait.conductances == [None, None]
    assert portrait.scores().modularity is portrait.scores().normalized_cut is None
    assert portrait.scores().coverage == 0.5
    signed = graph([(0, 1, 1), (1, 2, -1)], 3)
    assert node_degrees(signed, is_signed=True).tolist() == [1.0, 2.0, 1.0]


def test_truth_scores_are_of_the_nodes_that_have_a_label():
    labels = [0, 0, 1, 1, 1, 0]
    truth = ["x", "x", "y", "x", None, None]
    found = truth_scores(truth, labels)
    assert (found.classes, found.labeled, found.unlabeled) == (2, 4, 2)
    assert (found.accuracy, found.overlap) == (0.75, 0.5)
    assert found.nmi == normalized_mutual_info_score(truth[:4], labels[:4])
    assert found.ari == adjusted_rand_score(truth[:4], labels[:4])


def test_accuracy_is_over_the_best_matching():
    """Clusters 2, 2, 0, 0, 0, 1 match a, a, b, b, c, c as 2-a, 0-b and 1-c: five of six."""
    found = label_scores(list("aabbcc"), [2, 2, 0, 0, 0, 1])
    assert found.accuracy == pytest.approx(5 / 6)
    assert found.nmi == normalized_mutual_info_score([0, 0, 1, 1, 2, 2], [2, 2, 0, 0, 0, 1])
    assert found.ari == adjusted_rand_score([0, 0, 1, 1, 2, 2], [2, 2, 0, 0, 0, 1])


def test_labels_of_several_types_may_be_mixed():
    """A name, a number and a flag are three classes, where sorting them would fail."""
    found = truth_scores(["x", 2, (1,), "x"], np.array([0, 1, 2, 0]))
    assert (found.classes, found.accuracy, found.overlap) == (3, 1.0, 1.0)
