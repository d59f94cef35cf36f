"""The papers' data sets: where they are looked for, what is checked, how they are downloaded."""

import gzip
import io
import os
import pickle
import socket
import stat
import sys
import threading
import time
import tracemalloc
import zipfile
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from scipy.sparse.csgraph import connected_components
from sklearn.datasets import load_iris

from helpers import reference_folder, write_csv
from kgroups.input.table_files import DataError
from kgroups_papers.data import (
    DataFolders,
    archives,
    cache_folder,
    download,
    entries,
    fetch,
    folders,
    names,
    originals,
)
from kgroups_papers.data.entries import GraphEntry, TableEntry
from kgroups_papers.data.layouts import LAYOUTS, Layout

TABLES = [
    *("dermatology", "libras_movement", "vehicle", "forest_type_mapping", "covertype_sample"),
    *("image_segmentation", "synthetic_control", "fertility", "glass", "ionosphere"),
    *("epileptic_seizure_sample", "anuran_calls_mfcc", "pendigits", "seeds", "spect_heart", "cmc"),
]
GRAPHS = [
    *("dolphins", "football", "polbooks", "drosophila_left", "drosophila_right"),
    *("ca_grqc", "polblogs"),
]
NOT_DOWNLOADED = ["covertype_sample", "epileptic_seizure_sample", "dolphins", "gene_expression"]

# Three points in two classes, one value missing; a path 0-1-2 both ways, a loop at 2, and 3 alone.
TINY_ROWS = [["a", "b", "label"], ["1.5", "", "10"], ["-2", "0", "9"], ["0.1", "1e3", "9"]]
TINY_EDGES = [["source", "target", "weight"], [0, 1, 2], [1, 0, 1], [1, 2, 5], [2, 2, 3]]
TINY_NODES = [["node", "label", "name"], [0, "x", "p"], [1, "y", "q"], [2, "x", "r"], [3, "x", "s"]]


def doubles(values):
    return np.array(values, dtype="<f8").tobytes()


