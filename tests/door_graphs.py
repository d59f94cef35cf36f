"""Files of graphs: the edges that each holds, and the ways to hand over one list of edges."""

import itertools
import warnings

import networkx as nx
import numpy as np
import pandas as pd
from scipy import sparse
from scipy.io import mmwrite

from kgroups.exceptions import GraphNotice
from kgroups.graphs import Graph, read_graph
from kgroups.metrics import cut_size


def edges_in(graph):
    """The weight of each pair of nodes, by their names in alphabetical order."""
    A = graph.adjacency
    assert (A != A.T).nnz == 0
    upper = sparse.coo_array(sparse.triu(A))
    names = [str(node) for node in graph.nodes]
    pairs = zip(upper.row.tolist(), upper.col.tolist(), upper.data.tolist(), strict=True)
    return {tuple(sorted((names[i], names[j]))): weight for i, j, weight in pairs}


# --- one graph, as many programs write it ------------------------------------------------------

KARATE = nx.karate_club_graph()
_A = nx.to_scipy_sparse_array(KARATE, dtype=float)


def _with_attributes(write):
    """A writer of what GEXF and Pajek can hold."""
    return lambda path: write(KARATE, path)


def _frame():
    return nx.to_pandas_edgelist(KARATE)[["source", "target", "weight"]]


#: Name of the file → its writer.
KARATE_FILES = {
    "karate.gml": _with_attributes(nx.write_gml),
    "karate.graphml": _with_attributes(nx.write_graphml),
    "karate.graphml.gz": _with_attributes(nx.write_graphml),
    "karate.gexf": _with_attributes(nx.write_gexf),
    "karate.net": lambda path: nx.write_pajek(nx.relabel_nodes(KARATE, str), path),
    "karate.edges": _with_attributes(nx.write_weighted_edgelist),
    "karate.csv": lambda path: _frame().to_csv(path, index=False),
    "karate.tsv.bz2": lambda path: _frame().to_csv(path, index=False, sep="\t"),
    "karate.txt": lambda path: _frame().to_csv(path, index=False, header=False, sep=" "),
    "matrix.csv": lambda path: nx.to_pandas_adjacency(KARATE).to_csv(path),
    "matrix.txt": lambda path: np.savetxt(path, _A.toarray(), fmt="%g"),
    "karate.mtx": lambda path: mmwrite(path, sparse.coo_array(_A), symmetry="symmetric"),
    "general.mtx": lambda path: mmwrite(path, sparse.coo_array(_A), symmetry="general"),
    "full.mtx": lambda path: mmwrite(path, _A.toarray()),
    "rows.npz": lambda path: sparse.save_npz(path, sparse.csr_array(_A)),
    "columns.npz": lambda path: sparse.save_npz(path, sparse.csc_array(_A)),
    "entries.npz": lambda path: sparse.save_npz(path, sparse.coo_array(_A)),
    "blocks.npz": lambda path: sparse.save_npz(path, sparse.bsr_array(_A)),
    "diagonals.npz": lambda path: sparse.save_npz(path, sparse.dia_array(_A)),
    "full.npz": lambda path: np.savez_compressed(path, _A.toarray()),
    "full.npy": lambda path: np.save(path, _A.toarray()),
}
#: Those that hold no weights.
KARATE_BARE = {
    "karate.adjlist": _with_attributes(nx.write_adjlist),
    "bare.edgelist": lambda path: nx.write_edgelist(KARATE, path, data=False),
    "pattern.mtx": lambda path: mmwrite(
        path, sparse.coo_array(_A), field="pattern", symmetry="symmetric"
    ),
}


# --- one list of edges, in all the ways that graphs are handed over ----------------------------

#: Name → (edges as they are listed, the weights of the undirected graph).
LISTS = {
    "three and two": ([("a", "b", 1)] * 3 + [("b", "a", 1)] * 2, {("a", "b"): 5}),
    "parallel": ([("a", "b", 2), ("a", "b", 3)], {("a", "b"): 5}),
    "opposite": ([("a", "b", 2), ("b", "a", 3)], {("a", "b"): 5}),
    "some opposite": (
        [("a", "b", 1), ("b", "a", 1), ("b", "c", 1)],
        {("a", "b"): 2, ("b", "c"): 1},
    ),
    "all opposite": (
        [("a", "b", 2), ("b", "a", 2), ("b", "c", 3), ("c", "b", 3)],
        {("a", "b"): 2, ("b", "c"): 3},
    ),
    "all opposite and as heavy": (
        [("a", "b", 1), ("b", "a", 1), ("b", "c", 1), ("c", "b", 1)],
        {("a", "b"): 1, ("b", "c"): 1},
    ),
    "all opposite, one heavier": (
        [("a", "b", 2), ("b", "a", 3), ("b", "c", 3), ("c", "b", 3)],
        {("a", "b"): 5, ("b", "c"): 6},
    ),
    "loops": ([("a", "a", 2), ("a", "a", 2), ("a", "b", 1)], {("a", "a"): 4, ("a", "b"): 1}),
    "loop in a matrix": (
        [("a", "a", 2), ("a", "b", 3), ("b", "a", 3)],
        {("a", "a"): 2, ("a", "b"): 3},
    ),
}
_NUMBER = {"a": "1", "b": "2", "c": "3"}
_LETTER = {node: node for node in _NUMBER}


