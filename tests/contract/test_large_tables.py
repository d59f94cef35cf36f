"""Fits above the sizes at which the method changes, against sums over pairs by SciPy."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from kgroups import KernelKGroups, KernelKMeans, KGroups1D, bounds, stats
from kgroups.semimetrics import Energy


def table(n, k, D=2, seed=0):
    """Overlapping clusters."""
    rng = np.random.default_rng(seed)
    return 2.5 * rng.normal(size=(k, D))[rng.integers(k, size=n)] + rng.normal(size=(n, D))


class Pairs:
    """Sums of distances from some rows to the clusters of a partition, a piece at a time."""

    def __init__(self, metric, X, labels, k, w=None):
        self.X, self.labels, self.k = np.asarray(X, np.float64), labels, k
        self.metric, self.w = metric, np.ones(len(X)) if w is None else w
        self.s = np.bincount(labels, weights=self.w, minlength=k)
        self.T = np.zeros(k)
        for j in range(k):
            own, v = self.X[labels == j], self.w[labels == j]
            for a in range(0, len(own), 2000):
                self.T[j] += v[a : a + 2000] @ cdist(own[a : a + 2000], own, metric) @ v

    @property
    def W(self):
        return float((self.T / (2 * self.s)).sum())

    def to_clusters(self, rows):
        """R_l(i), (m, k)."""
        member = np.eye(self.k)[self.labels] * self.w[:, None]
        pieces = (rows[a : a + 500] for a in range(0, len(rows), 500))
        return np.vstack([cdist(self.X[some], self.X, self.metric) @ member for some in pieces])

    def squared_distances(self, rows):
        """Of rows from the centroids, (m, k)."""
        return self.to_clusters(rows) / self.s - self.T / (2 * self.s**2)

    def largest_gain(self, rows):
        """How much W falls by the best move of one of the rows."""
        return largest_gains(
            self.squared_distances(rows), self.w[rows], self.s, self.labels[rows]
        ).max()


def largest_gains(squared, w, s, labels):
    """Of each row, from its squared distances to the centroids."""
    rows = np.arange(len(labels))
    leave = w * s[labels] / (s[labels] - w) * squared[rows, labels]
    enter = (w[:, None] * s / (s + w[:, None])) * squared
    enter[rows, labels] = np.inf
    return leave - enter.min(axis=1)


def some_rows(n, m=200):
    return np.random.default_rng(7).choice(n, m, replace=False)


@pytest.mark.parametrize("metric", ["energy", "manhattan"])
def test_more_rows_than_a_matrix_takes(metric):
    X, name = table(2_100, 5, D=3), {"energy": "euclidean", "manhattan": "cityblock"}[metric]
    w = np.random.default_rng(1).uniform(0.5, 2, 2_100)
    model = KernelKGroups(5, metric=metric, random_state=0).fit(X, sample_weight=w)
    assert (model.method_, model.exactness_) == ("matrix_free", "one-move optimal")
    pairs = Pairs(name, X, model.labels_, 5, w)
    assert model.within_dispersion_ == pytest.approx(pairs.W, rel=1e-12)
    assert model.within_dispersion_interval_ == (model.within_dispersion_,) * 2
    assert pairs.largest_gain(np.arange(2_100)) <= 1e-11 * pairs.W
    certificate = model.certificate_
    assert (certificate.proved, certificate.n_open) == (True, 0)
    assert certificate.n_pairs == certificate.n_pairs_full == 2_100 * 2_099 // 2
    own = KernelKGroups(5, metric=metric, random_state=0, method="dense").fit(X, sample_weight=w)
    again = KernelKGroups(5, metric=metric, init=own.labels_).fit(X, sample_weight=w)
    assert again.n_moves_ == 0, "what is optimal on the matrix is optimal without it"


def test_squared_distances_need_no_pairs():
    X = table(50_001, 4)
    model = KernelKGroups(4, metric=Energy(2), random_state=0).fit(X)
    assert (model.method_, model.certificate_.n_pairs) == ("matrix_free", 0)
    means = np.array([X[model.labels_ == j].mean(axis=0) for j in range(4)])
    squared = cdist(X, means, "sqeuclidean")
    W = squared[np.arange(len(X)), model.labels_].sum()
    assert model.within_dispersion_ == model.inertia_ == pytest.approx(W, rel=1e-12)
    np.testing.assert_allclose(model.cluster_centers_, means, 1e-12, 1e-14)
    S = len(X) * X.var(axis=0).sum() - W
    assert model.between_statistic_ == pytest.approx(S, rel=1e-11)
    s = np.bincount(model.labels_).astype(float)
    assert largest_gains(squared, np.ones(len(X)), s, model.labels_).max() <= 1e-11 * W
    assert (squared.argmin(axis=1) == model.labels_).all()
    batch = KernelKMeans(4, metric=Energy(2), init=model.labels_).fit(X)
    assert batch.labels_.tolist() == model.labels_.tolist(), "Lloyd's rule moves nothing"


def test_cosines_need_no_pairs():
    X = table(50_001, 4, D=3) + 0.5
    model = KernelKGroups(4, metric="cosine", random_state=0).fit(X.astype(np.float32))
    U = X.astype(np.float32).astype(float)
    U /= np.linalg.norm(U, axis=1, keepdims=True)
    means = np.array([U[model.labels_ == j].mean(axis=0) for j in range(4)])
    squared = cdist(U, means, "sqeuclidean") / 2
    W = squared[np.arange(len(U)), model.labels_].sum()
    assert model.method_ == "matrix_free"
    assert model.within_dispersion_ == pytest.approx(W, rel=1e-9)
    s = np.bincount(model.labels_).astype(float)
    assert largest_gains(squared, np.ones(len(U)), s, model.labels_).max() <= 1e-9 * W
    assert (model.predict(X[:500].astype(np.float32)) == model.labels_[:500]).all()


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_proof_means_that_no_move_gains(dtype):
    X = table(50_001, 8).astype(dtype)
    w = np.random.default_rng(1).uniform(0.5, 2, 50_001) if dtype == np.float64 else None
    model = KernelKGroups(8, random_state=0, n_init=1).fit(X, sample_weight=w)
    certificate = model.certificate_
    assert (model.method_, certificate.proved, certificate.n_open) == ("certified", True, 0)
    assert certificate.n_pairs < certificate.n_pairs_full / 4
    assert certificate.n_pairs_full == 50_001 * 50_000 // 2
    pairs = Pairs("euclidean", X, model.labels_, 8, w)
    rounding = 1e-9 if dtype == np.float64 else 1e-6
    low, high = model.within_dispersion_interval_
    assert low * (1 - 1e-12) <= pairs.W <= high * (1 + 1e-12)
    assert high - low <= 1e-3 * pairs.W
    assert model.within_dispersion_ == pytest.approx(pairs.W, rel=max(rounding, high / low - 1))
    least, most = model.between_statistic_interval_
    assert least <= model.between_statistic_ <= most <= least + 1e-3 * pairs.W
    # Those nearest to a border are most likely to gain.
    far = np.sort(model.transform(X[:5000]) ** 2, axis=1)
    at_border = np.argsort(far[:, 1] - far[:, 0])[:100]
    rows = np.union1d(some_rows(50_001), at_border)
    assert pairs.largest_gain(rows) <= rounding * pairs.W / 50_001
    squared = pairs.squared_distances(rows)
    np.testing.assert_allclose(model.transform(X[rows]) ** 2, squared, 1e-3, 1e-3 * squared.max())
    assert (model.predict(X[rows]) == model.labels_[rows]).all()


def test_a_sketch_of_many_rows():
    X = table(50_001, 8)
    model = KernelKGroups(8, method="nystroem", random_state=0).fit(X)
    pairs = Pairs("euclidean", X, model.labels_, 8)
    assert model.within_dispersion_ == pytest.approx(pairs.W, rel=0.005)
    assert model.within_dispersion_interval_ is None
    assert not model.certificate_.proved
    assert (model.predict(X) == model.labels_).all()
    proved = bounds.certify(X, model.labels_)
    assert proved.within_dispersion == pytest.approx(pairs.W, rel=2e-4)
    low, high = proved.within_dispersion_interval
    assert low <= pairs.W <= high
    if proved.rows.size:
        assert pairs.largest_gain(proved.rows[:20]) > 0


def first_that_gain(pairs, labels, sums, tol=1e-12):
    """Hartigan's moves in the order of the rows, from the sums R of all of them."""
    X, n = pairs.X, len(pairs.X)
    labels, s, T, n_moves = labels.copy(), pairs.s.copy(), pairs.T.copy(), 0
    moved = True
    while moved:
        moved, i = False, 0
        while i < n:
            squared = sums[i:] / s - T / (2 * s**2)
            gains = largest_gains(squared, np.ones(n - i), s, labels[i:])
            found = np.flatnonzero(gains > tol * (T / s).sum() / 2)
            if not len(found):
                break
            i += int(found[0])
            j, place = labels[i], squared[found[0]] * s / (s + 1)
            place[j] = np.inf
            target = int(place.argmin())
            T[j] -= 2 * sums[i, j]
            T[target] += 2 * sums[i, target]
            s[j], s[target] = s[j] - 1, s[target] + 1
            rho = cdist(X[i : i + 1], X, pairs.metric)[0]
            sums[:, j] -= rho
            sums[:, target] += rho
            labels[i], moved, n_moves, i = target, True, n_moves + 1, i + 1
    return labels, n_moves


