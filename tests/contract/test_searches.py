"""Searches from their starts to their ends: ties, empty clusters, kept starts, what they say.

Cases are small and worked out by hand, by a plain loop or by trying every partition.
"""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import oracle
from kgroups import EnergyAgglomerative, KernelKGroups, KernelKMeans, KGroups1D
from kgroups.gram import DenseGram
from kgroups.solvers import HartiganPairs, Problem


def groups(n=90, k=3, apart=3.0, seed=0):
    """Rows around k places in a circle, in turn."""
    angle = 2 * np.pi * (np.arange(n) % k) / k
    places = apart * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    return places + np.random.default_rng(seed).normal(size=(n, 2))


def are_groups(labels, k):
    """Whether the clusters are the rows in turn."""
    return len({*zip(labels.tolist(), (np.arange(len(labels)) % k).tolist(), strict=True)}) == k


# Starts


def test_of_equal_starts_the_first_is_kept():
    for metric, method in (("energy", "dense"), ("sqeuclidean", "matrix_free")):
        model = KernelKGroups(3, metric=metric, method=method, init="random", n_init=6)
        starts = model.set_params(random_state=1).fit(groups(apart=30.0)).start_histories_
        ends = np.array([history[-1] for history in starts])
        kept = starts[int(np.argmax(ends >= ends.max() * (1 - 1e-12)))]
        found = model.objective_history_
        np.testing.assert_allclose(found[: len(kept)], kept, 1e-12, err_msg=method)
        assert len({len(history) for history in starts}) > 1, method


def test_histories_rise_and_end_at_the_objective():
    """Also where clusters that were grown anew follow a start."""
    grown = 0
    for seed in range(12):
        X = groups(n=80, k=9, apart=4.0, seed=seed)
        model = KernelKGroups(9, init="random", n_init=1, random_state=seed).fit(X)
        history, (start,) = model.objective_history_, model.start_histories_
        assert (np.diff(history) >= -1e-12 * history[-1]).all(), seed
        assert history[-1] == pytest.approx(model.objective_, rel=1e-12), seed
        assert history[0] == pytest.approx(start[0], rel=1e-12), seed
        assert len(history) == model.n_iter_ + 1, seed
        assert history[-1] >= start[-1] * (1 - 1e-12)
        grown += len(history) > len(start)
    assert grown >= 3


def test_histories_of_many_rows():
    """Where groups of rows propose moves, few of which have weight."""
    n, rng, W = 50_001, np.random.default_rng(0), []
    X, start, w = rng.normal(size=(n, 2)), rng.integers(3, size=n), np.zeros(n)
    w[rng.permutation(n)[:300]] = rng.uniform(0.5, 2, 300)
    model = KernelKGroups(3, metric="sqeuclidean", init=start).fit(X, sample_weight=w)
    for labels in (start, model.labels_):
        means = np.array([np.average(X[labels == j], 0, w[labels == j]) for j in range(3)])
        W.append(w @ ((X - means[labels]) ** 2).sum(axis=1))
    assert model.within_dispersion_ == pytest.approx(W[1], rel=1e-9)
    history = model.objective_history_
    assert history[-1] - history[0] == pytest.approx(W[0] - W[1], rel=1e-9)


def test_clusters_grown_anew_find_groups_far_apart():
    """One random start often puts two groups together; afterwards each has its own cluster."""
    for method, metric in (("dense", "energy"), ("matrix_free", "sqeuclidean")):
        alone = 0
        for seed in range(12):
            X = groups(n=60, k=6, apart=25.0, seed=seed)
            model = KernelKGroups(
                6, metric=metric, method=method, init="random", n_init=1, random_state=seed
            ).fit(X)
            assert are_groups(model.labels_, 6), (method, seed)
            alone += model.start_histories_[0][-1] > model.objective_ * (1 - 1e-9)
        assert alone < 10, method


@pytest.mark.parametrize("numbers", [(400, 1, 640), (300, 1, 600)])
def test_seeds_are_chosen_by_weight(numbers):
    """A heavy row and many light ones are equally far from most of the weight.

    The second seed is the better of two drawn by weight: the heavy row, unless both are light.
    """
    w = np.repeat([10.0, 64.0, 0.05], numbers)
    X = np.repeat([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]], numbers, axis=0)
    X[-numbers[2] :] += np.random.default_rng(0).normal(scale=1e-3, size=(numbers[2], 2))
    model = KernelKGroups(2, metric="sqeuclidean", init="k-means++", n_init=40, random_state=0)
    model.fit(X, sample_weight=w)
    whole = model.within_dispersion_ + model.between_statistic_
    begun = np.array([whole - history[0] for history in model.start_histories_])
    most, light = 10.0 * numbers[0], 0.05 * numbers[2]
    heavy_alone = most * light / (most + light)  # W of the others, which are 1 apart
    assert (np.abs(begun / heavy_alone - 1) < 0.01).mean() > 0.75


