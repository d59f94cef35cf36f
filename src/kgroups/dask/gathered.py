"""Fits of rows that are gathered in one place: this process, or one worker."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import dask.array as da
import numpy as np
from distributed import get_worker

from kgroups.blocks.row_source import float_type
from kgroups.dask.dask_blocks import results_of
from kgroups.dask.dask_tables import DaskTable
from kgroups.estimators.block_fitting import Columns
from kgroups.estimators.number_of_clusters import (
    NumberOfClusters,
    are_weights_equal,
    asking_for,
)
from kgroups.fit.block_plan import needs_all_rows
from kgroups.fit.plan import Size
from kgroups.input.block_input import check_entries
from kgroups.input.rows import is_row_source
from kgroups.input.spaces import space_for
from kgroups.typing import FloatArray, IntArray

#: Bytes of rows up to which one worker, of several or alone, is as fast as a fit by blocks, whose
#: messages take some seconds.
WORTH_SHARING, WORTH_BLOCKS = 1 << 27, 1 << 30
# How many times such a fit holds the rows, and how many features of a sketch of few clusters.
_COPIES, _FEATURES = 4, 200


def n_features(asked: int | str, n_clusters: int) -> int:
    """Features of a sketch, about."""
    return max(_FEATURES, 2 * n_clusters) if isinstance(asked, str) else int(asked)


def is_faster_on_one(size: Size, n_workers: int, room: int | None, asked: int | str) -> bool:
    """Whether one worker that has room for all rows and their features is as fast as all.

    ``asked`` is the number of features, or "auto".
    """
    rows = size.n * size.n_columns * size.itemsize
    if rows > (WORTH_SHARING if n_workers > 1 else WORTH_BLOCKS):
        return False
    features = 4 * size.n * n_features(asked, size.n_clusters)
    return room is None or _COPIES * rows + features <= room


def rows_of(table: DaskTable, client: Any) -> Any:
    """All rows of a table, in this process."""
    rows = results_of([client.compute(table.array)], client, "rows")[0]
    return np.asarray(rows, float_type([table.dtype]))


def first_row(table: DaskTable, client: Any) -> Any:
    """The first row of a table, as a table."""
    return results_of([client.compute(table.array[:1])], client, "first row")[0]


def in_memory(weights: Any, client: Any) -> Any:
    """Weights as an array in this process, or None."""
    if not isinstance(weights, da.Array):
        return weights
    return results_of([client.compute(weights)], client, "weights")[0]


@dataclass(frozen=True)
class RowsOfTable:
    """A Dask table from which rows are drawn, as from a source of :mod:`kgroups.blocks`."""

    table: DaskTable
    client: Any

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.table.n_rows

    @property
    def names(self) -> list[str] | None:
        """Names of the columns; None if they have no names."""
        return self.table.names

    def take(self, index: IntArray) -> FloatArray:
        """Rows by rising numbers."""
        rows = results_of([self.client.compute(self.table.array[index])], self.client, "rows")[0]
        return np.asarray(rows, float_type([self.table.dtype]))

    def place(self, row: int) -> str:
        """In which chunk a row is."""
        return self.table.place(row)


def are_equal(weights: Any, client: Any) -> bool:
    """Whether all rows have the same weight; chunks are compared where they are."""
    if not isinstance(weights, da.Array):
        return are_weights_equal(weights)
    ends = [client.compute(weights.min()), client.compute(weights.max())]
    least, most = results_of(ends, client, "weights")
    return bool(least == most)


def fitted(
    model: Any,
    columns: Columns,
    parts: list[Any],
    weights: list[Any],
    number: NumberOfClusters,
    seed: int,
) -> Any:
    """The estimator, fitted to the rows of all parts by one worker, with all of its threads.

    ``seed`` stands for a ``random_state`` of None, so that a worker that has to fit again, because
    the first one has died, finds the same.
    """
    rows = [p.read(0, p.n_rows) if is_row_source(p) else np.asarray(p) for p in parts]
    given = np.concatenate([np.asarray(w) for w in weights]) if weights else None
    asked = {"n_jobs": model.n_jobs, "random_state": model.random_state}
    here = {"n_jobs": get_worker().state.nthreads, "random_state": seed}
    model.set_params(**{name: here[name] for name, value in asked.items() if value is None})
    with asking_for(model, number):
        fit_rows(model, np.concatenate(rows), given, columns)
    return model.set_params(**asked)


def fit_rows(model: Any, rows: Any, weights: Any, columns: Columns) -> None:
    """Fit rows that have been gathered; messages say in which chunk a wrong entry is."""
    if not needs_all_rows(space_for(model.metric)):  # others may allow gaps
        check_entries(rows, columns.names, columns.place)
    model.fit(rows, sample_weight=weights)
    if columns.names is not None:
        model.feature_names_in_ = np.array(columns.names, dtype=object)


def told(model: Any) -> dict[str, Any]:
    """What a fitted estimator says, by name; labels in half of the bytes."""
    said = {name: getattr(model, name) for name in fitted_names(model)}
    return {**said, "labels_": np.asarray(model.labels_, np.int32)}


def fitted_names(model: Any) -> list[str]:
    """The attributes that a fit has set, and ``_best_start``, which reports read."""
    return [
        name
        for name in vars(model)
        if name == "_best_start" or (name.endswith("_") and not name.startswith("_"))
    ]
