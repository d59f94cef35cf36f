"""All displays of an estimator on one page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kgroups.fit.fitted import FittedClustering
from kgroups.graphs.community_estimator import CommunityEstimator
from kgroups.plots.gram_display import GramDisplay
from kgroups.plots.history_display import ObjectiveHistoryDisplay
from kgroups.plots.partition_display import PartitionDisplay
from kgroups.plots.sizes_display import ClusterSizesDisplay
from kgroups.plots.style import INK, page
from kgroups.semimetrics import Semimetric
from kgroups.text import counted

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def overview(
    estimator: FittedClustering,
    X: object,
    *,
    feature_names: Sequence[str] | None = None,
    title: str | None = None,
) -> Figure:
    """Partition, matrix, sizes and objective on one landscape page.

    The figure belongs to no window and no pyplot state, so it may be made in any thread and without
    a screen; ``figure.savefig(path)`` writes it.

    Parameters
    ----------
    estimator : fitted KernelKGroups or KernelKMeans
    X : as in ``fit``
    feature_names : list of str or None
        Names of the columns; None takes those seen at fit.
    title : str or None
        None says what was clustered and how.

    Returns
    -------
    matplotlib.figure.Figure
    """
    if isinstance(estimator, CommunityEstimator):
        name = type(estimator).__name__
        raise TypeError(f"{name} clusters a network; use kgroups.plots.network_overview.")
    figure, ((top_left, top_right), (bottom_left, bottom_right)) = page()
    PartitionDisplay.from_estimator(estimator, X, feature_names=feature_names, ax=top_left)
    GramDisplay.from_estimator(estimator, X, ax=top_right)
    ClusterSizesDisplay.from_estimator(estimator, ax=bottom_left)
    ObjectiveHistoryDisplay.from_estimator(estimator, ax=bottom_right)
    figure.suptitle(title or _title(estimator), fontsize=13, color=INK)
    return figure


def _title(estimator: FittedClustering) -> str:
    clusters = counted(len(estimator.cluster_weights_), "cluster")
    what = f"{clusters} in {counted(len(estimator.labels_), 'point')}"
    return f"{type(estimator).__name__}: {what}, {_metric(estimator.metric_)}"


def _metric(metric: Semimetric | str) -> str:
    """The semimetric in a few words; if its representation is long, by its class alone."""
    if isinstance(metric, str):
        return {"precomputed": "given distances"}.get(metric, "given Gram matrix")
    function = getattr(metric, "function", None)
    if function is not None:
        return getattr(function, "__name__", type(metric).__name__)
    words = repr(metric)
    return words if len(words) <= 40 else type(metric).__name__
