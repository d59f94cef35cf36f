"""Starts: how they are asked for, and what they promise about weights and empty clusters."""

import numpy as np
import pytest
from scipy.linalg import eigh
from sklearn.cluster import KMeans

from helpers import each
from kgroups.gram import DenseGram
from kgroups.metrics import same_partition
from kgroups.runtime.seeds import seeds_of
from kgroups.semimetrics import Energy, kernel_from_semimetric
from kgroups.solvers import Problem, draws
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


@each("seed", range(10))
def test_random_labels_fill_every_cluster(seed):
    X = np.random.default_rng(0).normal(size=(12, 1))
    labels = random_labels(problem(X, 12), np.random.default_rng(seed))
    assert sorted(labels) == list(range(12))


def test_seeds_are_drawn_by_squared_distance():
    """Five points far from 95: uniform seeds would miss them in most of the runs."""
    rng = np.random.default_rng(0)
    X = np.r_[rng.normal(size=(95, 2)), rng.normal(size=(5, 2)) + 200]
    found = 0
    for seed in range(40):
        labels = plus_plus(problem(X, 2), np.random.default_rng(seed))
        found += labels[0] != labels[-1] and len(set(labels[:95])) == len(set(labels[95:])) == 1
    assert found >= 38


def test_candidates_are_judged_by_weighted_potential():
    """Of two far points the heavy one is the better second seed, nearly always."""
    X = np.array([[0.0], [0.1], [100.0], [-100.0]])
    w = np.array([1000.0, 1000.0, 50.0, 1.0])
    chosen = [plus_plus(problem(X, 2, w), np.random.default_rng(seed)) for seed in range(40)]
    assert sum(labels[2] not in (labels[0], labels[3]) for labels in chosen) >= 36


def test_coinciding_points_still_start_k_clusters():
    """All at distance zero, as an indefinite kernel may have it: seeds are told apart by rank."""
    flat = Problem(
        gram=DenseGram(np.zeros((6, 6))), weights=np.ones(6), n_clusters=4, origin_is_free=False
    )
    for seed in range(10):
        labels = plus_plus(flat, np.random.default_rng(seed))
        assert len(set(labels)) == 4


@each("dense", [True, False])
@each("centered", [True, False])
def test_spectral_embedding_is_the_formula(dense, centered, monkeypatch):
    """Top eigenvectors of 𝒲^½ G 𝒲^½ [FRV eq. 29], G centered by the weights for a metric."""
    if not dense:
        monkeypatch.setattr(initialization, "_DENSE_EIGENVECTORS", 0)
    rng = np.random.default_rng(0)
    X, w, k = rng.normal(size=(40, 2)), rng.uniform(0.2, 3, 40), 3
    rho = Energy().pairwise(X)
    if centered:
        G, gram = kernel_from_semimetric(rho, sample_weight=w), DenseGram.from_distances(rho)
    else:
        G = X @ X.T + np.diag(rng.normal(size=40))
        gram = DenseGram(G)
    p = Problem(gram=gram, weights=w, n_clusters=k, origin_is_free=centered)
    ours = initialization._top_eigenvectors(p, np.random.default_rng(1))
    expected = eigh(np.sqrt(w)[:, None] * G * np.sqrt(w))[1][:, -k:]
    np.testing.assert_allclose(ours @ ours.T, expected @ expected.T, atol=1e-8)


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


def test_spectral_rows_have_unit_length(monkeypatch):
    seen = []

    class Spy(KMeans):
        def fit_predict(self, X, *args, **kwargs):
            seen.append(X)
            return super().fit_predict(X, *args, **kwargs)

    monkeypatch.setattr("sklearn.cluster.KMeans", Spy)
    X = np.random.default_rng(0).normal(size=(30, 2))
    initialization.spectral(problem(X, 3), np.random.default_rng(0))
    np.testing.assert_allclose(np.linalg.norm(seen[0], axis=1), 1.0)


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


@each(
    ("init", "n_init", "count"),
    [
        ("auto", "auto", 6),
        ("random", "auto", 6),
        ("random", 3, 3),
        ("spectral", "auto", 1),  # the same every time but for the seeds of k-means
        ("spectral", 5, 5),
        (lambda X, k, rng: [0, 1, 0, 1], "auto", 1),
        (lambda X, k, rng: [0, 1, 0, 1], 4, 4),
        ([0, 1, 0, 1], "auto", 1),
        ([0, 1, 0, 1], 1, 1),
    ],
)
def test_how_many(init, n_init, count):
    assert asked(init, n_init).seeds == seeds_of(3, count)


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


def test_a_check_sees_what_comes_from_the_user_and_may_change_it():
    seen = []

    def check(labels, what):
        seen.append(what)
        return 1 - labels

    for init in ([0, 1, 1, 0], lambda X, k, rng: [0, 1, 1, 0]):
        (start,) = asked(init).made(portfolio, 4, 2, check)
        assert start.labels().tolist() == [1, 0, 0, 1]
    assert seen == ["init", "what init returned"]


def test_auto_takes_seeding_and_chance_in_turn_each_from_its_own_seed():
    X = np.random.default_rng(0).normal(size=(20, 2))
    starts = portfolio(problem(X, 3), "auto", [4, 5, 6])
    assert [start.name for start in starts] == ["k-means++", "random", "k-means++"]
    for start, seed, make in zip(
        starts, (4, 5, 6), (plus_plus, random_labels, plus_plus), strict=True
    ):
        expected = make(problem(X, 3), np.random.default_rng(seed))
        assert start.labels().tolist() == start.labels().tolist() == expected.tolist()


def test_draws_without_blocks_follow_a_potential():
    """In proportion, and nothing without potential."""
    rng = np.random.default_rng(0)
    assert draws.drawn_by_potential(np.zeros(5), 3, rng).tolist() == []
    assert draws.drawn_by_potential(np.ones(5), 0, rng).tolist() == []
    potential = np.array([0.0, 1.0, 0.0, 3.0, 0.0])
    counts = np.bincount(draws.drawn_by_potential(potential, 4000, rng), minlength=5)
    assert counts[[0, 2, 4]].tolist() == [0, 0, 0]
    assert abs(counts[3] - 3000) < 4 * np.sqrt(4000 * 0.75 * 0.25)


def test_random_labels_give_each_cluster_a_point_of_weight():
    weights = np.array([0.0, 1.0, 0.0, 2.0, 3.0])
    for seed in range(20):
        labels = draws.random_labels(weights, 3, np.random.default_rng(seed))
        assert sorted(labels[[1, 3, 4]]) == [0, 1, 2]
    few = draws.random_labels(weights, 4, np.random.default_rng(0))
    assert len(set(few[[1, 3, 4]])) == 3, "three points of weight cannot fill four clusters"
