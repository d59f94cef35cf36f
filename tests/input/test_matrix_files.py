"""Adjacency matrices written in full are graphs, whatever names stand next to the numbers."""

import networkx as nx
import numpy as np
import pandas as pd
import pytest

from helpers import each
from kgroups.exceptions import DataError
from kgroups.graphs import read_graph

KARATE = nx.karate_club_graph()
WEIGHTED = nx.to_numpy_array(KARATE)
A = (WEIGHTED > 0).astype(int)
NAMES = [f"p{i}" for i in range(34)]


def frame(matrix, *, rows=None, columns=None):
    return pd.DataFrame(matrix, index=rows, columns=columns)


WRITTEN = {
    "bare.csv": lambda path: frame(A).to_csv(path, header=False, index=False),
    "bare.tsv": lambda path: frame(A).to_csv(path, header=False, index=False, sep="\t"),
    "blanks.txt": lambda path: np.savetxt(path, A, fmt="%d"),
    "columns.csv": lambda path: frame(A, columns=NAMES).to_csv(path, index=False),
    "both.csv": lambda path: frame(A, rows=NAMES, columns=NAMES).to_csv(path),
    "rows.csv": lambda path: frame(A, rows=NAMES).to_csv(path, header=False),
    "counted.csv": lambda path: frame(A).to_csv(path),
    "counted columns.csv": lambda path: frame(A).to_csv(path, index=False),
    "a.npy": lambda path: np.save(path, A),
    "a.npz": lambda path: np.savez(path, A),
}


@each("name", WRITTEN)
def test_a_matrix_is_a_graph(tmp_path, name):
    WRITTEN[name](tmp_path / name)
    graph = read_graph(tmp_path / name)
    np.testing.assert_array_equal(graph.adjacency.toarray(), A)
    has_names = name in ("columns.csv", "both.csv", "rows.csv")
    assert graph.nodes.tolist() == (NAMES if has_names else list(range(34)))


def test_columns_are_matched_with_rows_by_their_names(tmp_path):
    order = np.random.default_rng(0).permutation(34)
    columns = [NAMES[c] for c in order]
    frame(WEIGHTED[:, order], rows=NAMES, columns=columns).to_csv(tmp_path / "w.csv")
    graph = read_graph(tmp_path / "w.csv")
    np.testing.assert_array_equal(graph.adjacency.toarray(), WEIGHTED)
    assert (graph.nodes.tolist(), len(graph.notes)) == (NAMES, 1)
    frame(A, rows=NAMES, columns=[f"V{i}" for i in range(34)]).to_csv(tmp_path / "v.csv")
    graph = read_graph(tmp_path / "v.csv")
    assert graph.nodes.tolist() == NAMES


def test_a_matrix_of_two_named_nodes(tmp_path):
    path = tmp_path / "two.csv"
    path.write_text(",a,b\na,0,3\nb,3,0\n")
    graph = read_graph(path)
    assert (graph.nodes.tolist(), graph.adjacency.toarray().tolist()) == (
        ["a", "b"], [[0, 3], [3, 0]],
    )  # fmt: skip


@each(
    ("text", "matrix", "nodes"),
    [
        ("0,1,1\n1,0,1\n1,1,0\n", [[0, 1, 1], [1, 0, 1], [1, 1, 0]], [0, 1, 2]),
        ("0 1 2\n1 0 3\n2 3 0\n", [[0, 1, 2], [1, 0, 3], [2, 3, 0]], [0, 1, 2]),
        ("a,b,c\n0,2,1\n2,0,5\n1,5,0\n", [[0, 2, 1], [2, 0, 5], [1, 5, 0]], ["a", "b", "c"]),
        ("0,1,2\n0,2,1\n2,0,5\n1,5,0\n", [[0, 2, 1], [2, 0, 5], [1, 5, 0]], [0, 1, 2]),
        ("1,.5,.2\n.5,1,.3\n.2,.3,1\n", [[1, 0.5, 0.2], [0.5, 1, 0.3], [0.2, 0.3, 1]], [0, 1, 2]),
        ("0,1\n1,0\n", [[0, 1], [1, 0]], [0, 1]),
        ("0,2.5\n2.5,0\n", [[0, 2.5], [2.5, 0]], [0, 1]),
    ],
)
def test_a_small_matrix_that_makes_no_sense_as_edges(tmp_path, text, matrix, nodes):
    path = tmp_path / "small.csv"
    path.write_text(text)
    graph = read_graph(path)
    assert (graph.adjacency.toarray().tolist(), graph.nodes.tolist()) == (matrix, nodes)


@each(
    ("text", "n_edges"),
    [
        ("0,1,2\n1,0,3\n2,3,0\n4,5,6\n", 2),
        ("0,1,2\n1,2,3\n2,0,4\n", 3),
        ("1,2\n2,3\n", 2),
        ("3,7\n7,3\n", 1),
        ("0,1\n0,2\n2,0\n", 2),
        ("source,target,weight\n0,2,1\n2,0,5\n1,5,1\n", 2),
        ("a,b,c\n1,2,9\n2,3,9\n3,1,8\n", 3),
    ],
)
def test_small_lists_of_edges_stay_lists(tmp_path, text, n_edges):
    path = tmp_path / "small.csv"
    path.write_text(text)
    graph = read_graph(path)
    assert graph.n_edges == n_edges


@each(
    ("text", "columns"),
    [
        ("1,2,3\n2,3,1\n3,1,2\n", ("1", "2", "3")),
        ("1,2,3\n2,1,4\n3,4,1\n", ("1", "2", "3")),
        ("0,1,1\n0,0,1\n0,0,0\n", ("1", "2", "3")),
        ("x,y,z\n1,2,3\n2,3,1\n3,1,2\n", ("x", "y", "z")),
    ],
)
def test_a_list_or_a_matrix_is_to_be_said(tmp_path, text, columns):
    path = tmp_path / "small.csv"
    path.write_text(text)
    with pytest.raises(DataError, match="edges or a matrix"):
        read_graph(path)
    options = dict(zip(("source", "target", "weight"), columns, strict=True))
    assert read_graph(path, **options).adjacency.nnz > 0
