"""What a criterion says: a value for each number of clusters, and the number it points to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from kgroups.input.parameters import check_integer
from kgroups.text import counted
from kgroups.typing import Float64Array, IntArray

#: Numbers of clusters that are tried unless the caller says which.
DEFAULT_MOST = 10
# Rows that a cluster has on average at least, in each half of the data.
_ROWS_A_CLUSTER = 5


@dataclass(frozen=True, kw_only=True, eq=False)
class Criterion:
    """Values of a criterion against k, and where it points.

    ``errors`` are standard errors or None, ``threshold`` the line that values are judged by or
    None, ``rule`` a sentence that says how ``n_clusters`` follows from the values. A value is NaN
    where the criterion is not defined, as for one cluster.
    """

    name: str
    n_clusters: int
    k: IntArray
    values: Float64Array
    rule: str
    errors: Float64Array | None = None
    threshold: float | None = None
    #: Whether it can say that there is one cluster, and so has a vote.
    knows_one: bool = True
    #: Rows that were looked at.
    n_samples: int = 0

    def __str__(self) -> str:
        shown = ", ".join(
            f"{k}: {value:.3g}" for k, value in zip(self.k, self.values, strict=True)
            if np.isfinite(value)
        )  # fmt: skip
        return f"{self.name}: {counted(self.n_clusters, 'cluster')} ({self.rule}); {shown}"

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "n_clusters": self.n_clusters,
            "rule": self.rule,
            "k": self.k.tolist(),
            "values": [float(v) if np.isfinite(v) else None for v in self.values],
            "errors": None
            if self.errors is None
            else [float(v) if np.isfinite(v) else None for v in self.errors],
            "threshold": self.threshold,
            "votes": self.knows_one,
        }


def check_k_range(k_range: Any, n: int) -> IntArray:
    """Different numbers of clusters in order; 1 to 10, or fewer for few rows, when None."""
    if k_range is None:
        most = max(1, min(DEFAULT_MOST, n // (2 * _ROWS_A_CLUSTER)))
        return np.arange(1, most + 1)
    if isinstance(k_range, str) or not isinstance(k_range, Iterable):
        raise TypeError(
            f"k_range must be numbers of clusters such as range(1, 11); got {k_range!r}."
        )
    numbers = sorted({check_integer(k, "each number in k_range") for k in k_range})
    if not numbers:
        raise ValueError("k_range is empty; write for instance range(1, 11).")
    if numbers[-1] > n:
        raise ValueError(f"k_range goes up to {numbers[-1]}, but there are {n} rows to look at.")
    return np.array(numbers, np.int64)


def largest_that(holds: Any, k: IntArray, rule: str) -> tuple[int, str]:
    """The largest k for which something holds, else the smallest tried; and the rule.

    >>> largest_that([True, True, False], np.array([2, 3, 4]), "the largest k that is stable")
    (3, 'the largest k that is stable')
    """
    if np.any(holds):
        return int(k[np.flatnonzero(holds)[-1]]), rule
    return int(k[0]), f"{rule}; there is none, so the smallest tried"
