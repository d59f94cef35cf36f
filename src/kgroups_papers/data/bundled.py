"""The data sets that other packages bring along: iris, wine and the karate club."""

from importlib.util import find_spec

import numpy as np

from kgroups.exceptions import DataError
from kgroups_papers.data.content import (
    BenchmarkGraph,
    BenchmarkTable,
    graph_content,
    table_content,
)


def bundled_table(name: str) -> BenchmarkTable:
    """One of the tables of scikit-learn."""
    from sklearn import datasets

    bunch = {"iris": datasets.load_iris, "wine": datasets.load_wine}[name]()
    labels = [str(bunch.target_names[code]) for code in bunch.target]
    return table_content(name, np.asarray(bunch.data, np.float64), labels, bunch.feature_names)


def bundled_graph(name: str) -> BenchmarkGraph:
    """Zachary's karate club; the class is the club that a member went to, weights are left out."""
    if (why := missing_package(name)) is not None:
        raise DataError(why)
    import networkx as nx

    club = nx.karate_club_graph()
    nodes = list(club)
    edges = np.array(list(club.edges()), dtype=np.float64)
    labels = [club.nodes[node]["club"] for node in nodes]
    return graph_content(name, edges, labels, [str(node) for node in nodes], directed=False)


def missing_package(name: str) -> str | None:
    """What keeps a bundled set from being loaded; None if nothing does."""
    if name == "karate" and find_spec("networkx") is None:
        return 'karate comes with networkx, which is not here; run: pip install "kgroups[graph]"'
    return None
