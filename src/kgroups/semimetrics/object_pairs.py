"""Loops over pairs of items by a compiled function of two items, for the items of a strip."""

from collections.abc import Callable
from typing import Any

import numba

from kgroups.typing import FloatArray, IntArray


def _row(items: FloatArray, i: int) -> Any:
    """Item i of an array: a number, a row, or a table."""
    return items[i]


def _line(items: tuple[FloatArray, IntArray], i: int) -> FloatArray:
    """Item i of one-dimensional arrays put one after the other."""
    numbers, begins = items
    return numbers[begins[i] : begins[i + 1]]


def _table(items: tuple[FloatArray, IntArray, IntArray], i: int) -> FloatArray:
    """Item i of two-dimensional arrays put one after the other, row by row."""
    numbers, begins, widths = items
    width = widths[i]
    flat = numbers[begins[i] : begins[i + 1]]
    return flat.reshape((flat.size // max(width, 1), width))


row, line, table = (numba.njit(nogil=True)(item) for item in (_row, _line, _table))


def _fill_strip(
    distance: Callable[..., float],
    item: Callable[..., Any],
    items: Any,
    other_item: Callable[..., Any],
    others: Any,
    parameters: tuple[Any, ...],
    first: int,
    start: int,
    columns: tuple[int, int],
    above: bool,
    out: FloatArray,
) -> None:
    """Set out[i, j] to the distance of item first + i and other start + j, j in some columns.

    With ``above`` only pairs of an item and a later one are visited; the others stay as they are.
    """
    left, right = columns
    for i in range(out.shape[0]):
        x = item(items, first + i)
        for j in range(max(left, first + i + 1 - start) if above else left, right):
            out[i, j] = distance(x, other_item(others, start + j), *parameters)


#: Compiled anew for each function that it is given, which becomes a part of it.
fill_strip = numba.njit(nogil=True)(_fill_strip)


def _fill_own(
    distance: Callable[..., float],
    item: Callable[..., Any],
    items: Any,
    parameters: tuple[Any, ...],
    own: FloatArray,
    ahead: FloatArray,
    back: FloatArray,
) -> None:
    """Distances of each item to itself; of some to the one before them, and the other way round."""
    for i in range(own.size):
        own[i] = distance(item(items, i), item(items, i), *parameters)
    for i in range(back.size):
        ahead[i] = distance(item(items, i + 1), item(items, i), *parameters)
        back[i] = distance(item(items, i), item(items, i + 1), *parameters)


fill_own = numba.njit(nogil=True)(_fill_own)
