"""Bounds against the best of all partitions, against dense formulas, and by hand."""

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.linalg import eigvalsh
from sklearn.datasets import load_iris, load_wine
from sklearn.preprocessing import scale

from helpers import random_gram
from kgroups import KernelKGroups, KernelKMeans
from kgroups.bounds import blocks_save_time, semidefinite_bound, spectral_bound
from kgroups.bounds.blockwise import _largest_sum, blockwise
from kgroups.bounds.centered import Centered, bound_input
from kgroups.bounds.polyhedron import Polyhedron
from kgroups.bounds.spectral_bound import largest_sum, spectral
from kgroups.cli import main
from kgroups.gram import DenseGram
from kgroups.runtime.threads import at_most
from kgroups.semimetrics import DampedSquared, Energy, by_name
from kgroups.solvers.exhaustive import Exhaustive
from kgroups.solvers.objective import objective

FOUR = [[0.0], [1.0], [10.0], [12.0]]


def best_w(G, w, k):
    """W of the best partition of the points with weight."""
    alive = w > 0
    G, w = G[np.ix_(alive, alive)], w[alive]
    best = Exhaustive().solve(DenseGram(G), np.zeros(len(w), np.int64), w, k)
    return float(w @ np.diag(G)) - objective(G, best.labels, w, k)


def plain_bound(G, w, k):
    """tr − Σ of the k − 1 largest eigenvalues on the complement of √w, as the formula has it."""
    r = np.sqrt(w[w > 0])
    H = np.linalg.qr(np.column_stack([r, np.eye(len(r))[:, 1:]]))[0][:, 1:]
    A = H.T @ (r[:, None] * G[np.ix_(w > 0, w > 0)] * r) @ H
    values = np.sort(np.linalg.eigvalsh(A))[::-1]
    return values.sum() - values[: k - 1].sum()


def random_weights(rng, n, kind):
    if kind == "unit":
        return np.ones(n)
    w = rng.exponential(size=n)
    if kind == "zeros":
        w[rng.permutation(n)[:2]] = 0
    return w * 10.0 ** rng.uniform(-8, 8, n) if kind == "extreme" else w


@pytest.mark.nojit
@pytest.mark.parametrize("weights", ["unit", "random", "zeros", "extreme"])
@pytest.mark.parametrize("kind", ["kernel", "distance", "indefinite"])
def test_spectral_bound_is_the_formula_and_below_every_partition(kind, weights):
    rng = np.random.default_rng(1)
    for _ in range(5):
        n = int(rng.integers(4, 8))
        G, w = random_gram(rng, n, kind), random_weights(rng, n, weights)
        for k in range(1, int((w > 0).sum()) + 1):
            found = spectral_bound(G, k, metric="precomputed_kernel", sample_weight=w)
            matrix = Centered.of(DenseGram(G), w)
            rounding = matrix.unit * matrix.rounding
            assert found <= best_w(G, w, k) + rounding
            assert_allclose(found, plain_bound(G, w, k), atol=3 * n * rounding)


@pytest.mark.nojit
@pytest.mark.parametrize("weights", ["unit", "random", "zeros"])
@pytest.mark.parametrize("kind", ["kernel", "distance", "indefinite"])
def test_semidefinite_bound_lies_between_the_spectral_one_and_the_optimum(kind, weights):
    rng = np.random.default_rng(2)
    for _ in range(2):
        n = 6
        G, w = random_gram(rng, n, kind), random_weights(rng, n, weights)
        matrix = Centered.of(DenseGram(G), w)
        rounding = matrix.unit * matrix.rounding
        for k in (1, 2, 3):
            how = {"metric": "precomputed_kernel", "sample_weight": w}
            found = semidefinite_bound(G, k, max_iter=150, **how)
            assert spectral_bound(G, k, **how) <= found <= best_w(G, w, k) + rounding


