"""Contributions of columns: against loops over pairs, by identities, and on planted tables."""

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from helpers import each
from kgroups import semimetrics as sm
from kgroups.plots import FeatureContributionsDisplay
from kgroups.plots.style import cluster_colors
from kgroups.select.feature_contributions import feature_contributions
from kgroups.stats import between_statistic

mpl.use("Agg")

METRICS = {
    "energy": (sm.Energy(1.0), np.sqrt, "squared"),
    "energy 1/2": (sm.Energy(0.5), lambda t: t**0.25, "squared"),
    "energy 0.7": (sm.Energy(0.7), lambda t: t**0.35, "squared"),
    "k-means": (sm.Energy(2.0), lambda t: t, "squared"),
    "laplacian": (sm.Laplacian(0.8), lambda t: 2 - 2 * np.exp(-np.sqrt(t) / 1.6), "squared"),
    "gaussian": (sm.Gaussian(1.3), lambda t: 2 - 2 * np.exp(-t / (2 * 1.3**2)), "squared"),
    "manhattan": (sm.Manhattan(), lambda t: t, "absolute"),
    "hamming": (sm.Hamming(), lambda t: t / 4, "mismatch"),
}
DELTA = {
    "squared": lambda x, y: (x - y) ** 2,
    "absolute": lambda x, y: abs(x - y),
    "mismatch": lambda x, y: float(x != y),
}


