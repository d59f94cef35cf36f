"""Reports of communities: every number against networkx, the metrics and the estimator."""

import json
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest

import kgroups
from helpers import ESCAPE, assert_color_is_all_that_color_adds
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
@pytest.mark.parametrize("seed", range(3))
def test_scores_are_those_of_networkx(seed, loops):
    G = weighted_graph(seed, loops=loops)
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


@pytest.mark.parametrize("weighted", [False, True])
def test_scores_are_those_of_the_metrics(karate, weighted):
    graph, model = fitted(weighted_graph(0, loops=True), 4) if weighted else karate
    report, A = CommunityReport.of(model, graph), graph.adjacency
    for name, value in report.scores._asdict().items():
        assert value == pytest.approx(getattr(metrics, name)(A, model.labels_), rel=1e-12)
    conductances = [community.conductance for community in report.communities]
    assert conductances == pytest.approx(metrics.conductance(A, model.labels_).tolist())


def test_equal_degrees_keep_the_order_of_the_nodes():
    graph, model = fitted(nx.cycle_graph(6), 1)
    best = CommunityReport.of(model, graph).communities[0].best_connected
    assert best == ((0, 2.0), (1, 2.0), (2, 2.0))
    assert all(type(member.node) is int for member in best)


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
    text = found.to_text(width=200)
    assert "4: 1 a, 2 b, 1 c" in text
    assert "best start              b (by likelihood); 2 of 4 starts agree" in text


def test_r_is_told_where_it_was_used():
    G = nx.karate_club_graph()
    for k in (2, "auto"):
        of_modularity = CommunityReport.of(*reversed(fitted(G, k, objective="modularity")))
        assert of_modularity.r is None
        assert "parameter r" not in of_modularity.to_text(width=200)
    G[0][1]["weight"] = -1
    counted = CommunityReport.of(*reversed(fitted(G, objective="ratio_association")))
    assert counted.r is not None
    assert counted.decision.chosen_by == "bethe_hessian"


@pytest.mark.parametrize("k", ["auto", 2])
def test_labels_to_begin_with(k):
    graph, model = fitted(nx.karate_club_graph(), k, init=[0] * 17 + [1] * 17)
    report = CommunityReport.of(model, graph)
    assert report.decision.chosen_by == ("init" if k == "auto" else "asked")
    assert ("as in the initial labels" in report.to_text(width=200)) == (k == "auto")


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
    text = report.to_text(width=200)
    assert "best connected (edges)" in text
    for undefined in ("modularity", "normalized cut", "conductance"):
        assert undefined not in text
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


# --- known communities -----------------------------------------------------------------------


def test_one_class_has_no_overlap(karate):
    graph, model = karate
    report = CommunityReport.of(model, graph, labels_true=["x"] * 34, truth_source="t.csv")
    assert report.to_dict()["truth_scores"]["overlap"] is None
    head = "Against t.csv: 1 class, 34 nodes"
    assert f"{head}\noverlap (accuracy beyond chance)  -\n" in report.to_text(width=200)


# --- text ------------------------------------------------------------------------------------


def test_text(karate):
    graph, model = karate
    club = [d["club"] if n else None for n, d in nx.karate_club_graph().nodes(data=True)]
    report = CommunityReport.of(
        model, replace(graph, source="karate.csv"), labels_true=club, truth_source="clubs.csv",
        seconds=0.25,
    )  # fmt: skip
    lines = report.to_text(width=200).splitlines()
    assert lines[0] == "karate.csv: 34 nodes, 78 edges, mean degree 4.59, connected"
    assert lines[1] == "2 communities, as requested"
    assert lines[3].endswith("conductance  best connected (degree)")
    for j, size in enumerate(np.bincount(model.labels_)):
        assert lines[4 + j].split()[:3] == [str(j), str(size), f"{size / 34:.1%}"]
    assert lines[6] == (
        "conductance: edges that leave / edge ends of the community, or of the rest if it has "
        "fewer; smaller is better"
    )
    text = report.to_text(width=200)
    beyond = "edges inside communities beyond what chance gives"
    assert f"modularity              {report.scores.modularity:.4f} ({beyond})\n" in text
    value = f"{model.objective_:.6g}"
    assert f"Q of the Bethe Hessian  {value} (larger is better; the objective)\n" in text
    assert "parameter r             2.14202 (of the Bethe Hessian)\n" in text
    assert "Against clubs.csv: 2 classes, 33 nodes; 1 node without a label not counted\n" in text
    assert lines[-1].startswith("Converged: " if model.n_moves_ == 0 else "Converged after ")
    assert lines[-1].endswith("(checked exactly); 0.25 s in all.")
    assert not [line for line in lines if line != line.rstrip()]
    assert ESCAPE not in text


def test_color_is_all_that_color_adds(karate):
    graph, model = karate
    report = CommunityReport.of(model, graph, labels_true=model.labels_.tolist())
    assert_color_is_all_that_color_adds(report)


