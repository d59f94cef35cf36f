"""Values from the JSON that :mod:`kgroups.persistence.value_writer` made."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from datetime import date, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from kgroups.persistence.kept_classes import KEPT
from kgroups.persistence.member_files import MemberReader
from kgroups.semimetrics.callables import PairFunction
from kgroups.semimetrics.semimetric import Semimetric

_SCALAR = re.compile(r"[<>|]([biuf][1248]|U\d{1,9})")


class UnknownValue(Exception):
    """A kind of value or a class that a later version knows; the message names it."""


class MetricNeeded(Exception):
    """What only a user has is not given; the message is its name."""


class ValueReader:
    """Makes values of JSON; each array is read once, however often it occurs."""

    def __init__(self, members: MemberReader, metric: Any = None) -> None:
        self._members = members
        self._arrays: dict[int, NDArray[Any]] = {}
        self._metric = metric
        #: The longest side of any array.
        self.longest = 1
        #: Whether the metric that was given stands anywhere.
        self.has_used_metric = False

    def value(self, tree: Any) -> Any:
        """The value; ValueError for what no writer has made."""
        if isinstance(tree, list):
            return self.items(tree)
        if not isinstance(tree, dict):
            return tree
        ((kind, content),) = tree.items()
        if kind not in _READERS:
            raise UnknownValue(f"a value of the kind {kind!r}")
        return _READERS[kind](self, content)

    def items(self, trees: list[Any]) -> list[Any]:
        """Each of some values."""
        return [self.value(tree) for tree in trees]

    def array(self, number: int) -> NDArray[Any]:
        """The array with that number."""
        if number not in self._arrays:
            array = self._members.array(array_name(number))
            self._arrays[number] = array
            self.longest = max(self.longest, *array.shape, 0)
        return self._arrays[number]

    def made(self, content: list[Any]) -> Any:
        """An object of a class that is kept."""
        name, parts = content
        if name not in KEPT:
            raise UnknownValue(f"an object of the class {name!r}")
        return KEPT[name].made({str(part): self.value(tree) for part, tree in parts.items()})

    def given(self, content: list[str]) -> Any:
        """What the user gave, as it is where it stands."""
        what, name = content
        self.has_used_metric = True
        if self._metric is None:
            raise MetricNeeded(name)
        is_semimetric = isinstance(self._metric, Semimetric)
        if what == "function":
            if isinstance(self._metric, PairFunction):
                return self._metric.function
            if is_semimetric or not callable(self._metric):
                raise MetricNeeded(name)
            return self._metric
        if not is_semimetric:
            raise MetricNeeded(name)
        return self._metric


def array_name(number: int) -> str:
    """The member that holds an array."""
    return f"arrays/{int(number)}.npy"


def _arrays(reader: ValueReader, content: list[int]) -> list[Any]:
    together, lengths = (reader.array(number) for number in content)
    if lengths.dtype.kind not in "iu" or lengths.ndim != 1 or (lengths < 0).any():
        raise ValueError("lengths of arrays are not whole numbers")
    if int(lengths.sum()) != len(together):
        raise ValueError("lengths of arrays do not add up")
    return np.split(together, np.cumsum(lengths)[:-1])


def _objects(reader: ValueReader, content: list[Any]) -> NDArray[Any]:
    trees, shape = content
    if math.prod(shape) != len(trees):
        raise ValueError(f"an array of {len(trees)} objects claims the shape {shape}")
    made = np.empty(len(trees), object)
    made[:] = np.fromiter(reader.items(trees), object, len(trees))
    return made.reshape(shape)


def _scalar(reader: ValueReader, content: list[Any]) -> Any:
    kind, tree = content
    if _SCALAR.fullmatch(kind) is None:
        raise ValueError(f"a scalar of {kind!r} is not one of NumPy that a file holds")
    return np.dtype(kind).type(reader.value(tree))


def _sparse(reader: ValueReader, content: list[Any]) -> csr_array:
    """Sparse rows whose indices stay as they are; compiled loops rely on them."""
    (n, d), *numbers = content
    data, indices, indptr = (reader.array(number) for number in numbers)
    if any(part.ndim != 1 for part in (data, indices, indptr)) or len(indptr) != n + 1:
        raise ValueError(f"sparse rows claim the shape {n} × {d}")
    if len(data) != len(indices) or indptr[-1] != len(data) or indptr[0] != 0:
        raise ValueError("sparse rows do not end where their entries do")
    rows = csr_array((data, indices, indptr), shape=(n, d))
    # The constructor makes 32 bits of 64 where they suffice.
    rows.indices, rows.indptr = indices, indptr
    rows.check_format(full_check=True)
    reader.longest = max(reader.longest, d)
    return rows


def _float(reader: ValueReader, content: str) -> float:
    return float(content)


def _dict(reader: ValueReader, content: list[Any]) -> dict[Any, Any]:
    return {reader.value(key): reader.value(tree) for key, tree in content}


_READERS: dict[str, Callable[[ValueReader, Any], Any]] = {
    "array": ValueReader.array,
    "arrays": _arrays,
    "csr_array": _sparse,
    "date": lambda reader, content: date.fromisoformat(content),
    "datetime": lambda reader, content: datetime.fromisoformat(content),
    "dict": _dict,
    "float": _float,
    "frozenset": lambda reader, content: frozenset(reader.items(content)),
    "given": ValueReader.given,
    "object": ValueReader.made,
    "objects": _objects,
    "scalar": _scalar,
    "set": lambda reader, content: set(reader.items(content)),
    "slice": lambda reader, content: slice(*reader.items(content)),
    "tuple": lambda reader, content: tuple(reader.items(content)),
}