def test_sorted_columns_make_the_same_moves():
    n, k = 20_001, 5
    X = np.round(table(n, k), 2)  # equal entries in a column
    model = KernelKGroups(k, metric="manhattan", random_state=0, n_init=1).fit(X)
    assert (model.method_, model.certificate_.n_pairs) == ("matrix_free", 0)
    pairs = Pairs("cityblock", X, model.labels_, k)
    assert model.within_dispersion_ == pytest.approx(pairs.W, rel=1e-11)
    assert pairs.largest_gain(some_rows(n)) <= 1e-10 * pairs.W / n
    start = model.labels_.copy()
    start[::200] = (start[::200] + 1) % k
    given = Pairs("cityblock", X, start, k)
    labels, n_moves = first_that_gain(given, start, given.to_clusters(np.arange(n)))
    again = KernelKGroups(k, metric="manhattan", init=start).fit(X)
    assert again.labels_.tolist() == labels.tolist()
    assert again.n_moves_ == n_moves >= 90
    found = stats.within_dispersion(X, labels, metric="manhattan")
    assert found == pytest.approx(again.within_dispersion_, rel=1e-11)


def test_proofs_asked_for_by_other_metrics():
    """Fewer rows; every metric whose bounds are computed in another way."""
    X = table(1_500, 4, D=3)
    for metric, name in (
        ("laplacian", lambda a, b: -2 * np.expm1(-np.linalg.norm(a - b) / 2)),
        ("gaussian", lambda a, b: -2 * np.expm1(-((a - b) @ (a - b)) / 2)),
        (Energy(0.5), lambda a, b: np.sqrt(np.linalg.norm(a - b))),
    ):
        model = KernelKGroups(4, metric=metric, method="certified", random_state=0, n_init=1)
        model.fit(X)
        assert model.certificate_.proved
        some = some_rows(1_500, 60)
        member = np.eye(4)[model.labels_]
        sums = np.array([[name(X[i], x) for x in X] for i in some]) @ member
        s, W_j = model.cluster_weights_, model.cluster_dispersions_
        squared = sums / s - W_j / s
        gains = largest_gains(squared, np.ones(60), s, model.labels_[some])
        assert gains.max() <= 1e-10, metric


@pytest.mark.parametrize("alpha", [1.0, 2.0])
def test_many_numbers_evenly_spaced(alpha):
    """m whole numbers in a row have W = (m² − 1)/6, or (m³ − m)/12 for squares."""
    m, k = 70_000, 4
    model = KGroups1D(k, alpha=alpha).fit(np.arange(float(k * m)))
    assert (np.bincount(model.labels_) == m).all()
    W = k * ((m**2 - 1) / 6 if alpha == 1 else (m**3 - m) / 12)
    assert model.within_dispersion_ == pytest.approx(W, rel=1e-12)
    np.testing.assert_allclose(model.boundaries_, m * np.arange(1, k) - 0.5)
