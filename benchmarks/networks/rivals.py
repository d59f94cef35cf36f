"""Methods that find communities, each in two steps: to its own kind of graph, and to labels."""

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from benchmarks.networks.data import Network

LEIDEN, LEIDENALG = "igraph Leiden", "leidenalg"
LOUVAIN, SPECTRAL = "networkx Louvain", "scikit-learn SpectralClustering"
AUTO, FREE = "kgroups, auto", "kgroups, modularity, k free"
OBJECTIVES = ("bethe_hessian", "normalized_cut", "modularity", "ratio_association", "ratio_cut")


@dataclass(frozen=True)
class Method:
    """``read`` makes the graph, ``cluster(graph, k, seed)`` the labels; some disregard k."""

    module: str
    read: Callable[[Network], Any]
    cluster: Callable[[Any, int, int], np.ndarray]

    @property
    def is_installed(self) -> bool:
        """Whether the module is here."""
        return importlib.util.find_spec(self.module) is not None


def kgroups_graph(network: Network) -> Any:
    """A Graph from the arrays of edges."""
    from kgroups.graphs import Graph

    return Graph.from_edges(network.source, network.target, n_nodes=network.n_nodes)


def kgroups(graph: Any, k: int, seed: int, objective: str = "bethe_hessian") -> np.ndarray:
    """GraphKGroups as it comes, but for the objective."""
    from kgroups import GraphKGroups

    return GraphKGroups(k, objective=objective, random_state=seed).fit(graph).labels_


def kgroups_auto(graph: Any, k: int, seed: int, **options: str) -> np.ndarray:
    """GraphKGroups as it comes, which chooses the number."""
    from kgroups import GraphKGroups

    return GraphKGroups(random_state=seed, **options).fit(graph).labels_


def igraph_graph(network: Network) -> Any:
    """A graph of igraph from the arrays of edges."""
    import igraph

    edges = np.column_stack([network.source, network.target])
    return igraph.Graph(n=network.n_nodes, edges=edges)


def igraph_leiden(graph: Any, k: int, seed: int) -> np.ndarray:
    """Modularity by igraph's Leiden, two iterations."""
    import random

    import igraph

    igraph.set_random_number_generator(random.Random(seed))  # noqa: S311
    found = graph.community_leiden(objective_function="modularity", n_iterations=2)
    return np.asarray(found.membership)


def leidenalg_leiden(graph: Any, k: int, seed: int) -> np.ndarray:
    """Modularity by leidenalg, two iterations, which is its default."""
    import leidenalg

    kind = leidenalg.ModularityVertexPartition
    return np.asarray(leidenalg.find_partition(graph, kind, seed=seed).membership)


def networkx_graph(network: Network) -> Any:
    """A graph of networkx with the nodes in order."""
    import networkx as nx

    graph = nx.empty_graph(network.n_nodes)
    graph.add_edges_from(zip(network.source.tolist(), network.target.tolist(), strict=True))
    return graph


def networkx_louvain(graph: Any, k: int, seed: int) -> np.ndarray:
    """Modularity by networkx's Louvain."""
    import networkx as nx

    labels = np.empty(len(graph), np.int64)
    for number, members in enumerate(nx.community.louvain_communities(graph, seed=seed)):
        labels[list(members)] = number
    return labels


def scikit_spectral(A: Any, k: int, seed: int) -> np.ndarray:
    """Spectral clustering of the adjacency matrix."""
    from scipy.sparse import csr_matrix
    from sklearn.cluster import SpectralClustering

    model = SpectralClustering(k, affinity="precomputed", random_state=seed)
    return model.fit_predict(csr_matrix(A))


def ours(objective: str) -> str:
    """The name of GraphKGroups with an objective."""
    return f"kgroups, {objective}"


METHODS: dict[str, Method] = {
    **{
        ours(objective): Method("kgroups", kgroups_graph, partial(kgroups, objective=objective))
        for objective in OBJECTIVES
    },
    AUTO: Method("kgroups", kgroups_graph, kgroups_auto),
    FREE: Method("kgroups", kgroups_graph, partial(kgroups_auto, objective="modularity")),
    LEIDEN: Method("igraph", igraph_graph, igraph_leiden),
    LEIDENALG: Method("leidenalg", igraph_graph, leidenalg_leiden),
    LOUVAIN: Method("networkx", networkx_graph, networkx_louvain),
    SPECTRAL: Method("sklearn", lambda network: network.adjacency, scikit_spectral),
}
