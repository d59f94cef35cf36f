"""How many times slower this machine is now than the one for which the budgets were set.

Two fixed loops at once, so that a single core and other work on the machine count, too.
"""

import subprocess
import sys
import time

LOOP = "sum(i * i for i in range(20_000_000))"
REFERENCE_SECONDS = 1.6


def main() -> None:
    """Print a number, never below 1."""
    begun = time.perf_counter()
    loops = [subprocess.Popen([sys.executable, "-c", LOOP]) for _ in range(2)]  # noqa: S603
    for loop in loops:
        loop.wait()
    print(f"{max(1.0, (time.perf_counter() - begun) / REFERENCE_SECONDS):.2f}")


main()
