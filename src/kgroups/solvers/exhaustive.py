"""The best of all partitions, for problems small enough to try every one."""

from dataclasses import dataclass

from kgroups.solvers.compiled.exhaustive import best_partition
from kgroups.solvers.partition import Partition, Record, Status, begin
from kgroups.solvers.problem import Problem
from kgroups.typing import IntArray

#: Twelve points have 1,379,400 partitions into five clusters, the most of any k.
MAX_POINTS = 12


@dataclass(frozen=True, kw_only=True)
class Exhaustive:
    """Try every partition into exactly k clusters, n ≤ 12; the starting labels are not used."""

    def solve(self, problem: Problem, labels: IntArray) -> Partition:
        """The global optimum."""
        gram, weights = problem.gram, problem.weights
        if gram.n > MAX_POINTS:
            raise ValueError(f"Exhaustive takes at most {MAX_POINTS} points; got {gram.n}.")
        scaled = weights[:, None] * gram.to_dense() * weights
        work = begin(problem, best_partition(scaled, weights, problem.n_clusters))
        return Record(problem, work).finish(Status.OPTIMAL)
