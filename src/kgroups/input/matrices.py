"""Matrices between points, checked: distances and similarities, dense and sparse."""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array, issparse, tril, triu
from sklearn.utils.validation import validate_data

from kgroups.input.frames import column_label, column_values, feature_names, text_cell
from kgroups.input.lookalikes import (
    refuse_condensed,
    refuse_half,
    refuse_lookalikes,
    warn_of_distances_for_kernel,
)
from kgroups.input.matrix_names import in_order_of_fit, in_order_of_rows, places_by_name
from kgroups.input.sparse_matrices import sound
from kgroups.input.sparse_tables import refuse_sparse_frame
from kgroups.input.tables import FLOATS, check_finite, refuse_repeated
from kgroups.input.wrong_kinds import refuse_other_shapes
from kgroups.semimetrics.semimetric import ROUNDING, Semimetric
from kgroups.text import quoted
from kgroups.typing import FloatArray

_NO_GAPS = (
    "A matrix between points has no gaps: compute this entry, or leave the point out, its row and "
    "its column."
)
# Relative to the largest entry: rounding of float64, which needs no word.
_UNSAID = 1e-10
# A sum with weights up to 2, of which differences of four are taken.
_LARGEST_SUM = float(np.finfo(np.float64).max) / 16
# Rows of a matrix that are compared with its columns at a time.
_STRIP = 256


@dataclass(frozen=True)
class _Excess:
    """The entry of a matrix that is furthest from what it should be, and by how much."""

    size: float
    row: int
    column: int


