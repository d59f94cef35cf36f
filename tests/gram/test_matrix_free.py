"""Sums without a matrix: against the specification, the dense operator, and for any threads."""

import itertools
import pickle

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from helpers import each, random_start
from kgroups.gram import DenseGram, MatrixFreeGram, Moves, PairwiseGram
from kgroups.gram.matrix_free import _edges
from kgroups.gram.tournament import rounds
from kgroups.semimetrics import (
    ColumnSum,
    DampedSquared,
    Energy,
    Gaussian,
    Hamming,
    Jaccard,
    JensenShannon,
    Laplacian,
    Manhattan,
    PairFunction,
    SineSquared,
)
from kgroups.solvers import Hartigan, Lloyd, OnlineLloyd, Problem
from kgroups.solvers import objective as spec
from kgroups.testing import check_gram_operator, check_solver, is_one_move_optimal

SEMIMETRICS = {
    "energy-1": (Energy(1.0), 3),
    "energy-0.7": (Energy(0.7), 2),
    "energy-1.5": (Energy(1.5), 1),
    "energy-2-products": (Energy(2.0), 40),
    "energy-1-products": (Energy(1.0), 33),
    "laplacian": (Laplacian(0.8), 3),
    "gaussian": (Gaussian(1.7), 36),
    "manhattan": (Manhattan(), 5),
    "hamming": (Hamming(), 4),
    "jensen_shannon": (JensenShannon(), 6),
    "damped": (DampedSquared(), 2),
    "sine": (SineSquared(), 2),
    "column_sum": (
        ColumnSum([(Energy(0.7), [0]), (Hamming(), [1, 2], 0.5), (Energy(2.0), [1])]),
        3,
    ),
}


def points(rng, n, d, semimetric):
    if isinstance(semimetric, Hamming):
        return rng.integers(0, 3, size=(n, d)).astype(float)
    if isinstance(semimetric, JensenShannon):
        return rng.gamma(1.0, size=(n, d))
    return rng.normal(size=(n, d))


def assert_sums(sums, G, labels, weights, k, rel=1e-11):
    expected = spec.cluster_sums(G, labels, weights, k).T
    found = sums.block(0, len(labels))
    np.testing.assert_allclose(found, expected, rtol=rel, atol=rel * (np.abs(expected).max() or 1))


# --- the operator ------------------------------------------------------------------------------


@each("n", [1, 2, 32, 33, 128])
@each(("semimetric", "d"), SEMIMETRICS.values())
def test_operator_conforms(semimetric, d, n):
    X = points(np.random.default_rng(n), n, d, semimetric)
    gram = MatrixFreeGram.from_points(X, semimetric)
    assert isinstance(gram, MatrixFreeGram)
    check_gram_operator(gram, seed=n)


@each(("semimetric", "d"), SEMIMETRICS.values())
def test_it_holds_what_the_dense_operator_holds(semimetric, d):
    X = points(np.random.default_rng(1), 77, d, semimetric)
    gram = MatrixFreeGram.from_points(X, semimetric)
    G = -0.5 * semimetric.pairwise(X)
    close = {"rtol": 1e-12, "atol": 1e-13 * np.abs(G).max()}
    np.testing.assert_allclose(gram.to_dense(), G, **close)
    np.testing.assert_allclose(gram.rows(np.array([76, 3, 3])), G[[76, 3, 3]], **close)
    np.testing.assert_allclose(gram.block(30, 71), G[30:71, 30:71], **close)
    assert gram.rows(np.array([], dtype=int)).shape == (0, 77)
    assert gram.diagonal().tolist() == [0.0] * 77


def test_a_mean_distance_that_is_scipys():
    """Not only self-consistent: Σ w_x w_y ρ(x, y) is that of SciPy."""
    rng = np.random.default_rng(0)
    X, w = rng.normal(size=(150, 4)), rng.uniform(0, 2, 150)
    sums = MatrixFreeGram.from_points(X, Energy(0.7)).running_sums(rng.integers(5, size=150), w, 5)
    assert -2 * sums.everything(w) == pytest.approx(w @ cdist(X, X) ** 0.7 @ w, rel=1e-12)


def test_float32_stays_float32_and_sums_in_float64():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(700, 40)).astype(np.float32)
    gram = MatrixFreeGram.from_points(X, Energy())
    assert gram.rows(np.array([0])).dtype == np.float32
    labels, w = rng.integers(3, size=700), rng.uniform(0, 2, 700)
    sums = gram.running_sums(labels, w, 3)
    assert sums.block(0, 5).dtype == np.float64
    G = -0.5 * cdist(X.astype(float), X.astype(float))
    assert_sums(sums, G, labels, w, 3, rel=1e-6)


def test_a_semimetric_without_terms_gets_the_plain_operator():
    X = np.random.default_rng(0).integers(0, 2, size=(50, 6)).astype(float)
    gram = MatrixFreeGram.from_points(X, Jaccard())
    assert isinstance(gram, PairwiseGram)
    check_gram_operator(gram)
    np.testing.assert_allclose(gram.to_dense(), -0.5 * cdist(X, X, "jaccard"), atol=1e-15)


