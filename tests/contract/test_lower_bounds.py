"""Lower bounds on W, proofs of optimality and certificates of labels, against all partitions."""

import numpy as np
import pytest

import oracle
from helpers import wrong_today
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
    loose = bounds.spectral_bound(X, 4, sample_weight=w, method="exact", tol=0.1)
    assert exact - 0.1 * total <= loose <= exact + 1e-12 * total
    small = bounds.spectral_bound(1e-9 * X, 4, sample_weight=1e6 * w, method="exact", tol=1e-8)
    assert 1e3 * small == pytest.approx(exact, abs=2e-8 * total)
    assert 1e3 * small <= exact + 1e-11 * total
    blocks = bounds.spectral_bound(X, 4, sample_weight=w, method="blockwise")
    assert blocks == bounds.spectral_bound(X, 4, sample_weight=w, method="blockwise")
    found = []  # blocks of about √(12n) points, in other random orders
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(700)
        parts = [spectral(rho[np.ix_(b, b)], w[b], 4) for b in np.array_split(order, 7)]
        found.append(sum(parts))
    assert blocks == pytest.approx(np.mean(found), rel=0.02)
    assert blocks <= exact
    many = bounds.spectral_bound(X, 4, sample_weight=1e6 * w, method="blockwise")
    assert many == pytest.approx(1e6 * blocks, rel=1e-11)


@wrong_today("few iterations miss eigenvalues, and W is below the bound")
def test_a_tolerance_makes_no_bound_false():
    X = points(0, n=700, d=3)
    W = KernelKGroups(4, random_state=0).fit(X).within_dispersion_
    assert bounds.spectral_bound(X, 4, method="exact", tol=0.5) <= W


def test_one_block_is_exact():
    for n, k, metric in ((20, 2, "energy"), (39, 4, "gaussian"), (150, 16, "manhattan")):
        X, w = points(1, n=n, d=3), np.random.default_rng(1).uniform(0.2, 3, n)
        exact = spectral(oracle.distances(metric, X).astype(float), w, k)
        bound = bounds.spectral_bound(X, k, metric=metric, sample_weight=w, method="blockwise")
        assert bound == pytest.approx(exact, rel=1e-9), metric
        assert bound <= exact
    squares = spectral(oracle.distances("sqeuclidean", X).astype(float), w, 3)
    kernel = (X - 3) @ (X - 3).T
    found = bounds.spectral_bound(kernel, 3, metric="precomputed_kernel", sample_weight=w)
    assert found == pytest.approx(squares, rel=1e-9)


def test_blocks_need_points_of_negative_type_and_many_of_them():
    X = points(0, n=30)
    rho = oracle.distances("energy", X).astype(float)
    for data, metric in ((X, "sine_squared"), (rho, "precomputed")):
        with pytest.raises(ValueError, match=r"blockwise.*negative type"):
            bounds.spectral_bound(data, 3, metric=metric, method="blockwise")
    # More than 2,000 points, and four blocks of √(12n) points or 10 for each cluster.
    cases = {(1, 9_000): 0, (5, 2_000): 0, (5, 2_001): 1, (100, 3_999): 0, (100, 4_000): 1}
    found = {case: int(bounds.blocks_save_time(case[1], case[0])) for case in cases}
    assert found == cases


def test_semidefinite_bounds_of_few_points_are_sharp():
    """Up to a thousandth W of the best partition, of which inequalities of three points prove."""
    for seed in range(3):
        X, w = points(seed, n=9), np.random.default_rng(seed).uniform(0.3, 2, 9)
        k = 2 + seed
        rho = oracle.distances("energy", X).astype(float)
        G = oracle.long(-rho / 2)
        best = float((w * np.diagonal(G)).sum() - oracle.best_partition(G, oracle.long(w), k))
        sharper = bounds.semidefinite_bound(X, k, sample_weight=1e6 * w) / 1e6
        assert best * (1 - 1e-3) <= sharper <= best * (1 + 1e-12), seed
        first = bounds.spectral_bound(X, k, sample_weight=w)
        for max_iter in (1, 20):
            few = bounds.semidefinite_bound(X, k, sample_weight=w, max_iter=max_iter)
            assert first * (1 - 1e-9) <= few <= best * (1 + 1e-12), (seed, max_iter)


def test_more_iterations_only_raise_a_bound():
    for metric, n, seed in (("energy", 9, 4), ("energy", 12, 0), ("sqeuclidean", 12, 1)):
        X = points(seed, n=n)
        W = KernelKGroups(3, metric=metric, random_state=0).fit(X).within_dispersion_
        some = (20, 40, 60, 80, 100)
        found = [bounds.semidefinite_bound(X, 3, metric=metric, max_iter=m) for m in some]
        found = [bounds.spectral_bound(X, 3, metric=metric), *found, W * (1 + 1e-12)]
        assert (np.diff(found) >= 0).all(), (metric, seed)


def test_rows_without_weight_do_not_count():
    X, w = points(0, n=1_001), np.zeros(1_001)
    w[:12] = np.random.default_rng(0).uniform(0.3, 2, 12)
    for k in (3, 12):
        for bound in (bounds.spectral_bound, bounds.semidefinite_bound):
            alone = bound(X[:12], k, sample_weight=w[:12])
            assert bound(X, k, sample_weight=w) == pytest.approx(alone, rel=1e-6, abs=1e-12)
    with pytest.raises(ValueError, match="1,000"):
        bounds.semidefinite_bound(X, 3)
    for wrong in (0, 1.5, True):
        with pytest.raises((ValueError, TypeError), match="max_iter"):
            bounds.semidefinite_bound(X[:12], 3, max_iter=wrong)


