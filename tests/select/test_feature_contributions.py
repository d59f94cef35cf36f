"""Contributions of columns: sums, clusters without weight, words, and the picture."""

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.figure import Figure
from scipy.sparse import csr_array
from sklearn.feature_extraction.text import CountVectorizer
from sparse_cases import counts_with_topics

from helpers import each
from kgroups import semimetrics as sm
from kgroups.plots import FeatureContributionsDisplay
from kgroups.plots.style import cluster_colors
from kgroups.select import feature_contributions
from kgroups.semimetrics import Gaussian
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


@pytest.mark.nojit
def test_names_of_a_vectorizer():
    texts = ["pear plum pear", "plum plum", "saw drill", "drill drill saw saw"]
    vectorizer = CountVectorizer()
    rows = vectorizer.fit_transform(texts)
    names = vectorizer.get_feature_names_out()
    found = feature_contributions(rows, [0, 0, 1, 1], names=names)
    assert set(found.names) == {"pear", "plum", "saw", "drill"}
    assert "drill" in found.to_text()
    with pytest.raises(ValueError, match="names"):
        feature_contributions(rows, [0, 0, 1, 1], names=names[:3])


@pytest.mark.nojit
def test_contributions_add_up_however_many_columns_there_are():
    table, topic = counts_with_topics(0)
    rows = csr_array(table)
    places = np.arange(40) * 25_000_001
    wide = csr_array((rows.data, places[rows.indices], rows.indptr), shape=(60, 10**9))
    narrow = feature_contributions(rows, topic, metric=Gaussian(2.0))
    found = feature_contributions(wide, topic, metric=Gaussian(2.0))
    np.testing.assert_allclose(found.contributions, narrow.contributions)
    assert found.names[1] == "column 25000001"
