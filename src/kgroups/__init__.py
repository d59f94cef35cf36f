"""Cluster anything that has a distance, by energy statistics and Hartigan's method.

The package loads lazily: ``import kgroups`` reads this file only, and a name brings in what it
needs when it is first used. ``kgroups.dask`` is not among the names that ``dir`` lists, because
``help(kgroups)`` and ``from kgroups import *`` would import it, also where dask is not installed.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from kgroups.version import __version__

if TYPE_CHECKING:
    from kgroups import (
        blocks,
        bounds,
        graphs,
        metrics,
        plots,
        select,
        semimetrics,
        stats,
        testing,
    )
    from kgroups.estimators import (
        EnergyAgglomerative,
        KernelKGroups,
        KernelKMeans,
        KGroups1D,
    )
    from kgroups.graphs import BetheHessianClustering, GraphKGroups
    from kgroups.persistence import load
    from kgroups.runtime.show_versions import show_versions

_HOME_OF = {
    "BetheHessianClustering": "graphs",
    "EnergyAgglomerative": "estimators",
    "GraphKGroups": "graphs",
    "KGroups1D": "estimators",
    "KernelKGroups": "estimators",
    "KernelKMeans": "estimators",
    "load": "persistence",
    "show_versions": "runtime.show_versions",
}
__all__ = [
    "BetheHessianClustering",
    "EnergyAgglomerative",
    "GraphKGroups",
    "KGroups1D",
    "KernelKGroups",
    "KernelKMeans",
    "__version__",
    "blocks",
    "bounds",
    "graphs",
    "load",
    "metrics",
    "plots",
    "select",
    "semimetrics",
    "show_versions",
    "stats",
    "testing",
]


def __getattr__(name: str) -> Any:
    if name in _HOME_OF:
        return getattr(import_module(f"kgroups.{_HOME_OF[name]}"), name)
    if name in __all__ or name == "dask":
        return import_module(f"kgroups.{name}")
    raise AttributeError(f"module 'kgroups' has no attribute {name!r}; it has {', '.join(__all__)}")


def __dir__() -> list[str]:
    return sorted(__all__)
