"""Parameters, weights and labels, checked, with messages that say what to write instead."""

import numbers
from typing import Any

import numpy as np
from sklearn.utils.validation import check_array

from kgroups.input.lookalikes import refuse_masked
from kgroups.input.wrong_kinds import found
from kgroups.names import AUTO
from kgroups.runtime.memory import parsed_bytes
from kgroups.text import did_you_mean, quoted
from kgroups.typing import Float64Array, IntArray


def check_integer(value: Any, name: str, *, least: int = 1) -> int:
    """An integer of at least ``least``."""
    if not _is_integer(value) or int(value) < least:
        raise ValueError(f"{name} must be an integer >= {least}; got {value!r}.")
    return int(value)


def _is_integer(value: Any) -> bool:
    return isinstance(value, numbers.Integral) and not isinstance(value, (bool, np.bool_))


def check_n_jobs(n_jobs: Any) -> int | None:
    """None, or an integer."""
    if n_jobs is None or _is_integer(n_jobs):
        return n_jobs if n_jobs is None else int(n_jobs)
    raise ValueError(f"n_jobs must be an integer or None, -1 for all cores; got {n_jobs!r}.")


def check_tol(value: Any, name: str = "tol") -> float:
    """A finite number that is not negative."""
    if not isinstance(value, numbers.Real) or not 0 <= float(value) < np.inf:
        raise ValueError(f"{name} must be a number >= 0; got {value!r}.")
    return float(value)


def check_resolution(value: Any) -> float:
    """A finite number above 0."""
    if not isinstance(value, numbers.Real) or not 0 < float(value) < np.inf:
        raise ValueError(
            f"resolution must be a number above 0; got {value!r}. Larger values favor smaller "
            "communities; for modularity 1.0 is Newman's."
        )
    return float(value)


def check_share(value: Any, name: str) -> float:
    """A number between 0 and 1."""
    if not isinstance(value, numbers.Real) or not 0 <= float(value) <= 1:
        raise ValueError(f"{name} must be a number between 0 and 1; got {value!r}.")
    return float(value)


def check_choice(value: Any, name: str, choices: tuple[str, ...]) -> str:
    """One of a few strings."""
    if not isinstance(value, str) or value not in choices:
        hint = did_you_mean(value, choices)
        raise ValueError(f"{name} must be one of {', '.join(choices)}; got {value!r}.{hint}")
    return value


def check_n_clusters(n_clusters: Any, n_samples: int | None = None) -> int:
    """A number of clusters from one to one per point; None before the points are known."""
    if isinstance(n_clusters, str) and n_clusters == AUTO:
        raise ValueError(
            f"n_clusters must be an integer >= 1; got {n_clusters!r}. "
            "kgroups.select.choose_n_clusters(X).n_clusters estimates the number."
        )
    _refuse_data(n_clusters, "an integer >= 1")
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
    allowed = f'"{AUTO}" or an integer >= 1'
    _refuse_data(n_clusters, allowed)
    if not _is_integer(n_clusters) or n_clusters < 1:
        hint = did_you_mean(n_clusters, [AUTO])
        raise ValueError(f"n_clusters must be {allowed}; got {n_clusters!r}.{hint}")


def _refuse_data(n_clusters: Any, allowed: str) -> None:
    """ValueError for a table in the place of the number."""
    if np.ndim(n_clusters) > 0:
        raise ValueError(
            f"n_clusters must be {allowed}; got {type(n_clusters).__name__}: the data belongs to "
            "fit: KernelKGroups(k).fit(X)."
        )


def check_weights(sample_weight: Any, n_samples: int, name: str = "sample_weight") -> Float64Array:
    """One weight per point, none negative, not all zero; ones for None."""
    if sample_weight is None:
        return np.ones(n_samples)
    refuse_masked(sample_weight, name)
    weights = _numbers(sample_weight, n_samples, name)
    if weights.ndim != 1 or len(weights) != n_samples:
        raise ValueError(
            f"{name}.shape == {weights.shape}, expected ({n_samples},): one weight per row."
        )
    if not np.all(np.isfinite(weights)):
        row = int(np.argmin(np.isfinite(weights)))
        raise ValueError(f"{name} contains NaN or infinity: row {row} is {weights[row]}.")
    if np.any(weights < 0):
        row = int(np.argmin(weights))
        raise ValueError(f"{name} must not be negative; row {row} is {weights[row]:.6g}.")
    if not np.any(weights > 0):
        raise ValueError(f"{name} is zero for every row; at least one must be positive.")
    return np.asarray(weights)


def _numbers(values: Any, n_samples: int, name: str) -> Float64Array:
    """An array of float64; ValueError for anything that is not one number per row."""
    try:
        if not np.isscalar(values) and not isinstance(values, dict):
            return np.asarray(
                check_array(
                    values, dtype=np.float64, ensure_2d=False, ensure_all_finite=False,
                    input_name=name,
                )
            )  # fmt: skip
        problem = f"got {quoted(values)}"
    except (TypeError, ValueError) as error:
        problem = str(error).partition("\n")[0].removesuffix(".")
    advice = ""
    if isinstance(values, str):
        advice = f" For a column of a frame write {name}=X[{values!r}], and drop it from X."
    raise ValueError(
        f"{name} must hold one number for each of the {n_samples} rows: {problem}.{advice}"
    )


def check_labels(labels: Any, n_samples: int, k: int, name: str) -> IntArray:
    """Starting labels: one integer in 0..k−1 a point."""
    array = np.asarray(labels)
    if array.shape != (n_samples,):
        are_centers = array.ndim == 2 and len(array) == k
        instead = (
            " Of centers, give the label of the nearest one for each row: "
            "pairwise_distances_argmin(X, centers) of sklearn.metrics."
        )
        raise ValueError(
            f"{name} must hold one label for each of the {n_samples} rows; got "
            f"{found(labels, array.shape)}.{instead if are_centers else ''}"
        )
    instead = "Labels of any kind are numbered from 0 by np.unique(labels, return_inverse=True)[1]."
    if array.dtype.kind not in "iu":
        raise ValueError(f"{name} must hold integers in 0..{k - 1}; got {array.dtype}. {instead}")
    if array.size and (array.min() < 0 or array.max() >= k):
        raise ValueError(
            f"{name} must hold integers in 0..{k - 1} for n_clusters={k}; "
            f"got values from {array.min()} to {array.max()}. {instead}"
        )
    return array.astype(np.int64)


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
    if value is None:
        return
    if not isinstance(value, numbers.Real) or not float(value) > 0:
        raise ValueError(f"time_limit must be a positive number of seconds or None; got {value!r}.")
