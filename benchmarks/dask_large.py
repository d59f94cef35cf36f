"""Tables larger than memory, on a cluster and from a file: ``python -m benchmarks.dask_large``.

Parts: ``apart``, ``separate`` and ``overlapping``, 30 million rows that are made lazily, on two
workers of 1.5 GiB each, with no rows near the borders of clusters, few, and many; ``squared``, 100
million rows with squared distances; ``parquet``, 20 million rows in a file against the same rows in
memory, each in a process of its own; ``one``, a worker process against threads of this process; and
``two``, two single-threaded workers against one. Each prints seconds, peak memory and what was
proved; exit status 1 where a limit is missed.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import dask.array as da
import numpy as np
from distributed import Client, LocalCluster

from benchmarks.dask_cells import all_shared
from kgroups import KernelKGroups, blocks
from kgroups.dask import KernelKGroups as OnCluster
from kgroups.semimetrics import Energy

_CHUNK, _D, _K = 1 << 18, 16, 10
_GIB = float(1 << 30)


def chunk(spread: float, start: int, stop: int) -> Any:
    """Rows of a mixture of ten Gaussians."""
    centers = spread * np.random.default_rng(0).normal(size=(_K, _D))
    rng = np.random.default_rng([1, start])
    rows = rng.standard_normal((stop - start, _D), np.float32)
    rows += centers.astype(np.float32)[rng.integers(_K, size=stop - start)]
    return rows


def lazy(n: int, spread: float) -> Any:
    """The rows as a Dask array that no process ever has whole."""
    sizes = [min(_CHUNK, n - start) for start in range(0, n, _CHUNK)]

    def made(block_info: Any = None) -> Any:
        """The rows of one chunk."""
        ((start, stop), _) = block_info[None]["array-location"]
        return chunk(spread, start, stop)

    return da.map_blocks(made, chunks=(tuple(sizes), (_D,)), dtype=np.float32)


def peak() -> float:
    """The most memory that this process has taken, in GiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / _GIB


def on_cluster(
    n: int, spread: float, n_workers: int, memory: str, **settings: Any
) -> dict[str, Any]:
    """A fit of lazy rows, its labels written to Parquet."""
    import pyarrow as pa
    from pyarrow import parquet

    cluster = LocalCluster(
        n_workers=n_workers, threads_per_worker=1, memory_limit=memory, dashboard_address=":0"
    )
    with cluster, Client(cluster) as client:
        begun = time.perf_counter()
        model = OnCluster(_K, random_state=0, **settings).fit(lazy(n, spread))
        fitted = time.perf_counter() - begun
        labels = model.to_local().labels_
        with tempfile.TemporaryDirectory() as folder:
            parquet.write_table(pa.table({"cluster": labels}), Path(folder) / "labels.parquet")
        peaks = client.run(peak)
        certificate = model.certificate_
        return {
            "rows": n,
            "seconds": round(time.perf_counter() - begun, 1),
            "seconds_of_fit": round(fitted, 1),
            "client_gib": round(peak(), 2),
            "worker_gib": round(max(peaks.values()), 2),
            "exactness": model.exactness_,
            "proved": bool(certificate.proved),
            "share": 1.0 - certificate.n_open / n,
            "largest_gain_of_within": certificate.largest_gain / model.within_dispersion_,
            "rounds": certificate.rounds,
            "n_iter": int(model.n_iter_),
            "within": float(model.within_dispersion_),
        }


def of_file(path: str, how: str) -> dict[str, Any]:
    """A fit of a Parquet file: block by block, or read into memory first."""
    source: Any = blocks.from_parquet(path)
    if how == "memory":
        source = source.read(0, source.n_rows)
    begun = time.perf_counter()
    model = KernelKGroups(_K, random_state=0, method="nystroem").fit(source)
    seconds = round(time.perf_counter() - begun, 1)
    digest = int(np.bincount(model.labels_, weights=np.arange(len(model.labels_)) % 997).sum())
    return {"seconds": seconds, "peak_gib": round(peak(), 2), "labels": digest}


