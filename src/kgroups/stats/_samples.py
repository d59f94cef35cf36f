"""Samples of any kind pooled into one input, so that all of it is read in the same way."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.sparse import issparse

from kgroups.exceptions import TheoryWarning
from kgroups.input.frames import feature_names
from kgroups.input.rows import is_table
from kgroups.input.spaces import PointSpace, Space, is_pairwise, read_input
from kgroups.input.tables import check_finite
from kgroups.semimetrics import Semimetric
from kgroups.typing import IntArray

# Kinds of arrays that hold numbers.
_NUMBERS = "iufbc"
# From ``read`` through a public function of this package to its caller.
_CALLER = 3


def read(X: Any, metric: Any, *, deeper: int = 0) -> tuple[Space, Any]:
    """Clean data and their space; tables in float64, as statistics are small differences.

    A warning points at the caller of the public function that calls this, through ``deeper`` more.
    """
    X = X if is_pairwise(metric) or _compares_objects(metric) else on_line(X, "X")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TheoryWarning)  # it speaks of clusters
        space, data = read_input(X, metric)
    semimetric = space.semimetric
    if semimetric is not None and not semimetric.is_negative_type:
        warnings.warn(
            f"{semimetric!r} is not of negative type: energy distances and the statistics made of "
            "them may be negative, and may be 0 between different distributions.",
            TheoryWarning,
            stacklevel=_CALLER + deeper,
        )
    if isinstance(space, PointSpace) and is_table(data):
        data = data.astype(np.float64, copy=False)
    return space, data


def pooled(samples: Sequence[Any], names: Sequence[str], metric: Any) -> tuple[Any, IntArray]:
    """All samples as one input, and how many points each brings; ``names`` are for messages."""
    if is_pairwise(metric):
        raise ValueError(
            f'metric="{metric}" takes one matrix between all points: give it to energy_test with '
            "labels=, the group of each point."
        )
    for sample, name in zip(samples, names, strict=True):
        _check_sample(sample, name)
        if hasattr(sample, "columns"):
            _check_numbers(np.asarray(sample), feature_names(sample), name)
    sizes = np.array([len(sample) for sample in samples])
    if any(hasattr(sample, "columns") for sample in samples):
        return _pooled_frames(samples, names), sizes
    if _compares_objects(metric) and not all(_is_number_table(sample) for sample in samples):
        return [item for sample in samples for item in sample], sizes
    tables = [on_line(sample, name) for sample, name in zip(samples, names, strict=True)]
    _check_equal_widths(tables, names)
    for table, name in zip(tables, names, strict=True):
        _check_numbers(table, None, name)
    if any(table.dtype.kind not in _NUMBERS for table in tables):
        tables = [table.astype(object) for table in tables]  # or numbers would become text
    return np.concatenate(tables), sizes


def group_codes(labels: Any, n: int, name: str = "labels") -> tuple[tuple[Any, ...], IntArray]:
    """The different labels in their order, and for each point which one it has."""
    array = _array(labels)
    if array.shape != (n,):
        raise ValueError(
            f"{name} must hold one label for each of the {n} points; got shape {array.shape}."
        )
    missing = [i for i, value in enumerate(array.tolist()) if _is_missing(value)]
    if missing:
        raise ValueError(
            f"{name} is missing for row {missing[0]} ({len(missing)} of {n}); drop such rows, or "
            "give them a group of their own."
        )
    try:
        groups, codes = np.unique(array, return_inverse=True)
    except TypeError as error:
        raise ValueError(f"{name} must be of one kind, all text or all numbers: {error}.") from None
    return tuple(groups.tolist()), codes.astype(np.int64)


def check_several_groups(groups: Sequence[Any]) -> None:
    """A test compares two groups or more."""
    if len(groups) < 2:
        raise ValueError(
            f"labels holds one group alone, {groups[0]!r}; a test compares two or more."
        )


def on_line(X: Any, name: str) -> Any:
    """A table as it is; one number or text a point becomes a table of one column."""
    if hasattr(X, "columns") or issparse(X):
        return X
    try:
        array = _array(X)
    except ValueError as error:
        raise ValueError(f"{name} has rows of unequal length: {error}") from None
    return array.reshape(-1, 1) if array.ndim == 1 else array


def _array(values: Any) -> Any:
    """An array of numbers; or of objects, as numbers and NaN beside text would become text."""
    array = np.asarray(values)
    return array if array.dtype.kind in _NUMBERS else np.asarray(values, dtype=object)


def _check_sample(sample: Any, name: str) -> None:
    """Some points."""
    if issparse(sample):
        raise TypeError(f"{name} is sparse, but dense data is required; use {name}.toarray().")
    is_sized = hasattr(sample, "__len__") and getattr(sample, "ndim", 1) > 0
    if isinstance(sample, (str, bytes)) or not is_sized:
        raise TypeError(f"{name} must be a table or a sequence; got {type(sample).__name__}.")
    if len(sample) == 0:
        raise ValueError(f"{name} has no points; a sample needs at least one.")


def _check_numbers(table: Any, columns: list[str] | None, name: str) -> None:
    """No number missing; said here, where the rows are still the sample's own."""
    if table.dtype.kind == "f":
        check_finite(table, columns, name)


def _pooled_frames(samples: Sequence[Any], names: Sequence[str]) -> Any:
    """Frames of one library, with the same columns."""
    first, *others = samples
    for sample, name in zip(others, names[1:], strict=True):
        if _columns(sample) != _columns(first):
            raise ValueError(
                f"{names[0]} has the columns {_columns(first)} and {name} has {_columns(sample)}; "
                "samples need the same columns in the same order."
            )
    libraries = {type(sample).__module__.partition(".")[0] for sample in samples}
    if libraries == {"pandas"}:
        return sys.modules["pandas"].concat(list(samples), ignore_index=True)
    if libraries == {"polars"}:
        return sys.modules["polars"].concat(list(samples), how="vertical_relaxed")
    raise TypeError(
        f"samples are frames of {', '.join(sorted(libraries))}; give all of them as frames of "
        "pandas, or of polars, or as arrays."
    )


def _columns(sample: Any) -> list[Any] | None:
    return list(sample.columns) if hasattr(sample, "columns") else None


def _check_equal_widths(tables: Sequence[Any], names: Sequence[str]) -> None:
    first = tables[0]
    for table, name in zip(tables, names, strict=True):
        if table.ndim != 2:
            raise ValueError(f"{name} must be a table of points; got shape {table.shape}.")
        if table.shape[1] != first.shape[1]:
            raise ValueError(
                f"{names[0]} has {first.shape[1]} columns and {name} has {table.shape[1]}; "
                "both must describe the same coordinates."
            )


def _compares_objects(metric: Any) -> bool:
    """Whether points are handed to a function as they are."""
    if isinstance(metric, Semimetric):
        return metric.takes_objects
    return callable(metric) and not isinstance(metric, type)


def _is_number_table(sample: Any) -> bool:
    return getattr(sample, "ndim", 0) == 2 and np.asarray(sample).dtype.kind in "iufb"


def _is_missing(value: Any) -> bool:
    """None, NaN, and the missing values of pandas; not text."""
    if isinstance(value, (str, int)):
        return False
    return value is None or str(value) in ("nan", "NaT", "<NA>")
