"""What sets clusters apart: each column of a table in each cluster, compared with all rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from kgroups.input.columns import (
    BOOLEAN,
    DATE,
    ZONED_DATE,
    TypedColumn,
    column_label,
    frame_of,
    read_column,
)
from kgroups.runtime.scaling import power_of_two
from kgroups.typing import BoolArray, Float64Array, IntArray

#: What a missing entry of a column of categories is called.
MISSING = "(missing)"
# Rounding of a difference of shares.
_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class Grouping:
    """Rows by cluster, with their weights."""

    labels: IntArray
    weights: Float64Array
    n_clusters: int

    def sums(self, values: Float64Array) -> Float64Array:
        """Weighted sums of some values of all rows in each cluster, (k,)."""
        found = np.bincount(self.labels, self.weights * values, self.n_clusters)
        return np.asarray(found, np.float64)


@dataclass(frozen=True, eq=False)
class NumberProfile:
    """A column of numbers: its mean in each cluster, compared with that of all rows.

    ``values`` are (mean − mean_of_all) / sd, and 0 where the column is constant; missing and
    infinite entries count nowhere. Dates are days since 1970.
    """

    kind: ClassVar[str] = "number"
    name: str
    means: Float64Array  # (k,)
    mean_of_all: float
    #: Standard deviation over all rows.
    sd: float
    values: Float64Array  # (k,)
    #: Share of the variance that lies between clusters, in [0, 1].
    explained: float
    is_date: bool = False


@dataclass(frozen=True, eq=False)
class CategoryProfile:
    """A column of categories: the one that each cluster has more often than all rows.

    ``values`` are (share − share_of_all) / √(share_of_all (1 − share_of_all)), which compare with
    those of a :class:`NumberProfile`. A missing entry is a category of its own.
    """

    kind: ClassVar[str] = "category"
    name: str
    #: None in a cluster that has no category more often than all rows.
    categories: tuple[str | None, ...]
    shares: Float64Array  # (k,)
    shares_of_all: Float64Array  # (k,)
    values: Float64Array  # (k,)
    #: Share of the variance between clusters of the category that they tell apart best, in [0, 1].
    explained: float


@dataclass(frozen=True, eq=False)
class Profiles:
    """The columns of a table, in its order, as they are in each cluster."""

    columns: tuple[NumberProfile | CategoryProfile, ...]
    n_clusters: int

    def most_telling(self, limit: int) -> Profiles:
        """The columns that clusters explain best, the best first; of equal ones the first."""
        shares = np.array([column.explained for column in self.columns])
        order = np.argsort(-shares, kind="stable")[:limit]
        return Profiles(tuple(self.columns[c] for c in order.tolist()), self.n_clusters)


def profiles(
    table: Any,
    labels: IntArray,
    n_clusters: int,
    *,
    weights: ArrayLike | None = None,
    names: Sequence[str] | None = None,
) -> Profiles:
    """Each column of a table in each cluster, compared with all rows.

    Numbers and dates are compared by their means, text, categories and truth values by the shares
    of their categories. O(nD) time, with a sort of each column of categories; the memory of some
    columns.

    Parameters
    ----------
    table : frame or array (n, D)
        In any units; columns need not be those of the fit.
    labels : array (n,)
        Cluster of each row, 0..k−1.
    n_clusters : int
    weights : array (n,) or None
        Weights of the rows, 1 by default.
    names : sequence of D str or None
        What columns are called where the table does not say.

    Returns
    -------
    Profiles

    Raises
    ------
    ValueError
        For a column that holds two kinds of values, or values that are none of these; for a table
        of another number of rows, or other names than columns.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [2.0], [10.0], [12.0]])
    >>> (column,) = profiles(X, np.array([0, 0, 1, 1]), 2).columns
    >>> column.means.tolist(), column.values.round(3).tolist()  # sd = √26
    ([1.0, 11.0], [-0.981, 0.981])
    """
    given = np.ones(len(labels)) if weights is None else np.asarray(weights, np.float64)
    groups = Grouping(np.asarray(labels), given, n_clusters)
    found = _columns_of(table)
    called = _checked_names(found, names)
    if found.shape[0] != len(labels):
        raise ValueError(f"table has {found.shape[0]} rows and there are {len(labels)} labels.")
    texts = [str(name) for name in called]
    columns = (
        _profile(read_column(found, c, column_label(c, texts)), name, groups)
        for c, name in enumerate(texts)
    )
    return Profiles(tuple(columns), n_clusters)


def _columns_of(table: Any) -> Any:
    frame = frame_of(table)
    if frame is not None:
        return frame
    return table if hasattr(table, "shape") else np.asarray(table, dtype=object)


def _checked_names(table: Any, names: Sequence[str] | None) -> list[Any]:
    """What the columns are called; ValueError for more or fewer names than columns."""
    if len(table.shape) != 2:
        raise ValueError(
            "table must have columns; of one column write table.to_frame() or table[:, None]."
        )
    n_columns = int(table.shape[1])
    given = getattr(table, "columns", None) if names is None else names
    called = [str(c) for c in range(n_columns)] if given is None else list(given)
    if len(called) != n_columns:
        raise ValueError(f"names has {len(called)} names for {n_columns} columns.")
    return called


def _profile(column: TypedColumn, name: str, groups: Grouping) -> NumberProfile | CategoryProfile:
    if column.holds_categories:
        return category_profile(column.values.tolist(), name, groups)
    if column.kind == BOOLEAN:
        words = {1.0: "true", 0.0: "false"}
        return category_profile([words.get(v) for v in column.values.tolist()], name, groups)
    values = column.values.astype(np.float64)
    return number_profile(values, name, groups, is_date=column.kind in (DATE, ZONED_DATE))


def number_profile(
    values: Float64Array, name: str, groups: Grouping, *, is_date: bool = False
) -> NumberProfile:
    """One column of numbers, with NaN where there is none. O(n)."""
    present = np.isfinite(values)
    filled = np.where(present, values, 0.0)
    unit = power_of_two(float(np.abs(filled).max(initial=0.0)))
    x = filled / unit  # so that no square over- or underflows
    counted = present.astype(np.float64)
    weights = groups.sums(counted)
    total = float(weights.sum())
    mean = float(groups.sums(x).sum() / total) if total else np.nan
    off = np.where(present, x - mean, 0.0)
    sd = float(np.sqrt(groups.sums(off**2).sum() / total)) if total else np.nan
    if total and np.ptp(x[present]) == 0:  # of which rounding of the mean would make a spread
        sd, off = 0.0, np.zeros_like(off)
    standard = _quotient(groups.sums(off), weights) / (sd if sd > 0 else np.inf)
    explained = float(weights @ standard**2 / total) if total else 0.0
    return NumberProfile(
        name=name,
        means=np.where(weights > 0, unit * _quotient(groups.sums(x), weights), np.nan),
        mean_of_all=unit * mean,
        sd=unit * sd,
        values=standard,
        explained=min(explained, 1.0),
        is_date=is_date,
    )


def category_profile(values: Iterable[str | None], name: str, groups: Grouping) -> CategoryProfile:
    """One column of categories, None where there is none. O(n + c log c) time, O(ck) memory."""
    listed = [None if value is None else str(value) for value in values]
    found = sorted(set(listed), key=lambda value: (value is None, value or ""))
    place_of = {value: place for place, value in enumerate(found)}
    codes = np.array([place_of[value] for value in listed], np.int64)
    k, c = groups.n_clusters, len(found)
    place = groups.labels.astype(np.int64) * c + codes
    inside: Float64Array = np.bincount(place, groups.weights, k * c).astype(np.float64)
    inside = inside.reshape(k, c)
    everywhere = inside.sum(axis=0) / max(inside.sum(), np.finfo(np.float64).tiny)
    totals = inside.sum(axis=1)
    shares = _quotient(inside, totals[:, None])
    most = np.argmax(np.where(totals[:, None] > 0, shares - everywhere, 0.0), axis=1)
    own, of_all = shares[np.arange(k), most], everywhere[most]
    is_more = (own > of_all + _ROUNDING) & (totals > 0)
    spread = np.sqrt(everywhere * (1 - everywhere))
    standard = _quotient(shares - everywhere, spread)
    explained = totals @ standard**2 / max(float(totals.sum()), np.finfo(np.float64).tiny)
    return CategoryProfile(
        name=name,
        categories=tuple(
            _word(found[m]) if more else None
            for m, more in zip(most.tolist(), is_more.tolist(), strict=True)
        ),
        shares=np.where(is_more, own, 0.0),
        shares_of_all=np.where(is_more, of_all, 0.0),
        values=np.where(is_more, standard[np.arange(k), most], 0.0),
        explained=min(float(explained.max(initial=0.0)), 1.0),
    )


def _word(category: str | None) -> str:
    return MISSING if category is None else category


def _quotient(sums: Float64Array, totals: Float64Array) -> Float64Array:
    """Means from sums; 0 where there is nothing."""
    where: BoolArray = np.broadcast_to(totals > 0, sums.shape)
    return np.divide(sums, totals, out=np.zeros(sums.shape), where=where)
