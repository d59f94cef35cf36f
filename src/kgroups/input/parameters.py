"""Parameters, weights and labels, checked; messages name the argument and what was found."""

import numbers
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_array

from kgroups.input.columns import is_missing
from kgroups.names import AUTO
from kgroups.runtime.memory import parsed_bytes
from kgroups.text import did_you_mean, quoted
from kgroups.typing import Data, Float64Array, IntArray


def check_integer(value: Any, name: str, *, least: int = 1) -> int:
    """An integer of at least ``least``."""
    if not _is_integer(value) or int(value) < least:
        raise ValueError(f"{name} must be an integer >= {least}; got {quoted(value)}.")
    return int(value)


def _is_integer(value: Any) -> bool:
    return isinstance(value, numbers.Integral) and not isinstance(value, (bool, np.bool_))


def check_n_jobs(n_jobs: Any) -> int | None:
    """None, or an integer."""
    if n_jobs is not None and not _is_integer(n_jobs):
        raise ValueError(f"n_jobs must be an integer or None, -1 for all cores; got {n_jobs!r}.")
    return n_jobs if n_jobs is None else int(n_jobs)


def _number(value: Any, name: str, what: str, holds: Callable[[float], bool]) -> float:
    if not isinstance(value, numbers.Real) or not holds(float(value)):
        raise ValueError(f"{name} must be {what}; got {value!r}.")
    return float(value)


def check_tol(value: Any, name: str = "tol") -> float:
    """A finite number that is not negative."""
    return _number(value, name, "a number >= 0", lambda tol: 0 <= tol < np.inf)


def check_resolution(value: Any) -> float:
    """A finite number above 0."""
    return _number(value, "resolution", "a number above 0", lambda r: 0 < r < np.inf)


def check_share(value: Any, name: str) -> float:
    """A number between 0 and 1."""
    return _number(value, name, "a number between 0 and 1", lambda share: 0 <= share <= 1)


def check_choice(value: Any, name: str, choices: tuple[str, ...]) -> str:
    """One of a few strings."""
    if not isinstance(value, str) or value not in choices:
        hint = did_you_mean(value, choices)
        raise ValueError(f"{name} must be one of {', '.join(choices)}; got {value!r}.{hint}")
    return value


def check_n_clusters(n_clusters: Any, n_samples: int | None = None) -> int:
    """A number of clusters from one to one per point; None before the points are known."""
    k = check_integer(n_clusters, "n_clusters")
    if n_samples is not None and k > n_samples:
        raise ValueError(
            f"n_clusters={k} is more than n_samples={n_samples}; "
            f"ask for at most {n_samples} clusters."
        )
    return k


def check_number_or_auto(n_clusters: Any) -> None:
    """A number of clusters, or "auto" for one that is to be chosen."""
    if isinstance(n_clusters, str) and n_clusters == AUTO:
        return
    if not _is_integer(n_clusters) or n_clusters < 1:
        raise ValueError(
            f'n_clusters must be "{AUTO}" or an integer >= 1; got {quoted(n_clusters)}.'
        )


def check_memory_limit(value: Any) -> None:
    """A number of bytes, a size with its unit, or None for what is free."""
    if isinstance(value, str):
        try:
            parsed_bytes(value)
        except ValueError as error:
            raise ValueError(f"memory_limit: {error}") from None
    elif value is not None:
        check_integer(value, "memory_limit")


def check_time_limit(value: Any) -> None:
    """A positive number of seconds, or None for no limit."""
    if value is not None:
        _number(value, "time_limit", "a positive number of seconds or None", lambda s: s > 0)


# --- one value per row ---------------------------------------------------------------------------


def refuse_masked(X: Any, name: str) -> None:
    """ValueError for a masked array with masked entries, which are missing values."""
    if isinstance(X, np.ma.MaskedArray) and np.ma.is_masked(X):
        row, *column = np.argwhere(np.ma.getmaskarray(X))[0].tolist()
        where = f"row {row}" + (f", column {column[0]}" if column else "")
        raise ValueError(
            f"{name} is a masked array, and masks would be ignored, the first in {where}: replace "
            f"masked entries, as by {name}.filled(...), or drop their rows."
        )


