"""The data sets of the papers: what is read, what is refused, what is downloaded."""

import gzip
import io
import os
import zipfile
from email.message import Message
from urllib.request import HTTPSHandler, build_opener
from urllib.response import addinfourl

import networkx as nx
import numpy as np
import pytest
from sklearn.datasets import load_iris

from helpers import each, files, reference_folder
from kgroups.exceptions import DataError
from papers import data
from papers.data import CATALOG, DataFolders

TABLE = "a,b,label\n1.5,,10\n-2,0, 9\n0.1,1e3,9\n"
# A path 0-1-2 both ways, a loop at 2, and 3 alone.
EDGES = "source,target,weight\n1,2,5\n0,1,2\n1,0,1\n2,2,3\n"
NODES = "node,label,name\n0,x,p\n1,y,NA\n2,x,r\n3,x,s\n"
URL = "https://example.org/original"
GML = """Creator "M"
graph [
  directed 0
  node [ id 5 label "a &#38; b" value 1 ]
  node [ id 7 label "c" value 0 ]
  edge [ source 7 target 5 ]
  edge [ source 5 target 7 ]
  edge [ source 7 target 7 ]
]"""


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    """No folder of the user is looked at."""
    monkeypatch.delenv("KGROUPS_DATA", raising=False)
    monkeypatch.setenv("KGROUPS_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def folder(tmp_path):
    for name, text in {
        "uci/tiny.csv": TABLE, "graphs/path.edges.csv": EDGES, "graphs/path.labels.csv": NODES
    }.items():  # fmt: skip
        path = tmp_path / "data" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path / "data"


@pytest.fixture
def catalog(monkeypatch):
    """Put a set into the catalog for the time of a test."""

    def put(name, **facts):
        monkeypatch.setitem(CATALOG, name, {"digest": None, **facts})

    put("tiny", urls=[URL], members=["tiny.data"], features=["a", "b"])
    put("path", directed=True, instead="it is made up")
    return put


@pytest.fixture
def web(monkeypatch):
    """What lies at addresses of https: by address, the status, the headers and the body."""
    answers = {}

    class Web(HTTPSHandler):
        def https_open(self, request):
            status, headers, body = answers[request.full_url]
            message = Message()
            for key, value in headers.items():
                message[key] = value
            response = addinfourl(io.BytesIO(body), message, request.full_url, status)
            response.msg = ""
            return response

    monkeypatch.setattr(data, "build_opener", lambda *handlers: build_opener(*handlers, Web))
    return answers


def zipped(text, name="folder/TINY.data"):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, text)
    return packed.getvalue()


def test_a_table_is_read_once_with_classes_in_order_and_missing_values(folder, catalog):
    tiny = DataFolders.find(folder).table("tiny")
    np.testing.assert_array_equal(tiny.X, [[1.5, np.nan], [-2, 0], [0.1, 1000]])
    assert (tiny.X.dtype, tiny.y.dtype, tiny.y.tolist()) == (np.float64, np.int64, [1, 0, 0])
    assert (tiny.classes, tiny.features, tiny.n_clusters) == (("9", "10"), ("a", "b"), 2)
    assert not tiny.X.flags.writeable
    assert DataFolders.find(folder).table("tiny") is tiny


def test_a_graph_has_its_edges_in_order_and_a_symmetric_adjacency(folder, catalog):
    path = DataFolders.find(folder).graph("path")
    assert (path.source.tolist(), path.target.tolist()) == ([0, 1, 1, 2], [1, 0, 2, 2])
    assert (path.weight.tolist(), path.y.tolist()) == ([2, 1, 5, 3], [0, 1, 0, 0])
    assert (path.n_clusters, path.node_names) == (2, ("p", "NA", "r", "s"))
    expected = [[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 1, 0], [0, 0, 0, 0]]
    np.testing.assert_array_equal(path.adjacency().toarray(), expected)


def test_sets_that_packages_bring_along():
    found = DataFolders.find()
    np.testing.assert_array_equal(found.table("iris").X, load_iris().data)
    assert found.table("wine").classes == ("class_0", "class_1", "class_2")
    club = nx.to_numpy_array(nx.karate_club_graph(), weight=None)
    np.testing.assert_array_equal(found.graph("karate").adjacency().toarray(), club)


@each("name", [name for name, facts in CATALOG.items() if not facts.get("package")])
def test_every_set_has_its_digest(name):
    found = DataFolders.find(reference_folder("data"))
    if why := found.missing(name):
        pytest.skip(why)
    load = found.graph if "directed" in CATALOG[name] else found.table
    assert data.digest(load(name)) == CATALOG[name]["digest"]


