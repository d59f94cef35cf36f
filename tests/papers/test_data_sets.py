"""The data sets of the papers: what is read, what is refused, what is downloaded."""

import gzip
import io
import zipfile
from email import message_from_string
from urllib.request import HTTPSHandler, build_opener
from urllib.response import addinfourl

import numpy as np
import pytest

from helpers import each, files, reference_folder
from kgroups.exceptions import DataError
from papers import data, originals
from papers.data import CATALOG, DataFolders

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
    return put


@pytest.fixture
def web(monkeypatch):
    """By address: status, body, and perhaps a line of headers."""
    answers = {}

    class Web(HTTPSHandler):
        def https_open(self, request):
            status, body, *head = answers[request.full_url]
            headers = message_from_string("".join(head))
            response = addinfourl(io.BytesIO(body), headers, request.full_url, status)
            response.msg = ""
            return response

    monkeypatch.setattr(originals, "build_opener", lambda *other: build_opener(*other, Web))
    return answers


def zipped(**texts):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in texts.items():
            archive.writestr(f"folder/{name}.data", text)
    return packed.getvalue()


@each("name", CATALOG)
def test_every_set_has_its_digest_and_addresses_of_https(name):
    facts = CATALOG[name]
    assert all(url.startswith("https://") for url in facts.get("urls", []))
    found = DataFolders.find(None if "package" in facts else reference_folder("data"))
    if why := found.missing(name):
        pytest.skip(why)
    load = found.graph if "directed" in facts else found.table
    assert data.digest(load(name)) == facts["digest"]


def test_a_download_of_a_table_reads_back(put, web):
    put("tiny", urls=[URL], members=["a.data", "b.data"], features=["t u"], first=1, label=-2)
    put("waves", urls=[URL], members=["a.data"], features=["t"], blocks=["up", "down"])
    found, folder = DataFolders.find(), DataFolders.find().folders[-1] / "uci"
    web[URL] = (302, b"", f"Location: {URL}.zip")
    rows = "No,t,u,class,end\n\n1,1.5,?,10,x\n2 -2, 0,\t9 ,x\n"
    web[f"{URL}.zip"] = (200, zipped(b="3,0.1,1e3,9,x\n", A=rows))
    assert found.download("tiny") == folder / "tiny.csv"
    tiny = found.table("tiny")
    np.testing.assert_array_equal(tiny.X, [[1.5, np.nan], [-2, 0], [0.1, 1000]])
    assert (tiny.classes, tiny.y.tolist(), tiny.X.flags.writeable) == (("9", "10"), [1, 0, 0], 0)
    web[URL] = (200, zipped(a="1\n2\n3\n4\n"))
    found.download("waves")
    assert found.table("waves").y.tolist() == [1, 1, 0, 0]
    assert files(folder) == ["tiny.csv", "waves.csv"]


def test_a_download_of_a_graph_reads_back(put, web):
    put("books", directed=False, urls=[URL], format="gml", members=["books.data"])
    put("authors", directed=False, urls=[f"{URL}.gz"], format="pairs")
    put("brain", directed=True, urls=[f"{URL}1", f"{URL}2"], format="matrix")
    web[URL] = (200, zipped(books=GML))
    web[f"{URL}.gz"] = (200, gzip.compress(b"# A\r\n30\t4\r\n4\t30\r\n4\t4\r\n"))
    web |= {f"{URL}1": (200, b"0 2 0\n3 0 0\n0 0 5\n"), f"{URL}2": (200, b"K\nP\nK\n")}
    found = DataFolders.find()
    for name, ends, classes, names in [
        ("books", [[0, 1], [1, 1]], ("0", "1"), ("a &#38; b", "c")),
        ("authors", [[0, 0], [0, 1]], (), ("4", "30")),
        ("brain", [[0, 1], [1, 0], [2, 2]], ("K", "P"), ("0", "1", "2")),
    ]:
        found.download(name)
        graph = found.graph(name)
        assert np.column_stack([graph.source, graph.target]).tolist() == ends
        assert (graph.classes, graph.node_names) == (classes, names)
    assert (found.graph("books").y.tolist(), found.graph("authors").y) == ([1, 0], None)
    assert graph.weight.tolist() == [2, 3, 5]
    np.testing.assert_array_equal(graph.adjacency().toarray(), [[0, 1, 0], [1, 0, 0], [0, 0, 1]])


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ((404, b""), "404"),
        ((302, b"", "Location: http://example.org/a"), "http://example.org/a is not https"),
        ((200, b"no archive"), "not a zip file"),
        ((200, zipped(other="1,2,3\n")), "tiny.data"),
        ((200, zipped(tiny="1,2,3\n" * 99)), "unpacks to more than"),
        ((200, b"x" * 1000), "too large"),
        ((200, zipped(tiny="1,2,4\n")), "its digest is"),
    ],
)
def test_a_wrong_original_is_refused_and_what_is_there_stays(put, web, monkeypatch, answer, why):
    monkeypatch.setattr(originals, "_MOST_BYTES", 500)
    web[URL] = (200, zipped(TINY="1,2,3\n"))
    path = DataFolders.find().download("tiny")
    put("tiny", **{**CATALOG["tiny"], "digest": "0" * 64})
    web[URL] = answer
    with pytest.raises(DataError, match=f"{URL} .*tiny: .*{why}"):
        DataFolders.find().download("tiny")
    assert path.read_text() == "a,b,label\n1.0,2.0,3\n"
