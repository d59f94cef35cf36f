"""Times that a user feels: a fit, the import, the help. ``python -m benchmarks.quick [--check]``.

With ``--check`` a figure above its limit is an error. Limits are for two cores.
"""

import subprocess
import sys
import time
from collections.abc import Callable

import numpy as np

from kgroups import KernelKGroups


def median_seconds(act: Callable[[], object], repeats: int = 5) -> float:
    """Median of a few runs, after one that warms caches and the compiler."""
    act()
    times = []
    for _ in range(repeats):
        begun = time.perf_counter()
        act()
        times.append(time.perf_counter() - begun)
    return float(np.median(times))


def fit_once() -> float:
    """n=5,000, D=16, k=10 from the table, one start: ten Gaussian clusters."""
    rng = np.random.default_rng(0)
    centers = 2 * rng.normal(size=(10, 16))
    X = rng.normal(size=(5000, 16)) + centers[rng.integers(10, size=5000)]
    return median_seconds(lambda: KernelKGroups(10, n_init=1, random_state=0).fit(X))


def fit_noise() -> float:
    """The same size with no clusters in it, where more points move: the hard case."""
    X = np.random.default_rng(0).normal(size=(5000, 16))
    return median_seconds(lambda: KernelKGroups(10, n_init=1, random_state=0).fit(X))


def import_package() -> float:
    """``import kgroups``, less the start of the interpreter."""
    bare = median_seconds(lambda: subprocess.run([sys.executable, "-c", "pass"], check=True))
    full = median_seconds(
        lambda: subprocess.run([sys.executable, "-c", "import kgroups"], check=True)
    )
    return max(0.0, full - bare)


def command_help() -> float:
    """``kgroups --help`` as a whole process."""
    command = [sys.executable, "-m", "kgroups", "--help"]
    return median_seconds(lambda: subprocess.run(command, check=True, stdout=subprocess.DEVNULL))


MEASURES: list[tuple[str, Callable[[], float], float]] = [
    ("fit, n=5000 D=16 k=10, ten clusters", fit_once, 0.6),
    ("fit, n=5000 D=16 k=10, no clusters", fit_noise, 0.6),
    ("import kgroups", import_package, 0.05),
    ("kgroups --help", command_help, 0.2),
]


def main() -> int:
    """Print the table; with --check, the number of figures above their limits."""
    above = 0
    for name, measure, limit in MEASURES:
        seconds = measure()
        above += seconds > limit
        print(f"{name:40s} {seconds:8.3f} s   limit {limit:.2f} s")
    return above if "--check" in sys.argv[1:] else 0


if __name__ == "__main__":
    raise SystemExit(main())
