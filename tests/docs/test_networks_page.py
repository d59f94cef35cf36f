"""Every claim of docs/networks.md that a number can test in seconds.

How often the number of communities is found, and how well communities are, is tested on more graphs
by tests/statistical/test_communities.py; times are those of benchmarks.communities.
"""

import json
import re

import networkx as nx
import numpy as np
import pytest

from benchmarks.networks import speed
from kgroups import GraphKGroups
from kgroups.exceptions import GraphNotice
from kgroups.graphs import graph_starts, stochastic_block_model
from kgroups.graphs.free import accepted
from kgroups.metrics import modularity, overlap
from kgroups.names import GRAPH_INITS, OBJECTIVES
from kgroups.select import bethe_hessian_n_communities
from pages import ROOT, number, page, said, table

PAGE = page("networks")
KARATE = nx.to_numpy_array(nx.karate_club_graph(), weight=None)


def fit(k=2, A=KARATE, **settings):
    return GraphKGroups(k, random_state=0, **settings).fit(A)


def association(A, labels, k):
    return A[np.ix_(labels == k, labels == k)].sum()


@pytest.fixture
def table_of_objectives():
    return [cells[0].split()[0].strip('`"') for cells in table(PAGE, "| `objective=` |")]


def test_the_table_has_all_objectives_and_the_default(table_of_objectives):
    assert set(table_of_objectives) == set(OBJECTIVES)
    assert GraphKGroups().objective == table_of_objectives[0] == "auto"
    assert '`"auto"` (default)' in PAGE


def value(name, A, labels):
    """What the table says that an objective optimizes, by its formula."""
    degrees, sizes = A.sum(axis=1), np.bincount(labels)
    inner = np.array([association(A, labels, k) for k in range(len(sizes))])
    volume = np.array([degrees[labels == k].sum() for k in range(len(sizes))])
    r = degrees.mean() ** 0.5
    H = (r**2 - 1) * np.eye(len(A)) - r * A + np.diag(degrees)
    return {
        "bethe_hessian": sum(-association(H, labels, k) / n for k, n in enumerate(sizes)),
        "normalized_cut": ((volume - inner) / volume).sum(),
        "modularity": modularity(A, labels),
        "cpm": inner.sum() / 2 - 0.1 * (sizes * (sizes - 1)).sum() / 2,
        "ratio_cut": ((volume - inner) / sizes).sum(),
        "ratio_association": (inner / sizes).sum(),
    }[name]


@pytest.mark.parametrize("name", OBJECTIVES)
def test_each_objective_is_what_the_table_says_and_no_move_of_a_node_improves_it(name):
    model = fit(objective=name, resolution=0.1 if name == "cpm" else 1.0)
    name = model.chosen_objective_
    assert model.objective_ == pytest.approx(value(name, KARATE, model.labels_))
    sign = -1 if name.endswith("cut") else 1
    for node in range(34):
        moved = model.labels_.copy()
        moved[node] = 1 - moved[node]
        assert sign * value(name, KARATE, moved) <= sign * model.objective_ + 1e-9


def test_ratio_cut_by_degrees_is_the_normalized_cut():
    both = [fit(objective="normalized_cut"), fit(objective="ratio_cut", weights="degree")]
    assert both[0].objective_ == pytest.approx(both[1].objective_)


def test_the_unit_of_the_weights_does_not_matter_and_one_heavy_edge_does_not_decide():
    A = nx.to_numpy_array(nx.karate_club_graph())
    labels = fit(A=A).labels_
    for unit in (1e-6, 1e6):
        np.testing.assert_array_equal(fit(A=unit * A).labels_, labels)
    heavy = A.copy()
    heavy[0, 1] = heavy[1, 0] = 30 * A.max()
    assert np.mean(fit(A=heavy).labels_ == labels) > 0.85


def test_negative_weights_are_accepted_by_some_objectives():
    A = KARATE.copy()
    A[0, 1] = A[1, 0] = -1
    for name in OBJECTIVES:
        if name in ("auto", "bethe_hessian", "ratio_association"):
            assert len(fit(A=A, objective=name).labels_) == 34
        else:
            with pytest.raises(ValueError, match="negative"):
                fit(A=A, objective=name)


def test_directed_graphs_are_made_undirected_with_a_notice():
    with pytest.warns(GraphNotice, match="direct"):
        labels = fit(A=nx.DiGraph(nx.karate_club_graph().edges)).labels_
    assert len(labels) == 34


def test_self_loops_have_two_ends_as_in_networkx():
    graph = nx.karate_club_graph()
    graph.add_edge(0, 0, weight=5)
    model = fit(A=graph, objective="modularity")
    parts = [set(np.flatnonzero(model.labels_ == k).tolist()) for k in range(2)]
    assert model.objective_ == pytest.approx(nx.community.modularity(graph, parts))


