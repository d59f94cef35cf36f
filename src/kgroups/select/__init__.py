"""The number of clusters, and whether clusters are real."""

from kgroups.select.bethe_hessian_n_communities import bethe_hessian_n_communities
from kgroups.select.choose_n_clusters import ClusterCount, choose_n_clusters
from kgroups.select.cluster_significance import (
    ClusterSignificance,
    PairSignificance,
    cluster_significance,
)
from kgroups.select.cluster_stability import ClusterStability, cluster_stability
from kgroups.select.criterion import Criterion
from kgroups.select.eigengap import eigengap, laplacian_spectrum
from kgroups.select.feature_contributions import FeatureContributions, feature_contributions
from kgroups.select.gap_statistic import gap_statistic
from kgroups.select.prediction_strength import prediction_strength
from kgroups.select.separation import separation
from kgroups.select.silhouette import silhouette

__all__ = [
    "ClusterCount",
    "ClusterSignificance",
    "ClusterStability",
    "Criterion",
    "FeatureContributions",
    "PairSignificance",
    "bethe_hessian_n_communities",
    "choose_n_clusters",
    "cluster_significance",
    "cluster_stability",
    "eigengap",
    "feature_contributions",
    "gap_statistic",
    "laplacian_spectrum",
    "prediction_strength",
    "separation",
    "silhouette",
]
