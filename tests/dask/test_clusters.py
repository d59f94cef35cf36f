"""Clusters that a fit can use: the client, the workers, their package and their memory."""

import importlib.metadata
from types import SimpleNamespace

import pytest
from distributed import Client

from kgroups.dask import clusters
from kgroups.dask.clusters import check_workers, client_for, memory_of, room_for_rows

GIB = 1 << 30


class Fake:
    """A client of workers that have what they are said to have."""

    status = "running"

    def __init__(self, versions, comes_later=False):
        self.versions, self.comes_later = versions, comes_later

    def scheduler_info(self, n_workers):
        assert n_workers == -1
        there = {} if self.comes_later else self.versions
        return {"workers": {name: {"memory_limit": GIB, "nthreads": 1} for name in there}}

    def wait_for_workers(self, n_workers, timeout):
        assert timeout == 60
        self.comes_later = False

    def run(self, function, *given, on_error):
        assert (function, given, on_error) == (importlib.metadata.version, ("kgroups",), "return")
        return self.versions


HERE = importlib.metadata.version("kgroups")


def test_workers_that_are_on_their_way_are_waited_for():
    assert list(check_workers(Fake({"tcp://a:1": HERE}, comes_later=True))) == ["tcp://a:1"]


def test_a_worker_without_the_package_is_named():
    error = importlib.metadata.PackageNotFoundError("kgroups")
    message = r"worker tcp://b:1 has no kgroups \(PackageNotFoundError\); install kgroups "
    with pytest.raises(ValueError, match=message):
        check_workers(Fake({"tcp://a:1": HERE, "tcp://b:1": error}))


def test_a_worker_of_another_version_is_named(monkeypatch):
    with pytest.raises(ValueError, match=f"worker tcp://b:1 has kgroups 9.9, and this is {HERE};"):
        check_workers(Fake({"tcp://a:1": HERE, "tcp://b:1": "9.9"}))
    monkeypatch.setattr(clusters.importlib.metadata, "version", lambda name: "0.0.7")
    fake = Fake({"tcp://a:1": HERE})
    fake.run = lambda *given, **how: fake.versions
    with pytest.raises(
        ValueError, match=f"has kgroups {HERE}, and this is 0.0.7; install the same"
    ):
        check_workers(fake)


def test_the_client_that_is_given_or_the_current_one(client):
    assert client_for(client) is client
    with pytest.raises(ValueError, match="there is no Dask client"):
        client_for(None)
    with client.as_current():
        assert client_for(None) is client
    closed = Client(client.scheduler.address, set_as_default=False)
    closed.close()
    with pytest.raises(ValueError, match="client is closed"):
        client_for(closed)
    with pytest.raises(ValueError, match=r"client is a \w+, not a Dask client"):
        client_for(SimpleNamespace())


def workers(*limits):
    return {f"tcp://{i}": {"memory_limit": limit} for i, limit in enumerate(limits)}


def test_the_smallest_worker_counts():
    assert memory_of(workers(8 * GIB, 2 * GIB)) == 2 * GIB
    assert memory_of(workers(0, 3 * GIB)) == 3 * GIB
    assert memory_of(workers(0, None)) == float("inf")


def test_room_is_what_is_left_of_four_fifths():
    """0.8 · 10 GiB, less 400 MiB, less half of 2 GiB for each of two workers."""
    assert room_for_rows(workers(10 * GIB, 10 * GIB), 2 * GIB, 10**9) == pytest.approx(
        (8 - 400 / 1024 - 1) * GIB
    )
    assert room_for_rows(workers(0, 0), 34 * 10**9, 10**9) == float("inf")


def test_rows_that_no_workers_can_keep_are_refused():
    message = r"Each of 2 workers has to keep .*GiB of 1,000,000,000 rows, and has 2\.0 GiB; start"
    with pytest.raises(MemoryError, match=message):
        room_for_rows(workers(2 * GIB, 2 * GIB), 34 * 10**9, 10**9)
