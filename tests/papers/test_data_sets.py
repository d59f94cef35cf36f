"""The data sets of the papers: what is read, what is refused, what is downloaded."""

import gzip
import io
import os
import zipfile
from email.message import Message
from urllib.request import HTTPSHandler, build_opener
from urllib.response import addinfourl

import numpy as np
import pytest
from sklearn.datasets import load_iris

from helpers import each, files, reference_folder
from kgroups.exceptions import DataError
from papers import data, originals
from papers.data import CATALOG, DataFolders

TABLE = "a,b,label\n1.5,,10\n-2,0, 9\n0.1,1e3,9\n"
URL = "https://example.org/original"
GML = """Creator "M"\ngraph [\n directed 0
node [ id 5 label "a &#38; b" value 1 ] node [ id 7 label "c" value 0 ]
edge [ source 7 target 5 ]\nedge [ source 5 target 7 ]\nedge [ source 7 target 7 ]\n]"""


@pytest.fixture(autouse=True)
def put(tmp_path, monkeypatch):
    """Puts a set into the catalog; no folder of the user is looked at."""
    monkeypatch.delenv("KGROUPS_DATA", raising=False)
    monkeypatch.setenv("KGROUPS_CACHE", str(tmp_path / "cache"))
    data._loaded.cache_clear()

    def put(name, **facts):
        monkeypatch.setitem(CATALOG, name, {"digest": None, **facts})

    put("tiny", urls=[URL], members=["tiny.data"], features=["a", "b"])
    put("path", directed=True, instead="it is made up")
    return put


@pytest.fixture
def web(monkeypatch):
    """By address: status, body, and where else to look."""
    answers = {}

    class Web(HTTPSHandler):
        def https_open(self, request):
            status, body, *location = answers[request.full_url]
            headers = Message()
            for address in location:
                headers["Location"] = address
            response = addinfourl(io.BytesIO(body), headers, request.full_url, status)
            response.msg = ""
            return response

    monkeypatch.setattr(originals, "build_opener", lambda *other: build_opener(*other, Web))
    return answers


def zipped(text, name="folder/TINY.data"):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, text)
    return packed.getvalue()


def write(folder, **texts):
    for name, text in texts.items():
        (folder / f"{name.replace('_', '.')}.csv").write_text(text)


def test_a_graph_has_its_edges_in_order_and_a_symmetric_adjacency(tmp_path):
    (tmp_path / "graphs").mkdir()
    edges = "source,target,weight\n1,2,5\n0,1,2\n1,0,1\n2,2,3\n"
    write(tmp_path / "graphs", path_edges=edges, path_labels="node,label\n0,x\n1,y\n2,x\n3,x\n")
    path = DataFolders.find(tmp_path).graph("path")
    assert (path.source.tolist(), path.target.tolist()) == ([0, 1, 1, 2], [1, 0, 2, 2])
    assert (path.weight.tolist(), path.y.tolist()) == ([2, 1, 5, 3], [0, 1, 0, 0])
    assert (path.n_clusters, path.node_names) == (2, ("0", "1", "2", "3"))
    expected = [[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 1, 0], [0, 0, 0, 0]]
    np.testing.assert_array_equal(path.adjacency().toarray(), expected)


@each("name", CATALOG)
def test_every_set_has_its_digest_and_addresses_of_https(name):
    facts = CATALOG[name]
    assert all(url.startswith("https://") for url in facts.get("urls", []))
    found = DataFolders.find(None if "package" in facts else reference_folder("data"))
    if why := found.missing(name):
        pytest.skip(why)
    load = found.graph if "directed" in facts else found.table
    assert data.digest(load(name)) == facts["digest"]


def test_the_content_counts_and_another_value_is_refused_with_file_and_set(tmp_path, put):
    (tmp_path / "uci").mkdir()
    write(tmp_path / "uci", tiny=TABLE)
    found = DataFolders.find(tmp_path)
    tiny = found.table("tiny")
    assert found.table("tiny") is tiny
    put("tiny", digest=data.digest(tiny))
    for text, why in {
        'a,b,label\r\n"1.50",nan,10\r\n-2e0,-0,9\r\n.1,1000.0,9\r\n': None,
        TABLE.replace("0.1", "0.2"): "is not the data set tiny: its digest is",
        TABLE.replace("0.1", "x"): "cannot be read as the data set tiny",
    }.items():
        write(tmp_path / "uci", tiny=text)
        data._loaded.cache_clear()
        if why is None:
            np.testing.assert_array_equal(found.table("tiny").X, tiny.X)
            continue
        with pytest.raises(DataError, match=rf"^{tmp_path / 'uci' / 'tiny.csv'} {why}"):
            found.table("tiny")


