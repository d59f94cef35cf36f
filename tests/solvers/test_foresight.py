"""Whole clusters that change place: out of optima in which no single point wants to move."""

import itertools

import numpy as np
import pytest

from helpers import random_gram, random_start, weighted_problem
from kgroups.gram import DenseGram
from kgroups.metrics import same_partition
from kgroups.semimetrics import Energy
from kgroups.solvers import Exhaustive, Hartigan, Lloyd, Problem
from kgroups.solvers import objective as spec
from kgroups.solvers.foresight import (
    Foresight,
    Split,
    Survey,
    foreseen_swap,
    merges_with_splits,
    swapped,
    swaps,
    unaffected,
)
from kgroups.testing import check_partition, is_one_move_optimal

nojit = pytest.mark.nojit

KINDS = ["kernel", "distance", "indefinite"]


def improved(gram, start, w, k, **settings):
    """Hartigan's answer from a start, and the one that Foresight makes of it."""
    plain = Hartigan().solve(Problem(gram, w, k), start)
    return plain, Foresight(solver=Hartigan(), **settings).improve(Problem(gram, w, k), plain)


def problem(seed, n_max=34, zeros=False):
    """Random sizes, kernels of three kinds, weighted every other time, k from 2 to n − 1."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, n_max))
    k = int(rng.integers(2, n))
    return weighted_problem(rng, n, k, KINDS[seed % 3], weighted=seed % 2 == 1, zeros=zeros)


def blobs(k, seed, n=400, spread=8.0):
    """Round groups with centers on a grid, and which point is of which group."""
    rng = np.random.default_rng(seed)
    side = int(np.ceil(np.sqrt(k)))
    centers = spread * np.array(list(itertools.product(range(side), repeat=2)))[:k]
    truth = rng.permutation(np.arange(n) % k)
    return centers[truth] + rng.normal(size=(n, 2)), truth, random_start(rng, n, k)


@nojit
def test_two_groups_merged_and_one_split_by_hand():
    """{0,1,10,11}, {50}, {51}: W = 42/4. No point moves; {0,1}, {10,11}, {50,51}: W = 3/2."""
    X = np.array([0.0, 1, 10, 11, 50, 51])[:, None]
    gram, w, start = DenseGram.from_points(X, Energy()), np.ones(6), np.array([0, 0, 0, 0, 1, 2])
    plain, better = improved(gram, start, w, 3)
    assert plain.labels.tolist() == start.tolist()
    assert plain.objective == -10.5
    assert same_partition(better.labels, [0, 0, 1, 1, 2, 2])
    assert better.objective == -1.5
    assert better.objective == Exhaustive().solve(Problem(gram, w, 3), start).objective
    # One proposal, from which nothing moves: its start is no part of the history.
    assert better.history.tolist() == [-10.5, -10.5, -1.5]
    assert (better.n_iter, better.n_moves) == (2, 0)


@nojit
def test_first_proposal_by_hand():
    """Merging {50} and {51} loses 1/2, splitting {0,1,10,11} gains 42/4 − 1: 9 is foreseen."""
    X = np.array([0.0, 1, 10, 11, 50, 51])[:, None]
    gram, w, start = DenseGram.from_points(X, Energy()), np.ones(6), np.array([0, 0, 0, 0, 1, 2])
    survey = Survey.of(Problem(gram, w, 3), Hartigan().solve(Problem(gram, w, 3), start))
    assert survey.merging[1, 2] == 0.5
    first = next(merges_with_splits(survey, {}, Hartigan(), np.random.default_rng(0)))
    assert first.foreseen == pytest.approx(9.0, rel=1e-14)
    assert same_partition(first.labels, [0, 0, 1, 1, 2, 2])


@pytest.mark.parametrize("seed", range(24))
def test_survey_equals_the_definition(seed):
    G, start, w, k = problem(seed, zeros=seed % 4 == 3)
    partition = Hartigan().solve(Problem(DenseGram(G), w, k), start)
    survey = Survey.of(Problem(DenseGram(G), w, k), partition)
    labels, s, Q = partition.labels, partition.weight, partition.within
    R = spec.cluster_sums(G, labels, w, k)
    alive = np.flatnonzero(s > 0)
    for i in np.flatnonzero(w > 0):
        d = {j: max(0.0, G[i, i] - 2 * R[i, j] / s[j] + Q[j] / s[j] ** 2) for j in alive}
        assert survey.own[i] == pytest.approx(d.pop(labels[i]), abs=1e-9)
        assert survey.second[i] == pytest.approx(min(d.values(), default=np.inf), abs=1e-9)
        assert not d or survey.second[i] == pytest.approx(d[survey.second_label[i]], abs=1e-9)
    for a, b in itertools.combinations(alive, 2):
        after = spec.objective(G, np.where(labels == b, a, labels), w, k)
        # With an indefinite G a merger may even gain; it is then taken to be free.
        assert survey.merging[a, b] == pytest.approx(max(0, partition.objective - after), abs=1e-8)


@pytest.mark.parametrize("seed", range(1, 24, 3))
def test_what_is_foreseen_of_merges_is_what_labels_give(seed):
    G, start, w, k = problem(seed)
    k = min(k, 5)
    partition = Hartigan().solve(Problem(DenseGram(G), w, k), start % k)
    survey = Survey.of(Problem(DenseGram(G), w, k), partition)
    proposals = merges_with_splits(survey, {}, Hartigan(), np.random.default_rng(seed))
    told = []
    for labels, foreseen in itertools.islice(proposals, 50):
        change = spec.objective(G, labels, w, k) - partition.objective
        assert foreseen == pytest.approx(change, abs=1e-8)
        told.append((-foreseen, tuple(labels)))
    assert [loss for loss, _ in told] == sorted(loss for loss, _ in told)
    assert len(set(told)) == len(told), "the same proposal twice from one state"


def test_a_swap_with_centroids_held_is_no_more_than_the_labels_give():
    """The part of the estimate that is a bound, on distances, where squared distances are true."""
    for seed in range(1, 40, 3):
        G, start, w, k = problem(seed)
        partition = Hartigan().solve(Problem(DenseGram(G), w, k), start)
        survey = Survey.of(Problem(DenseGram(G), w, k), partition)
        for seed_point in range(len(w)):
            foreseen, dissolved = foreseen_swap(survey, seed_point)
            assert dissolved != partition.labels[seed_point]
            to_seed = survey.squared_distances(seed_point)
            joins = to_seed < survey.own
            bound = foreseen - (w * to_seed)[joins].sum() / 2
            after = swapped(survey, seed_point, dissolved)
            assert bound <= spec.objective(G, after, w, k) - partition.objective + 1e-9


def test_swaps_try_no_seed_twice():
    """So they end, at the latest when every point has been one."""
    rng = np.random.default_rng(0)
    gram = DenseGram.from_points(rng.normal(size=(60, 5)), Energy())
    w, start = np.ones(60), random_start(rng, 60, 6)
    survey = Survey.of(Problem(gram, w, 6), Hartigan().solve(Problem(gram, w, 6), start))
    told = [tuple(p.labels) for p in itertools.islice(swaps(survey, rng), 61)]
    assert 50 < len(told) <= 60
    assert len(set(told)) > 50


@pytest.mark.parametrize("seed", range(60))
def test_a_true_answer_that_is_never_worse(seed):
    """Of any kind of G, with weights that are zero: the numbers hold and no single point moves."""
    G, start, w, k = problem(seed, zeros=seed % 4 == 3)
    plain, better = improved(DenseGram(G), start, w, k, seed=seed)
    check_partition(better, G, w, k)
    assert better.objective >= plain.objective
    assert is_one_move_optimal(G, better.labels, w, k, 2e-12)
    assert np.all(np.diff(better.history) >= -1e-9 * np.abs(better.history).max())
    assert better.history[: len(plain.history)].tolist() == plain.history.tolist()
    members = np.bincount(better.labels[w > 0], minlength=k)
    assert np.count_nonzero(members) == np.count_nonzero(np.bincount(plain.labels[w > 0]))


def test_exhaustive_optimum_more_often_than_hartigan():
    found, n_problems = np.zeros(2, int), 120
    for seed in range(n_problems):
        rng = np.random.default_rng(seed)
        G, w, k = random_gram(rng, 10, "distance"), rng.uniform(0.5, 2, 10), 3 + seed % 3
        both = improved(DenseGram(G), random_start(rng, 10, k), w, k)
        best = Exhaustive().solve(Problem(DenseGram(G), w, k), both[0].labels).objective
        assert all(p.objective <= best + 1e-9 for p in both)
        found += [p.objective >= best - 1e-9 for p in both]
    assert found[0] < 0.75 * n_problems
    assert found[1] > 0.92 * n_problems


@pytest.mark.parametrize("k", [9, 16, 25])
def test_planted_groups_from_one_random_start(k):
    stuck = 0
    for seed in range(6):
        X, truth, start = blobs(k, seed)
        plain, better = improved(DenseGram.from_points(X, Energy()), start, np.ones(len(X)), k)
        stuck += not same_partition(plain.labels, truth)
        planted = Hartigan().solve(
            Problem(DenseGram.from_points(X, Energy()), np.ones(len(X)), k), truth
        )
        assert better.objective >= planted.objective - 1e-9 * abs(planted.objective)
    assert stuck >= 3


def test_the_origin_is_free():
    X, _, start = blobs(9, 0, n=150)
    G, a = -Energy().pairwise(X) / 2, np.random.default_rng(0).normal(size=150)
    _, here = improved(DenseGram(G), start, np.ones(150), 9)
    plain, there = improved(DenseGram(G + a[:, None] + a), start, np.ones(150), 9)
    assert there.labels.tolist() == here.labels.tolist()
    assert there.objective > plain.objective


def test_weightless_points_have_no_say():
    """The same problem with and without 40 points of weight zero, two of them far away."""
    X, _, start = blobs(9, 1, n=150)
    rng = np.random.default_rng(1)
    extra = np.vstack([rng.uniform(0, 20, (38, 2)), [[1e3, 0], [0, 1e3]]])
    more = DenseGram.from_points(np.vstack([X, extra]), Energy())
    labels = np.concatenate([start, rng.integers(9, size=40)])
    w = np.concatenate([np.ones(150), np.zeros(40)])
    _, without = improved(DenseGram.from_points(X, Energy()), start, np.ones(150), 9)
    _, among = improved(more, labels, w, 9)
    assert same_partition(among.labels[:150], without.labels)


def test_same_seed_same_labels_and_nothing_given_is_changed():
    X, _, start = blobs(16, 3, spread=3.0)
    gram, w = DenseGram.from_points(X, Energy()), np.ones(len(X))
    plain, first = improved(gram, start, w, 16, seed=5)
    before = plain.labels.copy(), plain.history.copy(), w.copy()
    again = Foresight(solver=Hartigan(), seed=5).improve(
        Problem(gram.with_threads(2), w, 16), plain
    )
    assert again.labels.tolist() == first.labels.tolist()
    assert again.history.tolist() == first.history.tolist()
    assert first.objective > plain.objective
    for old, new in zip(before, (plain.labels, plain.history, w), strict=True):
        assert np.array_equal(old, new)


@nojit
def test_splits_are_kept_of_clusters_that_did_not_change():
    """Point 2 goes from cluster 1 to cluster 2: the splits of 0 and 3 still stand."""
    splits = {c: Split(float(c), np.array([c])) for c in range(4)}
    before, after = np.array([0, 1, 1, 2, 3]), np.array([0, 1, 2, 2, 3])
    assert sorted(unaffected(splits, before, after)) == [0, 3]


def test_two_clusters_are_left_to_swaps():
    """There is no third cluster to split; a random start is still improved on."""
    gained = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        gram = DenseGram.from_points(rng.normal(size=(24, 5)), Energy())
        plain, better = improved(gram, random_start(rng, 24, 2), np.ones(24), 2)
        gained += better.objective > plain.objective + 1e-9
    assert gained > 10


class Counting:
    """Hartigan's method, with the number of clusters of every call."""

    def __init__(self):
        self.calls = []

    def solve(self, problem, labels, sums=None):
        self.calls.append(problem.n_clusters)
        return Hartigan().solve(problem, labels)


