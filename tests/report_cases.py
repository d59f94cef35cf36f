"""A network with its communities, for reports."""

from kgroups import GraphKGroups
from kgroups.graphs import Graph


def fitted(G, k="auto", **params):
    graph = Graph.from_networkx(G)
    starts = {} if "init" in params else {"n_init": 4}
    return graph, GraphKGroups(k, random_state=0, **starts, **params).fit(graph.adjacency)
