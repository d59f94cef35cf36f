"""Starts: how they are asked for, and what they promise about weights and empty clusters."""

import numpy as np
import pytest

from helpers import each
from kgroups.gram import DenseGram
from kgroups.metrics import same_partition
from kgroups.runtime.seeds import seeds_of
from kgroups.semimetrics import Energy
from kgroups.solvers import Problem
from kgroups.solvers import starts as initialization
from kgroups.solvers.starts import (
    Starts,
    checked_init,
    euclidean_plus_plus,
    plus_plus,
    portfolio,
    random_labels,
    spectral,
)

pytestmark = pytest.mark.nojit


def problem(X, k, weights=None, metric=None):
    w = np.ones(len(X)) if weights is None else np.asarray(weights, float)
    gram = DenseGram.from_points(X, metric or Energy())
    return Problem(gram=gram, weights=w, n_clusters=k, origin_is_free=True, table=X)


@each("start", [plus_plus, euclidean_plus_plus, random_labels])
@each("seed", range(20))
def test_only_points_with_weight_can_be_seeds(start, seed):
    """Three of 60 points have weight; each must end in a cluster of its own."""
    X = np.random.default_rng(0).normal(size=(60, 2))
    w = np.zeros(60)
    w[[7, 21, 50]] = [1.0, 5.0, 0.3]
    labels = start(problem(X, 3, w), np.random.default_rng(seed))
    assert sorted(labels[[7, 21, 50]]) == [0, 1, 2]


def test_coinciding_points_still_start_k_clusters():
    """All at distance zero, as an indefinite kernel may have it: seeds are told apart by rank."""
    flat = Problem(
        gram=DenseGram(np.zeros((6, 6))), weights=np.ones(6), n_clusters=4, origin_is_free=False
    )
    for seed in range(10):
        labels = plus_plus(flat, np.random.default_rng(seed))
        assert len(set(labels)) == 4


@each("dense", [True, False])
@each("seed", range(5))
def test_rows_without_weight_have_no_say_in_a_spectral_start(seed, dense, monkeypatch):
    """They would be a cluster of their own: their rows of eigenvectors are zero."""
    if not dense:
        monkeypatch.setattr(initialization, "_DENSE_EIGENVECTORS", 0)
    rng = np.random.default_rng(seed)
    X, k = rng.normal(size=(40, 2)), 4
    w = np.where(np.arange(40) % 3 == 0, 0.0, rng.uniform(0.5, 2, 40))
    alive = w > 0
    ours = spectral(problem(X, k, w), np.random.default_rng(seed))
    without = spectral(problem(X[alive], k, w[alive]), np.random.default_rng(seed))
    assert same_partition(ours[alive], without)
    assert len(set(ours[alive])) == k


@pytest.mark.filterwarnings("error")
def test_euclidean_seeds_next_to_a_constant_column_whose_square_overflows():
    X = np.column_stack([[0.0, 1.0, 50.0, 51.0], np.full(4, 7e159)])
    gram = DenseGram.from_points(X[:, :1], Energy(2))
    problem = Problem(gram, np.ones(4), 2, table=X)
    labels = euclidean_plus_plus(problem, np.random.default_rng(0))
    assert labels[0] == labels[1] != labels[2] == labels[3]


# --- as a user asks for them -------------------------------------------------------------------


def asked(init, n_init="auto", k=2):
    return Starts.asked(checked_init(init, 4, k), n_init, 6, np.zeros((4, 1)), 3)


def test_a_function_is_called_with_the_rows_the_number_and_a_seeded_state():
    seen = []

    def by_chance(X, k, rng):
        seen.append((X.shape, k))
        return rng.randint(k, size=len(X))

    starts = asked(by_chance, 3).made(portfolio, 4, 2)
    assert [start.name for start in starts] == ["by_chance"] * 3
    assert seen == [], "labels are made when a start begins"
    made = [start.labels().tolist() for start in starts]
    expected = [np.random.RandomState(s).randint(2, size=4).tolist() for s in seeds_of(3, 3)]
    assert made == expected
    assert seen == [((4, 1), 2)] * 3
    (lone,) = asked(Caller()).made(portfolio, 4, 2)
    assert lone.name == "callable"


class Caller:
    """A function without a name."""

    def __call__(self, X, k, rng):
        return [0, 1, 0, 1]
