"""The benchmark of Lancichinetti, Fortunato and Radicchi, by networkx."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from kgroups.graphs.model_parameters import check_above, check_degree, check_share, generator
from kgroups.graphs.random_edges import adjacency_of_edges
from kgroups.input.parameters import check_integer
from kgroups.typing import IntArray


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
        n, for a node finds enough neighbors outside its community then.
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
    degree = check_degree(average_degree, n, "average_degree", least=1)
    arguments = {
        **_lfr_bounds(n, degree, max_degree, min_community, max_community),
        "average_degree": degree,
        "tau1": check_above(degree_exponent, "degree_exponent", 1),
        "tau2": check_above(community_exponent, "community_exponent", 1),
        "mu": check_share(mixing, "mixing"),
        "max_iters": check_integer(max_iters, "max_iters"),
        "seed": int(generator(random_state).integers(2**31 - 1)),
    }
    return _network_and_communities(networkx, _lfr(networkx, n, arguments))


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
    return adjacency_of_edges(edges, n), np.unique(first, return_inverse=True)[1]
