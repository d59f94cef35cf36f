"""Clusters for tests: two workers in this process, or two processes; and quiet ones."""

import logging
import sys

import dask
import numpy as np
import pytest
from distributed import Client, LocalCluster

from benchmarks.dask_data import lazy
from kgroups.dask import estimators as on_cluster
from kgroups.dask import gathered
from kgroups.solvers import block_search

# Warnings are errors here, and these are not about what is tested: a busy machine answers late,
# workers of this process share its memory, and several clusters may be there at the same time.
_QUIET = {
    "distributed.admin.tick.limit": "1h",
    "distributed.comm.timeouts.connect": "60s",
    "distributed.worker.memory.target": False,
    "distributed.worker.memory.spill": False,
    "distributed.worker.memory.pause": False,
    "distributed.worker.memory.terminate": False,
    "distributed.worker.profile.enabled": False,
}


@pytest.fixture(scope="module", autouse=True)
def quiet():
    """Settings of Dask for these tests alone."""
    with dask.config.set(_QUIET):
        yield


@pytest.fixture(scope="module")
def client(quiet):
    """A client of two workers of this process, which see what a test has patched."""
    how = {"n_workers": 2, "threads_per_worker": 1, "processes": False, "dashboard_address": ":0"}
    with (
        LocalCluster(**how, silence_logs=logging.CRITICAL) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def processes(quiet):
    """A client of two worker processes, as a cluster has them."""
    how = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": ":0"}
    with (
        LocalCluster(**how, memory_limit="8GB", silence_logs=logging.CRITICAL) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        yield client


@pytest.fixture
def all_shared(monkeypatch):
    """No table is too small to be shared out over workers."""
    for name in ("WORTH_SHARING", "WORTH_BLOCKS"):
        monkeypatch.setattr(gathered, name, 0)


@pytest.fixture
def few_are_many(monkeypatch, all_shared):
    """Hundreds of rows are fitted as hundreds of thousands: four blocks of 64 in each group."""
    for name, module in list(sys.modules.items()):
        for constant, value in (("CHUNK", 64), ("STARTS_ON_ALL", 0)):
            if name.startswith("kgroups.") and hasattr(module, constant):
                monkeypatch.setattr(module, constant, value)
    for module in (block_search, on_cluster):
        monkeypatch.setattr(module, "rows_at_once", lambda n: 256)


@pytest.fixture
def on_disk(tmp_path):
    """A function that gives a small Dask array of the rows of an array, read from a file."""

    def made(X, lengths=None, **settings):
        path = tmp_path / f"{len(list(tmp_path.iterdir()))}.npy"
        np.save(path, X)
        lengths = lengths or (len(X) // 3, len(X) - 2 * (len(X) // 3), len(X) // 3)
        return lazy(path, lengths, **settings)

    return made
