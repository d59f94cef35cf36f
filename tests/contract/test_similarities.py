"""However similarity is held, fits start, move and answer alike, and lose no digits.

Rows lie around places far apart, or hold whole numbers, so that what is right is known.
"""

import numpy as np
import pytest
from scipy import sparse

import oracle
from contract_cases import Copies
from kgroups import KernelKGroups, KernelKMeans, bounds
from kgroups.semimetrics import ColumnSum, Hamming, Manhattan


def around(n, k, D, seed=0):
    """Rows in turn around k places 30 apart in directions of their own."""
    rng = np.random.default_rng(seed)
    return 30.0 * np.eye(k, D)[np.arange(n) % k] + rng.normal(size=(n, D))


def are_groups(labels, k):
    """Whether the clusters are the rows in turn."""
    return len({*zip(labels.tolist(), (np.arange(len(labels)) % k).tolist(), strict=True)}) == k


def kernel(X):
    """Inner products far from their origin, which makes no difference."""
    moved = X + np.linspace(20, 60, X.shape[1])
    return moved @ moved.T


#: How similarity is held: what is fitted, and how.
WAYS = {
    "matrix": (lambda X: X, {"method": "dense"}),
    "pairs": (lambda X: X, {"method": "matrix_free"}),
    "pairs of sparse rows": (sparse.csr_array, {"method": "matrix_free"}),
    "a metric of one's own": (lambda X: X, {"metric": lambda x, y: np.abs(x - y).sum()}),
    "means": (lambda X: X, {"metric": "sqeuclidean", "method": "matrix_free"}),
    "directions": (lambda X: X, {"metric": "cosine", "method": "matrix_free"}),
    "sparse rows": (sparse.csr_array, {"metric": "sqeuclidean", "method": "matrix_free"}),
    "a kernel": (kernel, {"metric": "precomputed_kernel"}),
    "a sparse kernel": (lambda X: sparse.csr_array(kernel(X)), {"metric": "precomputed_kernel"}),
    "a sketch": (lambda X: X, {"method": "nystroem"}),
}


@pytest.mark.filterwarnings("ignore::kgroups.exceptions.TheoryWarning")
@pytest.mark.parametrize("way", WAYS)
def test_starts_find_groups_far_apart(way):
    """Of seeds that are drawn by their distances each group has one; and so eigenvectors say."""
    made, how = WAYS[way]
    for n, D, init in ((40, 6, "k-means++"), (40, 60, "k-means++"), (420, 6, "k-means++"),
                       (60, 6, "spectral")):  # fmt: skip
        if callable(how.get("metric")) and n > 60:
            continue
        model = KernelKGroups(5, init=init, n_init=3, random_state=0, **how)
        if init == "spectral":
            model.set_params(n_init=1)
        model.fit(made(around(n, 5, D)))
        assert are_groups(model.labels_, 5), (n, D, init)
        for history in model.start_histories_:
            np.testing.assert_allclose(history, history[-1], 1e-12, err_msg=f"{n}, {D}, {init}")


@pytest.mark.filterwarnings("ignore::kgroups.exceptions.TheoryWarning")
def test_random_starts_are_the_same_without_a_matrix():
    """The labels that are drawn do not depend on it, and so neither does Q before any move."""
    X, w = np.random.default_rng(0).normal(size=(1_100, 3)), np.ones(1_100)
    w[::3] = 2.5
    for rows in (X, sparse.csr_array(np.where(X > 0.2, X, 0.0))):
        found = []
        for method in ("dense", "matrix_free"):
            model = KernelKGroups(2, metric="damped_squared", method=method, init="random")
            model.set_params(n_init=4, random_state=0, max_iter=50)
            histories = model.fit(rows, sample_weight=w).start_histories_
            found.append([history[0] for history in histories])
        np.testing.assert_allclose(*found, 1e-9)


