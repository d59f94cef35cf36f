"""Text that is nearly a number, and what to do about a column of it."""

import re
import shlex
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, cast

from kgroups.cli.option_values import as_list
from kgroups.input.table_files.numerals import is_number, to_numbers
from kgroups.input.table_files.text_format import Decimal
from kgroups.text import quoted

#: What keeps most entries from being numbers: words for missing values, a mark that may mean two
#: things, or what is written in its place; empty if nothing does, as for categories.
Kind = Literal["words", "marks", "two marks", "percent", "date", "unit", "notation", ""]

_DATE = re.compile(
    r"(\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4})([T ].*)?"
    r"|\d{1,2}:\d{2}(:\d{2})?"
)
_PERCENT = re.compile(r"[+-]?[\d.,]*\d\s*%")
_DIGIT = re.compile(r"\d")
# A number with something before or after it, such as "5 kg", "$5" or "<0.1".
_WITH_UNIT = re.compile(r"([^\w\s]{0,2})\s*[+-]?\d[\d.,]*\s*([^\d\s]{0,6})")
# Groups of three digits, an exponent of Fortran, and degrees.
_NOTATION = re.compile(
    r"[+-]?\d{1,3}(_\d{3})+(\.\d*)?|[+-]?\d*\.\d*[dD][+-]?\d{1,3}"
    r"|[+-]?\d{1,3}(\.\d+)?\s*[°º].*"
)
# Share of the entries that must be numbers, or nearly.
_MOST = 0.5
# Different words that may stand for missing numbers, and different units of one column.
_WORDS = 3
_UNITS = 3
_DECIMALS: tuple[Decimal, ...] = (".", ",")


@dataclass(frozen=True)
class NearlyNumbers:
    """Why a column of text is not one of numbers."""

    kind: Kind
    #: The words that may stand for missing values, and how many entries they are.
    words: tuple[str, ...] = ()
    n_words: int = 0
    #: The decimal marks with which all entries are numbers.
    decimals: tuple[Decimal, ...] = ()

    def advice(self, name: str) -> str:
        """What to write instead; ``name`` is the column as a shell reads it."""
        drop = f"leave the column out by --drop {name}"
        unit = "Its numbers have something around them, such as a unit"
        return {
            "words": f"Where {' or '.join(map(quoted, self.words))} stands for a missing value, "
            f"write --na-values {shlex.quote(as_list(self.words))}.",
            "marks": self._on_marks(drop),
            "two marks": "Some of its numbers have decimal points and others decimal commas: write "
            f"all alike, or {drop}.",
            "percent": f"Its numbers have percent signs: remove them, or {drop}.",
            "date": f"Dates are not numbers: write the days since one of them instead, or {drop}.",
            "unit": f"{unit}: remove it, or {drop}.",
            "notation": "Its numbers are in a notation that is not read: write 1000 for 1_000, "
            f"1.5e0 for 1.5D0, 52.5 for 52°30'N; or {drop}.",
            "": "",
        }[self.kind]

    def _on_marks(self, drop: str) -> str:
        if len(self.decimals) == 1 and self.words:
            words = " and ".join(map(quoted, self.words[:_WORDS]))
            return (
                f"With --decimal {self.decimals[0]} most of its entries are numbers, but not "
                f"{words}: mend them, or {drop}."
            )
        if len(self.decimals) == 1:
            return f"With --decimal {self.decimals[0]} all of them are numbers."
        return (
            "--decimal . says that points are decimal marks and commas separate thousands; "
            "--decimal , says the reverse."
        )


def nearly_numbers(values: Sequence[str | None]) -> NearlyNumbers:
    """What most entries of a column of text are that is nearly a number.

    >>> nearly_numbers(["5%", "12 %"]).kind, nearly_numbers(["red", "green"]).kind
    ('percent', '')
    >>> nearly_numbers(["1", "2", "unknown"]).words
    ('unknown',)
    """
    present = Counter(value for value in values if value is not None)
    kinds = {value: _kind(value) for value in present}  # each different text once, in their order
    counts: Counter[str] = Counter()
    for value, kind in kinds.items():
        counts[kind] += present[value]
    words = [value for value, kind in kinds.items() if kind == "word"]
    most = _MOST * present.total()
    if words and len(words) <= _WORDS and counts["word"] < most:
        return NearlyNumbers("words", tuple(words), counts["word"])
    if present and counts["number"] == present.total():  # in doubt because of other columns
        return NearlyNumbers("marks", decimals=_DECIMALS)
    for kind in ("marks", "percent", "date", "unit", "notation"):
        if counts[kind] and counts[kind] + counts["number"] > most:
            return _refined(kind, list(present))
    return NearlyNumbers("")


def _kind(value: str) -> str:
    if to_numbers([value]) is not None:
        return "number"
    if _DIGIT.search(value) is None:
        return "word"
    if is_number(value):
        return "marks"
    for kind, pattern in (
        ("percent", _PERCENT),
        ("date", _DATE),
        ("unit", _WITH_UNIT),
        ("notation", _NOTATION),
    ):
        if pattern.fullmatch(value):
            return kind
    return "word"


def _refined(kind: str, values: Sequence[str]) -> NearlyNumbers:
    """With the marks that can be the decimal one of all; names are not units."""
    if kind == "marks":
        numbers = [value for value in values if is_number(value)]
        fit = tuple(mark for mark in _DECIMALS if to_numbers(numbers, mark) is not None)
        others = tuple(value for value in values if value not in {*numbers})
        return NearlyNumbers("marks", others, decimals=fit) if fit else NearlyNumbers("two marks")
    if kind == "unit":
        matches = map(_WITH_UNIT.fullmatch, values)
        units = {match.groups() for match in matches if match is not None}
        # More are names, such as 4A and 12C.
        return NearlyNumbers("unit" if len(units) <= _UNITS else "")
    return NearlyNumbers(cast("Kind", kind))