def check_distances(estimator: Any, X: Any, *, reset: bool) -> FloatArray:
    """A square matrix of distances, or distances from new points to the training points.

    Rounding up to 1e-5 of the largest entry is removed in a copy: the mean of the two triangles,
    zeros on the diagonal and for negative entries. More than 1e-10 in float64 gives a warning.
    """
    rho = _matrix(estimator, X, "precomputed", "distances", reset=reset)
    limit = ROUNDING * _largest(rho)
    negative = _most_negative(rho)
    if negative.size > limit:
        raise ValueError(
            f"Negative values in data: X must hold distances; row {negative.row}, column "
            f"{negative.column} is {rho[negative.row, negative.column]:.6g}. For a Gram matrix use "
            'metric="precomputed_kernel".'
        )
    if not reset:
        return _without_rounding(rho, [negative]) if negative.size else rho
    asymmetry, own = _asymmetry(rho), _far_from_itself(rho)
    _refuse_asymmetry(rho, asymmetry, "distances")
    if own.size > limit:
        raise ValueError(
            f"X must hold distances, which are 0 from a point to itself; entry "
            f"({own.row}, {own.row}) is {rho[own.row, own.row]:.6g}. For a Gram matrix use "
            'metric="precomputed_kernel"; for rounding write numpy.fill_diagonal(X, 0).'
        )
    flaws = [negative, asymmetry, own]
    return _without_rounding(rho, flaws) if any(flaw.size for flaw in flaws) else rho


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

    An asymmetry up to 1e-5 of the largest entry is rounding, see :func:`check_distances`.
    """
    if issparse(X):
        return _check_sparse_kernel(estimator, X, reset=reset)
    gram = _matrix(estimator, X, "precomputed_kernel", "similarities", reset=reset)
    if not reset:
        return gram
    _check_sums(_largest(gram), len(gram))
    asymmetry = _asymmetry(gram)
    _refuse_asymmetry(gram, asymmetry, "similarities")
    warn_of_distances_for_kernel(gram)
    if not asymmetry.size:
        return gram
    _say_rounding(asymmetry.size, _largest(gram), _unsaid(gram), "a symmetric matrix")
    return _symmetrized(gram)


def _most_negative(rho: FloatArray) -> _Excess:
    """The entry that is furthest below zero."""
    least = float(rho.min())
    if least >= 0:
        return _Excess(0.0, 0, 0)
    return _Excess(-least, *divmod(int(rho.argmin()), int(rho.shape[1])))


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
    matrix: FloatArray, asymmetry: _Excess, what: str, tolerance: float = ROUNDING
) -> None:
    if asymmetry.size > tolerance * _largest(matrix):
        i, j = asymmetry.row, asymmetry.column
        raise ValueError(
            f"X must be a symmetric matrix of {what}; entries ({i}, {j}) and ({j}, {i}) are "
            f"{matrix[i, j]:.6g} and {matrix[j, i]:.6g}, {asymmetry.size:.3g} apart. "
            "If both directions count, write (X + X.T) / 2."
        )


def _largest(matrix: FloatArray) -> float:
    """The largest absolute value, computed without a second matrix."""
    return max(float(matrix.max()), -float(matrix.min()))


def _unsaid(matrix: FloatArray) -> float:
    """Rounding of the type of the entries, relative to the largest of them."""
    return _UNSAID if matrix.dtype == np.float64 else ROUNDING


def _without_rounding(rho: FloatArray, flaws: list[_Excess]) -> FloatArray:
    """A copy without the flaws of rounding; those of a square matrix if there are several."""
    worst = max(flaw.size for flaw in flaws)
    if len(flaws) == 1:
        _say_rounding(worst, _largest(rho), _unsaid(rho), "distances, which are not negative")
        return np.maximum(rho, 0)
    what = "a symmetric matrix of distances with zeros on its diagonal"
    _say_rounding(worst, _largest(rho), _unsaid(rho), what)
    clean = _symmetrized(rho)
    np.fill_diagonal(clean, 0)
    return np.maximum(clean, 0, out=clean)


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


def _say_rounding(size: float, largest: float, unsaid: float, what: str) -> None:
    if size > unsaid * largest:
        warnings.warn(
            f"X differs from {what} by up to {size:.3g}, next to entries up to {largest:.3g}; this "
            "was treated as rounding and removed in a copy.",
            UserWarning,
            stacklevel=2,
        )


def _check_sparse_kernel(estimator: Any, X: Any, *, reset: bool) -> csr_array:
    """The same from a sparse matrix; entries that are stored twice are added."""
    matrix = csr_array(
        validate_data(
            estimator,
            sound(X, "X"),
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
    _check_sums(float(np.abs(matrix.data).max(initial=0.0)), matrix.shape[0])
    return _symmetric_sparse(matrix)


def _symmetric_sparse(matrix: csr_array) -> csr_array:
    """A square sparse matrix without the asymmetry of rounding."""
    if matrix.shape[0] != matrix.shape[1]:
        raise ValueError(
            'metric="precomputed_kernel": X must be a square matrix of similarities; got shape '
            f"{matrix.shape}."
        )
    gaps = abs(matrix - matrix.T).tocoo()
    if not gaps.nnz or gaps.data.max() == 0:
        return matrix
    largest, worst = float(np.abs(matrix.data).max()), int(gaps.data.argmax())
    size, i, j = float(gaps.data[worst]), int(gaps.row[worst]), int(gaps.col[worst])
    if not triu(matrix, 1).nnz or not tril(matrix, -1).nnz:
        raise ValueError(
            "X must be a symmetric matrix of similarities, and only one half of it has entries; "
            "fill it by X = X + X.T - scipy.sparse.diags(X.diagonal())."
        )
    if size > ROUNDING * largest:
        raise ValueError(
            f"X must be a symmetric matrix of similarities; entries ({i}, {j}) and ({j}, {i}) are "
            f"{size:.3g} apart. If both directions count, write (X + X.T) / 2; for a directed "
            "network use GraphKGroups."
        )
    _say_rounding(size, largest, _UNSAID, "a symmetric matrix")
    return csr_array(0.5 * matrix + 0.5 * matrix.T)


def _matrix(estimator: Any, X: Any, metric: str, what: str, *, reset: bool) -> FloatArray:
    if issparse(X):
        raise TypeError(
            "Sparse data was passed for X, but dense data is required: use X.toarray()."
        )
    refuse_sparse_frame(X)
    refuse_lookalikes(X)
    if reset:
        refuse_condensed(X)
    refuse_other_shapes(X)
    refuse_repeated(X)
    _refuse_names(X, metric, what)
    if reset:
        X = in_order_of_rows(X)
    elif hasattr(X, "columns") and hasattr(estimator, "feature_names_in_"):
        X = in_order_of_fit(X, estimator.feature_names_in_)
    matrix = np.asarray(
        validate_data(estimator, X, reset=reset, dtype=FLOATS, order="C", ensure_all_finite=False)
    )
    if reset:
        refuse_half(matrix, metric)
    check_finite(matrix, None, advice=_NO_GAPS)
    if reset and matrix.shape[0] != matrix.shape[1]:
        one_more = matrix.shape[1] == matrix.shape[0] + 1
        advice = _index_advice(X) if one_more else f'For a table of features drop metric="{metric}"'
        raise ValueError(
            f'metric="{metric}": X must be a square matrix of {what}; got shape {matrix.shape}. '
            f"{'If the first column holds the names of the rows, ' * one_more}{advice}."
        )
    return matrix


def _refuse_names(X: Any, metric: str, what: str) -> None:
    """ValueError for text in a matrix, as in a column of names next to the numbers."""
    if isinstance(X, np.ndarray) and X.dtype.kind in "iufbc":
        return
    cell = text_cell(X)
    if cell is None or not isinstance(cell[2], str):
        return
    row, column, value = cell
    raise ValueError(
        f'metric="{metric}": X must hold only {what}; {column_label(column, feature_names(X))} '
        f"holds text, {quoted(value)} in row {row}. If these are names of the rows, "
        f"{_index_advice(X, column)}."
    )


def _index_advice(X: Any, column: int = 0) -> str:
    """How a column of names is kept out of a matrix."""
    if not hasattr(X, "columns"):
        return f"leave the column out: numpy.delete(X, {column}, axis=1).astype(float)"
    others = list(X.columns)
    name = others.pop(column)
    if not hasattr(X, "iloc"):
        rows = [str(row) for row in column_values(X, column).tolist()]
        if places_by_name(rows, others) not in (None, list(range(len(rows)))):
            return f"write X.select(X[{name!r}].to_list()), which has their order"
        return f"leave the column out: X.drop({name!r})"
    return (
        f"make them the index: pandas.read_csv(path, index_col={column}), or X.set_index({name!r})"
    )
