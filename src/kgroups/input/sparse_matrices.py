"""Sparse matrices whose indices can be trusted, because compiled code reads where they point."""

from typing import Any

import numpy as np
from scipy.sparse import coo_array, coo_matrix

from kgroups.typing import SparseMatrix


def sound(A: Any, name: str) -> SparseMatrix:
    """The same entries as float64 in a new object whose every index was checked.

    A new object, because SciPy's checks write to the object they check; arrays are shared where
    they can be. Small integers become float64 before repeated entries are added, because they would
    overflow. ValueError if indices are not integers or point outside the matrix, TypeError for
    complex numbers. One pass.
    """
    if A.dtype.kind == "c":
        raise TypeError(f"{name} holds complex numbers; write {name}.real.")
    try:
        return _checked(A)
    except (ValueError, IndexError) as error:
        raise ValueError(f"{name} is a damaged sparse matrix: {error}.") from error


def _checked(A: Any) -> SparseMatrix:
    if isinstance(A, (coo_array, coo_matrix)):
        return coo_array((A.data.astype(np.float64), (A.row, A.col)), shape=A.shape)
    if A.format not in ("csr", "csc", "bsr"):
        A = A.tocsr()
    if A.indices.dtype.kind not in "iu" or A.indptr.dtype.kind not in "iu":
        raise ValueError("its indices are not integers")
    own = type(A)((A.data, A.indices, A.indptr), shape=A.shape)
    own.check_format(full_check=True)
    checked: SparseMatrix = own.astype(np.float64, copy=False)
    return checked
