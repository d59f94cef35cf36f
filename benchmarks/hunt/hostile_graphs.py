"""Graph files that hold no graph: what each contains, by its name."""

from __future__ import annotations

import bz2
import gzip
import io
import zipfile
from collections.abc import Mapping
from typing import Any

import numpy as np

from benchmarks.hunt.hostile_tables import Content, gzip_of, large, npy, sparse

GOOD = b"source,target\n0,1\n1,2\n2,0\n2,3\n3,4\n4,5\n5,3\n"
_GML = b'graph [\n node [ id 0 label "a" ]\n node [ id 1 label "b" ]\n edge [ source 0 target 1 '
_XML = b'<?xml version="1.0" encoding="UTF-8"?>\n'
_GRAPHML = b'<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
_NODES = b'<graph edgedefault="undirected"><node id="a"/><node id="b"/>'
_LAUGHS = b"".join(
    b'<!ENTITY l%d "%s">' % (i, b"&l%d;" % (i - 1) * 10 if i else b"ha") for i in range(12)
)


def compressed() -> dict[str, Content]:
    """Compressed graphs; unpacked they may take any size."""
    edges = b"".join(b"%d,%d\n" % (i, i * i % 997) for i in range(900))
    mtx = b"%%MatrixMarket matrix coordinate real general\n3 3 4000000000\n1 2 1\n"
    return {
        "empty.csv.gz": b"",
        "text.csv.gz": GOOD,
        "cut-short.csv.gz": gzip_of(edges)[:-9],
        "cut-short.graphml.gz": gzip_of(_XML + _GRAPHML + _NODES + b"</graph></graphml>")[:-9],
        "cut-short.gml.bz2": bz2.compress(_GML)[:-9],
        "array.npz.gz": gzip_of(b"PK"),
        "noise.edgelist.bz2": np.random.default_rng(4).bytes(5_000),
        "entries-that-lack.mtx.gz": gzip_of(mtx),
        "bomb-of-one-line.edges.gz": large(lambda: gzip_of(b"7" * 100_000_000)),
        "bomb-of-one-line.txt.bz2": large(lambda: bz2.compress(b"7" * 100_000_000)),
    }


def edge_lists() -> dict[str, Content]:
    """Lists of edges."""
    noise = np.random.default_rng(1).bytes(20_000)
    return {
        "empty.csv": b"",
        "bom.edges": b"\xef\xbb\xbf",
        "comments-only.txt": b"# nothing\n% at all\n",
        "header-only.csv": b"source,target\n",
        "nuls.edges": bytes(5_000),
        "nul-in-an-id.csv": b"source,target\n0,\x001\n",
        "noise.txt": noise,
        "utf-16-cut-short.csv": GOOD.decode().encode("utf-16")[:-1],
        "latin-1.csv": "source,target\nJürgen,Ann\n".encode("latin-1"),
        "latin-1-at-the-end.csv": large(lambda: GOOD + b"0,1\n" * 300_000 + b"\xff,1\n"),
        "one-field.txt": b"0\n1\n",
        "one-id-of-megabytes.txt": large(lambda: b"x" * 1_000_000),
        "long-line.txt": large(lambda: b"0 1 " + b"7" * 3_000_000),
        "line-of-commas.csv": large(lambda: b"," * 1_000_000),
        "one-line-of-40-megabytes.csv": large(lambda: b"7" * 40_000_000),
        "ragged.csv": GOOD + b"1,2,3\n",
        "ragged-and-long.csv": large(lambda: GOOD + b"x" * 500_000 + b",2,3\n"),
        "missing-end.csv": GOOD + b"1,\n",
        "weight-of-text.csv": b"source,target,weight\n0,1,x\n",
        "weight-of-much-text.csv": large(
            lambda: b"source,target,weight\n0,1," + b"x" * 500_000 + b"\n"
        ),
        "weight-infinite.csv": b"source,target,weight\n0,1,1e999\n",
        "weight-nan.csv": b"source,target,weight\n0,1,nan\n1,2,1\n",
        "weights-overflow.csv": b"source,target,weight\n0,1,1e308\n0,1,1e308\n",
        "weights-cancel.csv": b"source,target,weight\n0,1,1\n0,1,-1\n",
        "open-quote.csv": b'source,target\n"0,1\n1,2\n',
        "labels.csv": b"node,label\n0,a\n1,b\n",
        "attributes.edgelist": b"0 1 {'weight': 4}\n1 2 {'weight': 5}\n",
        "adjacency.txt": b"0 1 2 3 4\n1 0 2 3 4\n",
        "gzip.csv": gzip.compress(GOOD, mtime=0),
        "terminal.csv": b"source,target\n\x1b[2J\x07,1,2\n",
        "terabyte.csv": sparse(1 << 40),
        "terabyte-of-lines.edges": sparse(1 << 40, b"0 1\n1 2\n"),
    }


