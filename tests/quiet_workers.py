"""Clusters of Dask on this machine, for tests."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

# Warnings are errors here, and these are not about what is tested: a busy machine answers late,
# and workers of this process share its memory and its profile.
QUIET = {
    "distributed.admin.tick.limit": "1h",
    "distributed.comm.timeouts.connect": "60s",
    "distributed.worker.memory.target": False,
    "distributed.worker.memory.spill": False,
    "distributed.worker.memory.pause": False,
    "distributed.worker.memory.terminate": False,
    "distributed.worker.profile.enabled": False,
}


@contextmanager
def client_of(
    n_workers: int = 2, *, processes: bool = False, is_default: bool = True, **settings: Any
) -> Iterator[Any]:
    """A client of workers with one thread each: processes, or threads of this process."""
    import dask
    from distributed import Client, LocalCluster

    # Any free port: several clusters may be there at the same time.
    how = {"threads_per_worker": 1, "processes": processes, "dashboard_address": ":0", **settings}
    with (
        dask.config.set(QUIET),
        LocalCluster(n_workers=n_workers, silence_logs=logging.CRITICAL, **how) as cluster,
        Client(cluster, set_as_default=is_default) as client,
    ):
        yield client
