"""All displays of the communities of a network on one page."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csr_array

from kgroups.fit.fitted import FittedCommunities, FittedGraphKGroups
from kgroups.input.networks import GraphLike
from kgroups.metrics import clustering_accuracy
from kgroups.plots._arguments import OF_NODES, check_fitted
from kgroups.plots._network import clean
from kgroups.plots.adjacency_display import AdjacencyDisplay
from kgroups.plots.evidence_display import EvidenceDisplay
from kgroups.plots.network_display import NetworkDisplay, NodeNames
from kgroups.plots.sizes_display import ClusterSizesDisplay
from kgroups.plots.spectrum_display import SpectrumDisplay
from kgroups.plots.style import INK, page, page_of_three, say
from kgroups.text import counted
from kgroups.typing import IntArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Numbers read for one product with every eigenvector that is wanted: beyond this the spectrum may
# take more than ten seconds.
_TOO_MANY = 6e6
# This many bars of sizes fill their panel; if there are fewer, it has a part of the height for its
# axis and one for each bar.
_MANY, _BARS = 6, (0.12, 0.06)
_SPECTRUM = "How many: eigenvalues below 0"


def network_overview(
    estimator: FittedCommunities,
    A: GraphLike,
    *,
    node_names: NodeNames | None = None,
    labels_true: Collection[object] | None = None,
) -> Figure:
    """Network, adjacency matrix, sizes, and what decided the number, on one landscape page.

    The figure belongs to no window and no pyplot state, so it may be made in any thread and without
    a screen; ``figure.savefig(path)`` writes it. The number of communities is shown by the evidence
    for each, or by the spectrum of the Bethe Hessian, whichever decided; if neither did, the other
    panels take the place. The spectrum is replaced by a note if the eigenvalues would take longer
    than the rest.

    Parameters
    ----------
    estimator : fitted GraphKGroups or BetheHessianClustering
    A : as in ``fit``
    node_names : array-like (n,) or None
        Names of the nodes; some are written next to them.
    labels_true : array-like (n,) or None
        Known communities, None for nodes without one; the title then gives the accuracy.

    Returns
    -------
    matplotlib.figure.Figure
    """
    check_fitted(estimator, OF_NODES, "n_clusters_")
    matrix = clean(A)
    k = estimator.n_clusters_
    low = None if k >= _MANY else _BARS[0] + k * _BARS[1]
    number = _panel(estimator)
    if number is None:
        figure, (network, edges, sizes) = page_of_three(low)
    else:
        figure, ((network, edges), (sizes, how_many)) = page(low)
        number(estimator, matrix, how_many)
    drawn = NetworkDisplay.from_estimator(estimator, matrix, node_names=node_names, ax=network)
    AdjacencyDisplay.from_estimator(estimator, matrix, ax=edges)
    ClusterSizesDisplay.from_estimator(estimator, ax=sizes)
    loops = int(np.count_nonzero(matrix.diagonal()))
    title = _title(estimator, drawn.n_edges, loops) + _accuracy(estimator.labels_, labels_true)
    figure.suptitle(title, fontsize=13, color=INK)
    return figure


def _panel(estimator: Any) -> Callable[[Any, csr_array, Axes], None] | None:
    """What shows how the number of communities was decided, if it was not given."""
    decided_by = getattr(estimator, "decided_by_", "spectrum")
    if decided_by in ("evidence", "one") and getattr(estimator, "candidates_", None):
        return _evidence
    return _spectrum if decided_by == "spectrum" else None


def _evidence(estimator: FittedGraphKGroups, A: csr_array, ax: Axes) -> None:
    EvidenceDisplay.from_estimator(estimator, ax=ax)


def _spectrum(estimator: FittedCommunities, A: csr_array, ax: Axes) -> None:
    n, k = len(estimator.labels_), estimator.n_clusters_
    if (n + A.nnz) * (k + 10) > _TOO_MANY:
        say(
            ax, _SPECTRUM, f"Eigenvalues for {k:,} communities of {n:,} nodes\nwould take too long."
        )
        return
    try:
        SpectrumDisplay.from_estimator(estimator, A, ax=ax)
    except (RuntimeError, MemoryError):
        say(ax, _SPECTRUM, "The eigenvalues could not be computed.")


def _title(estimator: FittedCommunities, edges: int, loops: int) -> str:
    k, n = estimator.n_clusters_, len(estimator.labels_)
    alone = int(np.count_nonzero(estimator.labels_ >= k))
    communities = counted(k, "community", "communities")
    if getattr(estimator, "decided_by_", None) == "one":
        communities = "No communities"
    nodes, ends = counted(n, "node"), counted(edges, "edge")
    if alone:
        nodes += f" ({alone:,} without edges)"
    if loops:
        ends += f" and {counted(loops, 'self-loop')}"
    return f"{communities} in {nodes}, {ends}"


def _accuracy(labels: IntArray, labels_true: Collection[object] | None) -> str:
    if labels_true is None:
        return ""
    known = np.array([label is not None for label in labels_true])
    if len(known) != len(labels):
        raise ValueError(f"labels_true has {len(known)} labels for {len(labels)} nodes.")
    if not known.any():
        return ""
    true = np.array([label for label in labels_true if label is not None])
    return f", accuracy {clustering_accuracy(true, labels[known]):.3f}"