@pytest.mark.parametrize(
    ("objective", "line"),
    [
        ("modularity", "modularity      0.3718 (edges inside communities beyond what chance gives"),
        ("normalized_cut", "normalized cut  0.2564 (share of edge ends that leave, summed over"),
        ("ratio_cut", "ratio cut       "),
        ("ratio_association", "ratio association  "),
    ],
)
def test_the_objective_is_told_once(objective, line):
    graph, model = fitted(nx.Graph(nx.karate_club_graph().edges), 2, objective=objective)
    report = CommunityReport.of(model, graph)
    assert line in report.to_text(width=200)
    assert report.to_text(width=200).count("the objective)\n") == 1
    if objective in ("modularity", "normalized_cut"):
        assert report.objective_value == pytest.approx(report.scores._asdict()[objective])


def test_only_the_first_of_many_communities_are_shown():
    cliques = nx.disjoint_union_all([nx.complete_graph(s) for s in range(9, 33)])
    with pytest.warns(UserWarning, match="the graph is not connected"):
        graph, model = fitted(cliques, objective="bethe_hessian")
    assert model.n_clusters_ == 24
    report = CommunityReport.of(model, graph)
    text = report.to_text(width=200)
    assert "24 components, the largest with 32 nodes" in text
    assert "24 communities, chosen automatically: the Bethe Hessian has 24 negative" in text
    assert "\n       19     13 " in text
    assert "\nand 4 more with 9 to 12 nodes\n" in text
    assert len(report.to_dict()["communities"]) == 24


def test_one_community():
    model_of = fitted(nx.complete_graph(8), objective="bethe_hessian")
    report = CommunityReport.of(*reversed(model_of))
    text = report.to_text(width=200)
    why = "the Bethe Hessian has no second negative eigenvalue"
    assert f"1 community, chosen automatically: {why}\n" in text
    assert "start                   one community\n" in text
    assert "-0.0000" not in text


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


def test_names_cannot_steer_a_terminal_nor_fill_the_line():
    names = {0: f"{ESCAPE}2J", 1: "x" * 100}
    G = nx.relabel_nodes(nx.star_graph(3), names)
    graph, model = fitted(G, 1)
    text = CommunityReport.of(model, replace(graph, source="\x07.csv")).to_text(width=200)
    assert ESCAPE not in text
    assert "\x07" not in text
    assert f"{'x' * 27}… (1)" in text


def test_weighted_graphs_say_so():
    graph, model = fitted(weighted_graph(1, loops=False), 4)
    report = CommunityReport.of(model, graph)
    assert f"edges of total weight {report.total_weight:.6g}, mean degree" in report.to_text(
        width=200
    )
    mean = f"mean degree {report.mean_degree:.2f} (edges, not weights), "
    assert mean in report.to_text(width=200)
    assert "best connected (weighted degree)" in report.to_text(width=200)


def test_not_converged():
    G = nx.gnp_random_graph(300, 0.05, seed=0)
    with pytest.warns(UserWarning, match="Stopped at max_iter"):
        graph, model = fitted(G, 6, init="random", max_iter=1)
    report = CommunityReport.of(model, graph)
    assert report.to_dict()["converged"] is False
    assert "Not converged: nodes still moved after 1 pass;" in report.to_text(width=200)


def test_isolated_nodes_and_loops_are_counted_apart():
    G = nx.Graph([(0, 1), (1, 2), (2, 0), (3, 4), (1, 1)])
    G.add_nodes_from([5, 6])
    with pytest.warns(UserWarning, match="the graph is not connected"):
        graph, model = fitted(G, 2, init=[0, 0, 0, 1, 1, 0, 0])
    report = CommunityReport.of(model, graph, n_left_out=3)
    found = report.to_dict()
    assert [found[key] for key in ("edges", "self_loops", "isolated", "left_out")] == [5, 1, 2, 3]
    assert report.to_text(width=200).startswith(
        "graph: 7 nodes, 2 of them isolated, 3 outside the largest component left out, "
        "4 edges and 1 self-loop, mean degree 1.43, 4 components, the largest with 3 nodes\n"
    )


def test_a_community_without_edges_has_no_conductance():
    G = nx.Graph([(0, 1), (1, 2), (2, 0)])
    G.add_nodes_from([3, 4])
    with pytest.warns(UserWarning, match="the graph is not connected"):
        graph, model = fitted(G, 2, objective="modularity", init=[0, 0, 0, 1, 0])
    lone = Graph(graph.adjacency, graph.nodes)
    model.labels_ = np.array([0, 0, 0, 1, 1])
    report = CommunityReport.of(model, lone)
    assert [c["conductance"] for c in report.to_dict()["communities"]] == [0.0, None]
    row = next(
        line for line in report.to_text(width=200).splitlines() if line.lstrip().startswith("1 ")
    )
    assert row.split()[5] == "-"
