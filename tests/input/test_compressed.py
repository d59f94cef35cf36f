"""Compressed text, unpacked as it is read, and digests of files and streams."""

import bz2
import errno
import gzip
import hashlib
import io
import tracemalloc

import pyarrow as pa
import pytest
from numpy.testing import assert_array_equal

from helpers import each
from kgroups.exceptions import DataError
from kgroups.input.digest import sha256_of, sha256_of_rest
from kgroups.input.table_files import read_table
from kgroups.input.table_files.compressed import unpacked

TEXT = b"name,x\n" + b"".join(b"%05d,%d\n" % (i, i * i) for i in range(9_000)) + b"b,1\n"


def zstd(content: bytes) -> bytes:
    return bytes(pa.compress(content, codec="zstd", asbytes=True))


COMPRESS = {".gz": gzip.compress, ".bz2": bz2.compress, ".zst": zstd}


@pytest.fixture(params=COMPRESS)
def suffix(request):
    return request.param


def content(packed: bytes, suffix: str, before: int = 0):
    stream = io.BytesIO(packed)
    stream.seek(before)
    return unpacked(stream, suffix, "x")


# --- what is read ----------------------------------------------------------------------------


def test_the_table_is_that_of_the_text(tmp_path, suffix):
    """Text in the last line, so everything is read twice."""
    path = tmp_path / f"x.csv{suffix}"
    path.write_bytes(COMPRESS[suffix](TEXT))
    (tmp_path / "x.csv").write_bytes(TEXT)
    found, expected = read_table(path, digest=True), read_table(tmp_path / "x.csv")
    assert found.columns[0].tolist() == expected.columns[0].tolist()
    assert found.columns[0][7] == "00007"
    assert_array_equal(found.columns[1], expected.columns[1])
    assert_array_equal(found.lines, expected.lines)
    assert list(found.as_text()) == list(expected.as_text())
    assert found.sha256 == sha256_of(path), "of what is on the disk"


def test_a_compressed_tsv_keeps_its_commas(tmp_path, suffix):
    path = tmp_path / f"x.TSV{suffix}"
    path.write_bytes(COMPRESS[suffix](b"a,b,c\td\n1\t1\n2\t3\n"))
    assert read_table(path).names == ("a,b,c", "d")


def test_members_one_after_the_other_are_one_text(suffix):
    packed = COMPRESS[suffix](TEXT) + COMPRESS[suffix](b"last")
    assert content(packed, suffix).read() == TEXT + b"last"


def test_going_back_and_forth(suffix):
    stream = content(b"skip" + COMPRESS[suffix](TEXT), suffix, before=4)
    for position in (50_000, 3, 90_000, 0, 49_999):
        assert stream.seek(position) == stream.tell() == position
        assert stream.read(50) == TEXT[position : position + 50]
    assert stream.seek(-10, io.SEEK_CUR) == 50_039
    assert stream.seek(10**9) == len(TEXT), "no further than the end"
    with pytest.raises(io.UnsupportedOperation, match="the end is not known"):
        stream.seek(0, io.SEEK_END)


def test_a_bomb_is_refused_in_little_memory(tmp_path, suffix):
    """Some kilobytes that unpack to 60 MB of one line: no more than a line is unpacked."""
    path = tmp_path / f"x.csv{suffix}"
    path.write_bytes(COMPRESS[suffix](b"7" * 60_000_000))
    assert path.stat().st_size < 100_000
    tracemalloc.start()
    try:
        with pytest.raises(DataError, match="line 1 is longer than 32 MiB; this is not a table"):
            read_table(path)
        assert tracemalloc.get_traced_memory()[1] < 120_000_000
    finally:
        tracemalloc.stop()


# --- what is said ----------------------------------------------------------------------------


@each("cut", [-5, 30])
def test_cut_short(tmp_path, suffix, cut):
    path = tmp_path / f"x.csv{suffix}"
    path.write_bytes(COMPRESS[suffix](TEXT)[:cut])
    with pytest.raises(DataError, match="cannot be unpacked"):
        read_table(path)


@each("damage", ["all", "start", "middle", "after"])
def test_damaged(tmp_path, suffix, damage):
    packed = bytearray(COMPRESS[suffix](TEXT))
    half = len(packed) // 2
    match damage:
        case "all":
            packed = bytearray(TEXT)
        case "start":
            packed[8:30] = b"\xa5" * 22
        case "middle":
            packed[half : half + 100] = b"\xa5" * 100
        case "after":
            packed += b"and more"
    path = tmp_path / f"x.csv{suffix}"
    path.write_bytes(packed)
    if (suffix, damage) == (".bz2", "after"):  # bzip2 ignores what follows its end
        assert read_table(path).n_rows == 9_001
        return
    with pytest.raises(DataError, match=rf"^{path}[ ,]"):
        read_table(path)


def test_an_error_of_the_disk_is_not_one_of_the_content(suffix):
    class Broken(io.BytesIO):
        def read(self, size=-1):
            raise OSError(errno.EIO, "Input/output error")

        readinto = read

    with pytest.raises(OSError, match="Input/output error"):
        unpacked(Broken(COMPRESS[suffix](TEXT)), suffix, "x").read()


# --- digests ----------------------------------------------------------------------------------

# As FIPS 180-4 has it.
OF_ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


def test_digest_of_a_file_and_of_the_rest_of_a_stream(folder):
    (folder / "x").write_bytes(b"abc")
    assert sha256_of("x") == OF_ABC
    stream = io.BytesIO(b"---abc")
    stream.seek(3)
    assert sha256_of_rest(stream) == OF_ABC


def test_a_file_is_read_in_pieces():
    class Large(io.RawIOBase):
        left, largest = 5 << 20, 0

        def read(self, size=-1):
            assert size > 0
            size = min(size, self.left)
            self.left -= size
            self.largest = max(size, self.largest)
            return bytes(size)

    stream = Large()
    assert sha256_of_rest(stream) == hashlib.sha256(bytes(5 << 20)).hexdigest()
    assert stream.largest <= 1 << 20


@each("name", ["x.csv", "x.tsv"])
def test_a_table_has_a_digest_only_if_it_was_asked_for(folder, name):
    (folder / name).write_bytes(b"1\n2\n3\n")
    assert read_table(name).sha256 is None
    assert read_table(name, digest=True).sha256 == sha256_of(name)
