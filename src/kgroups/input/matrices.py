"""Matrices between points, checked: distances and similarities, dense and sparse."""

import warnings
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array, issparse
from sklearn.utils.validation import validate_data

from kgroups.input.lookalikes import warn_of_distances_for_kernel
from kgroups.input.matrix_names import in_order_of_fit, in_order_of_rows
from kgroups.input.sparse_matrices import sound
from kgroups.input.tables import (
    FLOATS,
    check_finite,
    read_numbers,
    refuse_others,
)
from kgroups.semimetrics.semimetric import ROUNDING, Semimetric
from kgroups.typing import FloatArray

# Relative to the largest entry: rounding of float64, which needs no word.
_UNSAID = 1e-10
# A sum with weights up to 2, of which differences of four are taken.
_LARGEST_SUM = float(np.finfo(np.float64).max) / 16
# Rows of a matrix that are compared with its columns at a time.
_STRIP = 256


class _Excess(NamedTuple):
    """The entry of a matrix that is furthest from what it should be, and by how much."""

    size: float
    row: int
    column: int


def check_distances(estimator: Any, X: Any, *, reset: bool) -> FloatArray:
    """A square matrix of distances, or distances from new points to the training points.

    Rounding up to 1e-5 of the largest entry is removed in a copy: the mean of the two triangles,
    zeros on the diagonal and for negative entries. More than 1e-10 in float64 gives a warning.
    """
    rho = _matrix(estimator, X, "precomputed", reset=reset)
    limit = ROUNDING * _largest(rho)
    negative = _most_negative(rho)
    if negative.size > limit:
        raise ValueError(
            f"Negative values in data: X must hold distances; row {negative.row}, column "
            f"{negative.column} is {rho[negative.row, negative.column]:.6g}. For a Gram matrix use "
            'metric="precomputed_kernel".'
        )
    if not reset:
        if negative.size:
            _say_rounding(negative.size, rho, "distances, which are not negative")
        return np.maximum(rho, 0) if negative.size else rho
    asymmetry, own = _asymmetry(rho), _far_from_itself(rho)
    _refuse_asymmetry(rho, asymmetry, "distances")
    if own.size > limit:
        raise ValueError(
            f"X must hold distances, which are 0 from a point to itself; entry "
            f"({own.row}, {own.row}) is {rho[own.row, own.row]:.6g}. For a Gram matrix use "
            'metric="precomputed_kernel".'
        )
    worst = max(negative.size, asymmetry.size, own.size)
    if not worst:
        return rho
    _say_rounding(worst, rho, "a symmetric matrix of distances with zeros on its diagonal")
    clean = _symmetrized(rho)
    np.fill_diagonal(clean, 0)
    return np.maximum(clean, 0, out=clean)


def check_made_distances(rho: FloatArray, semimetric: Semimetric) -> None:
    """Check what a user's semimetric made: symmetric, zero inside, not negative if it says so."""
    limit = _UNSAID * _largest(rho)
    try:
        _refuse_asymmetry(rho, _asymmetry(rho), "distances", _unsaid(rho))
    except ValueError as error:
        raise ValueError(f"{semimetric!r}.pairwise: {error}") from error
    own = _far_from_itself(rho)
    if own.size > limit:
        raise ValueError(
            f"{semimetric!r} gives row {own.row} the distance {rho[own.row, own.row]:.6g} to "
            "itself; it must be 0."
        )
    negative = _most_negative(rho)
    if semimetric.is_negative_type and negative.size > limit:
        raise ValueError(
            f"{semimetric!r} gives {rho[negative.row, negative.column]:.6g} between rows "
            f"{negative.row} and {negative.column}; a distance is not negative."
        )


def check_kernel(estimator: Any, X: Any, *, reset: bool) -> FloatArray | csr_array:
    """A square symmetric Gram matrix, or similarities of new points with the training points.

    An asymmetry up to 1e-5 of the largest entry is rounding, see :func:`check_distances`. A sparse
    matrix stays sparse; entries that are stored twice are added.
    """
    if issparse(X):
        return _check_sparse_kernel(estimator, X, reset=reset)
    gram = _matrix(estimator, X, "precomputed_kernel", reset=reset)
    if not reset:
        return gram
    _check_sums(_largest(gram), len(gram))
    asymmetry = _asymmetry(gram)
    _refuse_asymmetry(gram, asymmetry, "similarities")
    warn_of_distances_for_kernel(gram)
    if not asymmetry.size:
        return gram
    _say_rounding(asymmetry.size, gram, "a symmetric matrix")
    return _symmetrized(gram)


