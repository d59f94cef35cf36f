"""Some eigenpairs of a dense symmetric matrix, whatever its spectrum."""

from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, eigh

from kgroups.typing import Float64Array


def eigenpairs(matrix: Float64Array, first: int, last: int) -> tuple[Float64Array, Float64Array]:
    """The eigenvalues numbered first..last in ascending order, and their vectors. O(n³).

    LAPACK's quickest driver, for a part of the spectrum, may fail or return fewer of them where
    many eigenvalues are equal, as those of a complete graph are. QR steps then compute all.
    """
    try:
        found: Any = eigh(matrix, subset_by_index=[first, last])
    except LinAlgError:
        found = None
    if found is None or len(found[0]) != last - first + 1:
        values, vectors = eigh(matrix, driver="ev")
        found = values[first : last + 1], vectors[:, first : last + 1]
    return np.asarray(found[0]), np.asarray(found[1])
