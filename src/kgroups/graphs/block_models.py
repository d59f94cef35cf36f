"""Random networks whose communities are known: the block models that methods are compared on.

Every pair of nodes is drawn independently and exactly with its own probability, in time that grows
with the edges and not with the pairs.
"""

from __future__ import annotations

import numbers
from importlib import import_module
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array
from sklearn.utils import check_random_state

from kgroups._numba import jit
from kgroups._typing import Float64Array, IntArray
from kgroups._validation import check_integer


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
    n, k, degree = _check_size(n, k, degree)
    a, b = _rates(k, degree, snr)
    rng = _generator(random_state)
    labels = _labels(n, k, sizes, balanced, rng)
    theta = _mean_one(np.ones(n) if degree_weights is None else degree_weights, n, "degree_weights")
    edges = _edges(labels, theta, (a / n, b / n), loops=loops, rng=rng)
    return _adjacency(edges, n), labels


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
    rng = _generator(random_state)
    if weights is None:
        weights = 1 + rng.pareto(_check_above(exponent, "exponent", 2) - 1, n)
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
    n, k, degree = _check_size(n, k, degree)
    share = _check_share(inside, "inside")
    if k == 1 and share < 1:
        raise ValueError(f"inside={inside} needs k >= 2; with one community write inside=1.")
    rng = _generator(random_state)
    labels = _labels(n, k, None, True, rng)
    rates = (share * k * degree / n, (1 - share) * k * degree / (max(k - 1, 1) * n))
    return _adjacency(_edges(labels, np.ones(n), rates, loops=False, rng=rng), n), labels


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
        Mean number z_out of neighbours in other communities, in [0, degree]. Up to 8 of 16, a
        node has at least as many neighbours in its own community as in all others.
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
    n, k, degree = _check_size(n, k, degree)
    rates = _classical_rates(n, k, degree, out_degree)
    rng = _generator(random_state)
    labels = _labels(n, k, None, balanced, rng)
    return _adjacency(_edges(labels, np.ones(n), rates, loops=False, rng=rng), n), labels


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
    random_state: Any = None,
) -> tuple[csr_array[np.float64], IntArray]:
    """Benchmark of Lancichinetti, Fortunato and Radicchi: sizes and degrees follow power laws.

    Each node sends a share ``mixing`` of its edges outside its community. Made by
    ``networkx.LFR_benchmark_graph``, less its self-loops. A node also receives edges that others
    send, so that the share found outside is larger than asked for: 0.29 for 0.2 at mean degree 8.
    It visits nodes in Python and suits up to some 10 000.

    Parameters
    ----------
    n : int
        Nodes.
    mixing : float
        Share of edges that leave the community, in [0, 1].
    average_degree : float
        Mean degree, in [1, n].
    degree_exponent, community_exponent : float
        Exponents of the degrees and of the sizes of communities, above 1.
    max_degree : int or None
        Largest degree; None is three times ``average_degree``, at most n/2.
    min_community, max_community : int or None
        Sizes of communities. None is ``average_degree`` for the least, and for the largest five
        times the least or ``max_degree``, what is more. ``max_degree + max_community`` is at most
        n, for a node finds enough neighbours outside its community then.
    max_iters : int, default=500
        Attempts at each random sequence.
    random_state : int, RandomState, Generator or None, default=None
        What the draw depends on.

    Returns
    -------
    A : csr_array (n, n)
        Symmetric, of zeros and ones, no loops, in canonical form.
    labels : array (n,)
        Communities, numbered by their first nodes.

    Raises
    ------
    ImportError
        Without networkx.
    ValueError
        For a parameter out of its range.
    RuntimeError
        When networkx finds no such network in ``max_iters`` attempts.

    Examples
    --------
    >>> A, labels = lfr_graph(250, mixing=0.1, average_degree=5, random_state=0)
    >>> A.shape, len(labels)
    ((250, 250), 250)

    References
    ----------
    Lancichinetti, Fortunato & Radicchi, Phys. Rev. E 78, 046110 (2008).
    """
    networkx = _networkx()
    n = check_integer(n, "n")
    degree = _check_degree(average_degree, n, "average_degree", least=1)
    arguments = {
        **_lfr_bounds(n, degree, max_degree, min_community, max_community),
        "average_degree": degree,
        "tau1": _check_above(degree_exponent, "degree_exponent", 1),
        "tau2": _check_above(community_exponent, "community_exponent", 1),
        "mu": _check_share(mixing, "mixing"),
        "max_iters": check_integer(max_iters, "max_iters"),
        "seed": int(_generator(random_state).integers(2**31 - 1)),
    }
    return _network_and_communities(networkx, _lfr(networkx, n, arguments))


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
    snr = _check_number(snr, "snr")
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
    """Probabilities inside and between for mean numbers of neighbours."""
    if not 1 < k < n:
        raise ValueError(f"out_degree needs at least two communities, and k < n={n}; got k={k}.")
    out = _check_number(out_degree, "out_degree")
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