def test_semidefinite_bound_proves_what_is_best():
    rng = np.random.default_rng(3)
    for k in (2, 3, 4):
        X = rng.normal(size=(9, 2)) + 6 * np.eye(4, 2)[np.arange(9) % k] * [1, 2]
        X[np.arange(9) % k == 3] -= 6
        w = rng.uniform(0.5, 2.0, 9)
        best = best_w(-0.5 * Energy().pairwise(X), w, k)
        found = semidefinite_bound(X, k, sample_weight=w)
        assert best * (1 - 1e-5) <= found <= best
        assert spectral_bound(X, k, sample_weight=w) < 0.99 * best


@pytest.mark.nojit
def test_by_hand():
    assert_allclose(spectral_bound(FOUR, 1), 45 / 4)  # the sum of all distances over n
    assert spectral_bound(FOUR, 4) == 0.0
    # two pairs of equal points have one direction, which two clusters explain
    assert_allclose(spectral_bound([[0.0], [0.0], [5.0], [5.0]], 2), 0.0, atol=1e-12)
    assert_allclose(semidefinite_bound(FOUR, 2), 1.5, rtol=1e-6)
    # three points at distance 1 have K̃ = P/2: a cluster takes 1/2 whichever it is
    assert_allclose(spectral_bound(1 - np.eye(3), 2, metric="precomputed"), 0.5)


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


@pytest.mark.parametrize("D", [1, 3, 12])
@pytest.mark.parametrize("k", [2, 7])
def test_lanczos_finds_what_all_eigenvalues_give(D, k):
    rng = np.random.default_rng(D)
    X = rng.normal(size=(700, D)) + 3 * rng.normal(size=(4, D))[rng.integers(4, size=700)]
    w = rng.uniform(size=700) * (rng.uniform(size=700) > 0.1)
    G = -0.5 * Energy().pairwise(X)
    exact = plain_bound(G, w, k)
    for tol in (1e-10, 1e-4):
        found = spectral_bound(X, k, sample_weight=w, tol=tol)
        total = spectral_bound(X, 1, sample_weight=w)
        assert exact - tol * total - 1e-9 * total <= found <= exact + 1e-13 * total


@pytest.mark.parametrize("name", ["flat", "rank two", "indefinite", "zero"])
def test_lanczos_on_spectra_without_gaps_or_without_end(name):
    rng = np.random.default_rng(5)
    n, w = 650, np.ones(650)
    F = rng.normal(size=(n, 2))
    A = rng.normal(size=(n, n))
    G = {"flat": np.eye(n), "rank two": F @ F.T, "indefinite": A + A.T, "zero": np.zeros((n, n))}
    matrix = Centered.of(DenseGram(G[name]), w)
    P = np.eye(n) - 1 / n
    found = largest_sum(matrix, 4, 1e-8)
    exact = float(eigvalsh(P @ G[name] @ P, subset_by_index=[n - 4, n - 1]).sum())
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


def test_weights_are_repeats_and_their_unit_does_not_matter():
    rng = np.random.default_rng(7)
    X, w = rng.normal(size=(12, 2)), rng.integers(0, 4, size=12)
    for bound in (spectral_bound, semidefinite_bound):
        found = bound(X, 3, sample_weight=w)
        assert_allclose(bound(X, 3, sample_weight=1e200 * w), 1e200 * found, rtol=1e-5)
        if bound is spectral_bound:
            assert_allclose(bound(np.repeat(X, w, axis=0), 3), found, rtol=1e-9)


def test_equal_points():
    assert_allclose(spectral_bound(np.ones((700, 2)), 3), 0.0, atol=1e-9)
    assert_allclose(semidefinite_bound(np.ones((20, 2)), 3), 0.0, atol=1e-12)


@pytest.mark.parametrize(
    ("X", "k"),
    [(load_iris().data, 2), (load_iris().data, 3), (scale(load_wine().data), 3)],
    ids=["iris 2", "iris 3", "wine 3"],
)
def test_real_data_are_proved(X, k):
    found = KernelKGroups(k, random_state=0).fit(X).optimality_gap()
    assert found.kind == "semidefinite"
    assert found.proves_optimal
    assert found.bound <= found.within_dispersion


