"""Values as JSON, with arrays on the side.

``None``, truth values, whole numbers, texts and finite numbers stand for themselves, and a list for
a list. Anything else is an object of JSON with one key, which says what it is:

=================  ===========================================================
``float``          "nan", "inf" or "-inf"
``scalar``         the type of a scalar of NumPy, and its value
``tuple``, ...     the items; of a ``dict`` pairs, of a ``slice`` three numbers
``date``, ...      a day, or a ``datetime``, as ISO 8601 writes it
``array``          the number of an array
``arrays``         the number of an array with several one below the other, and of their lengths
``objects``        the items of an array of objects, and its shape
``csr_array``      the shape of sparse rows, and the numbers of data, indices and indptr
``object``         a name of ``kept_classes``, and the parts of the object
``given``          what a user has to give again: "function" or "semimetric", and its name
=================  ===========================================================
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from datetime import date, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from kgroups.persistence.kept_classes import KEPT, kept_name
from kgroups.persistence.member_files import check_type
from kgroups.semimetrics.semimetric import Semimetric

# Scalars of NumPy that JSON has as well, bit for bit.
_SCALARS = "biufU"
_PLAIN = (bool, int, str)


class ValueWriter:
    """Makes JSON of values; each array is noted once, however often it occurs."""

    def __init__(self) -> None:
        self.arrays: list[NDArray[Any]] = []
        self._numbers: dict[int, int] = {}
        #: The function or the class of a semimetric that a user has to give again.
        self.given: Any = None

    def tree(self, value: Any, where: str) -> Any:
        """A value as JSON; ValueError, with ``where`` it is, for one that cannot be kept."""
        kind = type(value)
        if value is None or kind in _PLAIN:
            return value
        if kind is float:
            return value if math.isfinite(value) else {"float": repr(value)}
        if kind is list:
            return self._list(value, where)
        if kind in _WRITERS:
            return {kind.__name__: _WRITERS[kind](self, value, where)}
        return self._object(value, where)

    def _object(self, value: Any, where: str) -> Any:
        """Values of NumPy and objects of kgroups."""
        if isinstance(value, np.ndarray):
            return self._array(value, where)
        if isinstance(value, np.generic) and value.dtype.kind in _SCALARS:
            return {"scalar": [value.dtype.str, self.tree(value.item(), where)]}
        if (name := kept_name(value)) is not None:
            parts = KEPT[name].parts(value)
            made = {part: self.tree(one, f"{where}.{part}") for part, one in parts.items()}
            return {"object": [name, made]}
        return self._foreign(value, where)

    def _foreign(self, value: Any, where: str) -> dict[str, Any]:
        """What is not kept: metrics by their names, and nothing else."""
        if isinstance(value, Semimetric):
            return self._given("semimetric", type(value), where)
        if callable(value) and not isinstance(value, type):
            return self._given("function", value, where)
        raise ValueError(
            f"{where} is {_described(type(value))}, which a file of a model does not hold; it has "
            "numbers, texts, days, tuples, lists, dicts, sets and arrays of them."
        )

    def items(self, values: Any, where: str) -> list[Any]:
        """Each of some values as JSON."""
        return [self.tree(value, f"{where}[{i}]") for i, value in enumerate(values)]

    def _list(self, values: list[Any], where: str) -> Any:
        """The items; arrays of one type that differ in length at most as one array."""
        if not _are_alike(values):
            return self.items(values, where)
        lengths = np.array([len(value) for value in values], np.int64)
        together = np.concatenate(values)
        return {"arrays": [self.number(together, where), self.number(lengths, where)]}

    def _array(self, array: NDArray[Any], where: str) -> dict[str, Any]:
        if array.dtype == object and not isinstance(array, np.ma.MaskedArray):
            return {"objects": [self.items(array.ravel().tolist(), where), list(array.shape)]}
        return {"array": self.number(array, where)}

    def number(self, array: NDArray[Any], where: str) -> int:
        """The number of an array, a new one where it was not met before."""
        if isinstance(array, np.ma.MaskedArray):
            raise ValueError(f"{where} is a masked array, which a file of a model does not hold.")
        try:
            check_type(array.dtype)
        except ValueError as error:
            raise ValueError(f"{where}: {error}.") from error
        if id(array) not in self._numbers:
            self._numbers[id(array)] = len(self.arrays)
            self.arrays.append(array)  # which also keeps its id from being used again
        return self._numbers[id(array)]

    def _given(self, what: str, key: Any, where: str) -> dict[str, Any]:
        """What is left out, because only its user has it; there is room for one in a file."""
        if self.given not in (None, key):
            raise ValueError(
                f"{where} is a second function or semimetric that is not one of kgroups, and only "
                "one can be given again when the model is loaded."
            )
        self.given = key
        return {"given": [what, str(getattr(key, "__name__", type(key).__name__))]}


def _described(kind: type) -> str:
    return f"a {kind.__module__}.{kind.__qualname__}".replace("a builtins.", "a ")


def _are_alike(values: list[Any]) -> bool:
    """Whether values are arrays that can be put one below the other, and taken apart again."""
    if not values or not all(type(v) is np.ndarray and v.flags.c_contiguous for v in values):
        return False
    forms = {(v.dtype.str, v.shape[1:]) for v in values if v.ndim > 0}
    return len(forms) == 1 and all(v.ndim > 0 for v in values) and values[0].dtype != object


def _set(writer: ValueWriter, values: Any, where: str) -> list[Any]:
    """The members in an order that does not depend on the process."""
    return sorted(writer.items(values, where), key=json.dumps)


def _dict(writer: ValueWriter, values: dict[Any, Any], where: str) -> list[Any]:
    return [
        [writer.tree(key, f"a key of {where}"), writer.tree(value, f"{where}[{key!r}]")]
        for key, value in values.items()
    ]


def _slice(writer: ValueWriter, value: slice, where: str) -> list[Any]:
    return writer.items((value.start, value.stop, value.step), where)


def _sparse(writer: ValueWriter, value: csr_array, where: str) -> list[Any]:
    parts = (value.data, value.indices, value.indptr)
    return [list(value.shape), *(writer.number(part, where) for part in parts)]


def _iso(writer: ValueWriter, value: date, where: str) -> str:
    return value.isoformat()


_WRITERS: dict[type, Callable[[ValueWriter, Any, str], Any]] = {
    tuple: ValueWriter.items,
    set: _set,
    frozenset: _set,
    dict: _dict,
    slice: _slice,
    date: _iso,
    datetime: _iso,
    csr_array: _sparse,
}
