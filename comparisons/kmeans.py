"""Time and sum of squares next to KMeans of scikit-learn: ``python -m comparisons.kmeans``.

Both minimize the same with ``Energy(2)``. W is computed here, from rows and labels. Up to 50,000
rows both use one thread: those of KMeans wait for each other where other programs run.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from sklearn.cluster import KMeans
from threadpoolctl import threadpool_limits

from comparisons.common import Limits, data_folder, options, print_table, seconds
from kgroups import KernelKGroups
from kgroups.semimetrics import Energy, Manhattan
from kgroups.typing import FloatArray, IntArray

SIZES = (200, 500, 1000, 2000, 2001, 5000, 10_000, 20_000, 50_000, 100_000, 1_000_000)
#: Rows above which Energy(1), which compares all pairs, is not timed.
ALL_PAIRS_UP_TO = 100_000
#: Rows above which starts run on a sample, and ten starts of KMeans take longer.
SAMPLED_ABOVE = 50_000
INSTANCES = ("image", "pcb3038")
SHAPES = ("clusters apart", "clusters close", "cube", "square", "heavy tails")

Fit = Callable[[FloatArray], IntArray]


class Cell(NamedTuple):
    """W and time over those of ten starts of KMeans."""

    instance: str
    n: int
    k: int
    dispersion: float
    time: float


def fits(k: int, seed: int, n_jobs: int | None = 1) -> dict[str, Fit]:
    """What is compared, by name; a fit returns labels. KMeans has the threads of its library."""
    metrics = {"Energy(2)": Energy(2), "Energy(1)": Energy(1), "Manhattan()": Manhattan()}
    made = {
        name: KernelKGroups(k, metric=m, random_state=seed, n_jobs=n_jobs)
        for name, m in metrics.items()
    }
    made |= {f"KMeans({m})": KMeans(k, n_init=m, random_state=seed) for m in (1, 10)}
    return {name: model.fit_predict for name, model in made.items()}


def blobs(rng: np.random.Generator, n: int, k: int, columns: int, spread: float) -> FloatArray:
    """Normal clusters of one size and unit noise."""
    centers = spread * rng.normal(size=(k, columns))
    return centers[rng.integers(k, size=n)] + rng.normal(size=(n, columns))


def drawn(shape: str, n: int, k: int) -> FloatArray:
    """Rows of one of :data:`SHAPES`."""
    rng = np.random.default_rng(n + k)
    if shape == "cube":
        return rng.uniform(size=(n, 16))
    if shape == "square":
        return rng.uniform(size=(n, 2))
    if shape == "heavy tails":
        return rng.standard_t(3, size=(n, 5))
    return blobs(rng, n, k, 8, 2.0 if shape == "clusters apart" else 0.7)


def squares(X: FloatArray, labels: IntArray) -> float:
    """Σ_j Σ_{i ∈ C_j} ‖x_i − μ_j‖² by differences from the means."""
    parts = [X[labels == j] for j in np.unique(labels)]
    return float(sum(((part - part.mean(axis=0)) ** 2).sum() for part in parts))


def compare_times(limits: Limits, sizes: tuple[int, ...]) -> None:
    """Milliseconds of every fit at each size, with 10 clusters in 16 columns."""
    names, rows, ratios = list(fits(1, 0)), [], {}
    for n in sizes:
        X = blobs(np.random.default_rng(0), n, 10, 16, 2.0)
        n_threads = 1 if n <= SAMPLED_ABOVE else None
        compared = fits(10, 0, n_threads)
        if n > ALL_PAIRS_UP_TO:
            del compared["Energy(1)"]
        with threadpool_limits(n_threads):
            found = {m: seconds(lambda fit=fit, X=X: fit(X)) for m, fit in compared.items()}
        rows.append([f"{n:,}", *(f"{1e3 * found[m]:,.1f}" if m in found else "-" for m in names)])
        ratios[n] = found["Energy(2)"] / found["KMeans(10)"]
    print_table(["rows", *(f"{name}, ms" for name in names)], rows)
    print()
    for n, ratio in ratios.items():
        limits.at_most(f"time at {n:,} rows / KMeans(10)", ratio, 6 if n <= SAMPLED_ABOVE else 1)


def instances(folder: Path | None, *, is_quick: bool) -> Iterator[tuple[str, FloatArray, int]]:
    """Name, rows and number of clusters: of the literature where they are here, then drawn."""
    if folder is None:
        print("not here: mssc/image.csv and mssc/pcb3038.csv, left out")
    for name in INSTANCES if folder is not None else ():
        X = np.loadtxt(folder / f"{name}.csv", delimiter=",")
        yield from ((name, X, k) for k in ((20,) if is_quick else (10, 20, 50)))
    for n in (5000,) if is_quick else (5000, 10_000):
        for k in (20,) if is_quick else (10, 20, 50):
            yield from ((s, drawn(s, n, k), k) for s in SHAPES[: 2 if is_quick else None])


def measured(X: FloatArray, k: int, name: str, n_seeds: int) -> tuple[float, float]:
    """The mean W and the median time over seeds."""
    found, spent = [], []
    for seed in range(n_seeds):
        begun = time.perf_counter()
        labels = fits(k, seed)[name](X)
        spent.append(time.perf_counter() - begun)
        found.append(squares(X, labels))
    return float(np.mean(found)), float(np.median(spent))


def compare_quality(limits: Limits, folder: Path | None, *, is_quick: bool) -> None:
    """W and time on instances without clear clusters, or with many."""
    cells = []
    n_seeds = 2 if is_quick else 10
    for name, X, k in instances(folder, is_quick=is_quick):
        with threadpool_limits(1):
            ours, theirs = (measured(X, k, m, n_seeds) for m in ("Energy(2)", "KMeans(10)"))
        cells.append(Cell(name, len(X), k, ours[0] / theirs[0], ours[1] / theirs[1]))
    rows = [
        [c.instance, f"{c.n:,}", str(c.k), f"{c.dispersion:.4f}", f"{c.time:.2f}"] for c in cells
    ]
    print_table(["data", "rows", "k", "W / KMeans(10)", "time / KMeans(10)"], rows)
    print()
    times = [cell.time for cell in cells]
    limits.at_most("largest W / KMeans(10)", max(cell.dispersion for cell in cells), 1.00005)
    limits.at_most("median time / KMeans(10)", float(np.median(times)), 4)
    limits.at_most("largest time / KMeans(10)", max(times), 7)


def main(arguments: list[str] | None = None) -> int:
    """Print both tables; 1 where a limit is missed."""
    parser = options(__doc__, data_dir="folder that holds mssc/image.csv and mssc/pcb3038.csv")
    given = parser.parse_args(arguments)
    limits = Limits()
    compare_times(limits, (500, 5000) if given.quick else SIZES)
    print()
    compare_quality(limits, data_folder(given.data_dir, "mssc"), is_quick=given.quick)
    return limits.status()


if __name__ == "__main__":
    raise SystemExit(main())