TINY_TABLE_DIGEST = sha256(
    b"(3, 2);" + doubles([1.5, np.nan, -2, 0, 0.1, 1000]) + b"10\n9\n9"
).hexdigest()
TINY_GRAPH_DIGEST = sha256(
    b"(1,);"
    + doubles([4])
    + b"(4,);"
    + doubles([0, 1, 1, 2])
    + b"(4,);"
    + doubles([1, 0, 2, 2])
    + b"(4,);"
    + doubles([2, 1, 5, 3])
    + b"x\ny\nx\nx"
).hexdigest()


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    """No folder of the user is looked at, and no proxy asked."""
    for variable in ("KGROUPS_DATA", "XDG_CACHE_HOME"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("KGROUPS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("no_proxy", "127.0.0.1")


@pytest.fixture
def tiny(tmp_path, monkeypatch):
    """A folder with a table and a graph that the catalog knows for the time of a test."""
    table = TableEntry(
        name="tiny",
        n_rows=3,
        n_features=2,
        n_classes=2,
        counts=(2, 1),
        digest=TINY_TABLE_DIGEST,
        urls=("https://example.org/tiny.zip",),
    )
    graph = GraphEntry(
        name="path", n_nodes=4, n_edges=4, directed=True, counts=(3, 1), digest=TINY_GRAPH_DIGEST
    )
    known = {"tiny": table, "path": graph}
    monkeypatch.setattr(entries, "_entries", lambda: known)
    monkeypatch.setitem(LAYOUTS, "tiny", Layout(members=("tiny.data",), features=("a", "b")))
    folder = tmp_path / "data"
    for sub in ("uci", "graphs"):
        (folder / sub).mkdir(parents=True)
    write_csv(folder / "uci" / "tiny.csv", TINY_ROWS)
    write_csv(folder / "graphs" / "path.edges.csv", TINY_EDGES)
    write_csv(folder / "graphs" / "path.labels.csv", TINY_NODES)
    return folder


# Reading


def test_a_table_is_read_with_classes_in_order_and_missing_values(tiny):
    data = DataFolders.find(tiny).table("tiny")
    np.testing.assert_array_equal(data.X, [[1.5, np.nan], [-2, 0], [0.1, 1000]])
    assert (data.X.dtype, data.y.dtype) == (np.float64, np.int64)
    assert data.y.tolist() == [1, 0, 0]
    assert (data.classes, data.features, data.n_clusters) == (("9", "10"), ("a", "b"), 2)


@pytest.mark.parametrize("formatted", [
    'a,b,label\r\n1.50,,10\r\n-2.0,-0,9\r\n.1,1000,9\r\n',
    '\ufeff"a","b","label"\n"1.5","","10"\n-2e0,0, 9 \n1e-1,1000.0,9\n\n',
    "x,y,label\n1.5,nan,10\n-2,0,9\n0.1,1000,9",
])  # fmt: skip
def test_the_digest_is_that_of_the_content_alone(tiny, formatted):
    (tiny / "uci" / "tiny.csv").write_bytes(formatted.encode())
    found = DataFolders.find(tiny).digests(["tiny", "path"])
    assert found == {"tiny": TINY_TABLE_DIGEST, "path": TINY_GRAPH_DIGEST}


def test_edges_may_be_in_any_order(tiny):
    write_csv(tiny / "graphs" / "path.edges.csv", [TINY_EDGES[0], *TINY_EDGES[:0:-1]])
    assert DataFolders.find(tiny).digests(["path"]) == {"path": TINY_GRAPH_DIGEST}


def test_a_graph_is_read_and_its_adjacency_is_symmetric_with_the_loop_and_the_lonely_node(tiny):
    graph = DataFolders.find(tiny).graph("path")
    assert (graph.source.tolist(), graph.target.tolist()) == ([0, 1, 1, 2], [1, 0, 2, 2])
    assert (graph.weight.tolist(), graph.y.tolist()) == ([2, 1, 5, 3], [0, 1, 0, 0])
    assert (graph.classes, graph.node_names) == (("x", "y"), ("p", "q", "r", "s"))
    assert (graph.n_nodes, graph.n_clusters, graph.source.dtype) == (4, 2, np.int64)
    A = graph.adjacency()
    expected = [[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 1, 0], [0, 0, 0, 0]]
    np.testing.assert_array_equal(A.toarray(), expected)
    assert (A.nnz, A.indices.dtype) == (5, np.int32)


def test_what_is_loaded_cannot_be_changed(tiny):
    data = DataFolders.find(tiny)
    for array in (data.table("tiny").X, data.table("tiny").y, data.graph("path").weight):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 7


def test_a_file_is_read_once_until_it_changes(tiny):
    data = DataFolders.find(tiny)
    first, path = data.table("tiny"), tiny / "uci" / "tiny.csv"
    assert data.table("tiny") is first
    assert DataFolders.find(tiny).table("tiny") is first
    path.write_text("a,b,label\n1.5,nan,10\n-2,0,9\n0.1,1000,9\n")
    again = data.table("tiny")
    assert again is not first
    np.testing.assert_array_equal(again.X, first.X)
    os.utime(path, ns=(1, 1))
    assert data.table("tiny") is not again


@pytest.mark.parametrize(("text", "message"), [
    ("a,b,label\n1.5,,10\n-2,0,9\n", "2 rows and 2 features; tiny has 3 rows and 2 features"),
    ("a,label\n1.5,10\n-2,9\n.1,9\n", "3 rows and 1 features; tiny has 3 rows and 2 features"),
    ("a,b,label\n1.5,,10\n-2,0,9\n.1,1e3,8\n", r"3 classes \('8', '9', '10'\); expected 2"),
    ("a,b,label\n1.5,,10\n-2,0,9\n.1,1e3,10\n", "9: 1, 10: 2 in its classes; expected 9: 2, 10: 1"),
    ("a,b,label\n1.5,,10\n-2,0,9\n.1,1001,9\n", "has the right shape and other values"),
    ("a,b,label\n1.5,,9\n-2,0,10\n.1,1e3,9\n", "has the right shape and other values"),
    ("a,b,label\n1.5,,10\n-2,zero,9\n.1,1e3,9\n", "could not convert string to float: 'zero'"),
    ("a,b,label\n1.5,,10\n-2,0,9,9\n", "line 3 has 4 fields, expected 3"),
    ("label,a,b\n1,2,3\n", "features first and 'label' last; found 'label', 'a', 'b'"),
    ("", "features first and 'label' last"),
    ('a,b,label\n1,"2,3\n', "is not a CSV file of numbers and labels: unexpected end"),
    (b"a,b,label\n1,2,\xff\n", "is not a CSV file of numbers and labels: .*codec"),
])  # fmt: skip
def test_a_file_that_is_something_else(tiny, text, message):
    path = tiny / "uci" / "tiny.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(DataError, match=message) as caught:
        DataFolders.find(tiny).table("tiny")
    assert str(path) in str(caught.value)


def test_a_wrong_file_says_what_to_do(tiny):
    (tiny / "uci" / "tiny.csv").write_text("a,b,label\n1.5,,10\n-2,0,9\n0.1,1001,9\n")
    wanted = rf"expected {TINY_TABLE_DIGEST[:16]}…\. Take this file away .* --download fetches it"
    with pytest.raises(DataError, match=wanted):
        DataFolders.find(tiny).digests(["tiny"])


@pytest.mark.parametrize(("file", "rows", "message"), [
    ("edges", TINY_EDGES[:-1], "4 nodes and 3 edges; path has 4 nodes and 4 edges"),
    ("edges", [*TINY_EDGES[:-1], [2, 2, 4]], "right shape and other values"),
    ("edges", [*TINY_EDGES[:-1], [2, 4, 3]], "has node 4, and .* has the nodes 0 to 3"),
    ("edges", [*TINY_EDGES[:-1], [2, 1.5, 3]], "whole numbers from 0 on"),
    ("edges", [*TINY_EDGES[:-1], [2, -1, 3]], "whole numbers from 0 on"),
    ("edges", [*TINY_EDGES[:-1], [2, "", 3]], "whole numbers from 0 on"),
    ("edges", [*TINY_EDGES[:-1], [2, "z", 3]], "column 'target' holds text"),
    ("edges", [["from", "to", "weight"], *TINY_EDGES[1:]], "must have the columns source, target"),
    ("labels", [TINY_NODES[0], *TINY_NODES[:0:-1]], "must have the nodes 0 to 3 in order"),
    ("labels", [*TINY_NODES[:-1], [3, "", "s"]], "line 5: column 'label' is empty"),
    ("labels", [row[:2] for row in TINY_NODES[:-1]] + [[3, "y"]], "x: 2, y: 2 .* x: 3, y: 1"),
    ("labels", [*TINY_NODES, [4, "x", "t"]], "5 nodes and 4 edges"),
])  # fmt: skip
def test_a_graph_that_is_something_else(tiny, file, rows, message):
    path = tiny / "graphs" / f"path.{file}.csv"
    write_csv(path, rows)
    with pytest.raises(DataError, match=message) as caught:
        DataFolders.find(tiny).graph("path")
    assert path.name in str(caught.value)


def test_a_graph_without_truth_and_without_names(tiny, monkeypatch):
    entry = GraphEntry(name="path", n_nodes=4, n_edges=4, directed=False, digest=None)
    monkeypatch.setattr(entries, "_entries", lambda: {"path": entry})
    edges = [["source", "target"], [1, 0], [2, 1], [2, 2], [0, 2]]
    write_csv(tiny / "graphs" / "path.edges.csv", edges)
    write_csv(
        tiny / "graphs" / "path.labels.csv", [["node", "label"], *([i, ""] for i in range(4))]
    )
    graph = DataFolders.find(tiny).graph("path")
    assert (graph.source.tolist(), graph.target.tolist()) == ([0, 0, 1, 2], [1, 2, 2, 2])
    assert (graph.y, graph.weight, graph.n_clusters) == (None, None, 0)
    assert graph.node_names == ("0", "1", "2", "3")


# Folders


def test_folders_are_searched_in_their_order(tiny, tmp_path, monkeypatch):
    cache = tmp_path / "cache" / "data"
    assert DataFolders.find() == DataFolders((cache,), cache)
    monkeypatch.setenv("KGROUPS_DATA", str(tiny))
    other = tmp_path / "other"
    other.mkdir()
    data = DataFolders.find(other)
    assert data == DataFolders((other, tiny, cache), cache)
    # The one of KGROUPS_DATA is found; one that lies in the first folder itself comes before it.
    assert data.table("tiny").n_clusters == 2
    (other / "tiny.csv").write_text("a,b,label\n")
    with pytest.raises(DataError, match=rf"{other / 'tiny.csv'} has 0 rows"):
        data.table("tiny")
    assert DataFolders.find(tiny).folders == (tiny, cache)


def test_the_cache_folder(tmp_path, monkeypatch):
    assert cache_folder() == tmp_path / "cache"
    monkeypatch.delenv("KGROUPS_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache_folder() == tmp_path / "xdg" / "kgroups"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_folder() == Path.home() / ".cache" / "kgroups"


def test_a_data_dir_that_is_none(tmp_path):
    with pytest.raises(DataError, match=r"data_dir is '.*nowhere', which is not a folder"):
        DataFolders.find(tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("data_dir", "variable", "message"),
    [
        ("~nobody-here/x", None, "data_dir is '~nobody-here/x', but the home dir"),
        (None, "KGROUPS_DATA", "KGROUPS_DATA is '~nobody-here/x', but the home dir"),
        (None, "KGROUPS_CACHE", "KGROUPS_CACHE is '~nobody-here/x', but the home dir"),
    ],
)
def test_a_home_folder_that_nobody_knows(monkeypatch, data_dir, variable, message):
    if variable is not None:
        monkeypatch.setenv(variable, "~nobody-here/x")
    with pytest.raises(DataError, match=rf"^{message}.*write the whole path"):
        DataFolders.find(data_dir)


def test_nobody_knows_any_home_folder(tmp_path, monkeypatch):
    monkeypatch.delenv("KGROUPS_CACHE")
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)
    with pytest.raises(DataError, match=r"KGROUPS_CACHE names none, is '~.\.cache.kgroups'"):
        cache_folder()
    monkeypatch.undo()


def test_home_folders_are_written_out(tiny, monkeypatch):
    monkeypatch.setenv("HOME", str(tiny.parent))
    monkeypatch.setenv("KGROUPS_CACHE", "~/own")
    assert DataFolders.find("~/data").folders == (tiny, tiny.parent / "own" / "data")


def test_workers_get_the_folders(tiny):
    data = DataFolders.find(tiny)
    assert pickle.loads(pickle.dumps(data)) == data


def test_what_is_missing_is_named_with_all_folders_and_a_way(tmp_path):
    data = DataFolders.find(tmp_path)
    message = data.missing("dermatology")
    for part in (
        f"dermatology.csv not found in any of: {tmp_path / 'uci'}, {tmp_path}, ",
        str(tmp_path / "cache" / "data" / "uci"),
        "--download fetches it from https://archive.ics.uci.edu/static/public/33/dermatology.zip",
        f"put {Path('uci', 'dermatology.csv')} (a line of names, features first, 'label' last) ",
        "into a folder that --data-dir or KGROUPS_DATA names",
    ):
        assert part in message
    with pytest.raises(DataError, match=r"^dermatology is not here: dermatology.csv not found"):
        data.table("dermatology")
    with pytest.raises(
        DataError, match=r"dolphins.edges.csv and dolphins.labels.csv not found side"
    ):
        data.graph("dolphins")
    assert "digest is not known" in data.missing("gene_expression")
    assert "does not" not in data.missing("gene_expression")
    assert data.digests(["dermatology", "dolphins"]) == {}


def test_edges_without_labels_are_missing(tiny):
    (tiny / "graphs" / "path.labels.csv").rename(tiny / "path.labels.csv")
    assert "side by side" in DataFolders.find(tiny).missing("path")
    (tiny / "graphs" / "path.edges.csv").rename(tiny / "path.edges.csv")
    assert DataFolders.find(tiny).missing("path") is None


def test_names_that_are_none():
    data = DataFolders.find()
    with pytest.raises(DataError, match=r"no data set 'dermatolgy'. Did you mean 'dermatology'\?"):
        data.missing("dermatolgy")
    with pytest.raises(DataError, match="dolphins is a graph, not a table; load it with graph"):
        data.table("dolphins")
    with pytest.raises(DataError, match="iris is a table, not a graph; load it with table"):
        data.graph("iris")
    assert set(names()) == {*TABLES, *GRAPHS, "iris", "wine", "gene_expression", "karate"}


# What other packages bring along


def test_iris_and_wine_come_with_scikit_learn():
    data, iris = DataFolders.find(), load_iris()
    assert data.missing("iris") is None
    np.testing.assert_array_equal(data.table("iris").X, iris.data)
    assert data.table("iris").y.tolist() == iris.target.tolist()
    assert data.table("iris").classes == ("setosa", "versicolor", "virginica")
    assert data.table("wine").X.shape == (178, 13)
    assert data.table("wine") is data.table("wine")


def test_karate_comes_with_networkx(monkeypatch):
    data, club = DataFolders.find(), nx.karate_club_graph()
    graph = data.graph("karate")
    np.testing.assert_array_equal(graph.adjacency().toarray(), nx.to_numpy_array(club, weight=None))
    assert [graph.classes[code] for code in graph.y] == [club.nodes[i]["club"] for i in club]
    assert graph.classes == ("Mr. Hi", "Officer")
    assert list(data.digests(["karate", "iris", "dolphins"])) == ["karate", "iris"]
    monkeypatch.setitem(sys.modules, "networkx", None)
    folders._bundled_graph.cache_clear()
    assert "pip install" in data.missing("karate")
    with pytest.raises(DataError, match="karate comes with networkx, which is not here"):
        data.graph("karate")


# The data sets themselves, where they are at hand


@pytest.fixture
def reference():
    return DataFolders.find(reference_folder("data"))


@pytest.mark.parametrize("name", [*TABLES, *GRAPHS])
def test_every_set_is_what_the_catalog_says(reference, name):
    load = reference.table if name in TABLES else reference.graph
    assert load(name).name == name


def test_facts_of_the_sets(reference):
    X = reference.table("dermatology").X
    assert np.flatnonzero(np.isnan(X).any(axis=1)).tolist() == [33, 34, 35, 36, *range(262, 266)]
    assert np.isnan(X).any(axis=0).tolist() == [False] * 33 + [True]
    assert reference.table("libras_movement").classes == tuple(map(str, range(1, 16)))
    # Sums of A that the paper gives as the numbers of edges.
    assert reference.graph("drosophila_left").adjacency().sum() == 11118
    assert reference.graph("drosophila_right").adjacency().sum() == 11250
    A = reference.graph("ca_grqc").adjacency()
    assert (A.diagonal().sum(), (A.sum() - 12) / 2) == (12, 14484)
    assert reference.graph("ca_grqc").y is None
    # Self-loops left out, polblogs has 16,715 edges, 266 lonely nodes and one large component.
    A = reference.graph("polblogs").adjacency()
    assert (A.diagonal().sum(), (A.sum() - 3) / 2) == (3, 16715)
    A.setdiag(0)
    assert (A.sum(axis=0) == 0).sum() == 266
    assert np.bincount(connected_components(A)[1]).max() == 1222


# Downloads


@pytest.fixture
def server():
    """A server on this machine whose answers are put into a dictionary by path."""
    answers = {}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            status, headers, body = answers.get(self.path, (404, {}, b""))
            pieces = body() if callable(body) else [body]
            length = {} if callable(body) else {"Content-Length": len(body)}
            self.send_response(status)
            for key, value in (length | headers).items():
                self.send_header(key, value)
            self.end_headers()
            for piece in pieces:
                if not running.is_over.is_set():
                    self.wfile.write(piece)

        def log_message(self, *args):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        running.answers = answers
        running.base = f"http://127.0.0.1:{running.server_port}"
        running.is_over = threading.Event()
        thread = threading.Thread(target=running.serve_forever, args=(0.01,))
        thread.start()
        yield running
        running.is_over.set()
        running.shutdown()
        thread.join()


def zipped(members, **options):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, **options) as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return packed.getvalue()


def damaged(archive):
    """One bit of what the first file called tiny.data holds is another."""
    at = archive.index(b"tiny.data") + len("tiny.data") + 5
    return archive[:at] + bytes([archive[at] ^ 1]) + archive[at + 1 :]


TINY_ZIP = {"tiny.names": "about", "tiny.data": "1.5,?,10\n-2, 0,\t9 \n\n0.1,1e3,9\n"}


def test_a_download_is_read_like_any_file(tiny, server):
    server.answers["/tiny.zip"] = (200, {}, zipped(TINY_ZIP))
    (tiny / "uci" / "tiny.csv").unlink()
    data, heard = DataFolders.find(tiny), []
    path = download("tiny", data, lambda *event: heard.append(event), _base=server.base)
    assert path == data.cache / "uci" / "tiny.csv"
    assert path.read_text() == "a,b,label\n1.5,,10\n-2,0,9\n0.1,1000,9\n"
    assert [p.name for p in path.parent.iterdir()] == ["tiny.csv"]
    assert data.digests(["tiny"]) == {"tiny": TINY_TABLE_DIGEST}
    size = len(zipped(TINY_ZIP))
    assert heard == [(f"{server.base}/tiny.zip", size, size)]


def test_an_original_by_hand_needs_no_network(tiny):
    data = DataFolders.find()
    by_hand = data.cache / "originals" / "tiny.zip"
    by_hand.parent.mkdir(parents=True)
    by_hand.write_bytes(
        zipped({"folder/TINY.data": TINY_ZIP["tiny.data"], "__MACOSX/tiny.data": ""})
    )
    assert download("tiny", data) == data.cache / "uci" / "tiny.csv"
    by_hand.write_bytes(b"no archive")
    with pytest.raises(DataError, match=rf"^{by_hand} is not a sound ZIP archive"):
        download("tiny", data)


@pytest.mark.parametrize(("answer", "message"), [
    (zipped(TINY_ZIP)[:-9], "example.org/tiny.zip is not a sound ZIP archive: "),
    (damaged(zipped(TINY_ZIP)), "is not a sound ZIP archive: "),
    (b"<html>Sorry</html>", "is not a sound ZIP archive: File is not a zip file"),
    (zipped({"other.data": ""}), "tiny.zip has no file tiny.data; it has: other.data"),
    (zipped({}), "has no file tiny.data; it has: nothing"),
    (zipped(TINY_ZIP | {"b/tiny.data": ""}), "has several files tiny.data"),
    (zipped({"tiny.data": "nothing\nhere"}), "has 0 rows and 2 features"),
    (zipped({"tiny.data": "1.5,?,10\n-2,0,9\n"}), "2 rows and 2 features; tiny has 3 rows"),
    (zipped({"tiny.data": "1.5,?,10\n-2,0,9\n0.1,1e4,9"}),
     r"tiny.zip has the right shape and other values: .* The original has been changed"),
    (zipped({"tiny.data": b"\x00" * 4096}), "tiny.data has more than 0 MiB; it is not the file"),
])  # fmt: skip
def test_something_else_is_downloaded(tiny, server, monkeypatch, answer, message):
    if "0 MiB" in message:
        monkeypatch.setattr(archives, "MOST_BYTES", 4095)
    server.answers["/tiny.zip"] = (200, {}, answer)
    data = DataFolders.find()
    with pytest.raises(DataError, match=message):
        download("tiny", data, _base=server.base)
    assert not data.cache.exists()


def test_a_member_that_hides_its_size():
    """No more is unpacked than the archive tells."""
    size = 1 << 24
    packed = bytearray(zipped({"tiny.data": b" " * size}))
    for signature, offset in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        at = packed.index(signature) + offset
        assert packed[at : at + 4] == size.to_bytes(4, "little")
        packed[at : at + 4] = (10).to_bytes(4, "little")
    tracemalloc.start()
    try:
        with pytest.raises(DataError, match=r"^S is not a sound ZIP archive: Bad CRC-32"):
            archives.zip_member(bytes(packed), "tiny.data", "S")
        assert tracemalloc.get_traced_memory()[1] < size / 16, "it is not unpacked"
    finally:
        tracemalloc.stop()


def test_a_method_of_packing_that_is_not_common(tiny, server):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_BZIP2) as archive:
        archive.writestr("tiny.data", TINY_ZIP["tiny.data"])
    server.answers["/tiny.zip"] = (200, {}, packed.getvalue())
    with pytest.raises(DataError, match="packed in a way that is not common"):
        download("tiny", DataFolders.find(), _base=server.base)


