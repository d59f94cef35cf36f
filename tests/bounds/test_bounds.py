"""Bounds and proofs at the edges of arithmetic, and of data that are known."""

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris, load_wine
from sklearn.preprocessing import scale

from helpers import each
from kgroups import KernelKGroups
from kgroups.bounds import certify, semidefinite_bound, spectral_bound
from kgroups.bounds.blockwise import _largest_sum
from kgroups.bounds.centered import Centered
from kgroups.bounds.polyhedron import Polyhedron
from kgroups.bounds.spectral_bound import largest_sum
from kgroups.cli import main
from kgroups.gram import DenseGram
from kgroups.semimetrics import Energy

FOUR = [[0.0], [1.0], [10.0], [12.0]]


@each("name", ["flat", "rank two", "indefinite", "zero"])
def test_lanczos_on_spectra_without_gaps_or_without_end(name):
    rng = np.random.default_rng(5)
    n, w = 650, np.ones(650)
    F = rng.normal(size=(n, 2))
    A = rng.normal(size=(n, n))
    G = {"flat": np.eye(n), "rank two": F @ F.T, "indefinite": A + A.T, "zero": np.zeros((n, n))}
    matrix = Centered.of(DenseGram(G[name]), w)
    P = np.eye(n) - 1 / n
    found = largest_sum(matrix, 4, 1e-8)
    exact = float(np.linalg.eigvalsh(P @ G[name] @ P)[-4:].sum())
    scale = np.abs(G[name]).sum() / n
    assert exact - 1e-12 * scale <= found <= exact + 1e-6 * scale + 1e-300


def test_bounds_do_not_depend_on_the_origin():
    rng = np.random.default_rng(6)
    for n, size in ((40, 1e-9), (700, 1e-7)):
        X = rng.normal(size=(n, 3))
        a = rng.normal(size=n)
        rho = Energy().pairwise(X)
        K = -0.5 * rho + a[:, None] + a
        expected = spectral_bound(X, 5)
        assert_allclose(spectral_bound(X + 1e6, 5), expected, rtol=1e-6)
        assert_allclose(spectral_bound(rho, 5, metric="precomputed"), expected, rtol=size)
        assert_allclose(spectral_bound(K, 5, metric="precomputed_kernel"), expected, rtol=size)
        offset = spectral_bound(K + 1e6, 5, metric="precomputed_kernel")
        assert 0.99 * expected <= offset <= expected * (1 + 1e-6)


@each("n", [30, 100, 400])
@each("k", [2, 3, 7])
def test_points_at_equal_distances_have_no_gap(n, k):
    """A cluster of m has W = (m − 1)/2, so all partitions into k have (n − k)/2."""
    model = KernelKGroups(k, metric="hamming", random_state=0).fit(np.arange(n)[:, None])
    assert_allclose(model.within_dispersion_, (n - k) / 2)
    for kind in ("auto", "spectral"):
        found = model.optimality_gap(kind=kind)
        assert found.bound <= (n - k) / 2
        assert_allclose(found.bound, (n - k) / 2, rtol=1e-6)
        assert found.proves_optimal


def test_equal_points():
    assert_allclose(spectral_bound(np.ones((700, 2)), 3), 0.0, atol=1e-9)
    assert_allclose(semidefinite_bound(np.ones((20, 2)), 3), 0.0, atol=1e-12)


@each("name", ["decaying", "flat", "low rank", "one", "zero"])
@each("count", [0, 1, 5, 20, 100])
def test_sum_of_eigenvalues_is_proved(name, count):
    rng = np.random.default_rng(12)
    m = 200
    spectrum = {
        "decaying": 1 / np.arange(1.0, m + 1), "flat": np.ones(m), "zero": np.zeros(m),
        "low rank": np.r_[5.0, 4.0, 3.0, np.zeros(m - 3)], "one": np.r_[1.0, np.zeros(m - 1)],
    }[name]  # fmt: skip
    Q = np.linalg.qr(rng.normal(size=(m, m)))[0]
    found = _largest_sum((Q * spectrum) @ Q.T, count)
    exact = spectrum[:count].sum()
    assert exact - 1e-13 * spectrum.sum() <= found
    assert found <= 1.05 * exact + 1e-10 * spectrum.sum()


