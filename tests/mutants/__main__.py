"""``python -m tests.mutants [ROOM ...]``: which planted faults do the tests find?"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.compile_cache import ROOT, sources
from tests.mutants.fault import Fault, faults_of, rooms

#: All guards, the quickest first.
GUARDS = (
    "tests/contract/test_table.py",
    "tests/contract/test_statistics.py",
    "tests/contract/test_networks.py",
    "tests/contract",
    "tests/properties",
    "tests/test_frozen.py",
)
#: By package: what is run before all others, because it should find the fault.
FIRST = {
    "answers": ("tests/contract/test_answers.py",),
    "graphs": ("tests/contract/test_networks.py",),
    "stats": ("tests/contract/test_statistics.py",),
    "select": ("tests/contract/test_statistics.py",),
    "metrics": ("tests/contract/test_networks.py",),
    "certificate": ("tests/contract/test_proofs_hold.py", "tests/contract/test_lower_bounds.py"),
    "sketch": ("tests/contract/test_sketched_fits.py",),
    "bounds": ("tests/contract/test_lower_bounds.py",),
    "input": ("tests/contract/door", "tests/contract/test_table.py"),
}


def main(arguments: list[str] | None = None) -> int:
    """Plant the faults of some packages, print what finds each; 1 if one stays unseen."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("rooms", nargs="*", default=rooms(), metavar="ROOM")
    parser.add_argument("--only", default="", help="faults whose line or file holds this")
    parser.add_argument("--guards", nargs="*", help="tests to run in place of all guards")
    parser.add_argument("--copy", default="copy", help="name of the copy, one for each process")
    options = parser.parse_args(arguments)
    source = _copied(options.copy)
    unseen = 0
    for room in options.rooms:
        guards = options.guards or [*FIRST.get(room, ()), *GUARDS]
        faults = [fault for fault in faults_of(room) if options.only in str(fault)]
        found = 0
        for fault in faults:
            since = time.monotonic()
            with _planted(source, fault) as is_compiled:
                guard = _finder(source, list(dict.fromkeys(guards)), is_compiled=is_compiled)
            found += bool(guard)
            unseen += not (guard or fault.excuse)
            seen = guard or f"UNSEEN {fault.excuse}"
            print(f"{time.monotonic() - since:5.0f} s  {seen}  <-  {fault}", flush=True)
        print(f"{room}: {found} of {len(faults)} found", flush=True)
    return 1 if unseen else 0


def _copied(name: str) -> Path:
    """A copy of the library, with its times, so that compiled code stays valid."""
    folder = ROOT / ".pytest_cache" / "mutants" / name / sources()
    if not folder.exists():
        shutil.copytree(ROOT / "src", folder, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


@contextmanager
def _planted(source: Path, fault: Fault) -> Iterator[bool]:
    """The copy with a fault in it; gives whether the fault is in compiled code."""
    path = source / "kgroups" / fault.file
    text, times = path.read_text("utf-8"), path.stat()
    path.write_text(fault.planted(text), "utf-8")
    try:
        yield "@jit" in text or "jit(" in text
    finally:
        path.write_text(text, "utf-8")
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


def _finder(source: Path, guards: list[str], *, is_compiled: bool) -> str:
    """The first guard that fails, or nothing.

    A function that was compiled before keeps what it called then, so that faults in compiled code
    are looked for with the compiler switched off.
    """
    environment = {
        **os.environ,
        "PYTHONPATH": str(source),
        "PYTHONDONTWRITEBYTECODE": "1",
        "NUMBA_CACHE_DIR": str(source.parent / "numba"),
        "NUMBA_DISABLE_JIT": str(int(is_compiled)),
        "OMP_NUM_THREADS": "1",
    }
    options = ["-x", "-q", "-n", "0", "-p", "no:cacheprovider", "--tb=no", "--no-header"]
    for guard in guards:
        if not (ROOT / guard).exists():
            continue
        command = [sys.executable, "-m", "pytest", *options, guard]
        try:
            run = subprocess.run(
                command, cwd=ROOT, env=environment, capture_output=True, check=False, timeout=900
            )
        except subprocess.TimeoutExpired:
            return f"{guard} (without an end)"
        if run.returncode not in (0, 5):
            return guard
    return ""


if __name__ == "__main__":
    raise SystemExit(main())
