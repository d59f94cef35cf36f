"""The best of all partitions, for problems small enough to try every one."""

from __future__ import annotations

from dataclasses import dataclass

from kgroups.gram import GramOperator, RunningSums
from kgroups.solvers.compiled.exhaustive import best_partition
from kgroups.solvers.partition import Partition, Status, begin, finish, value
from kgroups.typing import Float64Array, IntArray

#: Twelve points have 1,379,400 partitions into five clusters, the most of any k.
MAX_POINTS = 12


@dataclass(frozen=True, kw_only=True)
class Exhaustive:
    """Try every partition into exactly k clusters, n ≤ 12; the starting labels are not used."""

    def solve(
        self,
        gram: GramOperator,
        labels: IntArray,
        weights: Float64Array,
        k: int,
        sums: RunningSums | None = None,
    ) -> Partition:
        """The global optimum."""
        if gram.n > MAX_POINTS:
            raise ValueError(f"Exhaustive takes at most {MAX_POINTS} points; got {gram.n}.")
        scaled = weights[:, None] * gram.to_dense() * weights
        best = best_partition(scaled, weights, k)
        state, sums = begin(gram, best, weights, k)
        history = [value(state)]
        return finish(state, sums, weights, n_moves=0, status=Status.OPTIMAL, history=history)
