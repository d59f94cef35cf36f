"""``python -m tests.mutants [ROOM ...]``: which planted faults do the tests find?"""

from __future__ import annotations

import argparse
import compileall
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
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
    "select": (
        "tests/contract/test_criteria_by_definition.py",
        "tests/contract/test_statistics.py",
    ),
    "semimetrics": (
        "tests/contract/test_pairwise.py",
        "tests/contract/test_metrics_at_the_edges.py",
    ),
    "metrics": ("tests/contract/test_networks.py",),
    "bounds": ("tests/contract/test_statistics.py",),
    "input": ("tests/contract/input", "tests/contract/door", "tests/contract/test_mistakes.py"),
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
            guard = _found(source, fault, list(dict.fromkeys(guards)))
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
        compileall.compile_dir(folder, quiet=1)  # nothing is written later
    return folder


def _found(source: Path, fault: Fault, guards: list[str]) -> str:
    """The first guard that fails with a fault and passes without it, or nothing."""
    while True:
        with _planted(source, fault) as how:
            guard = _finder(source, guards, how)
        if not guard or not _fails(source, guard.split(" (")[0], how):
            return guard
        print(f"        {guard} fails without a fault, too ({how})", flush=True)
        guards = guards[guards.index(guard.split(" (")[0]) + 1 :]


@contextmanager
def _planted(source: Path, fault: Fault) -> Iterator[str]:
    """The copy with a fault in it; gives how such code is run: as it is, "slow" or "anew"."""
    path = source / "kgroups" / fault.file
    text, times = path.read_text("utf-8"), path.stat()
    path.write_text(fault.planted(text), "utf-8")
    try:
        if "kgroups.runtime.jit import" in text:
            yield "slow"
        else:
            yield "anew" if "@intrinsic" in text else ""
    finally:
        path.write_text(text, "utf-8")
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


@lru_cache
def _fails(source: Path, guard: str, how: str) -> bool:
    """Whether a guard fails as it is."""
    return bool(_finder(source, [guard], how))


def _finder(source: Path, guards: list[str], how: str) -> str:
    """The first guard that fails, or nothing.

    A function that was compiled before keeps what it called then, so that faults in compiled code
    are looked for with the compiler switched off ("slow"), or with code that is compiled anew where
    the compiler makes other code than Python.
    """
    environment = {
        **os.environ,
        "PYTHONPATH": str(source),
        "PYTHONDONTWRITEBYTECODE": "1",
        "NUMBA_CACHE_DIR": str(source.parent / "numba"),
        "NUMBA_DISABLE_JIT": str(int(how == "slow")),
        "OMP_NUM_THREADS": "1",
    }
    options = ["-x", "-q", "-n", "0", "-p", "no:cacheprovider", "--tb=no", "--no-header"]
    if how == "slow":  # infinity − infinity warns in Python alone
        options += ["-W", "ignore::RuntimeWarning"]
    for guard in guards:
        if not (ROOT / guard.split("::")[0]).exists():
            continue
        if how == "anew":
            environment["NUMBA_CACHE_DIR"] = tempfile.mkdtemp(dir=source.parent)
        command = [sys.executable, "-m", "pytest", *options, guard]
        try:
            run = subprocess.run(
                command, cwd=ROOT, env=environment, capture_output=True, check=False, timeout=900
            )
        except subprocess.TimeoutExpired:
            return f"{guard} (without an end)"
        finally:
            if how == "anew":
                shutil.rmtree(environment["NUMBA_CACHE_DIR"])
        if run.returncode not in (0, 5):
            return guard
    return ""


if __name__ == "__main__":
    raise SystemExit(main())