# --- the draw --------------------------------------------------------------------------------


def _edges(
    labels: IntArray,
    theta: Float64Array,
    rates: tuple[float, float],
    *,
    loops: bool,
    rng: np.random.Generator,
) -> NDArray[np.int32]:
    """Each edge once, (m, 2): those inside communities, then those between.

    Pairs of all nodes are drawn with the probability between, and those inside are dropped: so
    each pair is still drawn independently, and the time does not grow with k².
    """
    inside, between = rates
    starts = np.concatenate([[0], np.cumsum(np.bincount(labels))])
    order = np.lexsort((-theta, labels)).astype(np.int32)
    within = _draw_pairs(order, starts, theta[order], inside, int(loops), rng)
    order = np.argsort(-theta, kind="stable").astype(np.int32)
    ends = np.array([0, len(labels)])
    across = _draw_pairs(order, ends, theta[order], between, 0, rng)
    across = across[labels[across[:, 0]] != labels[across[:, 1]]]
    return np.concatenate([within, across])


def _adjacency(edges: NDArray[np.int32], n: int) -> csr_array[np.float64]:
    """Both directions of each edge, and loops once."""
    back = edges[edges[:, 0] != edges[:, 1], ::-1]
    ends = np.concatenate([edges, back])
    return coo_array((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=(n, n)).tocsr()


@jit
def _draw_pairs(
    order: NDArray[np.int32],
    starts: IntArray,
    theta: Float64Array,
    rate: float,
    loops: int,
    rng: np.random.Generator,
) -> NDArray[np.int32]:
    """Pairs inside each group, each with probability min(1, rate θ θ'); O(n + pairs drawn).

    Within a group θ must not increase. The next partner of a node is found by a geometric step
    with the probability of the current place, an upper bound for all later ones, and is kept with
    the ratio of its own probability to that bound.
    """
    pairs = np.empty((1024, 2), np.int32)
    count = 0
    for g in range(len(starts) - 1):
        stop = starts[g + 1]
        for i in range(starts[g], stop):
            j = i + 1 - loops
            bound = min(1.0, rate * theta[i] * theta[j]) if j < stop else 0.0
            while j < stop and bound > 0:
                if bound < 1:
                    # Cut before it becomes an integer, which it could overflow.
                    j += int(min(rng.standard_exponential() / -np.log1p(-bound), stop - j))
                if j == stop:
                    break
                probability = min(1.0, rate * theta[i] * theta[j])
                if rng.random() * bound < probability:
                    if count == len(pairs):
                        pairs = _doubled(pairs)
                    pairs[count, 0] = order[i]
                    pairs[count, 1] = order[j]
                    count += 1
                bound = probability
                j += 1
    return pairs[:count]


@jit
def _doubled(pairs: NDArray[np.int32]) -> NDArray[np.int32]:
    """Room for twice as many."""
    larger = np.empty((2 * len(pairs), 2), np.int32)
    larger[: len(pairs)] = pairs
    return larger


# --- networkx --------------------------------------------------------------------------------


def _networkx() -> ModuleType:
    try:
        return import_module("networkx")
    except ImportError as error:
        raise ImportError('lfr_graph needs networkx; run: pip install "kgroups[graph]"') from error


def _lfr_bounds(
    n: int, degree: float, most: int | None, smallest: int | None, largest: int | None
) -> dict[str, int]:
    """Bounds that networkx can meet: it would otherwise search for ever."""
    most = min(round(3 * degree), n // 2) if most is None else check_integer(most, "max_degree")
    if smallest is None:
        smallest = round(degree) if largest is None else min(round(degree), largest)
    smallest = check_integer(smallest, "min_community")
    if largest is None:
        largest = max(smallest, min(max(5 * smallest, most), n - most))
    largest = check_integer(largest, "max_community")
    if smallest > largest:
        raise ValueError(
            f"min_community={smallest} is more than max_community={largest}; exchange them."
        )
    if most + largest > n:
        raise ValueError(
            f"max_degree={most} and max_community={largest} together are more than n={n}; "
            "make one of them smaller, or n larger."
        )
    return {"max_degree": most, "min_community": smallest, "max_community": largest}


def _lfr(networkx: ModuleType, n: int, arguments: dict[str, Any]) -> Any:
    try:
        return networkx.LFR_benchmark_graph(n, **arguments)
    except networkx.ExceededMaxIterations as error:
        raise RuntimeError(
            f"lfr_graph found no such network in {arguments['max_iters']} attempts (networkx: "
            f"{error}). Give a larger max_community, an average_degree further below max_degree, "
            "another random_state, or more max_iters."
        ) from error
    except networkx.NetworkXError as error:
        raise ValueError(f"lfr_graph: {error}.") from error


def _network_and_communities(
    networkx: ModuleType, graph: Any
) -> tuple[csr_array[np.float64], IntArray]:
    n = graph.number_of_nodes()
    graph.remove_edges_from(list(networkx.selfloop_edges(graph)))
    edges = np.array(list(graph.edges()), np.int32).reshape(-1, 2)
    first = [min(graph.nodes[node]["community"]) for node in range(n)]
    return _adjacency(edges, n), np.unique(first, return_inverse=True)[1]


# --- parameters ------------------------------------------------------------------------------


def _generator(random_state: Any) -> np.random.Generator:
    """A generator of its own for scikit-learn's kinds of state; a generator as it is."""
    if isinstance(random_state, np.random.Generator):
        return random_state
    return np.random.default_rng(check_random_state(random_state).randint(2**31 - 1))


def _check_size(n: Any, k: Any, degree: Any) -> tuple[int, int, float]:
    n, k = check_integer(n, "n"), check_integer(k, "k")
    if k > n:
        raise ValueError(f"k={k} is more than n={n}; ask for at most {n} communities.")
    return n, k, _check_degree(degree, n, "degree", least=0)


def _check_degree(value: Any, n: int, name: str, *, least: int) -> float:
    degree = _check_number(value, name)
    if not least <= degree <= n or degree == 0:
        interval = f"[{least}" if least else "(0"
        raise ValueError(f"{name} must be in {interval}, n={n}]; got {degree:.6g}.")
    return degree


def _check_share(value: Any, name: str) -> float:
    share = _check_number(value, name)
    if not 0 <= share <= 1:
        raise ValueError(f"{name} is a share of the edges and must be in [0, 1]; got {share:.6g}.")
    return share


def _check_above(value: Any, name: str, bound: int) -> float:
    number = _check_number(value, name)
    if number <= bound:
        raise ValueError(f"{name} must be a number > {bound}; got {number:.6g}.")
    return number


def _check_number(value: Any, name: str) -> float:
    if not isinstance(value, numbers.Real) or not np.isfinite(float(value)):
        raise ValueError(f"{name} must be a finite number; got {value!r}.")
    return float(value)
