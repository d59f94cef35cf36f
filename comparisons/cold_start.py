"""What a user waits for at first: ``python -m comparisons.cold_start``.

The import, the help and first fits, each in a process of its own, with an empty folder of compiled
code and then again. Limits are on seconds of a processor, which hardly depend on what else the
machine does; seconds of the clock are printed, too. Fits of larger tables are measured by the clock
after the import, once and then again in the same process: nothing is compiled for them.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from resource import RUSAGE_CHILDREN, getrusage

from comparisons.common import Limits, options, print_table

BARE, IMPORT, HELP = "bare interpreter", "import kgroups", "kgroups --help"
TABLE, GRAPH = "KernelKGroups(3).fit(iris)", "GraphKGroups().fit(karate)"
COMMANDS = {
    BARE: ["-c", "pass"],
    IMPORT: ["-c", "import kgroups"],
    HELP: ["-m", "kgroups", "--help"],
    TABLE: [
        "-c",
        "from sklearn.datasets import load_iris; from kgroups import KernelKGroups\n"
        "KernelKGroups(3).fit(load_iris().data)",
    ],
    GRAPH: [
        "-c",
        "from networkx import karate_club_graph; from kgroups import GraphKGroups\n"
        "GraphKGroups().fit(karate_club_graph())",
    ],
}
# Seconds of a processor, at first and again: half again what first fits took in November 2026. The
# import, above the bare interpreter, and the help may take twice the 0.05 and 0.2 s of the clock.
MOST = {IMPORT: (0.1, 0.1), HELP: (0.4, 0.4), TABLE: (2.7, 2.7), GRAPH: (10.4, 4.2)}
# Fits of larger tables, and what the first may take by the clock: seconds, or more than the second.
FITS = {
    "5,000 rows": ("KernelKGroups(10)", 5_000, 16, 0.7, False),
    "cosine, 5,000 rows": ("KernelKGroups(10, metric='cosine')", 5_000, 50, 0.7, False),
    "Manhattan, 25,000 rows": ("KernelKGroups(10, metric='manhattan')", 25_000, 16, 0.3, True),
}
TIMED = """
import time
import numpy as np
from kgroups import KernelKGroups
rng = np.random.default_rng(0)
centers = rng.normal(scale=3.0, size=(10, {columns}))
X = centers[np.arange({rows}) % 10] + rng.normal(size=({rows}, {columns}))
for _ in range(2):
    begun = time.perf_counter()
    {fit}.set_params(random_state=0).fit(X)
    print(time.perf_counter() - begun)
"""


def timed(fit: str, rows: int, columns: int, folder: str) -> tuple[float, float]:
    """Seconds of the clock of a fit, at first and again, in a process without compiled code."""
    environment = os.environ | {"NUMBA_CACHE_DIR": folder}
    command = [sys.executable, "-c", TIMED.format(fit=fit, rows=rows, columns=columns)]
    printed = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    first, again = map(float, printed.stdout.split())
    return first, again


def spent(arguments: Sequence[str], folder: str) -> tuple[float, float]:
    """Seconds of the clock and of the processor in a process with this folder of compiled code."""
    environment = os.environ | {"NUMBA_CACHE_DIR": folder}
    before, begun = getrusage(RUSAGE_CHILDREN), time.perf_counter()
    command = [sys.executable, *arguments]
    subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=True)
    clock, after = time.perf_counter() - begun, getrusage(RUSAGE_CHILDREN)
    return clock, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; 1 if a limit is missed."""
    given, limits = options(__doc__).parse_args(arguments), Limits()
    names = [name for name in COMMANDS if not (given.quick and name == GRAPH)]
    found, rows = {}, []
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            first, again = (spent(COMMANDS[name], folder) for _ in range(2))
        found[name] = (first[1], again[1])
        numbers = [f"{seconds:.2f}" for seconds in (*first, *again)]
        rows.append([name, *numbers, f"{first[1] / again[1]:.1f}"])
    titles = ("", "first, s", "of processor", "again, s", "of processor", "first / again")
    print_table(titles, rows)
    for name in names[1:]:
        bare = found[BARE] if name == IMPORT else (0.0, 0.0)
        for i, when in enumerate(("first", "again")):
            limits.at_most(f"{name}, {when}", found[name][i] - bare[i], MOST[name][i])
    print_table(("first fits", "first, s", "again, s"), compare_fits(limits))
    return limits.status()


def compare_fits(limits: Limits) -> list[list[str]]:
    """The rows of the second table, judged by their limits."""
    rows = []
    for name, (fit, n_rows, n_columns, most, is_beyond) in FITS.items():
        with tempfile.TemporaryDirectory() as folder:
            first, again = timed(fit, n_rows, n_columns, folder)
        rows.append([name, f"{first:.2f}", f"{again:.2f}"])
        limits.at_most(f"{name}, by the clock", first, most + again * is_beyond)
    return rows


if __name__ == "__main__":
    raise SystemExit(main())
