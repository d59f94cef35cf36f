"""Fits on Dask clusters: ``python -m benchmarks.dask [cells | kills]``.

``cells`` (the default): each fit of a table, in chunks of any size, on one to three worker
processes, from memory or from files, must have the labels and the numbers of the local fit, to the
bit. All of them take hours; ``--cells N`` takes a random sample. Finished cells are kept in
``--out``, and the same command goes on where it stopped.

``kills``: a worker is killed in each stage of a fit; the answer must be the same, and the fit must
take at most 1.5 times as long as without, besides the restart of the worker. With all workers
killed there must be an error within a minute.

Exit status 1 where a limit is missed.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.dask_cells import Cell, all_cells, run_cells, some_of, table_of
from benchmarks.dask_kills import STAGES, run_kills
from benchmarks.report import print_machine, print_table


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a part; 1 where a limit is missed."""
    options = _parser().parse_args(arguments)
    print_machine()
    folder = Path(tempfile.gettempdir(), "kgroups-dask")
    folder.mkdir(exist_ok=True)
    if options.part == "kills":
        missed = run_kills(options.stages, options.repeats, options.rows, options.seed, folder)
    else:
        missed = cells(options, folder)
    print(*(f"missed: {line}" for line in missed), sep="\n")
    return int(bool(missed))


def cells(options: argparse.Namespace, folder: Path) -> list[str]:
    """Compare, and print how many cells are equal."""
    out = options.out or folder / "cells.jsonl"
    print(f"finished cells are kept in {out}", flush=True)
    with tempfile.TemporaryDirectory(dir=folder) as files:
        lines = run_cells(some_of(all_cells(), options.cells, options.seed), out, Path(files))
    titles = ["equal cells", "local", "1 worker", "2 workers", "3 workers", "time / local"]
    print_table(titles, list(table_of(lines)))
    equal = sum(not line["differ"] for line in lines)
    print(f"{equal:,} of {len(lines):,} cells are equal to the local fit")
    return [
        f"{Cell(**line['cell']).name}: {', '.join(line['differ'])} differ"
        for line in lines
        if line["differ"]
    ]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="benchmarks.dask", description=__doc__.splitlines()[0])
    parser.add_argument("part", nargs="?", choices=("cells", "kills"), default="cells")
    parser.add_argument("--cells", type=int, metavar="N", help="a sample of so many cells")
    parser.add_argument("--out", type=Path, metavar="FILE", help="where finished cells are kept")
    parser.add_argument("--seed", type=int, default=0, help="of the sample, and of the kills")
    kills = parser.add_argument_group("kills")
    kills.add_argument("--repeats", type=int, default=3, metavar="R", help="kills in each stage")
    kills.add_argument("--rows", type=int, default=400_000, metavar="N")
    kills.add_argument("--stages", nargs="+", choices=STAGES, default=list(STAGES), metavar="STAGE")
    return parser


if __name__ == "__main__":
    raise SystemExit(main())
