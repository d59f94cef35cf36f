"""Scores of labellings; NMI and ARI come from :mod:`sklearn.metrics`."""

from kgroups.metrics.labels import clustering_accuracy, contingency, overlap, same_partition

__all__ = ["clustering_accuracy", "contingency", "overlap", "same_partition"]
