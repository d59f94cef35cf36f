"""Long checks: ``python -m benchmarks.full [--only NAME] [--units N] [--fresh]``.

Every unit is kept in ``docs/checks/NAME.json`` when it is finished, and a command that was
interrupted goes on where it stopped. ``--check [--seconds S] [--seed SEED]`` verifies the documents
instead, and computes a random share of their units again.
"""

from __future__ import annotations

import argparse
import os
import secrets
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path
from random import Random
from warnings import simplefilter

from benchmarks.checks import CHECKS
from benchmarks.checks.check import Check, Unit
from benchmarks.checks.document import FOLDER, Document, faults, read, same
from benchmarks.report import cores, machine

ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


def main(arguments: Sequence[str] | None = None, folder: Path = FOLDER) -> int:
    """Run or verify; 1 if a claim does not hold or a document is wrong."""
    options = _parser().parse_args(arguments)
    checks = [CHECKS[options.only]] if options.only else list(CHECKS.values())
    if not options.check:
        for check in checks:
            complete(check, options.units, options.workers, folder, fresh=options.fresh)
    found = [fault for check in checks for fault in faults(check, folder)]
    if options.check:
        print(f"units drawn with --seed {options.seed}")
        found += list(differences(checks, options.seconds, options.seed, folder))
    print("\n".join(found) or "all documents are right")
    return int(bool(found))


def complete(
    check: Check, at_most: int | None, workers: int, folder: Path = FOLDER, *, fresh: bool = False
) -> None:
    """Compute the units that a document lacks, but so many at most, and keep each at once."""
    document = Document(check) if fresh else read(check, folder)
    _refuse_other_answers(document)
    waiting = [n for n in range(check.n_units) if n not in document.units][:at_most]
    here = machine()
    if waiting and here not in document.machines:
        document.machines.append(here)
    for number, unit, seconds in computed(check, waiting, workers):
        document.units[number], document.seconds[number] = unit, seconds
        document.write(folder)
        _tell(check.name, len(document.units), check.n_units)
    if document.units:
        document.write(folder)
    print(f"{check.name}: {len(document.units)} of {check.n_units} units")


def computed(
    check: Check, numbers: Sequence[int], workers: int
) -> Iterator[tuple[int, Unit, float]]:
    """Units with their numbers and seconds, as they are finished."""
    if not numbers:
        return
    os.environ.update(dict.fromkeys(ONE_THREAD, "1"))
    with ProcessPoolExecutor(workers, get_context("spawn"), simplefilter, ("ignore",)) as pool:
        try:
            for future in as_completed([pool.submit(timed, check.name, n) for n in numbers]):
                yield future.result()
        finally:
            pool.shutdown(cancel_futures=True)


def timed(name: str, number: int) -> tuple[int, Unit, float]:
    """One unit, with its number and its seconds of a processor, which other work leaves alone."""
    begun = time.process_time()
    unit = CHECKS[name].run(number)
    return number, unit, time.process_time() - begun


def differences(
    checks: Iterable[Check], seconds: float, seed: int, folder: Path = FOLDER
) -> Iterator[str]:
    """Compute kept units again, in an order drawn by the seed, until the time is up."""
    documents = [read(check, folder) for check in checks]
    kept = [(document, number) for document in documents for number in document.units]
    end = time.perf_counter() + seconds
    for document, number in Random(seed).sample(kept, len(kept)):  # noqa: S311
        if time.perf_counter() + document.seconds[number] <= end:
            yield from difference(document, number)


def difference(document: Document, number: int) -> Iterator[str]:
    """Compute one kept unit again, and say what it is now if it is not what it was."""
    unit, kept = document.check.run(number), document.units[number]
    if not same(unit, kept):
        yield f"{document.check.name}: unit {number} is {unit}, and was {kept}"


def _refuse_other_answers(document: Document) -> None:
    """Add no units to those of code that answered otherwise; the quickest unit tells."""
    if document.units:
        quickest = min(document.units, key=document.seconds.__getitem__)
        for found in difference(document, quickest):
            sys.exit(f"{found}; --fresh computes all units again")


def _tell(name: str, done: int, of_all: int) -> None:
    if sys.stderr.isatty():
        print(f"\r{name}: {done} of {of_all} ", end="", file=sys.stderr, flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.full", description=__doc__)
    parser.add_argument("--only", choices=CHECKS, metavar="NAME", help=", ".join(CHECKS))
    parser.add_argument("--units", type=int, metavar="N", help="of each check, N more at most")
    parser.add_argument("--fresh", action="store_true", help="forget the units that are kept")
    parser.add_argument("--workers", type=int, default=cores(), metavar="N", help="processes")
    parser.add_argument("--check", action="store_true", help="verify, and compute a few again")
    parser.add_argument("--seconds", type=float, default=5.0, help="for computing again")
    parser.add_argument("--seed", type=int, default=secrets.randbits(32), help="of the drawing")
    return parser


if __name__ == "__main__":
    raise SystemExit(main())
