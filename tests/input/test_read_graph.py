"""Graphs from files of other formats: hostile, public, compressed and cut short."""

import bz2
import gzip
import zipfile
from io import BytesIO

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import io, sparse

from door_graphs import KARATE_BARE, KARATE_FILES
from helpers import each, reference_folder
from helpers import graph_of_text as read
from kgroups.exceptions import DataError
from kgroups.input.check_adjacency import check_adjacency
from kgroups.input.graph_files.node_labels import read_node_labels
from kgroups.input.graph_files.read_graph import graph_of_stream, read_graph
from kgroups.names import GRAPH_SUFFIXES
from kgroups.runtime import memory

PATH = [[0, 1, 0], [1, 0, 1], [0, 1, 0]]


def error_of(tmp_path, text, match, name="graph.csv"):
    with pytest.raises(DataError, match=match):
        read(tmp_path, text, name)


def dense(graph):
    return graph.adjacency.toarray()


# --- other formats ---------------------------------------------------------------------------


@pytest.mark.nojit
def test_gml_labels_that_do_not_tell_nodes_apart(tmp_path):
    text = 'graph [ node [ id 5 label "x" ] node [ id 3 label "x" ] edge [ source 5 target 3 ] ]'
    assert read(tmp_path, text, "g.gml").nodes.tolist() == [5, 3]
    text = "graph [ node [ id 5 label 8 ] node [ id 3 label 9 ] edge [ source 5 target 3 ] ]"
    assert read(tmp_path, text, "g.gml").nodes.tolist() == [8, 9]


GRAPHML = (
    '<?xml version="1.0"?>{}<graphml xmlns="http://graphml.graphdrawing.org/xmlns">{}</graphml>'
)
ONE = '<graph edgedefault="undirected"><node id="a"/><node id="b"/></graph>'


@pytest.mark.nojit
@each(
    ("name", "text"),
    [
        ("g.gml", b"\xff"),
        ("g.gml", f"graph [ node [ id 0 ] edge [ source 0 target 0 weight {10**400} ] ]"),
        ("g.graphml", GRAPHML.format('<!DOCTYPE g SYSTEM "file:///etc/hosts">', ONE)),
        ("g.graphml", GRAPHML.format("", ONE + ONE)),
        ("g.mtx", "x"),
        ("g.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 1\n"),
        ("g.mtx", "%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 1\n"),
        ("g.npz", "x"),
    ],
)
def test_files_that_are_refused(tmp_path, name, text):
    with pytest.raises(DataError):
        read(tmp_path, text, name)


def test_document_types_are_seen_in_any_encoding(tmp_path):
    text = GRAPHML.format("<!DOCTYPE g>", ONE).replace("1.0", '1.0" encoding="utf-16')
    error_of(tmp_path, text.encode("utf-16"), "document type", "g.graphml")


def hostile_npz(path, A, **arrays):
    parts = {"indices": A.indices, "indptr": A.indptr, "data": A.data, "shape": A.shape}
    np.savez(path, format=np.array(b"csr"), **{**parts, **arrays})


def test_npz_whose_header_claims_more_than_there_is(tmp_path):
    path = tmp_path / "g.npz"
    hostile_npz(path, sparse.csr_array(np.array(PATH, float)))
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    parts["data.npy"] = parts["data.npy"].replace(b"(4,), }         ", b"(400000000000,),}")
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    with pytest.raises(DataError, match=r"cut short: data\.npy"):
        read_graph(path)


@pytest.mark.nojit
@each(
    "name",
    ["karate.edges", "karate.adjlist", "karate.net", "karate.gml", "karate.graphml", "karate.gexf",
     "karate.mtx", "rows.npz", "full.npy"],
)  # fmt: skip
def test_a_format_by_name(tmp_path, name):
    """Of a file whose extension says nothing."""
    path = tmp_path / name
    (KARATE_FILES | KARATE_BARE)[name](path)
    graph = read_graph(path.replace(tmp_path / "out.moreno"), format=GRAPH_SUFFIXES[path.suffix])
    assert (graph.n_nodes, graph.n_edges) == (34, 78)


# --- public data -----------------------------------------------------------------------------


@pytest.mark.reference
@each(
    ("name", "n_nodes", "n_edges", "loops"),
    [
        ("ca_grqc", 5242, 14496, 12),
        ("dolphins", 62, 159, 0),
        ("football", 115, 613, 0),
        ("polbooks", 105, 441, 0),
        ("polblogs", 1224, 16718, 3),
        ("drosophila_left", 209, 5559, 0),
    ],
)
def test_public_graphs(name, n_nodes, n_edges, loops):
    graph = read_graph(reference_folder("data", "graphs", f"{name}.edges.csv"))
    assert (graph.n_nodes, graph.n_edges) == (n_nodes, n_edges)
    assert np.count_nonzero(graph.adjacency.diagonal()) == loops
    assert graph.is_weighted == (name == "drosophila_left")
    assert check_adjacency(graph).nnz == graph.adjacency.nnz
    labels, notes = read_node_labels(
        reference_folder("data", "graphs", f"{name}.labels.csv"), graph
    )
    assert len(labels) == n_nodes
    assert bool(notes) == (name == "polblogs")
    assert (labels[0] is None) == (name == "ca_grqc")