def test_as_many_clusters_as_rows_that_differ():
    """Copies of a few rows: each is a cluster, at no distance from its centroid."""
    places = np.random.default_rng(0).integers(1, 9, (6, 60)) * 1e3 + 1 / 3
    for D in (4, 60):
        X = np.repeat(places[:, :D], [1, 2, 3, 4, 5, 6], axis=0)
        for metric in ("energy", "sqeuclidean", "cosine"):
            for rows in (X, sparse.csr_array(X)):
                for seed in range(3):
                    model = KernelKGroups(
                        6, metric=metric, method="matrix_free", random_state=seed, n_init=1
                    ).fit(rows)
                    where = f"{D}, {metric}, {seed}, {type(rows)}"
                    assert model.cluster_weights_.tolist() == [6, 5, 4, 3, 2, 1], where
                    assert model.within_dispersion_ <= 1e-12, where
                    near = model.transform(rows).min(axis=1)
                    assert near.max() <= (1e-6 if metric == "cosine" else 1e-9), where


def test_distances_from_centroids_of_wide_rows():
    X, start = around(40, 3, 60).round(), np.arange(40) % 4
    new = around(9, 4, 60, seed=1).round()
    for metric in ("sqeuclidean", "cosine", "energy", "hamming"):
        for rows in (np.asarray, sparse.csr_array):
            model = KernelKGroups(4, metric=metric, method="matrix_free", init=start)
            labels = model.fit(rows(X)).labels_
            cross, rho = oracle.distances(metric, new, X), oracle.distances(metric, X)
            far = oracle.transform(cross, rho, labels, np.ones(40), 4).astype(float)
            np.testing.assert_allclose(model.transform(rows(new)), far, 1e-7, err_msg=metric)


# Digits


def squares(X, labels, k):
    """W_j for squared distances, in long doubles."""
    parts = [oracle.long(X[labels == j]) for j in range(k)]
    return np.array([float(((part - part.mean(axis=0)) ** 2).sum()) for part in parts])


def test_means_keep_their_digits():
    """Small clusters far apart."""
    rng, start = np.random.default_rng(0), np.arange(60) % 3
    small, w = 1e-3 * rng.normal(size=(60, 3)), rng.uniform(0.5, 2, 60)
    for far in (1e6, 1e9):
        X = small + far * np.array([[0, 0, 0], [1, 0, 2], [3, 5, 1.0]])[start]
        for method in ("dense", "matrix_free"):
            model = KernelKGroups(3, metric="sqeuclidean", method=method, init=start).fit(X)
            right, found = squares(X, model.labels_, 3), model.cluster_dispersions_
            np.testing.assert_allclose(found, right, 1e-6, err_msg=f"{far}, {method}")
            assert model.inertia_ == pytest.approx(right.sum(), rel=1e-6)
        model.fit(X, sample_weight=w)
        means = [np.average(X[start == j], axis=0, weights=w[start == j]) for j in range(3)]
        np.testing.assert_allclose(model.cluster_centers_, means, 1e-12)


def test_a_row_that_is_far_from_all_others_changes_no_move():
    X, start = np.random.default_rng(0).normal(size=(80, 2)), np.arange(80) % 3
    alone = KernelKGroups(3, metric="sqeuclidean", method="matrix_free", init=start).fit(X)
    for far in (1e3, 1e14):
        model = KernelKGroups(4, metric="sqeuclidean", method="matrix_free", init=[*start, 3])
        model.fit(np.vstack([X, [[far, far]]]))
        assert model.labels_.tolist() == [*alone.labels_.tolist(), 3], far
        assert model.within_dispersion_ == pytest.approx(alone.within_dispersion_, rel=1e-9)


def test_means_of_numbers_whose_squares_are_no_floats():
    """Whole numbers in some unit, about a place whose square overflows; no digit is rounded."""
    X = np.random.default_rng(1).integers(0, 99, (50, 2)) + 200.0 * np.eye(2)[np.arange(50) % 2]
    plain = KernelKGroups(2, metric="sqeuclidean", method="matrix_free", random_state=0).fit(X)
    unit, place = 2.0**480, 2.0**515
    rows = place + unit * X
    model = KernelKGroups(2, metric="sqeuclidean", method="matrix_free", random_state=0).fit(rows)
    assert model.labels_.tolist() == plain.labels_.tolist()
    centers = (model.cluster_centers_ - place) / unit
    np.testing.assert_allclose(centers, plain.cluster_centers_, 1e-4)
    found = model.within_dispersion_ / unit / unit
    assert found == pytest.approx(plain.within_dispersion_, rel=1e-9)
    np.testing.assert_allclose(model.transform(rows) / unit, plain.transform(X), 1e-3)


