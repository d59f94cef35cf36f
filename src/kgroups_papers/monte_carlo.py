"""Runs of an experiment: in parallel, each with its own seed, and none of them twice."""

import signal
import time
import warnings
from collections.abc import Callable, Collection, Generator, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from kgroups.exceptions import DataError, GraphNotice
from kgroups.runtime import at_most
from kgroups_papers.cache import FinishedRuns
from kgroups_papers.catalog import find
from kgroups_papers.data import DataFolders
from kgroups_papers.experiment import Experiment, Outcome
from kgroups_papers.fingerprint import fingerprint
from kgroups_papers.recipes.chance import generator
from kgroups_papers.types import Scores

# Runs that a worker does before it says so.
_BATCH = 4


class RunError(Exception):
    """Which run failed, and of what."""


class Task(NamedTuple):
    """One run of one case."""

    case: str
    run: int


class Progress(NamedTuple):
    """How many runs of an experiment are done, and how long the others will take if it is known."""

    number: int
    total: int
    seconds_left: float | None = None


def reproduce(
    experiment: Experiment | str,
    *,
    quick: bool = False,
    seed: int = 0,
    data: DataFolders | Path | str | None = None,
    n_jobs: int | None = None,
    cache: Path | None = None,
    fresh: bool = False,
    listener: Callable[[Progress], None] | None = None,
) -> Outcome:
    """Run an experiment: its published number of runs, or few of them.

    The outcome depends on ``seed`` alone, not on ``n_jobs``. Runs that ``cache`` has from before
    are not done again, and those that finish are kept there at once.

    Parameters
    ----------
    experiment : Experiment or str
        What to run, or its name.
    quick : bool, default=False
        Few runs of few cases.
    seed : int, default=0
        Seed of all random numbers.
    data : DataFolders, path or None
        Where data sets lie; a path is the first folder of :meth:`DataFolders.find`.
    n_jobs : int or None
        Processes; None takes all cores.
    cache : path or None
        Folder of finished runs; None keeps none.
    fresh : bool, default=False
        Do runs again that ``cache`` has.
    listener : callable or None
        Called before the first run and after each one.

    Returns
    -------
    Outcome
        Cases whose data are missing say so in ``missing``.

    Raises
    ------
    kgroups.input.table_files.DataError
        When no case has its data, or they are not what they should be.
    RunError
        When a run fails.
    """
    begun = time.perf_counter()
    if isinstance(experiment, str):
        experiment = find(experiment)
    if not isinstance(data, DataFolders):
        data = DataFolders.find(data)
    missing = missing_data(experiment, data, quick=quick)
    tasks = planned(experiment, missing, quick=quick)
    if not tasks:
        raise DataError("\n".join(dict.fromkeys(missing.values())))
    done: dict[Task, Scores] = {}
    finished = None
    if cache is not None:
        made_from = _digests(experiment, data, quick=quick)
        made_by = fingerprint(experiment.run)
        finished = FinishedRuns(cache, experiment.name, seed, made_by, made_from)
        kept = finished.load()
        done = {} if fresh else {task: kept[task] for task in tasks if task in kept}
    waiting = [task for task in tasks if task not in done]
    n_kept = len(done)
    tell = _telling(len(waiting), listener)
    tell(0)
    with closing(_results(experiment, waiting, seed, data, n_workers(n_jobs))) as results:
        for number, (task, scores) in enumerate(results, start=1):
            done[task] = scores
            if finished is not None:
                finished.add(*task, scores)
            tell(number)
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


def n_workers(n_jobs: int | None) -> int:
    """Number of processes that ``n_jobs`` stands for: all usable cores for None and -1."""
    return int(effective_n_jobs(-1 if n_jobs is None else n_jobs))


def _telling(total: int, listener: Callable[[Progress], None] | None) -> Callable[[int], None]:
    """Tells the listener how many runs are done; all are taken to last equally long."""
    begun = time.perf_counter()

    def tell(number: int) -> None:
        """Tell how many runs are done and how much time is left."""
        if listener is not None:
            each = (time.perf_counter() - begun) / number if number else None
            left = None if each is None else each * (total - number)
            listener(Progress(number, total, left))

    return tell


def planned(
    experiment: Experiment, missing: Collection[str] = (), *, quick: bool = False
) -> list[Task]:
    """Every run of an experiment, except cases whose data are missing."""
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


def _digests(experiment: Experiment, data: DataFolders, *, quick: bool) -> dict[str, str]:
    """Digests of the data of each case."""
    named = {c.key: c.data for c in experiment.chosen(quick=quick) if c.data is not None}
    digests = data.digests(set(named.values()))
    return {case: digests[name] for case, name in named.items() if name in digests}


def _results(
    experiment: Experiment, tasks: Sequence[Task], seed: int, data: DataFolders, n_jobs: int
) -> Generator[tuple[Task, Scores]]:
    """Every task with its scores, as they come."""
    batches = [tasks[i : i + _BATCH] for i in range(0, len(tasks), _BATCH)]
    if n_jobs == 1 or len(batches) < 2:
        for task in tasks:
            yield from _run_batch(experiment, [task], seed, data)
        return
    work = Parallel(n_jobs=min(n_jobs, len(batches)), return_as="generator_unordered", batch_size=1)
    results = None
    try:
        with _interrupt_held():
            results = work(delayed(_run_batch)(experiment, b, seed, data) for b in batches)
        for found in results:
            yield from found
    except BrokenProcessPool as error:
        raise RunError(
            f"{experiment.name}: a process was ended during a run, perhaps because memory ran out; "
            "fewer processes need less."
        ) from error
    finally:
        if results is not None:
            with warnings.catch_warnings():
                # Canceling runs that are not waited for is intended.
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
            try:
                scores = experiment.run(cases[task.case], rng, data)
            except Exception as error:
                raise RunError(
                    f"{experiment.name}, {experiment.axis} {task.case}, run {task.run} with seed "
                    f"{seed}: {type(error).__name__}: {error}"
                ) from error
            found.append((task, _plain(scores)))
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
