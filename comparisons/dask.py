"""Fits on a Dask cluster next to the local fit: equal labels and W, times, tasks and bytes."""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from comparisons.common import Limits, is_installed, options, print_table, seconds
from kgroups import KernelKGroups, blocks
from kgroups.semimetrics import Energy

N_CLUSTERS, N_COLUMNS = 10, 16
# Workers of one thread each, and threads of a local fit.
N_WORKERS = 2
# So little memory that no worker gathers all rows.
BY_BLOCKS = {"memory_limit": "8 MB"}
SKETCH, SQUARED = {"method": "nystroem"}, {"metric": Energy(2)}
# Chunks of 60,000 rows, which are too many for the process of the client.
CHUNKS = (1, 0, 24_999, 35_000)


class Cell(NamedTuple):
    """A fit that has to be equal on a cluster, which has a setting more."""

    name: str
    settings: dict[str, Any]
    there: dict[str, Any] = BY_BLOCKS
    dtype: str = "float64"
    is_weighted: bool = False
    is_file: bool = False


CELLS = (
    Cell("squared, weights", SQUARED, is_weighted=True),
    Cell("sketch, float32, of a file", SKETCH, dtype="float32", is_file=True),
    Cell("proof on one worker", {}, there={}),
    Cell("proof by blocks, float32", BY_BLOCKS, dtype="float32"),
    Cell("squared, float32, of a file", SQUARED, dtype="float32", is_file=True),
    Cell("sketch, weights", SKETCH, is_weighted=True),
    Cell("cosine, by blocks", {"metric": "cosine"} | BY_BLOCKS),
)
N_QUICK = 1


class Timed(NamedTuple):
    """A fit that is timed on the cluster, and its limits."""

    name: str
    settings: dict[str, Any]
    n: int
    #: Times the local fit, tasks of the scheduler, and bytes of their answers per row.
    limits: tuple[float, float, float]


QUICK = (Timed("sketch", SKETCH, 100_000, (9.0, 230, 60)),)
FULL = (
    Timed("sketch", SKETCH, 200_000, (5.0, 340, 45)),
    Timed("squared", SQUARED, 200_000, (7.0, 340, 25)),
)


def table(n: int, n_columns: int, dtype: str, chunks: Any) -> Any:
    """Rows around ten centers as a Dask array."""
    import dask.array as da

    centers = np.random.default_rng(0).normal(size=(N_CLUSTERS, n_columns))

    def around_centers(noise: Any) -> Any:
        """One chunk; the clusters take turns."""
        return (noise + centers[np.arange(len(noise)) % N_CLUSTERS]).astype(dtype)

    noise = da.random.default_rng(1).normal(size=(n, n_columns), chunks=(chunks, n_columns))
    return noise.map_blocks(around_centers, dtype=dtype)


def fit_both(cell: Cell, folder: str) -> tuple[Any, Any]:
    """The fit on the cluster, and that of the same rows here."""
    from kgroups.dask import KernelKGroups as OnCluster

    X = table(sum(CHUNKS), 4, cell.dtype, CHUNKS)
    rows, weights = X.compute(), None
    if cell.is_weighted:
        weights = np.random.default_rng(2).integers(0, 9, len(rows)) / 7
    if cell.is_file:
        np.save(Path(folder, "rows.npy"), rows)
        X = blocks.from_npy(Path(folder, "rows.npy"))
    settings = {"random_state": 0, **cell.settings}
    there = OnCluster(N_CLUSTERS, **settings | cell.there).fit(X, sample_weight=weights)
    here = KernelKGroups(N_CLUSTERS, **settings)
    return there, here.fit(blocks.from_array(rows), sample_weight=weights)


def compare_answers(cells: Sequence[Cell], limits: Limits) -> None:
    """Labels and W of each cell have to be those of the local fit, to the bit."""
    lines, equal = [], []
    with tempfile.TemporaryDirectory() as folder:
        for cell in cells:
            there, here = fit_both(cell, folder)
            has_labels = np.array_equal(there.labels_.compute(), here.labels_)
            equal.append(has_labels and there.within_dispersion_ == here.within_dispersion_)
            lines.append([cell.name, there.method_, "equal" if equal[-1] else "other"])
    print_table(["cell", "method", "labels and W"], lines)
    limits.at_least("share of equal cells", float(np.mean(equal)), 1.0)


def compare_times(fits: Sequence[Timed], client: Any, limits: Limits) -> None:
    """Time fits of rows that lie with the workers; count tasks, and bytes of their answers."""
    from distributed import get_task_stream

    from kgroups.dask import KernelKGroups as OnCluster

    lines, found = [], []
    for name, settings, n, _ in fits:
        X = client.persist(table(n, N_COLUMNS, "float32", 1 << 16))
        rows = X.compute()
        here = KernelKGroups(N_CLUSTERS, random_state=0, n_jobs=N_WORKERS, **settings)
        there = OnCluster(N_CLUSTERS, random_state=0, **settings, **BY_BLOCKS)
        with get_task_stream(client) as stream:
            there.fit(X)
        tasks = [task for task in stream.data if str(task["key"]).startswith("kgroups-")]
        local, remote = seconds(partial(here.fit, rows), 1), seconds(partial(there.fit, X), 1)
        values = remote / local, len(tasks), sum(task["nbytes"] for task in tasks) / n
        found.append(values)
        texts = f"{n:,}", f"{local:.2f}", f"{remote:.2f}", *(f"{value:.1f}" for value in values)
        lines.append([name, *texts])
    print()
    titles = ["fit", "rows", "local s", "cluster s", "ratio", "tasks", "bytes / row"]
    print_table(titles, lines)
    for fit, values in zip(fits, found, strict=True):
        for what, value, limit in zip(titles[-3:], values, fit.limits, strict=True):
            limits.at_most(f"{fit.name}: {what}", value, limit)


def main(arguments: Sequence[str] | None = None) -> int:
    """Start a cluster and compare fits on it; 1 where a limit is missed."""
    quick = options(__doc__).parse_args(arguments).quick
    if not is_installed("distributed"):
        print("not installed: distributed, left out")
        return 1
    from distributed import Client, LocalCluster

    cluster = LocalCluster(
        n_workers=N_WORKERS,
        threads_per_worker=1,
        memory_limit="2GiB",
        dashboard_address=":0",
        silence_logs=logging.ERROR,
    )
    limits = Limits()
    with cluster, Client(cluster) as client:
        compare_answers(CELLS[:N_QUICK] if quick else CELLS, limits)
        compare_times(QUICK if quick else FULL, client, limits)
    return limits.status()


if __name__ == "__main__":
    raise SystemExit(main())
