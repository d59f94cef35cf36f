"""Clusters that a fit can use: the client, the workers, and whether they have this package."""

from __future__ import annotations

import importlib.metadata
from typing import Any

from distributed import get_client

from kgroups.runtime.memory import human_bytes

# Bytes that a worker takes without any rows.
_PYTHON = 400 << 20


def client_for(given: Any) -> Any:
    """The client that was given, or the current one; ValueError if none is open."""
    if given is None:
        try:
            given = get_client()
        except ValueError as error:
            raise ValueError(
                "there is no Dask client; make one, as by distributed.Client(), or give it as "
                "fit(X, client=client)."
            ) from error
    if getattr(given, "status", None) != "running":
        raise ValueError(
            f"client is {_state(given)}; make a new one, as by distributed.Client(), and fit again."
        )
    return given


def _state(given: Any) -> str:
    is_client = hasattr(given, "status")
    return str(given.status) if is_client else f"a {type(given).__name__}, not a Dask client"


def is_current(client: Any) -> bool:
    """Whether Dask computes with this client where none is named."""
    try:
        return get_client() is client
    except ValueError:
        return False


def check_workers(client: Any) -> dict[str, Any]:
    """What the scheduler says of each worker; ValueError for workers that cannot do the work."""
    workers: dict[str, Any] = client.scheduler_info(n_workers=-1)["workers"]
    if not workers:
        try:
            client.wait_for_workers(1, timeout=60)
        except TimeoutError as error:
            raise ValueError(
                f"{client.scheduler.address} has no workers, and none has come in a minute; start "
                "some, as by dask worker ADDRESS."
            ) from error
        workers = client.scheduler_info(n_workers=-1)["workers"]
    here = importlib.metadata.version("kgroups")
    found = client.run(importlib.metadata.version, "kgroups", on_error="return")
    for address, version in found.items():
        if isinstance(version, OSError):
            continue  # it has gone; the others do its work
        if isinstance(version, Exception):
            raise ValueError(
                f"worker {address} has no kgroups ({type(version).__name__}); install kgroups "
                f"{here} where the workers run."
            )
        if version != here:
            raise ValueError(
                f"worker {address} has kgroups {version}, and this is {here}; install the same "
                "version on all of them, because others may give other labels."
            )
    return workers


def memory_of(workers: dict[str, Any]) -> float:
    """Bytes that the smallest worker may use; infinite where no limit is set."""
    limits = [float(w["memory_limit"] or 0) for w in workers.values()]
    return min((n for n in limits if n > 0), default=float("inf"))


def room_for_rows(workers: dict[str, Any], n_bytes: int, n: int) -> float:
    """Bytes that each worker can keep besides what it needs; MemoryError where that is too much.

    They share in ``n_bytes`` that are kept of n rows. 400 MiB are for Python and its packages, and
    the rest of four fifths of the limit for rows.
    """
    limit = memory_of(workers)
    need = n_bytes / max(1, len(workers))
    room = 0.8 * limit - _PYTHON - need
    if room <= 0:
        raise MemoryError(
            f"Each of {len(workers)} workers has to keep {human_bytes(need)} of {n:,} rows, and "
            f"has {human_bytes(limit)}; start more workers, or give each more memory."
        )
    return room
