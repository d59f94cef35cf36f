"""Rows that a file may hold instead of a table: sparse ones, and arrays of different lengths."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from kgroups.input.table_files.table import positional_names
from kgroups.typing import IntArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array


class _Untitled:
    """What rows share whose columns have no names in their file."""

    @property
    def has_header(self) -> bool:
        """Columns have no names."""
        return False

    @property
    def text(self) -> None:
        """None, because nothing is separated by delimiters."""


@dataclass(frozen=True, kw_only=True, eq=False)
class SparseRows(_Untitled):
    """Rows of a sparse array, sorted, without repeated indices; every entry is finite."""

    #: The name of the file in messages.
    source: str
    matrix: csr_array
    #: SHA-256 of the bytes of the file, if it was asked for.
    sha256: str | None = None
    notes: tuple[str, ...] = ()

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.matrix.shape[0])

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        return int(self.matrix.shape[1])

    def where(self, row: int) -> str:
        """A row as messages name it."""
        return f"row {row + 1}"

    def title(self, column: int) -> str:
        """A column as reports name it."""
        return f"column {column + 1}"


@dataclass(frozen=True, kw_only=True, eq=False)
class Arrays(_Untitled):
    """Rows that are arrays, each of its own length: of numbers, or of texts, which are sets."""

    source: str
    #: Arrays of numbers, of shape (m,) or (m, D); or frozen sets of text.
    items: tuple[NDArray[Any] | frozenset[str], ...]
    kind: Literal["numbers", "sets"]
    #: The line of each row, or its place in an array of all.
    lines: IntArray
    counted: str = "line"
    sha256: str | None = None
    notes: tuple[str, ...] = ()

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.items)

    @property
    def n_columns(self) -> int:
        """There is one array in each row."""
        return 1

    def where(self, row: int) -> str:
        """A row as messages name it."""
        return f"{self.counted} {self.lines[row]}"

    @property
    def width(self) -> int | None:
        """The length of all arrays of numbers; None if they differ, or are no rows of a table."""
        shapes = {item.shape for item in self.items if isinstance(item, np.ndarray)}
        if self.kind != "numbers" or len(shapes) != 1:
            return None
        (shape,) = shapes
        return int(shape[0]) if len(shape) == 1 and shape[0] else None

    def columns(self) -> tuple[tuple[str, ...], tuple[NDArray[Any], ...]]:
        """Names and values of the columns of arrays that are equally long."""
        values = np.stack([np.asarray(item) for item in self.items], axis=1)
        return positional_names(len(values)), tuple(values)
