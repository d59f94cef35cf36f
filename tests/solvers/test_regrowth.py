"""Clusters grown anew: out of optima in which no single point wants to move."""

import itertools

import numpy as np
import pytest

from helpers import best_objective, each, random_start, weighted_problem
from kgroups.gram import DenseGram
from kgroups.metrics import same_partition
from kgroups.semimetrics import Energy
from kgroups.solvers import Hartigan, Lloyd, Problem, Regrowth
from kgroups.testing import check_partition, is_one_move_optimal

nojit = pytest.mark.nojit

KINDS = ["kernel", "distance", "indefinite"]


def improved(gram, start, w, k, **settings):
    """Hartigan's answer from a start, and the one that Regrowth makes of it."""
    plain = Hartigan().solve(Problem(gram, w, k), start)
    return plain, Regrowth(solver=Hartigan(), **settings).improve(Problem(gram, w, k), plain)[0]


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
    assert better.objective == pytest.approx(best_objective(gram.to_dense(), w, 3))
    # The search that began with the grown cluster ended where it was: nothing moved once more.
    assert better.history.tolist() == [-10.5, -10.5, -1.5]
    assert (better.n_iter, better.n_moves) == (2, 0)


@each("seed", range(60))
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


@nojit
@each("k", [2, 3, 5])
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
    better = Regrowth(solver=Hartigan()).improve(Problem(gram, w, 4), partition)[0]
    assert same_partition(better.labels, truth)
    check_partition(better, gram.to_dense(), w, 4)
