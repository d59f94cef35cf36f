"""From a user's graph to a symmetric CSR matrix: what is accepted, said and refused."""

import warnings
from types import SimpleNamespace

import networkx as nx
import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse

from kgroups.exceptions import GraphNotice
from kgroups.input.adjacency import (
    adjacency_of,
    components,
    degrees,
    with_loops_twice,
)
from kgroups.input.check_adjacency import check_adjacency

PATH = np.array([[0, 1, 0], [1, 0, 2], [0, 2, 0]], dtype=float)
EDGES = r"For a list of edges write kgroups\.graphs\.Graph\.from_edges\(\.\.\.\)"
FORMATS = ["bsr", "coo", "csc", "csr", "dia", "dok", "lil"]


def assert_clean(A):
    assert isinstance(A, sparse.csr_array)
    assert A.dtype == np.float64
    assert A.indices.dtype == A.indptr.dtype == np.int32
    fresh = sparse.csr_array((A.data, A.indices, A.indptr), shape=A.shape)
    assert fresh.has_canonical_format
    assert np.all(A.data != 0)
    assert (A != A.T).nnz == 0


def csr(data, indices, indptr, n):
    """A CSR that nobody has checked."""
    A = sparse.csr_array((n, n))
    A.data, A.indices, A.indptr = np.array(data, float), np.array(indices), np.array(indptr)
    return A


# --- what is accepted ------------------------------------------------------------------------


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint64, np.float32, np.float64, ">f8"])
def test_sparse_formats_and_numbers(kind, dtype):
    dense = (PATH > 0) if dtype is bool else PATH
    A = getattr(sparse, f"{kind}_array")(dense.astype(np.dtype(dtype).newbyteorder("=")))
    if dtype == ">f8" and kind == "csr":
        A.data = A.data.astype(">f8")
    found = check_adjacency(A)
    assert_clean(found)
    assert_array_equal(found.toarray(), dense)


@pytest.mark.parametrize(
    "A",
    [PATH, PATH.tolist(), np.asfortranarray(PATH), sparse.csr_matrix(PATH), PATH.astype(int)],
    ids=["array", "lists", "fortran", "csr_matrix", "integers"],
)
@pytest.mark.nojit
def test_other_holders(A):
    found = check_adjacency(A)
    assert_clean(found)
    assert_array_equal(found.toarray(), PATH)


@pytest.mark.nojit
def test_an_object_with_an_adjacency():
    found = check_adjacency(SimpleNamespace(adjacency=sparse.csr_array(PATH)))
    assert_array_equal(found.toarray(), PATH)


@pytest.mark.nojit
def test_a_clean_csr_is_used_as_it_is():
    A = sparse.csr_array(PATH)
    found = check_adjacency(A)
    assert np.shares_memory(found.data, A.data)
    assert np.shares_memory(found.indices, A.indices)


def test_read_only_and_mapped_arrays(tmp_path):
    A = sparse.csr_array(PATH)
    np.save(tmp_path / "data.npy", A.data)
    A.data = np.load(tmp_path / "data.npy", mmap_mode="r")
    A.indices.setflags(write=False)
    assert_array_equal(check_adjacency(A).toarray(), PATH)


@pytest.mark.nojit
def test_indices_of_64_bits_become_32():
    A = sparse.csr_array(PATH)
    A.indices, A.indptr = A.indices.astype(np.int64), A.indptr.astype(np.int64)
    assert_clean(check_adjacency(A))
    assert A.indices.dtype == np.int64


@pytest.mark.nojit
def test_no_edges():
    found = check_adjacency(np.zeros((2, 2)))
    assert_clean(found)
    assert found.nnz == 0


@pytest.mark.nojit
def test_networkx_in_the_order_of_its_nodes():
    G = nx.Graph()
    G.add_nodes_from("cab")
    G.add_edge("a", "b", weight=2)
    G.add_edge("a", "c")
    G.add_edge("c", "c", weight=0.1)
    with pytest.warns(GraphNotice, match="A: 1 of 3 edges has no weight, and weighs 1"):
        found = check_adjacency(G)
    assert_clean(found)
    assert_array_equal(found.toarray(), [[0.1, 1, 0], [1, 0, 2], [0, 2, 0]])


@pytest.mark.parametrize("seed", range(3))
def test_networkx_agrees_with_its_own_conversion(seed):
    rng = np.random.default_rng(seed)
    G = nx.gnm_random_graph(20, 60, seed=seed)
    G.add_edges_from((i, i) for i in range(0, 20, 3))
    for *_, data in G.edges(data=True):
        data["weight"] = float(rng.integers(1, 9))
    expected = nx.to_scipy_sparse_array(G, weight="weight", dtype=float)
    assert_array_equal(check_adjacency(G).toarray(), expected.toarray())


