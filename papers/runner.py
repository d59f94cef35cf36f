"""Runs of an experiment: in parallel, each with its own seed, kept at once and done only once."""

from __future__ import annotations

import csv
import io
import sys
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from zlib import crc32

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from kgroups.cli.whole_files import write_whole
from kgroups.exceptions import DataError, GraphNotice
from kgroups.runtime import at_most
from papers.data import DataFolders
from papers.experiment import Experiment, Outcome, find, generator

# ``left`` counts the lines of a run that follow: one whose last line is not there was cut off.
_COLUMNS = ("case", "run", "method", "measure", "value", "left")
_ROOT = Path(__file__).resolve().parents[1]

#: Method, measure and value.
Number = tuple[str, str, float]
Line = tuple[str, int, str, str, float, int]


def reproduce(
    experiment: Experiment,
    *,
    data: DataFolders,
    quick: bool = False,
    seed: int = 0,
    n_jobs: int = -1,
    fresh: bool = False,
) -> Outcome:
    """Run an experiment, or what the file of its finished runs lacks.

    The outcome depends on ``seed`` alone. Cases whose data are missing say so in ``missing``;
    :class:`kgroups.exceptions.DataError` where that is all of them.
    """
    chosen = (quick and experiment.quick_cases) or tuple(experiment.cases)
    needed = {case: experiment.data[case] for case in chosen if case in experiment.data}
    missing = {case: why for case, name in needed.items() if (why := data.missing(name))}
    cases = tuple(case for case in chosen if case not in missing)
    if not cases:
        raise DataError("\n".join(dict.fromkeys(missing.values())))
    n_runs = experiment.quick_runs if quick else experiment.runs
    tasks = [(case, run) for case in cases for run in range(n_runs)]
    path = runs_file(experiment.name, seed, data)
    if fresh or not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, _text([_COLUMNS]).encode())
    found = finished_runs(path)
    waiting = [task for task in tasks if task not in found]
    with path.open("a", encoding="utf-8", newline="") as stream:
        for number, lines in enumerate(_results(experiment, waiting, seed, data, n_jobs), 1):
            stream.write(_text(lines))
            stream.flush()
            _show(experiment.name, number, len(waiting))
    found = finished_runs(path)
    values: dict[tuple[str, str, str], list[float]] = {}
    for task in tasks:
        for method, measure, value in found[task]:
            values.setdefault((task[0], method, measure), []).append(value)
    return Outcome(
        experiment=experiment,
        seed=seed,
        data=data,
        values={key: np.array(column) for key, column in values.items()},
        cases=cases,
        missing=missing,
    )


def runs_file(name: str, seed: int, data: DataFolders) -> Path:
    """Where runs are kept: next to downloads, and for other code in another file."""
    sources = sorted(p for folder in ("src", "papers") for p in (_ROOT / folder).rglob("*.py"))
    code = crc32(b"".join(path.read_bytes() for path in sources))
    return data.folders[-1].parent / "papers" / f"{name}-{seed}-{code:08x}.csv"


def finished_runs(path: Path) -> dict[tuple[str, int], list[Number]]:
    """Method, measure and value of each number, by the case and the number of whole runs.

    The file is written anew without a run that was cut off.
    """
    text = path.read_text("utf-8")
    whole = text[: text.rfind("\n") + 1]
    lines = list(csv.reader(io.StringIO(whole)))
    ends = {(case, run) for case, run, *_, left in lines if left == "0"}
    kept = [line for line in lines[1:] if (line[0], line[1]) in ends]
    if whole != text or len(kept) < len(lines) - 1:
        write_whole(path, _text([_COLUMNS, *kept]).encode())
    found: dict[tuple[str, int], list[Number]] = {}
    for case, run, method, measure, value, _ in kept:
        found.setdefault((case, int(run)), []).append((method, measure, float(value)))
    return found


def _results(
    experiment: Experiment,
    tasks: Sequence[tuple[str, int]],
    seed: int,
    data: DataFolders,
    n_jobs: int,
) -> Iterator[list[Line]]:
    """The lines of each run, as they come."""
    parallel = Parallel(
        min(effective_n_jobs(n_jobs), max(1, len(tasks))), return_as="generator_unordered"
    )
    yield from parallel(delayed(_run)(experiment.name, *task, seed, data) for task in tasks)


def _run(name: str, case: str, run: int, seed: int, data: DataFolders) -> list[Line]:
    experiment = find(name)
    with warnings.catch_warnings(), at_most(1), threadpool_limits(1):
        # A mixture that has not converged is what the paper's mixtures were, too.
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("ignore", GraphNotice)
        try:
            scores = experiment.run(experiment.cases[case], generator(seed, name, case, run), data)
        except Exception as error:
            raise RuntimeError(
                f"{name}, {experiment.facts.axis} {case}, run {run}: {error}"
            ) from error
    found = [(m, q, float(v)) for m, measures in scores.items() for q, v in measures.items()]
    return [(case, run, *one, len(found) - i) for i, one in enumerate(found, 1)]


def _text(lines: Sequence[Sequence[object]]) -> str:
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerows(lines)
    return stream.getvalue()


def _show(name: str, number: int, total: int) -> None:
    if sys.stderr.isatty():
        end = "\n" if number == total else ""
        print(f"\r{name}: {number} of {total} runs", end=end, file=sys.stderr, flush=True)
