"""Pipes that are copied, and texts with the line ends of old Macs."""

import errno
import gzip
import io
import tempfile
from types import SimpleNamespace

import pytest

from helpers import each
from kgroups.exceptions import DataError
from kgroups.graphs import read_graph, read_node_labels
from kgroups.input.table_files import rereadable as module
from kgroups.input.table_files.read_table import read_table
from kgroups.input.table_files.rereadable import rereadable, with_line_feeds

pytestmark = pytest.mark.nojit


class Pipe(io.BytesIO):
    """What cannot be read again."""

    def seekable(self):
        return False


@pytest.fixture
def small(tmp_path, monkeypatch):
    """Copies above 100 bytes go to a folder."""
    monkeypatch.setattr(module, "_BYTES_IN_MEMORY", 100)
    monkeypatch.setattr(module, "_BYTES_AT_ONCE", 40)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


@each("size", [0, 60, 100, 101, 1000])
def test_a_pipe_is_read_twice(small, size):
    content = bytes(range(250))[:size] if size < 250 else bytes(size)
    with rereadable(Pipe(content), "standard input") as stream:
        assert stream.read() == content
        stream.seek(0)
        assert stream.read() == content
        assert list(small.iterdir()) == []  # the copy has no name
    assert list(small.iterdir()) == []


def test_no_room_for_the_copy(small, monkeypatch):
    free = module._LEFT_FREE + 200
    monkeypatch.setattr(module.shutil, "disk_usage", lambda _: SimpleNamespace(free=free))
    with rereadable(Pipe(bytes(160)), "standard input") as stream:
        assert len(stream.read()) == 160
    monkeypatch.setattr(module, "_LEFT_FREE", free)
    said = (
        r"standard input is read more than once, so it is copied to .*, which has no room for its"
    )
    with pytest.raises(DataError, match=said), rereadable(Pipe(bytes(160)), "standard input"):
        pass
    assert list(small.iterdir()) == []


def test_a_disk_that_is_full_all_the_same(small, monkeypatch):
    class Full(io.BytesIO):
        def write(self, block):
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(module.tempfile, "SpooledTemporaryFile", lambda **_: Full())
    with pytest.raises(DataError, match="set TMPDIR"), rereadable(Pipe(b"a\n1\n"), "x"):
        pass


@each("pack", [bytes, lambda text: gzip.compress(text, mtime=0)])
def test_old_macs(tmp_path, pack):
    suffix = ".csv" if pack is bytes else ".csv.gz"
    for name, text in {
        "t": b"a,b\r1,2\r3,4\r",
        "g": b"0,1\r1,2",
        "l": b"node,label\r0,x\r1,x\r2,y\r",
    }.items():
        (tmp_path / f"{name}{suffix}").write_bytes(pack(text))
    table = read_table(tmp_path / f"t{suffix}")
    assert (table.names, table.lines.tolist()) == (("a", "b"), [2, 3])
    assert table.numbers([0, 1]).tolist() == [[1, 2], [3, 4]]
    assert list(table.as_text()) == [["1", "2"], ["3", "4"]]
    graph = read_graph(tmp_path / f"g{suffix}")
    assert graph.n_edges == 2
    assert read_node_labels(tmp_path / f"l{suffix}", graph).labels.tolist() == ["x", "x", "y"]


@each("text", [b"", b"a,b\r\n1,2\r\n", b"a\rb\n", b"a,b", b"a\0\r\0", b"a\r"])
def test_other_texts_are_left_alone(text):
    stream = io.BytesIO(text)
    assert with_line_feeds(stream) is stream
    assert stream.tell() == 0
