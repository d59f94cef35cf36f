"""Columns of whole numbers that name rows or places instead of measuring anything."""

import re

import numpy as np

from kgroups.typing import FloatArray

_WORD = re.compile("[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
# A word of a name that says enough.
_IDENTIFIERS = frozenset(
    {"id", "ids", "uid", "guid", "zip", "zipcode", "plz", "postcode", "postalcode", "postleitzahl",
     "accession", "ssn", "isbn", "sku"}
)  # fmt: skip
# A last word that says so of long numbers, which are hardly ever alike.
_PERHAPS = frozenset({"code", "no", "nr", "num", "number", "nummer"})
_LEAST_DIGITS, _LEAST_DIGITS_UNNAMED = 4, 8
# Share of the rows with a value of their own, at least.
_MOST_DISTINCT = 0.9
# From here on every floating-point number is whole.
_ALL_WHOLE = 2.0**53
# In fewer rows values differ, and whole numbers follow each other, by chance; up to so many rows
# numbers must leave no gap.
FEW_ROWS, _SOME_ROWS = 10, 20
# How many numbers there are between the least and the largest, relative to those that occur.
_GAPS = 1.25


def looks_like(column: FloatArray, name: str | None) -> str | None:
    """What a column seems to be, "a row number" or "an identifier"; None for a measurement.

    A row number counts up by 1 from row to row, or each number of a range is in one row, in any
    order, nearly without gaps. An identifier is a whole number in a column that is called so; or
    it has eight digits or more in all rows and a number of its own in nearly all of them, as
    account and telephone numbers have.

    >>> looks_like(np.array([10115.0, 80331.0, 10115.0]), "zip code")
    'an identifier'
    >>> looks_like(np.array([7.0, 8.0, 9.0]), None), looks_like(np.array([8.0, 5.0, 9.0]), "age")
    ('a row number', None)
    """
    numbers = column[~np.isnan(column)]
    if not len(numbers) or not (numbers[:64] % 1 == 0).all() or not (numbers % 1 == 0).all():
        return None
    n, least, largest = len(numbers), float(numbers.min()), float(numbers.max())
    if n == len(column) and np.array_equal(numbers - numbers[0], np.arange(n)) and n > 1:
        return "a row number"
    if least < 0 or least == largest or largest >= _ALL_WHOLE:
        return None
    n_distinct = len(np.unique(numbers))
    most = n if n < _SOME_ROWS else _GAPS * n
    if FEW_ROWS <= n == len(column) == n_distinct and largest - least < most:
        return "a row number"
    words = [word.lower() for word in _WORD.findall(name or "")]
    if not _IDENTIFIERS.isdisjoint(words):
        return "an identifier"
    digits = _LEAST_DIGITS if words and words[-1] in _PERHAPS else _LEAST_DIGITS_UNNAMED
    is_long = least >= 10.0 ** (digits - 1) and len(f"{least:.0f}") == len(f"{largest:.0f}")
    return "an identifier" if is_long and n >= FEW_ROWS and are_distinct(n_distinct, n) else None


def are_distinct(n_distinct: int, n: int) -> bool:
    """Whether nearly all values differ."""
    return n_distinct >= _MOST_DISTINCT * n
