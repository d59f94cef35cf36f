"""Random networks whose communities are known: the block models that methods are compared on.

Every pair of nodes is drawn independently and exactly with its own probability, in time that grows
with the edges and not with the pairs.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_array

from kgroups.graphs.model_parameters import (
    check_above,
    check_number,
    check_share,
    check_size,
    generator,
)
from kgroups.graphs.random_edges import adjacency_of_edges, draw_edges
from kgroups.input.parameters import check_integer
from kgroups.typing import Float64Array, IntArray


def stochastic_block_model(
    n: int,
    k: int,
    degree: float,
    snr: float,
    *,
    sizes: Any = None,
    degree_weights: Any = None,
    balanced: bool = False,
    loops: bool = False,
    random_state: Any = None,
) -> tuple[csr_array[np.float64], IntArray]:
    r"""Network in which the chance of an edge depends on the communities of its ends alone.

    .. math:: P(A_{ij} = 1) = \min(1, c/n), \qquad
              c = \begin{cases} a = d + λ(k - 1)\sqrt d & z_i = z_j \\
                                b = d - λ\sqrt d & z_i \ne z_j \end{cases}

    so that :math:`λ = (a - b)/(k\sqrt d)`. Below the Kesten-Stigum threshold λ = 1 no method finds
    two communities of a large network better than chance, and no quick one is known that finds
    more than two.

    O(m + n log n) time and O(m + n) memory for m edges. The mean degree is d in expectation, up to
    terms of order d/n, for communities of equal size. It is larger where b would be negative
    (λ > √d), which is cut at 0, and smaller where a > n, since no probability exceeds 1.

    Parameters
    ----------
    n : int
        Nodes.
    k : int
        Communities, at most n.
    degree : float
        Mean degree d in (0, n].
    snr : float
        Signal-to-noise ratio λ. Negative values make edges between communities likelier, down to
        −√d/(k − 1), where a = 0. Has no effect for k = 1.
    sizes : array-like (k,) or None
        Whole numbers that sum to n are the sizes of the communities; shares that sum to 1 are the
        probabilities of each node's label. None draws labels uniformly.
    degree_weights : array-like (n,) or None
        Multiplies the probability of a pair by the weights of both ends, divided by their mean:
        see :func:`degree_corrected_block_model`.
    balanced : bool, default=False
        Communities of equal size, up to one node.
    loops : bool, default=False
        Also draws edges from a node to itself, with the probability of a pair inside a community.
    random_state : int, RandomState, Generator or None, default=None
        What the draw depends on.

    Returns
    -------
    A : csr_array (n, n)
        Symmetric, of zeros and ones, in canonical form.
    labels : array (n,)
        Communities in 0..k−1, in random order.

    Raises
    ------
    ValueError
        For any parameter out of its range.

    Examples
    --------
    >>> A, labels = stochastic_block_model(1_000, 2, 10, 2.0, balanced=True, random_state=0)
    >>> A.shape, np.bincount(labels).tolist()
    ((1000, 1000), [500, 500])

    References
    ----------
    Holland, Laskey & Leinhardt, Social Networks 5 (1983); the threshold: Decelle, Krzakala, Moore
    & Zdeborová, Phys. Rev. E 84, 066106 (2011). The draw: Miller & Hagberg, WAW 2011.
    """
    n, k, degree = check_size(n, k, degree)
    a, b = _rates(k, degree, snr)
    rng = generator(random_state)
    labels = _labels(n, k, sizes, balanced, rng)
    theta = _mean_one(np.ones(n) if degree_weights is None else degree_weights, n, "degree_weights")
    edges = draw_edges(labels, theta, (a / n, b / n), loops=loops, rng=rng)
    return adjacency_of_edges(edges, n), labels


def degree_corrected_block_model(
    n: int,
    k: int,
    degree: float,
    snr: float,
    *,
    exponent: float = 2.5,
    weights: Any = None,
    sizes: Any = None,
    balanced: bool = False,
    random_state: Any = None,
) -> tuple[csr_array[np.float64], IntArray]:
    r"""Block model whose nodes have degrees of very different size inside each community.

    .. math:: P(A_{ij} = 1) = \min(1, θ_i θ_j c/n), \qquad \tfrac1n \sum_i θ_i = 1

    with c as in :func:`stochastic_block_model`. The expected degree of node i is θ_i d for
    communities of equal weight, less the terms cut at 1 and the missing pair (i, i), about
    :math:`θ_i^2 a/n`; hubs of a power law lose most. Each pair is drawn exactly once, so there are
    no double edges to merge. O(m + n log n) time and O(m + n) memory for m edges.

    Parameters
    ----------
    n, k, degree, snr, sizes, balanced, random_state
        As for :func:`stochastic_block_model`.
    exponent : float, default=2.5
        θ is drawn with density proportional to θ^−exponent above a least value; above 2, where
        the mean is finite. Not used when ``weights`` are given.
    weights : array-like (n,) or None
        Any numbers that are not negative and not all zero, for θ up to their mean.

    Returns
    -------
    A : csr_array (n, n)
        Symmetric, of zeros and ones, no loops, in canonical form.
    labels : array (n,)
        Communities in 0..k−1, in random order.

    Raises
    ------
    ValueError
        For any parameter out of its range.

    Examples
    --------
    >>> A, _ = degree_corrected_block_model(10_000, 2, 10, 2.0, random_state=0)
    >>> degrees = A.sum(axis=1)
    >>> print(f"mean {degrees.mean():.1f}, median {np.median(degrees):.0f}")
    mean 9.9, median 6

    References
    ----------
    Karrer & Newman, Phys. Rev. E 83, 016107 (2011).
    """
    n = check_integer(n, "n")
    rng = generator(random_state)
    if weights is None:
        weights = 1 + rng.pareto(check_above(exponent, "exponent", 2) - 1, n)
    theta = _mean_one(weights, n, "weights")
    return stochastic_block_model(
        n, k, degree, snr, sizes=sizes, degree_weights=theta, balanced=balanced, random_state=rng
    )


def planted_partition(
    n: int, k: int, degree: float, inside: float, *, random_state: Any = None
) -> tuple[csr_array[np.float64], IntArray]:
    r"""Block model of equal communities with a given share of the edges inside them.

    .. math:: P(A_{ij} = 1) = \min(1, c/n), \qquad
              c = \begin{cases} skd & z_i = z_j \\ (1-s)kd/(k-1) & z_i \ne z_j \end{cases}

    O(m + n) memory and O(m + n log n) time for m ≈ nd/2 edges. Both d and s hold in expectation up
    to terms of order k/n, unless skd > n, where the probability is cut at 1.

    Parameters
    ----------
    n, k, degree, random_state
        As for :func:`stochastic_block_model`.
    inside : float
        Share s of the edges inside communities, in [0, 1]; 1/k is no structure at all.

    Returns
    -------
    A : csr_array (n, n)
        Symmetric, of zeros and ones, no loops, in canonical form.
    labels : array (n,)
        Communities in 0..k−1 of equal size up to one node, in random order.

    Raises
    ------
    ValueError
        For any parameter out of its range.

    Examples
    --------
    >>> A, labels = planted_partition(10_000, 5, 20, 0.7, random_state=0)
    >>> rows, columns = A.nonzero()
    >>> print(f"{(labels[rows] == labels[columns]).mean():.2f}")
    0.70

    References
    ----------
    Condon & Karp, Random Structures & Algorithms 18 (2001).
    """
    n, k, degree = check_size(n, k, degree)
    share = check_share(inside, "inside")
    if k == 1 and share < 1:
        raise ValueError(f"inside={inside} needs k >= 2; with one community write inside=1.")
    rng = generator(random_state)
    labels = _labels(n, k, None, True, rng)
    rates = (share * k * degree / n, (1 - share) * k * degree / (max(k - 1, 1) * n))
    return adjacency_of_edges(
        draw_edges(labels, np.ones(n), rates, loops=False, rng=rng), n
    ), labels


def girvan_newman_graph(
    snr: float | None = None,
    *,
    out_degree: float | None = None,
    n: int = 128,
    k: int = 4,
    degree: float = 16.0,
    balanced: bool = True,
    random_state: Any = None,
) -> tuple[csr_array[np.float64], IntArray]:
    r"""Small benchmark of Girvan and Newman: four communities of 32 nodes with mean degree 16.

    .. math:: P(A_{ij} = 1) = \frac{z_\text{in}}{n/k - 1} \text{ inside}, \qquad
              \frac{z_\text{out}}{n - n/k} \text{ between}, \qquad z_\text{in} + z_\text{out} = d

    when ``out_degree`` is given, and those of :func:`stochastic_block_model` when ``snr`` is.
    O(m + n log n) time and O(m + n) memory for m edges.

    Parameters
    ----------
    snr : float or None
        Signal-to-noise ratio λ. Give this or ``out_degree``.
    out_degree : float or None
        Mean number z_out of neighbors in other communities, in [0, degree]. Up to 8 of 16, a
        node has at least as many neighbors in its own community as in all others.
    n, k, degree
        Another size, of the same kind; ``out_degree`` needs n > k > 1.
    balanced : bool, default=True
        False draws the labels independently and uniformly.
    random_state : int, RandomState, Generator or None, default=None
        What the draw depends on.

    Returns
    -------
    A : csr_array (n, n)
        Symmetric, of zeros and ones, no loops, in canonical form.
    labels : array (n,)
        Communities in 0..k−1, in random order.

    Raises
    ------
    ValueError
        For both or neither of ``snr`` and ``out_degree``, or a parameter out of its range.

    Examples
    --------
    >>> A, labels = girvan_newman_graph(out_degree=6, random_state=0)
    >>> A.shape, np.bincount(labels).tolist()
    ((128, 128), [32, 32, 32, 32])

    References
    ----------
    Girvan & Newman, PNAS 99 (2002).
    """
    if (snr is None) == (out_degree is None):
        raise ValueError(
            f"girvan_newman_graph needs one of snr and out_degree; got snr={snr!r} and "
            f"out_degree={out_degree!r}. Write for instance out_degree=6."
        )
    if snr is not None:
        return stochastic_block_model(
            n, k, degree, snr, balanced=balanced, random_state=random_state
        )
    n, k, degree = check_size(n, k, degree)
    rates = _classical_rates(n, k, degree, out_degree)
    rng = generator(random_state)
    labels = _labels(n, k, None, balanced, rng)
    return adjacency_of_edges(
        draw_edges(labels, np.ones(n), rates, loops=False, rng=rng), n
    ), labels


def signal_to_noise_ratio(a: float, b: float, k: int) -> float:
    r"""Strength of the communities of a block model with probabilities a/n inside, b/n between.

    .. math:: λ = \frac{a - b}{k \sqrt d}, \qquad d = \frac{a + (k - 1)b}{k}

    with d the mean degree for k communities of equal size. λ = 1 is the Kesten-Stigum threshold.
    O(1).

    Parameters
    ----------
    a, b : float
        Rates inside and between communities, not negative and not both zero.
    k : int
        Communities.

    Raises
    ------
    ValueError
        For a negative rate, or a network without edges.

    Examples
    --------
    >>> signal_to_noise_ratio(7, 1, 2)
    1.5

    References
    ----------
    Decelle, Krzakala, Moore & Zdeborová, Phys. Rev. E 84, 066106 (2011).
    """
    k = check_integer(k, "k")
    if not (a >= 0 and b >= 0):
        raise ValueError(f"a and b are rates of edges and must be >= 0; got a={a!r} and b={b!r}.")
    degree = (a + (k - 1) * b) / k
    if degree == 0:
        raise ValueError(f"a={a!r} and b={b!r} make no edges for k={k}; one must be positive.")
    return float((a - b) / (k * np.sqrt(degree)))


# --- rates and labels ------------------------------------------------------------------------


def _rates(k: int, degree: float, snr: float) -> tuple[float, float]:
    """Inside and between, times n; a negative rate between is cut at 0."""
    snr = check_number(snr, "snr")
    if k == 1:
        return degree, 0.0
    root = np.sqrt(degree)
    a = degree + snr * (k - 1) * root
    # At the least value itself rounding may leave a little less than nothing.
    if a < -1e-12 * degree:
        raise ValueError(
            f"snr={snr:.6g} would make the rate of edges inside communities negative; "
            f"for k={k} and degree={degree:.6g} write snr >= {-root / (k - 1):.6g}."
        )
    return max(float(a), 0.0), max(float(degree - snr * root), 0.0)


def _classical_rates(n: int, k: int, degree: float, out_degree: Any) -> tuple[float, float]:
    """Probabilities inside and between for mean numbers of neighbors."""
    if not 1 < k < n:
        raise ValueError(f"out_degree needs at least two communities, and k < n={n}; got k={k}.")
    out = check_number(out_degree, "out_degree")
    if not 0 <= out <= degree:
        raise ValueError(f"out_degree must be in [0, degree={degree:.6g}]; got {out:.6g}.")
    return (degree - out) / (n / k - 1), out / (n - n / k)


def _labels(n: int, k: int, sizes: Any, balanced: bool, rng: np.random.Generator) -> IntArray:
    if sizes is not None and balanced:
        raise ValueError("sizes are given and balanced=True; drop one of them.")
    if balanced:
        return rng.permutation(np.arange(n, dtype=np.int64) % k)
    if sizes is None:
        return rng.integers(k, size=n)
    return _labels_of_sizes(n, k, sizes, rng)


def _labels_of_sizes(n: int, k: int, sizes: Any, rng: np.random.Generator) -> IntArray:
    array = np.asarray(sizes, np.float64)
    if array.shape != (k,) or not np.all(array >= 0):
        raise ValueError(
            f"sizes must hold k={k} numbers, none negative; got {np.asarray(sizes).tolist()}."
        )
    if array.sum() == n and np.all(array == np.floor(array)):
        return rng.permutation(np.repeat(np.arange(k, dtype=np.int64), array.astype(np.int64)))
    if not np.isclose(array.sum(), 1):
        raise ValueError(
            f"sizes sum to {array.sum():.6g}; write numbers of nodes that sum to n={n}, "
            "or shares that sum to 1."
        )
    return np.asarray(rng.choice(k, size=n, p=array / array.sum()), np.int64)


def _mean_one(weights: Any, n: int, name: str) -> Float64Array:
    """What each node's degree is to be, as a multiple of the mean."""
    array = np.asarray(weights, np.float64)
    if array.shape != (n,):
        raise ValueError(
            f"{name} must hold one number for each of the n={n} nodes; got shape {array.shape}."
        )
    bad = ~(np.isfinite(array) & (array >= 0))
    if bad.any():
        node = int(bad.argmax())
        raise ValueError(
            f"{name} must be finite and not negative; node {node} has {array[node]:.6g}."
        )
    if not array.any():
        raise ValueError(f"{name} are zero for every node; at least one must be positive.")
    return np.asarray(array / array.mean())