def test_gap_of_an_estimator():
    rng = np.random.default_rng(8)
    X, w = rng.normal(size=(250, 2)), 1e6 * rng.uniform(size=250)
    w[:5] = 0
    for estimator in (KernelKGroups, KernelKMeans):
        model = estimator(4, random_state=0).fit(X, sample_weight=w)
        found = model.optimality_gap()
        assert found.kind == "spectral"
        assert found.within_dispersion == model.within_dispersion_
        assert_allclose(found.bound, spectral_bound(X, 4, sample_weight=w), rtol=1e-9)
        assert_allclose(found.gap, 1 - found.bound / model.within_dispersion_)
        assert not found.proves_optimal
    assert model.optimality_gap(X).gap == found.gap


def test_gap_with_a_matrix_needs_it_again():
    rho = Energy().pairwise(np.array(FOUR))
    model = KernelKGroups(2, metric="precomputed", random_state=0).fit(rho)
    with pytest.raises(ValueError, match=r'metric="precomputed" does not keep: write optimality'):
        model.optimality_gap()
    found = model.optimality_gap(rho, kind="spectral")
    assert found.kind == "spectral"
    assert_allclose(found.bound, spectral_bound(FOUR, 2))
    with pytest.raises(ValueError, match="the X of the fit, 4 rows; got 2"):
        model.optimality_gap(rho[:2])
    kernel = KernelKGroups(2, metric="precomputed_kernel", random_state=0).fit(-0.5 * rho + 7)
    assert kernel.optimality_gap(-0.5 * rho + 7).proves_optimal


def test_gap_zero_where_nothing_is_lacking():
    for X, k in (([[0.0], [0.0], [5.0], [5.0]], 2), (FOUR, 4), (FOUR, 1)):
        found = KernelKGroups(k, random_state=0).fit(X).optimality_gap(kind="spectral")
        assert found.gap == 0.0
        assert found.proves_optimal


def test_gap_without_negative_type():
    X = np.random.default_rng(9).normal(size=(9, 2))
    with pytest.warns(Warning, match="negative type"):
        model = KernelKGroups(3, metric=DampedSquared(), random_state=0).fit(X)
    best = best_w(-0.5 * DampedSquared().pairwise(X), np.ones(9), 3)
    assert model.optimality_gap().bound <= best + 1e-12


def blockwise_cases():
    """Points, name of the metric, weights."""
    rng = np.random.default_rng(10)
    n = 400
    X = rng.normal(size=(n, 10)) + 3 * rng.normal(size=(4, 10))[rng.integers(4, size=n)]
    uneven = 10.0 ** rng.uniform(-8, 8, n) * (rng.uniform(size=n) > 0.2)
    cases = {name: (X, name, None) for name in ("energy", "laplacian", "gaussian")}
    return cases | {
        "hamming": (rng.integers(0, 3, size=(n, 8)).astype(float), "hamming", None),
        "jensen_shannon": (rng.dirichlet(np.ones(6), size=n), "jensen_shannon", None),
        "lognormal": (rng.lognormal(sigma=3, size=(n, 3)), "energy", None),
        "Cauchy": (rng.standard_cauchy(size=(n, 3)), "energy", None),
        "duplicates": (np.repeat(X[:20], 20, axis=0), "energy", None),
        "equal": (np.ones((n, 2)), "energy", None),
        "weights": (X, "energy", uneven),
        "far off": (X + 1e6, "energy", None),
        "large": (1e100 * X, "energy", None),
        "small": (1e-100 * X, "energy", None),
        "line": (X[:, :1], "energy", None),
        "flat": (rng.normal(size=(n, 200)), "energy", None),
    }


