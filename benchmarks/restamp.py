"""Whether the results that the repository keeps are what today's code computes.

``python -m benchmarks.restamp [NAME ...] [--data-dir DIR] [--share 0.05]``

computes a share of the cases of each experiment again, all runs of at least one case, the smallest
first. Where every mean and deviation has the same bits, the document gets today's fingerprint as
``made_by``; where one does not, the exit status is 1. Finished runs are kept in the cache folder,
and the same command goes on from there.

``python -m benchmarks.restamp --check --seconds 20 [--seed N] [--data-dir DIR]``

writes nothing: it compares the digest of every document with its numbers, computes randomly chosen
cases again for so many seconds, and names the documents that were made by other code.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from math import ceil, inf
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.kept import FOLDER, Kept, documents
from kgroups.input.table_files import DataError
from kgroups_papers.catalog import find
from kgroups_papers.data import DataFolders, cache_folder
from kgroups_papers.data.entries import TableEntry, find_entry
from kgroups_papers.document import digest_of
from kgroups_papers.experiment import Case
from kgroups_papers.fingerprint import fingerprint
from kgroups_papers.monte_carlo import Progress, n_workers, reproduce

_SHARE = 0.05
_SECONDS = 20.0

#: Numbers of a case by method and measure: mean, deviation, runs.
Numbers = dict[tuple[str, str], tuple[Any, ...]]
Say = Callable[[str], None]


class OutOfTime(Exception):
    """A case was not finished before the deadline."""


def restamp(
    kept: Kept,
    data: DataFolders,
    *,
    share: float = _SHARE,
    cache: Path | None = None,
    n_jobs: int | None = None,
    say: Say = print,
) -> list[str]:
    """Compute a share of the cases again and stamp the document; what differs, if anything does."""
    cases = sorted(measured(kept, data), key=size)
    if not cases:
        return [f"{kept.experiment.name}: none of its data sets is here"]
    wrong = []
    for case in cases[: ceil(share * len(kept.document["cases"]))]:
        begun = time.perf_counter()
        wrong += differences(kept, case, recomputed(kept, case, data, cache=cache, n_jobs=n_jobs))
        say(f"{kept.experiment.name} {case.key}: {time.perf_counter() - begun:.1f} s")
    if not wrong:
        rows = kept.document["rows"]
        kept.write(made_by=fingerprint(kept.experiment.run), digest=digest_of(rows))
    return wrong


def check(
    found: Sequence[Kept],
    data: DataFolders,
    *,
    seconds: float = _SECONDS,
    seed: int = 0,
    n_jobs: int | None = None,
    say: Say = print,
) -> list[str]:
    """Compare digests, and compute random cases again while there is time; what differs.

    The first case is finished whatever time it takes, since that may be spent on compiling.
    """
    wrong = [f"{name}: its numbers were changed by hand" for name in tampered(found)]
    for name in stale(found):
        say(f"{name} was made by other code; python -m benchmarks.restamp {name}")
    every = [(kept, case) for kept in found for case in measured(kept, data)]
    n_done, deadline = 0, time.perf_counter() + seconds
    for position in np.random.default_rng(seed).permutation(len(every)):
        kept, case = every[position]
        if expected_seconds(kept, n_jobs) > deadline - time.perf_counter():
            continue
        try:
            last = deadline if n_done else inf
            numbers = recomputed(kept, case, data, n_jobs=n_jobs, deadline=last)
        except OutOfTime:
            break
        n_done += 1
        say(f"{kept.experiment.name} {case.key}")
        wrong += differences(kept, case, numbers)
    say(f"{n_done} of {len(every)} cases were computed again")
    return wrong


def stale(found: Iterable[Kept]) -> list[str]:
    """The names of documents that other code than today's made."""
    return [
        kept.experiment.name
        for kept in found
        if kept.document.get("made_by") != fingerprint(kept.experiment.run)
    ]