@nojit
@pytest.mark.parametrize("k", [1, 7])
def test_nothing_to_propose(k):
    G = random_gram(np.random.default_rng(0), 7, "distance")
    start, solver = np.arange(7) % k, Counting()
    plain = Hartigan().solve(Problem(DenseGram(G), np.ones(7), k), start)
    assert Foresight(solver=solver).improve(Problem(DenseGram(G), np.ones(7), k), plain) is plain
    assert solver.calls == []


@nojit
def test_two_points():
    G = -0.5 * np.array([[0.0, 3], [3, 0]])
    plain, better = improved(DenseGram(G), np.array([0, 1]), np.ones(2), 2)
    assert better is plain


@nojit
@pytest.mark.parametrize("k", [2, 3, 5])
def test_points_that_coincide(k):
    """All at 0 but two: with three clusters each place is its own, with more W stays 0."""
    X = np.array([0.0] * 10 + [1, 5])[:, None]
    start = np.arange(12) % k
    gram = DenseGram.from_points(X, Energy())
    _, better = improved(gram, start, np.ones(12), k)
    check_partition(better, gram.to_dense(), np.ones(12), k)
    # {0 × 10, 1}, {5}: 10 ordered pairs twice at distance 1, by 2 · 11.
    assert better.objective == pytest.approx(-10 / 11 if k == 2 else 0.0, abs=1e-12)


