"""Numbers as text files write them: with decimal points or commas, in groups of three digits."""

import re
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from kgroups.input.table_files.text_format import MISSING, Decimal
from kgroups.typing import Float64Array

_EXPONENT = r"([eE][+-]?\d+)?"
# Between groups of three digits: blanks of any width, an apostrophe, and the mark that is not the
# decimal one.
_BLANKS = " '\u00a0\u2009\u202f\u2019"
_WITH_POINT = re.compile(
    rf"[+-]?[1-9]\d{{0,2}}([,{_BLANKS}])\d{{3}}(\1\d{{3}})*(\.\d*)?{_EXPONENT}"
)
_WITH_COMMA = re.compile(
    rf"[+-]?(\d+|[1-9]\d{{0,2}}([.{_BLANKS}])\d{{3}}(\2\d{{3}})*)?(,\d*)?{_EXPONENT}"
)
_BETWEEN_GROUPS = {mark: re.compile(f"[{mark}{_BLANKS}]") for mark in ".,"}
# Numbers with one comma, which no other mark contradicts.
_ONE_COMMA = re.compile(rf"[+-]?(\d+|[1-9]\d{{0,2}}(\.\d{{3}})+(?=,))?(,\d*)?{_EXPONENT}")
# A comma that cannot stand between groups of three digits.
_CLEARLY_DECIMAL = re.compile(rf"[+-]?\d*,(\d{{0,2}}|\d{{4,}}){_EXPONENT}")
# A point that may stand between groups of three digits.
_GROUPED_BY_POINTS = re.compile(r"[+-]?[1-9]\d{0,2}(\.\d{3})+")
# The sign of typeset text.
_MINUS = "\u2212"
_TRUTHS = {"true": 1.0, "false": 0.0}


def to_numbers(fields: Sequence[str], decimal: Decimal | None = None) -> Float64Array | None:
    """The fields as numbers, NaN for missing ones; None if one of them is neither.

    Groups of three digits are read only where ``decimal`` says what the other mark means.

    >>> to_numbers(["1.5", "NA", "2e3"]).tolist()
    [1.5, nan, 2000.0]
    >>> to_numbers(["1,000"]), to_numbers(["1,000"], "."), to_numbers(["1,000"], ",")
    (None, array([1000.]), array([1.]))
    """
    if any("_" in field for field in fields):  # float() would read the identifier 12_34 as 1234
        return None
    number = _READERS[decimal]
    try:
        return np.array([number(field) for field in fields])
    except ValueError:
        return None


def is_number(field: str) -> bool:
    """Whether a field is a number or a missing value, whichever mark is the decimal one.

    >>> is_number("2,5"), is_number("1,000.5"), is_number("5 %")
    (True, True, False)
    """
    return any(to_numbers([field], decimal) is not None for decimal in _READERS)


def _plain(field: str) -> float:
    try:
        return float(field)
    except ValueError:
        if field.strip() in MISSING:
            return float("nan")
        if _MINUS in field:
            return float(field.replace(_MINUS, "-"))
        raise


def _with_point(field: str) -> float:
    try:
        return _plain(field)
    except ValueError:
        return _grouped(field.strip(), _WITH_POINT, _BETWEEN_GROUPS[","])


def _with_comma(field: str) -> float:
    if "." not in field and "," not in field:
        try:
            return _plain(field)
        except ValueError:  # groups of three digits may be separated by blanks
            pass
    return _grouped(field.strip(), _WITH_COMMA, _BETWEEN_GROUPS["."])


def _grouped(text: str, pattern: re.Pattern[str], between: re.Pattern[str]) -> float:
    text = text.replace(_MINUS, "-")
    if pattern.fullmatch(text) is None:
        raise ValueError
    return float(between.sub("", text).replace(",", "."))


_READERS: dict[Decimal | None, Callable[[str], float]] = {
    None: _plain,
    ".": _with_point,
    ",": _with_comma,
}


def decimal_commas(values: Iterable[str | None]) -> Float64Array | None:
    """Text as numbers with decimal commas, if that is the only way to read it; else None.

    Some entry has a comma that is not followed by exactly three digits, and none has a mark that
    contradicts: "1,5" and "1.234,5" have decimal commas; "1,234" may be one thousand and more.

    >>> decimal_commas(["2,5", "1,234", None]).tolist()
    [2.5, 1.234, nan]
    >>> decimal_commas(["1,234", "5"]), decimal_commas(["2,5", "2.5"])
    (None, None)
    """
    is_clear, numbers = False, []
    for given in values:
        if given is None:
            numbers.append(float("nan"))
            continue
        value = given.replace(_MINUS, "-")
        if _ONE_COMMA.fullmatch(value) is None:
            return None
        is_clear = is_clear or _CLEARLY_DECIMAL.fullmatch(value) is not None
        try:
            numbers.append(_with_comma(value))
        except ValueError:  # a sign or a comma alone
            return None
    return np.array(numbers) if is_clear else None


def points_may_group(fields: Iterable[str]) -> bool | None:
    """Whether every point may stand between groups of three digits; None without a point.

    >>> [points_may_group(fields) for fields in (["1.234", "5"], ["1.5", "1.234"], ["5"])]
    [True, False, None]
    """
    pointed = [field.strip() for field in fields if "." in field]
    return all(map(_GROUPED_BY_POINTS.fullmatch, pointed)) if pointed else None


def truths(values: Sequence[str | None]) -> Float64Array | None:
    """True as 1 and False as 0, in any case, NaN for missing ones; None if one is neither.

    >>> truths(["True", "FALSE", None]).tolist(), truths(["yes"]), truths([None])
    ([1.0, 0.0, nan], None, None)
    """
    kinds = {value for value in values if value is not None}
    if not kinds or not all(kind.lower() in _TRUTHS for kind in kinds):
        return None
    return np.array([float("nan") if v is None else _TRUTHS[v.lower()] for v in values])
