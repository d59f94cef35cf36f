"""The rule for the number of communities: what it answers on graphs that people know."""

from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
from scipy.sparse import coo_array, csr_array
from sklearn.metrics import adjusted_rand_score

from helpers import each
from kgroups import GraphKGroups
from kgroups.graphs import evidence, stochastic_block_model
from kgroups.graphs.free import coarse
from kgroups.graphs.free.accepted import Candidate, Judge
from kgroups.graphs.free.agreement import adjusted_rand, agreement, nested
from kgroups.graphs.free.evidence import resolution_of
from kgroups.graphs.free.potts import PottsGraph
from kgroups.graphs.free.search import settled
from kgroups.graphs.free_search import FreeSearch
from kgroups.metrics import modularity, overlap
from kgroups.runtime.threads import Threads

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


def test_communities_merge_as_long_as_that_gives_evidence():
    """Two of five planted communities, each cut in two at random, are joined again."""
    A, truth = stochastic_block_model(1_000, 5, 10, 2, random_state=3)
    A, labels = csr_array(A), truth.copy()
    labels[(truth < 2) & (np.arange(1_000) % 2 == 0)] += 5
    judge = Judge(A, np.ones(1_000), Threads(1), np.random.default_rng(0))
    split = judge._candidate(labels, 1.0)
    merged = judge._merged(replace(split, agreement=0.9))
    assert adjusted_rand_score(truth, merged.labels) == 1.0
    assert (merged.k, merged.agreement) == (5, 0.9)
    assert merged.evidence > split.evidence
    assert merged.resolution == pytest.approx(resolution_of(A, truth))
    assert judge._merged(merged) is merged
    model = fitted(A, random_state=3)
    assert model.n_clusters_ == 5
    assert model.hierarchy_.evidence.argmax() == 0


def test_at_a_given_number_cuts_are_chosen_only_if_they_are_supported():
    """Near the limit of detectability neither is: -321 bits for the cut, -352 for the better Q."""
    A, truth = stochastic_block_model(1_000, 15, 3, 1.25, random_state=1)
    model = fitted(A, n_clusters=15, random_state=1)
    assert model.chosen_objective_ == "bethe_hessian"
    assert overlap(truth, model.labels_) > 0.5


def test_a_node_with_a_loop_is_one_community():
    for objective in ("auto", "modularity"):
        model = fitted(csr_array(np.ones((1, 1))), objective=objective)
        assert (model.labels_.tolist(), model.agreement_) == ([0], 1.0)
    assert fitted(csr_array(np.eye(2))).n_clusters_ == 1


@pytest.mark.parametrize(("objective", "resolution"), [("modularity", 1.0), ("cpm", 0.5)])
def test_an_objective_that_finds_its_number(objective, resolution):
    graph = nx.ring_of_cliques(8, 6)
    model = fitted(graph, objective=objective, resolution=resolution)
    assert (model.n_clusters_, model.decided_by_, model.agreement_) == (8, "objective", 1.0)
    assert model.chosen_objective_ == objective
    given = fitted(graph, objective=objective, resolution=resolution, n_clusters=4)
    assert (given.n_clusters_, given.decided_by_) == (4, "given")
    assert given.objective_ < model.objective_
    if objective == "modularity":
        assert model.objective_ == pytest.approx(
            modularity(nx.to_numpy_array(graph), model.labels_)
        )
    else:  # 15 edges less half of 15 pairs, in 8 communities
        assert model.objective_ == pytest.approx(60.0)


def test_a_finer_resolution_gives_more_communities():
    graph = nx.les_miserables_graph()
    found = [fitted(graph, objective="modularity", resolution=at).n_clusters_ for at in (0.3, 1, 4)]
    assert found == sorted(found)
    assert found[0] < found[2]


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


@each("objective", ["bethe_hessian", "normalized_cut", "ratio_association"])
def test_every_open_number_leaves_nodes_without_edges_out(objective):
    A = np.pad(nx.to_numpy_array(nx.caveman_graph(3, 6)), (1, 1))
    model = fitted(A, objective=objective)
    assert model.labels_.tolist() == [3, *np.repeat([0, 1, 2], 6), 4]
    assert model.cluster_sizes_.tolist() == [6, 6, 6]


