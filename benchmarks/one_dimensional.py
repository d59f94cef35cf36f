"""Exact k-groups on the line: ``python -m benchmarks.one_dimensional [--n N] [--json FILE]``.

Seconds and the largest memory of a whole fit with weights, each in a fresh process on one core
that has compiled before. Memory is of the process, its data and all imports.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from typing import Any

import numpy as np

from benchmarks.report import megabytes, peak_bytes, print_machine, print_table, write_json
from kgroups import KGroups1D

KINDS = ("normal", "cauchy", "clumps")
CASES = [(2, 1.0), (10, 1.0), (10, 2.0), (100, 1.0)]


def values(kind: str, n: int, rng: np.random.Generator) -> np.ndarray:
    """Numbers: one hump, heavy tails, or twenty humps that k = 10 cannot tell apart."""
    if kind == "normal":
        return rng.normal(size=n)
    if kind == "cauchy":
        return rng.standard_cauchy(n)
    return rng.normal(size=n) + 20.0 * rng.integers(20, size=n)


def measure(kind: str, n: int, k: int, alpha: float) -> dict[str, Any]:
    """One fit in this process."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    rng = np.random.default_rng(0)
    KGroups1D(3, alpha=alpha).fit(rng.normal(size=400_000))  # compiles, and bounds are used
    x, w = values(kind, n, rng), rng.exponential(size=n)
    wall, cpu = time.perf_counter(), time.process_time()
    model = KGroups1D(k, alpha=alpha).fit(x, sample_weight=w)
    return {
        "kind": kind,
        "n": n,
        "k": k,
        "alpha": alpha,
        "seconds": time.perf_counter() - wall,
        "cpu_seconds": time.process_time() - cpu,
        "peak_bytes": peak_bytes(),
        "W": model.within_dispersion_,
    }


def in_fresh_process(*case: Any) -> dict[str, Any]:
    """The same in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.one_dimensional", "--run", json.dumps(case)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def main() -> None:
    """Print the table and write the file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--n", type=int, default=10_000_000)
    parser.add_argument("--run", metavar="CASE", help=argparse.SUPPRESS)
    parser.add_argument("--json", metavar="FILE")
    arguments = parser.parse_args()
    if arguments.run is not None:
        print(json.dumps(measure(*json.loads(arguments.run))))
        return
    print_machine()
    runs = [in_fresh_process(kind, arguments.n, *case) for kind in KINDS for case in CASES]
    print(f"\nn={arguments.n:,}, weighted, one core, fit from the array")
    titles = ["values", "k", "alpha", "seconds", "CPU seconds", "peak MB", "W"]
    rows = [
        [
            run["kind"],
            str(run["k"]),
            f"{run['alpha']:g}",
            f"{run['seconds']:.2f}",
            f"{run['cpu_seconds']:.2f}",
            megabytes(run["peak_bytes"]),
            f"{run['W']:.6g}",
        ]
        for run in runs
    ]
    print_table(titles, rows)
    write_json(arguments.json, {"one_dimensional": runs})


if __name__ == "__main__":
    main()
