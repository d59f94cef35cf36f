"""How strong the communities of a block model are."""

import numpy as np

from kgroups.input.parameters import check_integer


def signal_to_noise_ratio(a: float, b: float, k: int) -> float:
    r"""Strength of communities, for probabilities a/n of edges inside and b/n between them.

    .. math:: λ = \frac{a - b}{k \sqrt d}, \qquad d = \frac{a + (k - 1)b}{k}

    with d the mean degree for k communities of equal size. λ = 1 is the Kesten-Stigum threshold,
    below which no method finds two communities of a large network better than chance.

    Parameters
    ----------
    a, b : float
        Rates of edges inside and between communities: n times the probability of a pair.
    k : int
        Number of communities.

    Raises
    ------
    ValueError
        If a rate is negative, or both are zero.

    Examples
    --------
    >>> signal_to_noise_ratio(7, 1, 2)
    1.5

    References
    ----------
    A. Decelle, F. Krzakala, C. Moore and L. Zdeborová, "Asymptotic analysis of the stochastic
    block model for modular networks and its algorithmic applications", Phys. Rev. E 84, 066106
    (2011).
    """
    k = check_integer(k, "k")
    if not (a >= 0 and b >= 0):
        raise ValueError(f"a and b are rates of edges and must be >= 0; got a={a!r} and b={b!r}.")
    degree = (a + (k - 1) * b) / k
    if degree == 0:
        raise ValueError(f"a={a!r} and b={b!r} give no edges for k={k}; one must be positive.")
    return float((a - b) / (k * np.sqrt(degree)))
