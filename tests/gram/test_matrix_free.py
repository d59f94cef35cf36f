"""Sums without a matrix: against the specification, the dense operator, and for any threads."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from helpers import each, random_start
from kgroups.gram import DenseGram, MatrixFreeGram, Moves
from kgroups.gram.matrix_free import _edges
from kgroups.semimetrics import (
    ColumnSum,
    DampedSquared,
    Energy,
    Gaussian,
    Hamming,
    JensenShannon,
    Laplacian,
    Manhattan,
    SineSquared,
)
from kgroups.solvers import Hartigan, Problem
from kgroups.solvers import objective as spec
from kgroups.testing import check_gram_operator, is_one_move_optimal

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
