"""Stability of clusters: every kind of input, rows that are not drawn, and the picture."""

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.colors import to_rgba_array
from matplotlib.figure import Figure

from kgroups.plots import ClusterStabilityDisplay
from kgroups.select.cluster_stability import (
    ClusterStability,
    cluster_stability,
)
from kgroups.semimetrics import Energy, kernel_from_semimetric

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


def test_never_drawn_is_said_without_a_warning():
    result = made([[0.9, 0.8, 0.7, 0.3, np.nan]], clusters="abcde")
    assert np.isnan(result.jaccard[4])
    assert np.isnan(result.errors).all()
    readings = [line.split("%")[-1] for line in str(result).splitlines()[-5:]]
    assert len({*readings[:4], "never drawn"}) == 5
    assert "never drawn" in str(result)


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
