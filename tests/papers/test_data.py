"""The papers' data sets: where they are looked for, what is checked, how they are downloaded."""

import gzip
import io
import os
import sys
import threading
import tracemalloc
import zipfile
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import networkx as nx
import numpy as np
import pytest
from scipy.sparse.csgraph import connected_components
from sklearn.datasets import load_iris

from helpers import each, reference_folder, write_csv
from kgroups.input.table_files import DataError
from kgroups_papers.data import (
    DataFolders,
    archives,
    download,
    entries,
    fetch,
    folders,
    names,
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


@each("name", [*TABLES, *GRAPHS])
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


def test_only_https_is_fetched(server):
    with pytest.raises(DataError, match="does not begin with https://"):
        fetch.fetch(f"{server.base}/a")
    assert all(
        url.startswith("https://") for name in names() for url in entries.find_entry(name).urls
    )


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


@each("name", [name for name in [*TABLES, *GRAPHS] if name not in NOT_DOWNLOADED])
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
