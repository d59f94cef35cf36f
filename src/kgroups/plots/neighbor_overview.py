"""One page about clusters of any shape: where they lie, and how large they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from kgroups.plots.partition_display import PartitionDisplay
from kgroups.plots.sizes_display import ClusterSizesDisplay
from kgroups.plots.style import INK, blank
from kgroups.text import counted

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def neighbor_overview(
    estimator: Any, X: object, *, feature_names: Sequence[str] | None = None
) -> Figure:
    """Rows and sizes of the clusters of ``GraphKGroups(affinity="nearest_neighbors")``.

    Parameters
    ----------
    estimator : fitted GraphKGroups
        Its ``fit`` took a table.
    X : as in ``fit``
    feature_names : list of str or None
        Names of the columns; None takes those seen at fit.

    Returns
    -------
    matplotlib.figure.Figure
        In no window and no pyplot state.
    """
    figure = blank(11, 5)
    left, right = figure.subplots(1, 2, width_ratios=(1.6, 1))
    PartitionDisplay.from_estimator(estimator, X, feature_names=feature_names, ax=left)
    ClusterSizesDisplay(counts=estimator.cluster_sizes_, unit="rows").plot(right)
    clusters = counted(estimator.n_clusters_, "cluster")
    rows = counted(len(estimator.labels_), "row")
    title = f"{clusters} in {rows}, each linked to its {estimator.n_neighbors_} nearest"
    figure.suptitle(title, fontsize=13, color=INK)
    return figure
