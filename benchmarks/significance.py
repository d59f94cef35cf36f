"""How often clusters of data without clusters are called real: the honest test and the naive one.

``python -m benchmarks.significance [--sets N] [--rows N]``: Gaussians, boxes and exponentials in 1
to 20 dimensions, clustered with k = 3.
"""

from __future__ import annotations

import argparse
import time
from itertools import chain

import numpy as np

from benchmarks.count_suite import Table
from kgroups import KernelKGroups
from kgroups.select import cluster_significance

KINDS = ("Gaussian", "correlated", "box", "exponential", "Laplace")
DIMENSIONS = (1, 2, 3, 5, 10, 20)


def null(number: int, n: int) -> tuple[str, Table]:
    """One log-concave distribution; the kinds in turn, the dimensions in turn."""
    rng = np.random.default_rng([3, number])
    kind, d = KINDS[number % len(KINDS)], DIMENSIONS[number // len(KINDS) % len(DIMENSIONS)]
    X = {
        "Gaussian": lambda: rng.standard_normal((n, d)),
        "correlated": lambda: rng.standard_normal((n, d)) @ rng.standard_normal((d, d)),
        "box": lambda: rng.uniform(size=(n, d)),
        "exponential": lambda: rng.exponential(size=(n, d)),
        "Laplace": lambda: rng.laplace(size=(n, d)),
    }[kind]()
    return kind, X


def judged(number: int, n: int) -> tuple[str, bool, bool]:
    """The kind, whether any of three clusters is called real, and whether all are naively."""
    kind, X = null(number, n)
    labels = KernelKGroups(3, random_state=number).fit_predict(X)
    found = cluster_significance(X, labels, random_state=number)
    return kind, found.any_separated(), all(pair.naive_pvalue <= 0.05 for pair in found.pairs)


def main() -> None:
    """Print the shares that are rejected at .05, by kind and in all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=500)
    parser.add_argument("--rows", type=int, default=200)
    options = parser.parse_args()
    begun = time.perf_counter()
    honest: dict[str, list[bool]] = {kind: [] for kind in KINDS}
    naive: dict[str, list[bool]] = {kind: [] for kind in KINDS}
    for number in range(options.sets):
        kind, apart, all_apart = judged(number, options.rows)
        honest[kind].append(apart)
        naive[kind].append(all_apart)
    for kind in KINDS:
        told(kind, honest[kind], naive[kind])
    told("all", list(chain(*honest.values())), list(chain(*naive.values())))
    print(f"{time.perf_counter() - begun:.0f} s")


def told(kind: str, honest: list[bool], naive: list[bool]) -> None:
    """One line: any pair apart by the honest test, every pair by the naive one."""
    if not honest:
        return
    share, error = np.mean(honest), np.sqrt(np.mean(honest) * (1 - np.mean(honest)) / len(honest))
    print(
        f"{kind:12} {len(honest):4} sets: any pair apart {share:6.1%} ± {error:.1%}, naive test "
        f"rejects all pairs {np.mean(naive):6.1%}"
    )


if __name__ == "__main__":
    main()