def test_a_kernel_of_which_a_row_is_alone():
    X, w = np.random.default_rng(0).normal(size=(9, 2)), np.linspace(0.5, 3, 9)
    X[4] = 50.0
    G, start = X @ X.T, np.where(np.arange(9) == 4, 1, 0)
    model = KernelKGroups(2, metric="precomputed_kernel", init=start).fit(G, sample_weight=w)
    assert model.labels_.tolist() == start.tolist()
    Q = oracle.objective(oracle.long(G), start, oracle.long(w), 2)
    assert model.objective_ == pytest.approx(float(Q), rel=1e-12)
    assert model.cluster_dispersions_[1] == pytest.approx(0, abs=1e-9)


def test_directions_of_rows_of_any_length():
    """Whole numbers times a power of two, which changes no direction."""
    X = np.random.default_rng(0).integers(1, 60, (40, 5)).astype(float)
    plain = KernelKGroups(3, metric="cosine", method="matrix_free", random_state=0).fit(X)
    for power in (-1060, 1000):
        model = KernelKGroups(3, metric="cosine", method="matrix_free", random_state=0)
        model.fit(np.ldexp(X, power))
        assert model.labels_.tolist() == plain.labels_.tolist(), power
        assert model.within_dispersion_ == pytest.approx(plain.within_dispersion_, rel=1e-9)


def test_sparse_rows_with_a_full_column_and_with_new_columns():
    """A column in which every row has an entry, and new rows in a column that none had."""
    rng = np.random.default_rng(0)
    X = np.where(rng.random((50, 9)) < 0.4, rng.integers(1, 5, (50, 9)), 0.0)
    X[:, 0], X[:, 8] = 1e5 + rng.integers(0, 3, 50), 0.0
    new = np.where(rng.random((9, 9)) < 0.5, rng.integers(1, 5, (9, 9)), 0.0)
    new[:, 0], w = 1e5, rng.uniform(0.5, 2, 50)
    start = np.arange(50) % 4
    for metric in ("sqeuclidean", "energy"):
        dense, thin = (
            KernelKGroups(4, metric=metric, method="matrix_free", init=start).fit(
                rows, sample_weight=w
            )
            for rows in (X, sparse.csr_array(X))
        )
        assert thin.labels_.tolist() == dense.labels_.tolist()
        rho = oracle.distances(metric, X)
        right = oracle.dispersions(-rho / 2, dense.labels_, oracle.long(w), 4).astype(float)
        np.testing.assert_allclose(thin.cluster_dispersions_, right, 1e-9)
        far = oracle.transform(oracle.distances(metric, new, X), rho, dense.labels_, w, 4)
        for rows in (sparse.csr_array(new), new):
            np.testing.assert_allclose(thin.transform(rows), far.astype(float), 1e-7)


def test_seeds_of_wide_rows_are_no_copies():
    """A row next to 200 copies is a seed before any copy is, though products in float32 differ."""
    for seed in range(4):
        A, B, C = np.random.default_rng(seed).normal(size=(3, 60))
        X = np.vstack([np.repeat([A, B], 200, axis=0), [A + 4e-3 * C]])
        model = KernelKGroups(3, metric="sqeuclidean", method="matrix_free", init="k-means++")
        histories = model.set_params(n_init=5, random_state=seed).fit(X).start_histories_
        assert model.cluster_weights_.tolist() == [200, 200, 1]
        np.testing.assert_allclose([h[0] for h in histories], model.objective_, 1e-12)


def test_points_go_one_by_one_on_a_sparse_kernel_as_on_a_dense_one():
    X, start = np.random.default_rng(0).normal(size=(600, 3)), np.arange(600) % 4
    model = KernelKMeans(4, metric="precomputed_kernel", algorithm="online", init=start)
    dense, thin = (model.fit(G).labels_.tolist() for G in (X @ X.T, sparse.csr_array(X @ X.T)))
    assert thin == dense
    G, ones = oracle.long(X @ X.T), oracle.long(np.ones(600))
    far = oracle.to_centroids(G, np.diagonal(G), G, np.array(thin), ones, 4)
    assert (far.argmin(axis=1) == thin).all()


