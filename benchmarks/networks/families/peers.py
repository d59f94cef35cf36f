"""Other programs for communities, with nothing chosen but a seed."""

from __future__ import annotations

import importlib.util
import random
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from benchmarks.networks.families.graphs import edges

Labels = np.ndarray


def igraph_of(A: csr_array) -> Any:
    """A graph of igraph, with weights where they are not all 1."""
    import igraph

    source, target, weight = edges(A)
    graph = igraph.Graph(n=A.shape[0], edges=np.column_stack([source, target]))
    if np.any(weight != 1):
        graph.es["weight"] = weight
    return graph


def leiden(A: csr_array, seed: int) -> Labels:
    """Modularity by leidenalg, until nothing improves."""
    return leiden_of(igraph_of(A), seed)[0]


def leiden_of(graph: Any, seed: int) -> tuple[Labels, float]:
    """Labels and modularity by leidenalg, from a graph of igraph."""
    import leidenalg

    weights = "weight" if "weight" in graph.es.attributes() else None
    found = leidenalg.find_partition(
        graph,
        leidenalg.ModularityVertexPartition,
        weights=weights,
        n_iterations=-1,
        seed=seed,
    )
    return np.asarray(found.membership), float(found.modularity)


def louvain(A: csr_array, seed: int) -> Labels:
    """Modularity by igraph's levels of Louvain."""
    import igraph

    igraph.set_random_number_generator(random.Random(seed))  # noqa: S311
    graph = igraph_of(A)
    weights = "weight" if "weight" in graph.es.attributes() else None
    return np.asarray(graph.community_multilevel(weights=weights).membership)


def infomap(A: csr_array, seed: int) -> Labels:
    """The map equation of two levels."""
    from infomap import Infomap

    search = Infomap(two_level=True, silent=True, seed=seed + 1)
    for node in range(A.shape[0]):
        search.add_node(node)
    search.add_links(list(zip(*(part.tolist() for part in edges(A)), strict=True)))
    search.run()
    found = search.get_modules()
    return np.array([found[node] for node in range(A.shape[0])])


PEERS: dict[str, tuple[str, Callable[[csr_array, int], Labels]]] = {
    "Leiden": ("leidenalg", leiden),
    "Louvain": ("igraph", louvain),
    "Infomap": ("infomap", infomap),
}


def installed() -> list[str]:
    """Names of the peers that are here."""
    return [name for name, (module, _) in PEERS.items() if importlib.util.find_spec(module)]
