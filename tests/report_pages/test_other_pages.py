"""Pages of communities, of clusters of any shape, of numbers of clusters and of tests."""

import networkx as nx
import pytest

from kgroups import GraphKGroups
from page_cases import groups, parsed

pytestmark = pytest.mark.usefixtures("undrawn")


@pytest.mark.filterwarnings("ignore::kgroups.exceptions.GraphNotice")
def test_communities_by_their_names():
    edges = [("a", "b"), ("b", "c"), ("a", "c"), ("c", "d"), ("d", "e"), ("e", "f"), ("d", "f")]
    page = GraphKGroups(2, random_state=0).fit(edges).report(edges)
    assert sorted(page.labels.ids) == list("abcdef")


def test_clusters_of_any_shape_from_python():
    X = groups(90, 3)
    model = GraphKGroups(affinity="nearest_neighbors", random_state=0).fit(X)
    page = model.report(X, ids=[f"r{i}" for i in range(90)])
    assert page.labels.ids[:2] == ["r0", "r1"]
    parsed(page.to_html())


def test_what_is_said_of_communities_is_what_was_counted():
    """A bipartite graph in its halves has no link inside; searches that agree prove nothing."""
    halves = [0] * 6 + [1] * 5
    graph = nx.complete_bipartite_graph(6, 5)
    model = GraphKGroups(2, init=halves, max_iter=1, tol=1e6).fit(graph)
    short = model.report(graph).verdict
    assert "2 communities, with 0 of 30 links inside them" in short.sentence
    free = GraphKGroups(random_state=0).fit(nx.karate_club_graph())
    sentence = free.report(nx.karate_club_graph()).verdict.sentence
    assert "agree to" in sentence
    assert "sure" not in sentence
