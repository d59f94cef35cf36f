"""What there is to cluster: an operator with weights, and how many clusters are asked for."""

from __future__ import annotations

from dataclasses import dataclass, replace

from kgroups.gram.operator import GramOperator
from kgroups.typing import Float64Array, FloatArray


@dataclass(frozen=True)
class Problem:
    """An operator, the weights of its points, and the number of clusters."""

    gram: GramOperator
    weights: Float64Array
    n_clusters: int
    #: Whether G is known only up to its origin, as it is when it comes from distances.
    origin_is_free: bool = False
    #: The rows, where the points are rows of numbers.
    table: FloatArray | None = None

    @property
    def total_weight(self) -> float:
        """The sum of all weights."""
        return float(self.weights.sum())

    def with_threads(self, n_threads: int) -> Problem:
        """The same problem with an operator that uses ``n_threads`` threads."""
        return replace(self, gram=self.gram.with_threads(n_threads))