def _lines(edges, names, mark):
    """Lines of two ends, and weights unless all are 1."""
    weighted = any(weight != 1 for *_, weight in edges)
    return "".join(
        mark.join([names[a], names[b], *([str(w)] * weighted)]) + "\n" for a, b, w in edges
    )


def _csv(edges, folder):
    head = "source,target,weight\n" if any(w != 1 for *_, w in edges) else "source,target\n"
    return _read(folder, "list.csv", head + _lines(edges, _LETTER, ","))


def _sif(edges, folder):
    """Each edge has a relation of its own, because a line that is repeated is one edge."""
    lines = "".join(f"{a} r{i} {b}\n" for i, (a, b, _) in enumerate(edges))
    return _read(folder, "list.sif", lines)


def _adjlist(edges, folder):
    return _read(folder, "list.adjlist", _lines(edges, _LETTER, " "))


def _ones_csv(edges, folder):
    frame = pd.DataFrame(edges, columns=["source", "target", "weight"])
    return _read(folder, "weights.csv", frame.to_csv(index=False))


def _numbers_txt(edges, folder):
    return _named(_read(folder, "list.txt", _lines(edges, _NUMBER, " ")), 1)


def _read(folder, name, text):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return read_graph(path)


def _named(graph, first):
    """The nodes of a graph by letters instead of numbers."""
    letters = np.array(["abc"[int(node) - first] for node in graph.nodes], dtype=object)
    return Graph(graph.adjacency, letters, graph.notes)


def _pajek(edges, folder):
    vertices = [f'{_NUMBER[node]} "{node}"' for node in _nodes(edges)]
    head = f"*Vertices {len(vertices)}\n" + "\n".join(vertices) + "\n*Arcs\n"
    return _read(folder, "list.net", head + _lines(edges, _NUMBER, " "))


def _nodes(edges):
    return sorted({node for *ends, _ in edges for node in ends})


def _directed(edges):
    G = nx.MultiDiGraph()
    for *ends, weight in edges:
        G.add_edge(*ends, **({} if weight == 1 else {"weight": weight}))
    return G


def _networkx(edges, folder):
    return Graph.from_networkx(_directed(edges))


def _written(write, suffix):
    def way(edges, folder):
        path = folder / f"graph{suffix}"
        write(_directed(edges), path)
        return read_graph(path)

    return way


def _matrix(edges):
    nodes = _nodes(edges)
    A = np.zeros((len(nodes),) * 2)
    for source, target, weight in edges:
        A[nodes.index(source), nodes.index(target)] += weight
    return A


def _written_matrix(write, suffix):
    def way(edges, folder):
        path = folder / f"matrix{suffix}"
        write(path, _matrix(edges))
        return _named(read_graph(path), 0)

    return way


def _columns(edges, folder):
    return Graph.from_edges(pd.DataFrame(edges, columns=["source", "target", "weight"]))


def _pairs(edges, folder):
    return Graph.from_edges(edges)


def _in_memory(make):
    """What estimators and scores take: seen by the cuts of its nodes, which loops do not enter."""

    def way(edges, folder):
        A, names = make(edges), _nodes(edges)
        cuts = [cut_size(A, np.arange(len(names)) == i) for i in range(len(names))]
        total = cut_size(A, np.arange(len(names)))
        found = {}
        for (i, a), (j, b) in itertools.combinations(enumerate(names), 2):
            others = [cuts[h] for h in range(len(names)) if h not in (i, j)]
            found[a, b] = total - sum(others)
        return {pair: weight for pair, weight in found.items() if weight}

    return way


#: Name → a function from edges and a folder to a graph, or to weights without those of loops.
WAYS = {
    "csv": _csv,
    "csv with weights": _ones_csv,
    "txt": _numbers_txt,
    "sif": _sif,
    "adjlist": _adjlist,
    "net": _pajek,
    "networkx": _networkx,
    "gml": _written(nx.write_gml, ".gml"),
    "graphml": _written(nx.write_graphml, ".graphml"),
    "gexf": _written(nx.write_gexf, ".gexf"),
    "net of networkx": _written(nx.write_pajek, ".net"),
    "mtx": _written_matrix(
        lambda path, A: mmwrite(path, sparse.coo_array(A), symmetry="general"), ".mtx"
    ),
    "npz": _written_matrix(lambda path, A: sparse.save_npz(path, sparse.csr_array(A)), ".npz"),
    "npy": _written_matrix(np.save, ".npy"),
    "frame": _columns,
    "pairs": _pairs,
    "array": _in_memory(_matrix),
    "sparse array": _in_memory(lambda edges: sparse.csr_array(_matrix(edges))),
    "frame of an estimator": _in_memory(
        lambda edges: pd.DataFrame(edges, columns=["source", "target", "weight"])
    ),
}

#: Formats without weights.
BARE = ("sif", "adjlist")


def weights_by(way, edges, folder):
    """The weights of pairs, and what was said."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", GraphNotice)
        found = WAYS[way](edges, folder)
    if isinstance(found, dict):
        return found, [str(notice.message) for notice in caught]
    return edges_in(found), list(found.notes)


def expected_by(way, weights, factor=1):
    """What should be found: without loops where they cannot be seen."""
    seen = way not in ("array", "sparse array", "frame of an estimator")
    return {(a, b): factor * w for (a, b), w in weights.items() if seen or a != b}
