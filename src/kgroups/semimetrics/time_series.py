"""Series of numbers over time, of one length or of many, from arrays and lists."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from kgroups.semimetrics.items import arrays_of, check_no_gaps
from kgroups.typing import Data, Float64Array

_ADVICE = (
    "Fill the gap, for instance by numpy.interp, or cut the series. Only in an array are NaN at "
    "the end of a series the padding of a shorter one."
)


def series_of(X: Data) -> list[Float64Array]:
    """Series as arrays (length,), or (length, channels) where one has several channels.

    An array (n, length) holds n series of one channel, an array (n, length, channels) n series of
    several. In an array, NaN up to the end of a series are padding, and are cut off.
    """
    arrays = arrays_of(X, "series")
    if getattr(X, "shape", (0,)) != (len(arrays),) and hasattr(X, "shape"):
        arrays = [_without_padding(array) for array in arrays]
    check_no_gaps(arrays, "series", _ADVICE)
    channels = [1 if array.ndim == 1 else array.shape[1] for array in arrays]
    odd = next((i for i, c in enumerate(channels) if c != channels[0]), None)
    if odd is not None:
        raise ValueError(
            f"series 0 has {channels[0]} channels and series {odd} has {channels[odd]}; a series "
            "of several channels is an array (length, channels), transposed (.T) if yours is "
            "(channels, length)."
        )
    return [array.ravel() for array in arrays] if channels[0] == 1 else arrays


def _without_padding(array: Float64Array) -> Float64Array:
    missing = np.isnan(array) if array.ndim == 1 else np.isnan(array).all(axis=1)
    present = np.flatnonzero(~missing)
    return array[: present[-1] + 1] if present.size else array[:0]


def looks_transposed(X: Data) -> str:
    """Whether time and channels seem to have changed places, and what to write; or ""."""
    shape: tuple[int, ...] = getattr(X, "shape", ())
    if len(shape) == 3:
        _, length, channels = shape
        swap, given = "X.transpose(0, 2, 1)", f"an array of shape {tuple(shape)}"
    elif isinstance(X, Sequence) and len(X) and getattr(X[0], "ndim", 1) == 2:
        first: Any = X[0]
        length, channels = first.shape
        swap, given = "[x.T for x in X]", f"a list of arrays, the first of shape {first.shape}"
    else:
        return ""
    if channels <= length:
        return ""
    return (
        f"X is {given}, which is read as series of length {length} with {channels} channels; if "
        f"time is the last axis, as in aeon and sktime, write {swap}."
    )
