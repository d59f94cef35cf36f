"""Time and W next to KMeans of scikit-learn: ``python -m benchmarks.kmeans --times --quality``.

Both minimize the same sum of squares with ``Energy(2)``. W is computed here, from rows and labels.
Times are the least of several calls in one process, after a call that compiles.
"""

import argparse
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.cluster import KMeans

from benchmarks.datasets import blobs
from benchmarks.report import number, print_machine, print_table, write_json
from kgroups import KernelKGroups
from kgroups.semimetrics import Energy, Manhattan
from kgroups.typing import FloatArray, IntArray

SIZES = [200, 500, 1000, 2000, 2001, 5000, 10_000, 20_000, 50_000, 100_000, 1_000_000]
#: Rows of the metrics that compare all pairs, above which only those that need none are timed.
ALL_PAIRS_UP_TO = 100_000
#: Names and numbers of clusters of the instances that have more than 2,000 rows.
INSTANCES = {"image": (10, 20, 50), "pcb3038": (10, 20, 50)}
SHAPES = ("blobs", "close", "uniform", "plane", "heavy tails")

Row = dict[str, Any]
Fit = Callable[[FloatArray], IntArray]


def fits(k: int, seed: int) -> dict[str, Fit]:
    """What is compared, by name; a fit returns labels."""
    ours = {"Energy(2)": Energy(2), "Energy(1)": Energy(1), "Manhattan()": Manhattan()}
    made: dict[str, Fit] = {
        name: lambda X, metric=metric: (
            KernelKGroups(k, metric=metric, random_state=seed).fit(X).labels_
        )
        for name, metric in ours.items()
    }
    for n_init in (1, 10):
        made[f"KMeans({n_init})"] = lambda X, n_init=n_init: (
            KMeans(k, n_init=n_init, random_state=seed).fit(X).labels_
        )
    return made


def seconds(fit: Fit, X: FloatArray) -> float:
    """The least of up to twelve calls, of which the first compiles; at most about ten seconds."""
    fit(X)
    times: list[float] = []
    while len(times) < 12 and sum(times) < 10:
        begun = time.perf_counter()
        fit(X)
        times.append(time.perf_counter() - begun)
    return min(times)


def squares(X: FloatArray, labels: IntArray) -> float:
    """Σ_j Σ_{i ∈ C_j} ‖x_i − μ_j‖² by differences from the means."""
    parts = [X[labels == j] for j in np.unique(labels)]
    return float(sum(((part - part.mean(axis=0)) ** 2).sum() for part in parts))


def times(sizes: list[int], k: int, n_columns: int) -> list[Row]:
    """One row per size: seconds of every fit."""
    rows: list[Row] = []
    for n in sizes:
        X = blobs(n, n_columns, k, seed=0)
        row: Row = {"n": n, "k": k, "n_columns": n_columns}
        for name, fit in fits(k, seed=0).items():
            has_time = n <= ALL_PAIRS_UP_TO or name != "Energy(1)"
            row[name] = seconds(fit, X) if has_time else None
        rows.append(row)
        print(f"n={n:,}: " + _listed(row), flush=True)
    return rows


def _listed(row: Row) -> str:
    names = [name for name in fits(1, 0) if row[name] is not None]
    return ", ".join(f"{name} {row[name]:.4g}" for name in names)


def instances(data_dir: str | None, sizes: list[int]) -> Iterator[tuple[str, FloatArray, int]]:
    """Name, rows and number of clusters: of the literature where it is found, then drawn."""
    for name, ks in INSTANCES.items() if data_dir else ():
        X = np.loadtxt(Path(str(data_dir)) / "mssc" / f"{name}.csv", delimiter=",")
        yield from ((name, X, k) for k in ks)
    for n in sizes:
        for k in (10, 20, 50):
            yield from ((shape, drawn(shape, n, k), k) for shape in SHAPES)