def tampered(found: Iterable[Kept]) -> list[str]:
    """The names of documents whose numbers are not those of their digest."""
    return [
        kept.experiment.name
        for kept in found
        if "digest" in kept.document and kept.document["digest"] != digest_of(kept.document["rows"])
    ]


def measured(kept: Kept, data: DataFolders) -> list[Case]:
    """The cases that the document has numbers of, and whose data are here."""
    there = {row["case"] for row in kept.document["rows"] if "mean" in row}
    return [
        case
        for case in kept.experiment.cases
        if case.key in there and (case.data is None or data.missing(case.data) is None)
    ]


def size(case: Case) -> float:
    """What the time of a case grows with: its place on the axis, or the rows of its data."""
    if case.data is None:
        return case.x or 0.0
    entry = find_entry(case.data)
    return float(entry.n_rows if isinstance(entry, TableEntry) else entry.n_nodes)


def expected_seconds(kept: Kept, n_jobs: int | None) -> float:
    """The mean time of a case, on as many cores as will be used."""
    found = kept.document
    n_cases = len(found["cases"]) - len(found["missing"])
    workers: float = found["machine"]["cores"] / n_workers(n_jobs)
    return float(found["seconds"] / n_cases * workers)


def recomputed(
    kept: Kept,
    case: Case,
    data: DataFolders,
    *,
    cache: Path | None = None,
    n_jobs: int | None = None,
    deadline: float = inf,
) -> Numbers:
    """All numbers of one case, from all of its runs."""

    def watch(_: Progress) -> None:
        if time.perf_counter() > deadline:
            raise OutOfTime

    outcome = reproduce(
        replace(kept.experiment, cases=(case,)),
        seed=kept.document["seed"],
        data=data,
        n_jobs=n_jobs,
        cache=cache,
        listener=watch,
    )
    return {
        (row.method, row.measure): (row.mean, row.deviation, row.runs)
        for row in outcome.rows()
        if row.runs is not None
    }


def differences(kept: Kept, case: Case, ours: Numbers) -> list[str]:
    """What is not the same to the last bit as in the document."""
    theirs: Numbers = {
        (row["method"], row["measure"]): (row["mean"], row["deviation"], row["runs"])
        for row in kept.document["rows"]
        if row["case"] == case.key and "mean" in row
    }
    return [
        f"{kept.experiment.name} {case.key}, {' '.join(key)}: {ours.get(key)} instead of "
        f"{theirs.get(key)} (mean, deviation, runs)"
        for key in theirs | ours
        if ours.get(key) != theirs.get(key)
    ]


def main(argv: Sequence[str] | None = None) -> int:
    """Restamp or check; the exit status is 1 where a number differs."""
    options = _parser().parse_args(argv)
    try:
        data = DataFolders.find(options.data_dir)
        names = {find(name).name for name in options.names}
        every = documents(options.folder)
        found = [kept for kept in every if not names or kept.experiment.name in names]
        if options.check:
            wrong = check(
                found, data, seconds=options.seconds, seed=options.seed, n_jobs=options.n_jobs
            )
        else:
            wrong = [
                text
                for kept in found
                for text in restamp(
                    kept, data, share=options.share, cache=cache_folder(), n_jobs=options.n_jobs
                )
            ]
    except (DataError, OSError, ValueError) as error:
        wrong = [str(error)]
    for text in wrong:
        print(text, file=sys.stderr)
    return 1 if wrong else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="restamp", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", metavar="NAME", nargs="*", help="experiments; default: all")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where the documents lie")
    parser.add_argument("--data-dir", type=Path, help="where data sets are looked for first")
    parser.add_argument("--share", type=float, default=_SHARE, help="of the cases; default: 0.05")
    parser.add_argument("--check", action="store_true", help="write nothing, see above")
    parser.add_argument("--seconds", type=float, default=_SECONDS, help="for --check; default: 20")
    parser.add_argument("--seed", type=int, default=0, help="random seed of --check; default: 0")
    parser.add_argument("--n-jobs", type=int, help="processes; default: all cores")
    return parser


if __name__ == "__main__":
    raise SystemExit(main())