def test_objects_of_any_kind():
    words = ["cat", "cart", "card", "dog", "dig", "dogs", "a", "", "cat", "bird"]
    letters = PairFunction(lambda a, b: float(len(set(a) ^ set(b))))
    gram = MatrixFreeGram.from_points(words, letters)
    assert isinstance(gram, PairwiseGram)
    by_hand = [[-0.5 * len(set(a) ^ set(b)) for b in words] for a in words]
    assert gram.to_dense().tolist() == by_hand
    assert gram.rows(np.array([1, 7])).tolist() == [by_hand[1], by_hand[7]]
    assert gram.with_threads(2).block(2, 5).tolist() == [row[2:5] for row in by_hand[2:5]]
    labels = np.arange(10) % 3
    sums = gram.running_sums(labels, np.ones(10), 3)
    assert_sums(sums, np.array(by_hand), labels, np.ones(10), 3)
    p = Hartigan().solve(Problem(gram, np.ones(10), 3), labels)
    q = Hartigan().solve(Problem(DenseGram(np.array(by_hand)), np.ones(10), 3), labels)
    assert p.labels.tolist() == q.labels.tolist()


def test_pickling_leaves_out_what_can_be_made_again():
    X = np.random.default_rng(0).normal(size=(300, 3))
    gram = MatrixFreeGram.from_points(X, Energy())
    before = len(pickle.dumps(gram))
    assert gram.panels.shape == (10, 3, 32)
    assert len(pickle.dumps(gram)) == before
    assert gram.with_threads(2).panels is gram.panels


# --- running sums ------------------------------------------------------------------------------


@each("n", [1, 5, 32, 33, 150, 400])
def test_sums_by_cluster(n):
    """Empty clusters, one cluster, one a point, more clusters than lanes, labels all equal."""
    rng = np.random.default_rng(n)
    X = rng.normal(size=(n, 2))
    G = -0.5 * cdist(X, X) ** 1.3
    gram = MatrixFreeGram.from_points(X, Energy(1.3))
    w = rng.uniform(0, 2, n) * (rng.random(n) < 0.7)
    for labels, k in [
        (np.zeros(n, int), 1),
        (rng.permutation(n), n),
        (rng.integers(2, size=n), 5),
        (2 * rng.integers(4, size=n) + 1, 9),
        (rng.integers(40, size=n), 40),
        (np.full(n, 6), 7),
        (np.sort(rng.integers(3, size=n)), 3),
    ]:
        for weights in (np.ones(n), w, np.zeros(n)):
            assert_sums(gram.running_sums(labels, weights, k), G, labels, weights, k)


