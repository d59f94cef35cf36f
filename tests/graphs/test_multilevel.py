"""Coarsening and refinement: groups that shrink, limits that hold, an objective that only rises."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.metrics import adjusted_rand_score

from helpers import each
from kgroups import GraphKGroups
from kgroups.gram import SparseGram
from kgroups.graphs import multilevel, planted_partition
from kgroups.graphs.compiled.multilevel import grow_groups, renumbered
from kgroups.graphs.graph_objectives import BY_NAME
from kgroups.graphs.multilevel import coarsen, multilevel_labels
from kgroups.solvers import Hartigan, Problem
from kgroups.solvers.partition import begin, value

pytestmark = pytest.mark.filterwarnings("ignore::kgroups.exceptions.GraphNotice")


def star(n):
    A = np.zeros((n, n))
    A[0, 1:] = A[1:, 0] = 1
    return csr_array(A)


def path(n):
    return csr_array(np.diag(np.ones(n - 1), 1) + np.diag(np.ones(n - 1), -1))


def grouped(A, weights, most, rounds=3, seed=0):
    order = np.random.default_rng(seed).permutation(A.shape[0])
    return grow_groups(A.indptr, A.indices, A.data, weights, order, most, rounds)


def graph(kind):
    if kind == "star":
        return star(3_000)
    if kind == "dust":
        A = np.zeros((3_000, 3_000))
        A[0, 1] = A[1, 0] = 1
        return csr_array(A)
    if kind == "path":
        return path(3_000)
    if kind == "stars":
        return csr_array(np.kron(np.eye(30), star(100).toarray()))
    return planted_partition(3_000, 5, 8, 0.8, random_state=0)[0]


KINDS = ["star", "stars", "dust", "path", "planted"]


# --- groups --------------------------------------------------------------------------------------


@pytest.mark.nojit
@each("most", [1.0, 2.0, 3.5, 10.0])
@each("seed", range(2))
def test_every_node_is_in_a_group_and_no_group_is_too_heavy(seed, most):
    rng = np.random.default_rng(seed)
    A = planted_partition(60, 3, 6, 0.8, random_state=seed)[0]
    weights = rng.uniform(0.2, 1.5, 60)
    weights[:5] = 0.0
    weights[7] = 50.0  # alone more than a group may be
    groups, count = grouped(A, weights, most, seed=seed)
    assert groups.shape == (60,)
    assert np.unique(groups).tolist() == list(range(count))
    load, size = np.bincount(groups, weights=weights), np.bincount(groups)
    assert (load[size > 1] <= most * (1 + 1e-12)).all()
    assert (groups == groups[7]).sum() == (weights[groups == groups[7]] == 0).sum() + 1
    # In the order of their first nodes.
    assert np.unique(groups, return_index=True)[1].tolist() == sorted(
        np.unique(groups, return_index=True)[1]
    )


@pytest.mark.nojit
def test_no_room_for_two_leaves_all_alone():
    A = path(12)
    groups, count = grouped(A, np.ones(12), 1.5)
    assert (count, groups.tolist()) == (12, list(range(12)))


@pytest.mark.nojit
def test_the_heaviest_edges_are_contracted_first():
    """A path with edges 1, 5, 1, 5, 1 and room for two: the two heavy edges."""
    W = np.zeros((6, 6))
    for i, weight in enumerate([1, 5, 1, 5, 1]):
        W[i, i + 1] = W[i + 1, i] = weight
    for seed in range(10):
        groups, _ = grouped(csr_array(W), np.ones(6), 2.0, seed=seed)
        assert groups[1] == groups[2]
        assert groups[3] == groups[4]
        # The two ends have nobody in common, and no room anywhere.
        assert groups[0] != groups[1]


@pytest.mark.nojit
def test_cliques_become_groups():
    A = csr_array(np.kron(np.eye(4), np.ones((5, 5)) - np.eye(5)))
    groups, count = grouped(A, np.ones(20), 5.0, rounds=10)
    assert count == 4
    assert (groups.reshape(4, 5) == groups.reshape(4, 5)[:, :1]).all()


@pytest.mark.nojit
def test_leaves_of_a_star_pair_up():
    """The hub has room for one leaf; of the eight others each two join."""
    groups, count = grouped(star(10), np.ones(10), 2.0)
    assert count == 5
    assert np.bincount(groups).tolist() == [2] * 5


@pytest.mark.nojit
def test_nodes_without_edges_pair_up():
    groups, count = grouped(csr_array((8, 8)), np.ones(8), 2.0)
    assert count == 4
    assert np.bincount(groups).tolist() == [2] * 4


@pytest.mark.nojit
def test_edges_that_repel_are_not_contracted():
    W = np.array([[0, -1, 2], [-1, 0, 0], [2, 0, 0.0]])
    groups, count = grouped(csr_array(W), np.ones(3), 2.0)
    assert groups[0] == groups[2] != groups[1]
    assert count == 2


@pytest.mark.nojit
def test_renumbered():
    groups, count = renumbered(np.array([4, 2, 4, 0, 2]))
    assert (groups.tolist(), count) == ([0, 1, 0, 2, 1], 3)


# --- levels --------------------------------------------------------------------------------------


@each("kind", KINDS)
def test_levels_shrink_until_few_nodes_are_left(kind):
    A = graph(kind)
    n, k = A.shape[0], 5
    levels = coarsen(SparseGram(A), np.ones(n), k, np.random.default_rng(0))
    sizes = [n, *(level.gram.n for level in levels)]
    least = max(10 * k, min(n // 8, 2_000))
    assert sizes[-1] <= 2 * least
    below = n
    for level, size in zip(levels, sizes, strict=False):
        assert level.gram.n <= 0.9 * size
        assert level.groups.shape == (below,)
        assert np.bincount(level.groups, minlength=level.gram.n).min() > 0
        assert level.weights.sum() == pytest.approx(n)
        assert level.weights.max() <= n / least * (1 + 1e-12)
        below = level.gram.n


def test_a_small_graph_has_no_levels():
    assert coarsen(SparseGram(path(40)), np.ones(40), 5, np.random.default_rng(0)) == []
    assert coarsen(SparseGram(path(40)), np.ones(40), 1, np.random.default_rng(0)) != []


@each("name", BY_NAME)
def test_the_objective_is_the_same_number_on_every_level(name):
    A = graph("planted")
    rng = np.random.default_rng(0)
    problem = BY_NAME[name](A, np.ones(A.shape[0]), 3.0)
    gram, weights, k = problem.gram, problem.weights, 5
    levels = coarsen(gram, weights, k, np.random.default_rng(0))
    assert levels
    labels = rng.integers(k, size=levels[-1].gram.n)
    values = []
    for number in range(len(levels), -1, -1):
        level = levels[number - 1] if number else None
        at, w = (level.gram, level.weights) if level else (gram, weights)
        values.append(value(begin(Problem(at, w, k), labels, ratio=problem.ratio).state))
        labels = labels[level.groups] if level else labels
    np.testing.assert_allclose(values, values[0], rtol=1e-9)


class Listening:
    """Hartigan's method, and what the objective was before and after each refinement."""

    def __init__(self, **settings):
        self.solver, self.seen = Hartigan(**settings), []

    def solve(self, problem, labels):
        partition = self.solver.solve(problem, labels)
        self.seen.append((problem.gram.n, partition.history[0], partition.history[-1]))
        return partition


