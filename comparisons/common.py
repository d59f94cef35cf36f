"""What the comparisons share: options, times, tables, and limits that decide the exit status."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path


@dataclass
class Limits:
    """Limits of one comparison; each is printed, and one that is missed makes it fail."""

    missed: list[str] = field(default_factory=list)
    n_judged: int = 0

    def at_most(self, name: str, value: float, limit: float) -> None:
        """Require a value that is not above its limit; NaN misses it."""
        self._require(name, value, "<=", limit, value <= limit)

    def at_least(self, name: str, value: float, limit: float) -> None:
        """Require a value that is not below its limit; NaN misses it."""
        self._require(name, value, ">=", limit, value >= limit)

    def status(self) -> int:
        """Print what was missed; 0 where nothing was, else 1, and where nothing was compared."""
        if not self.n_judged:
            print("nothing was compared")
            return 1
        print("\n" + ("\n".join(f"missed: {line}" for line in self.missed) or "no limit is missed"))
        return int(bool(self.missed))

    def _require(self, name: str, value: float, sign: str, limit: float, is_met: bool) -> None:
        line = f"{name}: {value:.4g} (limit {sign} {limit:.4g})"
        print(line, flush=True)
        self.n_judged += 1
        if not is_met:
            self.missed.append(line)


def options(description: str | None, **arguments: str) -> argparse.ArgumentParser:
    """A parser with ``--quick`` and with options of one value, by name and help."""
    parser = argparse.ArgumentParser(
        prog=f"python -m comparisons.{Path(sys.argv[0]).stem}",
        description=(description or "").splitlines()[0],
    )
    parser.add_argument("--quick", action="store_true", help="a sample that takes seconds")
    for name, text in arguments.items():
        parser.add_argument(f"--{name.replace('_', '-')}", help=text)
    return parser


def data_folder(given: str | None, part: str) -> Path | None:
    """A part such as "uci" of the folder given or of ``$KGROUPS_DATA``; None if there is none."""
    folder = given or os.environ.get("KGROUPS_DATA")
    if not folder:
        return None
    found = Path(folder, part)
    return found if found.is_dir() else None


def is_installed(module: str) -> bool:
    """Whether a program that is compared with can be imported."""
    return find_spec(module) is not None


def seconds(act: Callable[[], object], repeats: int = 3) -> float:
    """The least time of several calls, after one that compiles and fills caches."""
    act()
    times = []
    for _ in range(repeats):
        begun = time.perf_counter()
        act()
        times.append(time.perf_counter() - begun)
    return min(times)


def print_table(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Columns as wide as their widest entry, numbers to the right."""
    cells = [list(titles), *map(list, rows)]
    widths = [max(len(row[c]) for row in cells) for c in range(len(titles))]
    words = [not any(row[c][:1].isdigit() for row in rows) for c in range(len(titles))]
    for row in cells:
        parts = zip(row, widths, words, strict=True)
        print("  ".join(t.ljust(w) if left else t.rjust(w) for t, w, left in parts).rstrip())
