"""Scores of labelings; NMI and ARI come from :mod:`sklearn.metrics`."""

from kgroups.metrics.graph_scores import (
    conductance,
    coverage,
    cut_size,
    modularity,
    normalized_cut,
    performance,
)
from kgroups.metrics.label_scores import clustering_accuracy, contingency, overlap, same_partition

__all__ = [
    "clustering_accuracy",
    "conductance",
    "contingency",
    "coverage",
    "cut_size",
    "modularity",
    "normalized_cut",
    "overlap",
    "performance",
    "same_partition",
]
