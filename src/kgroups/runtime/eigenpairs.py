"""Eigenpairs of symmetric matrices; the length of every eigenvector is checked.

LAPACK's driver for a part of the spectrum has been seen to return columns of zeros as eigenvectors
and to report success, in a library that is widely installed. k-means on such columns, or a sketch
made of them, would be wrong without a word. A look at the lengths takes O(nm) time.
"""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, eigh
from scipy.sparse.linalg import eigsh

from kgroups.exceptions import EigenvectorError
from kgroups.typing import Float64Array

# A lost eigenvector has length zero. Rounding in float32, and loose tolerances of Lanczos
# iterations, leave lengths within a thousandth of one.
_OFF = 0.1

_ADVICE = (
    "The library of linear algebra behind numpy or scipy may be defective. Update them, or set "
    "OMP_NUM_THREADS=1 and MKL_NUM_THREADS=1 before Python starts."
)

_Pairs = tuple[Float64Array, Float64Array]


def eigenpairs(matrix: Float64Array, first: int, last: int) -> _Pairs:
    """The eigenvalues numbered first..last of a dense matrix, ascending, and their vectors. O(n³).

    LAPACK's quickest driver, for a part of the spectrum, may fail or return fewer of them where
    many eigenvalues are equal, as those of a complete graph are. QR steps then compute all.

    Raises
    ------
    EigenvectorError
        If both drivers lose eigenvectors; a warning tells if the first one does.
    """

    def some() -> Any:
        return eigh(matrix, subset_by_index=[first, last])

    def of_all() -> Any:
        values, vectors = eigh(matrix, driver="ev")
        return values[first : last + 1], vectors[:, first : last + 1]

    return _sound(last - first + 1, some, of_all)


def all_eigenpairs(matrix: Float64Array) -> _Pairs:
    """All eigenvalues of a dense matrix, ascending, and their vectors. O(n³).

    Raises
    ------
    EigenvectorError
        As for :func:`eigenpairs`.
    """
    return _sound(len(matrix), lambda: eigh(matrix), lambda: eigh(matrix, driver="ev"))


def eigenvalues(matrix: Float64Array) -> Float64Array:
    """All eigenvalues of a dense matrix, ascending. O(n³), as for a part of them.

    By QR steps, because the driver for a part may fail where many eigenvalues are equal.

    Raises
    ------
    ValueError
        For NaN or infinity, of which LAPACK may make any number.

    Examples
    --------
    >>> eigenvalues(np.diag([3.0, 1.0, 2.0])).tolist()
    [1.0, 2.0, 3.0]
    """
    try:
        return np.asarray(np.linalg.eigvalsh(np.asarray_chkfinite(matrix)))
    except LinAlgError:
        return all_eigenpairs(matrix)[0]


def eigenpairs_by_division(matrix: Float64Array) -> _Pairs:
    """All of them by divide and conquer, which is quickest for matrices of up to some hundred rows.

    Raises
    ------
    EigenvectorError
        As for :func:`eigenpairs`.
    """
    return _sound(len(matrix), lambda: np.linalg.eigh(matrix), lambda: eigh(matrix, driver="ev"))


def lanczos_eigenpairs(operator: Any, count: int, **options: Any) -> _Pairs:
    """What ``scipy.sparse.linalg.eigsh`` finds with these options.

    Raises
    ------
    EigenvectorError
        If eigenvectors are lost.
    ArpackError, ArpackNoConvergence
        If the iterations fail.
    """
    values, vectors = eigsh(operator, count, **options)
    require_unit(vectors, "scipy.sparse.linalg.eigsh")
    return np.asarray(values), np.asarray(vectors)


def lanczos_eigenvalues(operator: Any, count: int, **options: Any) -> Float64Array:
    """The same without eigenvectors."""
    return np.asarray(eigsh(operator, count, return_eigenvectors=False, **options))


def require_unit(vectors: Float64Array, solver: str) -> None:
    """Raise an error if the length of an eigenvector is not one.

    Raises
    ------
    EigenvectorError
        The message names the solver, and says how many are lost and what may help.

    Examples
    --------
    >>> require_unit(np.eye(3), "a solver")
    >>> require_unit(np.zeros((3, 2)), "a solver")
    Traceback (most recent call last):
    kgroups.exceptions.EigenvectorError: a solver reported success but lost 2 of 2 eigenvectors, \
and nothing was computed from them. ...
    """
    if (lost := n_lost(vectors)) > 0:
        raise EigenvectorError(
            f"{solver} reported success but lost {lost} of {vectors.shape[1]} eigenvectors, and "
            f"nothing was computed from them. {_ADVICE}"
        )


def n_lost(vectors: Float64Array) -> int:
    """The number of columns whose length is not one."""
    lengths = np.sqrt(np.einsum("ij,ij->j", vectors, vectors))
    return int(np.count_nonzero(~(np.abs(lengths - 1.0) <= _OFF)))  # NaN is wrong, too


def _sound(count: int, quick: Callable[[], Any], sure: Callable[[], Any]) -> _Pairs:
    """The eigenpairs of the quick driver where it finds all of them, else of the sure one."""
    try:
        values, vectors = quick()
        lost = n_lost(vectors)
        if len(values) == count and not lost:
            return np.asarray(values), np.asarray(vectors)
    except LinAlgError:
        lost = 0
    values, vectors = sure()
    require_unit(vectors, "LAPACK's slower driver, after another one had failed,")
    if lost:
        warnings.warn(
            f"LAPACK reported success but lost {lost} of {count} eigenvectors. They were computed "
            f"again by another driver, and the result is sound. {_ADVICE}",
            UserWarning,
            stacklevel=4,
        )
    return np.asarray(values), np.asarray(vectors)
