"""A table read from a file: columns of numbers or text, with their names and lines."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import isnan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kgroups.exceptions import DataError
from kgroups.input.table_files.numerals import to_numbers
from kgroups.input.table_files.text_format import TextFound
from kgroups.text import did_you_mean, quoted
from kgroups.typing import BoolArray, Float64Array, IntArray

# A longer list would hide the rest of its message.
_NAMES_SHOWN = 12


@dataclass(frozen=True, kw_only=True, eq=False)
class Table:
    """Columns of equal length, each of numbers or of text.

    Numbers are float64 with NaN where a value is missing; text is an object array of str with None
    where a value is missing. Columns of a file without a header are named "1", "2" and so on.
    """

    #: The name of the file in messages.
    source: str
    names: tuple[str, ...]
    columns: tuple[NDArray[Any], ...]
    has_header: bool
    #: The line on which each row begins; None for a file without lines.
    lines: IntArray | None = None
    #: What they are called: "line", or "row" in a sheet.
    counted: str = "line"
    #: Positions of columns whose name in the header is empty.
    unnamed: tuple[int, ...] = ()
    #: Reads the fields of all rows once more, as they stand in a text file.
    reread: Callable[[], Iterator[list[str]]] | None = None
    #: Positions of numeric columns that hold True as 1 and False as 0.
    booleans: frozenset[int] = frozenset()
    #: How a text file was read.
    text: TextFound | None = None
    #: SHA-256 of the bytes of the file, if it was asked for.
    sha256: str | None = None
    #: Guesses about the file that may be wrong.
    notes: tuple[str, ...] = ()
    #: Why values may be missing, for errors about them.
    gaps: str = ""

    def __post_init__(self) -> None:
        check_distinct_names(self.names, self.source)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.columns[0]) if self.columns else 0

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        return len(self.columns)

    def position(self, name: str) -> int:
        """The position of the column with that name."""
        if name in self.names:
            return self.names.index(name)
        if not self.has_header:
            raise DataError(
                f"{self.source} has no column {quoted(name)}: it has no header, so its columns are "
                f"named 1 to {len(self.names)}."
            )
        hint = did_you_mean(name, self.names)
        raise DataError(
            f"{self.source} has no column {quoted(name)}.{hint} "
            f"Its columns are: {listed(self.names)}."
        )

    def label(self, column: int) -> str:
        """A column as messages name it."""
        name = self.names[column]
        return f"column {quoted(name)}" if self.has_header else f"column {name}"

    def title(self, column: int) -> str:
        """A column as reports and pictures name it."""
        return self.names[column] if self.has_header else f"column {self.names[column]}"

    def where(self, row: int) -> str:
        """A row as messages name it: by its line in the file or row in the sheet, if known."""
        return f"row {row + 1}" if self.lines is None else f"{self.counted} {self.lines[row]}"

    def is_text(self, column: int) -> bool:
        """Whether a column holds text."""
        return self.columns[column].dtype == object

    def missing(self, column: int) -> BoolArray:
        """Which rows lack a value in a column."""
        values = self.columns[column]
        if self.is_text(column):
            return np.array([value is None for value in values], dtype=np.bool_)
        return np.asarray(np.isnan(values))

    def as_text(self) -> Iterator[list[str]]:
        """The fields of each row: those of the file if it is text, else all digits of numbers."""
        if self.reread is not None:
            return self.reread()
        texts = (self.texts(column) for column in range(len(self.names)))
        return map(list, zip(*texts, strict=True))

    def texts(self, column: int) -> list[str]:
        """The values of a column as text, whole numbers without a point, empty where missing.

        >>> table = Table(source="", names=("a",), columns=(np.array([1.0, 0.5, np.nan]),),
        ...               has_header=True)
        >>> table.texts(0)
        ['1', '0.5', '']
        """
        if self.is_text(column):
            return ["" if value is None else value for value in self.columns[column]]
        numbers = self.columns[column].tolist()
        if column in self.booleans:
            return ["" if isnan(v) else str(bool(v)) for v in numbers]
        return ["" if isnan(v) else repr(v).removesuffix(".0") for v in numbers]

    def numbers(self, columns: Sequence[int]) -> Float64Array:
        """Some numeric columns side by side, as a new array."""
        if not columns:
            return np.empty((self.n_rows, 0))
        return np.stack([self.columns[c] for c in columns], axis=1)


def kinds_of(values: NDArray[Any]) -> tuple[NDArray[Any], IntArray]:
    """The different values of a column and which of them each row has; text of numbers by size.

    >>> kinds_of(np.array(["10", "9", "9.0", "9"], dtype=object))[0].tolist()
    ['9', '9.0', '10']
    """
    kinds, codes = np.unique(values, return_inverse=True)
    numbers = to_numbers(kinds.tolist()) if kinds.dtype == object else None
    if numbers is None:
        return kinds, codes
    order = np.argsort(numbers, kind="stable")
    return kinds[order], np.argsort(order)[codes]


def positional_names(n_columns: int) -> tuple[str, ...]:
    """The names of columns that have none."""
    return tuple(str(position) for position in range(1, n_columns + 1))


def listed(names: Sequence[str]) -> str:
    """Names for a message, at most a dozen of them.

    >>> listed(["a", "b"])
    "'a', 'b'"
    """
    return some([quoted(name) for name in names[:_NAMES_SHOWN]], len(names))


def some(shown: Sequence[str], count: int) -> str:
    """The first of ``count`` things, already written out, and how many more there are.

    >>> some(["1", "2"], 5)
    '1, 2 and 3 more'
    """
    rest = count - len(shown)
    return f"{', '.join(shown)} and {rest:,} more" if rest > 0 else ", ".join(shown)


def check_distinct_names(names: Sequence[str], source: str) -> None:
    """DataError if two columns have the same name."""
    if len(set(names)) == len(names):
        return
    name = next(name for name, count in Counter(names).items() if count > 1)
    positions = [str(i) for i, other in enumerate(names, start=1) if other == name]
    where = some(positions[:_NAMES_SHOWN], len(positions))
    raise DataError(
        f"{source} has {len(positions)} columns named {quoted(name)} (columns {where}); "
        "give each its own name. If the first line is data, add a line of names above it; if the "
        "names go on in the next line, as pandas writes several levels of columns, join them into "
        "one line."
    )