@each("name", BY_NAME)
def test_refinement_never_lowers_the_objective(name):
    A = graph("planted")
    problem = BY_NAME[name](A, np.ones(A.shape[0]), 3.0)
    solver = Listening(ratio=problem.ratio)
    labels = multilevel_labels(problem.gram, problem.weights, 5, solver, seed=0)
    last = value(
        begin(Problem(problem.gram, problem.weights, 5), labels, ratio=problem.ratio).state
    )
    assert len(solver.seen) > 1
    assert [n for n, *_ in solver.seen] == sorted({n for n, *_ in solver.seen})
    numbers = [*(number for _, *both in solver.seen for number in both), last]
    assert (np.diff(numbers) >= -1e-9 * np.abs(numbers).max()).all()
    # What one level ends with the next begins with.
    for (_, _, end), (_, start, _) in zip(solver.seen[:-1], solver.seen[1:], strict=True):
        assert start == pytest.approx(end, rel=1e-9)
    assert last == pytest.approx(solver.seen[-1][2], rel=1e-9)


def test_the_seed_decides():
    A = graph("planted")
    problem = BY_NAME["normalized_cut"](A, np.ones(A.shape[0]), 1.0)
    find = lambda seed: multilevel_labels(problem.gram, problem.weights, 5, Hartigan(), seed)
    assert (find(3) == find(3)).all()
    assert (find(3) != find(4)).any()
    levels = [
        coarsen(problem.gram, problem.weights, 5, np.random.default_rng(seed)) for seed in (0, 0, 1)
    ]
    assert all((a.groups == b.groups).all() for a, b in zip(levels[0], levels[1], strict=True))
    assert (levels[0][0].groups != levels[2][0].groups).any()


@each("objective", ["bethe_hessian", "normalized_cut", "modularity"])
def test_a_planted_partition_of_twenty_thousand_nodes_is_found(objective):
    A, truth = planted_partition(20_000, 20, 20, 0.7, random_state=0)
    model = GraphKGroups(20, objective=objective, init="multilevel", random_state=0, n_jobs=1)
    model.fit(A)
    assert adjusted_rand_score(truth, model.labels_) >= 0.95
    assert model.start_names_ == ["multilevel"]


@each("kind", KINDS)
def test_every_kind_of_graph_goes_through(kind):
    A = graph(kind)
    k = 2 if kind == "dust" else 5
    model = GraphKGroups(k, init="multilevel", random_state=0, n_jobs=1).fit(A)
    assert model.cluster_sizes_.min() > 0
    assert model.converged_


def test_levels_are_told():
    heard = []
    A = graph("planted")
    GraphKGroups(5, init="multilevel", verbose=heard.append, n_jobs=1, random_state=0).fit(A)
    notes = [event.note for event in heard if event.phase == "level"]
    assert len(notes) >= 2
    assert notes[0].startswith("coarsened, ")
    assert notes[-1].startswith("refined, ")
    sizes = [int(note.split()[1].replace(",", "")) for note in notes]
    assert max(sizes) < 3_000
    assert multilevel._STALLED < 1
