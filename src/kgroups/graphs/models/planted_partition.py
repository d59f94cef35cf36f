"""The planted partition: equal communities with a given share of the edges inside them."""

import numpy as np
from scipy.sparse import csr_array

from kgroups.graphs.models.model_parameters import check_share_of_edges, check_size
from kgroups.graphs.models.random_edges import block_graph
from kgroups.typing import IntArray, RandomStateLike


def planted_partition(
    n: int, k: int, degree: float, inside: float, *, random_state: RandomStateLike = None
) -> tuple[csr_array[np.float64], IntArray]:
    r"""Draw a block model of equal communities with a given share of the edges inside them.

    .. math:: P(A_{ij} = 1) = \min(1, c/n), \qquad
              c = \begin{cases} skd & z_i = z_j \\ (1-s)kd/(k-1) & z_i \ne z_j \end{cases}

    O(m + n) memory and O(m + n log n) time for m ≈ nd/2 edges. Both d and s hold in expectation up
    to terms of order k/n, unless skd > n: the probability is then cut at 1.

    Parameters
    ----------
    n, k, degree, random_state
        The same as for :func:`stochastic_block_model`.
    inside : float
        Share s of the edges inside communities, in [0, 1]; 1/k means no structure at all.

    Returns
    -------
    A, labels : csr_array (n, n), array (n,)
        The same as from :func:`stochastic_block_model` with ``balanced=True``; A has no loops.

    Raises
    ------
    ValueError
        If a parameter is out of its range, or ``inside`` is below 1 for a single community.

    Examples
    --------
    >>> A, labels = planted_partition(10_000, 5, 20, 0.7, random_state=0)
    >>> rows, columns = A.nonzero()
    >>> print(f"{(labels[rows] == labels[columns]).mean():.2f}")
    0.70

    References
    ----------
    A. Condon and R. M. Karp, "Algorithms for graph partitioning on the planted partition model",
    Random Structures & Algorithms 18 (2001).
    """
    n, k, degree = check_size(n, k, degree)
    share = check_share_of_edges(inside, "inside")
    if k == 1 and share < 1:
        raise ValueError(f"inside={inside} needs k >= 2; with one community use inside=1.")
    rates = (share * k * degree / n, (1 - share) * k * degree / (max(k - 1, 1) * n))
    return block_graph(n, k, rates, random_state)
