"""How a text file writes its table: delimiter, decimal mark, missing values and encoding."""

from dataclasses import dataclass
from typing import Any, Literal

#: Fields that stand for a missing value: those of pandas, and ?.
MISSING = frozenset(
    {"", "NA", "N/A", "n/a", "<NA>", "#N/A", "#NA", "NaN", "nan", "-nan", "-NaN", "NULL", "null",
     "None", "?"}
)  # fmt: skip

#: Marks between the whole number and its fraction.
Decimal = Literal[".", ","]
DECIMALS: tuple[Decimal, ...] = (".", ",")


@dataclass(frozen=True, kw_only=True)
class TextFormat:
    """What is known of a text file; None is found out from the file."""

    delimiter: str | None = None
    decimal: Decimal | None = None
    #: Further fields that stand for a missing value.
    na_values: tuple[str, ...] = ()
    encoding: str | None = None
    #: Lines of the file that are not read, counted from 1; rows of a sheet.
    skip_lines: tuple[int, ...] = ()
    #: Names of columns that are compared as they are written, so 1.1 is not 1.10.
    as_text: tuple[str, ...] = ()

    def present(self, fields: list[str]) -> list[str]:
        """The fields, empty where one of ``na_values`` says that there is none."""
        return ["" if field.strip() in self.na_values else field for field in fields]


@dataclass(frozen=True, kw_only=True)
class TextFound:
    """How a text file was read, as far as it is not the same for all of them."""

    #: None where there is none, as in a spreadsheet.
    delimiter: str | None
    encoding: str | None
    decimal: Decimal | None
    na_values: tuple[str, ...]
    skip_lines: tuple[int, ...] = ()
    #: Names of the columns that were found to have decimal commas.
    decimal_commas: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """What was found, as JSON has it."""
        return {
            "delimiter": self.delimiter,
            "encoding": self.encoding,
            "decimal": self.decimal,
            "na_values": list(self.na_values),
            "skip_lines": list(self.skip_lines),
            "decimal_commas": list(self.decimal_commas),
        }


@dataclass(frozen=True, kw_only=True)
class ListFound(TextFound):
    """How a list of edges was read, or a matrix, which has no columns of this kind."""

    #: Whether the first line holds the names of the columns.
    has_header: bool = False
    #: The names of source, target and weight, or their positions from 1.
    columns: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """What was found, as JSON has it; no missing values stand in such a file."""
        found = super().to_dict()
        del found["na_values"]
        named = dict(zip(("source", "target", "weight"), (*self.columns, None), strict=False))
        return {**found, "has_header": self.has_header, "columns": named if self.columns else None}
