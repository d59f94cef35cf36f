"""Families run, kept and judged."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from benchmarks.networks.families import FAMILIES, graphs, record
from benchmarks.networks.families.family import Case, Family, References, Row
from benchmarks.networks.families.peers import PEERS, installed
from benchmarks.report import print_table

FOLDER = Path("docs/results/communities")
TENTH = 10


def judge_families(options: argparse.Namespace) -> int:
    """Run what is missing and print the tables; 1 if a limit is missed or a graph is not here."""
    missed: list[str] = []
    for family in _chosen(options):
        cases = _here(family, options, missed)
        path = options.out / f"{family.name}.jsonl"
        rows = _completed(family, cases, path, family.run, options)
        missed += _judged(family, rows, record.read(_kept_references(family, options.out)))
    print("\n" + ("\n".join(missed) or "no limit is missed"))
    return int(bool(missed))


def compare_peers(options: argparse.Namespace) -> int:
    """Run the other programs on the graphs of families that compare with them."""
    absent = [name for name in PEERS if name not in installed()]
    if absent:
        print(f"not installed, and left out: {', '.join(absent)}")
    missed: list[str] = []
    for family in _chosen(options):
        if family.peers is not None and installed():
            cases = _here(family, options, missed)
            path = _references(family, options.out)
            rows = _completed(family, cases, path, family.peers, options)
            print(f"{family.name}: {len(rows)} graphs in {path}")
    print("\n".join(missed))
    return int(bool(missed))


def _chosen(options: argparse.Namespace) -> list[Family]:
    """Families named, else all; those that measure time first, before threads are limited."""
    if options.data_dir is not None:
        os.environ[graphs.DATA_DIR] = str(options.data_dir)
    names = options.families or FAMILIES
    return sorted((FAMILIES[name] for name in names), key=lambda family: not family.alone)


def _here(family: Family, options: argparse.Namespace, missed: list[str]) -> list[Case]:
    """Cases to run: a tenth of the seeds or the first few, if asked for; none that is absent."""
    cases = family.cases()
    if options.quick:
        most = max(case.seed for case in cases) + 1
        cases = [case for case in cases if case.seed < max(1, most // TENTH)]
    if options.seeds is not None:
        cases = [case for case in cases if case.seed < options.seeds]
    absent = graphs.COLLECTED_NAMES - graphs.available()
    found = [case for case in cases if case.name not in absent]
    for case in cases:
        if case.name in absent:
            missed.append(f"{family.name}, {case.name}: not here; give --data-dir")
    return found


def _completed(
    family: Family, cases: list[Case], path: Path, act: record.Act, options: argparse.Namespace
) -> list[Row]:
    if options.fresh:
        path.unlink(missing_ok=True)
    rows = record.complete(path, cases, act, 0 if family.alone else options.workers)
    return [rows[case.key] for case in cases]


def _judged(family: Family, rows: list[Row], references: References) -> list[str]:
    """Print the table; the limits that are missed."""
    same = {
        row["key"]: references[row["key"]]
        for row in rows
        if row["key"] in references and references[row["key"]].get("digest") == row.get("digest")
    }
    other = len([row for row in rows if row["key"] in references]) - len(same)
    print(f"\n{family.question}")
    if other:
        print(f"figures of other programs on {other} graphs are left out: those graphs were others")
    lines = family.lines(rows, same)
    print_table([*family.titles, "missed"], [[*line.cells, line.missed] for line in lines])
    return [f"{family.name}, {line.cells[0]}: {line.missed}" for line in lines if line.missed]


def _references(family: Family, folder: Path) -> Path:
    return folder / f"{family.name}.peers.jsonl"


def _kept_references(family: Family, folder: Path) -> Path:
    """Figures of other programs next to the results, else those that the repository keeps."""
    here = _references(family, folder)
    return here if here.exists() else _references(family, FOLDER)
