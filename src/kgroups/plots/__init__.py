"""Pictures of a fitted estimator, as scikit-learn's displays draw them; they need matplotlib.

Each class has ``from_estimator(estimator, ...)``, which computes and draws, and ``plot(ax=None)``,
which draws again; a spectrum may come from a graph alone, a curve of overlaps from block models.
:func:`overview` puts four on one page, :func:`network_overview` those of a network, without
touching pyplot.
"""

from kgroups.plots._layout import force_layout
from kgroups.plots._style import INK, SMALL, cluster_colors, count_axis, require_matplotlib, tidy
from kgroups.plots.adjacency import AdjacencyDisplay
from kgroups.plots.cluster_count import ClusterCountDisplay
from kgroups.plots.contributions import FeatureContributionsDisplay
from kgroups.plots.dendrogram import DendrogramDisplay
from kgroups.plots.gram import GramDisplay
from kgroups.plots.history import ObjectiveHistoryDisplay
from kgroups.plots.network import NetworkDisplay
from kgroups.plots.network_overview import network_overview
from kgroups.plots.overlap_curve import OverlapCurveDisplay
from kgroups.plots.overview import overview
from kgroups.plots.partition import PartitionDisplay
from kgroups.plots.sizes import ClusterSizesDisplay
from kgroups.plots.spectrum import SpectrumDisplay
from kgroups.plots.stability import ClusterStabilityDisplay

__all__ = [
    "INK",
    "SMALL",
    "AdjacencyDisplay",
    "ClusterCountDisplay",
    "ClusterSizesDisplay",
    "ClusterStabilityDisplay",
    "DendrogramDisplay",
    "FeatureContributionsDisplay",
    "GramDisplay",
    "NetworkDisplay",
    "ObjectiveHistoryDisplay",
    "OverlapCurveDisplay",
    "PartitionDisplay",
    "SpectrumDisplay",
    "cluster_colors",
    "count_axis",
    "force_layout",
    "network_overview",
    "overview",
    "require_matplotlib",
    "tidy",
]