def test_euclidean_seeds_are_drawn_by_weight():
    """Three rows have nearly all of the weight, and each is a seed."""
    X, w = np.repeat([[0.0, 0], [10, 0], [0, 10], [30, 30]], [1, 1, 1, 200], axis=0), np.ones(203)
    w[3:] = 1e-12
    model = KernelKGroups(3, metric="sqeuclidean", init="euclidean-k-means++", random_state=0)
    for history in model.fit(X, sample_weight=w).start_histories_:
        assert history[0] == pytest.approx(400 / 3, rel=1e-9)  # the sum of squares about the mean


def test_spectral_starts_find_groups_far_apart():
    for metric in ("energy", "sqeuclidean"):
        model = KernelKGroups(3, metric=metric, init="spectral", random_state=0)
        model.fit(groups(apart=12.0))
        assert model.n_moves_ == 0
        assert are_groups(model.labels_, 3)


def test_random_starts_leave_no_cluster_empty():
    """As many clusters as rows: every start has each row in a cluster of its own."""
    X = groups(n=7)
    w = np.array([1, 1, 0, 1, 2, 0, 1.0])
    for seed in range(6):
        model = KernelKGroups(5, init="random", n_init=1, random_state=seed)
        model.fit(X, sample_weight=w)
        assert (model.n_moves_, model.within_dispersion_) == (0, 0.0)


def test_moves_of_starts_side_by_side_are_counted():
    """Of random labels in three clusters about two thirds move at once."""
    model = KernelKGroups(3, method="dense", init="random", n_init=2, random_state=0)
    assert 480 <= model.fit(groups(n=800, apart=30.0)).n_moves_ <= 600


def test_clusters_have_numbers_by_weight_and_first_row():
    X = np.array([[50.0], [51.0], [0.0], [1.0], [100.0], [101.0], [102.0]])
    for seed in range(5):
        for metric in ("energy", "sqeuclidean"):
            model = KernelKGroups(3, metric=metric, n_init=1, random_state=seed).fit(X)
            assert model.labels_.tolist() == [1, 1, 2, 2, 0, 0, 0], (seed, metric)


# Moves


def test_equal_gains_of_means():
    """The point in the middle may join either neighbor, and takes the first."""
    X = np.array([[0.0, 0.0], [0.0, 1.0], [4.0, 0.0], [4.0, 1.0], [2.0, 50.0], [2.0, 0.5]])
    for order in ([0, 0, 1, 1, 2, 2], [1, 1, 0, 0, 2, 2]):
        model = KernelKGroups(3, init=order, metric="sqeuclidean", method="matrix_free").fit(X)
        assert model.labels_.tolist() == [*order[:5], 0]


def test_what_one_sweep_leaves():
    X, start = groups(n=200), np.random.default_rng(0).integers(3, size=200)
    for metric in ("energy", "sqeuclidean", "cosine"):
        for method in ("dense", "matrix_free"):
            model = KernelKGroups(3, metric=metric, method=method, init=start, max_iter=1)
            with pytest.warns(ConvergenceWarning, match="max_iter"):
                model.fit(X)
            assert (model.n_iter_, model.converged_) == (1, False), (metric, method)
            assert model.exactness_ == "stopped at max_iter"


def test_fits_that_report_progress_make_the_same_moves(capsys):
    X, start = groups(n=300, apart=1.5), np.random.default_rng(1).integers(3, size=300)
    w = np.random.default_rng(2).uniform(0.3, 3, 300)
    for metric in ("energy", "sqeuclidean", "cosine"):
        for method in ("dense", "matrix_free"):
            quiet, listened = (
                KernelKGroups(3, metric=metric, method=method, init=start, verbose=verbose).fit(
                    X, sample_weight=w
                )
                for verbose in (0, 1)
            )
            assert "".join(capsys.readouterr())
            assert listened.labels_.tolist() == quiet.labels_.tolist(), (metric, method)
            assert (listened.n_iter_, listened.n_moves_) == (quiet.n_iter_, quiet.n_moves_)
            np.testing.assert_allclose(
                listened.objective_history_, quiet.objective_history_, 1e-9, err_msg=f"{metric}"
            )


