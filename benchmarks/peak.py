"""How near the machine's limit: ``python -m benchmarks.peak [--fit N] [--json FILE]``.

Without ``--fit``: the pass over all pairs that begins a search, and a bare one, against the rate of
a single-precision matrix product measured in the same run. With it: a whole fit from the table
against the bare pass, in float32 and float64, its memory, and a check of its optimum in float64.
"""

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.datasets import blobs
from benchmarks.judge import improving_moves, within_dispersion
from benchmarks.pairs import sums_of_distances
from benchmarks.report import cores, megabytes, number, print_machine, print_table, write_json
from benchmarks.rivals import Cell, Run, measure
from kgroups.gram import MatrixFreeGram
from kgroups.semimetrics import Energy

K = 10
FEATURES = (2, 16, 64, 128, 784)
PILOT = 4096  # points by which n is chosen
ABOUT = 1.5  # seconds that a measured pass should take
WHOLE = 200_000  # points above which a part is measured in place of all
PART = 100_000
SAMPLE = 10_000
LIMIT = 7200.0


def seconds_of(act: Callable[[], object], repeats: int = 3) -> float:
    """Least of a few times, after one run that compiles and warms."""
    act()
    times = []
    for _ in range(repeats):
        begun = time.perf_counter()
        act()
        times.append(time.perf_counter() - begun)
    return min(times)


def matrix_product_rate(size: int = 4096) -> float:
    """Floating point operations a second of numpy's float32 product, best of several."""
    a, b = np.random.default_rng(0).random((2, size, size), dtype=np.float32)
    out = np.empty_like(a)
    return 2 * size**3 / seconds_of(lambda: np.matmul(a, b, out=out), repeats=7)


def bare_pass(X: np.ndarray, labels: np.ndarray, k: int) -> np.ndarray:
    """Sum of ||x - y|| from each point to each cluster over all n^2 ordered pairs, and no more."""
    out = np.empty((len(X), k))
    for label in range(k):
        out[:, label] = sums_of_distances(X, X[labels == label])
    return out


def operator_pass(X: np.ndarray, labels: np.ndarray, k: int) -> Callable[[], object]:
    """The same sums by the package's operator, ready to be called."""
    gram = MatrixFreeGram.from_points(X, Energy(1.0), n_threads=cores())
    weights = np.ones(len(X))
    return lambda: gram.running_sums(labels, weights, k)


def measure_pass(n_features: int, dtype: type, rate: float) -> dict[str, Any]:
    """Ordered pairs a second of both passes, and what share of ``rate`` 2D operations each are."""

    def data(n: int) -> tuple[np.ndarray, np.ndarray, int]:
        X = blobs(n, n_features, K, seed=0, dtype=dtype)
        return X, np.random.default_rng(0).integers(K, size=n), K

    pilot = seconds_of(operator_pass(*data(PILOT)))
    n = max(PILOT, round(PILOT * (ABOUT / pilot) ** 0.5))
    X, labels, _ = data(n)
    seconds = seconds_of(operator_pass(X, labels, K))
    bare = seconds_of(lambda: bare_pass(X, labels, K))
    return {
        "D": n_features,
        "dtype": np.dtype(dtype).name,
        "n": n,
        "seconds": seconds,
        "pairs_per_second": n * n / seconds,
        "share": n * n * 2 * n_features / seconds / rate,
        "bare_seconds": bare,
        "bare_pairs_per_second": n * n / bare,
        "bare_share": n * n * 2 * n_features / bare / rate,
    }


def measure_passes() -> dict[str, Any]:
    """The table of passes, against the rate of the matrix product measured just before."""
    rate = matrix_product_rate()
    print(f"\nfloat32 matrix product: {rate / 1e9:,.0f} Gflop/s")
    print("G pairs/s counts ordered pairs, share 2D operations for each, over that rate.")
    print("The operator computes half of them, by symmetry, so its share may pass 100%.")
    passes = [measure_pass(d, t, rate) for t in (np.float32, np.float64) for d in FEATURES]
    titles = ["D", "type", "n", "seconds", "G pairs/s", "share", "bare G pairs/s", "bare share"]
    rows = [
        [
            str(p["D"]),
            p["dtype"],
            f"{p['n']:,}",
            f"{p['seconds']:.2f}",
            f"{p['pairs_per_second'] / 1e9:.3f}",
            f"{p['share']:.1%}",
            f"{p['bare_pairs_per_second'] / 1e9:.3f}",
            f"{p['bare_share']:.1%}",
        ]
        for p in passes
    ]
    print_table(titles, rows)
    return {"matrix_product_flops": rate, "passes": passes}


