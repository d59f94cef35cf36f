"""Hostile files: each ends in one line that names it, in little memory and time."""

import bz2
import gzip
import io
import os
import struct
import sys
import time
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from door_tables import refusal, written

#: CPU seconds, and bytes above what the process held before.
MOST_SECONDS, MOST_BYTES = 5.0, 400_000_000
_NOISE = np.random.default_rng(0).bytes(20_000)
_GOOD = b"a,b\n1,2\n3,4\n5,9\n7,1\n"


def _npy(array):
    stream = io.BytesIO()
    np.lib.format.write_array(stream, np.asanyarray(array), allow_pickle=True)
    return stream.getvalue()


def _npy_of(shape, kind="<f8"):
    """An NPY file of 48 bytes whose header says something else."""
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + bytes(48)


def _zip(**members):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name.replace("__", "/").replace("_", "."), content)
    return stream.getvalue()


def _csr(**changed):
    """Three nodes as SciPy saves them, with arrays that are changed."""
    arrays = {
        "format": np.array(b"csr"), "shape": [3, 3], "indptr": np.array([0, 1, 3, 3], np.int32),
        "indices": np.array([1, 0, 2], np.int32), "data": np.ones(3),
    } | changed  # fmt: skip
    return _zip(**{f"{name}_npy": _npy(array) for name, array in arrays.items()})


