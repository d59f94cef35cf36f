"""The types that signatures speak of: arrays, what users hand in, and sources of random numbers."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray: TypeAlias = NDArray[np.floating[Any]]
Float64Array: TypeAlias = NDArray[np.float64]
Float32Array: TypeAlias = NDArray[np.float32]
IntArray: TypeAlias = NDArray[np.int64]
# Indices of a sparse matrix: int32 where they fit, else int64.
IndexArray: TypeAlias = NDArray[np.integer[Any]]
BoolArray: TypeAlias = NDArray[np.bool_]


class Frame(Protocol):
    """A data frame of pandas or polars, which are recognized by their columns."""

    @property
    def columns(self) -> Any:
        """The names of the columns."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Numbers of rows and columns."""


class SparseMatrix(Protocol):
    """A sparse matrix or array of SciPy."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the entries."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Numbers of rows and columns."""

    @property
    def format(self) -> str:
        """How entries are stored: "csr", "coo", ..."""

    @property
    def nnz(self) -> int:
        """Number of stored entries."""

    def tocsr(self) -> Any:
        """The same entries by rows."""


#: Distances from the items [a, b) to the items from c on, of shape (b − a, m − c).
Strip: TypeAlias = Callable[[int, int, int], FloatArray]

#: One input: a table, a matrix of all pairs, or a sequence of objects of any kind.
Data: TypeAlias = ArrayLike | Frame | SparseMatrix | Sequence[object]

#: Where random numbers come from; None is different on every call.
RandomStateLike: TypeAlias = int | np.random.RandomState | np.random.Generator | None
