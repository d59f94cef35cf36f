"""Lower bounds on W, proofs of optimality and certificates of labels, against all partitions."""

import numpy as np
import pytest

import oracle
from kgroups import KernelKGroups, bounds
from kgroups.semimetrics import Energy

pytestmark = pytest.mark.filterwarnings("ignore::kgroups.exceptions.TheoryWarning")


def points(seed=0, n=9, d=2):
    rng = np.random.default_rng(seed)
    return 2 * rng.normal(size=(3, d))[rng.integers(3, size=n)] + rng.normal(size=(n, d))


def centered(rho, w):
    """𝒲^½ (I − 1w'/s) (−ρ/2) (I − w1'/s) 𝒲^½."""
    H = np.eye(len(w)) - np.outer(np.ones(len(w)), w) / w.sum()
    return np.sqrt(np.outer(w, w)) * (-H @ rho @ H.T / 2)


def spectral(rho, w, k):
    """tr K̃ − Σ_{i<k} λ_i, on the complement of √w."""
    K = centered(rho, w)
    e = np.sqrt(w / w.sum())
    values = np.linalg.eigvalsh(K - 10 * np.abs(K).sum() * np.outer(e, e))
    return np.trace(K) - values[::-1][: k - 1].sum()


@pytest.mark.parametrize("metric", ["energy", "sqeuclidean", "gaussian", "damped_squared"])
def test_bounds_are_below_every_partition(metric):
    for seed, k in ((0, 2), (1, 3), (2, 4)):
        X, w = points(seed, n=7), np.random.default_rng(seed).uniform(0.3, 2, 7)
        rho = oracle.distances(metric, X).astype(float)
        for v in (np.ones(7), w):
            G = oracle.long(-rho / 2)
            best = float((v * np.diagonal(G)).sum() - oracle.best_partition(G, oracle.long(v), k))
            given = {"metric": metric, "sample_weight": v}
            bound = bounds.spectral_bound(X, k, **given)
            size = rho.max() * v.sum()
            assert bound <= best + 1e-12 * size
            assert bound == pytest.approx(spectral(rho, v, k), rel=1e-9, abs=1e-10 * size)
            sharper = bounds.semidefinite_bound(X, k, **given)
            assert bound - 1e-12 * size <= sharper <= best + 1e-12 * size
            if metric == "energy":
                assert sharper == pytest.approx(best, rel=0.02)
        by_matrix = bounds.spectral_bound(rho, k, metric="precomputed", sample_weight=v)
        assert by_matrix == pytest.approx(bound, rel=1e-9, abs=1e-10 * size)


def test_bounds_by_hand():
    X = [[0.0], [1.0], [10.0], [12.0]]
    assert bounds.spectral_bound(X, 1) == pytest.approx(11.25, rel=1e-12)
    assert bounds.spectral_bound(X, 4) == 0.0
    assert bounds.semidefinite_bound(X, 2) == pytest.approx(1.5, rel=1e-5)
    assert bounds.semidefinite_bound(X, 2) <= 1.5


def test_bounds_of_more_rows():
    """Lanczos iterations, which lose at most a share of 1e-4, and blocks, which lose more."""
    X, w = points(0, n=700, d=3), np.random.default_rng(0).uniform(0.5, 2, 700)
    rho = oracle.distances("energy", X).astype(float)
    exact, total = spectral(rho, w, 4), np.trace(centered(rho, w))
    for tol in (1e-4, 1e-8):
        bound = bounds.spectral_bound(X, 4, sample_weight=w, method="exact", tol=tol)
        assert exact - tol * total <= bound <= exact + 1e-12 * total
    blocks = bounds.spectral_bound(X, 4, sample_weight=w, method="blockwise")
    assert 0.8 * exact <= blocks <= exact
    assert blocks == bounds.spectral_bound(X, 4, sample_weight=w, method="blockwise")


