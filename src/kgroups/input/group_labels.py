"""Labels of groups that a user gives: integers, text, anything that can be sorted."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from kgroups.input.frames import is_missing
from kgroups.input.wrong_kinds import found
from kgroups.typing import Data, IntArray

# Kinds of arrays that hold numbers.
_NUMBERS = "iufbc"


def group_codes(
    labels: ArrayLike, n: int, name: str = "labels"
) -> tuple[tuple[Any, ...], IntArray]:
    """The distinct labels, sorted, and the position of each point's label among them."""
    array = as_array(labels)
    if array.shape != (n,):
        raise ValueError(
            f"{name} must hold one label for each of the {n} points; got "
            f"{found(labels, array.shape)}."
        )
    missing = [i for i, value in enumerate(array.tolist()) if is_missing(value)]
    if missing:
        raise ValueError(
            f"{name} is missing for row {missing[0]} ({len(missing)} of {n}); drop such rows, or "
            "give them a group of their own."
        )
    try:
        groups, codes = np.unique(array, return_inverse=True)
    except TypeError:
        kinds = " and ".join(sorted({type(value).__name__ for value in array.tolist()}))
        raise ValueError(
            f"{name} must be of one kind, all text or all numbers; got {kinds}. "
            "Write [str(x) for x in labels] to make all of them text."
        ) from None
    return tuple(groups.tolist()), codes.astype(np.int64)


def as_array(values: Data) -> Any:
    """An array of numbers or of objects; with text NumPy would turn numbers and NaN into text."""
    array = np.asarray(values)
    return array if array.dtype.kind in _NUMBERS else np.asarray(values, dtype=object)
