"""Matrices between points, checked: distances and similarities, dense and sparse."""

from typing import Any

import numpy as np
from scipy.sparse import csr_array, issparse
from sklearn.utils.validation import validate_data

from kgroups.input.tables import FLOATS, check_finite
from kgroups.semimetrics.semimetric import Semimetric
from kgroups.typing import FloatArray

# A matrix whose two triangles differ by less than this, relative to its largest entry, was
# symmetric before rounding.
_SYMMETRY = 1e-10


def check_distances(estimator: Any, X: Any, *, reset: bool) -> FloatArray:
    """A square matrix of distances, or distances from new points to the training points."""
    rho = _matrix(estimator, X, "precomputed", "distances", reset=reset)
    negative = _most_negative(rho)
    if negative is not None:
        raise ValueError(
            f"Negative values in data: X must hold distances; row {negative[0]}, column "
            f"{negative[1]} is {rho[negative]:.6g}. For a Gram matrix use "
            'metric="precomputed_kernel".'
        )
    if reset:
        _check_symmetric(rho, "distances")
        point = _far_from_itself(rho)
        if point is not None:
            raise ValueError(
                f"X must hold distances, which are 0 from a point to itself; entry "
                f"({point}, {point}) is {rho[point, point]:.6g}. For a Gram matrix use "
                'metric="precomputed_kernel"; for rounding write numpy.fill_diagonal(X, 0).'
            )
    return rho


def check_made_distances(rho: FloatArray, semimetric: Semimetric) -> None:
    """Check what a user's semimetric made: symmetric, zero inside, not negative if it says so."""
    try:
        _check_symmetric(rho, "distances")
    except ValueError as error:
        raise ValueError(f"{semimetric!r}.pairwise: {error}") from error
    row = _far_from_itself(rho)
    if row is not None:
        raise ValueError(
            f"{semimetric!r} gives row {row} the distance {rho[row, row]:.6g} to itself; "
            "it must be 0."
        )
    negative = _most_negative(rho) if semimetric.is_negative_type else None
    if negative is not None:
        raise ValueError(
            f"{semimetric!r} gives {rho[negative]:.6g} between rows {negative[0]} and "
            f"{negative[1]}; a distance is not negative."
        )


def _most_negative(rho: FloatArray) -> tuple[int, int] | None:
    """Where a matrix is below zero by more than rounding."""
    if rho.min() >= -_rounding(rho):
        return None
    return divmod(int(rho.argmin()), int(rho.shape[1]))


def _far_from_itself(rho: FloatArray) -> int | None:
    """The point whose distance to itself is more than rounding."""
    diagonal = np.abs(np.diagonal(rho))
    return int(diagonal.argmax()) if diagonal.max() > _rounding(rho) else None


def _rounding(matrix: FloatArray) -> float:
    """Tolerance for rounding, relative to the largest entry; computed without a second matrix."""
    return _SYMMETRY * max(float(matrix.max()), -float(matrix.min()))


def check_kernel(estimator: Any, X: Any, *, reset: bool) -> FloatArray | csr_array:
    """A square symmetric Gram matrix, or similarities of new points with the training points."""
    if issparse(X):
        return _check_sparse_kernel(estimator, X, reset=reset)
    gram = _matrix(estimator, X, "precomputed_kernel", "similarities", reset=reset)
    if reset:
        _check_symmetric(gram, "similarities")
    return gram


def _check_sparse_kernel(estimator: Any, X: Any, *, reset: bool) -> csr_array:
    """The same from a sparse matrix; entries that are stored twice are added."""
    matrix = csr_array(
        validate_data(
            estimator,
            X,
            reset=reset,
            dtype=np.float64,
            accept_sparse="csr",
            ensure_all_finite=False,
        )
    ).copy()
    matrix.sum_duplicates()
    if not np.isfinite(matrix.data).all():
        place = int(np.argmin(np.isfinite(matrix.data)))
        row = int(np.searchsorted(matrix.indptr, place, side="right")) - 1
        raise ValueError(
            f"Input X contains NaN or infinity in row {row}, column {matrix.indices[place]}."
        )
    if not reset:
        return matrix
    if matrix.shape[0] != matrix.shape[1]:
        raise ValueError(
            'metric="precomputed_kernel": X must be a square matrix of similarities; got shape '
            f"{matrix.shape}."
        )
    gaps = abs(matrix - matrix.T).tocoo()
    largest = float(np.abs(matrix.data).max(initial=0.0))
    if gaps.nnz and gaps.data.max() > _SYMMETRY * largest:
        worst = int(gaps.data.argmax())
        i, j = int(gaps.row[worst]), int(gaps.col[worst])
        raise ValueError(
            f"X must be a symmetric matrix of similarities; entries ({i}, {j}) and ({j}, {i}) are "
            f"{gaps.data[worst]:.3g} apart. If both directions count, write (X + X.T) / 2; for a "
            "directed network use GraphKGroups."
        )
    return matrix


def _matrix(estimator: Any, X: Any, metric: str, what: str, *, reset: bool) -> FloatArray:
    if issparse(X):
        raise TypeError(
            "Sparse data was passed for X, but dense data is required: use X.toarray()."
        )
    matrix = np.asarray(
        validate_data(estimator, X, reset=reset, dtype=FLOATS, order="C", ensure_all_finite=False)
    )
    check_finite(matrix, None)
    if reset and matrix.shape[0] != matrix.shape[1]:
        raise ValueError(
            f'metric="{metric}": X must be a square matrix of {what}; got shape {matrix.shape}. '
            f'For a table of features drop metric="{metric}".'
        )
    return matrix


def _check_symmetric(matrix: FloatArray, what: str) -> None:
    largest, worst, where = 0.0, 0.0, (0, 0)
    for a in range(0, len(matrix), 256):  # strips, so that no second n × n array is made
        strip = matrix[a : a + 256]
        gap = np.abs(strip - matrix[:, a : a + 256].T)
        largest = max(largest, float(np.abs(strip).max()))
        if gap.max() > worst:
            worst = float(gap.max())
            i, j = divmod(int(gap.argmax()), gap.shape[1])
            where = (a + i, j)
    rounding = _SYMMETRY if matrix.dtype == np.float64 else 1e-5
    if worst > rounding * largest:
        i, j = where
        raise ValueError(
            f"X must be a symmetric matrix of {what}; entries ({i}, {j}) and ({j}, {i}) are "
            f"{matrix[i, j]:.6g} and {matrix[j, i]:.6g}, {worst:.3g} apart. "
            "If both directions count, write (X + X.T) / 2."
        )
