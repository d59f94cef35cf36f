"""``python -m papers NAME ...``: run experiments of the papers again.

Each published number is printed next to ours with its standard error, and whether they agree.
Finished runs are kept in the cache folder ($KGROUPS_CACHE, else ~/.cache/kgroups), and the same
command goes on from there. Data sets lie in --data-dir, $KGROUPS_DATA, or data of that folder.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path

from kgroups.cli.output import picture_bytes
from kgroups.exceptions import DataError, GraphNotice
from kgroups.runtime.written_whole import written_whole
from papers.data import DataFolders
from papers.experiment import Experiment, Row, catalog, find
from papers.results import as_csv, as_markdown, summary
from papers.runner import reproduce


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what was named; 1 if an experiment could not be run, 2 for names that are unknown."""
    parser = _parser()
    args = parser.parse_args(arguments)
    if args.list:
        for name, experiment in catalog().items():
            facts = experiment.facts
            names = ", ".join([name, *facts.other_names])
            print(f"{names:22} {experiment.runs:4} runs  {facts.title} ({facts.figure})")
        return 0
    if args.data_dir is not None and not args.data_dir.is_dir():
        parser.error(f"--data-dir {args.data_dir} is not a folder")
    try:
        if args.output is not None:
            args.output.mkdir(parents=True, exist_ok=True)
        named = catalog().keys() if "all" in args.names else {find(n).name for n in args.names}
    except (OSError, ValueError) as error:
        parser.error(str(error))
    if not named:
        parser.error("name an experiment such as table1, or all; --list shows them")
    rows: list[Row] = []
    failed = []
    for name in sorted(named, key=list(catalog()).index):
        try:
            rows += _reproduce(catalog()[name], DataFolders.find(args.data_dir), args)
        except (DataError, OSError, RuntimeError, ValueError) as error:
            print(f"{name}: {error}", file=sys.stderr)
            failed.append(name)
    if len(named) > 1:
        print(f"All together: {summary(rows)}")
    return int(bool(failed))


def _reproduce(experiment: Experiment, data: DataFolders, args: argparse.Namespace) -> list[Row]:
    for name in dict.fromkeys(experiment.data.values()) if args.download else ():
        try:
            if data.missing(name):
                data.download(name)
        except DataError as error:
            print(error, file=sys.stderr)
    outcome = reproduce(experiment, data=data, quick=args.quick, seed=args.seed, n_jobs=args.jobs)
    for why in dict.fromkeys(outcome.missing.values()):
        print(why, file=sys.stderr)
    text = as_markdown(outcome)
    print(text)
    if args.output is not None:
        # The picture is drawn before any file is written; runs have the same notices.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", GraphNotice)
            picture = picture_bytes(experiment.draw(outcome), ".png")
        files = {"csv": as_csv(outcome).encode(), "md": text.encode(), "png": picture}
        for suffix, content in files.items():
            with written_whole(args.output / f"{experiment.name}.{suffix}") as stream:
                stream.write(content)
    return list(outcome.rows())


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "python -m papers",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("names", metavar="NAME", nargs="*", help="such as table6 or fig3a, or all")
    add("--list", action="store_true", help="show all names and what they are")
    add("--quick", action="store_true", help="few runs of few cases")
    add("--seed", type=int, default=0, help="of all random numbers")
    add("--jobs", type=int, default=-1, metavar="N", help="processes")
    add("--data-dir", metavar="DIR", type=Path, help="where data sets are looked for first")
    add("--download", action="store_true", help="fetch data sets that are missing")
    add("-o", "--output", metavar="OUT", type=Path, help="folder of NAME.csv, NAME.md, NAME.png")
    return parser


if __name__ == "__main__":
    try:
        raise SystemExit(main())
    except KeyboardInterrupt:
        raise SystemExit(
            "interrupted; the same command goes on with the runs that are kept"
        ) from None
