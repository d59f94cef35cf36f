"""The rule for the number of communities: what it answers on graphs that people know."""

import networkx as nx
import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.metrics import adjusted_rand_score

from helpers import each
from kgroups import GraphKGroups
from kgroups.metrics import modularity

pytestmark = pytest.mark.filterwarnings("ignore::kgroups.exceptions.GraphNotice")


def fitted(graph, **parameters):
    return GraphKGroups(**{"random_state": 0, "n_jobs": 1, **parameters}).fit(graph)


def shuffled(graph, seed):
    """The same graph with edges, and their ends, in another order."""
    edges = list(graph.edges(data=True))
    rng = np.random.default_rng(seed)
    rng.shuffle(edges)
    again = nx.Graph()
    again.add_edges_from((b, a, w) if rng.random() < 0.5 else (a, b, w) for a, b, w in edges)
    return again


TRIANGLES = nx.Graph([(0, 1), (1, 2), (0, 2), (2, 3), (3, 4), (4, 5), (3, 5)])


@each(
    ("graph", "least", "most", "by"),
    [
        (TRIANGLES, 2, 2, "weak"),
        (nx.davis_southern_women_graph(), 2, 4, "random graphs"),
        (nx.florentine_families_graph(), 1, 4, "one"),
        (nx.connected_caveman_graph(4, 5), 4, 4, "evidence"),
        (nx.ring_of_cliques(10, 5), 10, 10, "evidence"),
        (nx.ring_of_cliques(30, 5), 30, 30, "evidence"),
        (nx.karate_club_graph(), 2, 4, "random graphs"),
        (nx.balanced_tree(3, 4), 1, 1, "one"),
        (nx.star_graph(20), 1, 1, "one"),
        (nx.complete_graph(20), 1, 1, "one"),
        (nx.path_graph(2), 1, 1, "one"),
        (nx.gnm_random_graph(30, 60, seed=1), 1, 1, "one"),
        (nx.gnm_random_graph(300, 900, seed=2), 1, 1, "one"),
        (nx.random_regular_graph(4, 100, seed=3), 1, 1, "one"),
        (nx.disjoint_union_all([nx.complete_graph(5)] * 6), 6, 6, "evidence"),
    ],
)
def test_graphs_that_people_know(graph, least, most, by):
    model = fitted(graph)
    assert least <= model.n_clusters_ <= most
    assert model.decided_by_ == by
    assert 0 <= model.agreement_ <= 1
    assert (model.evidence_ >= 3) == (by == "evidence")
    if most == 1:
        assert model.evidence_ == 0.0


def test_les_miserables_by_any_order_and_number_of_threads():
    graph = nx.les_miserables_graph()
    model = fitted(graph)
    assert 4 <= model.n_clusters_ <= 8
    assert modularity(nx.to_numpy_array(graph), model.labels_) >= 0.53
    expected = dict(zip(model.nodes_.tolist(), model.labels_.tolist(), strict=True))
    other = fitted(shuffled(graph, 1), n_jobs=2)
    assert dict(zip(other.nodes_.tolist(), other.labels_.tolist(), strict=True)) == expected
    assert other.agreement_ == model.agreement_
    scaled = nx.Graph(graph)
    for _, _, edge in scaled.edges(data=True):
        edge["weight"] *= 2.0**70
    assert fitted(scaled).labels_.tolist() == model.labels_.tolist()


@each(("k", "size", "share"), [(2, 5, 1.0), (3, 5, 1.0), (3, 20, 0.3)])
def test_camps_that_oppose_each_other_are_counted(k, size, share):
    """+1 inside and -1 between: the constant eigenvector is none of theirs."""
    rng, camp = np.random.default_rng(k), np.repeat(np.arange(k), size)
    W = np.where(camp[:, None] == camp, 1.0, -1.0)
    W = np.triu(W * (rng.random(W.shape) < share), 1)
    model = fitted(W + W.T)
    assert model.n_clusters_ == k
    assert adjusted_rand_score(camp, model.labels_) == 1.0


def test_random_signs_are_one_community():
    graph = nx.gnm_random_graph(200, 600, seed=1)
    ends = np.array(graph.edges).T
    signs = np.random.default_rng(1).choice([-1.0, 1.0], 600)
    A = csr_array((signs, (ends[0], ends[1])), shape=(200, 200))
    assert fitted(csr_array(A + A.T)).n_clusters_ == 1


@pytest.mark.parametrize(("side", "k"), [(10, 4), (15, 1)])
def test_searches_by_eigenvectors_that_must_agree_have_seeds_of_their_own(side, k):
    grid = nx.grid_2d_graph(side, side)
    assert {fitted(grid, random_state=seed).n_clusters_ for seed in range(3)} == {k}


@pytest.mark.parametrize("bridge", [[], [(0, 400)]])
def test_where_no_search_agrees_on_fine_divisions_a_coarse_one_is_the_answer(bridge):
    grid = nx.grid_2d_graph(20, 20)
    graph = nx.disjoint_union(grid, grid)
    graph.add_edges_from(bridge)
    model = fitted(graph)
    assert model.n_clusters_ == 2
    assert model.labels_.tolist() == np.repeat([0, 1], 400).tolist()
    finer = [bits for k, bits in model.candidates_ if k > 2]
    assert max(finer) > model.evidence_


@pytest.mark.parametrize("objective", ["bethe_hessian", "auto"])
def test_isolated_nodes_do_not_hide_opposed_camps(objective):
    rng, camp = np.random.default_rng(0), np.arange(60) // 20
    sign = np.where(camp[:, None] == camp, 1.0, -1.0)
    upper = np.triu(sign * (rng.random((60, 60)) < 0.3), 1)
    alone = fitted(csr_array(upper + upper.T), objective=objective)
    padded = np.zeros((1200, 1200))
    padded[:60, :60] = upper + upper.T
    model = fitted(csr_array(padded), objective=objective)
    assert model.r_ == alone.r_
    assert model.n_clusters_ == 3
    assert adjusted_rand_score(camp, model.labels_[:60]) == 1.0