def matrix_market() -> dict[str, Content]:
    """Matrix Market files."""
    head = b"%%MatrixMarket matrix coordinate real general\n"
    return {
        "empty.mtx": b"",
        "csv.mtx": GOOD,
        "header-only.mtx": head,
        "cut-short.mtx": head + b"3 3 5\n1 2 1.0\n",
        "entries-missing.mtx": head + b"3 3 3\n1 2 1.0\n2 3 1.000000\n",
        "entries-huge.mtx": head + b"3 3 999999999999999999\n1 2 1.0\n",
        "sides-huge.mtx": head + b"99999999999 99999999999 1\n1 2 1.0\n",
        "sides-beyond-64-bits.mtx": head + b"9" * 30 + b" " + b"9" * 30 + b" 1\n1 2 1.0\n",
        "sides-negative.mtx": head + b"-3 -3 1\n1 2 1.0\n",
        "not-square.mtx": head + b"3 4 1\n1 2 1.0\n",
        "index-too-large.mtx": head + b"3 3 1\n1 9 1.0\n",
        "index-zero.mtx": head + b"3 3 1\n0 1 1.0\n",
        "index-of-text.mtx": head + b"3 3 1\na b 1.0\n",
        "infinite.mtx": head + b"3 3 1\n1 2 inf\n",
        "complex.mtx": head.replace(b"real", b"complex") + b"2 2 1\n1 2 1.0 2.0\n",
        "skew.mtx": head.replace(b"general", b"skew-symmetric") + b"2 2 1\n2 1 1.0\n",
        "vector.mtx": head.replace(b"matrix coord", b"vector coord") + b"2 2 1\n2 1 1.0\n",
        "no-entries.mtx": head + b"3 3 0\n",
        "noise.mtx": head + np.random.default_rng(2).bytes(5_000),
        "array-cut-short.mtx": b"%%MatrixMarket matrix array real general\n3 3\n1\n2\n",
        "long-line.mtx": large(lambda: head + b"3 3 1\n" + b"1" * 5_000_000),
        "terabyte.mtx": sparse(1 << 40, head),
    }


def gml() -> dict[str, Content]:
    """GML files."""
    return {
        "empty.gml": b"",
        "csv.gml": GOOD,
        "cut-short.gml": _GML,
        "brackets.gml": large(lambda: b"graph " + b"[ a " * 100_000),
        "latin-1.gml": _GML.replace(b'"a"', b'"\xe4"') + b"] ]\n",
        "nul.gml": _GML + b"\x00 ] ]\n",
        "surrogate.gml": _GML.replace(b'"a"', b'"&#xD800;"') + b"] ]\n",
        "edge-to-nowhere.gml": _GML.replace(b"target 1", b"target 7") + b"] ]\n",
        "id-of-5000-digits.gml": _GML.replace(b"id 1", b"id " + b"9" * 5_000) + b"] ]\n",
        "weight-of-text.gml": _GML + b'weight "x" ] ]\n',
        "weight-infinite.gml": _GML + b"weight +INF ] ]\n",
        "same-id.gml": _GML.replace(b"id 1", b"id 0") + b"] ]\n",
        "two-graphs.gml": (_GML + b"] ]\n") * 2,
        "no-edges.gml": b"graph [ node [ id 0 ] ]\n",
        "long-line.gml": large(lambda: b"graph [ " + b"x" * 3_000_000),
        "terabyte.gml": sparse(1 << 40, b"graph ["),
        "gigabytes.gml": sparse(64 << 30, b"graph ["),
    }