@pytest.mark.filterwarnings("ignore::kgroups.exceptions.GraphNotice")
@pytest.mark.parametrize("settings", [{"objective": "normalized_cut"}, {"weights": "degree"}])
def test_isolated_nodes_never_move_where_nodes_weigh_their_degree(settings):
    A = np.zeros((37, 37))
    A[:34, :34] = KARATE
    for begun in ([0, 1, 1], [1, 0, 1]):
        start = np.append(np.arange(34) % 2, begun)
        found = fit(A=A, init=start, **settings).labels_
        swapped = start if found[-1] == start[-1] else 1 - start
        np.testing.assert_array_equal(found[34:], swapped[34:])


def test_what_decides_and_what_the_page_calls_it():
    decided = {cells[0] for cells in table(PAGE, "| `decided_by_` |")}
    names = {word for cell in decided for word in re.findall(r'"([a-z ]+)"', cell)}
    assert names == {"evidence", "random graphs", "weak", "one", "objective", "spectrum", "given"}
    assert fit().decided_by_ == "given"
    assert fit("auto").decided_by_ == "random graphs"
    assert fit("auto", nx.to_numpy_array(nx.ring_of_cliques(10, 5))).decided_by_ == "evidence"
    assert fit("auto", nx.to_numpy_array(nx.barbell_graph(3, 0))).decided_by_ == "weak"
    assert fit("auto", np.ones((9, 9)) - np.eye(9)).decided_by_ == "one"
    assert fit("auto", objective="modularity").decided_by_ == "objective"
    assert fit("auto", objective="bethe_hessian").decided_by_ == "spectrum"


def test_the_thresholds_of_the_rule_are_those_of_the_page():
    bits, agreement, few = said(
        PAGE.replace("\n", " "),
        r"by at least (\d+) bits.*index of (\.\d+) or more.*Below (\d+) nodes",
    )
    assert (bits, agreement, few) == (accepted.SUPPORTED, accepted._AGREED, accepted._FEW)


def test_the_bethe_hessian_counts_negative_eigenvalues():
    for seed in range(3):
        A = stochastic_block_model(200, 3, 8, 2, random_state=seed)[0]
        dense, degrees = A.toarray(), A.toarray().sum(axis=1)
        r = degrees.mean() ** 0.5
        H = (r**2 - 1) * np.eye(200) - r * dense + np.diag(degrees)
        count = np.sum(np.linalg.eigvalsh(H) < 0)
        assert bethe_hessian_n_communities(A) == count
    assert "mean degree 10 and λ = 2 it gave the planted number" in PAGE.replace("\n", " ")


def test_counts_of_the_page_agree_with_the_units_that_are_kept():
    """98, 100 and 100 of 100: what was computed of them has no more errors than that."""
    right = said(PAGE, r"planted number for (\d+), (\d+) and (\d+) of 100 graphs")
    kept = json.loads((ROOT / "docs" / "checks" / "community-counts.json").read_text())
    for k, most in zip((2, 5, 10), right, strict=True):
        units = [unit for unit in kept["units"].values() if unit["k"] == k]
        assert units
        assert sum(unit["found"] != k for unit in units) <= 100 - most


def test_kinds_of_starts():
    kinds = {name for name in GRAPH_INITS if f"**{name}**" in PAGE}
    assert kinds == {"belief", "spectral", "spectral-unit", "spectral-walk", "multilevel"}
    (largest,) = said(PAGE, r"only kind of start beyond about ([\d,]+) / k nodes")
    assert largest == graph_starts.LARGEST_TABLE
    starts = fit(objective="bethe_hessian").start_names_
    assert set(starts) >= {"belief", "spectral", "multilevel"}
    assert "spectral-walk" in fit(objective="normalized_cut").start_names_


@pytest.mark.parametrize("objective", ["normalized_cut", "modularity", "ratio_association"])
def test_the_best_objective_wins(objective):
    model = fit(objective=objective)
    assert model.selected_by_ == "objective"
    assert model.start_values_[model.best_start_] == max(model.start_values_)


def test_the_likelihood_decides_for_the_bethe_hessian():
    assert fit(objective="bethe_hessian").selected_by_ == "likelihood"
    assert fit(objective="modularity").selected_by_ == "objective"


@pytest.mark.filterwarnings("ignore::kgroups.exceptions.GraphNotice")
def test_overlaps_of_the_table_are_those_of_a_few_graphs():
    """The means of 100 graphs; two must come near, and above what was published."""
    rows = [[number(c.split(" ± ")[0]) for c in row] for row in table(PAGE, "| λ | Bethe")]
    for snr, _, published, ours in rows:
        found = []
        for seed in range(2):
            A, truth = stochastic_block_model(1_000, 15, 3, snr, random_state=seed)
            labels = GraphKGroups(15, random_state=seed).fit(A).labels_
            found.append(overlap(truth, labels))
        assert np.mean(found) == pytest.approx(ours, abs=0.06)
        assert ours > published


def test_the_million_nodes_are_those_of_the_benchmark():
    k, share = said(PAGE, r"ten million edges, (\d+) planted communities with (\d+ %) of the")
    assert (k, share) == (speed.K, speed.INSIDE)
    assert f"`GraphKGroups({speed.K})`" in PAGE
    assert speed.DEGREE * 1_000_000 / 2 == 10_000_000