def drawn(shape: str, n: int, k: int) -> FloatArray:
    """Rows of one of :data:`SHAPES`."""
    rng = np.random.default_rng(n + k)
    if shape == "uniform":
        return rng.uniform(size=(n, 16))
    if shape == "plane":
        return rng.uniform(size=(n, 2))
    if shape == "heavy tails":
        return rng.standard_t(3, size=(n, 5))
    spread = 2.0 if shape == "blobs" else 0.7
    return spread * rng.normal(size=(k, 8))[rng.integers(k, size=n)] + rng.normal(size=(n, 8))


def quality(data_dir: str | None, sizes: list[int], n_seeds: int) -> list[Row]:
    """One row per instance: the mean sum of squares of both, and their time."""
    rows: list[Row] = []
    for name, X, k in instances(data_dir, sizes):
        row: Row = {"instance": name, "n": len(X), "k": k}
        for method in ("Energy(2)", "KMeans(10)"):
            found, spent = [], []
            for seed in range(n_seeds):
                begun = time.perf_counter()
                labels = fits(k, seed)[method](X)
                spent.append(time.perf_counter() - begun)
                found.append(squares(X, labels))
            row[method] = {"W": float(np.mean(found)), "seconds": float(np.median(spent))}
        ours, theirs = row["Energy(2)"], row["KMeans(10)"]
        row["W_ratio"] = ours["W"] / theirs["W"]
        row["time_ratio"] = ours["seconds"] / theirs["seconds"]
        rows.append(row)
        print(
            f"{name} n={len(X):,} k={k}: {row['W_ratio']:.5f} {row['time_ratio']:.2f}", flush=True
        )
    return rows


def print_times(rows: list[Row]) -> None:
    """Milliseconds."""
    names = [*fits(1, 0)]
    table = [
        [f"{row['n']:,}", *(number(row[name] and 1e3 * row[name], ",.1f") for name in names)]
        for row in rows
    ]
    print_table(["n", *(f"{name}, ms" for name in names)], table)


def print_quality(rows: list[Row]) -> None:
    """Ratios, and how often W is above."""
    titles = ["instance", "n", "k", "W / KMeans(10)", "time / KMeans(10)"]
    table = [
        [
            row["instance"],
            f"{row['n']:,}",
            str(row["k"]),
            f"{row['W_ratio']:.5f}",
            f"{row['time_ratio']:.2f}",
        ]
        for row in rows
    ]
    print_table(titles, table)
    above = [row for row in rows if row["W_ratio"] > 1]
    slow = [row for row in rows if row["time_ratio"] > 2]
    print(f"W above in {len(above)} of {len(rows)}, more than twice the time in {len(slow)}")


def main() -> None:
    """Print the tables and write the file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--times", action="store_true", help="seconds by number of rows")
    parser.add_argument("--quality", action="store_true", help="W and time on hard instances")
    parser.add_argument("--sizes", help="comma-separated numbers of rows")
    parser.add_argument("--k", type=int, default=10, help="clusters of --times")
    parser.add_argument("--columns", type=int, default=16, help="columns of --times")
    parser.add_argument("--seeds", type=int, default=10, help="seeds of --quality")
    parser.add_argument("--data-dir", help="folder that holds mssc/image.csv and pcb3038.csv")
    parser.add_argument("--json", metavar="FILE")
    arguments = parser.parse_args()
    given = [int(size) for size in arguments.sizes.split(",")] if arguments.sizes else []
    print_machine()
    found: dict[str, Any] = {}
    if arguments.times:
        found["times"] = times(given or SIZES, arguments.k, arguments.columns)
        print_times(found["times"])
    if arguments.quality:
        sizes = given or [5000, 10_000]
        found["quality"] = quality(arguments.data_dir, sizes, arguments.seeds)
        print_quality(found["quality"])
    write_json(arguments.json, found)


if __name__ == "__main__":
    main()
