"""The best of several starts, as a wrapper around any solver."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from kgroups._parallel import run
from kgroups._typing import Float64Array, IntArray
from kgroups.gram import GramOperator
from kgroups.solvers.base import Partition, Solver


@dataclass(frozen=True, kw_only=True)
class Start:
    """A way to begin: a name for people and a function that makes the labels when called."""

    name: str
    labels: Callable[[], IntArray]


@dataclass(frozen=True, kw_only=True)
class Progress:
    """What a listener is told after each finished start."""

    start: str
    number: int
    total: int
    partition: Partition
    best_objective: float
    seconds: float

    def on_scale(self, scaled: Callable[[Any], Any]) -> Progress:
        """The same event with every objective put on another scale."""
        part = self.partition
        told = replace(part, objective=scaled(part.objective), history=scaled(part.history))
        return replace(self, partition=told, best_objective=scaled(self.best_objective))


@dataclass(frozen=True, kw_only=True)
class Restarts:
    """The best partition and all others, in the order of the starts."""

    best: Partition
    names: tuple[str, ...]
    partitions: tuple[Partition, ...]


@dataclass(frozen=True, kw_only=True)
class BestOf:
    """Solve from every start and keep the largest objective, the earliest among equals.

    Several starts run on threads of their own, each with single-threaded sums; one start has all
    threads for its sums. Labels do not depend on ``n_threads``.
    """

    solver: Solver
    n_threads: int = 1
    #: Called in the order of the starts.
    listener: Callable[[Progress], None] | None = None
    #: A later start wins only by more than rounding, relative to |objective|.
    margin: float = 1e-12

    def solve(
        self, gram: GramOperator, starts: Sequence[Start], weights: Float64Array, k: int
    ) -> Restarts:
        """Run all starts; any error in one is raised."""
        alone = len(starts) == 1
        shared = gram.with_threads(self.n_threads if alone else 1)
        begun = time.perf_counter()

        def solve_from(start: Start) -> Partition:
            return self.solver.solve(shared, start.labels(), weights, k)

        partitions: list[Partition] = []
        best: Partition | None = None
        for partition in run(solve_from, starts, self.n_threads):
            partitions.append(partition)
            if best is None or self._better(partition, best):
                best = partition
            if self.listener is not None:
                number = len(partitions)
                self.listener(
                    Progress(
                        start=starts[number - 1].name,
                        number=number,
                        total=len(starts),
                        partition=partition,
                        best_objective=best.objective,
                        seconds=time.perf_counter() - begun,
                    )
                )
        if best is None:
            raise ValueError("BestOf.solve needs at least one start; got none.")
        names = tuple(start.name for start in starts)
        return Restarts(best=best, names=names, partitions=tuple(partitions))

    def _better(self, new: Partition, old: Partition) -> bool:
        return new.objective - old.objective > self.margin * abs(old.objective)
