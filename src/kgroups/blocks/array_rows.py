"""Rows of an array or a frame that is in memory, or of an array that is mapped from a file."""

from collections.abc import Iterator
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np
from scipy.sparse import issparse

from kgroups.blocks.by_block import canonical_blocks, check_interval, taken
from kgroups.blocks.fingerprints import fingerprint_of
from kgroups.blocks.float_types import float_type
from kgroups.input.columns import column_label, feature_names
from kgroups.input.tables import refuse_others
from kgroups.text import counted
from kgroups.typing import FloatArray, IntArray

# Rows that a fingerprint looks at.
_ROWS_OF_FINGERPRINT = 1000


@dataclass(frozen=True, eq=False, repr=False)
class ArrayRows:
    """Rows of a two-dimensional array of numbers, see :func:`from_array`."""

    X: np.ndarray[Any, Any]
    names: list[str] | None = None

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.X)

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        return int(self.X.shape[1])

    @property
    def dtype(self) -> np.dtype[Any]:
        """float32 for an array of float32, otherwise float64."""
        return float_type([self.X.dtype])

    def read(self, start: int, stop: int) -> FloatArray:
        """Rows ``start`` to ``stop - 1``: a view where type and order allow it, else a copy."""
        check_interval(start, stop, self.n_rows)
        return np.ascontiguousarray(self.X[start:stop], dtype=self.dtype)

    def take(self, index: slice | IntArray) -> FloatArray:
        """Rows by their numbers, in the order asked for."""
        return taken(self, index)

    def blocks(self) -> Iterator[tuple[int, FloatArray]]:
        """First row and rows of each canonical block."""
        return canonical_blocks(self)

    def place(self, row: int) -> str:
        """The number of the row, from 0."""
        return f"row {row}"

    def check_unchanged(self) -> None:
        """Nothing to check: these rows are not in a file."""

    def fingerprint(self) -> str:
        """A digest of shape, type and at most 1,000 evenly spaced rows."""
        some = min(self.n_rows, _ROWS_OF_FINGERPRINT)
        sample = self.take(np.linspace(0, self.n_rows - 1, some).astype(np.int64))
        return fingerprint_of(self.X.shape, self.X.dtype.name, content=sample.tobytes())

    def __repr__(self) -> str:
        rows, columns = counted(self.n_rows, "row"), counted(self.n_columns, "column")
        return f"ArrayRows({rows}, {columns}, {self.dtype})"


def from_array(X: Any) -> ArrayRows:
    """Read the rows of an array or a frame by blocks.

    Parameters
    ----------
    X : array of shape (N, D), or a frame of pandas or polars
        An array is not copied, and ``numpy.memmap`` reads it from disk as it is needed. Numbers of
        other types than float32 become float64 as they are read. A frame is copied once, into an
        array of the type that it has as a table in memory; missing values become NaN.

    Returns
    -------
    RowSource
        Its names are those of the frame, if they are strings.

    Raises
    ------
    ValueError
        If X is not two-dimensional, has no rows or no columns, or holds something else than real
        numbers.
    TypeError
        If X is neither an array nor a frame.

    Examples
    --------
    >>> import numpy as np
    >>> from kgroups import blocks
    >>> rows = blocks.from_array(np.arange(12).reshape(4, 3))
    >>> rows
    ArrayRows(4 rows, 3 columns, float64)
    >>> rows.take(np.array([3, 0]))
    array([[ 9., 10., 11.],
           [ 0.,  1.,  2.]])
    """
    _refuse_others(X)
    if hasattr(X, "columns"):
        _check_shape(tuple(X.shape))
        names = feature_names(X)
        return ArrayRows(_table(X, names), names)
    array = np.asarray(X)
    _check_shape(array.shape)
    if array.dtype.kind not in "biuf":
        raise ValueError(
            f"X holds {array.dtype}, and numbers are needed; write X.real for complex numbers, "
            "X.astype(float) if all entries of another type are numbers."
        )
    return ArrayRows(array)


def _refuse_others(X: Any) -> None:
    """TypeError for what is neither an array nor a frame."""
    if isinstance(X, (str, PathLike)):
        raise TypeError(
            "X is a path, and an array is needed; write from_npy(path) or from_parquet(path)."
        )
    if issparse(X):
        raise TypeError("X is sparse, and blocks are dense; write X.toarray() if memory allows it.")
    refuse_others(X)
    if not isinstance(X, np.ndarray) and not hasattr(X, "columns"):
        raise TypeError(
            f"X is a {type(X).__name__}, and an array or a frame is needed; write numpy.asarray(X)."
        )


def _check_shape(shape: tuple[int, ...]) -> None:
    if len(shape) != 2:
        instead = "X.reshape(-1, 1) for one column" if len(shape) < 2 else "X.reshape(len(X), -1)"
        raise ValueError(f"X has shape {shape}, and a table has two dimensions; write {instead}.")
    if 0 in shape:
        what = "row" if shape[0] == 0 else "column"
        raise ValueError(f"X has shape {shape}; at least one {what} is needed.")


def _table(X: Any, names: list[str] | None) -> FloatArray:
    """The columns of a frame as one array."""
    columns = [X.iloc[:, j] if hasattr(X, "iloc") else X[:, j] for j in range(X.shape[1])]
    for j, column in enumerate(columns):
        if not _is_numeric(column.dtype):
            raise ValueError(
                f"X, {column_label(j, names)}, holds {column.dtype}, and numbers are needed; "
                "choose the other columns, as by X[[...]], or fit the frame itself with "
                'metric="mixed".'
            )
    out = np.empty(X.shape, float_type(_kind(column) for column in columns))
    for j, column in enumerate(columns):
        out[:, j] = _numbers(column)
    return out


def _kind(column: Any) -> Any:
    """The type of a column of pandas, or that of a column of polars in NumPy."""
    return column.dtype if hasattr(column, "iloc") else column[:0].to_numpy().dtype


def _is_numeric(dtype: Any) -> bool:
    """Whether pandas or polars calls a column numeric or boolean."""
    if hasattr(dtype, "is_numeric"):
        return str(dtype) == "Boolean" or bool(dtype.is_numeric())
    return dtype.kind in "biuf"


def _numbers(column: Any) -> FloatArray:
    """A column of pandas or polars as float64, with NaN for missing values."""
    if hasattr(column, "cast"):
        return np.asarray(column.cast(float).to_numpy())
    return np.asarray(column.to_numpy(dtype=np.float64, na_value=np.nan))
