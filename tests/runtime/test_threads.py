"""Work over a thread pool: order, exceptions, cancellation, and how many threads a number means."""

import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor as Pool

import joblib
import numpy as np
import pytest
from joblib.externals.loky.backend import context

from helpers import each
from kgroups import KernelKGroups
from kgroups.runtime import threads
from kgroups.runtime.threads import (
    Threads,
    at_most,
    crew,
    default_threads,
    effective_n_jobs,
    kept,
    run,
)


@each("n_workers", [1, 2, 5])
def test_results_come_in_the_order_of_the_tasks(n_workers):
    """The first task of several is the last to end."""

    def work(task):
        time.sleep(0.02 if task == 0 else 0.0)
        return task * task

    assert list(Threads(n_workers).map(work, range(40))) == [task * task for task in range(40)]


def test_tasks_run_at_the_same_time():
    """Three tasks that wait for each other end only if three run at once."""
    barrier = threading.Barrier(3, timeout=10)
    assert sorted(Threads(3).map(lambda _: barrier.wait(), range(3))) == [0, 1, 2]


def test_one_worker_and_one_task_stay_on_the_calling_thread():
    here = threading.get_ident()
    assert list(run(lambda _: threading.get_ident(), range(3), 1)) == [here] * 3
    assert list(run(lambda _: threading.get_ident(), range(1), 8)) == [here]
    assert here not in list(run(lambda _: threading.get_ident(), range(3), 2))


@each("n_workers", [1, 3])
def test_an_exception_is_raised_where_its_result_is_due(n_workers):
    def work(task):
        if task == 2:
            raise KeyError("the third")
        return task

    results = iter(Threads(n_workers).map(work, range(50)))
    assert [next(results), next(results)] == [0, 1]
    with pytest.raises(KeyError, match="the third"):
        next(results)


def test_after_an_exception_waiting_tasks_are_canceled():
    """Of 1,000 tasks only those that were submitted ahead of the first result can have begun."""
    begun = []

    def work(task):
        begun.append(task)
        if task == 0:
            raise ZeroDivisionError
        time.sleep(0.001)

    with pytest.raises(ZeroDivisionError):
        list(run(work, range(1000), 2))
    assert len(begun) <= threads._AHEAD * 2 + 1


def test_few_results_wait_for_a_slow_reader():
    """After one result is read, at most four tasks per thread and one more have begun."""
    begun = []
    results = iter(run(begun.append, range(500), 2))
    next(results)
    time.sleep(0.05)
    assert len(begun) == threads._AHEAD * 2 + 1
    results.close()


@each("n_threads", [1, 3])
def test_a_crew_finishes_each_round_before_the_next(n_threads):
    done = []
    with crew(n_threads) as everybody:
        for round_ in range(3):
            everybody(lambda task, round_=round_: done.append((round_, task)), range(5))
            assert len(done) == 5 * (round_ + 1)
    assert sorted(done) == [(round_, task) for round_ in range(3) for task in range(5)]


@each("n_threads", [1, 2])
def test_a_crew_raises_what_its_work_raises(n_threads):
    with crew(n_threads) as everybody, pytest.raises(ZeroDivisionError):
        everybody(lambda task: 1 / task, [1, 0])


def test_kept_threads_serve_several_maps_in_order():
    names = set()

    def work(task):
        names.add(threading.current_thread().name)
        time.sleep(0.001 * (5 - task))
        return task

    with kept(Threads(2)) as executor:
        assert executor.n_workers == 2
        assert [list(executor.map(work, range(5))) for _ in range(10)] == [[0, 1, 2, 3, 4]] * 10
        assert len(names) == 2
        with pytest.raises(ZeroDivisionError):
            list(executor.map(lambda task: 1 / task, [1, 0]))
        assert list(executor.map(str, [7])) == ["7"]


def test_at_most_holds_within_its_block_and_is_undone_by_an_error():
    cores = effective_n_jobs(None)
    with at_most(3):
        assert default_threads() == 3
        with at_most(1):
            assert default_threads() == 1
        assert default_threads() == 3
    assert default_threads() == cores
    with pytest.raises(RuntimeError), at_most(7):
        raise RuntimeError
    assert default_threads() == cores


def test_at_most_is_not_passed_on_to_other_threads():
    with at_most(1):
        seen = list(run(lambda _: default_threads(), range(2), 2))
    assert seen == [effective_n_jobs(None)] * 2