def test_eigenvalues_below_zero_count_where_all_clusters_have_weight():
    """Without negative type; the direction that all partitions share is none of them."""
    X = points(2, n=12, d=3)
    for metric in ("damped_squared", "sine_squared"):
        rho = oracle.distances(metric, X).astype(float)
        for k in (2, 8, 11):
            bound = bounds.spectral_bound(X, k, metric=metric)
            exact = spectral(rho, np.ones(12), k)
            assert bound == pytest.approx(exact, rel=1e-9, abs=1e-10 * rho.max())


def test_gaps_of_models():
    X = points(0, n=60)
    rho = oracle.distances("energy", X)
    some = np.random.default_rng(0).uniform(0.5, 2, 60)
    for weights in (None, some, 1e5 * some):
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
        assert model.optimality_gap().kind == "semidefinite"
        spectral_gap = model.optimality_gap(kind="spectral")
        alone = bounds.spectral_bound(X, 3, sample_weight=weights)
        assert spectral_gap.bound == pytest.approx(alone, rel=1e-9)
    apart = np.repeat([[0.0, 0.0], [50.0, 0.0], [0.0, 70.0]], 6, axis=0) + points(1, n=18) / 10
    best = KernelKGroups(3, random_state=0).fit(apart).optimality_gap()
    assert best.proves_optimal
    assert best.gap <= 1e-6
    named = {"within_dispersion": 2.0, "bound": 2.0, "kind": "spectral"}
    proves = [bounds.OptimalityGap(gap=gap, **named).proves_optimal for gap in (0.0, 9e-7, 1.1e-6)]
    assert proves == [True, True, False]


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
        heavy = bounds.certify(data, names[labels], metric=metric, sample_weight=1e6 * w)
        np.testing.assert_allclose(heavy.gains, 1e6 * best[found.rows], 1e-9)
        assert heavy.within_dispersion == pytest.approx(1e6 * W, rel=1e-12)
        if metric == "sqeuclidean":
            for unit in (1e3, 2.0**505):
                wide = bounds.certify(unit * X, labels, metric=metric, sample_weight=w)
                assert wide.within_dispersion == pytest.approx(unit**2 * W, rel=1e-12)
                np.testing.assert_allclose(wide.gains, unit**2 * best[wide.rows], 1e-9)
        else:
            few = bounds.certify(data, names[labels], metric=metric, sample_weight=w, tol=2e-3)
            assert few.rows.tolist() == np.flatnonzero(best > 2e-3 * W).tolist()
            assert 0 < few.rows.size < found.rows.size
        settled = KernelKGroups(k, metric=metric, init=labels).fit(data, sample_weight=w)
        optimal = bounds.certify(data, settled.labels_, metric=metric, sample_weight=w)
        assert optimal.is_optimal
        assert optimal.rows.size == 0


@wrong_today("tol is a share of the squared means, not of W")
def test_squared_distances_have_the_same_tolerance():
    X, labels = points(3, n=40, d=3), np.random.default_rng(0).integers(3, size=40)
    rho = oracle.distances("sqeuclidean", X)
    gains = oracle.gains(-rho / 2, labels, oracle.long(np.ones(40)), 3).astype(float)
    W = float(oracle.within_dispersion(rho, labels, np.ones(40), 3))
    found = bounds.certify(X, labels, metric="sqeuclidean", tol=0.02)
    assert found.rows.tolist() == np.flatnonzero(gains.max(axis=1) > 0.02 * W).tolist()


def test_clusters_of_one_row_and_rows_without_weight_stay():
    X = np.array([[0.0], [0.1], [5.0], [5.2], [0.05], [9.0]])
    w = np.array([1.0, 1.0, 1.0, 1.0, 0.0, 1.0])
    labels = ["a", "b", "c", "c", "c", "c"]
    for metric in ("energy", "sqeuclidean", "manhattan"):
        found = bounds.certify(X, labels, metric=metric, sample_weight=w)
        rho = oracle.distances(metric, X)
        codes = np.array([0, 1, 2, 2, 2, 2])
        gains = oracle.gains(-rho / 2, codes, oracle.long(w), 3).astype(float)
        gains[[0, 1, 4]] = -np.inf
        assert found.rows.tolist() == np.flatnonzero(gains.max(axis=1) > 0).tolist()
        assert found.is_optimal == (found.rows.size == 0)
    X, w = points(4, n=30, d=3), np.random.default_rng(4).uniform(0.1, 3, 30)
    for data, metric in ((X, "sqeuclidean"), (X @ X.T, "precomputed_kernel")):
        alone = bounds.certify(data, np.arange(30), metric=metric, sample_weight=w)
        assert (alone.rows.size, alone.is_optimal) == (0, True)
    X = X[:6]
    for wrong in (-1.0, "much", np.nan):
        with pytest.raises((ValueError, TypeError), match="tol"):
            bounds.certify(X, labels, tol=wrong)


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
