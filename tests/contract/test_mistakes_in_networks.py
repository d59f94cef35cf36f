"""Mistakes with networks and their files: the class of error and two key words."""

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from helpers import assert_each_says, assert_says, each, wrong_today
from kgroups import BetheHessianClustering, GraphKGroups
from kgroups.exceptions import ComponentsNotice, DataError, GraphNotice
from kgroups.graphs import (
    Graph,
    bethe_hessian,
    degree_corrected_block_model,
    evidence,
    planted_partition,
    read_graph,
    read_node_labels,
    signal_to_noise_ratio,
    stochastic_block_model,
)
from kgroups.metrics import coverage, modularity, normalized_cut

NAN = np.nan
#: Two complete graphs of five nodes and an edge between them; a path; two triangles.
A = nx.to_numpy_array(nx.barbell_graph(5, 0))
HALVES = np.repeat([0, 1], 5)
PATH = nx.to_numpy_array(nx.path_graph(3))
PIECES = np.kron(np.eye(2), 1 - np.eye(3))
X = np.arange(20.0).reshape(10, 2) ** 1.5


def changed(place, value):
    """The matrix with another weight in one place and its mirror image."""
    B = A.copy()
    B[place] = B[place[::-1]] = value
    return B


def fit(A=A, k=2, **parameters):
    """A fit of communities."""
    return GraphKGroups(k, random_state=0, **parameters).fit(A)


def near(X=X, **parameters):
    """A fit to the graph of nearest neighbors."""
    return fit(X, affinity="nearest_neighbors", **parameters)


def damaged():
    """A sparse matrix with an entry in a column that it does not have."""
    B = sparse.csr_array(A)
    B.indices[3] = 99
    return B


GRAPHS = [
    ("not square", lambda: fit(np.zeros((3, 4))), ValueError, "square", "(3, 4)"),
    ("NaN", lambda: fit(changed((2, 3), NAN)), ValueError, "NaN", "row 2"),
    ("masked", lambda: fit(np.ma.MaskedArray(A, A > 0)), TypeError, "masked", "A"),
    ("damaged", lambda: fit(damaged()), ValueError, "damaged", "A"),
    ("no edges", lambda: fit(0 * A), ValueError, "10 nodes", "no edges"),
    ("no edges", lambda: BetheHessianClustering().fit(0 * A), ValueError, "10 nodes", "no edges"),
    ("a negative weight", lambda: fit(changed((0, 1), -0.5), objective="normalized_cut"),
     ValueError, "negative", "row 0"),
    ("a negative weight", lambda: fit(changed((0, 1), -0.5), objective="modularity"),
     ValueError, "negative", "row 0"),
    ("a negative degree", lambda: fit(changed((0, 1), -9), weights="degree",
     objective="ratio_association"), ValueError, "degree", "negative"),
    ("edges or a matrix", lambda: fit([(0, 1), (1, 0)]), ValueError, "matrix", "edges"),
    ("edges or a matrix, in a frame", lambda: fit(pd.DataFrame([[1, 2, 3], [2, 3, 1], [3, 1, 2]])),
     ValueError, "matrix", "edges"),
    ("plants and pollinators", lambda: fit(pd.DataFrame(A[:4, :5], list("abcd"), list("vwxyz"))),
     ValueError, "source", "target"),
    ("two columns of weights", lambda: fit(pd.DataFrame(
        {"source": [0, 1], "target": [1, 2], "score": [1.0, 2], "count": [3, 4]})), ValueError,
     "score", "count"),
    ("one-way edges", lambda: fit(np.triu(A)), GraphNotice, "symmetric", "21 edges"),
    ("not connected", lambda: fit(PIECES, 1), ComponentsNotice, "connected", "2 components"),
    ("not connected", lambda: BetheHessianClustering(2).fit(PIECES), ComponentsNotice,
     "connected", "2 components"),
    ("an id of 0.5", lambda: Graph.from_edges([0.5], [1]), TypeError, "ids", "0.5"),
    ("an id that is missing", lambda: Graph.from_edges(pd.DataFrame(
        {"source": ["a", None], "target": ["b", "c"]})), TypeError, "edge 1", "source"),
    ("more nodes than n_nodes", lambda: Graph.from_edges([(0, 1), (1, 2)], n_nodes=2), ValueError,
     "n_nodes=2", "node 2"),
    ("a decimal comma", lambda: Graph.from_edges(pd.DataFrame(
        {"source": ["a"], "target": ["b"], "weight": ["0,5"]})), TypeError, "0,5", "weight"),
    ("a weight of NaN", lambda: Graph.from_edges([0, 1], [1, 2], weight=[1, NAN]), ValueError,
     "weight", "edge 1"),
    ("a weight that is missing", lambda: Graph.from_edges([(0, 1, 1.0), (1, 2, None)]), TypeError,
     "weight", "edge 1"),
]  # fmt: skip

