"""Samples of any kind, pooled into one input that is read like any other."""

import sys
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.sparse import csr_array, issparse, vstack

from kgroups.exceptions import TheoryWarning
from kgroups.input.columns import feature_names
from kgroups.input.parameters import as_array
from kgroups.input.rows import has_columns, n_rows
from kgroups.input.spaces import (
    PointSpace,
    Space,
    check_metric,
    is_pairwise,
    read_input,
    takes_missing,
    takes_sparse_rows,
)
from kgroups.input.tables import check_finite, refuse_others
from kgroups.semimetrics import Metric
from kgroups.semimetrics.canonical_rows import sparse_rows_of
from kgroups.semimetrics.semimetric import sparse_refused
from kgroups.typing import Data, FloatArray, IntArray

# Kinds of arrays that hold numbers.
_NUMBERS = "iufbc"
# Frames from ``read_with_warning`` through one function and a public one to its caller.
CALLER = 4


def read(X: Data, metric: Metric, *, deeper: int = 0) -> tuple[Space, Any]:
    """The space of an input and its clean data, in float64: statistics are small differences.

    A warning refers to the caller of the public function that calls this one; ``deeper`` is the
    number of frames in between.
    """
    X = X if is_pairwise(metric) or _compares_objects(metric, X) else on_line(X, "X")
    consequence = (
        "energy distances and the statistics based on them may be negative, and may be 0 between "
        "different distributions."
    )
    space, data = read_with_warning(X, metric, consequence, CALLER + deeper)
    if isinstance(space, PointSpace) and has_columns(data):
        data = data.astype(np.float64, copy=False)
    return space, data


def read_with_warning(
    X: Data, metric: Metric, consequence: str, stacklevel: int
) -> tuple[Space, Any]:
    """The space and data of an input; a semimetric not of negative type warns of a consequence."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TheoryWarning)  # about a fit; ours follows
        space, data = read_input(X, metric)
    violation = space.violation
    if space.semimetric is not None and violation is not None and violation.is_due:
        said = violation.said(space.semimetric, f"So {consequence}")
        warnings.warn(said, TheoryWarning, stacklevel=stacklevel)
    return space, data


def pooled(samples: Sequence[Any], names: Sequence[str], metric: Metric) -> tuple[Any, IntArray]:
    """All samples as one input, and the number of points of each; messages use ``names``."""
    if is_pairwise(metric):
        raise ValueError(
            f'metric="{metric}" takes one matrix between all points: give it to energy_test with '
            "labels=, the group of each point."
        )
    has_meaning = takes_missing(metric)
    for sample, name in zip(samples, names, strict=True):
        _check_sample(sample, name, metric)
        if hasattr(sample, "columns") and not has_meaning:
            _check_numbers(np.asarray(sample), feature_names(sample), name)
    sizes = np.array([n_rows(sample) for sample in samples])
    if any(issparse(sample) for sample in samples):
        return _pooled_sparse(samples, names), sizes
    if any(hasattr(sample, "columns") for sample in samples):
        return _pooled_frames(samples, names), sizes
    are_tables = all(_is_number_table(sample) for sample in samples)
    if not are_tables and _compares_objects(metric, samples[0]):
        return [item for sample in samples for item in sample], sizes
    tables = [on_line(sample, name) for sample, name in zip(samples, names, strict=True)]
    _check_equal_widths(tables, names)
    for table, name in zip(tables, names, strict=True):
        if not has_meaning:
            _check_numbers(table, None, name)
    if any(table.dtype.kind not in _NUMBERS for table in tables):
        tables = [table.astype(object) for table in tables]  # or numbers would become text
    return np.concatenate(tables), sizes


def check_several_groups(groups: Sequence[object]) -> None:
    """Raise ValueError for fewer than two groups."""
    if len(groups) < 2:
        raise ValueError(f"labels has only one group, {groups[0]!r}; a test compares two or more.")


def on_line(X: Data, name: str) -> Any:
    """Return tables unchanged, and a sequence of numbers or texts as a table of one column."""
    if hasattr(X, "columns") or issparse(X):
        return X
    refuse_others(X, name)
    array = as_array(X)
    return array.reshape(-1, 1) if array.ndim == 1 else array


def _check_sample(sample: object, name: str, metric: Metric) -> None:
    """Raise TypeError or ValueError unless a sample is a table or sequence with points."""
    refuse_others(sample, name)
    if issparse(sample) and not takes_sparse_rows(metric):
        raise TypeError(sparse_refused(name))
    is_sized = hasattr(sample, "__len__") and getattr(sample, "ndim", 1) > 0
    if isinstance(sample, (str, bytes)) or not is_sized:
        raise TypeError(f"{name} must be a table or a sequence; got {type(sample).__name__}.")
    if n_rows(sample) == 0:
        raise ValueError(f"{name} has no points; a sample needs at least one.")


def _check_numbers(table: FloatArray, columns: list[str] | None, name: str) -> None:
    """Raise ValueError for missing numbers, while row numbers are still those of the sample."""
    if table.dtype.kind == "f":
        check_finite(table, columns, name)


def _pooled_sparse(samples: Sequence[Data], names: Sequence[str]) -> csr_array:
    """The rows of all as sparse ones, of which some may be dense tables."""
    rows = [sparse_rows_of(sample, name) for sample, name in zip(samples, names, strict=True)]
    for sample, name in zip(rows, names, strict=True):
        check_finite(sample, None, name)
    _check_equal_widths(rows, names)
    return csr_array(vstack(rows))


def _pooled_frames(samples: Sequence[Data], names: Sequence[str]) -> Any:
    """One frame with the rows of all; they need the same library and columns."""
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


def _columns(sample: Data) -> list[Any] | None:
    return list(sample.columns) if hasattr(sample, "columns") else None


def _check_equal_widths(tables: Sequence[Any], names: Sequence[str]) -> None:
    first = tables[0]
    for table, name in zip(tables, names, strict=True):
        if table.ndim != 2:
            raise ValueError(f"{name} must be a table of points; got shape {table.shape}.")
        if table.shape[1] != first.shape[1]:
            raise ValueError(
                f"{names[0]} has {first.shape[1]} columns and {name} has {table.shape[1]}; "
                "both must describe the same coordinates." + _if_labels(table, first, name)
            )


def _if_labels(table: Any, first: Any, name: str) -> str:
    """What to write if a sample has one value for each point of the first one: its groups."""
    if table.shape != (n_rows(first), 1):
        return ""
    return (
        f" {name} has one value per point of the first; if these are its groups, write labels=, "
        "the group of each point, to energy_test."
    )


def _compares_objects(metric: Metric, X: Data) -> bool:
    """Whether the metric takes objects as they are, as X has them."""
    semimetric = check_metric(metric)
    return semimetric.takes_objects or semimetric.read_objects(X) is not None


def _is_number_table(sample: Data) -> bool:
    return getattr(sample, "ndim", 0) == 2 and np.asarray(sample).dtype.kind in "iufb"
