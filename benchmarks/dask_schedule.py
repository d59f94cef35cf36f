"""What a fit of 10⁹ rows takes on many cores: ``python -m benchmarks.dask_schedule``.

A fit of a few million rows on one thread is recorded: how long each block of rows takes in each
stage, how many bytes go to it and come back, and how long the caller is busy in between. From these
follow, for more rows and cores, the seconds of each stage: by arithmetic, and by a simulation of
the schedule, in which a scheduler hands out tasks one after the other and workers take as long as
blocks were measured to take. Open rows of a proof grow in number with all rows, and so do those
that each of them is compared with: their part of a pass is measured by itself.
"""

from __future__ import annotations

import argparse
import heapq
import pickle
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from kgroups import KernelKGroups
from kgroups.certificate.block_sums import PAIRS_IN_A_PASS, sums_of
from kgroups.estimators import block_fitting
from kgroups.input.rows import ROWS_PER_BLOCK
from kgroups.runtime.row_blocks import Args, LocalBlocks, Work

# Seconds that the scheduler takes per task, and a message there and back.
TASK, ROUND = 1e-3, 5e-3
# Bytes per second between the caller and all workers.
NETWORK = 1e9
# Tasks per thread in a pass over all blocks.
PER_THREAD = 2
# The stage that is repeated for each group of rows in each sweep.
_BY_GROUP = "sweep"
# How often more the pairs with open rows are looked at, so that their time can be told.
MORE = 8
# The part of a proof in which open rows are compared with all members.
_OPEN = "open rows"
# Stages of which rows come back whose number does not grow with that of all rows.
_SAMPLED = ("landmarks", "sample", "W")


@dataclass
class Round:
    """Seconds of each block."""

    seconds: list[float] = field(default_factory=list)
    #: Those of them that pairs with open rows take, and how many pairs there are: both grow with
    #: all rows, because open rows do.
    of_pairs: list[float] = field(default_factory=list)
    n_pairs: int = 0

    def grown(self, factor: float) -> tuple[list[float], int]:
        """Seconds of each block in a pass over more rows, and how many passes that takes."""
        if not self.of_pairs:
            return self.seconds, 1
        passes = max(1, int(np.ceil(factor * self.n_pairs / PAIRS_IN_A_PASS)))
        both = zip(self.seconds, self.of_pairs, strict=True)
        return [every - pairs + pairs * factor / passes for every, pairs in both], passes


@dataclass
class Stage:
    """What was recorded of one stage."""

    rounds: list[Round] = field(default_factory=list)
    n_bytes: int = 0


class Recorded(LocalBlocks):
    """Blocks on one thread, of which everything is recorded."""

    stages: ClassVar[defaultdict[str, Stage]] = defaultdict(Stage)
    #: Seconds of work that is done only to be timed.
    extra: ClassVar[float] = 0.0

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
        """The results, each timed."""
        seen, here = self.stages[_OPEN if work is sums_of else stage], Round()
        seen.rounds.append(here)
        seen.n_bytes += len(pickle.dumps(shared, protocol=5))
        for arg in args:
            result, seconds = self._timed(stage, work, constant, shared, arg)
            here.seconds.append(seconds)
            seen.n_bytes += len(pickle.dumps((arg[1], result), protocol=5))
            if work is sums_of:
                here.n_pairs = sum(map(len, shared.of_cluster))
                many = replace(shared, of_cluster=[np.tile(i, 1 + MORE) for i in shared.of_cluster])
                _, longer = self._timed(stage, work, constant, many, arg)
                Recorded.extra += longer
                here.of_pairs.append(min(seconds, max(0.0, longer - seconds) / MORE))
            yield result

    def _timed(
        self, stage: str, work: Work, constant: Any, shared: Any, arg: Any
    ) -> tuple[Any, float]:
        """The result of one block, and its seconds."""
        begun = time.perf_counter()
        (result,) = super().map(stage, work, constant, shared, [arg], light=True)
        return result, time.perf_counter() - begun


class Mixture:
    """Rows of a mixture of ten Gaussians, made when they are asked for."""

    n_columns, names = 16, None
    dtype = np.dtype(np.float32)

    def __init__(self, n_rows: int, spread: float) -> None:
        self.n_rows = n_rows
        self.centers = spread * np.random.default_rng(0).normal(size=(10, 16))

    def read(self, start: int, stop: int) -> Any:
        """The rows [start, stop), made by canonical blocks."""
        if stop - start < ROWS_PER_BLOCK and start % ROWS_PER_BLOCK:
            first = start // ROWS_PER_BLOCK * ROWS_PER_BLOCK
            return self.read(first, stop)[start - first :]
        rng = np.random.default_rng([1, start])
        rows = rng.normal(size=(stop - start, 16)).astype(np.float32)
        return rows + self.centers[rng.integers(10, size=stop - start)].astype(np.float32)

    def blocks(self) -> Iterator[tuple[int, Any]]:
        """Canonical blocks."""
        for start in range(0, self.n_rows, ROWS_PER_BLOCK):
            yield start, self.read(start, min(start + ROWS_PER_BLOCK, self.n_rows))

    def place(self, row: int) -> str:
        """Where a row is."""
        return f"row {row}"

    def check_unchanged(self) -> None:
        """They do not change."""