def check_weights(sample_weight: Any, n_samples: int, name: str = "sample_weight") -> Float64Array:
    """One weight per point, none negative, not all zero; ones for None."""
    if sample_weight is None:
        return np.ones(n_samples)
    refuse_masked(sample_weight, name)
    weights = np.asarray(
        check_array(
            sample_weight, dtype=np.float64, ensure_2d=False, ensure_all_finite=False,
            input_name=name,
        )
    )  # fmt: skip
    if weights.shape != (n_samples,):
        raise ValueError(
            f"{name}.shape == {weights.shape}, expected ({n_samples},): one weight per row."
        )
    wrong = wrong_weight(weights, name) or no_weight(float(weights.max()), name)
    if wrong:
        raise ValueError(wrong)
    return weights


def wrong_weight(weights: Float64Array, name: str = "sample_weight", start: int = 0) -> str:
    """The message on the first weight that is negative or no finite number; "" for none."""
    bad = ~(np.isfinite(weights) & (weights >= 0))
    if not bad.any():
        return ""
    row = int(bad.argmax())
    what = "must not be negative" if np.isfinite(weights[row]) else "contains NaN or infinity"
    return f"{name} {what}: row {start + row} is {weights[row]:.6g}."


def no_weight(heaviest: float, name: str = "sample_weight") -> str:
    """The message where no weight is above zero; "" where one is."""
    none = f"{name} is zero for every row; at least one must be positive."
    return "" if heaviest > 0 else none


def check_labels(labels: Any, n_samples: int, k: int, name: str) -> IntArray:
    """Starting labels: one integer in 0..k−1 a point."""
    refuse_masked(labels, name)
    array = _one_per_row(np.asarray(labels), n_samples, name)
    found = f"{array.dtype}"
    if array.dtype.kind in "iu":
        if not array.size or 0 <= array.min() <= array.max() < k:
            return np.asarray(array.astype(np.int64))
        found = f"values from {array.min()} to {array.max()}"
    raise ValueError(
        f"{name} must hold integers in 0..{k - 1} for n_clusters={k}; got {found}. Labels of any "
        "kind are numbered from 0 by np.unique(labels, return_inverse=True)[1]."
    )


def _one_per_row(array: Any, n: int, name: str) -> Any:
    if array.shape != (n,):
        raise ValueError(
            f"{name} must hold one label for each of the {n} points; got shape {array.shape}."
        )
    return array


def group_codes(
    labels: ArrayLike, n: int, name: str = "labels"
) -> tuple[tuple[Any, ...], IntArray]:
    """The distinct labels, sorted, and the position of each point's label among them."""
    if hasattr(labels, "labels_"):
        raise ValueError(f"{name} is an estimator; its labels are {name}.labels_.")
    array = _one_per_row(as_array(labels), n, name)
    check_none_missing(labels, name, "row")
    try:
        groups, codes = np.unique(array, return_inverse=True)
    except TypeError as error:
        raise ValueError(
            f"{name} must be of one kind, all text or all numbers: {error}. "
            "Write [str(x) for x in labels] to make all of them text."
        ) from None
    return tuple(groups.tolist()), codes.astype(np.int64)


def check_none_missing(labels: Any, name: str, what: str) -> None:
    """ValueError for one of several labels that is missing, which would be a class of its own.

    >>> check_none_missing([0.0, np.nan], "labels", "node")
    Traceback (most recent call last):
        ...
    ValueError: labels: node 1 has no label (nan); give it one, or leave the node out.
    """
    refuse_masked(labels, name)
    if np.asarray(labels).dtype.kind in "iub":
        return
    for place, label in enumerate(as_array(labels).tolist()):
        if is_missing(label):
            raise ValueError(
                f"{name}: {what} {place} has no label ({label}); give it one, or leave the {what} "
                "out."
            )


def as_array(values: Data) -> Any:
    """An array of numbers or of objects; with text NumPy would turn numbers and NaN into text."""
    array = np.asarray(values)
    return array if array.dtype.kind in "iufbc" else np.asarray(values, dtype=object)
