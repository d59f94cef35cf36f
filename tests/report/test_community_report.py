"""Reports of communities: every number against networkx, the metrics and the estimator."""

import json
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest

import kgroups
from helpers import ESCAPE
from kgroups import metrics
from kgroups.graphs import Graph
from kgroups.report import CommunityReport
from report_cases import fitted

KEYS = [
    "schema", "kgroups_version", "source", "nodes", "edges", "self_loops",
    "edges_between", "isolated", "left_out", "weighted", "total_weight", "mean_degree",
    "n_components", "component_sizes", "n_communities", "chosen_by", "decided_by", "evidence",
    "agreement", "alternatives", "communities", "objective",
    "scores", "truth_scores", "starts", "n_iter", "n_moves", "converged", "exactness", "r",
    "random_state", "seconds", "notes", "ids", "labels",
]  # fmt: skip
COMMUNITY_KEYS = [
    "community", "nodes", "share", "edges_inside", "edges_leaving", "weight_inside",
    "weight_leaving", "conductance", "best_connected",
]  # fmt: skip


def weighted_graph(seed, *, loops):
    """Four planted communities of names, weights, and perhaps self-loops."""
    rng = np.random.default_rng(seed)
    G = nx.planted_partition_graph(4, 12, 0.7, 0.1, seed=seed)
    if loops:
        G.add_edges_from([(3, 3), (20, 20)])
    for u, v in G.edges:
        G[u][v]["weight"] = float(rng.uniform(0.5, 2))
    return nx.relabel_nodes(G, {i: f"n{i}" for i in G})


@pytest.fixture(scope="module")
def karate():
    graph, model = fitted(nx.Graph(nx.karate_club_graph().edges), 2)
    return graph, model


def groups(graph, model):
    return [set(graph.nodes[model.labels_ == j].tolist()) for j in range(model.n_clusters_)]


# --- numbers ---------------------------------------------------------------------------------


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


def test_dict(karate):
    graph, model = karate
    graph = replace(graph, source="karate.csv")
    report = CommunityReport.of(model, graph, seconds=1.5, notes=("one",))
    found = report.to_dict()
    assert list(found) == KEYS
    assert [list(community) for community in found["communities"]] == [COMMUNITY_KEYS] * 2
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert found["schema"] == "kgroups.communities/1"
    assert found["kgroups_version"] == kgroups.__version__
    assert (found["source"], found["nodes"], found["edges"]) == ("karate.csv", 34, 78)
    assert (found["weighted"], found["total_weight"], found["component_sizes"]) == (False, 78, [34])
    assert (found["n_communities"], found["chosen_by"]) == (2, "asked")
    assert [community["community"] for community in found["communities"]] == [0, 1]
    assert found["objective"] == {
        "name": "bethe_hessian",
        "value": model.objective_,
        "resolution": None,
    }
    assert (found["decided_by"], found["evidence"]) == ("given", model.evidence_)
    assert (found["agreement"], found["alternatives"]) == (None, [])
    assert found["r"] == model.r_ == pytest.approx(np.sqrt(156 / 34))
    assert found["starts"]["names"] == model.start_names_
    assert found["starts"]["values"] == model.start_values_
    assert found["starts"]["selected_by"] == "likelihood"
    assert (found["n_iter"], found["n_moves"]) == (model.n_iter_, model.n_moves_)
    assert (found["converged"], found["exactness"]) == (True, "one-move optimal")
    assert (found["random_state"], found["seconds"], found["notes"]) == (0, 1.5, ["one"])
    assert found["truth_scores"] is None
    assert (found["ids"], found["labels"]) == (graph.nodes.tolist(), model.labels_.tolist())


def test_the_start_that_was_kept(karate):
    graph, model = karate
    report = CommunityReport.of(model, graph)
    starts = report.starts._replace(
        names=("a", "b", "c", "b"), values=(0.1, 0.4, 0.2, 0.4 - 1e-12), best=1
    )
    found = replace(report, starts=starts)
    assert found.to_dict()["starts"]["kept"] == "b"
    assert found.to_dict()["starts"]["at_best"] == 2


