"""From given labels every method makes the moves of one plain loop over the points.

Points are visited in the order of the rows, and each moves to the cluster where Q gains most, the
first of equal ones, if that is more than ``tol`` Σ|Q_j/s_j|; a cluster keeps its last point. Rows
of weight zero are put to the nearest centroid in the end.
"""

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

import oracle
from kgroups import GraphKGroups, KernelKGroups

pytestmark = pytest.mark.filterwarnings("ignore::kgroups.exceptions.TheoryWarning")


def plain_loop(rho, labels, w, k, max_iter=300, tol=1e-12):
    """Labels, sweeps and moves of Hartigan's method in ρ alone, with all sums kept."""
    labels, members = labels.copy(), np.bincount(labels[w > 0], minlength=k)
    s = np.bincount(labels, weights=w, minlength=k)
    R = rho @ (np.eye(k)[labels] * w[:, None])
    T = np.array([w[labels == j] @ R[labels == j, j] for j in range(k)])
    n_sweeps, n_moves, moved = 0, 0, 1
    while moved and n_sweeps < max_iter:
        n_sweeps, moved = n_sweeps + 1, 0
        for i in np.flatnonzero(w > 0):
            j = labels[i]
            if members[j] == 1:
                continue
            with np.errstate(divide="ignore", invalid="ignore"):
                own = T[j] / s[j] - (T[j] - 2 * w[i] * R[i, j]) / (s[j] - w[i])
                into = (T + 2 * w[i] * R[i]) / (s + w[i]) - np.where(s > 0, T / s, 0)
            into[j] = np.inf
            target = int(np.argmin(into))
            if (own - into[target]) / 2 <= tol * np.abs(T / s).sum() / 2:
                continue
            T[j] -= 2 * w[i] * R[i, j]
            T[target] += 2 * w[i] * R[i, target]
            s[j], s[target] = s[j] - w[i], s[target] + w[i]
            members[j], members[target] = members[j] - 1, members[target] + 1
            R[:, j] -= w[i] * rho[:, i]
            R[:, target] += w[i] * rho[:, i]
            labels[i], moved = target, moved + 1
        n_moves += moved
    nearest = (R / s - T / (2 * s**2)).argmin(axis=1)
    return np.where(w > 0, labels, nearest), n_sweeps, n_moves


def overlapping(rng, n):
    """Numbers of any size: ties and near ties are improbable."""
    return rng.normal(size=(n, 3)) + 1.5 * rng.normal(size=(4, 3))[rng.integers(4, size=n)]


def scattered(rng, n):
    """Mostly zeros."""
    X = np.where(rng.random((n, 9)) < 0.4, rng.normal(size=(n, 9)), 0.0)
    X[:, 0] += 0.1
    return X


METHODS = {
    "dense": ("energy", "dense", overlapping, "energy"),
    "matrix-free": ("energy", "matrix_free", overlapping, "energy"),
    "matrix-free, Gaussian": ("gaussian", "matrix_free", overlapping, "gaussian"),
    "dense, damped": ("damped_squared", "dense", overlapping, "damped_squared"),
    "matrix-free, damped": ("damped_squared", "matrix_free", overlapping, "damped_squared"),
    "squared": ("sqeuclidean", "matrix_free", overlapping, "sqeuclidean"),
    "squared on a matrix": ("sqeuclidean", "dense", overlapping, "sqeuclidean"),
    "directions": ("cosine", "matrix_free", overlapping, "cosine"),
    "precomputed": ("precomputed", "auto", overlapping, "energy"),
    "kernel": ("precomputed_kernel", "auto", overlapping, "sqeuclidean"),
    "sparse kernel": ("precomputed_kernel", "auto", overlapping, "sqeuclidean"),
    "sparse rows": ("energy", "matrix_free", scattered, "energy"),
    "sparse rows, squared": ("sqeuclidean", "matrix_free", scattered, "sqeuclidean"),
    "sparse rows, directions": ("cosine", "matrix_free", scattered, "cosine"),
}
PROBLEMS = [(90, 4, False), (310, 7, True), (300, 3, False)]


@pytest.mark.parametrize("name", METHODS)
def test_moves_are_those_of_the_loop(name):
    metric, method, draw, right = METHODS[name]
    for seed, (n, k, weighted) in enumerate(PROBLEMS):
        rng = np.random.default_rng(seed)
        X, start = draw(rng, n), rng.integers(k, size=n)
        w = rng.uniform(0.2, 3.0, n) * (rng.random(n) > 0.1) if weighted else np.ones(n)
        rho = oracle.distances(right, X).astype(float)
        data = {"precomputed": rho, "kernel": X @ X.T, "sparse kernel": sparse.csr_array(X @ X.T)}
        rows = sparse.csr_array(X) if name.startswith("sparse rows") else data.get(name, X)
        model = KernelKGroups(k, metric=metric, method=method, init=start)
        model.fit(rows, sample_weight=w)
        labels, n_iter, n_moves = plain_loop(rho, start, w, k)
        assert n_moves > n / 10, "the start leaves something to do"
        assert model.labels_.tolist() == labels.tolist(), f"{name}, {n}"
        assert (model.n_iter_, model.n_moves_) == (n_iter, n_moves), f"{name}, {n}"
        assert model.converged_
        assert oracle.largest_gain(rho, labels, w, k) <= 1e-9 * rho.max() * w.sum()
        history = model.objective_history_
        assert len(history) == model.n_iter_ + 1
        assert (np.diff(history) >= -1e-12 * np.abs(history).max()).all()
        if metric != "precomputed_kernel":
            first = oracle.between(rho, start, w, k)
            assert history[0] == pytest.approx(float(first), rel=1e-9, abs=1e-9 * rho.max())
        assert history[-1] == pytest.approx(model.objective_, rel=1e-9)