def silent():
    yield b""
    time.sleep(0.3)


def dripping():
    """A byte every 20 ms, for half a minute at most."""
    for _ in range(1500):
        yield b"x"
        time.sleep(0.02)


@pytest.mark.parametrize(("answer", "reason"), [
    ((404, {}, b""), "the server answers 404 Not Found"),
    ((503, {}, b""), "the server answers 503 Service Unavailable"),
    ((200, {"Content-Length": 50}, b"short"), "5 of 50 bytes came"),
    ((302, {"Location": "file:///etc/hostname"}, b""), "'file:///etc/hostname' is not allowed"),
    ((302, {"Location": "http://example.org/tiny.zip"}, b""), "does not begin with http://127"),
    ((200, {}, b"x" * 101), "sends more than 0 MiB"),
    ((200, {"Content-Length": 9}, silent), "timed out"),
    ((200, {"Content-Length": "9" * 5000}, b"x"), "sends more than 0 MiB"),
    ((200, {"Content-Length": "9" * 400}, b"x"), "sends more than 0 MiB"),
    ((200, {"Content-Length": 101}, b"x"), "sends more than 0 MiB"),
])  # fmt: skip
def test_nothing_comes(tiny, server, monkeypatch, answer, reason):
    monkeypatch.setattr(fetch, "MOST_BYTES", 100)
    monkeypatch.setattr(fetch, "_SILENCE", 0.1 if "timed" in reason else 5.0)
    server.answers["/tiny.zip"] = answer
    data = DataFolders.find()
    with pytest.raises(DataError, match=reason) as caught:
        download("tiny", data, _base=server.base)
    by_hand = data.cache / "originals" / "tiny.zip"
    assert f"get https://example.org/tiny.zip elsewhere, put it there as {by_hand}" in str(
        caught.value
    )
    assert not data.cache.exists()