def test_exchanges_and_pairs_leave_nothing_to_gain():
    """No move of one point or of two improves what the search for few points ends with."""
    for seed in range(4):
        rng = np.random.default_rng(seed)
        A = rng.normal(size=(7, 7))
        w = rng.uniform(0.5, 2, 7) if seed % 2 else np.ones(7)
        for G in (A + A.T, A @ A.T, -A @ A.T):
            pairs = HartiganPairs().solve(Problem(DenseGram(G), w, 3), np.arange(7) % 3)
            labels = pairs.labels
            Q = float(oracle.objective(oracle.long(G), labels, oracle.long(w), 3))
            assert pairs.objective == pytest.approx(Q, rel=1e-12), seed
            for i, j in zip(*np.triu_indices(7, 1), strict=True):
                for a, b in {(labels[j], labels[i])} | {(c, c) for c in range(3)}:
                    if (labels[i] == labels[j]) != (a == b):
                        continue
                    other = labels.copy()
                    other[[i, j]] = a, b
                    if len(set(other.tolist())) == 3:
                        gain = oracle.objective(oracle.long(G), other, oracle.long(w), 3) - Q
                        assert gain <= 1e-9 * np.abs(G).sum(), (seed, i, j)


def test_a_row_that_leaves_takes_no_digits():
    """A row that is far away, or weighs much, is in a cluster at first and then alone in one."""
    X = np.random.default_rng(0).normal(size=(80, 2))
    w, start = np.ones(80), np.repeat([0, 1, 2], [40, 39, 1])
    X[0] = 1e11
    for metric in ("energy", "sqeuclidean"):
        rho = oracle.distances(metric, X)
        for method in ("dense", "matrix_free"):
            model = KernelKGroups(3, metric=metric, method=method, init=start).fit(X)
            near, labels = slice(1, None), model.labels_
            W = oracle.within_dispersion(rho[near, near], labels[near], w[near], 3)
            assert (labels == labels[0]).sum() == 1
            assert model.within_dispersion_ == pytest.approx(float(W), rel=1e-9), (metric, method)
            parts = oracle.dispersions(-rho / 2, labels, oracle.long(w), 3).astype(float)
            np.testing.assert_allclose(model.cluster_dispersions_, parts, 1e-9)


def test_a_search_that_is_stopped_loses_no_digits():
    """A row far away goes to one at the same place in the only sweep."""
    X = np.random.default_rng(0).normal(size=(80, 2))
    X[[0, 79]], start = 1e13, np.repeat([0, 1, 2], [40, 39, 1])
    model = KernelKGroups(3, method="matrix_free", init=start, max_iter=1)
    with pytest.warns(ConvergenceWarning, match="max_iter"):
        model.fit(X)
    W = oracle.within_dispersion(oracle.distances("energy", X), model.labels_, np.ones(80), 3)
    assert model.within_dispersion_ == pytest.approx(float(W), rel=1e-9)


# Kernel k-means


def batches(rho, labels, w, k):
    """Labels of Lloyd's rule, its passes, and how many clusters ran empty on the way.

    Such a cluster takes the row that is farthest from its own centroid and not alone there.
    """
    rows, n_filled = np.arange(len(w)), 0
    for n_passes in range(1, 300):
        squared = oracle.transform(rho, rho, labels, w, k) ** 2
        squared[rows, labels] -= 1e-9
        nearest = squared.argmin(axis=1)
        far = squared[rows, nearest]
        for empty in sorted({*range(k)} - {*nearest.tolist()}):
            is_alone = np.bincount(nearest, minlength=k)[nearest] == 1
            row = np.argmax(np.where(is_alone, -np.inf, far))
            nearest[row], n_filled = empty, n_filled + 1
        if (nearest == labels).all():
            return labels, n_passes, n_filled
        labels = nearest
    raise AssertionError("no end")


def test_weighted_batches_are_those_of_lloyd():
    for seed in range(3):
        X, w = groups(seed=seed, apart=1.5), np.random.default_rng(seed).uniform(0.2, 4, 90)
        start = np.random.default_rng(seed + 9).integers(3, size=90)
        for metric in ("energy", "gaussian", "sqeuclidean"):
            labels, passes, n_filled = batches(oracle.distances(metric, X), start, w, 3)
            assert n_filled == 0
            for method in ("dense", "matrix_free"):
                model = KernelKMeans(3, metric=metric, method=method, init=start)
                model.fit(X, sample_weight=w)
                assert model.labels_.tolist() == labels.tolist(), (seed, metric, method)
                assert model.n_iter_ == passes, (seed, metric, method)