def graphml() -> dict[str, Content]:
    """GraphML files."""
    end = b"</graph></graphml>"
    whole = _XML + _GRAPHML + _NODES + b'<edge source="a" target="b"/>' + end
    return {
        "empty.graphml": b"",
        "csv.graphml": GOOD,
        "cut-short.graphml": whole[:-20],
        "laughs.graphml": _XML + b"<!DOCTYPE graphml [" + _LAUGHS + b"]>" + whole[len(_XML) :],
        "entity.graphml": _XML
        + b'<!DOCTYPE graphml [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
        + whole[len(_XML) :].replace(b'id="a"', b'id="a">&x;</node><node id="c"'),
        "deep.graphml": _XML + _GRAPHML + b"<graph>" * 200_000,
        "deep-and-closed.graphml": _XML
        + _GRAPHML
        + b'<graph edgedefault="undirected">'
        + b"<data>" * 100_000
        + b"</data>" * 100_000
        + end,
        "two-graphs.graphml": whole.replace(end, b"</graph>" + _NODES + end),
        "no-graph.graphml": _XML + _GRAPHML + b"</graphml>",
        "latin-1.graphml": whole.replace(b'id="a"', b'id="\xe4"'),
        "encoding-unknown.graphml": whole.replace(b"UTF-8", b"KLINGON"),
        "weight-of-text.graphml": whole.replace(
            b"<graph e",
            b'<key id="w" for="edge" attr.name="weight" attr.type="double"/><graph e',
        ).replace(b'target="b"/>', b'target="b"><data key="w">x</data></edge>'),
        "edge-to-nowhere.graphml": whole.replace(b'target="b"', b""),
        "nul.graphml": whole.replace(b'id="a"', b'id="\x00"'),
        "page.graphml": b"<!DOCTYPE html><html><body>404</body></html>",
        "terabyte.graphml": sparse(1 << 40, _XML),
    }


def exchange() -> dict[str, Content]:
    """Files of Pajek, Cytoscape and Gephi, and adjacency lists."""
    net = b'*Vertices 2\n1 "a"\n2 "b"\n*Edges\n1 2\n'
    nodes = b'<nodes><node id="0" label="a"/><node id="1" label="b"/></nodes>'
    edges = b'<edges><edge id="0" source="0" target="1"/></edges>'
    head = b'<gexf xmlns="http://www.gexf.net/1.2draft" version="1.2">'
    whole = _XML + head + b'<graph defaultedgetype="undirected">' + nodes + edges
    return {
        "empty.net": b"",
        "csv.net": GOOD,
        "no-edges.net": b"*Vertices 2\n",
        "vertices-huge.net": net.replace(b"2\n1", b"99999999999\n1", 1),
        "vertices-of-5000-digits.net": b"*Vertices " + b"9" * 5_000 + b"\n",
        "vertices-negative.net": net.replace(b"*Vertices 2", b"*Vertices -2"),
        "vertices-too-few.net": net.replace(b"*Vertices 2", b"*Vertices 1"),
        "vertex-of-5000-digits.net": net + b"1 " + b"7" * 5_000 + b"\n",
        "two-networks.paj": net + net,
        "open-quote.net": net.replace(b'"b"', b'"b'),
        "value-of-text.net": net.replace(b"1 2\n", b"1 2 x\n"),
        "value-infinite.net": net.replace(b"1 2\n", b"1 2 1e999\n"),
        "matrix-cut-short.net": b"*Vertices 2\n*Matrix\n0\n",
        "unknown-part.net": net + b"*Circles\n1 2\n",
        "latin-1.net": net.replace(b'"b"', b'"\xe4"'),
        "nul.net": net.replace(b'"b"', b'"\x00"'),
        "noise.net": np.random.default_rng(5).bytes(5_000),
        "long-line.net": large(lambda: net + b"1 " * 2_000_000),
        "terabyte.net": sparse(1 << 40, net),
        "empty.sif": b"",
        "two-fields.sif": b"a pp b\na b\n",
        "empty-field.sif": b"a\t\tb\n",
        "nul.sif": b"a pp b\x00\n",
        "noise.sif": np.random.default_rng(6).bytes(5_000),
        "terabyte.sif": sparse(1 << 40, b"a pp b\n"),
        "empty.adjlist": b"# nothing\n",
        "missing.adjlist": b"a,,b\n",
        "nodes-only.adjlist": b"a\nb\n",
        "noise.adjlist": np.random.default_rng(7).bytes(5_000),
        "terabyte.adjlist": sparse(1 << 40, b"a b\n"),
        "empty.gexf": b"",
        "csv.gexf": GOOD,
        "cut-short.gexf": whole,
        "laughs.gexf": _XML + b"<!DOCTYPE gexf [" + _LAUGHS + b"]>" + whole[len(_XML) :],
        "edge-to-nowhere.gexf": whole.replace(b'target="1"', b"") + b"</graph></gexf>",
        "weight-of-text.gexf": whole.replace(b' target="1"', b' target="1" weight="x"')
        + b"</graph></gexf>",
        "no-graph.gexf": _XML + head + b"</gexf>",
        "terabyte.gexf": sparse(1 << 40, _XML),
    }


