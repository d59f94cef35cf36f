"""``kgroups communities``: labels of the estimator, objectives and scores of the definitions."""

from typing import Any, NamedTuple

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from scipy.io import mmwrite
from scipy.sparse import csr_array

import oracle
from door_cases import (
    CLIQUE,
    N_NODES,
    adjacency,
    found,
    ring_of_cliques,
    run,
    same_groups,
)
from kgroups import GraphKGroups

A, UNIT = adjacency(), adjacency(weighted=False)
DEGREE = A.sum(axis=1)
ONES = np.ones(N_NODES)
#: A graph without communities, in which every search ends elsewhere.
NOISE = nx.to_numpy_array(nx.gnp_random_graph(N_NODES, 0.3, seed=1))


@pytest.fixture
def data(folder: Any) -> Any:
    """The ring of cliques in files."""
    edges = pd.DataFrame(ring_of_cliques(), columns=["from", "to", "strength"])
    edges.to_csv("ring.csv", index=False)
    edges.to_csv("bare.tsv", index=False, header=False, sep="\t")
    odd = edges.assign(strength=edges["strength"].map("{},0".format), note="x")
    text = odd[["note", "strength", "from", "to"]].to_csv(index=False, sep=";")
    (folder / "odd.dat").write_bytes(("Brücken\n" + text).encode("latin-1"))
    mmwrite("noise.mtx", csr_array(NOISE), symmetry="symmetric")
    nx.write_gml(nx.from_numpy_array(A), "ring.gml")
    pd.DataFrame({"node": range(N_NODES - 4), "club": CLIQUE[:-4]}).to_csv("clubs.csv", index=False)
    with_pair = pd.DataFrame([("a", "b", 1)], columns=edges.columns)
    pd.concat([edges, with_pair]).to_csv("pieces.csv", index=False)
    return folder


def in_order(printed: dict[str, Any]) -> Any:
    """The communities of nodes 0, 1, 2, …, whatever the order of the file is."""
    return np.array(printed["labels"])[np.argsort([int(name) for name in printed["ids"]])]


class Line(NamedTuple):
    """A command line, and what the estimator is given."""

    words: str
    objective: str
    A: Any = A
    weight: Any = ONES
    resolution: float = 1.0
    r: Any = None
    given: Any = ()
    is_ring: bool = True


LINES = {
    "columns": Line("ring.csv --objective modularity", "modularity"),
    "a number": Line("ring.csv -k 4 --objective modularity", "modularity", given={"n_clusters": 4}),
    "fewer": Line(
        "ring.csv -k 2 --objective normalized_cut", "normalized_cut",
        given={"n_clusters": 2}, is_ring=False,
    ),
    "weights ignored": Line("ring.csv --ignore-weights --objective modularity", "modularity", UNIT),
    "no names": Line("bare.tsv --no-header --objective modularity", "modularity"),
    "how it is written": Line(
        "odd.dat --format csv --delimiter ; --decimal , --encoding latin-1 --skip-lines 1"
        " --source from --target to --weight-column strength --objective modularity",
        "modularity",
    ),
    "GML": Line("ring.gml --objective modularity", "modularity"),
    "resolution": Line(
        "ring.csv --objective modularity --resolution 0.5", "modularity", resolution=0.5,
        given={"resolution": 0.5},
    ),
    "cpm": Line("ring.csv --objective cpm --resolution 2", "cpm", resolution=2.0,
                given={"resolution": 2.0}),
    "ratio cut": Line(
        "ring.csv -k 4 --objective ratio_cut --weights degree", "ratio_cut", weight=DEGREE,
        given={"n_clusters": 4, "weights": "degree"},
    ),
    "ratio association": Line(
        "ring.csv -k 4 --objective ratio_association", "ratio_association",
        given={"n_clusters": 4},
    ),
    "Bethe Hessian": Line(
        "ring.csv -k 4 --ignore-weights --objective bethe_hessian --r 2.5", "bethe_hessian", UNIT,
        r=2.5, given={"n_clusters": 4, "r": 2.5},
    ),
    "search": Line(
        "noise.mtx -k 4 --objective ratio_cut --init random --n-init 3 --seed 5 --n-jobs 2",
        "ratio_cut", NOISE, is_ring=False,
        given={"n_clusters": 4, "init": "random", "n_init": 3, "random_state": 5},
    ),
    "another seed": Line(
        "noise.mtx -k 4 --objective ratio_cut --init random --n-init 1 --seed 6",
        "ratio_cut", NOISE, is_ring=False,
        given={"n_clusters": 4, "init": "random", "n_init": 1, "random_state": 6},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", LINES)
@pytest.mark.filterwarnings("ignore::kgroups.exceptions.GraphNotice")
def test_communities_are_those_of_the_estimator_and_their_value_that_of_the_definition(name, data):
    line = LINES[name]
    printed = found("communities", line.words)
    labels = in_order(printed)
    model = GraphKGroups(**{"objective": line.objective, "random_state": 0, **dict(line.given)})
    model.fit(line.A)
    assert same_groups(labels, model.labels_)
    assert not line.is_ring or same_groups(labels, CLIQUE)
    k = printed["n_communities"]
    r = None if line.r is None else np.longdouble(line.r)
    value = oracle.graph_value(
        line.objective, oracle.long(line.A), oracle.long(line.weight), r, labels, k, line.resolution
    )
    assert printed["objective"]["value"] == pytest.approx(float(value), rel=1e-9)
    assert printed["objective"]["name"] == line.objective


def test_scores_are_those_of_networkx(data):
    printed = found("communities ring.csv")
    graph = nx.from_numpy_array(A)
    groups = [set(np.flatnonzero(c == CLIQUE).tolist()) for c in range(4)]
    coverage, performance = nx.community.partition_quality(graph, groups)
    assert same_groups(in_order(printed), CLIQUE)
    scores = printed["scores"]
    assert scores["modularity"] == pytest.approx(nx.community.modularity(graph, groups))
    assert scores["coverage"] == pytest.approx(coverage)
    assert scores["performance"] == pytest.approx(performance)
    assert printed["evidence"] == pytest.approx(oracle.evidence(oracle.long(A), CLIQUE), rel=1e-9)
    assert (printed["nodes"], printed["edges"], printed["total_weight"]) == (
        N_NODES,
        64,
        A.sum() / 2,
    )


def test_known_communities_are_scored_where_they_are_known(data):
    printed = found("communities ring.csv --labels clubs.csv")
    scores = printed["truth_scores"]
    assert (scores["accuracy"], scores["nmi"], scores["ari"]) == (1.0, 1.0, 1.0)
    assert (scores["classes"], scores["labeled"], scores["unlabeled"]) == (4, N_NODES - 4, 4)


def test_nodes_outside_the_largest_component_have_no_community(data):
    assert run("communities pieces.csv --largest-component -o c.csv").status == 0
    written = pd.read_csv("c.csv", dtype={"node": str})
    assert written["node"].tolist()[-2:] == ["a", "b"]
    assert written["community"].isna().tolist() == [False] * N_NODES + [True] * 2
    inside = written[:-2]
    assert same_groups(inside["community"], CLIQUE[inside["node"].astype(int)])


def test_standard_input_needs_a_format(data):
    content = (data / "ring.csv").read_bytes()
    piped = found("communities - --format csv", stdin=content)
    assert piped["labels"] == found("communities ring.csv")["labels"]