def problem(n=30, d=4, k=3, seed=0):
    """A table of few different values in column 0, labels, and weights of which some are zero."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    X[:, 0] = np.round(X[:, 0])
    X[5] = X[6]
    weights = rng.uniform(0.2, 2.0, n)
    weights[[3, 4]] = 0.0
    labels = rng.integers(k, size=n)
    labels[:k] = np.arange(k)
    return X, labels, weights


def by_loops(rho_parts, labels, weights, k):
    """S_d of the definition: every pair, its parts, and its factor, one at a time."""
    size = np.bincount(labels, weights=weights, minlength=k)
    total = size.sum()
    out = 0.0
    for i in range(len(labels)):
        for j in range(i):
            factor = 1 / total - (labels[i] == labels[j]) / size[labels[i]]
            out = out + weights[i] * weights[j] * factor * rho_parts(i, j)
    return out


def parts_of(X, phi, delta):
    def parts(i, j):
        deltas = np.array([DELTA[delta](x, y) for x, y in zip(X[i], X[j], strict=True)])
        t = deltas.sum()
        return phi(t) * deltas / t if t > 0 else deltas

    return parts


# --- against the definition ------------------------------------------------------------------


@pytest.mark.nojit
@each("name", METRICS)
def test_every_pair_is_split_in_proportion_to_its_columns(name):
    metric, phi, delta = METRICS[name]
    X, labels, weights = problem()
    if delta == "mismatch":
        X = np.round(X)
    result = feature_contributions(X, labels, metric=metric, sample_weight=weights)
    expected = by_loops(parts_of(X, phi, delta), labels, weights, 3)
    np.testing.assert_allclose(result.contributions, expected, rtol=1e-10, atol=1e-12)


@pytest.mark.nojit
def test_a_sum_over_mixed_columns_with_categories():
    X, labels, weights = problem()
    colors = np.array(["red", "green", "blue"])[np.random.default_rng(1).integers(3, size=30)]
    frame = pd.DataFrame({"a": X[:, 0], "color": colors, "b": X[:, 1], "c": X[:, 2]})
    mixed = sm.ColumnSum([(sm.Energy(), ["b", "a"], 2.0), (sm.Hamming(), ["color"], 0.5)])
    result = feature_contributions(frame, labels, metric=mixed, sample_weight=weights)
    energy = parts_of(X[:, :2], np.sqrt, "squared")

    def parts(i, j):
        a, b = 2.0 * energy(i, j)
        return np.array([a, 0.5 * float(colors[i] != colors[j]), b, 0.0])

    assert result.names == ("a", "color", "b", "c")
    expected = by_loops(parts, labels, weights, 3)
    np.testing.assert_allclose(result.contributions, expected, rtol=1e-10, atol=1e-14)
    assert result.explained[3] == 0.0


def test_a_column_of_two_parts_collects_both():
    X, labels, _ = problem()
    nested = sm.ColumnSum(
        [(sm.Manhattan(), [0, 1]), (sm.ColumnSum([(sm.Energy(2.0), [1, 0])]), [1, 2], 3.0)]
    )
    result = feature_contributions(X, labels, metric=nested)
    first = feature_contributions(X[:, :2], labels, metric="manhattan").contributions
    second = feature_contributions(X[:, 1:3], labels, metric=sm.Energy(2.0)).contributions
    expected = np.array([first[0], first[1] + 3 * second[0], 3 * second[1], 0.0])
    np.testing.assert_allclose(result.contributions, expected, rtol=1e-12)


@each(
    "metric",
    [*(m for m, _, _ in METRICS.values()), sm.Hellinger(), sm.JensenShannon(), sm.SineSquared(),
     sm.DampedSquared(), "energy"],
    ids=str,
)  # fmt: skip
@pytest.mark.filterwarnings("ignore::kgroups.exceptions.TheoryWarning")
def test_contributions_add_up_to_the_between_statistic(metric):
    X, labels, weights = problem(n=300, d=7, k=4)
    X = np.abs(X) + 0.1
    result = feature_contributions(X, labels, metric=metric, sample_weight=weights)
    exact = between_statistic(X, labels, metric=metric, sample_weight=weights)
    assert result.total == pytest.approx(exact, rel=1e-10)
    assert result.contributions.sum() == pytest.approx(exact, rel=1e-10)
    assert result.shares.sum() == pytest.approx(1.0)
    np.testing.assert_allclose(result.by_cluster.sum(axis=0), result.contributions, rtol=1e-9)


def test_parts_of_clusters_are_energy_distances_to_all_the_data():
    X, labels, _ = problem(n=60)
    result = feature_contributions(X, labels)
    rho = sm.Energy().pairwise(X)
    for cluster, row in enumerate(result.by_cluster):
        own = labels == cluster
        energy = 2 * rho[own].mean() - rho[np.ix_(own, own)].mean() - rho.mean()
        assert row.sum() == pytest.approx(own.sum() / 2 * energy, rel=1e-9)


# --- what it says ----------------------------------------------------------------------------


def test_two_planted_columns_carry_the_clusters_and_noise_takes_from_them():
    rng = np.random.default_rng(0)
    truth = np.arange(400) % 4
    X = rng.normal(size=(400, 10))
    X[:, 3] += 6.0 * (truth % 2)
    X[:, 7] += 6.0 * (truth // 2)
    result = feature_contributions(X, truth)
    assert set(result.ranking()[:2].tolist()) == {3, 7}
    others = np.delete(np.arange(10), [3, 7])
    assert (result.contributions[others] < 0).all()
    assert (result.explained[others] < 0.03).all()
    assert (result.explained[[3, 7]] > 0.3).all()
    # Sums over columns have nothing to dilute.
    assert (feature_contributions(X, truth, metric="manhattan").contributions > 0).all()


def test_weights_are_repeats_and_their_unit_is_that_of_the_result():
    X, labels, _ = problem()
    times = np.random.default_rng(2).integers(0, 4, 30)
    weighted = feature_contributions(X, labels, sample_weight=times)
    repeated = feature_contributions(np.repeat(X, times, axis=0), np.repeat(labels, times))
    np.testing.assert_allclose(weighted.contributions, repeated.contributions, rtol=1e-10)
    np.testing.assert_allclose(weighted.explained, repeated.explained, rtol=1e-10)
    tiny = feature_contributions(X, labels, sample_weight=times * 1e-200)
    np.testing.assert_allclose(tiny.contributions * 1e200, weighted.contributions, rtol=1e-9)


def test_one_cluster_has_nothing_between():
    X, _, _ = problem()
    result = feature_contributions(X, ["all"] * 30)
    assert result.total == 0.0
    assert result.shares.tolist() == result.contributions.tolist() == [0.0] * 4


def test_labels_of_any_kind_and_a_cluster_without_weight():
    X, labels, _ = problem()
    weights = np.where(labels == 2, 0.0, 1.0)
    named = np.array(["x", "y", "z"])[labels]
    result = feature_contributions(X, named, sample_weight=weights)
    alive = labels < 2
    expected = feature_contributions(X[alive], labels[alive])
    assert result.clusters == ("x", "y", "z")
    np.testing.assert_allclose(result.contributions, expected.contributions, rtol=1e-12)
    assert result.by_cluster[2].tolist() == [0.0] * 4


# --- the picture -----------------------------------------------------------------------------


@pytest.fixture
def ax():
    return Figure(layout="constrained").subplots()


def test_bars_are_shares_and_rings_what_columns_explain(ax):
    X, labels, _ = problem(n=60)
    X[:, 2] += 6.0 * labels
    result = feature_contributions(X, labels)
    display = FeatureContributionsDisplay.from_contributions(result, ax=ax)
    order = result.ranking()
    widths = [bar.get_width() for bar in display.bars_]
    np.testing.assert_allclose(widths, 100 * result.shares[order])
    rings = np.asarray(display.rings_.get_offsets())
    np.testing.assert_allclose(rings[:, 0], 100 * result.explained[order])
    assert [t.get_text() for t in ax.get_yticklabels()] == [f"column {d}" for d in order]
    full = tuple(cluster_colors(1)[0])
    assert [bar.get_facecolor() == full for bar in display.bars_] == [w >= 0 for w in widths]
    assert min(widths) < 0


def test_one_bar_stands_for_the_columns_that_are_not_drawn(ax):
    X, labels, _ = problem(n=60, d=20)
    display = FeatureContributionsDisplay.from_contributions(
        feature_contributions(X, labels), ax=ax
    )
    widths = [bar.get_width() for bar in display.bars_]
    assert len(widths) == 16
    assert sum(widths) == pytest.approx(100.0)
    assert ax.get_yticklabels()[-1].get_text() == "5 others"
    assert ax.get_title(loc="left") == "What separates the clusters (15 of 20 columns)"