def test_gaps_of_models():
    X = points(0, n=60)
    rho = oracle.distances("energy", X)
    for weights in (None, np.random.default_rng(0).uniform(0.5, 2, 60)):
        model = KernelKGroups(3, random_state=0).fit(X, sample_weight=weights)
        w = np.ones(60) if weights is None else weights
        W = float(oracle.within_dispersion(rho, model.labels_, w, 3))
        for kind in ("spectral", "semidefinite", "blockwise"):
            found = model.optimality_gap(kind=kind)
            assert (found.kind, found.within_dispersion) == (kind, model.within_dispersion_)
            assert found.within_dispersion == pytest.approx(W, rel=1e-11)
            assert found.bound <= W
            gap = pytest.approx((W - found.bound) / W, rel=1e-6, abs=1e-9)
            assert found.gap == gap or found.proves_optimal
        spectral_gap = model.optimality_gap(kind="spectral")
        alone = bounds.spectral_bound(X, 3, sample_weight=weights)
        assert spectral_gap.bound == pytest.approx(alone, rel=1e-9)
    apart = np.repeat([[0.0, 0.0], [50.0, 0.0], [0.0, 70.0]], 6, axis=0) + points(1, n=18) / 10
    best = KernelKGroups(3, random_state=0).fit(apart).optimality_gap()
    assert best.proves_optimal
    assert best.gap <= 1e-6


@pytest.mark.parametrize(
    "metric", ["energy", "sqeuclidean", "manhattan", "gaussian", "precomputed"]
)
def test_labels_of_others_are_certified(metric):
    X, k = points(3, n=40, d=3), 3
    right = "energy" if metric == "precomputed" else metric
    rho = oracle.distances(right, X)
    data = rho.astype(float) if metric == "precomputed" else X
    labels = np.random.default_rng(0).integers(k, size=40)
    names = np.array(["x", "y", "z"])
    for w in (np.ones(40), np.random.default_rng(1).uniform(0.3, 2, 40)):
        found = bounds.certify(data, names[labels], metric=metric, sample_weight=w)
        gains = oracle.gains(-rho / 2, labels, oracle.long(w), k).astype(float)
        best = gains.max(axis=1)
        assert found.rows.tolist() == np.flatnonzero(best > 1e-12).tolist()
        np.testing.assert_allclose(found.gains, best[found.rows], 1e-9)
        assert found.targets.tolist() == names[gains[found.rows].argmax(axis=1)].tolist()
        W = float(oracle.within_dispersion(rho, labels, w, k))
        assert found.within_dispersion == pytest.approx(W, rel=1e-12)
        assert found.within_dispersion_interval == (found.within_dispersion,) * 2
        assert (found.proved, found.is_optimal, found.n_open) == (True, False, 0)
        settled = KernelKGroups(k, metric=metric, init=labels).fit(data, sample_weight=w)
        optimal = bounds.certify(data, settled.labels_, metric=metric, sample_weight=w)
        assert optimal.is_optimal
        assert optimal.rows.size == 0


def test_many_rows_are_certified_by_bounds():
    """From 20,000 rows on; a row that was put elsewhere is found, with what it gains."""
    rng = np.random.default_rng(0)
    X = 4 * rng.normal(size=(5, 3))[rng.integers(5, size=20_000)] + rng.normal(size=(20_000, 3))
    model = KernelKGroups(5, method="certified", random_state=0, n_init=1).fit(X)
    labels = model.labels_.copy()
    far = model.transform(X[:400]) ** 2
    wrong = [int(i) for i in np.argsort(far.min(axis=1))[:3]]
    labels[wrong] = far[wrong].argmax(axis=1)
    found = bounds.certify(X, labels)
    assert found.proved
    assert not found.is_optimal
    assert set(wrong) <= set(found.rows.tolist())
    place = [found.rows.tolist().index(i) for i in wrong]
    assert found.targets[place].tolist() == model.labels_[wrong].tolist()
    s = np.bincount(labels).astype(float)
    expected = far[wrong].max(axis=1) - far[wrong].min(axis=1)
    np.testing.assert_allclose(found.gains[place], expected, rtol=0.05)
    assert s.sum() == 20_000
    low, high = found.within_dispersion_interval
    assert low <= found.within_dispersion <= high <= low * 1.001
    assert bounds.certify(X, model.labels_).is_optimal
    assert found.n_pairs < found.n_pairs_full / 2
    squares = bounds.certify(X, labels, metric=Energy(2))
    means = np.array([X[labels == j].mean(axis=0) for j in range(5)])
    inertia = ((X - means[labels]) ** 2).sum()
    assert squares.within_dispersion == pytest.approx(inertia, rel=1e-11)
    stopped = bounds.certify(X, labels, time_limit=1e-9)
    assert (stopped.proved, stopped.is_repeatable) == (False, False)
    assert stopped.n_open > 0