def test_no_network(tiny):
    with socket.socket() as bound:
        # Nobody listens here.
        bound.bind(("127.0.0.1", 0))
        base = f"http://127.0.0.1:{bound.getsockname()[1]}"
        with pytest.raises(DataError, match=r"could not be fetched: .*refused"):
            download("tiny", DataFolders.find(), _base=base)


def test_a_redirection_on_the_same_server_is_followed(tiny, server):
    server.answers["/tiny.zip"] = (301, {"Location": "/moved.zip"}, b"")
    server.answers["/moved.zip"] = (200, {}, zipped(TINY_ZIP))
    assert download("tiny", DataFolders.find(), _base=server.base).exists()


@pytest.mark.parametrize("headers", [{}, {"Content-Length": 1500}])
def test_too_slow_a_server(server, monkeypatch, headers):
    """However little comes at a time, the limit holds."""
    monkeypatch.setattr(fetch, "_MOST_SECONDS", 0.2)
    server.answers["/a"] = (200, headers, dripping)
    begun = time.monotonic()
    with pytest.raises(DataError, match="was not here after"):
        fetch.fetch(f"{server.base}/a", prefix=server.base)
    assert time.monotonic() - begun < 5


@pytest.mark.parametrize("address", ["http://a..b/x", "http://[::1/x", f"http://{'a' * 99}.org/"])
def test_a_redirection_to_an_address_that_is_none(server, address):
    server.answers["/a"] = (302, {"Location": address}, b"")
    with pytest.raises(DataError, match=rf"^{server.base}/a could not be fetched: ."):
        fetch.fetch(f"{server.base}/a", prefix="http://")


