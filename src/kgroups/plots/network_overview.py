"""All displays of the communities of a network on one page."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from kgroups.metrics import clustering_accuracy
from kgroups.plots._network import clean
from kgroups.plots._page import page, page_with_low_panel
from kgroups.plots._style import INK, SMALL, tidy
from kgroups.plots.adjacency_display import AdjacencyDisplay
from kgroups.plots.network_display import NetworkDisplay
from kgroups.plots.sizes_display import ClusterSizesDisplay
from kgroups.plots.spectrum_display import SpectrumDisplay

# Numbers that are touched for one product with every eigenvector that is wanted: beyond this it
# may take more than some ten seconds.
_DEAR = 6e6
# So many bars of sizes fill their panel; for fewer it has a part of the height for its axis and one
# for each bar.
_MANY, _BARS = 6, (0.12, 0.06)


def network_overview(
    estimator: Any, A: Any, *, node_names: Any = None, labels_true: Any = None
) -> Any:
    """Network, adjacency matrix, sizes and spectrum on one landscape page.

    The figure belongs to no window and no pyplot state, so it may be made in any thread and without
    a screen; ``figure.savefig(path)`` writes it. The spectrum is left out, with a word, where the
    eigenvalues would take longer than the rest.

    Parameters
    ----------
    estimator : fitted GraphKGroups or BetheHessianClustering
    A : as in ``fit``
    node_names : array-like (n,) or None
        Names of the nodes; some are written beside them.
    labels_true : array-like (n,) or None
        Known communities, None where one is not known; the title then gives the accuracy.

    Returns
    -------
    matplotlib.figure.Figure
    """
    check_is_fitted(estimator)
    matrix = clean(A)
    figure, ((top_left, top_right), (bottom_left, bottom_right)) = _page(estimator.n_clusters_)
    drawn = NetworkDisplay.from_estimator(estimator, matrix, node_names=node_names, ax=top_left)
    AdjacencyDisplay.from_estimator(estimator, matrix, ax=top_right)
    ClusterSizesDisplay.from_estimator(estimator, ax=bottom_left)
    _spectrum(estimator, matrix, bottom_right)
    loops = int(np.count_nonzero(matrix.diagonal()))
    title = _title(estimator, drawn.n_edges, loops) + _accuracy(estimator.labels_, labels_true)
    figure.suptitle(title, fontsize=13, color=INK)
    return figure


def _page(k: int) -> tuple[Any, Any]:
    """Few bars need little room, and the network takes the rest."""
    return page() if k >= _MANY else page_with_low_panel(_BARS[0] + k * _BARS[1])


def _spectrum(estimator: Any, A: Any, ax: Any) -> None:
    n, k = len(estimator.labels_), estimator.n_clusters_
    if (n + A.nnz) * (k + 10) > _DEAR:
        _say(ax, f"Eigenvalues for {k:,} communities of {n:,} nodes\nwould take too long.")
        return
    try:
        SpectrumDisplay.from_estimator(estimator, A, ax=ax)
    except (RuntimeError, MemoryError):
        _say(ax, "The eigenvalues could not be computed.")


def _say(ax: Any, words: str) -> None:
    """A panel of words alone."""
    tidy(ax, title="Bethe Hessian", x="", y="")
    ax.set(xticks=[], yticks=[])
    ax.spines[:].set_visible(False)
    style = {"ha": "center", "va": "center", "fontsize": SMALL, "color": "#666666"}
    ax.text(0.5, 0.5, words, transform=ax.transAxes, **style)


def _title(estimator: Any, edges: int, loops: int) -> str:
    k, n = estimator.n_clusters_, len(estimator.labels_)
    communities = "1 community" if k == 1 else f"{k:,} communities"
    nodes, ends = f"{n:,} node{'s' * (n != 1)}", f"{edges:,} edge{'s' * (edges != 1)}"
    if loops:
        ends += f" and {loops:,} self-loop{'s' * (loops != 1)}"
    return f"{type(estimator).__name__}: {communities} of {nodes}, {ends}"


def _accuracy(labels: Any, labels_true: Any) -> str:
    if labels_true is None:
        return ""
    known = np.array([label is not None for label in labels_true])
    if len(known) != len(labels):
        raise ValueError(f"labels_true has {len(known)} labels for {len(labels)} nodes.")
    if not known.any():
        return ""
    true = np.array([label for label in labels_true if label is not None])
    return f", accuracy {clustering_accuracy(true, labels[known]):.3f}"