def test_gml_labels_that_are_the_same_text_are_no_ids(tmp_path):
    path = tmp_path / "x.gml"
    path.write_text(
        'graph [ node [ id 5 label "1" ] node [ id 6 label 1 ] edge [ source 5 target 6 ] ]'
    )
    assert read_graph(path).nodes.tolist() == [5, 6]


# --- compressed files and streams ------------------------------------------------------------

EDGES = "source,target,weight\n0,1,2\n1,2,1\n2,0,1\n2,3,5\n"
WRITTEN = {
    "edgelist": EDGES,
    "csv": EDGES,
    "tsv": EDGES.replace(",", "\t"),
    "gml": "Creator \"me\"\ngraph [\n" + "".join(f"node [ id {i} ]\n" for i in range(4))
    + "".join(
        f"edge [ source {a} target {b} weight {w} ]\n"
        for a, b, w in ((0, 1, 2), (1, 2, 1), (2, 0, 1), (2, 3, 5))
    ) + "]\n",
    "mtx": "%%MatrixMarket matrix coordinate real symmetric\n4 4 4\n2 1 2\n3 2 1\n3 1 1\n4 3 5",
    "graphml": '<?xml version="1.0"?><graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
    '<key id="w" for="edge" attr.name="weight" attr.type="double"/><graph edgedefault="undirected">'
    + "".join(f'<node id="{i}"/>' for i in range(4))
    + "".join(
        f'<edge source="{a}" target="{b}"><data key="w">{w}</data></edge>'
        for a, b, w in ((0, 1, 2), (1, 2, 1), (2, 0, 1), (2, 3, 5))
    ) + "</graph></graphml>",
}  # fmt: skip
COMPRESS = {"": bytes, ".gz": gzip.compress, ".bz2": bz2.compress}
WEIGHTS = [[0, 2, 1, 0], [2, 0, 1, 0], [1, 1, 0, 5], [0, 0, 5, 0]]


@each("suffix", WRITTEN)
@each("compression", COMPRESS)
def test_the_same_graph_in_every_format(tmp_path, suffix, compression):
    content = COMPRESS[compression](WRITTEN[suffix].encode())
    assert_array_equal(dense(read(tmp_path, content, f"x.{suffix}{compression}")), WEIGHTS)
    found = graph_of_stream(BytesIO(content), "standard input")
    assert_array_equal(dense(found), WEIGHTS)
    assert found.source == "standard input"
    if suffix not in ("csv", "tsv"):
        named = read(tmp_path, content, f"x.net{compression}", format=suffix)
        assert_array_equal(dense(named), WEIGHTS)


def test_a_sparse_array_as_a_stream(tmp_path):
    sparse.save_npz(tmp_path / "x.npz", sparse.csr_array(np.array(WEIGHTS)))
    with (tmp_path / "x.npz").open("rb") as stream:
        assert_array_equal(dense(graph_of_stream(stream, "x")), WEIGHTS)


@each("suffix", WRITTEN)
def test_compressed_graphs_that_are_cut_short(tmp_path, suffix):
    content = gzip.compress(WRITTEN[suffix].encode())[:-12]
    with pytest.raises(DataError, match="cannot be unpacked"):
        read(tmp_path, content, f"x.{suffix}.gz")


@pytest.mark.parametrize("name", ["x.csv.gz", "x.gml.gz", "x.graphml.gz", "x.mtx.gz", "y.csv.gz"])
def test_compressed_graphs_too_large_for_memory(tmp_path, monkeypatch, name):
    """Their size is known only as they are read."""
    content = WRITTEN[name.split(".")[1]].encode()
    if name == "y.csv.gz":
        content = content.replace(b"3,5", b"x,5")
        monkeypatch.setattr("kgroups.input.graph_files.edge_lines._EDGES_PER_CHECK", 2)
    monkeypatch.setattr(memory, "available_bytes", lambda: 50)
    with pytest.raises(DataError, match=rf"{name} is too large: .* needs"):
        read(tmp_path, gzip.compress(content), name)


@pytest.mark.parametrize("cut", [2, 30])
def test_matrix_market_without_an_end_of_its_last_line(tmp_path, cut):
    """SciPy reads past such an end, and the process may die of it."""
    rng = np.random.default_rng(0)
    A = np.triu(rng.random((50, 50)) < 0.1, 1) * rng.random((50, 50))
    stream = BytesIO()
    io.mmwrite(stream, sparse.coo_array(A + A.T), symmetry="general")
    content = stream.getvalue()[:-cut]
    for _ in range(100):
        if cut == 2:
            assert read(tmp_path, content, "x.mtx").n_edges == np.count_nonzero(A)
        else:
            error_of(tmp_path, content, "not a valid", "x.mtx")


def test_a_symmetric_array_that_lacks_entries(tmp_path):
    """SciPy takes them for zeros."""
    text = "%%MatrixMarket matrix array real symmetric\n% note\n3 3\n0\n1\n2\n0\n3\n0\n"
    assert_array_equal(dense(read(tmp_path, text, "x.mtx")), [[0, 1, 2], [1, 0, 3], [2, 3, 0]])
    error_of(tmp_path, text[:-2], "found 5", "x.mtx")
