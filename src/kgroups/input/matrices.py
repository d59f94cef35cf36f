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


class _Flaw(NamedTuple):
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
    flaws = [(_most_negative(rho), "Negative values in data: X must hold distances")]
    what = "distances, which are not negative"
    if reset:
        what = "a symmetric matrix of distances with zeros on its diagonal"
        own = "X must hold distances, which are 0 from a point to itself"
        flaws.append((_far_from_itself(rho), own))
    for flaw, found in flaws:
        entry = f"row {flaw.row}, column {flaw.column} is {rho[flaw.row, flaw.column]:.6g}"
        instead = 'For a Gram matrix use metric="precomputed_kernel".'
        _refuse(flaw, rho, ROUNDING, f"{found}; {entry}. {instead}")
    sizes = [flaw.size for flaw, _ in flaws]
    if reset:
        sizes.append(_asymmetry(rho, "distances", ROUNDING).size)
    if not any(sizes):
        return rho
    _say_rounding(max(sizes), rho, what)
    clean = _symmetrized(rho) if reset else rho.copy()
    if reset:
        np.fill_diagonal(clean, 0)
    return np.maximum(clean, 0, out=clean)


def check_made_distances(rho: FloatArray, semimetric: Semimetric) -> None:
    """Check what a user's semimetric made: symmetric, zero inside, not negative if it says so."""
    try:
        _asymmetry(rho, "distances", _unsaid(rho))
    except ValueError as error:
        raise ValueError(f"{semimetric!r}.pairwise: {error}") from error
    flaws = [(_far_from_itself(rho), "a row is at 0 from itself, row {} too")]
    if semimetric.is_negative_type:
        flaws.append((_most_negative(rho), "a distance is not negative"))
    for flaw, what in flaws:
        i, j = flaw.row, flaw.column
        found = f"{semimetric!r} gives {rho[i, j]:.6g} between rows {i} and {j}"
        _refuse(flaw, rho, _UNSAID, f"{found}; {what.format(i)}.")


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
    asymmetry = _asymmetry(gram, "similarities", ROUNDING)
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
    asymmetry = _Flaw(float(gaps.data[worst]), int(gaps.row[worst]), int(gaps.col[worst]))
    _refuse(asymmetry, gram, ROUNDING, _not_symmetric(gram, asymmetry, "similarities"))
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


def _refuse(flaw: _Flaw, matrix: Any, tolerance: float, message: str) -> None:
    """ValueError for more than rounding, relative to the largest entry."""
    if flaw.size > tolerance * _largest(matrix):
        raise ValueError(message)


def _most_negative(rho: FloatArray) -> _Flaw:
    least = float(rho.min())
    return _Flaw(max(0.0, -least), *divmod(int(rho.argmin()), int(rho.shape[1])))


def _far_from_itself(rho: FloatArray) -> _Flaw:
    diagonal = np.abs(np.diagonal(rho))
    point = int(diagonal.argmax())
    return _Flaw(float(diagonal[point]), point, point)


def _asymmetry(matrix: FloatArray, what: str, tolerance: float) -> _Flaw:
    """The entry that differs most from the one across the diagonal, if it is only rounding."""
    worst = _Flaw(0.0, 0, 0)
    for a in range(0, len(matrix), _STRIP):  # strips, so that no second n × n array is made
        gap = np.abs(matrix[a : a + _STRIP] - matrix[:, a : a + _STRIP].T)
        if gap.max() > worst.size:
            i, j = divmod(int(gap.argmax()), gap.shape[1])
            worst = _Flaw(float(gap.max()), a + i, j)
    _refuse(worst, matrix, tolerance, _not_symmetric(matrix, worst, what))
    return worst


def _not_symmetric(matrix: Any, flaw: _Flaw, what: str) -> str:
    i, j = flaw.row, flaw.column
    return (
        f"X must be a symmetric matrix of {what}; entries ({i}, {j}) and ({j}, {i}) are "
        f"{matrix[i, j]:.6g} and {matrix[j, i]:.6g}, {flaw.size:.3g} apart. If both directions "
        "count, write (X + X.T) / 2; if one half is empty, fill it."
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
