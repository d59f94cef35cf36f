"""Rows of an array or a frame that is in memory, or of an array in an NPY file."""

from collections.abc import Sequence
from os import PathLike
from typing import Any

import numpy as np
from scipy.sparse import issparse

from kgroups.blocks.row_source import FileState, StoredRows, fingerprint_of, float_type
from kgroups.exceptions import DataError
from kgroups.text import short
from kgroups.typing import FloatArray

# Rows that a fingerprint looks at.
_ROWS_OF_FINGERPRINT = 1000


class ArrayRows(StoredRows):
    """Rows of a two-dimensional array of numbers, see :func:`from_array`."""

    def __init__(self, X: np.ndarray[Any, Any], names: list[str] | None = None) -> None:
        super().__init__(X.shape, names, float_type([X.dtype]))
        self.X = X

    def _read(self, start: int, stop: int) -> FloatArray:
        return np.ascontiguousarray(self.X[start:stop], dtype=self.dtype)

    def place(self, row: int) -> str:
        """The number of the row, from 0."""
        return f"row {row}"

    def fingerprint(self) -> str:
        """A digest of shape, type and at most 1,000 evenly spaced rows."""
        some = min(self.n_rows, _ROWS_OF_FINGERPRINT)
        sample = self.take(np.linspace(0, self.n_rows - 1, some).astype(np.int64))
        return fingerprint_of(self.X.shape, self.X.dtype.name, content=sample.tobytes())


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
        If X is not two-dimensional, has no rows or no columns, is masked, or holds something else
        than real numbers.
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
    is_frame = all(hasattr(X, name) for name in ("to_numpy", "columns", "shape"))
    if issparse(X) or not (is_frame or isinstance(X, np.ndarray)):
        raise TypeError(
            f"X is a {type(X).__name__}, and an array or a frame is needed; write "
            "numpy.asarray(X), or from_npy(path) or from_parquet(path) for a path."
        )
    if np.ma.is_masked(X):
        raise ValueError("X is a masked array, and masks would be ignored; write X.filled(...).")
    if not is_frame:
        return ArrayRows(_checked(np.asarray(X), "X"))
    names = list(X.columns)
    columns = [X.iloc[:, j] if hasattr(X, "iloc") else X[:, j] for j in range(X.shape[1])]
    for name, column in zip(names, columns, strict=True):
        if not _is_numeric(column.dtype):
            raise ValueError(
                f"X, column {name!r}, holds {column.dtype}, and numbers are needed; choose the "
                'other columns, as by X[[...]], or fit the frame itself with metric="mixed".'
            )
    out = np.empty(X.shape, float_type(_kind(column) for column in columns))
    for j, column in enumerate(columns):
        out[:, j] = _numbers(column)
    return ArrayRows(_checked(out, "X"), names if all(type(n) is str for n in names) else None)


def _checked(X: np.ndarray[Any, Any], name: str) -> np.ndarray[Any, Any]:
    """ValueError for what is not a table of numbers."""
    if X.dtype.kind not in "biuf":
        raise ValueError(
            f"{name} holds {X.dtype}, and numbers are needed; write X.real for complex numbers, "
            "X.astype(float) if all entries of another type are numbers."
        )
    if X.ndim != 2 or 0 in X.shape:
        raise ValueError(
            f"{name} has shape {X.shape}, and a table has two dimensions, with at least one row "
            "and column; write X.reshape(-1, 1) for one column."
        )
    return X


def _is_numeric(dtype: Any) -> bool:
    """Whether pandas or polars calls a column numeric or boolean."""
    if hasattr(dtype, "is_numeric"):
        return str(dtype) == "Boolean" or bool(dtype.is_numeric())
    return dtype.kind in "biuf"


def _kind(column: Any) -> Any:
    """The type of a column of pandas, or that of a column of polars in NumPy."""
    return column.dtype if hasattr(column, "iloc") else column[:0].to_numpy().dtype


def _numbers(column: Any) -> FloatArray:
    """A column of pandas or polars as float64, with NaN for missing values."""
    if hasattr(column, "cast"):
        return np.asarray(column.cast(float).to_numpy())
    return np.asarray(column.to_numpy(dtype=np.float64, na_value=np.nan))


class NpyRows(StoredRows):
    """Rows of an NPY file, see :func:`from_npy`; it is mapped only while some are copied."""

    def __init__(
        self, state: FileState, X: np.memmap[Any, Any], columns: Sequence[int] | None = None
    ) -> None:
        n_columns = X.shape[1] if columns is None else len(columns)
        super().__init__((len(X), n_columns), None, float_type([X.dtype]))
        self.files, self._columns = (state,), slice(None) if columns is None else [*columns]
        order = "C" if X.flags.c_contiguous else "F"
        self._mapped = {"dtype": X.dtype, "offset": X.offset, "shape": X.shape, "order": order}

    def _read(self, start: int, stop: int) -> FloatArray:
        self.check_unchanged()
        mapped: Any = np.memmap(self.files[0].path, mode="r", **self._mapped)
        return np.array(mapped[start:stop, self._columns], self.dtype, order="C")

    def place(self, row: int) -> str:
        """Name of the file and number of the row, from 0."""
        return f"{self.files[0].path.name}, row {row}"

    def fingerprint(self) -> str:
        """A digest of name, size and modification time of the file, and of shape and type."""
        state = self.files[0]
        file = (state.path.name, state.n_bytes, state.modified_ns)
        facts = [file, self._mapped["shape"], self._mapped["dtype"].str]
        return fingerprint_of(*facts, *([self._columns] if self._columns != slice(None) else []))


def from_npy(path: str | PathLike[str], columns: Sequence[int] | None = None) -> NpyRows:
    """Read the rows of an NPY file by blocks.

    Nothing is unpickled, and memory holds only the rows that were asked for.

    Parameters
    ----------
    path : str or Path
        A file that ``numpy.save`` wrote, with an array of numbers of shape (N, D). Numbers
        of other types than float32 become float64. Fortran order is read correctly, and more
        slowly.
    columns : list of int, optional
        The columns to read, by their numbers from 0, in this order. By default all.

    Returns
    -------
    RowSource
        It has no names.

    Raises
    ------
    kgroups.exceptions.DataError
        If the file is not an NPY file, is cut off, or holds something else than a table of
        numbers.
    FileNotFoundError
        If there is no such file.
    IndexError
        If there is no such column.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import numpy as np
    >>> from kgroups import blocks
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "X.npy"
    ...     np.save(path, np.arange(12).reshape(4, 3))
    ...     rows = blocks.from_npy(path)
    ...     print(rows)
    ...     print(rows.read(1, 3))
    NpyRows('X.npy', 4 rows, 3 columns, float64)
    [[3. 4. 5.]
     [6. 7. 8.]]
    """
    state = FileState.of(path)
    try:
        X: Any = np.load(state.path, mmap_mode="r")
        if not isinstance(X, np.memmap):
            raise ValueError("it is not one array")
        _checked(X, "it")
    except Exception as error:
        raise DataError(
            f"{state.path}, {state.n_bytes:,} bytes, is not a table of numbers that numpy.save "
            f"wrote: {short(error, 200)}"
        ) from error
    if columns is not None and not (columns and {*columns} <= {*range(X.shape[1])}):
        raise IndexError(f"columns are some of 0 to {X.shape[1] - 1}; got {columns}.")
    return NpyRows(state, X, columns)