def _check_sparse_kernel(estimator: Any, X: Any, *, reset: bool) -> csr_array:
    given = validate_data(
        estimator, sound(X, "X"), reset=reset, accept_sparse="csr", ensure_all_finite=False
    )
    gram = csr_array(given).copy()
    gram.sum_duplicates()
    check_finite(gram, None)
    if not reset:
        return gram
    _check_square(gram, "precomputed_kernel")
    _check_sums(float(np.abs(gram.data).max(initial=0.0)), gram.shape[0])
    gaps = abs(gram - gram.T).tocoo()
    if not gaps.nnz or gaps.data.max() == 0:
        return gram
    worst = int(gaps.data.argmax())
    asymmetry = _Excess(float(gaps.data[worst]), int(gaps.row[worst]), int(gaps.col[worst]))
    _refuse_asymmetry(gram, asymmetry, "similarities")
    _say_rounding(asymmetry.size, gram, "a symmetric matrix")
    return csr_array(0.5 * gram + 0.5 * gram.T)


def _matrix(estimator: Any, X: Any, metric: str, *, reset: bool) -> FloatArray:
    refuse_others(X)
    if reset:
        X = in_order_of_rows(X)
    elif hasattr(estimator, "feature_names_in_"):
        X = in_order_of_fit(X, estimator.feature_names_in_)
    matrix = read_numbers(estimator, X, FLOATS, "use it as the index of a frame", reset=reset)
    check_finite(matrix, None)
    if reset:
        _check_square(matrix, metric)
    return matrix


def _check_square(matrix: Any, metric: str) -> None:
    if matrix.shape[0] != matrix.shape[1]:
        raise ValueError(
            f'metric="{metric}": X must be a square matrix between points; got shape '
            f'{matrix.shape}. For a table of features drop metric="{metric}".'
        )


def _most_negative(rho: FloatArray) -> _Excess:
    least = float(rho.min())
    place = divmod(int(rho.argmin()), int(rho.shape[1])) if least < 0 else (0, 0)
    return _Excess(max(0.0, -least), *place)


def _far_from_itself(rho: FloatArray) -> _Excess:
    """The point whose distance to itself is largest, in absolute value."""
    diagonal = np.abs(np.diagonal(rho))
    point = int(diagonal.argmax())
    return _Excess(float(diagonal[point]), point, point)


def _asymmetry(matrix: FloatArray) -> _Excess:
    """The entry that differs most from the one across the diagonal."""
    worst = _Excess(0.0, 0, 0)
    for a in range(0, len(matrix), _STRIP):  # strips, so that no second n × n array is made
        gap = np.abs(matrix[a : a + _STRIP] - matrix[:, a : a + _STRIP].T)
        if gap.max() > worst.size:
            i, j = divmod(int(gap.argmax()), gap.shape[1])
            worst = _Excess(float(gap.max()), a + i, j)
    return worst


def _refuse_asymmetry(
    matrix: Any, asymmetry: _Excess, what: str, tolerance: float = ROUNDING
) -> None:
    if asymmetry.size > tolerance * _largest(matrix):
        i, j = asymmetry.row, asymmetry.column
        raise ValueError(
            f"X must be a symmetric matrix of {what}; entries ({i}, {j}) and ({j}, {i}) are "
            f"{matrix[i, j]:.6g} and {matrix[j, i]:.6g}, {asymmetry.size:.3g} apart. "
            "If both directions count, write (X + X.T) / 2; if one half is empty, fill it."
        )


def _largest(matrix: Any) -> float:
    """The largest absolute value, computed without a second matrix."""
    return max(float(matrix.max()), -float(matrix.min()))


def _unsaid(matrix: Any) -> float:
    """Rounding of the type of the entries, relative to the largest of them."""
    return _UNSAID if matrix.dtype == np.float64 else ROUNDING


def _check_sums(largest: float, n: int) -> None:
    """ValueError for similarities whose sums over all pairs may overflow."""
    if largest > _LARGEST_SUM / max(1, n) ** 2:
        raise ValueError(
            f"X holds similarities up to {largest:.3g}, and the sum over all pairs of {n} rows is "
            "not a finite number; divide X by its largest entry, which changes no cluster."
        )


def _symmetrized(matrix: FloatArray) -> FloatArray:
    """The mean of a matrix and its transpose, symmetric to the last bit."""
    mean = matrix.copy()
    for a in range(0, len(mean), _STRIP):
        upper, lower = mean[a : a + _STRIP, a:], mean[a:, a : a + _STRIP].T
        both = 0.5 * upper + 0.5 * lower
        upper[...], lower[...] = both, both
    return mean


def _say_rounding(size: float, matrix: Any, what: str) -> None:
    largest = _largest(matrix)
    if size > _unsaid(matrix) * largest:
        warnings.warn(
            f"X differs from {what} by up to {size:.3g}, next to entries up to {largest:.3g}; this "
            "was treated as rounding and removed in a copy.",
            UserWarning,
            stacklevel=2,
        )