CHOICES = [
    ("k above n", lambda: fit(k=11), ValueError, "n_clusters=11", "10"),
    ("k above the nodes with an edge", lambda: fit(np.pad(PATH, (0, 2)), 4), ValueError,
     "n_clusters=4", "3 of 5"),
    ("weights of another objective", lambda: fit(objective="modularity", weights=np.ones(10)),
     ValueError, "weights", "modularity"),
    ("a weight below zero", lambda: fit(weights=-np.ones(10)), ValueError, "weights", "-1"),
    ("an empty community", lambda: fit(init=[0] * 10), ValueError, "init", "community 1"),
    ("belief in negative weights", lambda: fit(changed((0, 1), -0.5), init="belief"), ValueError,
     "belief", "negative"),
    ("r too small", lambda: fit(2.5 * A, r=1), ValueError, "r", "1.001"),
    ("r of zero", lambda: bethe_hessian(A, 0), ValueError, "r", "0"),
    ("resolution of zero", lambda: fit(objective="modularity", resolution=0), ValueError,
     "resolution", "0"),
    ("resolution without effect", lambda: fit(objective="normalized_cut", resolution=2),
     ValueError, "resolution=2", "normalized_cut"),
    ("too few sweeps", lambda: fit(init="random", max_iter=1), ConvergenceWarning,
     "max_iter", "stopped"),
    ("a graph for rows", lambda: near(nx.path_graph(3)), TypeError, "affinity", "precomputed"),
    ("rows with NaN", lambda: near([[0.0], [NAN]]), ValueError, "NaN", "row 1"),
    ("another graph in a report", lambda: fit().report(PATH), ValueError, "3 nodes", "10"),
]  # fmt: skip

SCORES = [
    ("labels of others", lambda: modularity(A, HALVES[:-1]), ValueError, "10 nodes", "(9,)"),
    ("a column", lambda: coverage(A, HALVES[:, None]), ValueError, "10 nodes", "(10, 1)"),
    ("a node without", lambda: modularity(PATH, [{0}, {1}]), ValueError, "node 2", "community"),
    ("a node in two", lambda: evidence(PATH, [{0, 1}, {1, 2}]), ValueError, "node 1", "0 and 1"),
    ("a node of another graph", lambda: modularity(PATH, [{0, 1}, {2, 7}]), ValueError, "7", "A"),
    ("masked labels", lambda: modularity(A, np.ma.MaskedArray(HALVES, HALVES > 0)), ValueError,
     "labels", "masked"),
    ("None", lambda: modularity(PATH, [0, 0, None]), ValueError, "labels", "node 2"),
    ("a negative weight", lambda: normalized_cut(-A, HALVES), ValueError, "negative", "row 0"),
    ("no edges", lambda: coverage(0 * A, HALVES), ValueError, "coverage", "edges"),
]  # fmt: skip

MODELS = [
    ("k above n", lambda: stochastic_block_model(5, 6, 1, 0), ValueError, "k=6", "n=5"),
    ("snr too small", lambda: stochastic_block_model(5, 2, 4, -2.1), ValueError, "snr", "-2.1"),
    ("sizes of others", lambda: stochastic_block_model(5, 2, 4, 1, sizes=[2, 2]), ValueError,
     "sizes", "n=5"),
    ("a weight below zero", lambda: degree_corrected_block_model(
        3, 1, 1, 1, weights=[1, 1, -2]), ValueError, "weights", "node 2"),
    ("a share above 1", lambda: planted_partition(10, 2, 3, 1.5), ValueError, "inside", "1.5"),
    ("no edges", lambda: signal_to_noise_ratio(0, 0, 2), ValueError, "edges", "k=2"),
]  # fmt: skip

