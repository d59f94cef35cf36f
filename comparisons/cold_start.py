"""What a user waits for at first: ``python -m comparisons.cold_start``.

The import, the help and first fits, each in a process of its own, with an empty folder of compiled
code and then again. Limits are on seconds of a processor, which hardly depend on what else the
machine does; seconds of the clock are printed, too.
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
MOST = {IMPORT: (0.1, 0.1), HELP: (0.4, 0.4), TABLE: (9.5, 3.6), GRAPH: (14.7, 4.2)}


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
    return limits.status()


if __name__ == "__main__":
    raise SystemExit(main())