def test_what_is_missing_says_how_to_get_it():
    found = DataFolders.find()
    np.testing.assert_array_equal(found.table("iris").X, load_iris().data)
    why = f"uci/tiny.csv not found in {found.folders[0]}. --download fetches it from {URL}."
    assert found.missing("tiny") == why
    with pytest.raises(DataError, match="no download: it is made up"):
        found.graph("path")
    with pytest.raises(DataError, match="path cannot be downloaded: it is made up"):
        found.download("path")
    with pytest.raises(DataError, match="no data set 'irish'"):
        found.missing("irish")


def test_a_download_of_each_format_reads_back(put, web):
    found = DataFolders.find()
    web[URL] = (302, b"", f"{URL}.zip")
    web[f"{URL}.zip"] = (200, zipped("A,B,label\n\n1.5,?,10\n-2, 0,\t9 \n0.1,1e3,9\n"))
    assert found.download("tiny") == found.folders[-1] / "uci" / "tiny.csv"
    assert files(found.folders[-1] / "uci") == ["tiny.csv"]
    tiny = found.table("tiny")
    np.testing.assert_array_equal(tiny.X, [[1.5, np.nan], [-2, 0], [0.1, 1000]])
    assert (tiny.classes, tiny.y.tolist(), tiny.X.flags.writeable) == (("9", "10"), [1, 0, 0], 0)

    put("books", directed=False, urls=[URL], format="gml", members=["books.gml"])
    put("authors", directed=False, urls=[f"{URL}.gz"], format="pairs")
    put("brain", directed=True, urls=[f"{URL}1", f"{URL}2"], format="matrix")
    web |= {URL: (200, zipped(GML, "books.gml")), f"{URL}1": (200, b"0 2\n3 0\n")}
    web |= {f"{URL}.gz": (200, gzip.compress(b"# A\r\n30\t4\r\n4\t30\r\n4\t4\r\n"))}
    web |= {f"{URL}2": (200, b"K\nP\n")}
    for name, ends, weight, classes, names in [
        ("books", [[0, 1], [1, 1]], None, ("0", "1"), ("a &#38; b", "c")),
        ("authors", [[0, 0], [0, 1]], None, (), ("4", "30")),
        ("brain", [[0, 1], [1, 0]], [2, 3], ("K", "P"), ("0", "1")),
    ]:
        found.download(name)
        graph = found.graph(name)
        assert np.column_stack([graph.source, graph.target]).tolist() == ends
        assert (None if graph.weight is None else graph.weight.tolist()) == weight
        assert (graph.classes, graph.node_names) == (classes, names)


@each(
    ("answer", "why"),
    [
        ((404, b""), "404"),
        ((302, b"", "http://example.org/a"), "http://example.org/a is not https"),
        ((200, b"no archive"), "not a zip file"),
        ((200, zipped("1,2,3\n", "other.data")), "tiny.data"),
        ((200, zipped("1,2,3\n" * 99)), "unpacks to more than"),
        ((200, b"x" * 1000), "too large"),
        ((200, zipped("1,2,4\n")), "its digest is"),
    ],
)
def test_a_wrong_original_is_refused_and_what_is_there_stays(put, web, monkeypatch, answer, why):
    web[URL] = (200, zipped("1,2,3\n"))
    path = DataFolders.find().download("tiny")
    with monkeypatch.context() as patch:
        patch.setattr(originals, "_MOST_BYTES", 500)
        patch.setitem(CATALOG, "tiny", {**CATALOG["tiny"], "digest": "0" * 64})
        web[URL] = answer
        with pytest.raises(DataError, match=f"{URL} .*tiny: .*{why}"):
            DataFolders.find().download("tiny")
        assert path.read_text() == "a,b,label\n1.0,2.0,3\n"


def test_nothing_is_left_when_writing_fails(web, monkeypatch):
    web[URL] = (200, zipped("1,2,3\n"))
    monkeypatch.setattr(os, "replace", lambda *paths: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        DataFolders.find().download("tiny")
    assert files(DataFolders.find().folders[-1] / "uci") == []
