"""Blocks of rows on the workers of a cluster."""

from __future__ import annotations

import pickle
import time
import uuid
from asyncio import CancelledError
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import zip_longest
from typing import Any, NamedTuple

import dask
import numpy as np
from dask.core import get_dependencies
from dask.delayed import Delayed
from distributed import Future, wait
from distributed.scheduler import KilledWorker

from kgroups.dask.kept_blocks import (
    MISSING,
    Answers,
    Item,
    Job,
    Settings,
    forget,
    run_blocks,
    same,
)
from kgroups.runtime.row_blocks import Args, Work, asks_for_rows
from kgroups.runtime.threads import blocks

# Bytes of rows that come with one task, and of what all blocks share that goes with each task.
_WITH_TASK, _SHARED_WITH_TASK = 1 << 24, 1 << 18
# Rows of a task, whose labels come with it where they are all new.
_LABELS_WITH_TASK = 1 << 22
# Tasks with rows that wait for each thread: workers make the rows of all tasks that they know, and
# write to disk what their memory does not hold.
_IN_FLIGHT = 3
# Tasks of one stage per thread, so that a slow one holds up little; and in all.
_PER_THREAD, _MOST_TASKS = 2, 10_000
# Tasks whose answers are fetched together.
_FEW_TASKS = 8
# Seconds between two looks at the workers, and until a cluster without workers is given up.
_LOOK, _PATIENCE = 2.0, 30.0
# How often a block is asked again that has lost what it needs.
_TRIES = 20


class ClusterError(RuntimeError):
    """Work on a cluster that failed for good; the message names the stage and the worker."""


class _Question(NamedTuple):
    """What a stage asks of all blocks; what they share may be a future."""

    stage: str
    work: Work
    constant: Any
    shared: Any


