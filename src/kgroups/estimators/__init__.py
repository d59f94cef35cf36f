"""The scikit-learn face: estimators that validate, run a solver and keep the answer."""

from kgroups.estimators.energy_agglomerative import EnergyAgglomerative
from kgroups.estimators.kernel_kgroups import KernelKGroups
from kgroups.estimators.kernel_kmeans import KernelKMeans
from kgroups.estimators.kgroups_1d import KGroups1D

__all__ = ["EnergyAgglomerative", "KGroups1D", "KernelKGroups", "KernelKMeans"]
