"""``python -m tests.mutants [ROOM ...]``: which planted faults do the tests find?

It forks, so that each fault begins with all other libraries imported; not for Windows.
"""

from __future__ import annotations

import argparse
import compileall
import ctypes
import importlib
import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

import pytest

from hatch_build import NAME, SOURCES, X86, build
from tests.compile_cache import ROOT, sources
from tests.mutants.fault import Fault, faults_of, guards_of, rooms

#: What is run after the guards that a list names.
GUARDS = ("tests/contract", "tests/properties", "tests/test_frozen.py")
# The compiled library, and where its parts are kept, those with faults as well.
LIBRARY = ROOT / "src" / "kgroups" / "native" / NAME
OBJECTS = ROOT / "build" / "native"
# Seconds after which tests that do not end have found a fault.
_LONGEST = 900


def main(arguments: list[str] | None = None) -> int:
    """Plant the faults of some packages, print what finds each; 1 if the lists say otherwise."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("rooms", nargs="*", default=rooms(), metavar="ROOM")
    parser.add_argument("--only", default="", help="faults whose line or file holds this")
    parser.add_argument("--guards", nargs="*", help="tests to run in place of all guards")
    parser.add_argument("--copy", default="copy", help="name of the copy, one for each process")
    options = parser.parse_args(arguments)
    build(LIBRARY.parent, OBJECTS)
    source = _copied(options.copy)
    _import_libraries()
    wrong = n_faults = 0
    for room in options.rooms:
        guards = options.guards or [*guards_of(room), *GUARDS]
        faults = [fault for fault in faults_of(room) if options.only in str(fault)]
        found, n_faults = 0, n_faults + len(faults)
        for fault in faults:
            since = time.monotonic()
            guard = _finder(source, fault, guards)
            found += bool(guard)
            wrong += bool(guard) == bool(fault.excuse)
            seen = guard or f"UNSEEN {fault.excuse}"
            seen += "  EXCUSED IN THE LIST" if guard and fault.excuse else ""
            print(f"{time.monotonic() - since:5.0f} s  {seen}  <-  {fault}", flush=True)
        print(f"{room}: {found} of {len(faults)} found", flush=True)
    if not n_faults:
        parser.error(f"no fault has {options.only!r}")
    return 1 if wrong else 0


def _copied(name: str) -> Path:
    """A copy of the library, with its times, so that compiled code stays valid.

    What a run that was killed has left in it is taken back.
    """
    folder = ROOT / ".pytest_cache" / "mutants" / name / sources()
    if not folder.exists():
        shutil.copytree(ROOT / "src", folder, ignore=shutil.ignore_patterns("__pycache__"))
        compileall.compile_dir(folder, quiet=2)
    for path in (*(ROOT / "src").rglob("*.py"), *SOURCES.iterdir(), LIBRARY):
        copy = folder / path.relative_to(ROOT / "src")
        if copy.read_bytes() != path.read_bytes():
            shutil.copy2(path, copy)
    return folder


def _import_libraries() -> None:
    """What most tests import, numba apart, which reads its settings when it is imported."""
    sys.dont_write_bytecode = True
    os.environ["OMP_NUM_THREADS"] = "1"
    os.environ.pop("KGROUPS_INSTRUCTIONS", None)  # see _set_in_use
    os.chdir(ROOT)
    for name in ("matplotlib", "networkx", "pandas", "polars", "scipy.stats"):
        importlib.import_module(name)
    for name in ("cluster", "metrics", "model_selection", "pipeline", "utils.estimator_checks"):
        importlib.import_module(f"sklearn.{name}")


def _finder(source: Path, fault: Fault, guards: list[str]) -> str:
    """The first guard that fails with a fault and passes without it, or nothing."""
    for guard in guards:
        with _planted(source, fault) as how:
            fails = _fails(source, guard, how)
        if fails and not _fails_always(source, guard, how):
            return guard
    return ""


@contextmanager
def _planted(source: Path, fault: Fault) -> Iterator[str]:
    """The copy with a fault in it; gives how such code is run: as it is, "slow" or "anew".

    A function that was compiled before keeps what it called then, so that faults in compiled code
    are looked for with the compiler switched off ("slow"), or with code that is compiled anew where
    the compiler makes other code than Python.
    """
    path, library = source / "kgroups" / fault.file, source / LIBRARY.relative_to(ROOT / "src")
    text, times = path.read_text("utf-8"), path.stat()
    path.write_text(fault.planted(text), "utf-8")
    try:
        if path.suffix != ".py":
            build(library.parent, OBJECTS, source / "native", _set_in_use())
            yield ""
        elif "kgroups.runtime.jit import" in text:
            yield "slow"
        else:
            yield "anew" if "@intrinsic" in text else ""
    finally:
        path.write_text(text, "utf-8")
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
        if path.suffix != ".py":
            shutil.copy2(LIBRARY, library)


@lru_cache
def _set_in_use() -> str:
    """The set of instructions that tests run: the best one, for which alone faults are compiled."""
    best = ctypes.CDLL(str(LIBRARY)).kg_best_set()
    return list(X86)[best]


@lru_cache
def _fails_always(source: Path, guard: str, how: str) -> bool:
    """Whether a guard fails as it is."""
    fails = _fails(source, guard, how)
    if fails:
        print(f"        {guard} fails without a fault, too ({how})", flush=True)
    return fails


def _fails(source: Path, guard: str, how: str) -> bool:
    """Whether tests fail with the library in a folder, or do not end."""
    cache = tempfile.mkdtemp(dir=source.parent) if how == "anew" else str(source.parent / "numba")
    child = os.fork()
    if child == 0:
        _run(source, guard, how, cache)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if how == "anew":
        shutil.rmtree(cache)
    return status not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)


def _run(source: Path, guard: str, how: str, cache: str) -> None:
    """Run tests in this process, which ends with their status."""
    signal.alarm(_LONGEST)
    os.environ.update(NUMBA_DISABLE_JIT=str(int(how == "slow")), NUMBA_CACHE_DIR=cache)
    os.environ["PYTHONPATH"] = str(source)  # for processes that a test starts
    sys.path.insert(0, str(source))
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    os.dup2(nothing, 2)
    options = ["-x", "-q", "-n", "0", "-p", "no:cacheprovider", "--tb=no"]
    if how == "slow":  # infinity − infinity warns in Python alone
        options += ["-W", "ignore::RuntimeWarning"]
    os._exit(int(pytest.main([*options, guard])))


if __name__ == "__main__":
    raise SystemExit(main())
