"""What to do about a column of text where numbers are needed, by what the text looks like."""

import re
import shlex
from collections import Counter
from collections.abc import Sequence

from kgroups.input.table_files.numerals import is_number, to_numbers
from kgroups.text import quoted, short

_DATE = re.compile(
    r"(\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4})([T ].*)?"
    r"|\d{1,2}:\d{2}(:\d{2})?"
)
_PERCENT = re.compile(r"[+-]?[\d.,]*\d\s*%")
# A number with something before or after it, such as "5 kg", "$5" or "<0.1".
_WITH_UNIT = re.compile(r"([^\w\s]{0,2})\s*[+-]?\d[\d.,]*\s*([^\d\s]{0,6})")
# Share of the entries that one advice must fit.
_MOST = 0.5
# Different words that may stand for missing numbers, and different units of one column.
_WORDS = 3
_UNITS = 3


def text_advice(values: Sequence[str | None], name: str) -> str:
    """The advice for text that is nearly numbers; empty if it looks like categories.

    >>> text_advice(["5%", "12 %"], "growth")
    'Its numbers have percent signs: remove them, or leave the column out by --drop growth.'
    >>> text_advice(["red", "green"], "color")
    ''
    """
    present = [value for value in values if value is not None]
    kinds = Counter(map(_kind, present))
    drop = f"leave the column out by --drop {shlex.quote(short(name))}"
    words = list(dict.fromkeys(value for value in present if _kind(value) == "word"))
    if words and len(words) <= _WORDS and kinds["word"] < _MOST * len(present):
        return (
            f"Where {' or '.join(map(quoted, words))} stands for a missing value, write "
            f"--na-values {shlex.quote(','.join(words))}."
        )
    other = Counter({kind: count for kind, count in kinds.items() if kind != "number"})
    kind, count = other.most_common(1)[0] if other else ("", 0)
    if count + kinds["number"] < _MOST * len(present):
        return ""
    if kind == "marks":
        return _on_marks(present)
    if kind == "unit" and _n_units(present) > _UNITS:  # names, such as 4A and 12C
        return ""
    return {
        "percent": f"Its numbers have percent signs: remove them, or {drop}.",
        "date": f"Dates are not numbers: write the days since one of them instead, or {drop}.",
        "unit": f"Its numbers have something around them, such as a unit: remove it, or {drop}.",
    }.get(kind, "")


def _kind(value: str) -> str:
    if to_numbers([value]) is not None:
        return "number"
    if is_number(value):
        return "marks"
    for kind, pattern in (("percent", _PERCENT), ("date", _DATE), ("unit", _WITH_UNIT)):
        if pattern.fullmatch(value):
            return kind
    return "word"


def _n_units(values: Sequence[str]) -> int:
    found = map(_WITH_UNIT.fullmatch, values)
    return len({match.groups() for match in found if match is not None})


def _on_marks(values: Sequence[str]) -> str:
    """How to say which mark is the decimal one, if one of them can be that of all numbers."""
    numbers = [value for value in values if is_number(value)]
    if all(to_numbers(numbers, decimal) is None for decimal in (".", ",")):
        return "Some of its numbers have decimal points and others decimal commas: write all alike."
    return (
        "--decimal . says that its commas separate thousands; --decimal , says that they are "
        "decimal commas."
    )
