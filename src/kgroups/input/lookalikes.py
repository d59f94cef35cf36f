"""Things that are handed in for a table and are something else, each with what to write instead."""

import warnings
from collections.abc import Collection
from math import isqrt
from typing import Any, Literal

import numpy as np

from kgroups.exceptions import LookalikeWarning
from kgroups.input.frames import refuse_lazy
from kgroups.input.identifiers import looks_like
from kgroups.input.networks import is_igraph, is_networkx, type_name
from kgroups.input.wrong_kinds import refuse_no_data
from kgroups.semimetrics.semimetric import ROUNDING, Semimetric
from kgroups.typing import FloatArray

# A table that is looked at for being a matrix of distances, at least. Smaller ones are symmetric
# by chance.
_LEAST_SQUARE = 4
# Fewer rows are counted by chance.
_LEAST_ROWS = 5


def refuse_lookalikes(X: Any, name: str = "X") -> None:
    """TypeError or ValueError for a network, a lazy frame, masked entries and arrays of dates.

    And for what holds no data at all, see :func:`kgroups.input.wrong_kinds.refuse_no_data`.
    """
    if is_networkx(X) or is_igraph(X):
        raise TypeError(
            f"{name} is a network ({type_name(X)}), not a table: its communities are found by "
            f"kgroups.GraphKGroups().fit({name})."
        )
    refuse_lazy(X, name)
    refuse_no_data(X, name)
    refuse_masked(X, name)
    dtype = getattr(X, "dtype", None)
    if isinstance(X, np.ndarray) and X.dtype.kind in "mM":
        raise ValueError(
            f"{name} holds {'dates' if X.dtype.kind == 'M' else 'durations'} ({dtype}), and their "
            "distance depends on the unit; choose one, such as days: "
            + (f"({name} - {name}.min())" if X.dtype.kind == "M" else name)
            + ' / numpy.timedelta64(1, "D").'
        )


def refuse_masked(X: Any, name: str) -> None:
    """ValueError for a masked array with masked entries, which are missing values."""
    if not isinstance(X, np.ma.MaskedArray) or not np.ma.is_masked(X):
        return
    place = tuple(int(i) for i in np.argwhere(np.ma.getmaskarray(X))[0])
    where = f"row {place[0]}" + (f", column {place[1]}" if len(place) > 1 else "")
    raise ValueError(
        f"{name} is a masked array with {int(X.mask.sum())} masked entries, the first in {where}, "
        f"and masks would be ignored: replace them, as by {name}.filled(...), or drop their rows."
    )


def n_of_pairs(size: int) -> int | None:
    """How many points have so many pairs; None if no number of points has.

    >>> n_of_pairs(10), n_of_pairs(11)
    (5, None)
    """
    n = (1 + isqrt(1 + 8 * size)) // 2
    return n if n * (n - 1) // 2 == size else None


def empty_half(matrix: FloatArray) -> Literal["upper", "lower"] | None:
    """The half of a square matrix, without its diagonal, that holds only zeros or NaN; O(n²).

    The other half must be complete and not zero.

    >>> empty_half(np.array([[0.0, np.nan], [3.0, 0.0]]))
    'upper'
    """
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or len(matrix) < 2:
        return None
    if _is_empty(matrix[0, 1:]) and _is_lower_triangle(matrix):
        return "upper"
    if _is_empty(matrix[1:, 0]) and _is_lower_triangle(matrix.T):
        return "lower"
    return None


def _is_empty(entries: FloatArray) -> bool:
    return bool(np.all(np.isnan(entries) | (entries == 0)))


def _is_lower_triangle(matrix: FloatArray) -> bool:
    """Whether nothing stands above the diagonal, and numbers below it."""
    rows = range(1, len(matrix))
    complete = all(not np.isnan(matrix[i, :i]).any() for i in rows)
    return (
        complete
        and any(matrix[i, :i].any() for i in rows)
        and all(_is_empty(matrix[i, i + 1 :]) for i in rows)
    )


