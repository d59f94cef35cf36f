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
# Share of the rows with a number of their own, at least.
_MOST_DISTINCT = 0.9
# From here on every floating-point number is whole.
_ALL_WHOLE = 2.0**53
# In fewer rows whole numbers follow each other by chance; up to so many they must leave no gap.
_FEW_ROWS, _SOME_ROWS = 10, 20
# How many numbers there are between the least and the largest, relative to those that occur.
_GAPS = 1.25
# Rows that show that nearly no column holds whole numbers.
_FIRST_ROWS = 64


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
    if not _is_whole(column[:_FIRST_ROWS]) or not _is_whole(column):
        return None
    numbers = column[np.isfinite(column)]
    if len(numbers) == len(column) and _counts(numbers):
        return "a row number"
    return "an identifier" if _identifies(numbers, name) else None


def _is_whole(column: FloatArray) -> bool:
    """Whether numbers are whole or missing."""
    return bool((np.isnan(column) | (column == np.floor(column))).all())


def _counts(numbers: FloatArray) -> bool:
    """Whether each number is in one row, and together they leave few gaps."""
    n = len(numbers)
    if n > 1 and np.array_equal(numbers - numbers[0], np.arange(n)):
        return True
    allowed = n if n < _SOME_ROWS else _GAPS * n
    span = float(numbers.max()) - float(numbers.min()) + 1
    return n >= _FEW_ROWS and n <= span <= allowed and len(np.unique(numbers)) == n


def _identifies(numbers: FloatArray, name: str | None) -> bool:
    words = [word.lower() for word in _WORD.findall(name or "")]
    if not len(numbers) or numbers.min() < 0 or numbers.min() == numbers.max():
        return False
    if numbers.max() >= _ALL_WHOLE:
        return False
    if not _IDENTIFIERS.isdisjoint(words):
        return True
    may_be = bool(words) and words[-1] in _PERHAPS
    least = 10.0 ** ((_LEAST_DIGITS if may_be else _LEAST_DIGITS_UNNAMED) - 1)
    if len(numbers) < _FEW_ROWS or numbers.min() < least:
        return False
    digits = np.floor(np.log10([numbers.min(), numbers.max()]))
    return bool(digits[0] == digits[1]) and is_distinct(numbers)


def is_distinct(numbers: FloatArray) -> bool:
    """Whether nearly all rows have a number of their own."""
    return len(np.unique(numbers)) >= _MOST_DISTINCT * len(numbers)
