"""``python -m papers NAME ...``: run experiments of the papers again.

Each published number is printed next to ours with its standard error, and whether they agree.
Finished runs are kept in the cache folder ($KGROUPS_CACHE, else ~/.cache/kgroups), and the same
command goes on from there. Data sets are looked for in --data-dir, in $KGROUPS_DATA, and in data of
the cache folder.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path

from kgroups.cli.whole_files import saved, write_whole
from kgroups.exceptions import DataError, GraphNotice
from papers.data import DataFolders
from papers.experiment import Experiment, Row, catalog, find
from papers.results import as_csv, as_markdown, summary
from papers.runner import reproduce

_ALL = "all"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what was named; 1 if an experiment could not be run, 2 for names that are unknown."""
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.list:
        _list()
        return 0
    if options.data_dir is not None and not options.data_dir.is_dir():
        parser.error(f"--data-dir {options.data_dir} is not a folder")
    data = DataFolders.find(options.data_dir)
    try:
        chosen = _chosen(options.names)
    except ValueError as error:
        parser.error(str(error))
    if not chosen:
        parser.error("name an experiment such as table1, or all; --list shows them")
    rows: list[Row] = []
    failed = []
    for experiment in chosen:
        try:
            rows += _reproduce(experiment, data, options)
        except (DataError, RuntimeError) as error:
            print(f"{experiment.name}: {error}", file=sys.stderr)
            failed.append(experiment.name)
    if len(chosen) > 1:
        print(f"All together: {summary(rows)}")
    if failed:
        print(f"not run: {', '.join(failed)}", file=sys.stderr)
    return int(bool(failed))


def _reproduce(experiment: Experiment, data: DataFolders, options: argparse.Namespace) -> list[Row]:
    if options.download:
        for name in dict.fromkeys(experiment.data.values()):
            if data.missing(name):
                data.download(name)
    outcome = reproduce(
        experiment,
        data=data,
        quick=options.quick,
        seed=options.seed,
        n_jobs=options.jobs,
        fresh=options.fresh,
    )
    text = as_markdown(outcome)
    print(text)
    if options.output is not None:
        # The picture is drawn before any file is written.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", GraphNotice)
            picture = saved(experiment.draw(outcome), ".png")
        options.output.mkdir(parents=True, exist_ok=True)
        start = options.output / experiment.name
        write_whole(start.with_suffix(".csv"), as_csv(outcome).encode())
        write_whole(start.with_suffix(".md"), text.encode())
        write_whole(start.with_suffix(".png"), picture)
    return list(outcome.rows())


def _chosen(names: Sequence[str]) -> list[Experiment]:
    """Each experiment once, in the order of the papers."""
    if _ALL in names:
        return list(catalog().values())
    found = {find(name).name for name in names}
    return [experiment for name, experiment in catalog().items() if name in found]


def _list() -> None:
    for name, experiment in catalog().items():
        facts = experiment.facts
        names = ", ".join([name, *facts.other_names])
        print(f"{names:22} {experiment.runs:4} runs  {facts.title} ({facts.figure})")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m papers",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("names", metavar="NAME", nargs="*", help="such as table6 or fig3a, or all")
    parser.add_argument("--list", action="store_true", help="show all names and what they are")
    parser.add_argument("--quick", action="store_true", help="few runs of few cases")
    parser.add_argument("--seed", type=int, default=0, help="of all random numbers")
    parser.add_argument("--jobs", type=int, default=-1, metavar="N", help="processes")
    parser.add_argument("--fresh", action="store_true", help="do kept runs again")
    parser.add_argument(
        "--data-dir", metavar="DIR", type=Path, help="where data sets are looked for first"
    )
    parser.add_argument("--download", action="store_true", help="fetch data sets that are missing")
    parser.add_argument(
        "-o", "--output", metavar="OUT", type=Path,
        help="write NAME.csv, NAME.md and NAME.png into this folder",
    )  # fmt: skip
    return parser


if __name__ == "__main__":
    raise SystemExit(main())
