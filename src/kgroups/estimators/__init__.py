"""The scikit-learn face: estimators that validate, run a solver and keep the answer."""

from kgroups.estimators.kernel_kgroups import KernelKGroups
from kgroups.estimators.kernel_kmeans import KernelKMeans

__all__ = ["KernelKGroups", "KernelKMeans"]
