"""Fixtures that many tests share, compiled code that is never stale, and a share of the cores."""

import gc
import os

import pytest

from compile_cache import use


def share_cores() -> None:
    """Give each of several test processes its part of the cores, unless OMP_NUM_THREADS says more.

    Threads of one process that wait for those of another take a third of the time of a run.
    """
    n_processes = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    if n_processes > 1:
        threads = max(1, (os.cpu_count() or 1) // n_processes)
        os.environ.setdefault("OMP_NUM_THREADS", str(threads))


use()  # before anything imports numba
share_cores()  # before anything imports numpy

from hypothesis import settings  # noqa: E402

# The same few problems in each run, and with --hypothesis-profile=nightly many new ones.
settings.register_profile("quick", max_examples=40, deadline=None, derandomize=True)
settings.register_profile("nightly", max_examples=20_000, deadline=None)
settings.load_profile("quick")


def pytest_collection_finish() -> None:
    """Thousands of tests last until the end: no collection of garbage need look at them."""
    gc.collect()
    gc.freeze()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty working folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path
