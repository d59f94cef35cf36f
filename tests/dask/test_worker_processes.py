"""Fits on worker processes, of which one may end: equal to the local fit, bit for bit."""

import copy
import pickle
import sys
import time

import numpy as np
import pytest
from distributed import Client

from benchmarks.dask_cells import differences
from benchmarks.dask_data import lazy, lengths_of
from benchmarks.dask_kills import die_in, live_on, wait_until_back
from kgroups import KernelKGroups
from kgroups.dask import ClusterError, estimators
from kgroups.dask import KernelKGroups as OnCluster
from kgroups.dask.dask_blocks import DaskBlocks
from kgroups.semimetrics import Energy
from kgroups.solvers import block_search

N = 30_000


@pytest.fixture
def by_blocks(monkeypatch, all_shared):
    """This process plans for two groups of two blocks, as it does for more than 131,072 rows."""
    for name, module in list(sys.modules.items()):
        if name.startswith("kgroups.") and hasattr(module, "STARTS_ON_ALL"):
            monkeypatch.setattr(module, "STARTS_ON_ALL", 0)
    for module in (block_search, estimators):
        monkeypatch.setattr(module, "rows_at_once", lambda n: 16_384)


def table(kind):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, 2)) + 3 * rng.normal(size=(4, 2))[rng.integers(4, size=N)]
    if kind == "heavy":
        X += rng.standard_cauchy(size=(N, 2))
    return np.round(X) if kind == "lattice" else X


def weights():
    w = np.random.default_rng(1).uniform(0.5, 2, size=N)
    w[::9] = 0
    return w


def saved(folder, X, name="X"):
    np.save(folder / f"{name}.npy", X)
    return folder / f"{name}.npy"


def model_of(kind, **settings):
    return kind(4, random_state=0, n_init=1, **settings)


@pytest.mark.parametrize("settings", [{}, {"metric": Energy(2)}])
def test_rows_that_are_gathered_on_one_worker_are_fitted_as_here(
    tmp_path, processes, monkeypatch, settings
):
    """For a proof that needs all rows, or because they are few."""
    monkeypatch.setattr(estimators, "STARTS_ON_ALL", 0)
    monkeypatch.setattr(DaskBlocks, "map", None)  # no block is asked for
    X, w = table("clusters")[:6000].astype(np.float32), weights()[:6000]
    rows, given = saved(tmp_path, X), saved(tmp_path, w, "w")
    found = model_of(OnCluster, **settings).fit(
        lazy(rows, (1000, 5000)), sample_weight=lazy(given, (3000, 3000)), client=processes
    )
    expected = model_of(KernelKGroups, **settings).fit(X, sample_weight=w)
    assert differences(found, expected) == []
    assert found.to_local().n_jobs is None
    copied = pickle.loads(pickle.dumps(found))
    assert copied.predict(X).tolist() == expected.predict(X).tolist()
    with processes.as_current():
        labels = found.predict(lazy(rows, (1000, 5000))).compute()
    later = found.predict(lazy(rows, (6000,))).compute()  # in threads of this process
    assert later.tolist() == labels.tolist()
    assert labels.tolist() == found.to_local().predict(X).tolist() == expected.predict(X).tolist()


def test_a_model_that_holds_rows_is_fetched_before_the_client_is_closed(
    tmp_path, processes, monkeypatch
):
    monkeypatch.setattr(estimators, "STARTS_ON_ALL", 0)
    X = table("clusters")[:6000]
    with Client(processes.scheduler.address, set_as_default=False) as client:
        found = model_of(OnCluster).fit(lazy(saved(tmp_path, X), (6000,)), client=client)
        expected, copied = found.predict(X[:10]), copy.deepcopy(found)
    for work in (found.to_local, lambda: found.predict(X[:10])):
        with pytest.raises(ClusterError, match=r"is closed; keep what to_local\(\) returns"):
            work()
    assert copied.predict(X[:10]).tolist() == expected.tolist()


@pytest.mark.usefixtures("by_blocks")
def test_a_worker_that_ends_in_the_middle_of_a_sweep_changes_no_bit(tmp_path, processes):
    X, flag = table("clusters"), tmp_path / "killed"
    before = set(processes.scheduler_info(n_workers=-1)["workers"])
    processes.run(die_in, "sweep", 5, str(flag))
    rows = lazy(saved(tmp_path, X), lengths_of("uneven", N))
    found = model_of(OnCluster, method="nystroem").fit(rows, client=processes)
    assert flag.exists(), "a worker has ended"
    expected = model_of(KernelKGroups, method="nystroem").fit(X)
    assert differences(found, expected) == []
    wait_until_back(processes, is_ready=lambda: None)
    assert set(processes.scheduler_info(n_workers=-1)["workers"]) != before
    processes.run(live_on)


@pytest.mark.usefixtures("by_blocks")
def test_a_cluster_whose_workers_are_all_gone_is_an_error_in_time(tmp_path, processes, monkeypatch):
    """The last test of this cluster."""
    monkeypatch.setattr("kgroups.dask.dask_blocks._PATIENCE", 3.0)
    monkeypatch.setattr("kgroups.dask.dask_blocks._LOOK", 0.5)
    gone = []

    def end_all(event):
        if event.phase == "sweep" and not gone:
            gone.append(time.monotonic())
            processes.cluster.scale(0)

    rows = lazy(saved(tmp_path, table("clusters")), lengths_of("uneven", N))
    message = r"stage '\w+': all workers of tcp://.* are gone, and none has come in 3 seconds"
    with pytest.raises(ClusterError, match=message):
        model_of(OnCluster, method="nystroem", verbose=end_all).fit(rows, client=processes)
    assert time.monotonic() - gone[0] < 20


def test_what_is_not_equal_is_named():
    X = np.random.default_rng(0).normal(size=(60, 2))
    one = KernelKGroups(3, random_state=0).fit(X)
    assert differences(KernelKGroups(3, random_state=0).fit(X), one) == []
    other = KernelKGroups(3, random_state=0).fit(X[::-1])
    assert "labels_" in differences(other, one)
    heavy = KernelKGroups(3, random_state=0).fit(X, sample_weight=np.full(60, 2.0))
    found = differences(heavy, one)
    assert "within_dispersion_" in found
    assert "labels_" not in found
