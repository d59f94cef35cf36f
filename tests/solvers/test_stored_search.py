"""Whole searches on a stored matrix against visits by blocks and the definition."""

import tracemalloc

import numpy as np
import pytest

from helpers import each, random_gram
from kgroups.gram import DenseGram
from kgroups.runtime.threads import Threads
from kgroups.semimetrics import Energy
from kgroups.solvers import Hartigan, Problem
from kgroups.solvers import objective as spec
from kgroups.solvers.partition import begin
from kgroups.solvers.stored_search import Sums, search_from, stored
from kgroups.testing import is_one_move_optimal


def by_blocks(solver, problem, start):
    """The same solver by visits of blocks, which no compiled search takes."""
    return solver._in_blocks(problem, start)


@pytest.mark.nojit
@each("seed", range(12))
def test_the_labels_history_and_numbers_are_those_of_visits_by_blocks(seed):
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(5, 60)), int(rng.integers(2, 5))
    G = random_gram(rng, n, ["kernel", "distance", "indefinite"][seed % 3])
    w = rng.choice([0.0, 0.5, 1.0, 3.0], size=n) if seed % 2 else np.ones(n)
    w[:k] = 1.0
    starts = [np.append(np.arange(k), rng.integers(k, size=n - k)) for _ in range(3)]
    problem = Problem(DenseGram(G), w, k)
    solver = Hartigan()
    for start, found in zip(starts, solver.solve_all(problem, starts, Threads(1)), strict=True):
        plain = by_blocks(solver, problem, start)
        assert found.labels.tolist() == plain.labels.tolist()
        assert (found.n_iter, found.n_moves) == (plain.n_iter, plain.n_moves)
        assert found.history == pytest.approx(plain.history, rel=1e-9, abs=1e-9)
        assert found.objective == pytest.approx(spec.objective(G, found.labels, w, k), abs=1e-9)
        assert found.together == pytest.approx(spec.objective(G, 0 * start, w, 1), abs=1e-9)
        assert is_one_move_optimal(G, found.labels, w, k)


@pytest.mark.nojit
def test_what_is_in_doubt_is_left_to_the_careful_search():
    """Weights over thirty orders of magnitude wear the sums out: the answer is still optimal."""
    rng = np.random.default_rng(4)
    gram = DenseGram.from_points(rng.normal(size=(40, 2)), Energy())
    w = 10.0 ** rng.uniform(-30, 0, size=40)
    problem = Problem(gram, w, 3)
    start = np.arange(40) % 3
    found = next(Hartigan().solve_all(problem, [start], Threads(1)))
    assert found.labels.tolist() == by_blocks(Hartigan(), problem, start).labels.tolist()


@each("n_threads", [1, 8])
def test_sums_of_many_clusters_are_made_a_few_at_a_time(n_threads):
    """A table of 600 x 700 numbers has 3.4 MB, so that of 32 starts at most five are held."""
    rng = np.random.default_rng(7)
    gram = DenseGram.from_points(rng.normal(size=(700, 2)), Energy())
    problem = Problem(gram, np.ones(700), 600)
    starts = [rng.permutation(np.arange(700) % 600) for _ in range(32)]
    solver = Hartigan(max_iter=1)
    list(solver.solve_all(problem, starts[:1], Threads(1)))  # compiles
    tracemalloc.start()
    found = list(solver.solve_all(problem, starts, Threads(n_threads)))
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(found) == 32
    assert most < 3 * 2**24 + 2**22


def same_sums(sums, gram, weights):
    """Whether sums and state are those of the labels, made anew."""
    work = begin(Problem(gram, weights, len(sums.table)), sums.state.labels)
    np.testing.assert_allclose(sums.table, work.sums.block(0, gram.n), atol=1e-9)
    np.testing.assert_array_equal(sums.state.members, work.state.members)
    for name in ("weight", "within"):
        np.testing.assert_allclose(getattr(sums.state, name), getattr(work.state, name), atol=1e-9)
    assert (sums.state.peak >= work.state.weight - 1e-9).all()
    assert (sums.state.reach >= np.abs(work.state.within) - 1e-9).all()
    return True


@pytest.mark.nojit
def test_sums_after_splits_and_merges_are_those_of_the_labels():
    rng = np.random.default_rng(0)
    gram = DenseGram(random_gram(rng, 40, "kernel"))
    weights = rng.uniform(0.5, 2.0, size=40)
    G = stored(gram, weights)
    begun = Sums.made(gram, rng.integers(3, size=40), weights, 3)
    found, sums = search_from(gram, G, begun, 1e-12, 300)
    assert same_sums(sums, gram, weights)
    leaving = np.flatnonzero(found.labels == 1)[:4]
    four = sums.split(gram, G, leaving)
    assert same_sums(four, gram, weights)
    assert np.flatnonzero(four.state.labels == 3).tolist() == leaving.tolist()
    for kept, freed in ((0, 3), (1, 2), (0, 1)):
        merged = four.merge(G, kept, freed)
        assert same_sums(merged, gram, weights)
        both = np.isin(four.state.labels, (kept, freed))
        assert (merged.state.labels == kept).tolist() == both.tolist()
    assert same_sums(sums, gram, weights)  # they are not used up by a split


@pytest.mark.nojit
def test_the_sums_of_a_cluster_that_was_much_heavier_are_made_anew():
    gram, weights = DenseGram(np.eye(40)), np.ones(40)
    begun = Sums.made(gram, np.zeros(40, int), weights, 1)
    _, one = search_from(gram, stored(gram, weights), begun, 1e-12, 300)
    G = stored(gram, weights)
    assert one.split(gram, G, np.arange(37)).n_moves == 37  # 3 of 40 are left: a thirteenth
    assert one.split(gram, G, np.arange(38)).n_moves == 0  # a twentieth