def test_parallel_edges_of_networkx():
    G = nx.MultiGraph([(0, 1), (1, 0), (1, 2), (2, 2), (2, 2)])
    with pytest.warns(GraphNotice, match="A has 2 edges that repeat others"):
        found = check_adjacency(G)
    assert_array_equal(found.toarray(), [[0, 2, 0], [2, 0, 1], [0, 1, 2]])


class ListedGraph:
    """What igraph.Graph is asked for, without igraph."""

    def __init__(self, n, edges, weights=None, directed=False):
        self.n, self.edges, self.directed = n, edges, directed
        self.es = EdgeSequence() if weights is None else EdgeSequence(weight=weights)

    def vcount(self):
        return self.n

    def get_edgelist(self):
        return self.edges

    def is_directed(self):
        return self.directed


class EdgeSequence(dict):
    def attributes(self):
        return list(self)


@pytest.mark.nojit
@pytest.mark.parametrize(
    ("weights", "expected"),
    [
        (None, [[1, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 0]]),
        ([2, 3, 0.5], [[0.5, 2, 0, 0], [2, 0, 3, 0], [0, 3, 0, 0], [0, 0, 0, 0]]),
    ],
)
def test_what_looks_like_igraph(weights, expected):
    found = check_adjacency(ListedGraph(4, [(0, 1), (2, 1), (0, 0)], weights))
    assert_clean(found)
    assert_array_equal(found.toarray(), expected)


@pytest.mark.nojit
def test_igraph_without_edges_or_an_edge_sequence():
    graph = ListedGraph(2, [])
    del graph.es
    assert check_adjacency(graph).shape == (2, 2)


@pytest.mark.nojit
def test_directed_and_parallel_edges_of_igraph():
    with pytest.warns(GraphNotice, match="1 edge has no counterpart in the other direction"):
        found = check_adjacency(ListedGraph(3, [(0, 1), (1, 0), (1, 2)], directed=True))
    assert_array_equal(found.toarray(), [[0, 1, 0], [1, 0, 1], [0, 1, 0]])
    with pytest.warns(GraphNotice, match="A has 1 edge that repeats another; their weights"):
        found = check_adjacency(ListedGraph(2, [(0, 1), (1, 0)], [2, 3]))
    assert_array_equal(found.toarray(), [[0, 5], [5, 0]])


def test_igraph_itself():
    igraph = pytest.importorskip("igraph")
    G = igraph.Graph(4, [(0, 1), (2, 1), (2, 2)])
    assert_array_equal(check_adjacency(G).toarray()[:3, :3], [[0, 1, 0], [1, 0, 1], [0, 1, 1]])
    G.es["weight"] = [2, 0.5, 1]
    found = check_adjacency(G)
    assert_clean(found)
    assert_array_equal(found.toarray()[:3, :3], [[0, 2, 0], [2, 0, 0.5], [0, 0.5, 1]])
    G.es["weight"] = [2, None, 1]
    with pytest.raises(TypeError, match=r"the edge \(\d, \d\) has the weight None"):
        check_adjacency(G)


# --- repeats and direction -------------------------------------------------------------------


def test_repeats_of_coo_are_added_without_running_over():
    ones = np.full(4, 200, np.uint8)
    A = sparse.coo_array((ones, ([0, 0, 1, 1], [1, 1, 0, 0])), shape=(2, 2))
    with pytest.warns(GraphNotice, match="A has 2 entries that repeat"):
        found = check_adjacency(A)
    assert_array_equal(found.toarray(), [[0, 400], [400, 0]])


def test_a_csr_that_lies_about_its_order():
    A = csr([1, 2, 1, 1, 0.5, 0.5], [2, 1, 0, 0, 0, 0], [0, 2, 4, 6], 3)
    A.has_canonical_format = A.has_sorted_indices = True
    kept = A.data.copy(), A.indices.copy()
    with pytest.warns(GraphNotice, match="2 entries"):
        found = check_adjacency(A, name="G")
    assert_clean(found)
    assert_array_equal(found.toarray(), [[0, 2, 1], [2, 0, 0], [1, 0, 0]])
    assert_array_equal(A.data, kept[0])
    assert_array_equal(A.indices, kept[1])


def test_unsorted_rows_and_stored_zeros_are_nobodys_business():
    A = csr([2, 1, 1, 0, 2, 0], [2, 1, 0, 1, 0, 1], [0, 2, 4, 6], 3)
    found = check_adjacency(A)
    assert_clean(found)
    assert_array_equal(found.toarray(), [[0, 1, 2], [1, 0, 0], [2, 0, 0]])
    assert A.nnz == 6


