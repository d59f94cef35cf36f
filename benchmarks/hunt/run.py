"""Problems one after another, from several processes; what is wrong comes back as it is found."""

from __future__ import annotations

import os
import time
import traceback
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass
from multiprocessing import get_context

from benchmarks.hunt import judge_graphs, judge_large, judge_tables
from benchmarks.hunt.containers import snippet
from benchmarks.hunt.pairless import PAIRLESS_EVERY, draw_pairless
from benchmarks.hunt.problems import Graph, Problem, draw_fit, draw_graph
from benchmarks.hunt.shrink import kind_of, shortest

# Problems that a process is handed at a time.
_AT_ONCE = 20
KINDS = ("fit", "graph")


@dataclass(frozen=True)
class Failure:
    """A problem whose answer is wrong, by its kind and number."""

    kind: str
    number: int
    faults: list[str]
    #: The shortest program that shows it; empty until it is asked for.
    program: str = ""


def drawn(kind: str, seed: int, number: int) -> Problem:
    """A problem by its kind and number."""
    if kind == "graph":
        return draw_graph(seed, number)
    is_pairless = number % PAIRLESS_EVERY == PAIRLESS_EVERY - 1
    return draw_pairless(seed, number) if is_pairless else draw_fit(seed, number)


def judged(problem: Problem) -> list[str]:
    """All that is wrong with the answer to a problem."""
    if isinstance(problem, Graph):
        return judge_graphs.judge(problem)
    return judge_large.judge(problem) if problem.act == "large" else judge_tables.judge(problem)


def failures(
    kind: str, seed: int, numbers: range, seconds: float = float("inf")
) -> Iterator[Failure]:
    """The failures among some problems; the oracle's own errors count."""
    end = time.monotonic() + seconds
    for number in numbers:
        if time.monotonic() > end:
            return
        try:
            faults = judged(drawn(kind, seed, number))
        except Exception:  # told as a failure, and the hunt goes on
            faults = [f"the hunt itself failed: {traceback.format_exc()}"]
        if faults:
            yield Failure(kind, number, faults)


def explained(failure: Failure, seed: int, seconds: float = 20.0) -> Failure:
    """The failure with the shortest program that shows it."""
    problem = drawn(failure.kind, seed, failure.number)
    try:
        short = shortest(problem, judged, seconds)
        faults = judged(short)
    except Exception:  # the failure as it was found is worth more than none
        short, faults = problem, failure.faults
    return Failure(failure.kind, failure.number, failure.faults, snippet(short, faults))


def _batch(kind: str, seed: int, first: int, stop: int) -> list[Failure]:
    return list(failures(kind, seed, range(first, stop)))


@dataclass
class Tally:
    """How many problems were judged, and which failed."""

    done: dict[str, int]
    failed: list[Failure]
    seconds: float = 0.0


def hunt(
    counts: dict[str, int], seed: int, seconds: float, workers: int, first: int = 0
) -> Iterator[Tally]:
    """The tally after each batch, until all problems are judged or the time is up."""
    batches = [
        (kind, start, min(start + _AT_ONCE, first + count))
        for kind, count in counts.items()
        for start in range(first, first + count, _AT_ONCE)
    ]
    # Fits and graphs in turn, so that a hunt that is cut short has seen both.
    batches.sort(key=lambda batch: ((batch[1] - first) / max(1, counts[batch[0]]), batch[0]))
    tally, begun = Tally(dict.fromkeys(counts, 0), []), time.monotonic()
    for (kind, start, stop), failed in _answers(batches, seed, begun + seconds, workers):
        tally.done[kind] += stop - start
        tally.failed += failed
        tally.seconds = time.monotonic() - begun
        yield tally
    yield tally


def _answers(
    batches: list[tuple[str, int, int]], seed: int, end: float, workers: int
) -> Iterator[tuple[tuple[str, int, int], list[Failure]]]:
    if workers == 1:
        for batch in batches:
            if time.monotonic() > end:
                return
            yield batch, _batch(batch[0], seed, *batch[1:])
        return
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(name, "1")
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        waiting: dict[Future[list[Failure]], tuple[str, int, int]] = {}
        rest = iter(batches)
        while True:
            while len(waiting) < 2 * workers and time.monotonic() < end:
                batch = next(rest, None)
                if batch is None:
                    break
                waiting[pool.submit(_batch, batch[0], seed, *batch[1:])] = batch
            if not waiting:
                return
            for future in wait(waiting, return_when=FIRST_COMPLETED).done:
                yield waiting.pop(future), future.result()


def kinds_of(failed: list[Failure]) -> dict[str, list[Failure]]:
    """Failures by what is wrong."""
    found: dict[str, list[Failure]] = {}
    for failure in failed:
        found.setdefault(f"{failure.kind}: {kind_of(failure.faults)}", []).append(failure)
    return found
