"""How often ``choose_n_clusters`` is right: on 30 data sets, on more draws, and without clusters.

``python -m benchmarks.how_many [--uci FOLDER] [--seeds N] [--nulls N]``
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from benchmarks.count_suite import Known, generated, nulls, suite
from kgroups.select import choose_n_clusters

K_RANGE = range(1, 13)


def main() -> None:
    """Print one line a data set, and the shares at the end."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--uci", type=Path, default=Path("../shared/data/uci"))
    parser.add_argument("--seeds", type=int, default=0, help="further draws of all families")
    parser.add_argument("--nulls", type=int, default=100)
    options = parser.parse_args()
    told("the 30 data sets", suite(options.uci))
    if options.seeds:
        more = (known for seed in range(2, 2 + options.seeds) for known in generated(seed))
        told("further draws", more)
    if options.nulls:
        told("no clusters", nulls(options.nulls))


def told(title: str, data: Iterable[Known]) -> None:
    """Choose k for each, and count."""
    right: Counter[str] = Counter()
    total = 0
    begun = time.perf_counter()
    for known in data:
        start = time.perf_counter()
        count = choose_n_clusters(known.X, K_RANGE, random_state=0)
        total += 1
        right["combined"] += count.n_clusters in known.right
        for criterion in count.criteria:
            right[criterion.name] += criterion.n_clusters in known.right
        said = "  ".join(f"{c.name} {c.n_clusters}" for c in count.criteria)
        mark = " " if count.n_clusters in known.right else "*"
        print(
            f"{mark} {known.name:22} {known.right!s:8} {count.n_clusters:3}   {said}"
            f"   {time.perf_counter() - start:.1f} s",
            flush=True,
        )
    shares = ", ".join(f"{name} {number}" for name, number in right.items())
    print(f"{title}: right of {total}: {shares}; {time.perf_counter() - begun:.0f} s", flush=True)


if __name__ == "__main__":
    main()
