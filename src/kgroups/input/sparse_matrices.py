"""Sparse matrices whose indices can be trusted, because compiled code reads where they point."""

from typing import Any

import numpy as np
from scipy.sparse import coo_array, coo_matrix

from kgroups.typing import SparseMatrix


def sound(A: Any, name: str, dtype: Any = np.float64) -> SparseMatrix:
    """The same entries in a new object whose every index was checked; in their type for None.

    A new object, because SciPy's checks write to the object they check; arrays are shared where
    they can be. Small integers become float64 before repeated entries are added, because they would
    overflow. ValueError if indices are not integers or point outside the matrix, TypeError for
    complex numbers. One pass.
    """
    if A.dtype.kind == "c":
        raise TypeError(f"{name} holds complex numbers; write {name}.real.")
    try:
        if isinstance(A, (coo_array, coo_matrix)):
            return coo_array((A.data.astype(dtype or A.dtype), (A.row, A.col)), shape=A.shape)
        if A.format not in ("csr", "csc", "bsr"):
            A = A.tocsr()
        if A.indices.dtype.kind not in "iu" or A.indptr.dtype.kind not in "iu":
            raise ValueError("its indices are not integers")
        own = type(A)((A.data, A.indices, A.indptr), shape=A.shape)
        own.check_format(full_check=True)
    except (ValueError, IndexError) as error:
        raise ValueError(f"{name} is a damaged sparse matrix: {error}.") from error
    checked: SparseMatrix = own.astype(dtype or A.dtype, copy=False)
    return checked
