"""How many clusters there are, and whether they are real."""

from kgroups.select.choose import ClusterCount, choose_n_clusters
from kgroups.select.communities import bethe_hessian_n_communities
from kgroups.select.contributions import FeatureContributions, feature_contributions
from kgroups.select.criterion import Criterion
from kgroups.select.eigengap import eigengap, laplacian_spectrum
from kgroups.select.gap import gap_statistic
from kgroups.select.prediction_strength import prediction_strength
from kgroups.select.separation import separation
from kgroups.select.significance import (
    ClusterSignificance,
    PairSignificance,
    cluster_significance,
)
from kgroups.select.silhouette import silhouette
from kgroups.select.stability import ClusterStability, cluster_stability

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