def recorded(n: int, spread: float) -> tuple[dict[str, Stage], float, Any]:
    """The stages of a fit on one thread, the seconds of the caller, and the model."""
    Recorded.stages, Recorded.extra = defaultdict(Stage), 0.0
    before = block_fitting.LocalBlocks
    block_fitting.LocalBlocks = Recorded  # type: ignore[misc]
    try:
        model = KernelKGroups(10, random_state=0, n_jobs=1, memory_limit=16 * 4 * n)
        begun = time.perf_counter()
        model.fit(Mixture(n, spread))
        total = time.perf_counter() - begun
    finally:
        block_fitting.LocalBlocks = before  # type: ignore[misc]
    rounds = [each for stage in Recorded.stages.values() for each in stage.rounds]
    work = sum(sum(each.seconds) for each in rounds)
    return dict(Recorded.stages), total - work - Recorded.extra, model


@dataclass(frozen=True)
class Estimate:
    """What a stage takes."""

    tasks: int
    bytes_moved: float
    by_arithmetic: float
    by_simulation: float


def estimate(name: str, seen: Stage, n0: int, n: int, cores: int) -> Estimate:
    """A stage of n rows on some cores, from one of n0 rows."""
    rng, n_tasks, arithmetic, simulated = np.random.default_rng(0), 0, 0.0, 0.0
    for each in seen.rounds:
        seconds, passes = each.grown(n / n0)
        if not seconds:
            continue
        n_blocks = len(seconds) * n / n0
        tasks = max(1, int(min(n_blocks, cores * (1 if name == _BY_GROUP else PER_THREAD))))
        blocks_of_core = np.ceil(n_blocks / tasks) * np.ceil(tasks / cores)
        taken = ROUND + max(tasks * TASK, blocks_of_core * float(np.mean(seconds)))
        arithmetic += passes * taken
        simulated += passes * _simulated(seconds, n_blocks, tasks, cores, rng)
        n_tasks += passes * tasks
    # Each block answers a sum for each pair with an open row.
    growth = {_OPEN: 2, **dict.fromkeys(_SAMPLED, 0)}.get(name, 1)
    moved = seen.n_bytes * (n / n0) ** growth
    return Estimate(n_tasks, moved, arithmetic + moved / NETWORK, simulated + moved / NETWORK)


def _simulated(
    seconds: list[float], n_blocks: float, tasks: int, cores: int, rng: np.random.Generator
) -> float:
    """When the last of some tasks ends, which a scheduler hands out one after the other."""
    per_task = np.diff(np.linspace(0, n_blocks, tasks + 1).astype(int))
    free = [0.0] * cores
    heapq.heapify(free)
    handed, last = ROUND / 2, 0.0
    for size in per_task.tolist():
        handed += TASK
        begin = max(handed, heapq.heappop(free))
        end = begin + float(rng.choice(seconds, size=size).sum()) if size else begin
        heapq.heappush(free, end)
        last = max(last, end)
    return last + ROUND / 2


def main() -> None:
    """Record a fit, and print what more rows on more cores take."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--recorded-rows", type=float, default=1e6)
    parser.add_argument("--rows", type=float, default=1e9)
    parser.add_argument("--cores", type=int, nargs="+", default=[100, 1000])
    parser.add_argument("--spread", type=float, default=2.0, help="of the centers of clusters")
    options = parser.parse_args()
    n0, n = int(options.recorded_rows), int(options.rows)
    stages, caller, model = recorded(n0, options.spread)
    print(f"recorded: {n0:,} rows, {model.exactness_}, caller busy for {caller:.2f} s")
    for cores in options.cores:
        print(f"\n{n:,} rows on {cores} cores")
        print("| stage | tasks | bytes moved | seconds by arithmetic | by simulation |")
        print("|---|---|---|---|---|")
        total = np.zeros(2)
        for name, seen in stages.items():
            e = estimate(name, seen, n0, n, cores)
            total += (e.by_arithmetic, e.by_simulation)
            moved = f"{e.bytes_moved / 1e6:,.0f} MB"
            seconds = f"{e.by_arithmetic:.1f} | {e.by_simulation:.1f}"
            print(f"| {name} | {e.tasks:,} | {moved} | {seconds} |")
        print(f"| all | | | {total[0]:.0f} | {total[1]:.0f} |")


if __name__ == "__main__":
    main()
