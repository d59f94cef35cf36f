"""Eigenpairs of symmetric matrices, each call with a check that every vector has length one.

LAPACK's quickest driver has been seen to return columns of zeros as eigenvectors and to report
success, in a library that is widely installed. k-means on such columns, or a sketch made of them,
would be wrong without a word. A look at the lengths takes O(nm) time, next to nothing.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, eigh
from scipy.sparse.linalg import eigsh

from kgroups.typing import Float64Array

# Rounding leaves lengths within some 1e-14 of one. An eigenvector that is missing has length zero.
_OFF = 1e-6

_Pairs = tuple[Float64Array, Float64Array]


class EigenvectorError(RuntimeError):
    """An eigensolver that reports success returned vectors that are none."""


def eigenpairs(matrix: Float64Array, first: int, last: int) -> _Pairs:
    """The eigenvalues numbered first..last of a dense matrix, ascending, and their vectors. O(n³).

    LAPACK's quickest driver, for a part of the spectrum, may fail or return fewer of them where
    many eigenvalues are equal, as those of a complete graph are. QR steps then compute all.

    Raises
    ------
    EigenvectorError
        If neither gives vectors of length one.
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


def small_eigenpairs(matrix: Float64Array) -> _Pairs:
    """The same for a matrix of some ten rows, for which divide and conquer is quickest.

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
        If a vector has not length one.
    ArpackError, ArpackNoConvergence
        If the iterations fail.
    """
    values, vectors = eigsh(operator, count, **options)
    require_unit(vectors, "scipy.sparse.linalg.eigsh")
    return np.asarray(values), np.asarray(vectors)


def require_unit(vectors: Float64Array, solver: str) -> None:
    """Raise an error if a column has not length one, which says how many there are.

    Raises
    ------
    EigenvectorError
        The message names the solver and says what may help.

    Examples
    --------
    >>> require_unit(np.eye(3), "a solver")
    >>> require_unit(np.zeros((3, 2)), "a solver")
    Traceback (most recent call last):
    kgroups.runtime.eigenpairs.EigenvectorError: a solver reported success, but 2 of its 2 \
eigenvectors do not have length one; the first of them has length 0. ...
    """
    lengths = np.sqrt(np.einsum("ij,ij->j", vectors, vectors))
    wrong = np.flatnonzero(~(np.abs(lengths - 1.0) <= _OFF))  # NaN is wrong, too
    if len(wrong):
        raise EigenvectorError(
            f"{solver} reported success, but {len(wrong)} of its {len(lengths)} eigenvectors do "
            f"not have length one; the first of them has length {lengths[wrong[0]]:.3g}. The "
            "library of linear algebra that numpy or scipy was built with is defective here: try "
            "another version of them, or a single thread (OMP_NUM_THREADS=1 MKL_NUM_THREADS=1)."
        )


def _sound(count: int, quick: Callable[[], Any], sure: Callable[[], Any]) -> _Pairs:
    """The eigenpairs of the quick driver where it finds all of them, else of the sure one."""
    try:
        values, vectors = quick()
        if len(values) == count:
            require_unit(vectors, "LAPACK")
            return np.asarray(values), np.asarray(vectors)
    except (LinAlgError, EigenvectorError):
        pass
    values, vectors = sure()
    require_unit(vectors, "LAPACK's driver of QR steps")
    return np.asarray(values), np.asarray(vectors)
