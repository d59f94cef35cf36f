"""Items laid out for compiled loops, and distances between them by a compiled function.

The loops are numba's, as the function is: import this only where there is one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numba
import numpy as np
from numpy.typing import DTypeLike

from kgroups.runtime.threads import blocks
from kgroups.semimetrics import object_pairs as compiled
from kgroups.typing import Data, FloatArray, Strip

# Columns of a tile, whose items stay in the cache while the rows of a strip pass.
_TILE = 256


@dataclass(frozen=True)
class Packed:
    """Items of numbers in a few arrays, and what finds one of them."""

    item: Callable[..., Any]
    arrays: Any

    @classmethod
    def of(cls, items: Data) -> Packed | None:
        """Rows of an array, numbers, or arrays of one or two dimensions; None for other objects."""
        if isinstance(items, np.ndarray) and items.dtype.kind in "iufb":
            return cls(compiled.row, np.ascontiguousarray(items))
        arrays = _arrays(items)
        if arrays is None or len({array.ndim for array in arrays}) != 1:
            return None
        dtype = np.result_type(*{array.dtype for array in arrays})
        if arrays[0].ndim == 0:
            return cls(compiled.row, np.array(arrays, dtype))
        flat = np.concatenate([array.ravel() for array in arrays], dtype=dtype)
        begins = np.concatenate([[0], np.cumsum([array.size for array in arrays])])
        if arrays[0].ndim == 1:
            return cls(compiled.line, (flat, begins))
        widths = np.array([array.shape[1] for array in arrays])
        return cls(compiled.table, (flat, begins, widths))


def _arrays(items: Any) -> list[np.ndarray[Any, Any]] | None:
    """Every item as an array of numbers with at most two dimensions; None if one is not."""
    arrays = []
    for item in items:
        if not isinstance(item, (np.ndarray, int, float, np.number, np.bool_)):
            return None
        array = np.asarray(item)
        if array.dtype.kind not in "iufb" or array.ndim > 2:
            return None
        arrays.append(array)
    return arrays or None


@dataclass(frozen=True)
class CompiledPairs:
    """Distances between packed items by a compiled function, with further arguments."""

    distance: Callable[..., float]
    items: Packed
    others: Packed
    parameters: tuple[Any, ...] = ()

    def strip(self, dtype: DTypeLike, n_others: int, *, above: bool) -> Strip:
        """Strips of the matrix; with ``above`` zeros below the diagonal, where items are others."""

        def some(a: int, b: int, c: int) -> FloatArray:
            """Distances from items a to b to all others from c on."""
            out = np.zeros((b - a, n_others - c), dtype)
            for columns in blocks(0, n_others - c, _TILE):
                self._fill(a, c, columns, above, out)
            return out

        return some

    def _fill(
        self, first: int, start: int, columns: tuple[int, int], above: bool, out: FloatArray
    ) -> None:
        compiled.fill_strip(
            self.distance,
            self.items.item,
            self.items.arrays,
            self.others.item,
            self.others.arrays,
            self.parameters,
            first,
            start,
            columns,
            above,
            out,
        )

    def compile(self, dtype: DTypeLike) -> None:
        """Compile for these items, on no pair at all; ValueError says what numba cannot do."""
        try:
            self._fill(0, 0, (0, 0), False, np.empty((0, 0), dtype))
        except numba.core.errors.NumbaError as error:
            name = getattr(self.distance, "__name__", repr(self.distance))
            raise ValueError(
                f"the compiled metric {name} does not take two of the items of X: "
                f"{_essence(error)}. It is called with rows of a numeric table, or with the "
                f"arrays of a list, and returns a number; "
                f"metric={name}.py_func calls it as plain Python, which is slow."
            ) from error

    def own(self, several: int) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Distances of all items to themselves; of a few items i + 1 to i, and of i to i + 1."""
        arrays = self.items.arrays
        n = len(arrays) if isinstance(arrays, np.ndarray) else len(arrays[1]) - 1
        own, few = np.zeros(n), min(several, n - 1)
        ahead, back = np.zeros(few), np.zeros(few)
        compiled.fill_own(self.distance, self.items.item, arrays, self.parameters, own, ahead, back)
        return own, ahead, back


def _essence(error: Exception) -> str:
    """What numba could not do: the first line of its message that says so, and the call in it."""
    lines = [line.strip() for line in str(error).splitlines()]
    telling = [line for line in lines if line and not line.startswith("Failed in")]
    call = [line.removeprefix(">>> ") for line in telling[:3] if line.startswith(">>> ")]
    return " ".join([*telling[:1], *call])[:300]


def compiled_pairs(
    distance: Callable[..., float], items: Sequence[Any], others: Sequence[Any]
) -> CompiledPairs | None:
    """The pairs of a compiled function, where numbers are compared; None for other objects."""
    left = Packed.of(items)
    right = left if others is items else Packed.of(others)
    if left is None or right is None:
        return None
    return CompiledPairs(distance, left, right)
