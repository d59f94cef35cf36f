"""The small benchmark of Girvan and Newman."""

import numpy as np
from scipy.sparse import csr_array

from kgroups.graphs.models.model_parameters import check_number, check_size
from kgroups.graphs.models.random_edges import block_graph
from kgroups.graphs.models.stochastic_block_model import stochastic_block_model
from kgroups.typing import IntArray, RandomStateLike


def girvan_newman_graph(
    snr: float | None = None,
    *,
    out_degree: float | None = None,
    n: int = 128,
    k: int = 4,
    degree: float = 16.0,
    balanced: bool = True,
    random_state: RandomStateLike = None,
) -> tuple[csr_array[np.float64], IntArray]:
    r"""Draw the benchmark of Girvan and Newman: four communities of 32 nodes, mean degree 16.

    .. math:: P(A_{ij} = 1) = \frac{z_\text{in}}{n/k - 1} \text{ inside}, \qquad
              \frac{z_\text{out}}{n - n/k} \text{ between}, \qquad z_\text{in} + z_\text{out} = d

    if ``out_degree`` is given, and those of :func:`stochastic_block_model` if ``snr`` is.
    O(m + n log n) time and O(m + n) memory for m edges.

    Parameters
    ----------
    snr : float or None
        Signal-to-noise ratio λ. Give either this or ``out_degree``.
    out_degree : float or None
        Mean number z_out of neighbors in other communities, in [0, degree]. Up to 8 of 16, nodes
        have on average at least as many neighbors in their own community as in all others.
    n, k, degree
        Number of nodes, number of communities and mean degree; ``out_degree`` needs n > k > 1.
    balanced : bool, default=True
        Whether communities have equal size; otherwise labels are drawn uniformly.
    random_state
        The same as for :func:`stochastic_block_model`.

    Returns
    -------
    A, labels : csr_array (n, n), array (n,)
        Adjacency matrix, without loops, and communities in random order.

    Raises
    ------
    ValueError
        If both or neither of ``snr`` and ``out_degree`` are given, or one is out of its range.

    Examples
    --------
    >>> A, labels = girvan_newman_graph(out_degree=6, random_state=0)
    >>> A.shape, np.bincount(labels).tolist()
    ((128, 128), [32, 32, 32, 32])

    References
    ----------
    M. Girvan and M. E. J. Newman, "Community structure in social and biological networks", PNAS
    99, 7821-7826 (2002).
    """
    if (snr is None) == (out_degree is None):
        raise ValueError(
            f"girvan_newman_graph needs one of snr and out_degree; got snr={snr!r} and "
            f"out_degree={out_degree!r}. For instance, out_degree=6."
        )
    if snr is not None:
        return stochastic_block_model(
            n, k, degree, snr, balanced=balanced, random_state=random_state
        )
    n, k, degree = check_size(n, k, degree)
    if not 1 < k < n:
        raise ValueError(f"out_degree needs at least two communities, and k < n={n}; got k={k}.")
    out = check_number(out_degree, "out_degree")
    if not 0 <= out <= degree:
        raise ValueError(f"out_degree must be in [0, degree={degree:.6g}]; got {out:.6g}.")
    rates = (degree - out) / (n / k - 1), out / (n - n / k)
    return block_graph(n, k, rates, random_state, balanced=balanced)