@each(("d", "n"), [(900, 300), (2, 3000)])
def test_sums_of_several_chunks_and_blocks(d, n):
    """900 columns fill a chunk with one panel; 3,000 points make blocks of a dozen panels."""
    rng = np.random.default_rng(0)
    X, labels, w = rng.normal(size=(n, d)), rng.integers(4, size=n), rng.uniform(0, 2, n)
    labels[: n // 2] = 2  # one cluster goes over several blocks
    gram = MatrixFreeGram.from_points(X, Energy(1.0), n_threads=2)
    assert_sums(gram.running_sums(labels, w, 4), -0.5 * cdist(X, X), labels, w, 4)


@each("semimetric", [Energy(1.0), Energy(0.7)])
def test_blocks_of_the_tournament_beyond_the_least(semimetric, monkeypatch):
    """Blocks of two panels: 24 of them, and then 25 panels in an even number of blocks."""
    monkeypatch.setattr("kgroups.gram.matrix_free._BLOCK_PANELS", 2)
    rng = np.random.default_rng(3)
    X, labels, w = rng.normal(size=(1540, 3)), rng.integers(3, size=1540), rng.uniform(0, 2, 1540)
    assert len(_edges(49)) - 1 == 26
    gram = MatrixFreeGram.from_points(X, semimetric)
    G = -0.5 * cdist(X, X) ** semimetric.alpha
    assert_sums(gram.running_sums(labels, w, 3), G, labels, w, 3)


@each("n_panels", [1, 2, 7, 8, 9, 63, 64, 511, 513, 1000, 2500])
def test_edges_cover_all_panels_in_an_even_number_of_blocks(n_panels):
    edges = _edges(n_panels)
    assert (edges[0], edges[-1]) == (0, n_panels)
    assert len(edges) % 2 == 1
    sizes = np.diff(edges)
    assert sizes.min() >= 0
    assert sizes.max() - sizes.min() <= 1
    assert sizes.max() <= 64


@each("name", SEMIMETRICS)
def test_the_same_bits_for_any_number_of_threads(name):
    semimetric, d = SEMIMETRICS[name]
    rng = np.random.default_rng(4)
    X = points(rng, 700, d, semimetric)
    labels, w = rng.integers(5, size=700), rng.uniform(0, 2, 700)
    moved = np.arange(0, 256, 2)
    moves = Moves(moved, w[moved], labels[moved], (labels[moved] + 1) % 5)
    right = rng.normal(size=(700, 2))
    found = []
    for n_threads in (1, 2, 3):
        gram = MatrixFreeGram.from_points(X, semimetric, n_threads=n_threads)
        sums = gram.running_sums(labels, w, 5)
        first = sums.block(0, 700)
        sums.apply(moves, 0, 256, np.zeros((5, 256)))
        found.append((first, sums.block(0, 700), gram.matmul(right)))
    for others in found[1:]:
        for one, other in zip(found[0], others, strict=True):
            assert one.tobytes() == other.tobytes()


def test_more_moves_than_a_group_of_rows_and_points_that_are_no_multiple_of_32():
    rng = np.random.default_rng(5)
    for n, semimetric in [(300, Energy(1.0)), (289, Energy(0.7)), (321, Gaussian(1.0))]:
        X = rng.normal(size=(n, 3))
        gram = MatrixFreeGram.from_points(X, semimetric, n_threads=2)
        G = -0.5 * semimetric.pairwise(X)
        labels, w = rng.integers(4, size=n), rng.uniform(0.1, 2, n)
        for count in (1, 2, 5, 8, 13, 40):
            sums = gram.running_sums(labels, w, 4)
            moved = 32 + np.sort(rng.permutation(64)[:count])
            after = labels.copy()
            after[moved] = (labels[moved] + rng.integers(1, 4, count)) % 4
            own = np.ascontiguousarray(spec.cluster_sums(G, after, w, 4)[32:96].T)
            sums.apply(Moves(moved, w[moved], labels[moved], after[moved]), 32, 96, own)
            assert_sums(sums, G, after, w, 4)


# --- solving -----------------------------------------------------------------------------------


@each("seed", range(26))
def test_moves_are_those_of_the_dense_operator(seed):
    rng = np.random.default_rng(seed)
    semimetric, d = list(SEMIMETRICS.values())[seed % len(SEMIMETRICS)]
    n, k = int(rng.integers(20, 600)), int(rng.integers(2, 9))
    X = points(rng, n, d, semimetric)
    if isinstance(semimetric, Hamming):
        X = rng.integers(0, 3, size=(n, 25)).astype(float)
    w = rng.uniform(0.1, 3, n) * (rng.random(n) < 0.9) if seed % 2 else rng.uniform(0.5, 1, n)
    start = random_start(rng, n, k)
    dense = Hartigan().solve(Problem(DenseGram.from_points(X, semimetric), w, k), start)
    free = Hartigan().solve(Problem(MatrixFreeGram.from_points(X, semimetric), w, k), start)
    assert free.labels.tolist() == dense.labels.tolist()
    assert (free.n_moves, free.n_iter) == (dense.n_moves, dense.n_iter)
    assert free.n_moves > 0
    assert free.objective == pytest.approx(dense.objective, rel=1e-10)
    np.testing.assert_allclose(free.history, dense.history, rtol=1e-9)


@each("solver", [Lloyd(), OnlineLloyd(), Hartigan()])
def test_solvers_conform(solver):
    rng = np.random.default_rng(6)
    X, w = rng.normal(size=(140, 2)), rng.uniform(0, 2, 140) * (rng.random(140) < 0.8)
    check_solver(solver, MatrixFreeGram.from_points(X, Energy()), n_clusters=4, weights=w)
    check_solver(solver, PairwiseGram(X, Energy()), n_clusters=4)
    start = random_start(rng, 140, 4)
    free = solver.solve(Problem(MatrixFreeGram.from_points(X, Energy()), w, 4), start)
    dense = solver.solve(Problem(DenseGram.from_points(X, Energy()), w, 4), start)
    assert free.labels.tolist() == dense.labels.tolist()


@each("seed", range(5))
def test_without_a_tolerance_it_still_ends_at_an_optimum(seed):
    """The bound on the drift is then always exceeded: sums are made anew until nothing moves."""
    rng = np.random.default_rng(seed)
    X, start = rng.normal(size=(150, 2)), random_start(rng, 150, 4)
    p = Hartigan(tol=0).solve(
        Problem(MatrixFreeGram.from_points(X, Energy()), np.ones(150), 4), start
    )
    assert p.converged
    G = -0.5 * cdist(X, X)
    assert is_one_move_optimal(G, p.labels, np.ones(150), 4, 1e-12)
    assert p.objective == pytest.approx(spec.objective(G, p.labels, np.ones(150), 4), rel=1e-12)


@each("n_blocks", [2, 4, 8, 10, 26])
def test_every_pair_of_blocks_meets_once_and_no_block_twice_in_a_round(n_blocks):
    found = rounds(n_blocks)
    assert len(found) == n_blocks
    assert sorted(map(tuple, found[0].tolist())) == [(i, i) for i in range(n_blocks)]
    for matches in found[1:]:
        assert sorted(matches.ravel().tolist()) == list(range(n_blocks))
        assert np.all(matches[:, 0] < matches[:, 1])
    pairs = [tuple(match) for matches in found[1:] for match in matches.tolist()]
    assert sorted(pairs) == list(itertools.combinations(range(n_blocks), 2))
