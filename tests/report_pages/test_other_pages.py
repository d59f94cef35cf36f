"""Pages of communities, of clusters of any shape, of numbers of clusters and of tests."""

from dataclasses import replace

import networkx as nx
import numpy as np
import pytest

from kgroups import GraphKGroups
from kgroups.pages.cluster_count_page import cluster_count_page
from kgroups.pages.energy_test_page import energy_test_page
from kgroups.report import ClusterCountReport, EnergyTestReport, RunRecord
from kgroups.select import choose_n_clusters
from kgroups.semimetrics import Energy
from kgroups.stats import energy_test
from page_cases import groups, headings, parsed, texts, without_pictures

RUN = RunRecord(command="kgroups ...", settings={"seed": 0}, data={"source": "data"})
pytestmark = pytest.mark.usefixtures("undrawn")


def test_communities_from_python():
    G = nx.karate_club_graph()
    page = GraphKGroups(2, random_state=0).fit(G).report(G, source="a club")
    assert page.title == "2 communities in a club"
    assert "Their number was asked for." in page.verdict.sentence
    html = page.to_html()
    assert headings(html) == [
        "In short", "The communities", "The network", "The numbers", "How to repeat it",
        "The labels",
    ]  # fmt: skip
    assert page.labels.head == ["node", "community"]
    assert " s in all" not in without_pictures(html)


@pytest.mark.filterwarnings("ignore::kgroups.exceptions.GraphNotice")
def test_communities_by_their_names():
    edges = [("a", "b"), ("b", "c"), ("a", "c"), ("c", "d"), ("d", "e"), ("e", "f"), ("d", "f")]
    page = GraphKGroups(2, random_state=0).fit(edges).report(edges)
    assert sorted(page.labels.ids) == list("abcdef")
    assert "around" in " ".join(page.verdict.parts[1].items)


def test_networks_that_are_not_those_of_the_fit():
    G = nx.karate_club_graph()
    model = GraphKGroups(2, random_state=0).fit(G)
    with pytest.raises(ValueError, match="A has 3 nodes and the model was fitted on 34"):
        model.report([("a", "b"), ("b", "c")])
    with pytest.raises(ValueError, match="nodes have the names of their graph"):
        model.report(G, ids=["a"] * 34)


def test_clusters_of_any_shape_from_python():
    X = groups(90, 3)
    model = GraphKGroups(affinity="nearest_neighbors", random_state=0).fit(X)
    page = model.report(X, ids=[f"r{i}" for i in range(90)])
    assert page.title == "3 clusters of any shape in the data"
    assert page.labels.ids[:2] == ["r0", "r1"]
    lines = page.verdict.parts[1].items
    assert len(lines) == 3
    assert all("(30 rows, 33%)" in line for line in lines)
    parsed(page.to_html())
    with pytest.raises(ValueError, match="A has 89 rows and the model was fitted on 90"):
        model.report(X[1:])


def count_report(X, **options):
    count = choose_n_clusters(X, range(1, 5), random_state=0, **options)
    return ClusterCountReport(count=count, source="data", metric=Energy(), n_features=2)


def test_a_number_that_is_sure():
    page = cluster_count_page(count_report(groups()), RUN)
    assert page.title == "How many clusters are in data?"
    assert page.verdict.sentence == (
        "The 60 rows of data are best divided into 3 clusters. That is rather sure: all 3 checks "
        "say so."
    )
    assert "kgroups cluster with -k 3" in page.verdict.parts[3].items[0]
    (criteria, *_) = (part for part in page.sections[1].parts if part.kind == "grid")
    assert [row[0] for row in criteria.rows][:2] == ["separation", "gap"]


def voted(report, *votes):
    """The same report with other votes, of which the middle one is the answer."""
    criteria = list(report.count.criteria)
    knowing = [place for place, one in enumerate(criteria) if one.knows_one]
    for place, vote in zip(knowing, votes, strict=True):
        criteria[place] = replace(criteria[place], n_clusters=vote)
    count = replace(report.count, criteria=tuple(criteria), n_clusters=sorted(votes)[1])
    return replace(report, count=count)


def test_numbers_that_are_less_sure():
    report = count_report(groups())
    near = cluster_count_page(voted(report, 2, 3, 3), RUN).verdict
    assert "That is fairly sure: the checks say 2 or 3." in near.sentence
    far = cluster_count_page(voted(report, 1, 2, 4), RUN).verdict
    assert "anything between 1 and 4, and this is the median" in far.sentence
    assert "Compare the clusters for 1 to 4; keep what is useful." in far.parts[3].items
    none = cluster_count_page(voted(report, 1, 1, 2), RUN).verdict
    assert "show no clusters" in none.sentence


def test_a_number_at_the_limit_is_not_sure():
    report = voted(count_report(groups()), 4, 4, 4)
    page = cluster_count_page(
        replace(report, count=replace(report.count, at_limit=("gap", "separation"))), RUN
    )
    assert (
        "That is not sure: gap and separation suggest 4, the largest number tried, so there may be "
        "more." in page.verdict.sentence
    )
    assert page.verdict.parts[3].items == [
        "Try more than 4 clusters: kgroups choose-k with --k-max 8."
    ]


def compared(*means):
    rng = np.random.default_rng(0)
    samples = [rng.normal(mean, 1, (40, 2)) for mean in means]
    result = energy_test(*samples, random_state=0, n_permutations=99)
    names = tuple("abcdefgh"[: len(means)])
    return EnergyTestReport(result=result, names=names, n_features=2, random_state=0)


@pytest.mark.parametrize(
    ("means", "answer"),
    [
        ((0, 5), "The samples a and b differ; the difference is large (0."),
        ((0, 0.7), "The samples a and b differ; the difference is moderate (0."),
        ((0, 0), "No difference between the samples a and b was found."),
        ((0, 0, 5), "Not all of the samples a, b and c are alike; the largest difference"),
        ((0, 0, 0, 0, 0, 5), "Not all of the samples (there are 6) are alike"),
    ],
)
def test_the_answer_of_a_test(means, answer):
    page = energy_test_page(compared(*means), RUN)
    assert page.verdict.sentence.startswith(answer)
    html = page.to_html()
    assert texts(parsed(html), "h1") == ["Do the samples of data differ?"]


def test_no_evidence_is_no_proof():
    page = energy_test_page(compared(0, 0), RUN)
    assert "That does not prove that there is none" in page.verdict.sentence
    assert "collect more rows and test again, once" in page.verdict.parts[1].items[0]


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