@nojit
def test_an_empty_cluster_is_put_to_use():
    """Lloyd's answer may have one; what was missing then costs nothing to take away."""
    X, truth, _ = blobs(4, 0, n=80)
    gram, w = DenseGram.from_points(X, Energy()), np.ones(80)
    labels = np.minimum(truth, 2)
    partition = Lloyd(max_iter=0).solve(Problem(gram, w, 4), labels)
    assert partition.weight[3] == 0
    better = Foresight(solver=Hartigan()).improve(Problem(gram, w, 4), partition)
    assert same_partition(better.labels, truth)
    check_partition(better, gram.to_dense(), w, 4)


def test_patience_and_the_limit_bound_the_runs():
    X = np.random.default_rng(0).normal(size=(120, 5))
    gram, w, k = DenseGram.from_points(X, Energy()), np.ones(120), 8
    plain = Hartigan().solve(Problem(gram, w, k), random_start(np.random.default_rng(1), 120, k))
    for settings, most in (({"max_proposals": 3}, 3), ({"patience": 0}, 0), ({"max_work": 1}, 1)):
        solver = Counting()
        Foresight(solver=solver, **settings).improve(Problem(gram, w, k), plain)
        assert solver.calls.count(k) == most
    solver = Counting()
    best = Foresight(solver=solver, patience=2).improve(Problem(gram, w, k), plain)
    runs = solver.calls.count(k)
    solver = Counting()
    assert (
        Foresight(solver=solver, patience=1).improve(Problem(gram, w, k), plain).objective
        <= best.objective
    )
    assert solver.calls.count(k) < runs
