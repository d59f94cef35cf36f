"""Stability of clusters: similarities by hand, no clusters at all, every kind of input."""

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgba_array
from matplotlib.figure import Figure
from scipy.sparse import csr_array

from kgroups import KernelKGroups
from kgroups.metrics import same_partition
from kgroups.plots import ClusterStabilityDisplay
from kgroups.select.cluster_stability import (
    ClusterStability,
    _Rows,
    cluster_stability,
    largest_jaccard,
)
from kgroups.semimetrics import ColumnSum, Energy, Hamming, SineSquared, kernel_from_semimetric

mpl.use("Agg")


def blobs(n=90, k=3, seed=0, apart=20.0):
    labels = np.arange(n) % k
    X = np.random.default_rng(seed).normal(size=(n, 2))
    X[:, 0] += apart * labels
    return X, labels


def made(resampled, clusters=("a", "b")):
    table = np.array(resampled, float)
    sizes = np.full(len(clusters), 5)
    return ClusterStability(clusters=clusters, sizes=sizes, resampled=table, metric="precomputed")


# --- numbers by hand -------------------------------------------------------------------------


@pytest.mark.nojit
def test_similarity_by_hand():
    given = np.array([0, 0, 0, 1, 1, 2, 2, 2])
    found = np.array([0, 0, 1, 1, 1, 1, 2, 2])
    # {0,1,2} with {0,1}: 2/3; {3,4} with {2,3,4,5}: 2/4; {5,6,7} with {6,7}: 2/3.
    np.testing.assert_allclose(largest_jaccard(given, found, 3), [2 / 3, 1 / 2, 2 / 3])


@pytest.mark.nojit
def test_a_cluster_of_which_nothing_was_drawn_has_no_similarity():
    value = largest_jaccard(np.array([0, 0, 2]), np.array([0, 0, 0]), 3)
    np.testing.assert_allclose(value, [2 / 3, np.nan, 1 / 3])


def test_never_drawn_is_said_without_a_warning():
    result = made([[1.0, np.nan]])
    assert np.isnan(result.jaccard[1])
    assert np.isnan(result.errors).all()
    assert "never drawn" in str(result)


# --- data ------------------------------------------------------------------------------------


def test_thirds_of_one_normal_cloud_do_not():
    X = np.random.default_rng(0).normal(size=(150, 2))
    labels = KernelKGroups(3, random_state=0).fit_predict(X)
    result = cluster_stability(X, labels, n_resamples=30, random_state=0)
    assert result.jaccard.max() < 0.9
    assert (result.dissolved > 0).all()
    assert (result.errors > 0.01).all()


def test_labels_that_say_nothing_are_not_to_be_trusted():
    X, labels = blobs()
    shuffled = np.random.default_rng(1).permutation(labels)
    result = cluster_stability(X, shuffled, n_resamples=10, random_state=0)
    assert result.jaccard.max() < 0.5


def test_a_cluster_of_two_in_one_dissolves():
    X, labels = blobs()
    halves = np.where((labels == 0) & (np.arange(90) < 45), 3, labels)  # 15 of the 30 rows
    result = cluster_stability(X, halves, n_resamples=20, random_state=0)
    # Some cluster is cut into two somewhere at random, mostly not into these halves.
    assert result.jaccard[[0, 3]].max() < 0.75
    assert result.jaccard[[1, 2]].min() > result.jaccard[[0, 3]].max()


def test_one_cluster_alone_has_one():
    X, _ = blobs(30)
    result = cluster_stability(X, ["all"] * 30, n_resamples=5, random_state=0)
    assert result.resampled.tolist() == [[1.0]] * 5


def test_weights_are_repeats():
    X, _ = blobs(60, apart=8.0)
    rng = np.random.default_rng(3)
    matrix = -0.5 * Energy().pairwise(X)
    for seed in range(5):
        drawn = rng.integers(60, size=60)
        rows, counts = np.unique(drawn, return_counts=True)
        weighted = _Rows(matrix).clustered(rows, counts, 3, seed)
        repeated = KernelKGroups(3, random_state=seed).fit_predict(X[np.repeat(rows, counts)])
        assert same_partition(np.repeat(weighted, counts), repeated)


# --- input of every kind ---------------------------------------------------------------------


