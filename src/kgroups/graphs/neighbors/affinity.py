r"""Weights between nearest neighbors that are on the scale of either row.

.. math:: w_{ij} = e^{-4 d_{ij}^2 / (σ_i σ_j)}

σ is the distance to the last of the neighbors that are asked for: rows in dense and in sparse
places have neighbors alike [ZP]. Towards that neighbor the weight has fallen to e⁻⁴.

[ZP]: L. Zelnik-Manor and P. Perona, "Self-tuning spectral clustering", NIPS 17 (2004).
"""

import numpy as np
from scipy.sparse import csr_array

from kgroups.graphs.neighbors.nearest import Nearest, nearest_rows
from kgroups.input.adjacency import like, rows_of
from kgroups.typing import Float64Array

#: What d²/(σσ) is multiplied by.
SHARPNESS = 4.0
# So small a weight is no longer told from none by the sums of others.
_FAINT = 1e-30


def neighbor_graph(X: Float64Array, n_neighbors: int, n_jobs: int = 1) -> csr_array:
    """The affinity of rows that are different from each other, symmetric, (n, n).

    An edge joins two rows if one is among the ``n_neighbors`` nearest of the other. O(n log n) in
    few dimensions, O(n²) in many; at most 2n n_neighbors entries.

    Examples
    --------
    >>> line = np.array([[0.0], [1.0], [3.0]])
    >>> neighbor_graph(line, 1).toarray().round(4).tolist()  # e⁻⁴, and e^(-4·4/(1·2))
    [[0.0, 0.0183, 0.0], [0.0183, 0.0, 0.0003], [0.0, 0.0003, 0.0]]
    """
    return affinity(nearest_rows(X, min(n_neighbors, len(X) - 1), n_jobs))


def affinity(near: Nearest) -> csr_array:
    """The weights on the scale of both rows."""
    return weighted(near.lengths(), near.distances[:, -1], 1.0)


def weighted(lengths: csr_array, scales: Float64Array, local: float) -> csr_array:
    """Weights exp(−4 d²/(σᵢσⱼ)) with σ = s^local g^(1−local), g the geometric mean of scales s."""
    common = np.exp(np.log(scales).mean())
    scale = common * (scales / common) ** local
    exponents = SHARPNESS * lengths.data**2 / (scale[rows_of(lengths)] * scale[lengths.indices])
    return like(lengths, np.maximum(np.exp(-exponents), _FAINT))
