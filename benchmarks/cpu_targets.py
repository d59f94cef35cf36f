"""Compiled code for other processors: ``python -m benchmarks.cpu_targets [FITS]``.

Runs frozen fits with the code for this processor and with that for each target, and exits with
status 1 where a partition differs, or W by more than 1e-12. Targets that cannot run are left out.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.frozen.file import matching, read
from benchmarks.frozen.outcome import Outcome
from benchmarks.frozen.run import run

#: Sets of instructions of the built library; the processor that numba compiles for, and a flag of
#: /proc/cpuinfo without which they cannot run.
TARGETS = {
    "x86-64-v4": ("skylake-avx512", "avx512f"),
    "x86-64-v3": ("haswell", "avx2"),
    "baseline": ("generic", ""),
}
ESTIMATORS = ("KernelKGroups", "KernelKMeans", "KGroups1D", "EnergyAgglomerative", "GraphKGroups")


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare; 1 if anything differs."""
    count = int((arguments or sys.argv[1:] or [60])[0])
    here, wrong = answers(count), 0
    for target, (processor, flag) in TARGETS.items():
        if not can_run(flag):
            print(f"{target}: this processor has no {flag}; left out")
            continue
        there = elsewhere(target, processor, count)
        differing = [name for name, outcome in here.items() if not agree(outcome, there[name])]
        print(f"{target}: {len(here)} fits, differing: {len(differing)}", *differing, sep="\n  ")
        wrong += len(differing)
    return int(wrong > 0)


def answers(count: int) -> dict[str, Outcome]:
    """The outcomes of some small fits of estimators, evenly spread over their list."""
    fits = [fit for fit in matching("", read(), fast=True) if fit.startswith(ESTIMATORS)]
    return {fit: run(fit) for fit in fits[:: -(-len(fits) // count)]}


def agree(a: Outcome, b: Outcome) -> bool:
    """Whether partitions are equal, and numbers up to rounding."""
    if (a.error, a.partition) != (b.error, b.partition):
        return False
    return all(abs(b.numbers[name] - x) <= 1e-12 * abs(x) for name, x in a.numbers.items())


def can_run(flag: str) -> bool:
    """Whether this processor has what the code of a target needs."""
    here = Path("/proc/cpuinfo")
    return not flag or (here.exists() and flag in here.read_text("utf-8").split())


def elsewhere(target: str, processor: str, count: int) -> dict[str, Outcome]:
    """The outcomes in a process with one set of instructions, and numba's code for a processor."""
    code = "import json, sys; from benchmarks.cpu_targets import answers; "
    code += f"print(json.dumps({{name: vars(a) for name, a in answers({count}).items()}}))"
    with tempfile.TemporaryDirectory() as folder:
        compiler = {"NUMBA_CPU_NAME": processor, "NUMBA_CPU_FEATURES": ""}
        compiler |= {"NUMBA_CACHE_DIR": folder, "KGROUPS_INSTRUCTIONS": target}
        program, there = [sys.executable, "-c", code], os.environ | compiler
        done = subprocess.run(program, env=there, check=True, capture_output=True, text=True)
    return {name: Outcome(**given) for name, given in json.loads(done.stdout).items()}


if __name__ == "__main__":
    raise SystemExit(main())
