"""``python -m benchmarks.frozen``: exit status 1 when an answer differs from the frozen one.

``--update`` keeps the answers of today unless some W rises; the commit says why they changed. A
line of text stands for one problem: a fit to other rows or with other settings gets another line.
"""

import argparse
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from benchmarks.frozen.comparison import Change, changes
from benchmarks.frozen.file import FROZEN, matching, read, write
from benchmarks.frozen.outcome import Outcome
from benchmarks.frozen.run import run


def main(arguments: Sequence[str] | None = None, path: Path = FROZEN) -> int:
    """Run the fits, print every one that differs, and with ``--update`` keep what is no worse."""
    options = _parser().parse_args(arguments)
    frozen = read(path)
    names = matching(options.only, frozen, fast=options.fast)
    differing = changes(frozen, outcomes(names, options.workers))
    for change in differing:
        print(change)
    print(f"{len(names)} fits, differing: {len(differing)}")
    if options.update:
        return update(path, frozen, differing)
    return 1 if differing or not names else 0


def outcomes(names: Sequence[str], n_workers: int) -> dict[str, Outcome]:
    """The outcome of each fit, from so many processes."""
    if n_workers == 1:
        return {name: run(name) for name in names}
    with ProcessPoolExecutor(n_workers, mp_context=get_context("spawn")) as pool:
        return dict(zip(names, pool.map(run, names, chunksize=4), strict=True))


def update(path: Path, frozen: dict[str, Outcome], differing: Sequence[Change]) -> int:
    """Write what differs into the file, and leave all other lines as they are to the last digit."""
    worse = [change.name for change in differing if change.is_worse]
    if worse:
        print(f"not updated, because these became worse: {'; '.join(worse)}", file=sys.stderr)
        return 1
    if differing:
        write(path, {**frozen, **{change.name: change.new for change in differing}})
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.frozen", description=__doc__)
    parser.add_argument(
        "--update",
        action="store_true",
        help="write the answers of today into the file; refused when W of some fit rises",
    )
    parser.add_argument(
        "--only", default="", metavar="PATTERN", help="fits whose line holds this; * is anything"
    )
    parser.add_argument("--fast", action="store_true", help="none of many rows, none on a cluster")
    parser.add_argument("--workers", type=int, default=1, metavar="N", help="processes (default 1)")
    return parser


if __name__ == "__main__":
    raise SystemExit(main())