def test_clusters_that_run_empty_take_the_farthest_row():
    n_filled = 0
    for seed in range(12):
        X, start = groups(20, apart=9.0, seed=seed), np.random.default_rng(seed).permutation(20) % 9
        for metric in ("energy", "sqeuclidean"):
            labels, passes, n = batches(oracle.distances(metric, X), start, np.ones(20), 9)
            model = KernelKMeans(9, metric=metric, init=start).fit(X)
            assert model.labels_.tolist() == labels.tolist(), (seed, metric)
            assert model.n_iter_ == passes, (seed, metric)
            n_filled += n
    assert n_filled >= 5


def test_batches_that_come_back_are_reported():
    """Lloyd's rule with an indefinite kernel goes to and fro; one point at a time does not."""
    rng, cycles = np.random.default_rng(0), 0
    for _ in range(30):
        A = rng.normal(size=(12, 12))
        start = np.arange(12) % 3
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model = KernelKMeans(3, metric="precomputed_kernel", init=start).fit(A + A.T)
        G, ones = oracle.long(A + A.T), oracle.long(np.ones(12))
        far = oracle.to_centroids(G, np.diagonal(G), G, model.labels_, ones, 3)
        is_stable = (far[np.arange(12), model.labels_] <= far.min(axis=1) + 1e-9).all()
        if model.exactness_ == "stopped in a cycle":
            assert not model.converged_
            cycles += 1
        else:
            assert model.converged_
            assert is_stable
    assert cycles >= 3


# A line and a tree


def test_lines_by_hand():
    # 0, 1, 2 in two parts: {0} | {1, 2} and {0, 1} | {2} are alike, and the last one is first.
    for alpha in (0.5, 1.0, 2.0):
        model = KGroups1D(2, alpha=alpha).fit([0.0, 1.0, 2.0])
        assert model.within_dispersion_ == pytest.approx(0.5, rel=1e-15)
        assert model.labels_.tolist() == [0, 1, 1], alpha
        assert model.boundaries_.tolist() == [0.5]
    # Between {0, 0, 0, 1} and {10, 11}: far rows, and rows within.
    X = np.array([0.0, 0.0, 0.0, 1.0, 10.0, 11.0])
    model = KGroups1D(2).fit(X)
    assert model.labels_.tolist() == [0, 0, 0, 0, 1, 1]
    # W_j / s_j is 3/16 and 1/4; (3 |x| + |x − 1|) / 4 − 3/16 < (|x − 10| + |x − 11|) / 2 − 1/4.
    assert model.predict([-1e6, 5.3, 5.5, 1e6]).tolist() == [0, 0, 1, 1]


def test_equal_merges():
    """Of equally near pairs the one with the lowest first, then second, row is merged."""
    model = EnergyAgglomerative(1).fit([[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]])
    assert model.children_[:3].tolist() == [[0, 1], [2, 3], [4, 5]]
    square = [[0.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.0, 0.0]]
    assert EnergyAgglomerative(1).fit(square).children_[:2].tolist() == [[0, 1], [2, 3]]
    # No merge at the height itself is made: e of two rows 1 apart is 2 · 1 · 1 / 2 · 2 / 2 = 1.
    for threshold, k in ((1.0, 6), (np.nextafter(1.0, 2), 3)):
        model = EnergyAgglomerative(None, distance_threshold=threshold)
        model.fit([[0.0], [1.0], [20.0], [21.0], [50.0], [51.0]])
        assert model.n_clusters_ == k, threshold


def test_many_numbers_in_clumps():
    """Two of three groups share a cluster, the nearer ones; light numbers before each are many."""
    m, steps = 10_000, np.arange(-8.0, 1) / 16
    clumps = [(np.arange(m)[:, None] + steps * part).ravel() for part in (2**-10, 1, 2**-10)]
    x = np.append(clumps + np.array([[0], [20_000], [40_000 - 1 / 8]]), 1e6)
    w = np.append(np.tile([1e-4] * 8 + [1.0], 3 * m), m)
    model = KGroups1D(3, alpha=1.0).fit(x, sample_weight=w)
    assert np.flatnonzero(np.diff(model.labels_)).tolist() == [9 * m - 1, 27 * m - 1]