# Many rows


def test_sums_over_columns_of_many_rows():
    """20,001 rows, of which few differ: sums over those that do, with their numbers as weights."""
    rng = np.random.default_rng(0)
    few, u = rng.integers(0, 400, (600, 2)).astype(float), 1 + np.arange(600) % 3 * 0.75
    which = np.concatenate([np.arange(600), rng.integers(600, size=19_401)])
    for metric in ("manhattan", "hamming"):
        model = KernelKGroups(3, metric=metric, init=which % 3)
        model.fit(few[which], sample_weight=u[which])
        assert (model.method_, model.certificate_.n_pairs) == ("matrix_free", 0)
        rho = oracle.distances(metric, few).astype(float)
        exact = Copies(rho, which, model.labels_, 3, u[which])
        assert model.within_dispersion_ == pytest.approx(exact.W, rel=1e-11)
        assert exact.gains().max() <= 1e-9, metric
        assert model.between_statistic_ == pytest.approx(exact.total - exact.W, rel=1e-9)


def test_many_light_rows_around_a_few():
    """The few are in one bin of a line, where no chord bounds their sums well."""
    rng, which = np.random.default_rng(0), np.append(np.arange(60), 60 + np.arange(20_000) % 2)
    few = np.append(rng.normal(size=60), [-50, 50])[:, None]
    u = np.append(rng.uniform(0.5, 2, 60), [1e-6, 1e-6])
    model = KernelKGroups(6, metric="manhattan", init=rng.integers(6, size=len(which)))
    labels = model.fit(few[which], sample_weight=u[which]).labels_
    exact = Copies(oracle.distances("manhattan", few).astype(float), which, labels, 6, u[which])
    assert model.within_dispersion_ == pytest.approx(exact.W, rel=1e-9)
    assert exact.gains().max() <= 1e-12


def test_many_rows_with_gaps():
    """Equally many copies; where none moves, an empty cluster gets the farthest row by weight."""
    rng, which, u = np.random.default_rng(7), np.arange(20_040) % 40, 1 + np.arange(40) % 3 * 0.75
    few = rng.integers(0, 9, (40, 3)).astype(float)
    few[3:9, 0] = few[7:12, 2] = np.nan
    rho = oracle.mixed(*[[[None if v != v else v for v in row] for row in few]] * 2).astype(float)
    X, w, labels = few[which], u[which], rng.integers(5, size=20_040)
    exact = Copies(rho, which, labels, 5, w)
    found, gains = bounds.certify(X, labels, metric="mixed", sample_weight=w), exact.gains().max(1)
    assert found.within_dispersion == pytest.approx(exact.W, rel=1e-11)
    assert found.rows.tolist() == np.flatnonzero(gains > 1e-9).tolist()
    np.testing.assert_allclose(found.gains, gains[found.rows], 1e-9)
    model = KernelKGroups(3, metric="mixed", init=which % 2, tol=10.0).fit(X, sample_weight=w)
    cost = w * Copies(rho, which, which % 2, 2, w).squared[which, which % 2]
    assert np.flatnonzero(model.labels_ != which % 2).tolist() == [cost.argmax()]


@pytest.mark.filterwarnings("ignore::kgroups.exceptions.TheoryWarning")
def test_eigenvectors_of_numbers_and_categories():
    """One row that is far away has an eigenvector, and 0 or 1 counts more than a or b."""

    class NotOfNegativeType(Manhattan):
        is_negative_type = False  # so that no sketch stands for the rows

    X = np.stack([np.arange(20_004) % 2, np.arange(20_004) // 2 % 2], axis=1).astype(float)
    X[0, 0] = 5e4
    metric = ColumnSum([(NotOfNegativeType(), [0]), (Hamming(), [1], 0.7)])
    labels = KernelKGroups(2, metric=metric, init="spectral", random_state=0).fit(X).labels_
    assert (labels[1:] == labels[1]).tolist() == (X[1:, 0] == X[1, 0]).tolist()
