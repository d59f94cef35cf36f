"""How time grows with n: ``python -m benchmarks.scaling [--json FILE]``.

The exponent is the slope of a line through log n and log seconds: of the exact path, which looks at
all pairs, and of the sketch, which does not. Ten Gaussian clusters in 16 dimensions, float32, warm.
"""

import argparse
import time
from itertools import pairwise
from typing import Any

import numpy as np

from benchmarks.datasets import blobs
from benchmarks.report import print_machine, print_table, write_json
from kgroups import KernelKGroups

PATHS = {
    "matrix_free": [12_500, 25_000, 50_000, 100_000],
    "nystroem": [125_000, 250_000, 500_000, 1_000_000],
}
REPEATS = 2  # of which the faster counts


def seconds_of_fit(method: str, n: int) -> float:
    """The faster of two fits from the table, default starts."""
    X = blobs(n, 16, 10, seed=0, dtype=np.float32)
    times = []
    for _ in range(REPEATS):
        begun = time.perf_counter()
        KernelKGroups(10, method=method, random_state=0).fit(X)
        times.append(time.perf_counter() - begun)
    return min(times)


def measure_path(method: str, sizes: list[int]) -> dict[str, Any]:
    """Times at all sizes and the exponent fitted to them, after one fit that compiles."""
    seconds_of_fit(method, sizes[0])
    seconds = [seconds_of_fit(method, n) for n in sizes]
    exponent = float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])
    return {"method": method, "n": sizes, "seconds": seconds, "exponent": exponent}


def print_path(path: dict[str, Any]) -> None:
    """The times, each against the one before, and the exponent."""
    sizes, seconds = path["n"], path["seconds"]
    growth = ["-"] + [f"{b / a:.2f}" for a, b in pairwise(seconds)]
    rows = [[f"{n:,}", f"{s:,.3f}", g] for n, s, g in zip(sizes, seconds, growth, strict=True)]
    print(f"\nmethod={path['method']!r}, float32, D=16, k=10, default starts")
    print_table(["n", "seconds", "x the last"], rows)
    print(f"seconds grow as n^{path['exponent']:.2f}")


def main() -> None:
    """Print a table a path and write the file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", metavar="FILE")
    arguments = parser.parse_args()
    print_machine()
    paths = []
    for method, sizes in PATHS.items():
        paths.append(measure_path(method, sizes))
        print_path(paths[-1])
    write_json(arguments.json, {"scaling": paths})


if __name__ == "__main__":
    main()