def test_another_value_is_refused_with_the_file_and_the_set(folder, catalog):
    right = data.digest(DataFolders.find(folder).table("tiny"))
    catalog("tiny", digest=right)
    path = folder / "uci" / "tiny.csv"
    path.write_text('a,b,label\r\n"1.50",nan,10\r\n-2e0,-0,9\r\n.1,1000.0,9\r\n')
    data._loaded.cache_clear()
    assert data.digest(DataFolders.find(folder).table("tiny")) == right
    for text, why in ((TABLE.replace("0.1", "0.2"), "is not the data set tiny: its digest is"),
                      (TABLE.replace("0.1", "x"), "cannot be read as the data set tiny")):  # fmt: skip
        path.write_text(text)
        data._loaded.cache_clear()
        with pytest.raises(DataError, match=rf"^{path} {why}"):
            DataFolders.find(folder).table("tiny")


def test_what_is_missing_says_how_to_get_it(folder, catalog):
    found = DataFolders.find()
    assert f"uci/tiny.csv not found in {found.folders[0]}" in found.missing("tiny")
    assert f"--download fetches it from {URL}" in found.missing("tiny")
    with pytest.raises(DataError, match="no download: it is made up"):
        found.graph("path")
    with pytest.raises(DataError, match="path cannot be downloaded: it is made up"):
        found.download("path")
    with pytest.raises(DataError, match="no data set 'irish'"):
        found.missing("irish")
    assert DataFolders.find(folder).missing("path") is None


def test_a_download_of_each_format_reads_back(catalog, web):
    found = DataFolders.find()
    web[URL] = (302, {"Location": f"{URL}.zip"}, b"")
    web[f"{URL}.zip"] = (200, {}, zipped("A,B,label\n\n1.5,?,10\n-2, 0,\t9 \n0.1,1e3,9\n"))
    assert found.download("tiny") == found.folders[-1] / "uci" / "tiny.csv"
    assert files(found.folders[-1] / "uci") == ["tiny.csv"]
    np.testing.assert_array_equal(found.table("tiny").X, [[1.5, np.nan], [-2, 0], [0.1, 1000]])
    assert found.table("tiny").classes == ("9", "10")

    catalog("books", directed=False, urls=[URL], format="gml", members=["books.gml"])
    web[URL] = (200, {}, zipped(GML, "books.gml"))
    found.download("books")
    books = found.graph("books")
    assert (books.source.tolist(), books.target.tolist()) == ([0, 1], [1, 1])
    assert (books.y.tolist(), books.node_names) == ([1, 0], ("a &#38; b", "c"))

    catalog("authors", directed=False, urls=[URL], format="pairs")
    web[URL] = (200, {}, gzip.compress(b"# From\tTo\r\n30\t4\r\n4\t30\r\n4\t4\r\n"))
    found.download("authors")
    authors = found.graph("authors")
    assert (authors.source.tolist(), authors.target.tolist()) == ([0, 0], [0, 1])
    assert (authors.y, authors.weight, authors.node_names) == (None, None, ("4", "30"))

    catalog("brain", directed=True, urls=[URL, f"{URL}2"], format="matrix")
    web |= {URL: (200, {}, b"0 2\n3 0\n"), f"{URL}2": (200, {}, b"K\nP\n")}
    found.download("brain")
    assert found.graph("brain").weight.tolist() == [2, 3]
    assert found.graph("brain").classes == ("K", "P")


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ((404, {}, b""), "404"),
        ((302, {"Location": "http://example.org/a"}, b""), "http://example.org/a is not https"),
        ((200, {}, b"no archive"), "not a zip file"),
        ((200, {}, zipped("1,2,3\n", "other.data")), "tiny.data"),
        ((200, {}, zipped("1,2,3\n" * 99)), "unpacks to more than"),
        ((200, {}, b"x" * 1000), "too large"),
        ((200, {}, zipped("1,2,3\n")), "its digest is"),
    ],
)
def test_a_wrong_original_is_refused_and_nothing_is_written(catalog, web, monkeypatch, answer, why):
    monkeypatch.setattr(data, "_MOST_BYTES", 500)
    catalog("tiny", urls=[URL], members=["tiny.data"], features=["a", "b"], digest="0" * 64)
    web[URL] = answer
    with pytest.raises(DataError, match=f"{URL} .*tiny: .*{why}"):
        DataFolders.find().download("tiny")
    assert not DataFolders.find().folders[-1].exists()


def test_what_is_there_stays_when_writing_fails(catalog, web, monkeypatch):
    web[URL] = (200, {}, zipped("1,2,3\n"))
    path = DataFolders.find().download("tiny")
    monkeypatch.setattr(os, "replace", lambda *paths: 1 / 0)
    web[URL] = (200, {}, zipped("1,2,4\n"))
    with pytest.raises(ZeroDivisionError):
        DataFolders.find().download("tiny")
    assert files(path.parent) == ["tiny.csv"]
    assert path.read_text() == "a,b,label\n1.0,2.0,3\n"


def test_all_addresses_are_https():
    assert all(url.startswith("https://") for of in CATALOG.values() for url in of.get("urls", []))
