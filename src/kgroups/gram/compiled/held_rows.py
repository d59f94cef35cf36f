"""Rows that stay as they came, and the features that compiled loops read from them.

Features are scale · (x − mean), where x is a row, or a row divided by its length. Nothing but the
numbers that a loop is at is ever widened or divided.
"""

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np
from numba import types
from numba.extending import overload
from numpy.typing import NDArray

from kgroups.runtime.jit import jit, jit_in_place, jit_with_arrays
from kgroups.semimetrics.compiled.halves import widened
from kgroups.typing import Float32Array, Float64Array, FloatArray, IntArray

# Rows whose features are made at a time, which stay in the caches.
_AT_ONCE = 256


class Rows(NamedTuple):
    """Rows as they are."""

    rows: FloatArray  # (n, D)
    mean: Float64Array  # (D,)
    scale: float


class UnitRows(NamedTuple):
    """Rows that are divided by their lengths; those in float16 by their bits."""

    rows: FloatArray | NDArray[np.uint16]  # (n, D)
    mean: Float64Array  # (D,)
    scale: float
    inverse: Float64Array  # (n,) 1 over the length of each row


#: What :meth:`kgroups.gram.FactorGram.in_memory` returns.
Held: TypeAlias = Rows | UnitRows


def value(F: Held, i: int, d: int) -> float:
    """One number of a row, or of its direction."""
    number = widened(F.rows[i, d])
    return number * float(F.inverse[i]) if isinstance(F, UnitRows) else number


@overload(value, strict=False, inline="always")  # type: ignore[untyped-decorator]
def _compiled_value(F: types.Type, i: types.Type, d: types.Type) -> Callable[..., float]:
    def of_row(F: Rows, i: int, d: int) -> float:
        """The number itself."""
        return widened(F.rows[i, d])

    def of_direction(F: UnitRows, i: int, d: int) -> float:
        """The number over the length of its row."""
        return widened(F.rows[i, d]) * F.inverse[i]  # type: ignore[no-any-return]

    return of_direction if F.instance_class is UnitRows else of_row


@jit_in_place
def fill_features(F: Held, index: IntArray, out: FloatArray) -> None:
    """The features of some rows, in the type of ``out``. OUT: out (len(index), D)."""
    for row in range(len(index)):
        i = index[row]
        for d in range(out.shape[1]):
            out[row, d] = F.scale * (value(F, i, d) - F.mean[d])


def _squared_norm(features: Float32Array, row: int) -> float:
    """‖f‖² of one row."""
    total: float = 0.0
    for d in range(features.shape[1]):
        total += np.float64(features[row, d]) * np.float64(features[row, d])
    return total


squared_norm = jit(_squared_norm, fastmath=frozenset({"contract", "reassoc"}), _nrt=False)


def _gap(F: Held, i: int, x: Float64Array) -> float:
    """Squared distance of a row to a place."""
    total: float = 0.0
    for d in range(len(x)):
        apart = value(F, i, d) - x[d]
        total += apart * apart
    return total


gap = jit(_gap, fastmath=frozenset({"contract", "reassoc"}), _nrt=False)


@jit_in_place
def fill_squared_distances(F: Held, point: int, x: Float64Array, out: Float64Array) -> None:
    """Squared distances from one point to all, by differences. OUT: out (n,), and x (D,)."""
    for d in range(len(x)):
        x[d] = value(F, point, d)
    for i in range(len(out)):
        out[i] = F.scale * F.scale * gap(F, i, x)


@jit_with_arrays
def fill_products(
    F: Held, first: int, across: Float32Array, out: Float32Array, norms: Float64Array
) -> None:
    """Products of the features of some rows with a few vectors (D, few), in float32.

    OUT: out (rows, few) from the row ``first`` on, and the squared norms of the features.
    """
    features = np.empty((min(len(out), _AT_ONCE), len(across)), np.float32)
    for start in range(0, len(out), _AT_ONCE):
        stop = min(len(out), start + _AT_ONCE)
        few = features[: stop - start]
        fill_features(F, np.arange(first + start, first + stop), few)
        np.dot(few, across, out[start:stop])
        for row in range(stop - start):
            norms[start + row] = squared_norm(few, row)


@jit_in_place
def add_features(
    F: Held,
    labels: IntArray,
    weights: Float64Array,
    start: int,
    stop: int,
    vectors: Float64Array,
) -> None:
    """vectors[l] += Σ_{y ∈ C_l} w_y f_y over some rows."""
    for i in range(start, stop):
        w = weights[i]
        if w != 0.0:
            vector = vectors[labels[i]]
            for d in range(len(vector)):
                vector[d] += w * (F.scale * (value(F, i, d) - F.mean[d]))


def _from_place(F: Held, i: int, place: Float64Array) -> float:
    """Squared distance of a point to a place in features."""
    total: float = 0.0
    for d in range(len(place)):
        apart = F.scale * (value(F, i, d) - F.mean[d]) - place[d]
        total += apart * apart
    return total


from_place = jit(_from_place, fastmath=frozenset({"contract", "reassoc"}), _nrt=False)


@jit_in_place
def add_dispersions(
    F: Held,
    labels: IntArray,
    weights: Float64Array,
    start: int,
    stop: int,
    centers: Float64Array,
    out: Float64Array,
) -> None:
    """out[l] += Σ_{y ∈ C_l} w_y ‖f_y − c_l‖² over some rows."""
    for i in range(start, stop):
        if weights[i] != 0.0:
            out[labels[i]] += weights[i] * from_place(F, i, centers[labels[i]])
