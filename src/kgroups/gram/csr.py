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

    indptr: NDArray[np.signedinteger]  # (n + 1,) in 32 or 64 bits
    indices: NDArray[np.signedinteger]  # (nnz,) in as many
    data: Float64Array  # (nnz,)
    n_columns: int

    @classmethod
    def of(
        cls, indptr: NDArray[Any], indices: NDArray[Any], data: NDArray[Any], n_columns: int
    ) -> Csr:
        """The entries after one check of all indices, which compiled loops then rely on."""
        indptr = indptr.astype(indices.dtype, copy=False)
        kernels.check_csr(indptr, indices, n_columns)
        return cls(indptr, indices, data.astype(np.float64, copy=False), n_columns)


def contract(S: Csr, share: Float64Array, groups: IntArray, n_groups: int) -> csr_array:
    """Σ_{x ∈ a, y ∈ b} share_x share_y S_xy for groups a and b. O(nnz)."""
    starts = np.empty(n_groups + 1, S.indptr.dtype)
    columns, sums = np.empty_like(S.indices), np.empty_like(S.data)
    size = kernels.contract(S, share, groups, starts, columns, sums)
    return csr_array((sums[:size].copy(), columns[:size].copy(), starts), shape=(n_groups,) * 2)