#: Name of a file, what it holds, and two words of the DataError.
FILES = [
    ("word.csv", b"a,b,x\nb,c,1\n", "x", "line 1"),
    ("gap.csv", b"1,2,1\n1,3,\n", "weight", "line 2"),
    ("end.csv", b"a,b\n,c\n", "end", "line 2"),
    ("four.csv", b"1,2,3,4\n2,3,4,5\n", "4 fields", "line 1"),
    ("mark.csv", b"a;b;1,234\nb;c;2,345\n", "comma", "decimal"),
    ("marks.csv", b"a;b;1,2\nb;c;2.5\n", "decimal", "weight"),
    ("two.csv", b"source,target,value,score\na,b,1,2\n", "value", "score"),
    ("three.csv", b"1,2,3\n2,3,1\n3,1,2\n", "edges", "matrix"),
    ("labels.csv", b"node,label\n1,2\n", "labels", "node"),
    ("bytes.csv", b"a,b\nb,\xff\n", "UTF-8", "line 2"),
    ("matrix.csv", b"0,1,0\n1,0,nan\n0,1,0\n", "line 2", "nan"),
    ("packed.csv", b"\x1f\x8b\x08\x00", "packed.csv", "ended"),
    ("cut.gml", b"graph [ node [ id 0", "GML", "cut.gml"),
    ("cut.graphml", b"<graphml><graph>", "GraphML", "cut.graphml"),
    ("doctype.graphml", b'<!DOCTYPE x [<!ENTITY a "b">]><graphml/>', "declares", "DOCTYPE"),
    ("vertex.net", b"*Vertices 2\n*Edges\n1 3\n", "3", "vertex"),
    ("cut.mtx", b"%%MatrixMarket matrix coordinate real general\n3 3 9\n1 2 1\n",
     "cut.mtx", "8 lines"),
    ("skew.mtx", b"%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 1\n",
     "skew", "directions"),
    ("table.xlsx", b"PK\x03\x04", "table.xlsx", "graph"),
    ("empty.csv", b"", "empty.csv", "empty"),
]  # fmt: skip

#: What is wrong with how a file is read, the call, the class of error, two words.
READINGS = [
    ("one end", lambda: read_graph("g.csv", source="a"), ValueError, "source", "target"),
    ("a column that is not there", lambda: read_graph("g.csv", source="a", target="c"), DataError,
     "'c'", "'b'"),
    ("a column twice", lambda: read_graph("g.csv", source="a", target="a"), DataError,
     "source", "target"),
    ("one mark for two", lambda: read_graph("g.csv", delimiter=",", decimal=","), ValueError,
     "delimiter", "decimal"),
    ("a line that is not there", lambda: read_graph("g.csv", skip_lines=[9]), DataError,
     "3 lines", "line 9"),
    ("labels of other nodes", lambda: read_node_labels("labels.csv", read_graph("g.csv")),
     DataError, "labels.csv", "match"),
    ("two labels of a node", lambda: read_node_labels("twice.csv", read_graph("g.csv")),
     DataError, "line 3", "before"),
]  # fmt: skip

SUBJECTS = {"graphs": GRAPHS, "choices": CHOICES, "scores": SCORES, "models": MODELS}


@pytest.mark.parametrize("subject", SUBJECTS)
def test_mistakes_in_networks(subject):
    assert_each_says(SUBJECTS[subject])


@each("name, content, one, two", FILES, ids=lambda row: row[0])
def test_files_of_networks(folder, name, content, one, two):
    (folder / name).write_bytes(content)
    assert_says(lambda: read_graph(name), DataError, one, two)


def test_readings_of_files(folder):
    (folder / "g.csv").write_text("a,b\n1,2\n2,3\n")
    (folder / "labels.csv").write_text("node,label\nx,1\ny,2\n")
    (folder / "twice.csv").write_text("node,label\n1,p\n1,q\n")
    assert_each_says(READINGS)


MASKS = [
    ("a graph that is not square", lambda: Graph(sparse.csr_array(A[:3]), np.arange(3)), ValueError,
     "adjacency", "(3, 10)"),
    ("masked weights of edges", lambda: Graph.from_edges(
        [0, 1], [1, 2], weight=np.ma.MaskedArray([1.0, 2.0], [True, False])), ValueError,
     "weight", "masked"),
    ("masked ends of edges", lambda: Graph.from_edges(
        np.ma.MaskedArray([0, 1], [True, False]), [1, 2]), ValueError, "source", "masked"),
]  # fmt: skip


def test_graphs_that_are_not_square_and_masked_edges():
    assert_each_says(MASKS)


#: What is not refused today.
OPEN = [
    ("a negative resolution", lambda: modularity(A, HALVES, resolution=-1), ValueError,
     "resolution", "-1"),
    ("resolution of NaN", lambda: modularity(A, HALVES, resolution=NAN), ValueError,
     "resolution", "nan"),
]  # fmt: skip


@wrong_today("accepted without a word")
@pytest.mark.parametrize("row", OPEN, ids=lambda row: row[0])
def test_mistakes_in_networks_that_are_not_refused(row):
    assert_each_says([row])
