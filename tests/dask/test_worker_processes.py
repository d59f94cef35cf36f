"""Fits on worker processes, of which one may end: equal to the local fit, bit for bit."""

import copy
import os
import pickle
import time

import numpy as np
import pytest
from distributed import Client

from helpers import assert_same_fit
from kgroups import KernelKGroups
from kgroups.dask import ClusterError, estimators
from kgroups.dask import KernelKGroups as OnCluster
from kgroups.dask.dask_blocks import DaskBlocks
from kgroups.semimetrics import Energy

N = 30_000


def table():
    rng = np.random.default_rng(0)
    return rng.normal(size=(N, 2)) + 3 * rng.normal(size=(4, 2))[rng.integers(4, size=N)]


def weights():
    w = np.random.default_rng(1).uniform(0.5, 2, size=N)
    w[::9] = 0
    return w


def model_of(kind, **settings):
    return kind(4, random_state=0, n_init=1, **settings)


@pytest.mark.parametrize("settings", [{}, {"metric": Energy(2)}])
def test_rows_that_are_gathered_on_one_worker_are_fitted_as_here(
    lazy, processes, monkeypatch, settings
):
    """For a proof that needs all rows, or because they are few."""
    monkeypatch.setattr(estimators, "STARTS_ON_ALL", 0)
    monkeypatch.setattr(DaskBlocks, "map", None)  # no block is asked for
    X, w = table()[:6000].astype(np.float32), weights()[:6000]
    rows = lazy(X, (1000, 5000))
    found = model_of(OnCluster, **settings).fit(
        rows, sample_weight=lazy(w, (3000, 3000)), client=processes
    )
    expected = model_of(KernelKGroups, **settings).fit(X, sample_weight=w)
    assert_same_fit(found, expected)
    assert found.to_local().n_jobs is None
    copied = pickle.loads(pickle.dumps(found))
    assert copied.predict(X).tolist() == expected.predict(X).tolist()
    with processes.as_current():
        labels = found.predict(rows).compute()
    later = found.predict(lazy(X, (6000,))).compute()  # in threads of this process
    assert later.tolist() == labels.tolist()
    assert labels.tolist() == found.to_local().predict(X).tolist() == expected.predict(X).tolist()


def test_a_model_that_holds_rows_is_fetched_before_the_client_is_closed(
    lazy, processes, monkeypatch
):
    monkeypatch.setattr(estimators, "STARTS_ON_ALL", 0)
    X = table()[:6000]
    with Client(processes.scheduler.address, set_as_default=False) as client:
        found = model_of(OnCluster).fit(lazy(X), client=client)
        expected, copied = found.predict(X[:10]), copy.deepcopy(found)
    for work in (found.to_local, lambda: found.predict(X[:10])):
        with pytest.raises(ClusterError, match=r"is closed; keep what to_local\(\) returns"):
            work()
    assert copied.predict(X[:10]).tolist() == expected.tolist()


@pytest.mark.usefixtures("by_blocks")
def test_a_worker_that_ends_in_the_middle_of_a_sweep_changes_no_bit(lazy, processes):
    def end_in_the_second_sweep():
        """Of the worker that is asked; it goes by value, and the worker imports what it needs."""
        from distributed.worker import thread_state

        from kgroups.dask import kept_blocks

        plain, tasks = kept_blocks.run_blocks, []

        def run_blocks(*given):
            if thread_state.key.startswith("kgroups-sweep-"):
                tasks.append(thread_state.key)
            return plain(*given) if len(tasks) < 4 else os.abort()

        kept_blocks.run_blocks = run_blocks

    X = table()
    ended = min(processes.scheduler_info(n_workers=-1)["workers"])
    processes.run(end_in_the_second_sweep, workers=[ended])
    found = model_of(OnCluster, method="nystroem").fit(lazy(X), client=processes)
    assert_same_fit(found, model_of(KernelKGroups, method="nystroem").fit(X))
    processes.wait_for_workers(2, timeout=60)
    assert ended not in processes.scheduler_info(n_workers=-1)["workers"]


@pytest.mark.usefixtures("by_blocks")
def test_a_cluster_whose_workers_are_all_gone_is_an_error_in_time(lazy, processes, monkeypatch):
    """The last test of this cluster."""
    monkeypatch.setattr("kgroups.dask.dask_blocks._PATIENCE", 3.0)
    monkeypatch.setattr("kgroups.dask.dask_blocks._LOOK", 0.5)
    gone = []

    def end_all(event):
        if event.phase == "sweep" and not gone:
            gone.append(time.monotonic())
            processes.cluster.scale(0)

    message = r"stage '\w+': all workers of tcp://.* are gone, and none has come in 3 seconds"
    with pytest.raises(ClusterError, match=message):
        model_of(OnCluster, method="nystroem", verbose=end_all).fit(lazy(table()), client=processes)
    assert time.monotonic() - gone[0] < 20
