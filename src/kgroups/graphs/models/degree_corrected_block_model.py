"""The degree-corrected block model: communities whose nodes have very different degrees."""

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array

from kgroups.graphs.models.model_parameters import check_above, generator, mean_one
from kgroups.graphs.models.stochastic_block_model import stochastic_block_model
from kgroups.input.parameters import check_integer
from kgroups.typing import IntArray, RandomStateLike


def degree_corrected_block_model(
    n: int,
    k: int,
    degree: float,
    snr: float,
    *,
    exponent: float = 2.5,
    weights: ArrayLike | None = None,
    sizes: ArrayLike | None = None,
    balanced: bool = False,
    random_state: RandomStateLike = None,
) -> tuple[csr_array[np.float64], IntArray]:
    r"""Draw a block model whose nodes have very different degrees inside each community.

    .. math:: P(A_{ij} = 1) = \min(1, θ_i θ_j c/n), \qquad \tfrac1n \sum_i θ_i = 1

    with c as in :func:`stochastic_block_model`. The expected degree of node i is θ_i d for
    communities of equal weight, minus what is lost by probabilities cut at 1 and by the missing
    pair (i, i), about :math:`θ_i^2 a/n`; hubs of a power law lose most. Each pair is drawn exactly
    once, so there are no double edges to merge. O(m + n log n) time and O(m + n) memory for m
    edges.

    Parameters
    ----------
    n, k, degree, snr, sizes, balanced, random_state
        The same as for :func:`stochastic_block_model`.
    exponent : float, default=2.5
        θ is drawn from a power law with density proportional to θ^−exponent. The exponent is above
        2, so that the mean is finite. Not used if ``weights`` are given.
    weights : array-like (n,) or None
        Nonnegative numbers, not all zero, to which θ is proportional.

    Returns
    -------
    A, labels : csr_array (n, n), array (n,)
        The same as from :func:`stochastic_block_model`; A has no loops.

    Raises
    ------
    ValueError
        If a parameter is out of its range, or all weights are zero.

    Examples
    --------
    >>> A, _ = degree_corrected_block_model(10_000, 2, 10, 2.0, random_state=0)
    >>> degrees = A.sum(axis=1)
    >>> print(f"mean {degrees.mean():.1f}, median {np.median(degrees):.0f}")
    mean 9.9, median 6

    References
    ----------
    B. Karrer and M. E. J. Newman, "Stochastic blockmodels and community structure in networks",
    Phys. Rev. E 83, 016107 (2011).
    """
    n = check_integer(n, "n")
    rng = generator(random_state)
    if weights is None:
        weights = 1 + rng.pareto(check_above(exponent, "exponent", 2) - 1, n)
    theta = mean_one(weights, n, "weights")
    return stochastic_block_model(
        n, k, degree, snr, sizes=sizes, degree_weights=theta, balanced=balanced, random_state=rng
    )
