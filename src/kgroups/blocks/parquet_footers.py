"""What the footers of Parquet files say: rows, row groups, and columns that must agree."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from kgroups.blocks.file_state import FileState
from kgroups.blocks.float_types import float_type
from kgroups.blocks.parquet_batches import Part, decoding, opened
from kgroups.exceptions import DataError
from kgroups.text import did_you_mean, quoted

if TYPE_CHECKING:
    from pyarrow import Field, Schema

# Names that pandas gives to columns of row numbers.
_ROW_INDEX = re.compile(r"__index_level_\d+__")
# More names would hide the rest of a message.
_NAMES_SHOWN = 12
_IN_MEMORY = 'read the table into memory for metric="mixed"'


@dataclass(frozen=True, eq=False)
class Footer:
    """What is known of a file: its names of columns are without those of row numbers."""

    part: Part
    schema: Schema

    names: list[str]

    @property
    def path(self) -> str:
        """The file, for messages."""
        return str(self.part.state.path)


def read_footer(path: str | PathLike[str], label: str) -> Footer:
    """Rows, row groups and columns of a file; its rows are not read."""
    state = FileState.of(path)
    with opened(state) as file, decoding(str(state.path)):
        metadata = file.metadata
        counts = [metadata.row_group(i).num_rows for i in range(metadata.num_row_groups)]
        part = Part(state, label, np.cumsum([0, *counts], dtype=np.int64))
        schema = file.schema_arrow
        names = [name for name in schema.names if not _ROW_INDEX.fullmatch(name)]
    return Footer(part, schema, names)


def chosen_names(footer: Footer, columns: Sequence[str] | None) -> list[str]:
    """The columns to read, in their order; ValueError for a name that the file does not have."""
    if columns is None:
        chosen = footer.names
        if not chosen:
            raise DataError(f"{footer.path} has no columns; at least one is needed.")
    else:
        chosen = _asked_for(columns, footer)
    _refuse_repeated(footer, chosen)
    return chosen


def _asked_for(columns: Sequence[str], footer: Footer) -> list[str]:
    if isinstance(columns, str):
        raise ValueError(f"columns is a list of names; write columns=[{columns!r}].")
    chosen = list(columns)
    if not chosen:
        raise ValueError("columns is an empty list; name at least one, or leave it out for all.")
    for place, name in enumerate(chosen):
        if name not in footer.names:
            hint = did_you_mean(name, footer.names) or f" It has {_listed(footer.names)}."
            raise ValueError(f"{footer.path} has no column {quoted(name)}.{hint}")
        if name in chosen[:place]:
            raise ValueError(f"columns names {quoted(name)} twice; name each column once.")
    return chosen


def _refuse_repeated(footer: Footer, names: Sequence[str]) -> None:
    """DataError for columns of one name, either of which could be meant."""
    counts = Counter(footer.names)
    for name in names:
        if counts[name] > 1:
            raise DataError(
                f"{footer.path} has {counts[name]} columns called {quoted(name)}; give each a name "
                "of its own, or choose others by columns=[...]."
            )


def check_numeric(footer: Footer, names: Sequence[str]) -> None:
    """DataError for the first column that does not hold numbers, with those that do."""
    for name in names:
        field = footer.schema.field(name)
        if not _is_numeric(field):
            numeric = [n for n in names if _is_numeric(footer.schema.field(n))]
            choice = f"choose columns=[{_listed(numeric)}], or {_IN_MEMORY}"
            raise DataError(
                f"{footer.path}, column {quoted(name)} holds {_kind(field)}, and numbers are "
                f"needed; {choice if numeric else _IN_MEMORY}."
            )


def check_agreement(
    footer: Footer, first: Footer, names: Sequence[str], *, all_columns: bool
) -> None:
    """DataError for a file whose columns are not those of the first one, in whatever order."""
    present = set(footer.names)
    for name in names:
        if name not in present:
            hint = did_you_mean(name, footer.names)
            raise DataError(
                f"{footer.path} has no column {quoted(name)}, which {first.path} has.{hint}"
            )
    _refuse_repeated(footer, names)
    _check_types(footer, first, names)
    known = set(names)
    extra = [name for name in footer.names if name not in known] if all_columns else []
    if extra:
        raise DataError(
            f"{footer.path} has a column {quoted(extra[0])}, which {first.path} does not have; "
            f"choose columns that all files have: columns=[{_listed(names)}]."
        )


def _check_types(footer: Footer, first: Footer, names: Sequence[str]) -> None:
    for name in names:
        here, there = (_kind(some.schema.field(name)) for some in (footer, first))
        if here != there:
            raise DataError(
                f"{footer.path}, column {quoted(name)} holds {here}, and {there} in {first.path}; "
                "write all files with one type, or choose other columns by columns=[...]."
            )


def float_type_of(footer: Footer, names: Iterable[str]) -> np.dtype[Any]:
    """The type in which columns are read together."""
    kinds = (_plain(footer.schema.field(name).type) for name in names)
    return float_type(kind.to_pandas_dtype() for kind in kinds)


def _is_numeric(field: Field) -> bool:
    from pyarrow import types

    tests = (
        types.is_integer,
        types.is_floating,
        types.is_boolean,
        types.is_decimal,
        types.is_null,
    )
    return _extension(field) is None and any(test(_plain(field.type)) for test in tests)


def _extension(field: Field) -> str | None:
    """The name of a type outside of Arrow, such as the periods of pandas, whether known or not."""
    unregistered = (field.metadata or {}).get(b"ARROW:extension:name", b"").decode()
    name: str | None = getattr(field.type, "extension_name", None) or unregistered or None
    return name


def _kind(field: Field) -> str:
    """The type of a column's values, in words for messages; categories count as their values."""
    return _extension(field) or str(_plain(field.type))


def _plain(kind: Any) -> Any:
    """The type of the values, also of categories."""
    from pyarrow import types

    return kind.value_type if types.is_dictionary(kind) else kind


def _listed(names: Sequence[str]) -> str:
    shown = [quoted(name) for name in names[:_NAMES_SHOWN]]
    return ", ".join([*shown, "..."] if len(names) > _NAMES_SHOWN else shown)
