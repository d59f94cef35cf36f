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
