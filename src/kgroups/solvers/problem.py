"""What there is to cluster: an operator with weights, and how many clusters are asked for."""

from __future__ import annotations

from dataclasses import dataclass

from kgroups.gram import GramOperator
from kgroups.typing import Float64Array, FloatArray


@dataclass(frozen=True, kw_only=True)
class Problem:
    """An operator, the weights of its points, and the number of clusters."""

    gram: GramOperator
    weights: Float64Array
    n_clusters: int
    #: Whether G is known only up to its origin, as it is when it comes from distances.
    origin_is_free: bool
    #: The rows, where the points are rows of numbers.
    table: FloatArray | None = None