def measure_fit(n: int, method: str) -> dict[str, Any]:
    """A whole fit in a fresh process, second of two, in both precisions; then the bare pass."""
    name = "kgroups" if method == "auto" else f"kgroups, {method}"
    tables = {dtype: blobs(n, 16, K, seed=0, dtype=dtype) for dtype in ("float32", "float64")}
    runs = {dtype: measure(name, X, Cell(K, 1.0), LIMIT) for dtype, X in tables.items()}
    bare, measured = _bare_seconds(tables["float32"])
    fits = {dtype: _fit_row(run, tables[dtype], bare) for dtype, run in runs.items()}
    return {
        "n": n,
        "method": method,
        "bare_seconds": bare,
        "bare_measured_n": measured,
        "fits": fits,
        "float64_over_float32": _ratio(runs["float64"].seconds, runs["float32"].seconds),
    }


def _bare_seconds(X: np.ndarray) -> tuple[float, int]:
    """Seconds of the bare pass at len(X), and the number of points that it was measured with."""
    part = X if len(X) <= WHOLE else X[:PART]
    labels = np.arange(len(part)) % K
    bare_pass(part[:PILOT], labels[:PILOT], K)  # compiles
    times = []
    for _ in range(2):
        begun = time.perf_counter()
        bare_pass(part, labels, K)
        times.append(time.perf_counter() - begun)
    return min(times) * (len(X) / len(part)) ** 2, len(part)


def _fit_row(run: Run, X: np.ndarray, bare: float) -> dict[str, Any]:
    row: dict[str, Any] = {
        "seconds": run.seconds,
        "bare_passes": _ratio(run.seconds, bare),
        "peak_bytes": run.peak_bytes,
        "W": None,
        "improving_moves": None,
        "moves_tried": None,
        "note": run.note,
    }
    if run.labels is not None:
        sample = SAMPLE if len(X) > WHOLE else None
        row["W"] = within_dispersion(X, run.labels, 1.0)
        row["improving_moves"] = improving_moves(X, run.labels, 1.0, sample)
        row["moves_tried"] = sample or len(X)
    return row


def _ratio(top: float | None, bottom: float | None) -> float | None:
    return None if top is None or not bottom else top / bottom


def print_fit(found: dict[str, Any]) -> None:
    """The fit against the bare pass."""
    n, measured = found["n"], found["bare_measured_n"]
    print(f"\nKernelKGroups({K}, method={found['method']!r}, random_state=0), n={n:,}, D=16, warm")
    scaled = "" if measured == n else f", measured with {measured:,} points and scaled by n^2"
    print(f"bare pass over all pairs, float32: {found['bare_seconds']:,.2f} s{scaled}")
    titles = ["type", "seconds", "bare passes", "peak MB", "W", "moves left", "of points", "note"]
    rows = [
        [
            dtype,
            number(fit["seconds"], ",.2f"),
            number(fit["bare_passes"], ",.2f"),
            megabytes(fit["peak_bytes"]),
            number(fit["W"], ",.3f"),
            number(fit["improving_moves"], ",d"),
            number(fit["moves_tried"], ",d"),
            fit["note"],
        ]
        for dtype, fit in found["fits"].items()
    ]
    print_table(titles, rows)
    print(f"float64 takes {number(found['float64_over_float32'], '.2f')} times float32")


def main() -> None:
    """Print the tables and write the file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fit", type=int, metavar="N", help="a whole fit of N points")
    parser.add_argument(
        "--method", choices=("auto", "dense", "matrix_free", "nystroem"), default="auto"
    )
    parser.add_argument("--json", metavar="FILE")
    arguments = parser.parse_args()
    print_machine()
    if arguments.fit is None:
        write_json(arguments.json, measure_passes())
        return
    found = measure_fit(arguments.fit, arguments.method)
    print_fit(found)
    write_json(arguments.json, {"fit": found})


if __name__ == "__main__":
    main()