def test_r_is_told_where_it_was_used():
    G = nx.karate_club_graph()
    for k in (2, "auto"):
        of_modularity = CommunityReport.of(*reversed(fitted(G, k, objective="modularity")))
        assert of_modularity.r is None
    G[0][1]["weight"] = -1
    counted = CommunityReport.of(*reversed(fitted(G, objective="ratio_association")))
    assert counted.r is not None
    assert counted.decision.chosen_by == "bethe_hessian"


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


def test_json_holds_no_nan(karate):
    graph, model = karate
    report = replace(CommunityReport.of(model, graph), total_weight=np.inf, objective_value=np.nan)
    found = report.to_dict()
    assert (found["total_weight"], found["objective"]["value"]) == (None, None)


def test_huge_weights_leave_conductance_finite():
    """The volume of the other side is lost by rounding; it is the cut all the same."""
    G = nx.Graph()
    G.add_weighted_edges_from([("a", "b", 1e40), ("b", "c", 1e40), ("c", "d", 1.0)])
    graph, model = fitted(G, 2, objective="modularity", init=[0, 0, 0, 1])
    assert CommunityReport.of(model, graph).communities[0].conductance == 1.0


# --- text ------------------------------------------------------------------------------------


def test_isolated_nodes_are_no_communities():
    G = nx.Graph(nx.karate_club_graph().edges)
    alone = CommunityReport.of(*reversed(fitted(G)))
    G.add_nodes_from(["x", "y"])
    with pytest.warns(UserWarning, match="2 isolated nodes"):
        graph, model = fitted(G)
    report = CommunityReport.of(model, graph)
    found = report.to_dict()
    k = found["n_communities"]
    assert (k, report.n_alone, found["isolated"]) == (alone.n_communities, 2, 2)
    assert (
        dict(zip(found["ids"], found["labels"], strict=True)).items()
        >= {"x": k, "y": k + 1}.items()
    )
    assert [c["community"] for c in found["communities"]] == list(range(k))
    assert sum(c["nodes"] for c in found["communities"]) == 34
    for own, other in zip(report.communities, alone.communities, strict=True):
        assert own.best_connected == other.best_connected
        assert own.conductance == other.conductance
        assert own.share == pytest.approx(other.share * 34 / 36)
    assert report.scores.modularity == pytest.approx(metrics.modularity(G, model.labels_))
    assert report.scores.performance == metrics.performance(graph.adjacency, model.labels_)


def test_names_cannot_steer_a_terminal():
    names = {0: f"{ESCAPE}2J", 1: "x" * 100}
    G = nx.relabel_nodes(nx.star_graph(3), names)
    graph, model = fitted(G, 1)
    text = CommunityReport.of(model, replace(graph, source="\x07.csv")).to_text(width=200)
    assert ESCAPE not in text
    assert "\x07" not in text


def test_isolated_nodes_and_loops_are_counted_apart():
    G = nx.Graph([(0, 1), (1, 2), (2, 0), (3, 4), (1, 1)])
    G.add_nodes_from([5, 6])
    with pytest.warns(UserWarning, match="the graph is not connected"):
        graph, model = fitted(G, 2, init=[0, 0, 0, 1, 1, 0, 0])
    report = CommunityReport.of(model, graph, n_left_out=3)
    found = report.to_dict()
    assert [found[key] for key in ("edges", "self_loops", "isolated", "left_out")] == [5, 1, 2, 3]


def test_a_community_without_edges_has_no_conductance():
    G = nx.Graph([(0, 1), (1, 2), (2, 0)])
    G.add_nodes_from([3, 4])
    with pytest.warns(UserWarning, match="the graph is not connected"):
        graph, model = fitted(G, 2, objective="modularity", init=[0, 0, 0, 1, 0])
    lone = Graph(graph.adjacency, graph.nodes)
    model.labels_ = np.array([0, 0, 0, 1, 1])
    report = CommunityReport.of(model, lone)
    assert [c["conductance"] for c in report.to_dict()["communities"]] == [0.0, None]
