"""Pages of reports at size: ``python -m benchmarks.report_pages [--rows N] [--columns D]``.

For several numbers of clusters: the bytes of the page, the seconds that it takes beyond the fit,
whether a strict parser accepts it, whether it names an address, and whether a second page has the
same bytes. Exit status 1 where a limit is missed.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from typing import NamedTuple

import html5lib
import numpy as np
from html5lib.html5parser import ParseError

from kgroups import KernelKGroups

LARGEST, LONGEST = 2_000_000, 5.0
CLUSTERS = (1, 3, 8, 30)


class Row(NamedTuple):
    """What one page takes, and what is wrong with it."""

    k: int
    n_bytes: int
    seconds: float
    faults: tuple[str, ...]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print one line per page; 1 if a limit is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=100_000, metavar="N")
    parser.add_argument("--columns", type=int, default=50, metavar="D")
    parser.add_argument("--clusters", type=int, nargs="*", default=CLUSTERS, metavar="K")
    parser.add_argument("--seconds", type=float, default=LONGEST, metavar="S")
    options = parser.parse_args(arguments)
    measured(groups(600, 4, 3, np.random.default_rng(0)), 3, LONGEST)  # compiles, and imports
    found = []
    for k in options.clusters:
        X = groups(options.rows, options.columns, k, np.random.default_rng(k))
        found.append(measured(X, k, options.seconds))
        print(in_words(found[-1]), flush=True)
    return int(any(row.faults for row in found))


def groups(n: int, columns: int, k: int, rng: np.random.Generator) -> np.ndarray:
    """Rows of k groups that partly overlap."""
    centers = rng.normal(0, 1.5, (k, columns))
    return centers[rng.integers(0, k, n)] + rng.normal(size=(n, columns))


def measured(X: np.ndarray, k: int, longest: float) -> Row:
    """Fit, make the page twice, and look at it."""
    model = KernelKGroups(k, random_state=0).fit(X)
    begun = time.perf_counter()
    html = model.report(X).to_html()
    seconds = time.perf_counter() - begun
    n_bytes = len(html.encode())
    checks = {
        f"more than {LARGEST:,} bytes": n_bytes > LARGEST,
        f"more than {longest:g} s": seconds > longest,
        "names an address": "http" in html.replace("http-equiv", ""),
        "is not valid": not is_valid(html),
        "has other bytes the second time": model.report(X).to_html() != html,
    }
    return Row(k, n_bytes, seconds, tuple(fault for fault, is_so in checks.items() if is_so))


def is_valid(html: str) -> bool:
    """Whether a strict parser accepts a page."""
    try:
        html5lib.HTMLParser(strict=True).parse(html)
    except ParseError:
        return False
    return True


def in_words(row: Row) -> str:
    """One line about a page."""
    faults = "; ".join(row.faults) or "ok"
    return f"k = {row.k:>3}  {row.n_bytes:>9,} bytes  {row.seconds:5.2f} s  {faults}"


if __name__ == "__main__":
    raise SystemExit(main())