def test_gap_with_a_matrix_needs_it_again():
    rho = Energy().pairwise(np.array(FOUR))
    model = KernelKGroups(2, metric="precomputed", random_state=0).fit(rho)
    with pytest.raises(ValueError, match="optimality_gap"):
        model.optimality_gap()
    found = model.optimality_gap(rho, kind="spectral")
    assert found.kind == "spectral"
    assert_allclose(found.bound, spectral_bound(FOUR, 2))
    with pytest.raises(ValueError, match="4 rows"):
        model.optimality_gap(rho[:2])
    kernel = KernelKGroups(2, metric="precomputed_kernel", random_state=0).fit(-0.5 * rho + 7)
    assert kernel.optimality_gap(-0.5 * rho + 7).proves_optimal


def test_gap_zero_where_nothing_is_lacking():
    for X, k in (([[0.0], [0.0], [5.0], [5.0]], 2), (FOUR, 4), (FOUR, 1)):
        found = KernelKGroups(k, random_state=0).fit(X).optimality_gap(kind="spectral")
        assert found.gap == 0.0
        assert found.proves_optimal


def test_no_long_bound_unless_it_is_asked_for(tmp_path, capsys):
    """128 clusters leave no four blocks, and the exact bound of 5,100 rows takes longer."""
    X = np.repeat(np.arange(128.0), 40)[:5_100]
    np.savetxt(tmp_path / "x.csv", X, fmt="%.1f")
    command = ["cluster", str(tmp_path / "x.csv"), "-k", "128", "--json", "--n-init", "1"]
    assert main(command) == 0
    assert json.loads(capsys.readouterr().out)["gap_kind"] is None


@each(
    ("X", "k"),
    [(load_iris().data, 2), (load_iris().data, 3), (scale(load_wine().data), 3)],
    ids=["iris 2", "iris 3", "wine 3"],
)
def test_real_data_are_proved(X, k):
    found = KernelKGroups(k, random_state=0).fit(X).optimality_gap()
    assert found.kind == "semidefinite"
    assert found.proves_optimal
    assert found.bound <= found.within_dispersion


def test_a_cut_holds_of_partitions_and_is_found_where_it_does_not():
    root = np.sqrt([1.0, 2.0, 3.0, 4.0])
    polyhedron = Polyhedron(root)
    labels = np.array([0, 0, 1, 1])
    u = (labels[:, None] == [0, 1]) * root[:, None]
    u /= np.linalg.norm(u, axis=0)
    assert polyhedron.renew(u @ u.T) == 0
    # a point with two others, half each: X_01 + X_02 = 2 X_00 and X_12 = 0
    X = np.diag([1.0, 1.0, 1.0, 1.0])
    X[0, 1:3] = X[1:3, 0] = 0.9
    assert polyhedron.renew(X * np.outer(root, root)) == 1
    assert polyhedron.points.tolist() == [[0, 1, 2]]
    Z = X * np.outer(root, root)
    for _ in range(100):
        Y = polyhedron.project(Z)
    Y /= np.outer(root, root)
    assert_allclose(Y[0, 0] + Y[1, 2] - Y[0, 1] - Y[0, 2], 0.0, atol=1e-9)
    assert (polyhedron.multipliers > 0).all()
    assert_allclose(polyhedron.dual(), polyhedron.project(Z) - Z, atol=1e-12)


certify_module = __import__("kgroups.bounds.certify", fromlist=["certify"])


def test_iris_by_species():
    """W of the species is 70.3385; nine flowers would each lower it."""
    X, species = load_iris(return_X_y=True)
    found = certify(X, species)
    assert found.within_dispersion == pytest.approx(70.33848, abs=1e-4)
    assert len(found.rows) == 9
    assert found.rows[np.argmax(found.gains)] == 106
    assert found.n_pairs == found.n_pairs_full == 150 * 149 // 2


def test_weights_whose_squares_underflow(monkeypatch):
    """Bounds divide by squares of weights, so all sums are taken."""
    monkeypatch.setattr(certify_module, "_FROM", 100)
    rng = np.random.default_rng(0)
    X, weights = rng.normal(size=(200, 2)), np.ones(200)
    weights[:80] = 1e-170
    labels = rng.integers(2, size=200)
    labels[:80] = 2
    found = certify(X, labels, sample_weight=weights)
    assert found.proved
    assert found.n_pairs == 200 * 199 // 2