@pytest.mark.nojit
def test_directed_without_weights():
    A = np.array([[1, 1, 0], [1, 0, 1], [0, 0, 0]])
    with pytest.warns(GraphNotice, match=r"1 edge has no counterpart .* either .*A\.maximum"):
        found = check_adjacency(A)
    assert_clean(found)
    assert_array_equal(found.toarray(), [[1, 1, 0], [1, 0, 1], [0, 1, 0]])


@pytest.mark.nojit
def test_directed_with_weights():
    A = np.array([[5, 1, 0], [2, 0, 3], [0, 0, 0]])
    with pytest.warns(GraphNotice, match=r"2 pairs of nodes have .* are added"):
        found = check_adjacency(A)
    assert_clean(found)
    assert_array_equal(found.toarray(), [[5, 3, 0], [3, 0, 3], [0, 3, 0]])


@pytest.mark.nojit
def test_directed_networkx():
    G = nx.DiGraph([(0, 1), (1, 0), (1, 2)])
    with pytest.warns(
        GraphNotice, match="A is not symmetric: 1 edge has no counterpart in the other direction"
    ):
        found = check_adjacency(G)
    assert_array_equal(found.toarray(), [[0, 1, 0], [1, 0, 1], [0, 1, 0]])


@pytest.mark.nojit
def test_weights_of_two_directions_may_cancel():
    with pytest.warns(GraphNotice):
        found = check_adjacency(np.array([[0.0, 1], [-1, 0]]), allow_negative=True)
    assert found.nnz == 0


@pytest.mark.nojit
@pytest.mark.parametrize("lost", [1e-13, 1.0], ids=["near", "one missing"])
def test_rounding_is_no_direction(lost):
    A = np.array([[0, 3.0, 1e-11], [3, 0, 1], [0, 1, 0]])
    A[0, 1] += 1e-11 * lost
    found = check_adjacency(A)
    assert_clean(found)
    np.testing.assert_allclose(found.toarray(), (A + A.T) / 2, rtol=1e-15)


@pytest.mark.parametrize("seed", range(40))
def test_random_matrices_against_numpy(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 30))
    dense = rng.integers(0, 3, (n, n)) * (rng.random((n, n)) < rng.uniform(0.05, 0.7)) * 1.0
    if seed % 3 == 0:
        dense = (dense > 0) * 1.0
    if seed % 2:
        dense = np.triu(dense) + np.triu(dense, 1).T
        if n > 1 and seed % 4 == 1:
            i, j = rng.integers(n, size=2)
            dense[i, j] += 1
    is_symmetric = np.array_equal(dense, dense.T)
    ones = bool(np.all(dense[dense != 0] == 1))
    both = dense + dense.T - np.diag(np.diag(dense))
    expected = dense if is_symmetric else np.maximum(dense, dense.T) if ones else both
    A = getattr(sparse, f"{FORMATS[seed % len(FORMATS)]}_array")(dense)
    before = A.copy()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = check_adjacency(A)
    assert len(caught) == (not is_symmetric)
    assert_clean(found)
    assert_array_equal(found.toarray(), expected)
    assert_array_equal(A.toarray(), before.toarray())


# --- what is refused -------------------------------------------------------------------------


@pytest.mark.nojit
@pytest.mark.parametrize(
    ("A", "message"),
    [
        (
            np.ones((2, 3)),
            r"A must be square: one row and one column per node; got shape \(2, 3\)",
        ),
        (sparse.csr_array((2, 3)), "must be square"),
        (np.ones(4), "must be square"),
        (np.ones((2, 2, 2)), "must be square"),
        (sparse.coo_array(np.ones(3)), "must be square"),
        ([], "must be square"),
        ([[0, 1], [1]], "rows differ in length"),
        (np.empty((0, 0)), "the graph has no nodes"),
        (nx.Graph(), "the graph has no nodes"),
        (ListedGraph(0, []), "the graph has no nodes"),
        ([[0, 1], [1, 2], [2, 0.5]], rf"got shape \(3, 2\)\. {EDGES}"),
        (np.ones((5, 3)), rf"got shape \(5, 3\)\. {EDGES}"),
        ([[0, 1], [1, 2, 0.5]], rf"rows differ in length\. {EDGES}"),
        ([(0, 1), (1, 2, 0.5)], r"edge 1 is \(1, 2, 0.5\); expected \(source, target\)"),
        (np.array([[0, np.nan], [np.nan, 0]]), "contains NaN in row 0, column 1; write 0"),
        (np.array([[0, 0], [0, np.inf]]), "contains infinity in row 1, column 1"),
        (np.array([[0, 1, 0], [1, 0, -2], [0, -2, 0]]), "row 1, column 2 is -2.*bethe_hessian"),
        (np.array([[0, 1e308], [1.5e308, 0]]), r"A \+ A.T contains infinity"),
    ],
)
@pytest.mark.filterwarnings("ignore::kgroups.exceptions.GraphNotice")
def test_values(A, message):
    with pytest.raises(ValueError, match=message):
        check_adjacency(A)


