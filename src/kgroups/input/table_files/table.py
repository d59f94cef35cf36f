"""What a file becomes: columns of numbers or text that know where they came from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kgroups.exceptions import DataError
from kgroups.text import did_you_mean
from kgroups.typing import BoolArray, Float64Array, IntArray

# More names than this would hide the message that lists them.
_NAMES_SHOWN = 12


@dataclass(frozen=True, kw_only=True, eq=False)
class Table:
    """Columns of equal length, each of numbers or of text.

    Numbers are float64 with NaN where a value is missing; text is an object array of str with None
    where a value is missing. Columns of a file without a header are named "1", "2" and so on.
    """

    #: How messages speak of the file.
    source: str
    names: tuple[str, ...]
    columns: tuple[NDArray[Any], ...]
    has_header: bool
    #: The line on which each row begins; None where a file has no lines.
    lines: IntArray | None = None
    #: What a reader of the file may have guessed wrongly.
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_distinct_names(self.names, self.source)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.columns[0]) if self.columns else 0

    def position(self, name: str) -> int:
        """Where the column of that name stands."""
        if name in self.names:
            return self.names.index(name)
        if not self.has_header:
            raise DataError(
                f"{self.source} has no column {name!r}: it has no header, so its columns go by "
                f"their positions, 1 to {len(self.names)}."
            )
        hint = did_you_mean(name, self.names)
        raise DataError(
            f"{self.source} has no column {name!r}.{hint} Its columns are: {listed(self.names)}."
        )

    def label(self, column: int) -> str:
        """How a message speaks of a column."""
        name = self.names[column]
        return f"column {name!r}" if self.has_header else f"column {name}"

    def title(self, column: int) -> str:
        """What a column is called in reports and pictures."""
        return self.names[column] if self.has_header else f"column {self.names[column]}"

    def where(self, row: int) -> str:
        """How a message speaks of a row: by its line in the file where there are lines."""
        return f"row {row + 1}" if self.lines is None else f"line {self.lines[row]}"

    def is_text(self, column: int) -> bool:
        """Whether a column holds text."""
        return self.columns[column].dtype == object

    def missing(self, column: int) -> BoolArray:
        """Which rows lack a value in a column."""
        values = self.columns[column]
        if self.is_text(column):
            return np.array([value is None for value in values], dtype=np.bool_)
        return np.asarray(np.isnan(values))

    def numbers(self, columns: Sequence[int]) -> Float64Array:
        """Some numeric columns side by side, as a new array."""
        if not columns:
            return np.empty((self.n_rows, 0))
        return np.stack([self.columns[c] for c in columns], axis=1)


def positional_names(n_columns: int) -> tuple[str, ...]:
    """The names of columns that have none."""
    return tuple(str(position) for position in range(1, n_columns + 1))


def listed(names: Sequence[str]) -> str:
    """Names for a message, the first dozen of them.

    >>> listed(["a", "b"])
    "'a', 'b'"
    """
    shown = ", ".join(repr(name) for name in names[:_NAMES_SHOWN])
    rest = len(names) - _NAMES_SHOWN
    return f"{shown} and {rest} more" if rest > 0 else shown


def check_distinct_names(names: Sequence[str], source: str) -> None:
    """Two columns of one name could not be told apart."""
    if len(set(names)) == len(names):
        return
    name = next(name for name, count in Counter(names).items() if count > 1)
    positions = [str(i) for i, other in enumerate(names, start=1) if other == name]
    raise DataError(
        f"{source} has {len(positions)} columns named {name!r} (columns {', '.join(positions)}); "
        "give each its own name. If the first line holds data, put a line of names above it."
    )
