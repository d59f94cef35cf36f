"""The estimators of :mod:`kgroups` for tables on a Dask cluster: the same labels, bit for bit.

``kgroups.dask.KernelKGroups`` and ``kgroups.dask.KernelKMeans`` have the names and parameters of
the estimators for rows in memory. Needs dask and distributed: ``pip install "kgroups[dask]"``.
"""

try:
    import dask.array  # noqa: F401 - said here, where it is missing
    import distributed  # noqa: F401
except ImportError as error:
    raise ImportError(
        'kgroups.dask needs dask and distributed; run: pip install "kgroups[dask]"'
    ) from error

from kgroups.dask.dask_blocks import ClusterError
from kgroups.dask.estimators import KernelKGroups, KernelKMeans

__all__ = ["ClusterError", "KernelKGroups", "KernelKMeans"]
