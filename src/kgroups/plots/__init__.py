"""Pictures of a fitted estimator, as scikit-learn's displays draw them; they need matplotlib.

Each class has ``from_estimator(estimator, ...)``, which computes and draws, and ``plot(ax=None)``,
which draws again. :func:`overview` puts all four on one page, without touching pyplot.
"""

from kgroups.plots.gram import GramDisplay
from kgroups.plots.history import ObjectiveHistoryDisplay
from kgroups.plots.overview import overview
from kgroups.plots.partition import PartitionDisplay
from kgroups.plots.sizes import ClusterSizesDisplay

__all__ = [
    "ClusterSizesDisplay",
    "GramDisplay",
    "ObjectiveHistoryDisplay",
    "PartitionDisplay",
    "overview",
]