def test_only_https_is_fetched(server):
    with pytest.raises(DataError, match="does not begin with https://"):
        fetch.fetch(f"{server.base}/a")
    assert all(
        url.startswith("https://") for name in names() for url in entries.find_entry(name).urls
    )


@pytest.mark.parametrize("name", NOT_DOWNLOADED)
def test_what_cannot_be_downloaded_says_why(name):
    data = DataFolders.find()
    with pytest.raises(
        DataError, match=f"{name} cannot be downloaded. There is no download: .*put"
    ):
        download(name, data)
    with pytest.raises(DataError, match="iris comes with scikit-learn; there is nothing"):
        download("iris", data)
    with pytest.raises(DataError, match=r"no data set 'seds'. Did you mean 'seeds'"):
        download("seds", data)


def test_a_cache_that_cannot_be_written_to(tiny, server, tmp_path):
    server.answers["/tiny.zip"] = (200, {}, zipped(TINY_ZIP))
    (tmp_path / "cache").write_text("a file where a folder should be")
    with pytest.raises(DataError, match=r"cannot be written to: .*KGROUPS_CACHE"):
        download("tiny", DataFolders.find(), _base=server.base)


@pytest.mark.parametrize(
    ("error", "raised", "message"),
    [
        (OSError(28, "No space left on device"), DataError, "No space left on device"),
        (KeyboardInterrupt("stop"), KeyboardInterrupt, "stop"),
    ],
)
def test_what_is_there_stays_when_writing_fails(tiny, server, monkeypatch, error, raised, message):
    server.answers["/tiny.zip"] = (200, {}, zipped(TINY_ZIP))
    data = DataFolders.find()
    path = download("tiny", data, _base=server.base)
    before = path.read_bytes()

    def fail(*args):
        raise error

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(raised, match=message):
        download("tiny", data, _base=server.base)
    assert [p.name for p in path.parent.iterdir()] == ["tiny.csv"]
    assert path.read_bytes() == before


