"""The two-sample energy test beside R's energy::eqdist.etest, on the same numbers.

Run ``python -m benchmarks.energy_test``. Two samples of n/2 points each, 10 columns, one
distribution. Seconds are those of the test itself in either program: R measures its own, kgroups is
called once before, so that compiling is not measured, and the best of three calls counts.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.report import cores
from benchmarks.rivals import METHODS

R_SCRIPT = Path(__file__).with_name("energy_test.R")
COLUMNS = 10


class Answer(NamedTuple):
    """How long a test took and what it found."""

    seconds: float
    statistic: float
    pvalue: float


def data(n: int) -> np.ndarray:
    """Normal points, in which there is nothing to find."""
    return np.random.default_rng(0).normal(size=(n, COLUMNS))


def by_kgroups(X: np.ndarray, permutations: int) -> Answer:
    """The best of three tests by kgroups, all cores."""
    from kgroups.stats import energy_test

    half = len(X) // 2
    found = []
    for _ in range(4):
        begun = time.perf_counter()
        result = energy_test(X[:half], X[half:], n_permutations=permutations, random_state=0)
        seconds = time.perf_counter() - begun
        found.append(Answer(seconds, result.statistic, result.pvalue))
    return min(found[1:])


def by_r(X: np.ndarray, permutations: int) -> Answer | None:
    """One test by R; None where R or its package energy is not installed."""
    if METHODS["R energy::kgroups"].refusal(0):
        return None
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "X")
        path.write_bytes(np.asfortranarray(X).tobytes("F"))
        command = ["Rscript", str(R_SCRIPT), str(path), *map(str, (*X.shape, permutations))]
        answer = subprocess.run(command, capture_output=True, text=True, check=True)
        return Answer(*map(float, answer.stdout.split()))


def line(n: int, permutations: int) -> str:
    """One row of the table; the two statistics must be the same number."""
    X = data(n)
    ours, theirs = by_kgroups(X, permutations), by_r(X, permutations)
    start = f"{n:>7,} {permutations:>12,} {ours.seconds:>11.3f}"
    if theirs is None:
        return f"{start} {'not here':>10} {'-':>8}"
    if abs(ours.statistic / theirs.statistic - 1) > 1e-9:
        sys.exit(f"statistics differ: {ours.statistic!r} and R's {theirs.statistic!r}")
    ratio = theirs.seconds / ours.seconds
    return (
        f"{start} {theirs.seconds:>10.2f} {ratio:>7.0f}x   {ours.pvalue:.3f}  {theirs.pvalue:.3f}"
    )


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[4_000, 5_000], metavar="N")
    parser.add_argument("--permutations", type=int, nargs="+", default=[99, 999], metavar="B")
    options = parser.parse_args()
    print(f"Two samples of n/2 points, {COLUMNS} columns, {cores()} cores; seconds.")
    print(
        f"{'n':>7} {'permutations':>12} {'kgroups':>11} {'R energy':>10} {'ratio':>8}   p, p of R"
    )
    for n in options.sizes:
        for permutations in options.permutations:
            print(line(n, permutations), flush=True)


if __name__ == "__main__":
    main()