def how_to_fill(matrix: FloatArray, empty: str, metric: str) -> str:
    """What a matrix with an empty half holds, and how it is filled from the other one."""
    triangle, other = ("tril", "lower") if empty == "upper" else ("triu", "upper")
    beside = -1 if empty == "upper" else 1
    diagonal = np.diagonal(matrix)
    found = f"the {empty} half of the matrix is empty or zero, and the {other} half is not"
    if metric == "precomputed_kernel":
        half = f"numpy.{triangle}(X, {beside})"
        return f"{found}; fill it by X = numpy.{triangle}(X) + {half}.T"
    if np.all(diagonal > 0):
        return (
            f"{found}, nor is the diagonal, as where the row and the column without numbers were "
            "left out; write the whole matrix, in R by as.matrix(d)"
        )
    return f"{found}; fill it by X = numpy.{triangle}(X, {beside}); X = X + X.T"


def refuse_half(matrix: FloatArray, metric: str) -> None:
    """ValueError for a matrix between points of which only one half was written."""
    half = empty_half(matrix)
    if half is not None:
        raise ValueError(f'metric="{metric}": {how_to_fill(matrix, half, metric)}.')


def refuse_condensed(X: Any, name: str = "X") -> None:
    """ValueError for a vector with one number per pair of points, as ``pdist`` of SciPy makes."""
    if not isinstance(X, np.ndarray) or X.ndim != 1 or X.dtype.kind not in "iuf" or len(X) < 3:
        return
    n = n_of_pairs(len(X))
    if n is not None:
        raise ValueError(
            f"{name} is a vector of {len(X)} numbers, as many as {n} points have pairs. If these "
            f"are condensed distances, write scipy.spatial.distance.squareform({name}) and "
            f'metric="precomputed"; for {len(X)} points on a line write {name}.reshape(-1, 1).'
        )


def warn_of_distances(table: FloatArray) -> None:
    """LookalikeWarning for a square table that looks like a matrix of distances; O(n²)."""
    n = len(table)
    if table.shape != (n, n) or not _may_be_distances(table):
        return
    half = empty_half(table)
    if half is not None:
        warnings.warn(
            f"X is a square table of which the {half} half and the diagonal are zero, like one "
            "half of a matrix of distances, and its rows are compared as points. If it holds "
            'distances, write X + X.T and metric="precomputed".',
            LookalikeWarning,
            stacklevel=2,
        )
    elif np.allclose(table, table.T, rtol=0.0, atol=ROUNDING * float(table.max())):
        warnings.warn(
            f"X is a symmetric {n} x {n} table with zeros on its diagonal, like a matrix of "
            "distances, and its rows are compared as points. If it holds distances, write "
            'metric="precomputed"; if it is the adjacency matrix of a network, use GraphKGroups '
            "(kgroups communities).",
            LookalikeWarning,
            stacklevel=2,
        )


def warn_of_distances_for_kernel(gram: FloatArray) -> None:
    """LookalikeWarning for a symmetric matrix of similarities that looks like distances; O(n²)."""
    if _may_be_distances(gram):
        warnings.warn(
            'metric="precomputed_kernel" takes similarities, and X has zeros on its diagonal and '
            "no negative entry, like a matrix of distances, so the points least alike would be put "
            'together. If it holds distances, write metric="precomputed"; if it is the adjacency '
            "matrix of a network, use GraphKGroups (kgroups communities).",
            LookalikeWarning,
            stacklevel=2,
        )


def _may_be_distances(square: FloatArray) -> bool:
    """Whether a matrix has zeros on its diagonal and positive entries, up to rounding."""
    if len(square) < _LEAST_SQUARE:
        return False
    rounding = ROUNDING * float(square.max())
    if np.abs(np.diagonal(square)).max() > rounding or square.min() < -rounding:
        return False
    return bool(square.any())


def warn_of_suspicion(semimetric: Semimetric, table: FloatArray, names: list[str] | None) -> None:
    """LookalikeWarning for numbers that look like others than the semimetric compares."""
    if said := semimetric.suspicion(table, names):
        warnings.warn(said, LookalikeWarning, stacklevel=2)


def warn_of_identifiers(
    table: FloatArray, names: list[str] | None, categories: Collection[int]
) -> None:
    """LookalikeWarning for a column of a frame that counts or names rows and measures nothing.

    The codes of ``categories`` are not numbers of the frame.
    """
    if names is None or len(names) < 2 or len(table) < _LEAST_ROWS:
        return
    for column, name in enumerate(names):
        found = None if column in categories else looks_like(table[:, column], str(name))
        if found is not None:
            warnings.warn(
                f"column {name!r} of X looks like {found}, and it is compared like any other; "
                "drop it if it is one, or choose columns by kgroups.semimetrics.ColumnSum.",
                LookalikeWarning,
                stacklevel=2,
            )
