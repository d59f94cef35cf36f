"""Runs of an experiment: in parallel, each with its own seed, kept at once and done only once."""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path
from zlib import crc32

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from kgroups.exceptions import DataError, GraphNotice
from kgroups.runtime import at_most
from kgroups.runtime.written_whole import written_whole
from papers.data import DataFolders
from papers.experiment import Experiment, Outcome, Scores, find, generator
from papers.results import versions

# Runs of other code, of other packages and next to other published files are kept apart.
_ROOT = Path(__file__).resolve().parents[1]
_FILES = sorted(p for part in ("src", "papers") for p in (_ROOT / part).rglob("*.*"))
_TEXTS = [path.read_bytes() for path in _FILES if path.suffix in (".py", ".json")]
_CODE = crc32(b"".join([versions().encode(), *_TEXTS]))


def reproduce(
    experiment: Experiment,
    *,
    data: DataFolders,
    quick: bool = False,
    seed: int = 0,
    n_jobs: int = -1,
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
    path = data.folders[-1].parent / "papers" / f"{experiment.name}-{seed}-{_CODE:08x}.jsonl"
    found = finished_runs(path)
    waiting = [task for task in tasks if task not in found]
    n_workers = min(effective_n_jobs(n_jobs), len(waiting) or 1)
    parallel = Parallel(n_workers, return_as="generator_unordered")
    results = parallel(delayed(_run)(experiment.name, *task, seed, data) for task in waiting)
    with path.open("a", encoding="utf-8") as stream:
        for number, result in enumerate(results, 1):
            print(json.dumps(result), file=stream, flush=True)
            found[result[:2]] = result[2]
            if sys.stderr.isatty():
                shown = f"\r{experiment.name}: {number} of {len(waiting)} runs"
                print(shown, end="\n" * (number == len(waiting)), file=sys.stderr)
    values: dict[tuple[str, str, str], list[float]] = {}
    for case, run in tasks:
        for method, measures in found[case, run].items():
            for measure, value in measures.items():
                values.setdefault((case, method, measure), []).append(value)
    arrays = {key: np.array(column) for key, column in values.items()}
    return Outcome(experiment, seed, data, arrays, cases, missing)


def finished_runs(path: Path) -> dict[tuple[str, int], Scores]:
    """The scores of each run, one a line, by its case and number.

    The file is written anew without a line that was cut off.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    text = path.read_text("utf-8") if path.exists() else ""
    *lines, cut_off = text.split("\n")
    if cut_off:
        with written_whole(path) as stream:
            stream.write("".join(f"{line}\n" for line in lines).encode())
    return {(case, run): scores for case, run, scores in map(json.loads, lines)}


def _run(name: str, case: str, run: int, seed: int, data: DataFolders) -> tuple[str, int, Scores]:
    experiment = find(name)
    with warnings.catch_warnings(), at_most(1), threadpool_limits(1):
        # A mixture that has not converged is what the paper's mixtures were, too.
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("ignore", GraphNotice)
        try:
            scores = experiment.run(experiment.cases[case], generator(seed, name, case, run), data)
        except Exception as error:
            raise RuntimeError(f"{experiment.facts.axis} {case}, run {run}: {error}") from error
    found = {m: {q: float(v) for q, v in measures.items()} for m, measures in scores.items()}
    return case, run, found