def in_process(function: Any, *args: Any) -> dict[str, Any]:
    """What a function returns in a process of its own, so that its peak is its own."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        found: dict[str, Any] = pool.apply(function, args)
    return found


def parquet_part(n: int) -> dict[str, Any]:
    """Rows in a file against rows in memory."""
    import pyarrow as pa
    from pyarrow import parquet

    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "rows.parquet")
        names = [f"x{j}" for j in range(_D)]
        schema = pa.schema([(name, pa.float32()) for name in names])
        with parquet.ParquetWriter(path, schema, compression="none") as writer:
            for start in range(0, n, _CHUNK):
                rows = chunk(1.0, start, min(start + _CHUNK, n))
                writer.write_table(pa.table(dict(zip(names, rows.T.copy(), strict=True)), schema))
        streamed, held = in_process(of_file, path, "file"), in_process(of_file, path, "memory")
    ratio = round(streamed["seconds"] / held["seconds"], 2)
    is_fine = streamed["peak_gib"] <= 1.5 and ratio <= 2.0
    return {"rows": n, "file": streamed, "memory": held, "ratio": ratio, "fine": is_fine}


def one_part(n: int) -> dict[str, Any]:
    """One worker process with two threads against two threads of this process."""
    rows = np.concatenate([chunk(1.0, s, min(s + _CHUNK, n)) for s in range(0, n, _CHUNK)])
    found: dict[str, Any] = {"rows": n}
    for name, settings in _METHODS.items():
        model = KernelKGroups(_K, random_state=0, n_jobs=2, **settings)
        model.fit(rows)
        begun = time.perf_counter()
        model.fit(rows)
        found[f"{name} here"] = time.perf_counter() - begun
    cluster = LocalCluster(
        n_workers=1, threads_per_worker=2, memory_limit="8GiB", dashboard_address=":0"
    )
    with cluster, Client(cluster) as client:
        X = client.persist(lazy(n, 1.0))
        for name, settings in _METHODS.items():
            on = OnCluster(_K, random_state=0, **settings)
            on.fit(X)
            begun = time.perf_counter()
            on.fit(X)
            found[f"{name} there"] = time.perf_counter() - begun
    for name in _METHODS:
        found[f"{name} ratio"] = found[f"{name} there"] / found[f"{name} here"]
    found["fine"] = all(found[f"{name} ratio"] <= 1.25 for name in _METHODS)
    return found


def two_part(n: int) -> dict[str, Any]:
    """Two single-threaded workers against one, both by blocks."""
    found: dict[str, Any] = {"rows": n}
    for n_workers in (1, 2):
        cluster = LocalCluster(
            n_workers=n_workers, threads_per_worker=1, memory_limit="8GiB", dashboard_address=":0"
        )
        with cluster, Client(cluster) as client, all_shared():
            X = client.persist(lazy(n, 1.0))
            for name, settings in _METHODS.items():
                on = OnCluster(_K, random_state=0, n_jobs=n_workers, **settings)
                on.fit(X)
                begun = time.perf_counter()
                on.fit(X)
                found[f"{name} {n_workers}"] = time.perf_counter() - begun
    for name in _METHODS:
        found[f"{name} ratio"] = found[f"{name} 1"] / found[f"{name} 2"]
    found["fine"] = all(found[f"{name} ratio"] >= 1.8 for name in _METHODS)
    return found


_METHODS: dict[str, dict[str, Any]] = {
    "sketch": {"method": "nystroem"},
    "squared": {"metric": Energy(2)},
}


def cluster_part(n: int, spread: float, **settings: Any) -> dict[str, Any]:
    """Lazy rows on two workers of 1.5 GiB."""
    found = on_cluster(n, spread, 2, "1.5GiB", **settings)
    found["fine"] = found["client_gib"] < 1.0
    return found


def main() -> int:
    """Run the parts that are named."""
    parser = argparse.ArgumentParser(description=__doc__)
    names = ["apart", "separate", "overlapping", "squared", "parquet", "one", "two"]
    parser.add_argument("parts", nargs="*", default=names, choices=[*names, []])
    parser.add_argument("--rows", type=float, help="instead of those of the part")
    options = parser.parse_args()
    missed = 0
    for part in options.parts:
        given = None if options.rows is None else int(options.rows)
        if part in ("apart", "separate"):
            found = cluster_part(given or 30_000_000, 4.0 if part == "apart" else 2.0)
            found["fine"] &= found["proved"] and found["seconds"] <= 480
        elif part == "overlapping":
            found = cluster_part(given or 30_000_000, 1.0, time_limit=600)
        elif part == "squared":
            found = cluster_part(given or 100_000_000, 1.0, metric=Energy(2))
        elif part == "parquet":
            found = parquet_part(given or 20_000_000)
        else:
            found = (one_part if part == "one" else two_part)(given or 1_000_000)
        print(part, json.dumps(found, indent=1), flush=True)
        missed += not found["fine"]
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
