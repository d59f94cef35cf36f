"""The best of several starts, as a wrapper around any solver."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from kgroups.runtime import progress
from kgroups.runtime.progress import Progress
from kgroups.runtime.threads import Executor, Threads
from kgroups.solvers.partition import Partition, Solver
from kgroups.solvers.problem import Problem
from kgroups.typing import IntArray

# Multiply-adds of a sweep from which a start is worth a thread.
_WORTH_A_THREAD = 2e7
_ONE_THREAD = Threads(1)


@dataclass(frozen=True, kw_only=True)
class Start:
    """A way to begin: a name for people and a function that makes the labels when called."""

    name: str
    labels: Callable[[], IntArray]
    #: Whether making the labels is worth a thread.
    costly: bool = False


@dataclass(frozen=True, kw_only=True)
class Restarts:
    """The best partition and all others, in the order of the starts."""

    #: The best, improved after the starts where an improver could.
    best: Partition
    names: tuple[str, ...]
    partitions: tuple[Partition, ...]
    #: What the partitions competed by, and which of them won.
    values: tuple[float, ...]
    kept: int
    #: Others that may be as good, for whom the points are a sample of more.
    rivals: tuple[Partition, ...] = ()


class Improver(Protocol):
    """What may still raise the objective of the best partition after the starts."""

    @property
    def note(self) -> str:
        """What it does, for people who watch."""
        ...

    def improve(
        self, problem: Problem, partition: Partition
    ) -> tuple[Partition, tuple[Partition, ...]]:
        """A partition at least as good, and others that may be better for more points."""
        ...


@runtime_checkable
class SolvesAll(Protocol):
    """A solver that may have a quicker way for several starts at once."""

    def has_shortcut(self, problem: Problem) -> bool:
        """Whether it has for this problem."""
        ...

    def solve_all(
        self, problem: Problem, starts: Sequence[IntArray], executor: Executor
    ) -> Iterator[Partition]:
        """The answers of ``solve``, in the order of the labelings."""
        ...


@dataclass(frozen=True, kw_only=True)
class BestOf:
    """Solve from every start, keep the largest objective, the earliest among equals; improve it.

    Each of several starts runs on a thread of its own; one start has all threads. Labels do not
    depend on the number of threads.
    """

    solver: Solver
    executor: Executor = _ONE_THREAD
    #: Applied to the best partition, if it has converged.
    improver: Improver | None = None
    #: A later start wins only by more than rounding, relative to |value|.
    margin: float = 1e-12
    #: What partitions compete by, larger is better; the objective unless there is a better judge.
    judge: Callable[[Partition], float] | None = None

    def solve(self, problem: Problem, starts: Sequence[Start]) -> Restarts:
        """Run all starts; any error in one is raised."""
        if not starts:
            raise ValueError("BestOf.solve needs at least one start; got none.")
        wide = problem.with_threads(self.executor.n_workers)
        best, partitions, values = 0, [], []
        for number, partition in enumerate(self._solutions(wide, starts)):
            partitions.append(partition)
            values.append(partition.objective if self.judge is None else self.judge(partition))
            best = number if self._better(values[number], values[best]) else best
            if len(starts) > 1:
                _tell_start(starts, partitions, best, None if self.judge is None else values)
        improved, rivals = self._improved(wide, partitions[best])
        return Restarts(
            best=improved,
            names=tuple(start.name for start in starts),
            partitions=tuple(partitions),
            values=tuple(values),
            kept=best,
            rivals=rivals,
        )

    def _improved(
        self, problem: Problem, best: Partition
    ) -> tuple[Partition, tuple[Partition, ...]]:
        if self.improver is None or not best.converged:
            return best, ()
        with progress.quiet():
            found, rivals = self.improver.improve(problem, best)
        if found.objective > best.objective:
            progress.tell(
                Progress(
                    phase="improve",
                    note=self.improver.note,
                    n_sweeps=found.n_iter,
                    n_moves=found.n_moves,
                    objective=found.rise,
                )
            )
        return found, rivals

    def _solutions(self, problem: Problem, starts: Sequence[Start]) -> Iterator[Partition]:
        if len(starts) == 1:
            yield self.solver.solve(problem, starts[0].labels())
            return
        if isinstance(self.solver, SolvesAll) and self.solver.has_shortcut(problem):
            with progress.quiet():
                labels = [start.labels() for start in starts]
            yield from self.solver.solve_all(problem, labels, self.executor)
            return
        # Threads that compete for the interpreter between short calls are slower than one.
        is_costly = problem.gram.sweep_work(problem.n_clusters) > _WORTH_A_THREAD
        is_worth_threads = is_costly or any(start.costly for start in starts)
        narrow = problem.with_threads(1)

        def solve(start: Start) -> Partition:
            with progress.quiet():
                return self.solver.solve(narrow, start.labels())

        yield from (self.executor if is_worth_threads else _ONE_THREAD).map(solve, starts)

    def _better(self, new: float, old: float) -> bool:
        return new - old > self.margin * abs(old)


def _tell_start(
    starts: Sequence[Start],
    partitions: Sequence[Partition],
    best: int,
    values: Sequence[float] | None,
) -> None:
    """How the last start ended, and the best so far; by ``values`` if not by the objective."""
    last, leader = partitions[-1], partitions[best]
    name = starts[len(partitions) - 1].name
    note = name if values is None else f"{name}, judged {values[-1]:.4g}, best {values[best]:.4g}"
    progress.tell(
        Progress(
            phase="start",
            number=len(partitions),
            total=len(starts),
            note=note,
            n_sweeps=last.n_iter,
            n_moves=last.n_moves,
            objective=last.rise,
            best_objective=leader.rise,
        )
    )