@pytest.fixture(autouse=True)
def cores_are_counted_anew():
    """No number of cores that a test makes up is remembered by another."""
    threads._usable_cores.cache_clear()
    yield
    threads._usable_cores.cache_clear()


def eight_cores(monkeypatch):
    monkeypatch.setattr(threads.os, "sched_getaffinity", lambda _: set(range(8)), raising=False)
    monkeypatch.setattr(threads.os, "cpu_count", lambda: 8)
    for variable in ("OMP_NUM_THREADS", "LOKY_MAX_CPU_COUNT"):
        monkeypatch.delenv(variable, raising=False)


@pytest.mark.parametrize(
    ("n_jobs", "n_threads"),
    [(None, 8), (-1, 8), (-2, 7), (-8, 1), (-9, 1), (-100, 1), (1, 1), (5, 5), (20, 20)],
)
def test_numbers_of_jobs_on_eight_cores(n_jobs, n_threads, monkeypatch):
    eight_cores(monkeypatch)
    assert effective_n_jobs(n_jobs) == n_threads


@pytest.mark.filterwarnings("ignore:Failed to inspect CPU affinity")  # of joblib, on Linux only
def test_numbers_of_jobs_where_the_system_does_not_tell_what_is_usable(monkeypatch):
    monkeypatch.delattr(threads.os, "sched_getaffinity", raising=False)
    monkeypatch.setitem(sys.modules, "psutil", None)  # which would tell
    monkeypatch.setattr(threads.os, "cpu_count", lambda: 4)
    assert effective_n_jobs(-1) == 4
    threads._usable_cores.cache_clear()
    monkeypatch.setattr(threads.os, "cpu_count", lambda: None)
    assert effective_n_jobs(None) == 1


@pytest.mark.parametrize(
    ("variable", "value", "n_threads"),
    [
        ("OMP_NUM_THREADS", "3", (3, 8)),
        ("OMP_NUM_THREADS", "3,2", (3, 8)),
        ("OMP_NUM_THREADS", "12", (8, 8)),
        ("OMP_NUM_THREADS", "many", (8, 8)),
        ("LOKY_MAX_CPU_COUNT", "5", (5, 5)),
    ],
)
def test_variables_that_limit_threads(variable, value, n_threads, monkeypatch):
    """What n_jobs=None and n_jobs=-1 stand for; a number is taken at its word."""
    eight_cores(monkeypatch)
    monkeypatch.setenv(variable, value)
    assert (effective_n_jobs(None), effective_n_jobs(-1)) == n_threads
    assert effective_n_jobs(20) == 20


def test_joblib_says_what_no_number_means(monkeypatch):
    eight_cores(monkeypatch)
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    with joblib.parallel_config(n_jobs=3):
        assert effective_n_jobs(None) == 3
        assert (effective_n_jobs(1), effective_n_jobs(-1)) == (1, 8)
    with joblib.parallel_config(n_jobs=-2):
        assert effective_n_jobs(None) == 7
    with joblib.parallel_config(backend="threading"):
        assert effective_n_jobs(None) == 2


def test_a_fit_uses_as_many_threads_as_joblib_says(monkeypatch):
    seen = []
    monkeypatch.setattr(threads, "ThreadPoolExecutor", lambda n: seen.append(n) or Pool(n))
    X = np.random.default_rng(0).normal(size=(3000, 2))
    with joblib.parallel_config(n_jobs=3):
        KernelKGroups(2, n_init=4, random_state=0).fit(X)
    assert set(seen) == {3}


def test_the_limit_of_a_container(monkeypatch):
    """A quota of the control group, as joblib reads it."""
    eight_cores(monkeypatch)
    monkeypatch.setattr(context, "_cpu_count_cgroup", lambda _: 2)
    assert effective_n_jobs(None) == 2


def test_cores_are_counted_once_for_each_affinity_and_limit(monkeypatch):
    eight_cores(monkeypatch)
    counted = []
    count = joblib.cpu_count
    monkeypatch.setattr(joblib, "cpu_count", lambda: counted.append(1) or count())
    assert [effective_n_jobs(-1) for _ in range(3)] == [8, 8, 8]
    assert len(counted) == 1
    monkeypatch.setenv("LOKY_MAX_CPU_COUNT", "5")
    assert [effective_n_jobs(-1) for _ in range(2)] == [5, 5]
    monkeypatch.setattr(threads.os, "sched_getaffinity", lambda _: {0, 3, 4}, raising=False)
    assert effective_n_jobs(-1) == 3
    assert len(counted) == 3
