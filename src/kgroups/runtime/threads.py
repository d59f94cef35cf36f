"""Work split over a thread pool in blocks that do not depend on the number of threads."""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol, TypeVar

Task = TypeVar("Task")
Result = TypeVar("Result")


# How many tasks per thread may run ahead of the next result.
_AHEAD = 2

_at_most: ContextVar[int | None] = ContextVar("at_most", default=None)


class Executor(Protocol):
    """What carries out work over blocks of rows: threads here, the workers of a cluster elsewhere.

    Results come in the order of the tasks, so that no sum depends on who was first. Work returns
    what it makes, and writes into nothing of the caller's.
    """

    @property
    def n_workers(self) -> int:
        """How many tasks run at the same time."""
        ...

    def map(self, work: Callable[[Task], Result], tasks: Iterable[Task]) -> Iterable[Result]:
        """Results of ``work`` over ``tasks``, in the order of the tasks."""
        ...


@dataclass(frozen=True)
class Threads:
    """An executor of threads in this process."""

    n_workers: int = 1

    def map(self, work: Callable[[Task], Result], tasks: Iterable[Task]) -> Iterable[Result]:
        """See :func:`run`."""
        return run(work, tasks, self.n_workers)


@contextmanager
def at_most(n_threads: int) -> Iterator[None]:
    """Within this block, code that does not choose a thread count uses at most this many."""
    token = _at_most.set(n_threads)
    try:
        yield
    finally:
        _at_most.reset(token)


def default_threads() -> int:
    """All usable cores, or what :func:`at_most` allows."""
    return _at_most.get() or effective_n_jobs(None)


def effective_n_jobs(n_jobs: int | None) -> int:
    """Number of threads that ``n_jobs`` stands for: all usable cores for None and -1.

    Usable are the cores that the process may use by its affinity, by the limits of its container
    and by ``LOKY_MAX_CPU_COUNT``. ``joblib.parallel_config(n_jobs=...)`` says what None means;
    without it, None is at most ``OMP_NUM_THREADS``.
    """
    import joblib

    cores = _usable_cores(_affinity(), os.environ.get("LOKY_MAX_CPU_COUNT"))
    if n_jobs is None:
        n_jobs = joblib.parallel.get_active_backend()[1]
    if n_jobs is None:
        return min(cores, _omp_num_threads() or cores)
    if n_jobs == 0:
        raise ValueError("n_jobs=0 has no meaning; write n_jobs=1 for one thread, None for all.")
    return n_jobs if n_jobs > 0 else max(1, cores + 1 + n_jobs)


def _affinity() -> frozenset[int] | None:
    """The cores that the process may use, where the system tells."""
    return frozenset(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else None


@lru_cache(maxsize=8)
def _usable_cores(affinity: frozenset[int] | None, loky_max_cpu_count: str | None) -> int:
    """The number of cores that joblib counts, which reads files; once for each of its settings."""
    import joblib

    return int(joblib.cpu_count())


def _omp_num_threads() -> int | None:
    """The first number of OMP_NUM_THREADS, which may be a list for nested levels."""
    first = os.environ.get("OMP_NUM_THREADS", "").partition(",")[0].strip()
    return int(first) if first.isdecimal() and int(first) > 0 else None


def run(work: Callable[[Task], Result], tasks: Iterable[Task], n_threads: int) -> Iterable[Result]:
    """Results of ``work`` over ``tasks``, in the order of the tasks.

    An exception, Ctrl-C among them, is raised to the caller at once: tasks that have not begun are
    canceled, and those that are running are not waited for.
    """
    if n_threads == 1 or (isinstance(tasks, Sequence) and len(tasks) <= 1):
        yield from map(work, tasks)
        return
    pool = ThreadPoolExecutor(n_threads)
    try:
        yield from _in_order(pool, work, tasks, n_threads)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _in_order(
    pool: ThreadPoolExecutor,
    work: Callable[[Task], Result],
    tasks: Iterable[Task],
    n_threads: int,
) -> Iterator[Result]:
    """Few results wait for their turn, however many tasks there are."""
    waiting: deque[Future[Result]] = deque()
    for task in tasks:
        waiting.append(pool.submit(work, task))
        if len(waiting) > _AHEAD * n_threads:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()


@dataclass(frozen=True)
class _Kept:
    """An executor of threads that stay."""

    pool: ThreadPoolExecutor
    n_workers: int

    def map(self, work: Callable[[Task], Result], tasks: Iterable[Task]) -> Iterable[Result]:
        """See :func:`run`."""
        return _in_order(self.pool, work, tasks, self.n_workers)


@contextmanager
def kept(executor: Executor) -> Iterator[Executor]:
    """The same executor, whose threads, if it has some, stay for all maps within this block.

    New threads for each map would take longer than short tasks do.
    """
    if not isinstance(executor, Threads) or executor.n_workers == 1:
        yield executor
        return
    pool = ThreadPoolExecutor(executor.n_workers)
    try:
        yield _Kept(pool, executor.n_workers)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


@contextmanager
def crew(n_threads: int) -> Iterator[Callable[[Callable[[Task], object], Sequence[Task]], None]]:
    """Threads that stay for several rounds of work: ``work(function, tasks)`` waits for a round."""
    if n_threads == 1:
        yield lambda function, tasks: _exhaust(map(function, tasks))
        return
    pool = ThreadPoolExecutor(n_threads)
    try:
        yield lambda function, tasks: _exhaust(pool.map(function, tasks))
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _exhaust(results: Iterable[object]) -> None:
    for _ in results:
        pass


def blocks(start: int, stop: int, size: int) -> list[tuple[int, int]]:
    """Consecutive half-open intervals of at most ``size`` that cover ``start`` to ``stop``.

    >>> blocks(0, 5, 2)
    [(0, 2), (2, 4), (4, 5)]
    """
    return [(a, min(a + size, stop)) for a in range(start, stop, size)]