@pytest.mark.skipif(os.name == "nt", reason="no modes there")
def test_a_download_may_be_read_by_whom_any_file_may(tiny, server):
    server.answers["/tiny.zip"] = (200, {}, zipped(TINY_ZIP))
    before = os.umask(0o027)
    try:
        path = download("tiny", DataFolders.find(), _base=server.base)
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


# The originals, laid out again from the data at hand


def lines(rows, delimiter=","):
    return "".join(delimiter.join(row) + "\n" for row in rows)


def rows_of(name):
    """The fields of a table as they stand in its file."""
    text = reference_folder("data", "uci", f"{name}.csv").read_text()
    return [line.split(",") for line in text.splitlines()[1:]]


def class_first(rows):
    return [[row[-1], *row[:-1]] for row in rows]


def split_in(name, parts, delimiter=","):
    """Members with so many rows each, one after another."""
    rows, members = rows_of(name), {}
    for member, n in parts.items():
        members[member], rows = lines(rows[:n], delimiter), rows[n:]
    assert not rows
    return members


def dermatology():
    return {
        "dermatology.data": lines(
            [[(f != "" and f) or "?" for f in r] for r in rows_of("dermatology")]
        )
    }


def forest():
    rows = [[f"{row[0]} ", *row[1:]] for row in class_first(rows_of("forest_type_mapping"))]
    heading = [["class", *LAYOUTS["forest_type_mapping"].features]]
    return {"training.csv": lines(heading + rows[:198]), "testing.csv": lines(heading + rows[198:])}


