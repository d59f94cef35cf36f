"""Runs of an experiment: in parallel, each with its own seed, and none of them twice."""

from __future__ import annotations

import hashlib
import signal
import time
import warnings
from collections.abc import Collection, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from kgroups._parallel import at_most, effective_n_jobs
from kgroups._progress import Progress, tell
from kgroups.datasets import DataError
from kgroups.datasets.benchmarks import DataFolders
from kgroups.exceptions import GraphNotice
from kgroups.reproduction.cache import FinishedRuns
from kgroups.reproduction.experiment import Experiment, Scores
from kgroups.reproduction.fingerprint import fingerprint
from kgroups.reproduction.outcome import Outcome
from kgroups.reproduction.recipes.chance import generator

# Runs that a worker does before it says so.
_BATCH = 4


class Task(NamedTuple):
    """One run of one case."""

    case: str
    run: int


def reproduce(
    experiment: Experiment,
    *,
    quick: bool = False,
    seed: int = 0,
    data: DataFolders | None = None,
    n_jobs: int | None = None,
    cache: Path | None = None,
) -> Outcome:
    """Run an experiment: its published number of runs, or few of them.

    The outcome depends on ``seed`` alone, not on ``n_jobs``. Runs that ``cache`` has from before
    are not done again, and those that finish are kept there at once.

    Parameters
    ----------
    experiment : Experiment
        What to run; see :func:`kgroups.reproduction.find`.
    quick : bool, default=False
        Few runs of few cases.
    seed : int, default=0
        Of all chance.
    data : DataFolders or None
        Where data sets lie; None looks where :meth:`DataFolders.find` does.
    n_jobs : int or None
        Processes; None takes all cores.
    cache : path or None
        Folder of finished runs; None keeps none.

    Returns
    -------
    Outcome
        Cases whose data are missing say so in ``missing``.

    Raises
    ------
    kgroups.datasets.DataError
        When no case has its data.
    """
    begun = time.perf_counter()
    data = DataFolders.find() if data is None else data
    missing = missing_data(experiment, data, quick=quick)
    tasks = planned(experiment, missing, quick=quick)
    if not tasks:
        raise DataError("\n".join(dict.fromkeys(missing.values())))
    done: dict[Task, Scores] = {}
    finished = None if cache is None else _finished(cache, experiment, seed, data)
    if finished is not None:
        done = {task: s for task in tasks if (s := finished.get(*task)) is not None}
    waiting = [task for task in tasks if task not in done]
    n_kept = len(done)
    tell(Progress(phase="runs", total=len(waiting), note=experiment.name))
    with closing(_results(experiment, waiting, seed, data, effective_n_jobs(n_jobs))) as results:
        for number, (task, scores) in enumerate(results, start=1):
            done[task] = scores
            if finished is not None:
                finished.add(*task, scores)
            note = f"{experiment.name}, {experiment.axis} {task.case}"
            tell(Progress(phase="runs", number=number, total=len(waiting), note=note))
    return Outcome(
        experiment=experiment,
        quick=quick,
        seed=seed,
        data=data,
        values=_columns(tasks, done),
        missing=missing,
        seconds=time.perf_counter() - begun,
        n_kept=n_kept,
    )


def planned(
    experiment: Experiment, missing: Collection[str] = (), *, quick: bool = False
) -> list[Task]:
    """Every run of an experiment, but for cases whose data are missing."""
    return [
        Task(case.key, run)
        for case in experiment.chosen(quick=quick)
        if case.key not in missing
        for run in range(experiment.quick_runs if quick else experiment.n_runs)
    ]


def missing_data(experiment: Experiment, data: DataFolders, *, quick: bool) -> dict[str, str]:
    """Cases whose data are missing, and why."""
    found: dict[str, str] = {}
    for case in experiment.chosen(quick=quick):
        if case.data is not None and (why := data.missing(case.data)) is not None:
            found[case.key] = why
    return found


def _finished(folder: Path, experiment: Experiment, seed: int, data: DataFolders) -> FinishedRuns:
    names = [case.data for case in experiment.cases if case.data is not None]
    digests = repr(sorted(data.digests(names).items()))
    of_data = hashlib.sha256(digests.encode()).hexdigest()[:8]
    made_by = f"{fingerprint(experiment.run)}-{of_data}"
    finished = FinishedRuns(folder, experiment.name, seed, made_by)
    finished.load()
    return finished


def _results(
    experiment: Experiment, tasks: Sequence[Task], seed: int, data: DataFolders, n_jobs: int
) -> Generator[tuple[Task, Scores]]:
    """Every task with its scores, in order."""
    batches = [tasks[i : i + _BATCH] for i in range(0, len(tasks), _BATCH)]
    if n_jobs == 1 or len(batches) < 2:
        for task in tasks:
            yield from _run_batch(experiment, [task], seed, data)
        return
    work = Parallel(n_jobs=min(n_jobs, len(batches)), return_as="generator", batch_size=1)
    results = None
    try:
        with _interrupt_held():
            results = work(delayed(_run_batch)(experiment, b, seed, data) for b in batches)
        for found in results:
            yield from found
    finally:
        if results is not None:
            with warnings.catch_warnings():
                # That runs are cancelled when nobody waits for them is what is wanted.
                warnings.simplefilter("ignore", UserWarning)
                results.close()


@contextmanager
def _interrupt_held() -> Iterator[None]:
    """Ctrl-C comes after this block, and never to processes that begin within it.

    A terminal sends it to workers, too, who would all print where they were; they are ended by the
    process that began them.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _run_batch(
    experiment: Experiment, tasks: Sequence[Task], seed: int, data: DataFolders
) -> list[tuple[Task, Scores]]:
    cases = {case.key: case.parameters for case in experiment.cases}
    found = []
    for task in tasks:
        rng = generator(seed, experiment.name, task.case, task.run)
        with warnings.catch_warnings(), at_most(1), threadpool_limits(1):
            # A mixture that has not converged is what the paper's mixtures were, too.
            warnings.simplefilter("ignore", ConvergenceWarning)
            warnings.simplefilter("ignore", GraphNotice)
            found.append((task, _plain(experiment.run(cases[task.case], rng, data))))
    return found


def _plain(scores: Scores) -> Scores:
    """Floats of Python, which are written and read back as they are."""
    return {
        method: {measure: float(value) for measure, value in values.items()}
        for method, values in scores.items()
    }


def _columns(
    tasks: Sequence[Task], done: dict[Task, Scores]
) -> dict[tuple[str, str, str], np.ndarray]:
    columns: dict[tuple[str, str, str], list[float]] = {}
    for task in tasks:
        for method, values in done[task].items():
            for measure, value in values.items():
                columns.setdefault((task.case, method, measure), []).append(value)
    return {key: np.array(values) for key, values in columns.items()}
