"""Sparse matrices as compiled loops read them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from kgroups.native import kernels
from kgroups.typing import Float64Array, IntArray


class Csr(NamedTuple):
    """A matrix in compressed rows, whose indices are checked when it is made."""

    indptr: IntArray  # (n + 1,)
    indices: NDArray[np.int32]  # (nnz,)
    data: Float64Array  # (nnz,)
    n_columns: int

    @classmethod
    def of(
        cls, indptr: NDArray[Any], indices: NDArray[Any], data: NDArray[Any], n_columns: int
    ) -> Csr:
        """The entries after one check of all indices, which compiled loops then rely on."""
        if n_columns > np.iinfo(np.int32).max:
            raise ValueError(f"a sparse matrix has {n_columns} columns, more than 2^31 - 1")
        indptr, indices = np.ascontiguousarray(indptr, np.int64), np.ascontiguousarray(indices)
        kernels.check_csr(indptr, indices, n_columns)  # before one that does not fit would wrap
        indices = indices.astype(np.int32, copy=False)
        return cls(indptr, indices, np.ascontiguousarray(data, np.float64), n_columns)

    def matrix(self) -> csr_array:
        """As SciPy's, which has one type for all indices, the shorter one where they fit."""
        starts = self.indptr
        if len(self.data) <= np.iinfo(np.int32).max:
            starts = starts.astype(np.int32)
        shape = len(starts) - 1, self.n_columns
        return csr_array((self.data, self.indices, starts), shape=shape)


def contract(S: Csr, share: Float64Array, groups: IntArray, n_groups: int) -> csr_array:
    """Σ_{x ∈ a, y ∈ b} share_x share_y S_xy for groups a and b. O(nnz)."""
    starts = np.empty(n_groups + 1, np.int64)
    columns, sums = np.empty_like(S.indices), np.empty_like(S.data)
    size = kernels.contract(S, share, groups, starts, columns, sums)
    return Csr(starts, columns[:size].copy(), sums[:size].copy(), n_groups).matrix()