@pytest.mark.nojit
@pytest.mark.parametrize(
    ("A", "message"),
    [
        (np.ones((2, 2), complex), "complex numbers.*A.real"),
        (sparse.csr_array(np.ones((2, 2), complex)), "complex"),
        (np.full((4, 4), "a"), "must hold numbers; got <U1"),
        ([[0, None], [None, 0]], "must hold numbers; got object"),
        (np.ma.masked_equal(PATH, 2), "masked array; write A.filled"),
        (nx.path_graph(3).degree, rf"DegreeView\. {EDGES}"),
        (ListedGraph(2, [(0, 1)], ["2"]), r"edge \(0, 1\) has the weight '2'"),
        (None, "must be a scipy sparse array, a square NumPy array, a graph of networkx or igraph"),
        (SimpleNamespace(adjacency=3), "got types.SimpleNamespace"),
        (nx.Graph([(0, 1, {"weight": "2"})]), r"edge \(0, 1\) has the weight '2'"),
        (nx.Graph([(0, 1, {"weight": None})]), "has the weight None"),
    ],
)
def test_types(A, message):
    with pytest.raises(TypeError, match=message):
        check_adjacency(A)


@pytest.mark.nojit
def test_negative_weights_where_they_are_allowed():
    A = -PATH
    assert_array_equal(check_adjacency(A, allow_negative=True).toarray(), A)


@pytest.mark.parametrize(
    ("data", "indices", "indptr"),
    [
        ([1, 1], [5, 0], [0, 1, 2]),
        ([1, 1], [-1, 0], [0, 1, 2]),
        ([1, 1], [1, 0], [0, 2, 1]),
        ([1, 1], [1, 0], [1, 1, 2]),
        ([1, 1], [1, 0], [0, 1, 9]),
        ([1, 1], [1, 0], [0, 2]),
        ([1], [1, 0], [0, 1, 2]),
        ([1, 1], [1.5, 0], [0, 1, 2]),
        ([1, 1], [2**40, 0], [0, 1, 2]),
        ([1, 1, 1], [1, 0, 1], [0, 3, 2]),
    ],
)
@pytest.mark.nojit
@pytest.mark.filterwarnings("ignore")
def test_damaged_csr(data, indices, indptr):
    with pytest.raises(ValueError, match="A is a damaged sparse matrix"):
        check_adjacency(csr(data, indices, indptr, 2))


@pytest.mark.nojit
def test_damaged_coo():
    A = sparse.coo_array(PATH)
    A.coords = (np.array([0, 9, 1, 2]), A.coords[1])
    with pytest.raises(ValueError, match="damaged"):
        check_adjacency(A)


# --- what is made of it ----------------------------------------------------------------------


@pytest.mark.nojit
def test_degrees_loops_and_components():
    G = nx.Graph([(0, 1), (1, 2), (2, 2), (3, 3)])
    A = check_adjacency(G)
    assert_array_equal(degrees(A), [1, 2, 2, 1])
    twice = with_loops_twice(A)
    assert_clean(twice)
    assert_array_equal(degrees(twice), [degree for _, degree in G.degree()])
    count, labels = components(A)
    assert count == 2
    assert_array_equal(labels, [0, 0, 0, 1])
    assert labels.dtype == np.int64


@pytest.mark.nojit
def test_without_loops_nothing_is_copied():
    A = check_adjacency(PATH)
    assert with_loops_twice(A) is A


@pytest.mark.nojit
def test_notes_do_not_speak_python():
    A = np.array([[0, 1], [0, 0]])
    found = adjacency_of(A, name="A", allow_negative=False)
    assert found.was_directed
    assert found.notes[0].endswith("an edge is kept where there is one in either direction.")
    assert "A.maximum(A.T)" in found.warnings()[0]


def test_a_small_edge_in_one_direction_beside_a_huge_one_is_directed():
    """What is rounding of one edge may be all of another."""
    A = np.zeros((3, 3))
    A[0, 1] = A[1, 0] = 1e12
    A[1, 2] = 5.0
    with pytest.warns(GraphNotice, match="not symmetric: 1 pair of nodes has different weights"):
        both = check_adjacency(A)
    assert both[1, 2] == both[2, 1] == 5.0
