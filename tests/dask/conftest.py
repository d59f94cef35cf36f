"""Clusters for tests: two workers in this process, or two processes."""

import dask.array as da
import numpy as np
import pytest

from helpers import set_everywhere
from kgroups.dask import estimators as on_cluster
from kgroups.dask import gathered
from kgroups.solvers import block_search
from quiet_workers import client_of


@pytest.fixture(scope="module")
def client():
    """A client of two workers of this process, which see what a test has patched."""
    with client_of(is_default=False) as client:
        yield client


@pytest.fixture(scope="module")
def processes():
    """A client of two worker processes, as a cluster has them."""
    with client_of(processes=True, is_default=False, memory_limit="8GB") as client:
        yield client


@pytest.fixture
def all_shared(monkeypatch):
    """No table is too small to be shared out over workers."""
    for name in ("WORTH_SHARING", "WORTH_BLOCKS"):
        monkeypatch.setattr(gathered, name, 0)


def plan_with(monkeypatch, rows_at_once, **constants):
    """Give constants other values, and groups of blocks other rows."""
    set_everywhere(monkeypatch, **constants)
    for module in (block_search, on_cluster):
        monkeypatch.setattr(module, "rows_at_once", lambda n: rows_at_once)


@pytest.fixture
def few_are_many(monkeypatch, all_shared):
    """Hundreds of rows are fitted as hundreds of thousands: four blocks of 64 in each group."""
    plan_with(monkeypatch, 256, CHUNK=64, STARTS_ON_ALL=0)


@pytest.fixture
def by_blocks(monkeypatch, all_shared):
    """This process plans for two groups of two blocks, as it does for more than 131,072 rows."""
    plan_with(monkeypatch, 16_384, STARTS_ON_ALL=0)


@pytest.fixture
def lazy():
    """A function that gives an array as a Dask array of some chunks."""

    def made(X, lengths=None, *, are_known=True):
        lengths = lengths or (len(X) // 3, len(X) - 2 * (len(X) // 3), len(X) // 3)
        rows = da.from_array(X, chunks=(lengths, *X.shape[1:]))
        return rows if are_known else rows[rows[:, 0] > -np.inf]

    return made
