"""Compiled code for other processors: ``python -m benchmarks.cpu_targets [--only NAME]``.

Runs 60 fits once with the code for this processor and once with that for each target, and exits
with status 1 where a partition differs, or W by more than 1e-12. ``--in-turn`` takes one target,
another one every day. A target that this processor cannot run is named and left out.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.frozen.catalog import SMALL
from benchmarks.frozen.outcome import Outcome
from benchmarks.frozen.run import run

N_FITS = 60
TOLERANCE = 1e-12
#: Names of processors for the compiler, and a flag of /proc/cpuinfo without which they cannot run.
TARGETS = {
    "avx512": ("skylake-avx512", "avx512f"),
    "avx2": ("haswell", "avx2"),
    "sse2": ("x86-64", "sse2"),
    "generic": ("generic", ""),
}
_ESTIMATORS = ("KernelKGroups", "KernelKMeans", "KGroups1D", "EnergyAgglomerative", "GraphKGroups")


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare; 1 if anything differs."""
    options = _parser().parse_args(arguments)
    names = fits(options.fits)
    if options.answers:
        print(json.dumps({name: vars(run(name)) for name in names}))
        return 0
    targets = [options.only] if options.only else list(TARGETS)
    if options.in_turn:
        targets = [in_turn(dt.datetime.now(dt.UTC).date())]
    here = {name: run(name) for name in names}
    wrong = 0
    for target in targets:
        if not can_run(target):
            print(f"{target}: this processor has no {TARGETS[target][1]}; left out")
            continue
        found = differences(here, elsewhere(target, len(names), options.cache))
        wrong += len(found)
        print("\n".join([f"{target}: {len(names)} fits, differing: {len(found)}", *found]))
    return int(wrong > 0)


def fits(count: int) -> list[str]:
    """So many of the small frozen fits of estimators, evenly spread over their list."""
    chosen = [fit for fit in SMALL if fit.startswith(_ESTIMATORS)]
    return [chosen[i * len(chosen) // count] for i in range(min(count, len(chosen)))]


def in_turn(day: dt.date) -> str:
    """The target of a day, among those that can run here."""
    able = [target for target in TARGETS if can_run(target)]
    return able[day.toordinal() % len(able)]


def can_run(target: str) -> bool:
    """Whether this processor has what the code of a target needs."""
    flag = TARGETS[target][1]
    if not flag:
        return True
    if platform.machine().lower() not in ("x86_64", "amd64"):
        return False
    try:
        return flag in Path("/proc/cpuinfo").read_text("utf-8").split()
    except OSError:
        return flag == "sse2"


def elsewhere(target: str, count: int, cache: str | None) -> dict[str, Outcome]:
    """The answers of a process whose code is compiled for a target."""
    command = [sys.executable, "-m", "benchmarks.cpu_targets", "--answers", f"--fits={count}"]
    with tempfile.TemporaryDirectory(prefix="kgroups-cpu-") as folder:
        environment = os.environ | {
            "NUMBA_CPU_NAME": TARGETS[target][0],
            # Without features the compiler takes those of the name, not those found here.
            "NUMBA_CPU_FEATURES": "",
            "NUMBA_CACHE_DIR": folder if cache is None else str(Path(cache) / target),
        }
        done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    return {name: Outcome(**given) for name, given in json.loads(done.stdout).items()}


def differences(here: Mapping[str, Outcome], there: Mapping[str, Outcome]) -> list[str]:
    """Fits with another partition, or a number that differs by more than rounding."""
    found = []
    for name, outcome in here.items():
        other = there[name]
        if (outcome.error, outcome.partition) != (other.error, other.partition):
            found.append(f"  {name}: another partition, {outcome.numbers} and {other.numbers}")
            continue
        for number, value in outcome.numbers.items():
            gap = abs(other.numbers[number] - value)
            if gap > TOLERANCE * abs(value):
                found.append(f"  {name}: {number} by {gap / abs(value):.2g}")
    return found


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cpu_targets", description=__doc__)
    parser.add_argument("--only", choices=TARGETS, help="one target")
    parser.add_argument("--in-turn", action="store_true", help="the target of the day")
    parser.add_argument("--fits", type=int, default=N_FITS, metavar="N", help="number of fits")
    parser.add_argument("--cache", metavar="FOLDER", help="keep the compiled code of targets there")
    parser.add_argument("--answers", action="store_true", help=argparse.SUPPRESS)
    return parser


if __name__ == "__main__":
    raise SystemExit(main())