def test_moves_among_many_rows_on_a_line():
    """Rows go one by one to a cluster that comes nearer; a heavy row keeps the other in place."""
    rng, n = np.random.default_rng(0), 20_001
    x, w, some = rng.random(n), np.zeros(n), np.sort(rng.permutation(n)[:240])
    w[some] = rng.uniform(0.5, 2, 240)
    x[some[-1]], w[some[-1]] = 1.0, 400.0
    start = (x >= 0.1).astype(int)
    rho = np.abs(x[some, None] - x[some])
    labels, n_iter, n_moves = plain_loop(rho, start[some], w[some], 2)
    model = KernelKGroups(2, metric="manhattan", init=start).fit(x[:, None], sample_weight=w)
    assert model.labels_[some].tolist() == labels.tolist()
    assert (model.method_, model.n_iter_, model.n_moves_) == ("matrix_free", n_iter, n_moves)


def test_moves_of_communities():
    rng = np.random.default_rng(0)
    A, start = np.triu(rng.uniform(0.3, 3, (40, 40)), 1), rng.integers(4, size=40)
    A[rng.random((40, 40)) < 0.8] = 0
    A = oracle.long(A + A.T)
    for name, gamma in (("modularity", 1.2), ("cpm", 0.3)):
        G, ones = oracle.graph_gram(name, A, None, None, gamma)
        model = GraphKGroups(4, objective=name, resolution=gamma, init=start).fit(A.astype(float))
        labels, n_moves, moved = start.copy(), 0, True
        while moved:
            moved = False
            for i in range(40):
                gains = oracle.gains(G, labels, ones, 4, ratio=False)[i]
                if gains.max() > 1e-12 * np.abs(G).sum():
                    labels[i], n_moves, moved = gains.argmax(), n_moves + 1, True
        assert n_moves > 20, "the start leaves something to do"
        assert (model.labels_.tolist(), model.n_moves_) == (labels.tolist(), n_moves), name


def test_an_indefinite_kernel():
    """Any symmetric matrix converges, and no cluster loses its last point."""
    rng = np.random.default_rng(0)
    for n, k in ((40, 5), (120, 3)):
        A = rng.normal(size=(n, n))
        G, w, start = A + A.T, rng.uniform(0.5, 2, n), rng.integers(k, size=n)
        rho = np.diagonal(G)[:, None] + np.diagonal(G) - 2 * G
        expected = plain_loop(rho, start, w, k)
        for matrix in (G, sparse.csr_array(G)):
            model = KernelKGroups(k, metric="precomputed_kernel", init=start)
            model.fit(matrix, sample_weight=w)
            assert model.labels_.tolist() == expected[0].tolist()
            assert model.n_moves_ == expected[2]
            Q = oracle.objective(oracle.long(G), model.labels_, oracle.long(w), k)
            assert model.objective_ == pytest.approx(float(Q), rel=1e-9)
            W = oracle.within_dispersion(rho, model.labels_, w, k)
            assert model.within_dispersion_ == pytest.approx(float(W), rel=1e-9)


def test_small_cases_by_hand():
    X = np.array([[0.0], [1.0], [10.0], [12.0]])
    # 1 gains most, but 0 is visited first: a last point stays where it is.
    model = KernelKGroups(2, init=[0, 1, 1, 1]).fit(X)
    assert (model.labels_.tolist(), model.n_moves_) == ([0, 0, 1, 1], 1)
    assert model.within_dispersion_ == 1.5
    # W of {1, 10, 12} is (9 + 11 + 2) / 3.
    np.testing.assert_allclose(model.objective_history_ - model.objective_, [1.5 - 22 / 3, 0, 0])
    with pytest.warns(ConvergenceWarning, match="max_iter"):
        stopped = KernelKGroups(2, init=[0, 1, 1, 1], max_iter=1).fit(X)
    assert (stopped.n_iter_, stopped.converged_) == (1, False)
    assert stopped.exactness_ == "stopped at max_iter"
    # A tie: the point in the middle may join either neighbor, and takes the first.
    square = np.array([[0.0, 0.0], [0.0, 1.0], [4.0, 0.0], [4.0, 1.0], [2.0, 50.0], [2.0, 0.5]])
    for method in ("dense", "matrix_free"):
        model = KernelKGroups(3, init=[0, 0, 1, 1, 2, 2], method=method).fit(square)
        assert model.labels_.tolist() == [0, 0, 1, 1, 2, 0], method
    # A gain counts only above the tolerance.
    still = KernelKGroups(2, init=[0, 1, 1, 1], tol=10.0).fit(X)
    assert (still.labels_.tolist(), still.n_moves_) == ([0, 1, 1, 1], 0)
