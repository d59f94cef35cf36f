"""The benchmark of Lancichinetti, Fortunato and Radicchi."""

import math

import numpy as np
from scipy.sparse import csr_array

from kgroups.graphs.models.mixed_communities import UnfitError, joined, placed
from kgroups.graphs.models.model_parameters import (
    check_at_least,
    check_degree,
    check_share_of_edges,
    generator,
)
from kgroups.graphs.models.power_law import PowerLaw, drawn_to_sum, power_law, power_law_of_mean
from kgroups.graphs.models.random_edges import adjacency_of_edges
from kgroups.input.parameters import check_integer
from kgroups.typing import IntArray, RandomStateLike


def lfr_graph(
    n: int,
    *,
    mixing: float,
    average_degree: float,
    degree_exponent: float = 3.0,
    community_exponent: float = 1.5,
    max_degree: int | None = None,
    min_community: int | None = None,
    max_community: int | None = None,
    max_iters: int = 500,
    random_state: RandomStateLike = None,
) -> tuple[csr_array[np.float64], IntArray]:
    r"""Benchmark of Lancichinetti, Fortunato and Radicchi: sizes and degrees follow power laws.

    .. math:: P(d) \propto d^{-τ_1}, \quad d_{\min} \le d \le d_{\max}, \qquad
              P(s) \propto s^{-τ_2}, \quad s_{\min} \le s \le s_{\max}

    The smallest degree follows from the mean, and sizes sum to n. Every node has a share ``mixing``
    of its edges outside its community, rounded up or down at random, and stands in a community
    that is larger than its degree inside. Edges inside communities and between them are random,
    without loops and double edges. One node in a few communities loses an edge, where the number
    of ends of edges would be odd. O(md) time and O(m + n) memory for m edges and mean degree d.

    Parameters
    ----------
    n : int
        Number of nodes.
    mixing : float
        Share of each node's edges that leave its community, in [0, 1].
    average_degree : float
        Mean degree, in [1, n]; at least the mean of the power law from 1 to ``max_degree``.
    degree_exponent, community_exponent : float
        Exponents τ₁ of the degrees and τ₂ of the sizes of communities, at least 1. The authors
        vary them in [2, 3] and [1, 2].
    max_degree : int or None
        Largest degree; None is three times ``average_degree``, at most n/2.
    min_community, max_community : int or None
        Sizes of communities. None is ``average_degree`` for the smallest; for the largest it is
        five times the smallest or ``max_degree``, whichever is larger, if so many nodes remain
        for the neighbors outside. Nodes of ``max_degree`` fit into the largest community with
        their edges inside, and into the rest of the network with the others.
    max_iters : int, default=500
        Attempts at degrees and sizes that belong to a network.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the draw.

    Returns
    -------
    A : csr_array (n, n)
        Symmetric, of zeros and ones, no loops, in canonical form.
    labels : array (n,)
        Communities, numbered in the order of their first nodes.

    Raises
    ------
    ValueError
        If a parameter is out of its range, or no network can have all of them.
    RuntimeError
        If no such network is found in ``max_iters`` attempts.

    Examples
    --------
    >>> A, labels = lfr_graph(250, mixing=0.1, average_degree=5, random_state=0)
    >>> A.shape, len(labels)
    ((250, 250), 250)

    References
    ----------
    A. Lancichinetti, S. Fortunato and F. Radicchi, "Benchmark graphs for testing community
    detection algorithms", Phys. Rev. E 78, 046110 (2008).
    """
    n = check_integer(n, "n")
    mean = check_degree(average_degree, n, "average_degree", least=1)
    mixing = check_share_of_edges(mixing, "mixing")
    attempts = check_integer(max_iters, "max_iters")
    most, smallest, largest = _bounds(n, mean, max_degree, min_community, max_community)
    _check_rooms(n, most, smallest, largest, mixing)
    degrees = _degree_law(check_at_least(degree_exponent, "degree_exponent", 1), most, mean)
    sizes = power_law(
        check_at_least(community_exponent, "community_exponent", 1), smallest, largest
    )
    rng = generator(random_state)
    for _ in range(attempts):
        try:
            stubs = placed(degrees.draw(n, rng), drawn_to_sum(n, sizes, rng), mixing, rng)
            return adjacency_of_edges(joined(stubs, rng), n), stubs.labels
        except UnfitError as error:
            reason = error
    raise RuntimeError(
        f"lfr_graph found no such network in {attempts} attempts; in the last, {reason}, another "
        "random_state, or more max_iters."
    )


def _bounds(
    n: int, mean: float, most: int | None, smallest: int | None, largest: int | None
) -> tuple[int, int, int]:
    """The largest degree and the sizes of communities, with what stands for None."""
    most = (
        max(1, min(round(3 * mean), n // 2)) if most is None else check_integer(most, "max_degree")
    )
    if smallest is None:
        smallest = round(mean) if largest is None else min(round(mean), largest)
    smallest = check_integer(smallest, "min_community")
    if largest is None:
        largest = max(smallest, min(max(5 * smallest, most), n - most))
    return most, smallest, min(check_integer(largest, "max_community"), n)


def _check_rooms(n: int, most: int, smallest: int, largest: int, mixing: float) -> None:
    """Sizes that sum to n, and room for all neighbors of a node of the largest degree."""
    if most >= n:
        raise ValueError(
            f"max_degree={most} needs as many other nodes, and n={n}; give at most {n - 1}."
        )
    if smallest > largest:
        raise ValueError(
            f"min_community={smallest} is more than max_community={largest}; swap them."
        )
    if -(-n // largest) * smallest > n:
        raise ValueError(
            f"no communities of {smallest} to {largest} nodes sum to n={n}; give a smaller "
            "min_community or a larger max_community, of at most n."
        )
    inside, outside = math.floor((1 - mixing) * most), math.floor(mixing * most)
    if inside >= largest:
        raise ValueError(
            f"a node of max_degree={most} has {inside} neighbors in its community at "
            f"mixing={mixing:.6g}, but max_community={largest}; give at least {inside + 1}, or a "
            "smaller max_degree."
        )
    if outside > n - smallest:
        raise ValueError(
            f"a node of max_degree={most} has {outside} neighbors outside its community at "
            f"mixing={mixing:.6g}, but of n={n} nodes at most {n - smallest} are outside; give a "
            "smaller max_degree, or a larger n."
        )


def _degree_law(exponent: float, most: int, mean: float) -> PowerLaw:
    """The power law of the degrees, if it can have this mean."""
    smallest = power_law(exponent, 1, most).mean
    if not smallest <= mean <= most:
        raise ValueError(
            f"average_degree must be in [{smallest:.6g}, {most}], between the mean of a power law "
            f"of all degrees up to max_degree={most} and max_degree; got {mean:.6g} with "
            f"degree_exponent={exponent:.6g}. Give another max_degree or degree_exponent."
        )
    return power_law_of_mean(exponent, most, mean)
