"""From a user's matrix to a symmetric CSR matrix: types, repeats, direction and damage."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse

from helpers import each
from kgroups.exceptions import GraphNotice
from kgroups.input.adjacency import (
    with_loops_twice,
)
from kgroups.input.check_adjacency import check_adjacency

PATH = np.array([[0, 1, 0], [1, 0, 2], [0, 2, 0]], dtype=float)
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


@each("kind", FORMATS)
@each("dtype", [bool, np.int8, np.uint64, np.float32, np.float64, ">f8"])
def test_sparse_formats_and_numbers(kind, dtype):
    dense = (PATH > 0) if dtype is bool else PATH
    A = getattr(sparse, f"{kind}_array")(dense.astype(np.dtype(dtype).newbyteorder("=")))
    if dtype == ">f8" and kind == "csr":
        A.data = A.data.astype(">f8")
    found = check_adjacency(A)
    assert_clean(found)
    assert_array_equal(found.toarray(), dense)


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
def test_igraph_without_edges_or_an_edge_sequence():
    graph = ListedGraph(2, [])
    del graph.es
    assert check_adjacency(graph).shape == (2, 2)


@pytest.mark.nojit
def test_directed_and_parallel_edges_of_igraph():
    with pytest.warns(GraphNotice):
        found = check_adjacency(ListedGraph(3, [(0, 1), (1, 0), (1, 2)], directed=True))
    assert_array_equal(found.toarray(), [[0, 1, 0], [1, 0, 1], [0, 1, 0]])
    with pytest.warns(GraphNotice):
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


# --- repeats and direction -------------------------------------------------------------------


def test_repeats_of_coo_are_added_without_running_over():
    ones = np.full(4, 200, np.uint8)
    A = sparse.coo_array((ones, ([0, 0, 1, 1], [1, 1, 0, 0])), shape=(2, 2))
    with pytest.warns(GraphNotice):
        found = check_adjacency(A)
    assert_array_equal(found.toarray(), [[0, 400], [400, 0]])


def test_a_csr_that_lies_about_its_order():
    A = csr([1, 2, 1, 1, 0.5, 0.5], [2, 1, 0, 0, 0, 0], [0, 2, 4, 6], 3)
    A.has_canonical_format = A.has_sorted_indices = True
    kept = A.data.copy(), A.indices.copy()
    with pytest.warns(GraphNotice):
        found = check_adjacency(A, name="G")
    assert_clean(found)
    assert_array_equal(found.toarray(), [[0, 2, 1], [2, 0, 0], [1, 0, 0]])
    assert_array_equal(A.data, kept[0])
    assert_array_equal(A.indices, kept[1])


@pytest.mark.nojit
def test_weights_of_two_directions_may_cancel():
    with pytest.warns(GraphNotice):
        found = check_adjacency(np.array([[0.0, 1], [-1, 0]]), allow_negative=True)
    assert found.nnz == 0


@pytest.mark.nojit
@each("lost", [1e-13, 1.0])
def test_rounding_is_no_direction(lost):
    A = np.array([[0, 3.0, 1e-11], [3, 0, 1], [0, 1, 0]])
    A[0, 1] += 1e-11 * lost
    found = check_adjacency(A)
    assert_clean(found)
    np.testing.assert_allclose(found.toarray(), (A + A.T) / 2, rtol=1e-15)


@each("seed", range(12))
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


@each(
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
def test_without_loops_nothing_is_copied():
    A = check_adjacency(PATH)
    assert with_loops_twice(A) is A


def test_a_small_edge_in_one_direction_beside_a_huge_one_is_directed():
    """What is rounding of one edge may be all of another."""
    A = np.zeros((3, 3))
    A[0, 1] = A[1, 0] = 1e12
    A[1, 2] = 5.0
    with pytest.warns(GraphNotice):
        both = check_adjacency(A)
    assert both[1, 2] == both[2, 1] == 5.0