class DaskBlocks:
    """Blocks of rows, worked on by tasks of a Dask cluster.

    A task works on some blocks, one after the other, on the worker that has worked on them before
    if that is still there. What is as long as the rows stays with the workers; see
    :mod:`kgroups.dask.kept_blocks`.
    """

    def __init__(
        self,
        client: Any,
        n_rows: int,
        size: int,
        group: int,
        *,
        n_columns: int,
        dtype: Any,
        given_dtype: Any,
        rows: Sequence[Any] | None = None,
        weights: Sequence[Any] | None = None,
        source: Any = None,
        rows_kept: int = 0,
    ) -> None:
        self.client, self.n_rows = client, n_rows
        self.spans = blocks(0, n_rows, size)
        self._group = max(1, group // size)
        self._rows = None if rows is None else _alone(rows)
        self._weights = None if weights is None else _alone(weights)
        self._settings = Settings(
            token=uuid.uuid4().hex,
            dtype=dtype,
            given_dtype=given_dtype,
            n_columns=n_columns,
            has_weights=weights is not None,
            weight_unit=1.0,
            rows_kept=rows_kept,
            features_kept=0,
        )
        self._row_bytes = n_columns * np.dtype(given_dtype).itemsize
        self._constants: dict[int, tuple[Any, Any]] = {}
        self._source = None if source is None else self._sent(source)
        #: Whether the rows of a block need not come with a task.
        self._at_hand = [source is not None] * len(self.spans)
        self._is_new = True
        #: The worker of each share of the blocks; None where it has gone and none has come.
        self._homes: list[str | None] = []
        self._all_there = self._looked = time.monotonic()
        self._look()

    @property
    def n_workers(self) -> int:
        """Threads of all workers."""
        return max(1, sum(self._threads.values()))

    @property
    def has_weights(self) -> bool:
        """Whether weights were given."""
        return self._weights is not None

    def settle(self, dtype: np.dtype[Any], weight_unit: float) -> None:
        """See :class:`kgroups.runtime.row_blocks.Blocks`."""
        self._settings = self._settings._replace(dtype=dtype, weight_unit=weight_unit)

    def reserve(self, n_bytes: int) -> None:
        """See :class:`kgroups.runtime.row_blocks.Blocks`."""
        each = n_bytes // max(1, len(self._threads))
        self._settings = self._settings._replace(features_kept=each)

    def map(
        self,
        stage: str,
        work: Work,
        constant: Any,
        shared: Any,
        args: Args,
        *,
        light: bool = False,
    ) -> Iterator[Any]:
        """See :class:`kgroups.runtime.row_blocks.Blocks`."""
        if time.monotonic() - self._looked > _LOOK:
            self._look()
        ask = _Question(stage, work, self._sent(constant), self._small(shared))
        found: dict[int, Any] = {}
        in_order = iter([number for number, _ in args])
        waiting, following = list(args), next(in_order, None)
        for attempt in range(_TRIES):
            lost: list[tuple[int, Any]] = []
            for some, answers in self._round(ask, waiting, whole=attempt > 0):
                lost += self._taken(some, answers, found)
                while following in found:
                    yield found.pop(following)
                    following = next(in_order, None)
            if not lost:
                self._is_new = False
                return
            self._look()
            waiting = lost
        raise ClusterError(
            f"stage {stage!r}: workers lost what they had of some blocks {_TRIES} times; look at "
            "their logs."
        )

    def close(self) -> None:
        """Let the workers drop what they keep."""
        self._constants.clear()
        self._source = None
        if self.client.status == "running" and self._threads:
            try:
                self.client.run(forget, self._settings.token, on_error="ignore")
            except (OSError, RuntimeError, TimeoutError, ValueError):
                return  # it is dropped when the worker ends, or has other fits

    def _round(self, ask: _Question, args: Args, *, whole: bool) -> Iterator[tuple[Args, Answers]]:
        """Ask for all blocks once, if ``whole`` with all that they need; answers task by task."""
        with_rows = whole or asks_for_rows(ask.work)
        tasks = deque(self._tasks(args, whole=whole, with_rows=with_rows))
        at_once = len(tasks)
        if with_rows and not all(self._at_hand[number] for number, _ in args):
            at_once = _IN_FLIGHT * self.n_workers
        each = len(tasks) if len(tasks) <= _FEW_TASKS else 1
        asked: deque[tuple[Args, Any]] = deque()
        try:
            while tasks or asked:
                while tasks and len(asked) < max(at_once, each):
                    home, some = tasks.popleft()
                    future = self._submit(ask, some, home, whole=whole, with_rows=with_rows)
                    asked.append((some, future))
                now = [asked[place] for place in range(each)]
                answers = results_of([future for _, future in now], self.client, ask.stage)
                for _ in now:
                    asked.popleft()
                yield from zip([some for some, _ in now], answers, strict=True)
        finally:
            if asked:  # the stage has failed, and what is left of it is not wanted
                self._cancel([future for _, future in asked])

    def _cancel(self, futures: list[Any]) -> None:
        if self.client.status == "running":
            # The stage has failed already, and that is what the user is to read.
            with suppress(OSError, RuntimeError, TimeoutError):
                self.client.cancel(futures)

    def _taken(self, some: Args, answers: Answers, found: dict[int, Any]) -> list[tuple[int, Any]]:
        """Take the answers of a task; what is to be asked again."""
        lost = []
        for (number, arg), result, kept in zip(some, answers.results, answers.kept, strict=True):
            is_missing = isinstance(result, str) and result == MISSING
            self._at_hand[number] = self._source is not None or (kept and not is_missing)
            if is_missing:
                lost.append((number, arg))
            else:
                found[number] = result
        return lost

    def _tasks(self, args: Args, *, whole: bool, with_rows: bool) -> list[tuple[str | None, Args]]:
        """Blocks of one worker that follow each other, in tasks, the workers in turn."""
        of_homes: list[list[tuple[str | None, Args]]] = []
        by_home: dict[str | None, list[tuple[int, Any]]] = {}
        for number, arg in args:
            by_home.setdefault(self._home(number), []).append((number, arg))
        for home, some in by_home.items():
            n_threads = self._threads.get(home or "", 1)
            per_thread = 1 if len(args) < len(self.spans) else _PER_THREAD
            size = -(-len(some) // (per_thread * n_threads))
            rows = self.spans[0][1] - self.spans[0][0]
            few = max(1, _LABELS_WITH_TASK // rows)
            are_at_hand = not with_rows or all(self._at_hand[number] for number, _ in some)
            if whole or not are_at_hand:
                few = min(few, max(1, _WITH_TASK // max(1, rows * self._row_bytes)))
            size = max(min(size, few), -(-len(self.spans) // _MOST_TASKS))
            of_homes.append([(home, some[a:b]) for a, b in blocks(0, len(some), size)])
        return [task for turn in zip_longest(*of_homes) for task in turn if task is not None]

    def _home(self, number: int) -> str | None:
        """The worker that a block belongs to: the workers share in each group of blocks.

        Where a group has too few blocks for that, they share in all blocks. None where the worker
        has gone, so that any may do the work.
        """
        if not self._homes:
            return None
        group = max(self._group, len(self._homes))
        return self._homes[number % group * len(self._homes) // group]

    def _submit(
        self, ask: _Question, some: Args, home: str | None, *, whole: bool, with_rows: bool
    ) -> Any:
        """A task for some blocks."""
        items = [
            Item(n, *self.spans[n], arg.whole() if whole and hasattr(arg, "whole") else arg)
            for n, arg in some
        ]
        is_future = isinstance(ask.shared, Future)
        job = Job(self._settings, ask.work, None if is_future else ask.shared, items)
        parts = (job, ask.constant, ask.shared if is_future else None, self._source)
        how: dict[str, Any] = {}
        if home is not None:
            how = {"workers": [home], "allow_other_workers": True}
        key = f"kgroups-{ask.stage.replace(' ', '-')}-{uuid.uuid4().hex}"
        given = [self._given(n, whole=whole, with_rows=with_rows) for n, _ in some]
        if all(rows is None and weights is None for rows, weights in given):
            return self.client.submit(run_blocks, *parts, None, key=key, pure=False, **how)
        task = dask.delayed(run_blocks, pure=False)(*parts, given, dask_key_name=key)
        return self.client.compute(task, **how)

    def _given(self, number: int, *, whole: bool, with_rows: bool) -> tuple[Any, Any]:
        """What comes with a task for a block."""
        rows = weights = None
        if self._rows is not None and (whole or (with_rows and not self._at_hand[number])):
            rows = self._rows[number]
        if self._weights is not None and (whole or self._is_new):
            weights = self._weights[number]
        return rows, weights

    def _sent(self, value: Any) -> Any:
        """Something that stays the same, made by a task on the cluster once."""
        if value is None:
            return None
        known = self._constants.get(id(value))
        if known is None:
            key = f"kgroups-constant-{uuid.uuid4().hex}"
            future = self.client.submit(same, value, key=key, pure=False)
            known = self._constants[id(value)] = (value, future)
        return known[1]

    def _small(self, value: Any) -> Any:
        """Something that goes with each task; as a task of its own where it is large."""
        if value is None or len(pickle.dumps(value, protocol=5)) <= _SHARED_WITH_TASK:
            return value
        key = f"kgroups-shared-{uuid.uuid4().hex}"
        return self.client.submit(same, value, key=key, pure=False)

    def _look(self) -> None:
        """Which workers there are, and how many threads each has.

        A worker that has come takes the place of one that has gone, so that all others keep the
        blocks that they know. Where more have come than had gone, and where none has come for some
        time, all blocks are shared out anew.
        """
        found = self.client.scheduler_info(n_workers=-1)["workers"]
        self._threads = {address: int(w["nthreads"]) for address, w in sorted(found.items())}
        self._looked = time.monotonic()
        there = [address for address, n in self._threads.items() for _ in range(n)]
        new = deque(address for address in there if address not in self._homes)
        kept = [home if home in self._threads else None for home in self._homes]
        if kept.count(None) <= len(new):
            self._all_there = self._looked
        if kept.count(None) < len(new) or self._looked - self._all_there > _PATIENCE:
            self._homes, self._all_there = list(there), self._looked
        else:
            self._homes = [new.popleft() if home is None and new else home for home in kept]


def _alone(pieces: Sequence[Any]) -> list[Any]:
    """Each piece with the tasks that it is computed from, without those of all others."""
    graph: Any = None
    tasks: dict[Any, Any] = {}
    made = []
    for piece in pieces:
        if not isinstance(piece, Delayed):
            made.append(piece)
            continue
        if piece.dask is not graph:
            graph, tasks = piece.dask, dict(piece.dask)
        own: dict[Any, Any] = {}
        waiting = [piece.key]
        while waiting:
            key = waiting.pop()
            if key not in own:
                own[key] = tasks[key]
                waiting += get_dependencies(tasks, key)
        made.append(Delayed(piece.key, own))
    return made


def results_of(futures: list[Any], client: Any, stage: str) -> list[Any]:
    """The results of some tasks, or an error that names the stage; never an endless wait."""

    async def gathered() -> list[Any]:
        return list(await client.gather(futures, asynchronous=True))

    alone_since, patience = None, _PATIENCE
    while True:
        try:
            if not _is_done(futures, client):
                alone_since = _waited(client, stage, alone_since)
                continue
            for future in futures:
                if future.status == "error":
                    raise _Failed(future.exception())
            return list(client.sync(gathered, callback_timeout=patience))
        except TimeoutError:
            patience *= 2.0  # answers that take long to fetch are to arrive at last
            alone_since = _waited(client, stage, alone_since)
        except _Failed as failed:
            raise _said(failed.error, stage) from failed.error
        except CancelledError as error:
            raise ClusterError(
                f"stage {stage!r} was canceled, and the client is {client.status}; give fit a "
                "client that stays open."
            ) from error


def _is_done(futures: list[Any], client: Any) -> bool:
    """Whether all tasks end within the time between two looks."""
    try:
        with client.as_current():  # wait() takes no other client
            wait(futures, timeout=_LOOK)
    except TimeoutError:
        return False
    return True


class _Failed(Exception):
    """A task that has failed, and why; it may be by a TimeoutError of its own."""

    def __init__(self, error: Any) -> None:
        super().__init__(error)
        self.error = error


def _said(error: Any, stage: str) -> BaseException:
    """The error of a task as a user reads it: that of the work, or what became of the workers."""
    if not isinstance(error, KilledWorker):
        if isinstance(error, BaseException):
            return error
        return ClusterError(f"stage {stage!r}: a task failed, and its error was lost.")
    where = getattr(error.last_worker, "address", error.last_worker)
    return ClusterError(
        f"stage {stage!r}: a task ended {error.allowed_failures + 1} workers one after the other, "
        f"the last one at {where}; mostly they need more memory than they have. Look at its log."
    )


def _waited(client: Any, stage: str, alone_since: float | None) -> float | None:
    """Since when there are no workers; ClusterError if that is long, or the client is closed."""
    if client.status != "running":
        raise ClusterError(f"stage {stage!r}: the client is {client.status}.")
    if client.scheduler_info(n_workers=-1)["workers"]:
        return None
    now = time.monotonic()
    if alone_since is not None and now - alone_since > _PATIENCE:
        raise ClusterError(
            f"stage {stage!r}: all workers of {client.scheduler.address} are gone, and none has "
            f"come in {_PATIENCE:.0f} seconds; start workers and fit again."
        )
    return now if alone_since is None else alone_since
