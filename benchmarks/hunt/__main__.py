"""Random problems against plain definitions: ``python -m benchmarks.hunt --fits N --graphs N``.

Exit status 1 where an answer is wrong, or an error or a warning is not documented or is missing.
``--files`` adds hostile files, kills and full disks; ``--record`` keeps the outcome in
docs/reliability.md; ``--only fit:17`` judges one problem and prints its shortest form.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module

from benchmarks.hunt.record import keep
from benchmarks.hunt.run import Failure, Tally, drawn, explained, hunt, judged, kinds_of


def main(arguments: Sequence[str] | None = None) -> int:
    """Hunt; 1 if anything is wrong."""
    options = _parser().parse_args(arguments)
    if options.only:
        return _one(options.only, options.seed)
    wrong = _hunt(options) if options.fits or options.graphs else 0
    if options.files:
        wrong |= _files()
    return wrong


def _hunt(options: argparse.Namespace) -> int:
    counts = {"fit": options.fits, "graph": options.graphs}
    tally = Tally({}, [])
    for tally in hunt(counts, options.seed, 60 * options.minutes, options.workers, options.first):
        _progress(tally)
    groups = kinds_of(tally.failed)
    for kind, failed in groups.items():
        print(f"\n== {len(failed)} x {kind}")
        found = explained(failed[0], options.seed)
        print(f"# --seed {options.seed} --only {found.kind}:{found.number}\n{found.program}")
    print(f"\n{summary(tally)}")
    if options.record:
        keep(tally, options.seed, options.workers)
    return int(bool(tally.failed))


def summary(tally: Tally) -> str:
    """One line for the terminal."""
    done = " and ".join(f"{count:,} {kind}s" for kind, count in tally.done.items() if count)
    rate = sum(tally.done.values()) / max(tally.seconds, 1e-9) * 60
    return f"{done} in {tally.seconds:.0f} s ({rate:,.0f} a minute): {len(tally.failed)} wrong"


def _progress(tally: Tally) -> None:
    if sys.stderr.isatty():
        print(f"\r{summary(tally)} ", end="", file=sys.stderr, flush=True)


def _one(name: str, seed: int) -> int:
    kind, _, number = name.partition(":")
    wrong = judged(drawn(kind, seed, int(number)))
    if wrong:
        print(explained(Failure(kind, int(number), wrong), seed).program)
    print("\n".join(wrong) or "right")
    return int(bool(wrong))


def _files() -> int:
    """What hostile files and kills do; each module prints what is wrong and returns 0 or 1."""
    wrong = 0
    for name in ("files", "kills"):
        wrong |= int(import_module(f"benchmarks.hunt.{name}").main([]))
    return wrong


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.hunt", description=__doc__)
    parser.add_argument("--fits", type=int, default=0, metavar="N", help="random tables")
    parser.add_argument("--graphs", type=int, default=0, metavar="N", help="random graphs")
    parser.add_argument("--files", action="store_true", help="hostile files, kills, full disks")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="number of the first problem")
    parser.add_argument("--minutes", type=float, default=60.0, help="stop after so many")
    parser.add_argument("--workers", type=int, default=1, metavar="N", help="processes")
    parser.add_argument("--only", metavar="KIND:NUMBER", help="one problem, such as fit:17")
    parser.add_argument("--record", action="store_true", help="keep it in docs/reliability.md")
    return parser


if __name__ == "__main__":
    raise SystemExit(main())