def test_agreement_is_the_adjusted_rand_index():
    rng = np.random.default_rng(0)
    runs = [rng.integers(0, k, 50) for k in (1, 3, 4, 50)] + [np.arange(50)]
    for a in runs:
        for b in runs:
            assert adjusted_rand(a, b) == pytest.approx(adjusted_rand_score(a, b), abs=1e-12)
    pairs = [adjusted_rand_score(runs[i], runs[j]) for i, j in ((1, 2), (1, 3), (2, 3))]
    assert agreement(runs[1:4]) == pytest.approx(np.mean(pairs))
    assert agreement(runs[:1]) == agreement([np.zeros(1, np.int64)] * 2) == 1.0
    assert nested(np.arange(50) // 5, np.arange(50) // 10) == 1.0
    assert nested(np.arange(4) // 2, np.arange(4) % 2) == 0.0


def drawn(levels, degrees, seed=0):
    """A graph in which each node draws so many neighbors from its group on each level."""
    rng = np.random.default_rng(seed)
    n, rows, columns = len(levels[0]), [], []
    for groups, degree in zip(levels, degrees, strict=True):
        order = np.argsort(groups, kind="stable")
        begins = np.searchsorted(groups[order], np.arange(groups.max() + 2))
        first = rng.integers(n, size=n * degree // 2)
        low, high = begins[groups[first]], begins[groups[first] + 1]
        second = order[low + (rng.random(len(first)) * (high - low)).astype(int)]
        rows.append(first[first != second])
        columns.append(second[first != second])
    ends = (np.concatenate(rows), np.concatenate(columns))
    A = coo_array((np.ones(len(ends[0])), ends), shape=(n, n)).tocsr()
    return csr_array((A + A.T) > 0, dtype=float)


def test_communities_within_communities_are_found():
    """100 of 30 nodes in 10 blocks: 43,763 bits for the blocks, 46,216 for the communities."""
    small, large = np.arange(3_000) // 30, np.arange(3_000) // 300
    A = drawn((small, large, np.zeros(3_000, int)), (10, 4, 1))
    model = fitted(A)
    assert model.n_clusters_ == 100
    assert adjusted_rand_score(small, model.labels_) > 0.99
    assert model.evidence_ >= evidence(A, small) > evidence(A, large)


def test_a_coarse_graph_does_not_hide_small_communities(monkeypatch):
    """10 large and 55 small ones: groups of the coarsest graph cut across most of the small."""
    monkeypatch.setattr(coarse, "_LARGE", 20_000)
    monkeypatch.setattr(coarse, "_COMMUNITIES", 20)
    z = np.r_[np.arange(4_445) * 10 // 4_445, 10 + np.arange(555) // 10]
    A = drawn((z, np.zeros(5_000, int)), (8, 2))
    model = fitted(A)
    assert adjusted_rand_score(z, model.labels_) > 0.98
    assert model.evidence_ > 0.98 * evidence(A, z)


def test_one_search_is_not_enough_to_agree():
    model = fitted(nx.grid_2d_graph(15, 15), n_init=1)
    assert model.n_clusters_ == 1
    assert model.agreement_ < 0.65


def test_quarters_of_a_grid_are_supported_and_not_agreed_on():
    model = fitted(nx.grid_2d_graph(10, 10))
    assert model.n_clusters_ == 4
    assert model.agreement_ < 0.65


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


def test_three_parts_of_a_ladder_are_nearly_as_good_as_four():
    ladder = nx.ladder_graph(40)
    model = fitted(ladder)
    rung = np.tile(np.arange(40), 2)
    assert model.n_clusters_ == 4
    assert [k for k, _ in model.alternatives_] == [3]
    assert model.alternatives_[0][1] >= evidence(ladder, rung * 3 // 40) > 0.9 * model.evidence_


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


def test_moves_that_lose_evidence_are_not_kept():
    graph = nx.ring_of_cliques(6, 5)
    A, truth = csr_array(nx.to_scipy_sparse_array(graph, dtype=float)), np.arange(30) // 5
    free = FreeSearch.of(GraphKGroups(random_state=0, n_jobs=1), A, 1.0)
    # At this resolution each node would be alone.
    kept = free._final(Candidate(truth, 6, np.nan, 1.0, "modularity", 20.0), truth)
    assert kept.labels.tolist() == truth.tolist()
    assert kept.exactness == "best supported"
    assert settled(PottsGraph.of_modularity(A, 20.0), truth, free.rng).labels.max() == 29
