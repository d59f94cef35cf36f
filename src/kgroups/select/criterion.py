"""The result of a criterion: a value for each number of clusters, and the one it suggests."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from kgroups.input.parameters import check_integer
from kgroups.runtime.result_table import Columns, ResultTable
from kgroups.text import counted
from kgroups.typing import Float64Array, IntArray

#: The largest number of clusters that is tried by default, and the largest up to which it is
#: doubled as long as a criterion suggests the largest one tried.
DEFAULT_MOST, MOST_DOUBLED = 10, 80
# Rows per cluster, on average, that the default leaves: above the first limit, and up to it.
_ROWS_BEYOND, _ROWS_A_CLUSTER = 10, 2
# With fewer rows, halves cannot have two clusters of two rows, and only the gap could find two.
_FEWEST_ROWS = 8


@dataclass(frozen=True, kw_only=True, eq=False)
class Criterion(ResultTable):
    """Values of a criterion for each k, and the number of clusters that it suggests.

    ``errors`` are standard errors or None, ``threshold`` is the bound that values are compared with
    or None, and ``rule`` says in words how ``n_clusters`` follows from the values. A value is NaN
    if the criterion is not defined, for instance for one cluster.

    ``to_frame()`` has one row per number of clusters: ``k``, ``value``, ``error`` and ``n_splits``
    where there are some, and ``suggested``, which is true for one k.

    Examples
    --------
    >>> from kgroups.select import silhouette
    >>> found = silhouette([[0.0], [1.0], [8.0], [9.0]], [2, 3]).to_frame()
    >>> found[["k", "suggested"]].values.tolist()
    [[2, True], [3, False]]
    """

    name: str
    n_clusters: int
    k: IntArray
    values: Float64Array
    rule: str
    errors: Float64Array | None = None
    threshold: float | None = None
    #: Whether it can suggest one cluster, and therefore has a vote.
    knows_one: bool = True
    #: Number of rows used.
    n_samples: int = 0
    #: Columns that were treated as rounded, so that values which rows share are no evidence; of
    #: distances, the coordinates of classical scaling.
    rounded_columns: tuple[int, ...] = ()
    #: Of separation, the number of random splits made for each k: fewer than may be made where the
    #: p-value is precise, or where further splits could not change the decision.
    n_splits: IntArray | None = None

    def __str__(self) -> str:
        shown = ", ".join(
            f"{k}: {value:.3g}" for k, value in zip(self.k, self.values, strict=True)
            if np.isfinite(value)
        )  # fmt: skip
        return f"{self.name}: {counted(self.n_clusters, 'cluster')} ({self.rule}); {shown}"

    def _columns(self) -> Columns:
        columns = {"k": self.k, "value": self.values}
        if self.errors is not None:
            columns["error"] = self.errors
        if self.n_splits is not None:
            columns["n_splits"] = self.n_splits
        columns["suggested"] = self.k == self.n_clusters
        return {name: values.tolist() for name, values in columns.items()}

    def _caption(self) -> str:
        return f"{self.name}: {counted(self.n_clusters, 'cluster')} ({self.rule})"

    def to_dict(self) -> dict[str, Any]:
        """The criterion as a dictionary for JSON, with None for NaN."""
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


def check_k_range(k_range: object, n: int, k_max: object = None) -> IntArray:
    """Distinct numbers of clusters in order; without a range 1 to ``k_max``.

    Without either 1 to 10, fewer below 20 rows, and only 1 below 8.
    """
    if k_max is not None:
        return np.arange(1, _check_k_max(k_max, k_range, n) + 1)
    if k_range is None:
        first = n // _ROWS_A_CLUSTER if n >= _FEWEST_ROWS else 1
        return np.arange(1, min(DEFAULT_MOST, first) + 1)
    if isinstance(k_range, str) or not isinstance(k_range, Iterable):
        raise TypeError(
            f"k_range must be numbers of clusters such as range(1, 11), which tries 1 to 10; got "
            f"{k_range!r}."
        )
    numbers = sorted({check_integer(k, "each number in k_range") for k in k_range})
    if not numbers:
        raise ValueError("k_range is empty; write for instance range(1, 11).")
    if numbers[-1] > n:
        raise ValueError(f"k_range goes up to {numbers[-1]}, but there are only {n} rows.")
    return np.array(numbers, np.int64)


def most_of_default(n: int) -> int:
    """The number up to which the first limit is doubled unless the caller sets one."""
    return min(MOST_DOUBLED, n // _ROWS_BEYOND)


def _check_k_max(k_max: object, k_range: object, n: int) -> int:
    """The largest number of clusters to try, which no range contradicts."""
    most = check_integer(k_max, "k_max")
    if k_range is not None:
        raise ValueError(
            f"k_range and k_max are both given; k_max={most} alone tries range(1, {most + 1})."
        )
    if most > n:
        raise ValueError(f"k_max={most} is more than the {n} rows that are used.")
    return most


def largest_that(holds: ArrayLike, k: IntArray, rule: str) -> tuple[int, str]:
    """The largest k for which a condition holds, or else the smallest tried; and the rule.

    >>> largest_that([True, True, False], np.array([2, 3, 4]), "the largest k that is stable")
    (3, 'the largest k that is stable')
    """
    if np.any(holds):
        return int(k[np.flatnonzero(holds)[-1]]), rule
    return int(k[0]), f"{rule}; there is none, so the smallest tried"