def test_distances_kernels_functions_and_tables_agree():
    X, labels = blobs(60, apart=3.0)
    rho = Energy().pairwise(X)
    kernel = kernel_from_semimetric(rho)

    def norm(a, b):
        return float(np.linalg.norm(np.subtract(a, b)))

    results = [
        cluster_stability(data, labels, metric=metric, n_resamples=8, random_state=0).resampled
        for data, metric in (
            (X, "energy"),
            (rho, "precomputed"),
            (kernel, "precomputed_kernel"),
            ([tuple(row) for row in X], norm),
        )
    ]
    for other in results[1:]:
        np.testing.assert_allclose(other, results[0])


def test_text_sparse_kernels_and_oscillating_metrics():
    words = ["cat", "cart", "carts", "dog", "dogs", "god"] * 4
    animals = ["c", "c", "c", "d", "d", "d"] * 4

    def letters_apart(a, b):
        return len(set(a) ^ set(b))

    by_words = cluster_stability(
        words, animals, metric=letters_apart, n_resamples=5, random_state=0
    )
    assert by_words.clusters == ("c", "d")
    np.testing.assert_allclose(by_words.jaccard, 1.0)
    two = np.kron(np.eye(2), np.ones((15, 15)))
    sparse = cluster_stability(
        csr_array(two), np.arange(30) // 15, metric="precomputed_kernel", n_resamples=5,
        random_state=0,
    )  # fmt: skip
    np.testing.assert_allclose(sparse.jaccard, 1.0)
    X, labels = blobs(40, k=2, apart=6.0)
    with pytest.warns(match="not of negative type") as warned:
        cluster_stability(X, labels, metric=SineSquared(), n_resamples=3, random_state=0)
    assert len(warned) == 1


def test_frames_with_categories_and_labels_of_noise():
    X, labels = blobs(60)
    frame = pd.DataFrame({"x": X[:, 0], "kind": np.array(["u", "v", "w"])[labels]})
    metric = ColumnSum([(Energy(), ["x"]), (Hamming(), ["kind"])])
    result = cluster_stability(frame, labels - 1, metric=metric, n_resamples=5, random_state=0)
    assert result.clusters == (-1, 0, 1)
    np.testing.assert_allclose(result.jaccard, 1.0)


def test_beyond_the_matrix_the_rows_are_clustered_as_they_are():
    X, labels = blobs(2_400)
    result = cluster_stability(X, labels, n_resamples=2, random_state=0)
    np.testing.assert_allclose(result.jaccard, 1.0)


@pytest.mark.parametrize("n", [6, 2_100])
def test_a_resample_with_fewer_different_rows_than_clusters(n):
    """One row of its own kind is not drawn in every resample."""
    X = np.zeros((n, 1))
    X[n // 2 :] = 1.0
    X[-1] = 50.0
    result = cluster_stability(X, X[:, 0], n_resamples=8, random_state=0)
    lonely = result.resampled[:, 2]
    assert np.isnan(lonely).any()
    assert np.nanmin(result.resampled) == 1.0


# --- the picture -----------------------------------------------------------------------------


@pytest.fixture
def ax():
    return Figure(layout="constrained").subplots()


def test_dots_stand_at_the_means_with_two_errors_and_the_thresholds(ax):
    result = made([[1.0, 0.6], [0.9, 0.5], [0.8, 0.7]])
    display = ClusterStabilityDisplay.from_stability(result, ax=ax)
    np.testing.assert_allclose(display.dots_.get_offsets()[:, 0], [0.9, 0.6])
    np.testing.assert_allclose(
        display.dots_.get_facecolors(), to_rgba_array(["#0072B2", "#E69F00"])
    )
    ends = np.array([path.vertices[:, 0] for path in display.bars_.get_paths()])
    reach = 2 * 0.1 / np.sqrt(3)
    np.testing.assert_allclose(ends, [[0.9 - reach, 1.0], [0.6 - reach, 0.6 + reach]])
    lines = sorted(float(line.get_xdata()[0]) for line in ax.get_lines())
    assert lines == [0.6, 0.75, 0.85]
    assert [t.get_text() for t in ax.get_yticklabels()] == ["a (5)", "b (5)"]


def test_a_picture_of_one_resample_has_no_error_bars(ax):
    display = ClusterStabilityDisplay.from_stability(made([[0.9, 0.2]]), ax=ax)
    ends = np.array([path.vertices[:, 0] for path in display.bars_.get_paths()])
    np.testing.assert_allclose(ends[:, 0], ends[:, 1])
    assert ax.get_xlim()[0] == pytest.approx(0.15)