def segmentation():
    heading = "BRICKFACE,SKY,FOLIAGE\n\nREGION-CENTROID-COL,REGION-CENTROID-ROW\n\n"
    rows = class_first(rows_of("image_segmentation"))
    return {"segmentation.data": heading + lines(rows), "segmentation.test": ""}


def anuran():
    heading = [[*(f"MFCCs_{i:2d}" for i in range(1, 23)), "Family", "Genus", "Species", "RecordID"]]
    rows = [[*row[:-1], "Hylidae", "Hyla", row[-1], "7"] for row in rows_of("anuran_calls_mfcc")]
    return {"Anuran Calls (MFCCs)/Frogs_MFCCs.csv": lines(heading + rows)}


def glass():
    rows = rows_of("glass")
    return {"glass.data": lines([str(i), *row] for i, row in enumerate(rows, start=1))}


def spect():
    rows = class_first(rows_of("spect_heart"))
    return {"SPECT.train": lines(rows[:80]), "SPECT.test": lines(rows[80:]), "SPECTF.train": ""}


ORIGINALS = {
    "dermatology": dermatology,
    "libras_movement": lambda: split_in("libras_movement", {"movement_libras.data": 360}),
    "vehicle": lambda: split_in("vehicle", {f"xa{c}.dat": 94 for c in "abcdefghi"}, " "),
    "forest_type_mapping": forest,
    "image_segmentation": segmentation,
    "synthetic_control": lambda: {
        "synthetic_control.data": lines([row[:-1] for row in rows_of("synthetic_control")], "  ")
    },
    "fertility": lambda: split_in("fertility", {"fertility_Diagnosis.txt": 100}),
    "glass": glass,
    "ionosphere": lambda: split_in("ionosphere", {"ionosphere.data": 351}),
    "anuran_calls_mfcc": anuran,
    "pendigits": lambda: split_in(
        "pendigits", {"pendigits.tra": 7494, "pendigits.tes": 3498}, ", "
    ),
    "seeds": lambda: split_in("seeds", {"seeds_dataset.txt": 210}, "\t\t"),
    "spect_heart": spect,
    "cmc": lambda: split_in("cmc", {"cmc.data": 1473}),
}