def _cut(frame_writer, suffix):
    """The first half of a file that pandas writes."""

    def write(path):
        whole = path.with_name(f"whole{suffix}")
        getattr(pd.DataFrame({"a": np.arange(99.0), "b": np.arange(99.0)}), frame_writer)(whole)
        path.write_bytes(whole.read_bytes()[: whole.stat().st_size // 2])

    return write


def _deep_sheet(path):
    """A workbook whose sheet names entities of entities, 10**12 letters long."""
    pd.DataFrame({"a": [1, 2]}).to_excel(path, index=False)
    with zipfile.ZipFile(path) as archive:
        members = {info: archive.read(info) for info in archive.infolist()}
    with zipfile.ZipFile(path, "w") as archive:
        for info, content in members.items():
            is_sheet = info.filename.endswith("sheet1.xml")
            sheet = content[content.find(b"<worksheet") :]
            laughing = _LAUGHS % b"worksheet" + sheet.replace(b"<v>1</v>", b"<v>&l11;</v>")
            archive.writestr(info, laughing if is_sheet else content)


_LAUGHS = b"<!DOCTYPE %%s [%s]>\n" % b"".join(
    b'<!ENTITY l%d "%s">' % (i, b"&l%d;" % (i - 1) * 10 if i else b"ha") for i in range(12)
)
_GRAPHML = (
    b'<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><graph edgedefault="undirected">'
    b'<node id="a">%s</node><node id="b"/><edge source="a" target="b"/></graph></graphml>'
)
_ENTITY = b'<!DOCTYPE graphml [<!ENTITY x SYSTEM "file:///etc/passwd">]>\n'
_GEXF = (
    b'<gexf xmlns="http://www.gexf.net/1.2draft" version="1.2"><graph><nodes><node id="&l11;"/>'
    b"</nodes></graph></gexf>"
)
_MTX = b"%%MatrixMarket matrix coordinate real general\n"
_NET = b'*Vertices 2\n1 "a"\n2 "b"\n*Edges\n1 2\n'
_GML = b'graph [ node [ id 0 label "a" ] node [ id 1 label "b" ] edge [ source 0 target 1 ] ]\n'
_EDGES = b"source,target,weight\n0,1,2\n"

#: Files of tables: ``kgroups cluster FILE -k 2``.
TABLES = {
    "empty.csv": b"",
    "bom_and_blanks.csv": b"\xef\xbb\xbf\n \r\n\n",
    "nuls.csv": bytes(5_000),
    "nul_in_a_field.csv": b"a,b\n1,\x002\n3,4\n",
    "noise.csv": _NOISE,
    "not_utf8.csv": b"a,b\n" + b"1,2\n" * 50_000 + b"\xff,1\n",
    "half_a_letter.csv": _GOOD.decode().encode("utf-16")[:-1],
    "open_quote.csv": b'a,b\n"1,2\n' + b"3,4\n" * 200_000,
    "commas.csv": b"," * 2_000_000,
    "digits.csv": b"a,b\n1," + b"9" * 200_000 + b"\n2,3\n",
    "cut.csv.gz": gzip.compress(_GOOD * 400)[:-9],
    "noise.csv.gz": gzip.compress(_NOISE)[:5_000] + _NOISE,
    "bomb.csv.gz": gzip.compress(b"7" * 1_000_000) * 200,
    "bomb.csv.bz2": bz2.compress(bytes(100_000_000)),
    "deep.json": b"[" * 100_000,
    "deep.jsonl": b'{"a":' * 100_000 + b"1" + b"}" * 100_000 + b"\n",
    "cut.json": b'[{"a": 1, "b": 2}, {"a": 3,',
    "huge_shape.npy": _npy_of("(1000000000000000, 1)"),
    "negative_shape.npy": _npy_of("(-2, -3)"),
    "short.npy": _npy(np.eye(9))[:-8],
    "code.npy": _npy_of("__import__('os').abort()"),
    "pickled.npy": _npy(np.array([[{}, "a"]] * 3, dtype=object)),
    "pickled.npz": _zip(X_npy=_npy(np.array([[{}, "a"]] * 3, dtype=object))),
    "huge_shape.npz": _zip(X_npy=_npy_of("(1000000000000000, 1)")),
    "bomb.npz": _zip(X_npy=_npy_of("(100000000000, 2)") + bytes(100_000_000)),
    "far_index.npz": _csr(indices=np.array([1, 10**6, 1], np.int32)),
    "cut.parquet": _cut("to_parquet", ".parquet"),
    "noise.parquet": b"PAR1" + _NOISE + b"PAR1",
    "cut.feather": _cut("to_feather", ".feather"),
    "noise.xlsx": b"PK\x03\x04" + _NOISE,
    "laughs.xlsx": _deep_sheet,
    "folder.csv": Path.mkdir,
    "not_there.csv": lambda path: None,
}
#: Files of graphs: ``kgroups communities FILE``.
GRAPHS = {
    "empty.txt": b"# nothing\n",
    "nuls.edges": bytes(5_000),
    "noise.txt": _NOISE,
    "infinite.csv": _EDGES + b"1,2,1e999\n",
    "overflow.csv": _EDGES + b"1,2,1e308\n1,2,1e308\n",
    "cancel.csv": _EDGES + b"0,1,-2\n",
    "one_line.edges": b"x" * 5_000_000,
    "bomb.edges.gz": gzip.compress(b"7" * 1_000_000) * 200,
    "huge.mtx": _MTX + b"1000000000000 1000000000000 1\n1 2 1.0\n",
    "entries.mtx": _MTX + b"3 3 999999999999999999\n1 2 1.0\n",
    "beyond.mtx": _MTX + b"3 3 1\n1 9 1.0\n",
    "far_index.npz": _csr(indices=np.array([1, 10**6, 1], np.int32)),
    "negative_index.npz": _csr(indices=np.array([1, -9, 1], np.int32)),
    "far_start.npz": _csr(indptr=np.array([0, 1, 2, 10**6], np.int32)),
    "huge.npz": _csr(shape=np.array([2**62, 2**62])),
    "pickled.npz": _csr(data=np.array([None] * 3)),
    "huge.net": _NET.replace(b"2\n1", b"1000000000000\n1", 1),
    "negative.net": _NET.replace(b"es 2", b"es -2"),
    "outside.net": _NET + b"1 3\n",
    "deep.gml": b"graph " + b"[ a " * 100_000,
    "nowhere.gml": _GML.replace(b"target 1", b"target 7"),
    "laughs.graphml": _LAUGHS % b"graphml" + _GRAPHML % b"&l11;",
    "secret.graphml": _ENTITY + _GRAPHML % b"&x;",
    "deep.graphml": _GRAPHML[:55] + b"<graph>" * 200_000,
    "cut.graphml": (_GRAPHML % b"")[:-20],
    "laughs.gexf": _LAUGHS % b"gexf" + _GEXF,
    "nul.sif": b"a pp b\x00\n",
    "folder.gml": Path.mkdir,
}
if sys.platform != "win32":
    endless = {
        "device": lambda path: path.symlink_to("/dev/zero"),
        "pipe": os.mkfifo,
        "itself": lambda path: path.symlink_to(path.name),
    }
    TABLES |= {f"{name}.csv": make for name, make in endless.items()}
    GRAPHS |= {f"{name}.mtx": make for name, make in endless.items()}


def _peak():
    """The most memory that this process has held since the last call, where Linux tells it."""
    try:
        status = Path("/proc/self/status").read_text()
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return 0
    return 1024 * int(status.partition("VmHWM:")[2].split()[0])


@pytest.mark.parametrize(
    ("command", "name"),
    [*(("cluster", name) for name in TABLES), *(("communities", name) for name in GRAPHS)],
)
def test_refused_in_one_line(tmp_path, command, name):
    path = written(tmp_path, name, (TABLES if command == "cluster" else GRAPHS)[name])
    _peak()
    before, began = _peak(), time.process_time()
    printed = refusal(path, command=(command,))
    assert time.process_time() - began < MOST_SECONDS
    assert _peak() - before < MOST_BYTES
    assert len(printed) < 2_000
    assert "root:" not in printed
    assert "\x1b" not in printed
    assert "\0" not in printed
