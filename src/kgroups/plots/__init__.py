"""Pictures of a fitted estimator, as scikit-learn's displays draw them; they need matplotlib.

Each class has ``from_estimator(estimator, ...)``, which computes and draws, and ``plot``, which
draws again; both draw on the axes ``ax`` or on a new pyplot figure, and keep them as ``ax_`` and
``figure_``. Two have no single estimator to draw: :meth:`ClusterCountDisplay.from_count` draws the
result of :func:`kgroups.select.choose_n_clusters`, in several panels ``axes_``, and
:meth:`OverlapCurveDisplay.from_block_models` fits several estimators to random networks.
:func:`overview` puts what the clusters are on one page, :func:`search_overview` how they were
found, and :func:`network_overview` the communities of a network, without touching pyplot.
:mod:`kgroups.plots.style` has the colors and text sizes that all share.
"""

from kgroups.plots.adjacency_display import AdjacencyDisplay
from kgroups.plots.cluster_count_display import ClusterCountDisplay
from kgroups.plots.contributions_display import FeatureContributionsDisplay
from kgroups.plots.dendrogram_display import DendrogramDisplay
from kgroups.plots.evidence_display import EvidenceDisplay
from kgroups.plots.force_layout import force_layout
from kgroups.plots.gram_display import GramDisplay
from kgroups.plots.history_display import ObjectiveHistoryDisplay
from kgroups.plots.neighbor_overview import neighbor_overview
from kgroups.plots.network_display import NetworkDisplay
from kgroups.plots.network_overview import network_overview
from kgroups.plots.overlap_curve_display import OverlapCurveDisplay
from kgroups.plots.overview import overview
from kgroups.plots.partition_display import PartitionDisplay
from kgroups.plots.profile_display import ProfileDisplay
from kgroups.plots.search_overview import search_overview
from kgroups.plots.separation_display import SeparationDisplay
from kgroups.plots.sizes_display import ClusterSizesDisplay
from kgroups.plots.spectrum_display import SpectrumDisplay
from kgroups.plots.stability_display import ClusterStabilityDisplay
from kgroups.plots.style import INK, SMALL, cluster_colors, count_axis, require_matplotlib, tidy

__all__ = [
    "INK",
    "SMALL",
    "AdjacencyDisplay",
    "ClusterCountDisplay",
    "ClusterSizesDisplay",
    "ClusterStabilityDisplay",
    "DendrogramDisplay",
    "EvidenceDisplay",
    "FeatureContributionsDisplay",
    "GramDisplay",
    "NetworkDisplay",
    "ObjectiveHistoryDisplay",
    "OverlapCurveDisplay",
    "PartitionDisplay",
    "ProfileDisplay",
    "SeparationDisplay",
    "SpectrumDisplay",
    "cluster_colors",
    "count_axis",
    "force_layout",
    "neighbor_overview",
    "network_overview",
    "overview",
    "require_matplotlib",
    "search_overview",
    "tidy",
]
