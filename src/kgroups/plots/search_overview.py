"""How the search for the clusters went, on one page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kgroups.fit.fitted import FittedClustering
from kgroups.plots._arguments import OF_ROWS, check_fitted
from kgroups.plots.history_display import ObjectiveHistoryDisplay
from kgroups.plots.sizes_display import ClusterSizesDisplay
from kgroups.plots.style import INK, blank
from kgroups.text import counted

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def search_overview(estimator: FittedClustering) -> Figure:
    """Sizes of the clusters, and the objective of every start.

    What the clusters are is on the page of :func:`overview`.

    Parameters
    ----------
    estimator : fitted KernelKGroups or KernelKMeans

    Returns
    -------
    matplotlib.figure.Figure
        In no window and no pyplot state.
    """
    check_fitted(estimator, OF_ROWS, "start_histories_")
    figure = blank(11, 4.6)
    left, right = figure.subplots(1, 2, width_ratios=(1.25, 1))
    ClusterSizesDisplay.from_estimator(estimator, ax=left)
    ObjectiveHistoryDisplay.from_estimator(estimator, ax=right)
    starts, passes = len(estimator.start_histories_), estimator.n_iter_
    end = "no row moves any more" if estimator.converged_ else "stopped before no row moved"
    words = f"Search: {counted(starts, 'start')}, {counted(passes, 'pass', 'passes')} of the best"
    figure.suptitle(f"{words}, {end}", fontsize=13, color=INK)
    return figure
