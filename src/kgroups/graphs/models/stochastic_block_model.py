"""The stochastic block model: the chance of an edge depends on the communities of its ends alone.

Every pair of nodes is drawn independently and exactly with its own probability, in time that grows
with the edges and not with the pairs.
"""

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array

from kgroups.graphs.models.model_parameters import check_number, check_size, mean_one
from kgroups.graphs.models.random_edges import block_graph
from kgroups.typing import IntArray, RandomStateLike


def stochastic_block_model(
    n: int,
    k: int,
    degree: float,
    snr: float,
    *,
    sizes: ArrayLike | None = None,
    degree_weights: ArrayLike | None = None,
    balanced: bool = False,
    loops: bool = False,
    random_state: RandomStateLike = None,
) -> tuple[csr_array[np.float64], IntArray]:
    r"""Draw a network in which an edge depends only on the communities of its ends.

    .. math:: P(A_{ij} = 1) = \min(1, c/n), \qquad
              c = \begin{cases} a = d + λ(k - 1)\sqrt d & z_i = z_j \\
                                b = d - λ\sqrt d & z_i \ne z_j \end{cases}

    so that :math:`λ = (a - b)/(k\sqrt d)`. Below the Kesten-Stigum threshold, λ = 1, no method
    finds two communities of a large network better than chance, and no efficient method is known
    that finds more than two.

    O(m + n log n) time and O(m + n) memory for m edges. The mean degree is d in expectation, up to
    terms of order d/n, for communities of equal size. It is larger if b would be negative (λ > √d),
    because b is then set to 0, and smaller if a > n, because no probability exceeds 1.

    Parameters
    ----------
    n : int
        Number of nodes.
    k : int
        Number of communities, at most n.
    degree : float
        Mean degree d in (0, n].
    snr : float
        Signal-to-noise ratio λ. Negative values make edges between communities likelier, down to
        −√d/(k − 1), where a = 0. No effect if k = 1.
    sizes : array-like (k,) or None
        Integers that sum to n are the sizes of the communities; shares that sum to 1 are the
        probabilities with which each node's label is drawn. None draws labels uniformly.
    degree_weights : array-like (n,) or None
        The probability of a pair is multiplied by the weights of both ends, in units of the mean
        weight; see :func:`degree_corrected_block_model`.
    balanced : bool, default=False
        Whether communities have equal size, up to one node.
    loops : bool, default=False
        Whether edges from a node to itself are drawn, with the probability of an inside pair.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the draw.

    Returns
    -------
    A : csr_array (n, n)
        Adjacency matrix: symmetric, of zeros and ones, in canonical form.
    labels : array (n,)
        Communities in 0..k−1, in random order.

    Raises
    ------
    ValueError
        If a parameter is out of its range, or ``sizes`` do not fit n and k.

    Examples
    --------
    >>> A, labels = stochastic_block_model(1_000, 2, 10, 2.0, balanced=True, random_state=0)
    >>> A.shape, np.bincount(labels).tolist()
    ((1000, 1000), [500, 500])

    References
    ----------
    P. W. Holland, K. B. Laskey and S. Leinhardt, "Stochastic blockmodels: first steps", Social
    Networks 5 (1983). The threshold: A. Decelle, F. Krzakala, C. Moore and L. Zdeborová,
    "Asymptotic analysis of the stochastic block model for modular networks and its algorithmic
    applications", Phys. Rev. E 84, 066106 (2011). The draw: J. C. Miller and A. Hagberg, "Efficient
    generation of networks with given expected degrees", WAW 2011.
    """
    n, k, degree = check_size(n, k, degree)
    a, b = _rates(k, degree, snr)
    theta = None if degree_weights is None else mean_one(degree_weights, n, "degree_weights")
    return block_graph(
        n,
        k,
        (a / n, b / n),
        random_state,
        theta=theta,
        sizes=sizes,
        balanced=balanced,
        loops=loops,
    )


def _rates(k: int, degree: float, snr: float) -> tuple[float, float]:
    """The rates a inside and b between, n times the probabilities; b is set to 0 if negative."""
    snr = check_number(snr, "snr")
    if k == 1:
        return degree, 0.0
    root = np.sqrt(degree)
    a = degree + snr * (k - 1) * root
    # At the smallest value allowed, rounding may leave a little less than 0.
    if a < -1e-12 * degree:
        raise ValueError(
            f"snr={snr:.6g} would make the rate of edges inside communities negative; "
            f"for k={k} and degree={degree:.6g} use snr >= {-root / (k - 1):.6g}."
        )
    return max(float(a), 0.0), max(float(degree - snr * root), 0.0)