@pytest.mark.parametrize("name", blockwise_cases())
def test_blockwise_bound_is_below_the_spectral_one(name, monkeypatch):
    X, metric, w = blockwise_cases()[name]
    how = {"metric": metric, "sample_weight": w}
    total = spectral_bound(X, 1, **how)
    rho = np.asarray(by_name(metric).resolve(X).pairwise(X))
    weights = np.ones(len(X)) if w is None else w
    # a block is the whole only from 10 k points on
    for k in (1, 2, 5, 20, 50, int((weights > 0).sum()) - 1):
        found = spectral_bound(X, k, method="blockwise", **how)
        exact = plain_bound(-0.5 * rho, weights, k)
        assert 0.0 <= found <= max(exact, 0.0) + 1e-12 * total
        if k >= 40:
            assert found >= exact - 0.1 * total
    # so many fewer pairs still say most: 1/m of the total and the overfit of one direction
    if name in ("energy", "laplacian", "gaussian", "far off", "large", "small", "line", "flat"):
        assert spectral_bound(X, 2, method="blockwise", **how) > 0.8 * plain_bound(
            -0.5 * rho, weights, 2
        )


def test_blocks_add_up_to_less_than_the_whole():
    rng = np.random.default_rng(11)
    X, w = rng.normal(size=(200, 2)), rng.uniform(size=200)
    labels = KernelKGroups(3, random_state=0).fit(X, sample_weight=w).labels_
    size = int(np.sqrt(12 * 200))
    blocks = np.array_split(np.random.default_rng(0).permutation(200), 200 // size)
    expected = sum(plain_bound(-0.5 * Energy().pairwise(X[b]), w[b], 3) for b in blocks)
    found = spectral_bound(X, 3, sample_weight=w, method="blockwise")
    assert 0.97 * expected <= found <= expected * (1 + 1e-12)

    def W(index):
        return sum(
            w[c] @ Energy().pairwise(X[c]) @ w[c] / (2 * w[c].sum())
            for c in (index[labels[index] == j] for j in range(3))
        )

    assert found <= sum(W(b) for b in blocks) <= W(np.arange(200))


@pytest.mark.parametrize("name", ["decaying", "flat", "low rank", "one", "zero"])
@pytest.mark.parametrize("count", [0, 1, 5, 20, 100])
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


def test_blockwise_does_not_depend_on_threads():
    X = np.random.default_rng(13).normal(size=(2_500, 3))
    given = bound_input(X, 4, "energy", None)
    found = []
    for n_threads in (1, 2, 3):
        with at_most(n_threads):
            found.append(blockwise(*given))
    assert found[0] == found[1] == found[2]


def test_automatic_bound_is_exact_up_to_2000_points_and_blockwise_beyond():
    X = np.random.default_rng(14).normal(size=(2_500, 3))
    assert spectral_bound(X[:700], 4) == spectral_bound(X[:700], 4, method="exact")
    beyond = spectral_bound(X, 4)
    assert beyond == spectral_bound(X, 4, method="blockwise") < spectral_bound(X, 4, method="exact")
    gap = KernelKGroups(4, random_state=0).fit(X).optimality_gap()
    assert gap.kind == "blockwise"
    assert gap.bound == beyond
    assert 0 < gap.gap < 1
    one = KernelKGroups(1, random_state=0).fit(X).optimality_gap()
    assert one.kind == "spectral"
    assert one.proves_optimal


def test_no_blocks_of_matrices_or_without_negative_type():
    rho = Energy().pairwise(np.array(FOUR))
    for metric in ("precomputed", "precomputed_kernel"):
        with pytest.raises(ValueError, match="points with a metric known to be of negative type"):
            spectral_bound(rho, 2, metric=metric, method="blockwise")
    model = KernelKGroups(2, metric="precomputed", random_state=0).fit(rho)
    with pytest.raises(ValueError, match="take the spectral bound for this input"):
        model.optimality_gap(rho, kind="blockwise")
    with pytest.warns(Warning, match="negative type"), pytest.raises(ValueError, match="of neg"):
        spectral_bound(FOUR, 2, metric=DampedSquared(), method="blockwise")
    with pytest.raises(ValueError, match="method must be one of auto, exact, blockwise"):
        spectral_bound(FOUR, 2, method="sketched")


def test_what_cannot_be():
    X = np.random.default_rng(0).normal(size=(300, 2))
    model = KernelKGroups(2, method="nystroem", random_state=0).fit(X)
    with pytest.raises(ValueError, match="only estimates W"):
        model.optimality_gap()
    with pytest.raises(ValueError, match="kind must be one of auto, spectral"):
        model.optimality_gap(kind="sdp")
    with pytest.raises(ValueError, match="at most 1,000 rows with weight; got 1,001"):
        semidefinite_bound(np.arange(1001.0)[:, None], 2)
    with pytest.raises(ValueError, match="n_clusters=5 is more than n_samples=4"):
        spectral_bound(FOUR, 5)


def test_spectral_of_no_more_points_than_clusters():
    matrix = Centered.of(DenseGram(np.eye(3)), np.array([1.0, 0.0, 2.0]))
    assert spectral(matrix, 3, 1e-8) == 0.0


@pytest.mark.parametrize("bound", ["spectral", "semidefinite", "none"])
def test_command_line(tmp_path, capsys, bound):
    np.savetxt(tmp_path / "x.csv", np.array(FOUR), delimiter=",")
    assert main(["cluster", str(tmp_path / "x.csv"), "-k", "2", "--json", "--bound", bound]) == 0
    found = json.loads(capsys.readouterr().out)
    expected = {"spectral": spectral_bound(FOUR, 2), "semidefinite": 1.5, "none": None}[bound]
    assert found["gap_kind"] == (None if bound == "none" else bound)
    if bound == "none":
        assert found["bound"] is found["gap"] is None
    else:
        assert_allclose(found["bound"], expected, rtol=1e-5)


def test_command_line_beyond_2000_rows(tmp_path, capsys):
    X = np.random.default_rng(15).normal(size=(2_100, 2)).round(3)
    np.savetxt(tmp_path / "x.csv", X, delimiter=",", fmt="%.3f")
    assert main(["cluster", str(tmp_path / "x.csv"), "-k", "3", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["gap_kind"] == "blockwise"
    assert_allclose(found["bound"], spectral_bound(X, 3, method="blockwise"), rtol=1e-9)
    assert main(["cluster", str(tmp_path / "x.csv"), "-k", "3"]) == 0
    assert "(blockwise bound: W ≥ " in capsys.readouterr().out


def test_a_bound_that_was_asked_for_is_given_or_refused(tmp_path, capsys):
    X = np.random.default_rng(16).normal(size=(1_100, 2)).round(3)
    np.savetxt(tmp_path / "x.csv", X, delimiter=",", fmt="%.3f")
    command = ["cluster", str(tmp_path / "x.csv"), "-k", "3", "--json"]
    assert main([*command, "--bound", "semidefinite"]) == 1
    assert "--bound semidefinite is limited to 1,000 rows" in capsys.readouterr().err
    assert main([*command, "--bound", "spectral", "--method", "nystroem"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["gap"] is None
    assert "no --bound for approximate distances; use --method matrix_free" in err


@pytest.mark.parametrize(
    ("n", "k", "saves"),
    [
        (2_000, 5, False),  # the exact one is quick
        (2_001, 5, True),
        (5_100, 1, False),  # no eigenvalue is needed
        (5_100, 127, True),  # four blocks of 1,270 points
        (5_100, 128, False),
    ],
)
def test_blocks_save_time_where_there_are_several(n, k, saves):
    assert blocks_save_time(n, k) is saves


def test_no_long_bound_unless_it_is_asked_for(tmp_path, capsys):
    """128 clusters leave no four blocks, and the exact bound of 5,100 rows takes longer."""
    X = np.repeat(np.arange(128.0), 40)[:5_100]
    np.savetxt(tmp_path / "x.csv", X, fmt="%.1f")
    command = ["cluster", str(tmp_path / "x.csv"), "-k", "128", "--json", "--n-init", "1"]
    assert main(command) == 0
    assert json.loads(capsys.readouterr().out)["gap_kind"] is None