def gml(graph, first=0):
    """As in Newman's collection; ``first`` is the number of the first node."""
    quoted = "" if graph.classes[0].isdecimal() else '"'
    nodes = "".join(
        f'  node\n  [\n    id {i + first}\n    label "{name}"\n'
        f"    value {quoted}{graph.classes[code]}{quoted}\n  ]\n"
        for i, (name, code) in enumerate(zip(graph.node_names, graph.y, strict=True))
    )
    # Edges from the higher node to the lower, the last one twice.
    ends = [(s, t) for s, t in zip(graph.target + first, graph.source + first, strict=True)]
    if graph.name == "polblogs":
        ends = [(t, s) for s, t in ends]
    edges = "".join(
        f"  edge [\n    source {s}\n    target {t}\n  ]\n" for s, t in [*ends, ends[-1]]
    )
    directed = int(graph.name == "polblogs")
    return f'Creator "Mark"\ngraph\n[\n  directed {directed}\n{nodes}{edges}]\n'


def snap(graph):
    ids = list(graph.node_names)
    pairs = {(s, t) for s, t in zip(graph.source, graph.target, strict=True)}
    pairs |= {(t, s) for s, t in pairs}
    text = "# Directed graph\r\n# FromNodeId\tToNodeId\r\n"
    return gzip.compress((text + "".join(f"{ids[s]}\t{ids[t]}\r\n" for s, t in pairs)).encode())


def connectome(graph):
    A = np.zeros((graph.n_nodes, graph.n_nodes), int)
    A[graph.source, graph.target] = graph.weight
    matrix = lines([map(str, row) for row in A], " ")
    return matrix.encode(), lines([graph.classes[code]] for code in graph.y).encode()


def original_files(name, reference):
    """What lies at the addresses of the catalog."""
    if name in ORIGINALS:
        return [zipped(ORIGINALS[name]())]
    graph = reference.graph(name)
    if name == "ca_grqc":
        return [snap(graph)]
    if name.startswith("drosophila"):
        return connectome(graph)
    return [zipped({f"{name}.txt": "about", f"{name}.gml": gml(graph, name == "polblogs")})]


@pytest.mark.parametrize(
    "name", [name for name in [*TABLES, *GRAPHS] if name not in NOT_DOWNLOADED]
)
def test_the_original_gives_the_set_at_hand(reference, server, name):
    entry = entries.find_entry(name)
    files = original_files(name, reference)
    for url, body in zip(entry.urls, files, strict=True):
        server.answers["/" + url.split("/", 3)[3]] = (
            200,
            {},
            body,
        )
    data = DataFolders.find()
    path = download(name, data, _base=server.base)
    assert path == data.cache / entry.folder / entry.files[0]
    if name in TABLES:
        ours, theirs = data.table(name), reference.table(name)
        np.testing.assert_array_equal(ours.X, theirs.X)
        assert ours.features == theirs.features
    else:
        ours, theirs = data.graph(name), reference.graph(name)
        np.testing.assert_array_equal(ours.source, theirs.source)
        np.testing.assert_array_equal(ours.target, theirs.target)
        assert ours.node_names == theirs.node_names
    np.testing.assert_array_equal(ours.y, theirs.y)
    assert ours.classes == theirs.classes


@pytest.mark.parametrize(("name", "files", "message"), [
    ("football", [zipped({"football.gml": "graph [ node [ id 0 label"})], "laid out differently"),
    ("football", [zipped({"football.gml": "graph [ node [ id 0 ] ] node"})], "laid out"),
    ("football", [zipped({"football.gml": "graph [ edge [ source 0 target 1 ] ]"})], "laid out"),
    ("football", [zipped({"football.gml": ""})], "0 nodes and 0 edges; football has 115 nodes"),
    ("ca_grqc", [gzip.compress(b"1 2\n2 1\n3\n")], "laid out differently"),
    ("ca_grqc", [gzip.compress(b"1 2\n2 1\n3 3\n")], "3 nodes and 2 edges; ca_grqc has 5242"),
    ("ca_grqc", [b"1 2"], "is not a sound GZIP file"),
    ("ca_grqc", [gzip.compress(b"1 2\n" * 99)[:-5]], "is not a sound GZIP file"),
    ("ca_grqc", [gzip.compress(b"1 2\n" * 2000)], "what it unpacks to has more than 0 MiB"),
    ("drosophila_left", [b"0 1\n1 0\n", b"K\n"], "laid out differently"),
    ("drosophila_left", [b"0 1\n1\n", b"K\nP\n"], "laid out differently"),
    ("drosophila_left", [b"0 1\n1 0\n", b"K\nP\n"], "2 nodes and 2 edges; drosophila_left has 209"),
])  # fmt: skip
def test_originals_of_graphs_that_are_something_else(server, monkeypatch, name, files, message):
    monkeypatch.setattr(archives, "MOST_BYTES", 4095)
    for url, body in zip(entries.find_entry(name).urls, files, strict=True):
        server.answers["/" + url.split("/", 3)[3]] = (200, {}, body)
    with pytest.raises(DataError, match=message):
        download(name, DataFolders.find(), _base=server.base)


def test_gml_of_nested_words():
    text = 'graph [ node [ id 1 label "a [node] b" ] edge [ source 1 target 1 ] ]'
    assert originals.gml_records(text, "node") == [{"id": "1", "label": "a [node] b"}]
    assert originals.gml_records(text, "edge") == [{"source": "1", "target": "1"}]
