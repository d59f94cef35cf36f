"""What a display is made from: a pipeline, swapped arguments, other classes and results."""

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from kgroups import EnergyAgglomerative, KernelKGroups, plots
from kgroups.graphs import GraphKGroups

X = np.random.default_rng(0).normal(size=(12, 2))
MODEL = KernelKGroups(2, random_state=0).fit(X)
PIPELINE = make_pipeline(StandardScaler(), KernelKGroups(2, random_state=0)).fit(X)
OF_ROWS = [
    plots.PartitionDisplay.from_estimator,
    plots.GramDisplay.from_estimator,
    plots.ClusterStabilityDisplay.from_estimator,
    plots.FeatureContributionsDisplay.from_estimator,
    plots.overview,
]
OF_NODES = [
    plots.AdjacencyDisplay.from_estimator,
    plots.NetworkDisplay.from_estimator,
    plots.SpectrumDisplay.from_estimator,
    plots.network_overview,
]
ALONE = [
    plots.ClusterSizesDisplay.from_estimator,
    plots.ObjectiveHistoryDisplay.from_estimator,
    plots.DendrogramDisplay.from_estimator,
]
every_display = pytest.mark.parametrize(
    ("draw", "arguments"),
    [*((draw, (X,)) for draw in (*OF_ROWS, *OF_NODES)), *((draw, ()) for draw in ALONE)],
    ids=lambda value: getattr(value, "__qualname__", None),
)


@every_display
def test_no_display_takes_what_is_not_a_fitted_estimator(draw, arguments):
    advice = r"got a Pipeline\. Write pipeline\[-1\].*pipeline\[:-1\]\.transform\(X\)"
    with pytest.raises(TypeError, match=advice):
        draw(PIPELINE, *arguments)
    with pytest.raises(TypeError, match="it comes first; got ndarray"):
        draw(X, *arguments)
    with pytest.raises(TypeError, match="it comes first; got the class KernelKGroups"):
        draw(KernelKGroups, *arguments)
    with pytest.raises(NotFittedError):
        draw(EnergyAgglomerative(2), *arguments)


def test_a_fitted_estimator_of_another_class():
    other = KMeans(2, n_init=1).fit(X)
    for draw in OF_ROWS:
        with pytest.raises(TypeError, match="KernelKMeans; got KMeans, which has no metric_"):
            draw(other, X)
    with pytest.raises(TypeError, match="got KMeans, which has no start_histories_"):
        plots.ObjectiveHistoryDisplay.from_estimator(other)
    with pytest.raises(TypeError, match="fitted EnergyAgglomerative; got KernelKGroups"):
        plots.DendrogramDisplay.from_estimator(MODEL)
    plots.PartitionDisplay.from_estimator(PIPELINE[-1], PIPELINE[:-1].transform(X))


@pytest.mark.parametrize(
    ("draw", "kind", "function"),
    [
        (plots.ClusterCountDisplay.from_count, "ClusterCount", "choose_n_clusters"),
        (plots.ClusterStabilityDisplay.from_stability, "ClusterStability", "cluster_stability"),
        (
            plots.FeatureContributionsDisplay.from_contributions,
            "FeatureContributions",
            "feature_contributions",
        ),
    ],
    ids=["count", "stability", "contributions"],
)
def test_a_result_of_another_function(draw, kind, function):
    with pytest.raises(
        TypeError, match=f"the {kind} that kgroups.select.{function} returns; got K"
    ):
        draw(MODEL)


def test_the_estimators_of_an_overlap_curve_have_names():
    for wrong in (GraphKGroups(2), [GraphKGroups(2)], "name"):
        with pytest.raises(TypeError, match="estimators must be a dict from names to estimators"):
            plots.OverlapCurveDisplay.from_block_models(wrong)
