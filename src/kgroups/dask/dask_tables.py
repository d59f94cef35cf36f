"""Dask arrays and dataframes as tables whose rows come in blocks of any size."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import dask
import dask.array as da
import numpy as np

from kgroups.blocks.row_source import float_type
from kgroups.dask.dask_blocks import results_of
from kgroups.text import quoted


@dataclass(frozen=True, eq=False)
class DaskTable:
    """Rows of numbers, how many each chunk has, and the names of the columns."""

    array: Any
    lengths: tuple[int, ...]
    names: list[str] | None = None

    @classmethod
    def of(cls, X: Any, client: Any, name: str = "X") -> DaskTable:
        """From a Dask array or dataframe; chunks of unknown size are counted once.

        Raises
        ------
        TypeError
            If X is neither.
        ValueError
            If it has columns that are not numbers, or no rows or columns.
        """
        if isinstance(X, da.Array):
            return _of_array(X, client, name)
        if hasattr(X, "to_dask_array") and hasattr(X, "columns"):
            return _of_frame(X, client, name)
        raise TypeError(
            f"{name} must be a Dask array or dataframe, or a source of kgroups.blocks; got "
            f"{type(X).__name__}. For rows in memory use kgroups.KernelKGroups."
        )

    @property
    def n_rows(self) -> int:
        """How many there are."""
        return sum(self.lengths)

    @property
    def n_columns(self) -> int:
        """How many columns they have."""
        return int(self.array.shape[1])

    @property
    def dtype(self) -> Any:
        """The type that the table says its chunks have."""
        return self.array.dtype

    @property
    def place(self) -> Callable[[int], str]:
        """Where a row is, for messages."""
        return partial(_place, self.lengths)

    def pieces(self, spans: Sequence[tuple[int, int]]) -> list[Any]:
        """The rows of each span, as something that Dask computes."""
        sizes = tuple(stop - start for start, stop in spans)
        return list(self.array.rechunk((sizes, (self.n_columns,))).to_delayed().ravel())


def _place(lengths: tuple[int, ...], row: int) -> str:
    ends = np.cumsum(lengths)
    chunk = int(np.searchsorted(ends, row, side="right"))
    inside = row - int(ends[chunk] - lengths[chunk])
    return f"chunk {chunk} of {len(lengths)} of X, row {inside} of it"


def weights_of(weights: Any, n: int, client: Any) -> Any:
    """Weights as an array or a Dask array of n numbers; ValueError for another shape."""
    if hasattr(weights, "to_dask_array"):
        weights = weights.to_dask_array()
    if not isinstance(weights, da.Array):
        weights = np.asarray(weights, np.float64)
    if weights.ndim != 1:
        raise ValueError(
            f"sample_weight.shape == {weights.shape}, expected ({n},): one weight per row."
        )
    known = weights if isinstance(weights, np.ndarray) else _with_lengths(weights, client)
    if len(known) != n:
        raise ValueError(
            f"sample_weight has {len(known):,} weights, and X has {n:,} rows; give one "
            "weight per row. Its chunks may be others than those of X."
        )
    return known if isinstance(known, np.ndarray) else _without_empty(known)


def pieces_of(weights: Any, spans: Sequence[tuple[int, int]]) -> list[Any]:
    """The weights of each span, or something that Dask computes them from."""
    if isinstance(weights, np.ndarray):
        return [weights[start:stop].copy() for start, stop in spans]
    sizes = tuple(stop - start for start, stop in spans)
    return list(weights.rechunk((sizes,)).to_delayed().ravel())


def _of_array(X: Any, client: Any, name: str) -> DaskTable:
    if X.ndim != 2:
        raise ValueError(
            f"{name} must be a table of shape (n, D); got a Dask array of {X.ndim} dimension"
            f"{'' if X.ndim == 1 else 's'}."
            + (f" For one column write {name}[:, None]." if X.ndim == 1 else "")
        )
    if X.dtype is None or X.dtype.kind not in "iufb":
        raise ValueError(
            f"{name} holds {X.dtype}, which are not numbers; convert it, as by "
            f"{name}.astype(float)."
            ' Text is compared by metric="mixed", which needs the table in memory.'
        )
    if len(X.chunks[1]) > 1:
        X = X.rechunk({1: -1})
    known = _with_lengths(X, client)
    lengths = tuple(int(n) for n in known.chunks[0])
    _check_size(sum(lengths), int(known.shape[1]), name)
    looked_at = known.map_blocks(_as_announced, name, dtype=known.dtype, meta=known._meta)
    return DaskTable(_without_empty(looked_at), lengths)


def _as_announced(chunk: Any, name: str, *, block_info: Any) -> Any:
    """A chunk as it is, if it is what the array says; ValueError otherwise."""
    said = block_info[None]
    where = f"chunk {said['chunk-location'][0]} of {said['num-chunks'][0]} of {name}"
    if not isinstance(chunk, np.ndarray) or isinstance(chunk, np.ma.MaskedArray):
        raise ValueError(f"{where} is a {type(chunk).__name__}; make it an array of NumPy.")
    if chunk.shape != tuple(said["chunk-shape"]):
        raise ValueError(
            f"{where} has shape {chunk.shape}, and {name} says that it has "
            f"{tuple(said['chunk-shape'])}; all chunks must have the columns of the first."
        )
    if chunk.dtype != said["dtype"]:
        raise ValueError(
            f"{where} holds {chunk.dtype}, and {name} says that it holds {said['dtype']}; convert "
            f"all chunks, as by {name}.map_blocks(numpy.asarray, float, dtype=float)."
        )
    return chunk


def _of_frame(X: Any, client: Any, name: str) -> DaskTable:
    _refuse_repeated([str(column) for column in X.columns], name)
    kinds = {str(column): kind for column, kind in X.dtypes.items()}
    for column, kind in kinds.items():
        if getattr(kind, "kind", "O") not in "iufb":
            raise ValueError(
                f"column {quoted(column)} of {name} holds {kind}, which are not numbers; choose "
                f'columns, as by {name}[["a", "b"]]. Text is compared by metric="mixed", which '
                "needs the table in memory."
            )
    array = X.astype(float_type(kinds.values())).to_dask_array()
    table = _of_array(array, client, name)
    are_names = all(isinstance(column, str) for column in X.columns)
    return DaskTable(table.array, table.lengths, list(kinds) if are_names else None)


def _refuse_repeated(columns: list[str], name: str) -> None:
    for column in columns:
        if columns.count(column) > 1:
            raise ValueError(
                f"{name} has {columns.count(column)} columns called {quoted(column)}; give each a "
                f"name of its own, as by {name}.columns = [...], or drop one."
            )


def _with_lengths(X: Any, client: Any) -> Any:
    """The same array with known chunks; X itself is not changed."""
    if not any(np.isnan(n) for n in X.chunks[0]):
        return X
    counted = [dask.delayed(len)(chunk) for chunk in X.to_delayed().ravel()]
    lengths = tuple(int(n) for n in results_of(client.compute(counted), client, "row counts"))
    return da.Array(X.dask, X.name, (lengths, *X.chunks[1:]), dtype=X.dtype)


def _without_empty(X: Any) -> Any:
    """The same rows without chunks that have none."""
    if all(X.chunks[0]):
        return X
    kept = [X.blocks[i] for i, n in enumerate(X.chunks[0]) if n]
    return da.concatenate(kept) if kept else X


def _check_size(n: int, width: int, name: str) -> None:
    if n == 0 or width == 0:
        what = "samples" if n == 0 else "features"
        raise ValueError(f"Found 0 {what} in {name}; at least one is needed.")