def sparse_arrays() -> dict[str, Content]:
    """Archives in the form of ``scipy.sparse.save_npz``."""
    return {
        "empty.npz": b"",
        "table.npz": _archive({"X": np.ones((3, 2))}),
        "no-shape.npz": _saved(shape=None),
        "shape-of-text.npz": _saved(shape=np.array(["a", "b"])),
        "shape-huge.npz": _saved(shape=np.array([2**62, 2**62])),
        "shape-negative.npz": _saved(shape=np.array([-3, -3])),
        "shape-not-square.npz": _saved(shape=np.array([3, 4])),
        "shape-of-nan.npz": _saved(shape=np.array([np.nan, np.nan])),
        "shape-of-floats.npz": _saved(shape=np.array([1e300, 1e300])),
        "indices-too-large.npz": _saved(indices=np.array([1, 10**6, 1], np.int32)),
        "indices-negative.npz": _saved(indices=np.array([1, -9, 1], np.int32)),
        "indices-missing.npz": _saved(indices=np.array([1], np.int32)),
        "starts-decreasing.npz": _saved(indptr=np.array([0, 3, 1, 3], np.int32)),
        "starts-too-large.npz": _saved(indptr=np.array([0, 1, 2, 10**6], np.int32)),
        "format-unknown.npz": _saved(format=np.array(b"xyz")),
        "format-of-objects.npz": _saved(format=np.array([None])),
        "data-of-objects.npz": _saved(data=np.array([None] * 3)),
        "data-of-text.npz": _saved(data=np.array(["a"] * 3)),
        "data-infinite.npz": _saved(data=np.array([1.0, np.inf, 1.0])),
        "header-of-gigabytes.npz": _archive(
            {}, {"shape.npy": b"\x93NUMPY\x02\x00" + b"\xff" * 4 + bytes(20_000)}
        ),
    }


def node_labels() -> dict[str, Content]:
    """Files of node labels, to be given with a good graph."""
    return {
        "empty.csv": b"",
        "one-field.csv": b"0\n1\n",
        "other-nodes.csv": b"x,a\ny,b\n",
        "other-long-nodes.csv": large(
            lambda: b"".join(b"%d" % i * 50_000 + b",a\n" for i in range(7))
        ),
        "two-labels.csv": large(lambda: b"0," + b"a" * 90_000 + b"\n0," + b"b" * 90_000 + b"\n"),
        "latin-1.csv": b"0,\xe4\n",
        "nuls.csv": bytes(5_000),
        "terabyte.csv": sparse(1 << 40),
    }


def _archive(arrays: Mapping[str, Any], others: Mapping[str, bytes] | None = None) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, values in arrays.items():
            archive.writestr(f"{name}.npy", npy(values))
        for name, content in (others or {}).items():
            archive.writestr(name, content)
    return stream.getvalue()


def _saved(**changed: Any) -> bytes:
    """A path of three nodes, with arrays that are changed, or None for one that is not there."""
    arrays = {
        "format": np.array(b"csr"),
        "shape": np.array([3, 3]),
        "indptr": np.array([0, 1, 3, 3], np.int32),
        "indices": np.array([1, 0, 2], np.int32),
        "data": np.ones(3),
        **changed,
    }
    return _archive({name: values for name, values in arrays.items() if values is not None})
