"""Runs ``kgroups`` on hostile files: ``python -m benchmarks.hunt.files [NAME ...]``.

Each must be refused with status 1, in an error that names the file and is short, without a
traceback, in 5 seconds of one core and 500 MB, imports included. NAME is a folder of the catalogue,
such as ``gml``, or a file in one; without any, all files are tried.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.hunt.hostile_files import Hostile, hostile_files

MOST_SECONDS = 5.0
MOST_BYTES = 500_000_000
_LONGEST_MESSAGE = 2_000
_PATIENCE = 60


class Outcome(NamedTuple):
    """How a command ended, and what it took."""

    status: int
    error: str
    seconds: float = 0.0
    peak: int = 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Try the catalogue and print what is wrong, and the largest figures; 1 if anything is."""
    names = sys.argv[1:] if arguments is None else list(arguments)
    with tempfile.TemporaryDirectory() as folder:
        found = hostile_files(Path(folder))
        chosen = [f for f in found if not names or {f.name, f.path.parent.name} & set(names)]
        faults = list(broken_files(chosen))
    return int(bool(faults))


def broken_files(files: Sequence[Hostile]) -> Iterator[str]:
    """What is wrong, as it is found and printed, and at the end the largest figures."""
    seconds, peak, n_faults = 0.0, 0, 0
    for file in files:
        ended = outcome(file)
        seconds, peak = max(seconds, ended.seconds), max(peak, ended.peak)
        for fault in faults_of(file, ended):
            n_faults += 1
            print(fault, flush=True)
            yield fault
    took = f"at most {seconds:.1f} s and {peak / 1e6:.0f} MB"
    print(f"{len(files)} files, {n_faults} faults; {took}")


def outcome(file: Hostile) -> Outcome:
    """Run the command in a process of its own."""
    with tempfile.TemporaryFile() as error:
        process = subprocess.Popen(
            [sys.executable, "-m", "kgroups", *file.command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=error,
        )
        timer = threading.Timer(_PATIENCE, process.kill)
        timer.start()
        _, status, usage = os.wait4(process.pid, 0)
        timer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        error.seek(0)
        text = error.read().decode(errors="replace")
    scale = 1 if sys.platform == "darwin" else 1024
    seconds = usage.ru_utime + usage.ru_stime
    return Outcome(process.returncode, text, seconds, usage.ru_maxrss * scale)


def faults_of(file: Hostile, ended: Outcome) -> list[str]:
    """What is wrong with how a command ended."""
    last = ended.error.splitlines()[-1] if ended.error else ""
    found = {
        f"status {ended.status}": ended.status != 1,
        "a traceback": "Traceback" in ended.error,
        f"no error in {last[:200]!r}": "kgroups: error: " not in ended.error,
        f"the file is not named in {last[:200]!r}": file.path.parent.name not in ended.error,
        f"{len(ended.error):,} characters": len(ended.error) > _LONGEST_MESSAGE,
        f"{ended.seconds:.1f} s": ended.seconds > MOST_SECONDS,
        f"{ended.peak / 1e6:.0f} MB": ended.peak > MOST_BYTES,
    }
    return [f"{file.name!r}: {fault}" for fault, is_so in found.items() if is_so]


if __name__ == "__main__":
    raise SystemExit(main())
