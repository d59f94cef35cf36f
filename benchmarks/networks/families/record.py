"""Rows of finished cases, one JSON object per line, so that an interrupted run goes on."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import as_completed
from pathlib import Path

from benchmarks.networks.families.family import Case, Row
from benchmarks.networks.workers import one_thread_each

Act = Callable[[Case], Row]


def read(path: Path) -> dict[str, Row]:
    """Rows by key, the last of each; a line cut off by an interruption is left out."""
    rows: dict[str, Row] = {}
    for line in path.read_text("utf-8").splitlines() if path.exists() else ():
        try:
            row = json.loads(line)
        except ValueError:
            continue
        rows[row["key"]] = row
    return rows


def complete(path: Path, cases: Iterable[Case], act: Act, workers: int) -> dict[str, Row]:
    """Run the cases that the file lacks, append each row when it is there, and return all rows.

    No workers at all means this process.
    """
    kept = read(path)
    waiting = [case for case in cases if case.key not in kept]
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        for case, found in _answers(waiting, act, workers):
            row = {"key": case.key, "cell": case.cell, **found}
            file.write(json.dumps(row) + "\n")
            file.flush()
            os.fsync(file.fileno())
            kept[case.key] = row
    return kept


def _answers(cases: list[Case], act: Act, workers: int) -> Iterator[tuple[Case, Row]]:
    if workers == 0:
        for case in cases:
            yield case, act(case)
    elif cases:
        with one_thread_each(workers) as pool:
            try:
                futures = {pool.submit(act, case): case for case in cases}
                for future in as_completed(futures):
                    yield futures[future], future.result()
            finally:
                pool.shutdown(cancel_futures=True)
