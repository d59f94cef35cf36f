"""Pages of communities and of clusters of any shape, and labels within a page."""

import json

import networkx as nx
import numpy as np
import pytest

from helpers import each
from kgroups import GraphKGroups
from kgroups.pages import label_data
from kgroups.pages.label_data import LabelData
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


def labels_of(data):
    """What the script of the page reads."""
    return [
        int(data.digits[i : i + data.width], 36) for i in range(0, len(data.digits), data.width)
    ]


@each("k", [1, 2, 36, 37, 1_296, 1_297])
def test_all_labels_come_back(k):
    labels = np.random.default_rng(0).integers(k, size=500)
    labels[0] = k - 1
    data = LabelData.of(labels)
    assert labels_of(data) == labels.tolist()
    assert data.width == (1 if k <= 36 else 2 if k <= 1_296 else 3)


def test_names_that_do_not_fit_are_left_out(monkeypatch):
    monkeypatch.setattr(label_data, "ROOM", 40)
    data = LabelData.of(np.zeros(10, np.int64), ["n" * 10] * 10)
    assert data.digits == "0" * 10
    assert data.ids is None


def test_labels_that_do_not_fit_are_left_out(monkeypatch):
    monkeypatch.setattr(label_data, "ROOM", 9)
    data = LabelData.of(np.zeros(10, np.int64), ["a"] * 10)
    assert (data.digits, data.ids) == ("", None)


def test_no_name_ends_the_script():
    text = LabelData.of(np.array([0, 1]), ["</script>", "<!--&"]).to_json()
    assert not set("<>&") & set(text)
    assert json.loads(text)["ids"] == ["</script>", "<!--&"]
    assert json.loads(text)["head"] == ["row", "name", "cluster"]


def test_100000_rows_take_100_kilobytes():
    data = LabelData.of(np.arange(100_000) % 8)
    assert len(data.to_json()) < 100_100
