"""Tables from files: what is read, and what is said of files that hold no table."""

import bz2
import gzip
import hashlib
import io
import json
import sys
import zipfile

import numpy as np
import openpyxl
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.testing import assert_array_equal
from pyarrow import feather, parquet

from kgroups.exceptions import DataError
from kgroups.input.table_files import Table, read_table
from kgroups.input.table_files.delimited import read_delimited
from kgroups.input.table_files.field_table import _ROWS_AT_ONCE, FieldTable
from kgroups.names import TABLE_SUFFIXES
from kgroups.runtime import memory

NUMBERS = b"a,b\n1,2\n3.5,-4e1\n"


def table(content: bytes, **options) -> Table:
    return read_delimited(io.BytesIO(content), "data", **options)


def rows(found: Table) -> list[list]:
    return [list(row) for row in zip(*found.columns, strict=True)]


def error_of(path, match):
    with pytest.raises(DataError, match=match):
        read_table(path)


class Pipe(io.RawIOBase):
    """Bytes that can be read once."""

    def __init__(self, content: bytes):
        self.rest = io.BytesIO(content)

    def readable(self):
        return True

    def readinto(self, buffer):
        return self.rest.readinto(buffer)


# --- what is read ----------------------------------------------------------------------------


def test_header_and_numbers():
    found = table(NUMBERS)
    assert (found.names, found.has_header, found.notes) == (("a", "b"), True, ())
    assert rows(found) == [[1, 2], [3.5, -40]]
    assert all(column.dtype == np.float64 for column in found.columns)
    assert_array_equal(found.lines, [2, 3])
    assert found.where(1) == "line 3"
    assert found.label(1) == "column 'b'"
    assert found.title(1) == "b"


def test_no_header():
    found = table(b"1,2\n3,NA\n")
    assert (found.names, found.has_header) == (("1", "2"), False)
    assert found.label(1) == found.title(1) == "column 2"
    assert_array_equal(found.columns[1], [2, np.nan])


def test_numbered_columns_are_remarked_upon():
    """What pandas writes for a table without names."""
    [note] = table(b"0,1,2\n5.1,3.5,1.4\n4.9,3.0,1.3\n").notes
    assert note.startswith("the first line, 0, 1, 2, is read as a row of data; if it numbers")
    assert table(b"0,1,3\n5.1,3.5,1.4\n").notes == ()
    assert table(b"0\n1\n2\n").notes == ()


def test_a_missing_value_in_the_first_line_does_not_make_it_a_header():
    found = table(b"1,,3\n4,5,6\n")
    assert not found.has_header
    assert found.n_rows == 2


def test_numbers_among_the_names_are_remarked_upon():
    found = table(b"5.1,3.5,setosa\n4.9,3.0,setosa\n")
    assert found.names == ("5.1", "3.5", "setosa")
    assert "2 of its 3 fields are numbers" in found.notes[0]


def test_a_column_without_a_name_goes_by_its_position():
    assert table(b",b\n7,1\n8,2\n").names == ("1", "b")


def test_text():
    found = table('name,x\n"Müller, ""A"" ",1\nb,2\n'.encode())
    assert found.is_text(0)
    assert not found.is_text(1)
    assert found.columns[0].tolist() == ['Müller, "A"', "b"]


def test_one_column_may_lack_a_value_in_quotes():
    assert_array_equal(table(b'a\n1\n""\n3\n').columns[0], [1, np.nan, 3])


def test_quoted_line_ends_count_as_lines():
    found = table(b'a,b\n"x\ny",1\nz,2\n')
    assert found.columns[0].tolist() == ["x\ny", "z"]
    assert [found.where(row) for row in range(2)] == ["line 2", "line 4"]


@pytest.mark.parametrize("identifier", ["1_000", "0x10", "1,500", "12a"])
def test_what_is_no_number_is_text(identifier):
    found = table(f'a;b\n1;1\n"{identifier}";2\n'.encode())
    assert found.columns[0].tolist() == ["1", identifier]


@pytest.mark.parametrize("delimiter", [",", "\t"])
def test_a_first_line_longer_than_any_field_may_be(delimiter):
    """20,000 genes: read with a wrong delimiter, their names are one field."""
    names = [f"gene{i:06d}" for i in range(20_000)]
    found = table("\n".join(delimiter.join(row) for row in (names, ["1"] * 20_000)).encode())
    assert found.names == tuple(names)
    assert found.n_rows == 1


@pytest.mark.parametrize("wrap", [io.BytesIO, Pipe], ids=["file", "pipe"])
def test_text_far_down_keeps_the_spelling_of_what_came_before(wrap):
    n = 2 * _ROWS_AT_ONCE + 10
    fields = [f"{i:05d}" for i in range(n)] + ["x"]
    content = "code,i\n" + "".join(f"{code},{i}\n" for i, code in enumerate(fields))
    found = read_delimited(wrap(content.encode()), "data")
    assert found.columns[0].tolist() == fields
    assert_array_equal(found.columns[1], np.arange(n + 1.0))


def test_tsv_keeps_its_commas(tmp_path):
    path = tmp_path / "data.TSV"
    path.write_text("a,b,c\td\nx,y\t1\nz\t2\n")
    assert read_table(path).names == ("a,b,c", "d")


def test_standard_input(monkeypatch):
    stream = io.TextIOWrapper(io.BufferedReader(Pipe(NUMBERS)))
    monkeypatch.setattr(sys, "stdin", stream)
    found = read_table("-")
    assert found.source == "standard input"
    assert rows(found) == [[1, 2], [3.5, -40]]


def test_what_was_read_before_is_not_read_again():
    stream = io.BytesIO(b"to be skipped\n" + NUMBERS)
    stream.readline()
    assert rows(read_delimited(stream, "data")) == [[1, 2], [3.5, -40]]


@pytest.mark.parametrize("delimiter", [",", "\t", ";"])
@pytest.mark.parametrize("has_header", [True, False])
def test_a_first_line_longer_than_a_field_may_be(delimiter, has_header):
    """Nine thousand genes: split at another delimiter, the line would be one field."""
    names = [f"gene_number_{i:07}" for i in range(9_000)]
    row = delimiter.join(["1.2345678901234567"] * 9_000)
    lines = [delimiter.join(names)] * has_header + [row, row]
    assert len(lines[0]) > 131_072
    found = table("\n".join(lines).encode())
    assert (len(found.names), found.n_rows) == (9_000, 2)
    assert found.names[-1] == (names[-1] if has_header else "9000")


def test_parquet(tmp_path):
    columns = {
        "x": pa.array([1.5, None, 3.0], pa.float32()),
        "i": pa.array([1, 2, None]),
        "b": pa.array([True, False, True]),
        "s": pa.array(["u", None, "v"]),
        "d": pa.array(["p", "q", "p"]).dictionary_encode(),
        "__index_level_0__": pa.array([7, 8, 9]),
    }
    parquet.write_table(pa.table(columns), tmp_path / "t.parquet")
    found = read_table(tmp_path / "t.parquet")
    assert found.names == ("x", "i", "b", "s", "d")
    assert_array_equal(found.columns[0], [1.5, np.nan, 3])
    assert_array_equal(found.columns[1], [1, 2, np.nan])
    assert_array_equal(found.columns[2], [1, 0, 1])
    assert found.columns[3].tolist() == ["u", None, "v"]
    assert found.columns[4].tolist() == ["p", "q", "p"]
    assert [found.is_text(c) for c in range(5)] == [False, False, False, True, True]


def test_feather_and_other_arrow_files(tmp_path):
    columns = {
        "x": pa.array([1.5, None, 3.0], pa.float32()),
        "b": pa.array([True, None, False]).dictionary_encode(),
        "s": pa.array(["u", None, "v"], pa.large_string()),
        "d": pa.array(["p", "q", "p"]).dictionary_encode(),
        "t": pa.array([0, None, 365], pa.date32()),
        "n": pa.nulls(3),
        "__index_level_0__": pa.array([7, 8, 9]),
    }
    whole = pa.table(columns)
    parts = pa.concat_tables([whole.slice(0, 1), whole.slice(1)])
    feather.write_feather(parts, str(tmp_path / "t.feather"), compression="lz4")
    feather.write_feather(parts, str(tmp_path / "t.arrow"), compression="uncompressed")
    with pa.ipc.new_stream(str(tmp_path / "stream.arrow"), whole.schema) as writer:
        writer.write_table(whole)
    for name in ("t.feather", "t.arrow", "stream.arrow"):
        found = read_table(tmp_path / name)
        assert found.names == ("x", "b", "s", "d", "t", "n")
        assert_array_equal(found.columns[0], [1.5, np.nan, 3])
        assert_array_equal(found.columns[1], [1, np.nan, 0])
        assert found.columns[2].tolist() == ["u", None, "v"]
        assert found.columns[3].tolist() == ["p", "q", "p"]
        assert found.columns[4].tolist() == ["1970-01-01", None, "1971-01-01"]
        assert_array_equal(found.columns[5], [np.nan] * 3)


def test_categories_as_polars_writes_them(tmp_path):
    frame = pl.DataFrame({"x": [1.0, None], "s": ["a", None], "c": ["u", "v"]})
    frame = frame.with_columns(pl.col("c").cast(pl.Categorical))
    frame.write_ipc(tmp_path / "x.feather")
    frame.write_ipc_stream(tmp_path / "x.arrow")
    for name in ("x.feather", "x.arrow"):
        found = read_table(tmp_path / name)
        assert [column.tolist() for column in found.columns[1:]] == [["a", None], ["u", "v"]]


MIXED = (
    ["id", "x", "count", "kind", "day"],
    ["a1", 0.125, 3, "u", "2024-01-05"],
    ["a2", None, 4, None, "2024-01-06"],
    ["a3", -1e-7, 2**40, "v, w", "2024-01-07"],
)


def write_everywhere(folder):
    """The same table in every format that holds names and text."""
    text = "".join(
        ",".join("" if v is None else f'"{v}"' if "," in str(v) else str(v) for v in row) + "\n"
        for row in MIXED
    ).encode()
    data = pa.table(dict(zip(MIXED[0], map(list, zip(*MIXED[1:], strict=True)), strict=True)))
    (folder / "t.csv").write_bytes(text)
    (folder / "t.tsv").write_bytes(text.replace(b'"v, w"', b"v; w").replace(b",", b"\t")
                                   .replace(b"v; w", b"v, w"))  # fmt: skip
    (folder / "t.txt").write_bytes(text)
    for name in ("t.csv", "t.tsv", "t.txt"):
        content = (folder / name).read_bytes()
        (folder / f"{name}.gz").write_bytes(gzip.compress(content))
        (folder / f"{name}.bz2").write_bytes(bz2.compress(content))
        (folder / f"{name}.zst").write_bytes(pa.compress(content, codec="zstd", asbytes=True))
    parquet.write_table(data, folder / "t.parquet")
    feather.write_feather(data, str(folder / "t.feather"))
    feather.write_feather(data, str(folder / "t.arrow"))
    book = openpyxl.Workbook()
    for row in MIXED:
        book.active.append(row)
    book.save(folder / "t.xlsx")
    rows = [dict(zip(MIXED[0], row, strict=True)) for row in MIXED[1:]]
    lines = "".join(f"{json.dumps(row)}\n" for row in rows).encode()
    for name in ("t.jsonl", "t.ndjson"):
        (folder / name).write_bytes(lines)
        (folder / f"{name}.gz").write_bytes(gzip.compress(lines))
    (folder / "t.json").write_text(json.dumps(rows))
    return sorted(folder.iterdir())


@pytest.fixture(scope="module")
def everywhere(tmp_path_factory):
    return write_everywhere(tmp_path_factory.mktemp("formats"))


def check_mixed(found):
    assert found.names == tuple(MIXED[0])
    assert [found.is_text(c) for c in range(5)] == [True, False, False, True, True]
    assert found.columns[0].tolist() == ["a1", "a2", "a3"]
    assert_array_equal(found.columns[1], [0.125, np.nan, -1e-7])
    assert_array_equal(found.columns[2], [3, 4, 2**40])
    assert found.columns[3].tolist() == ["u", None, "v, w"]
    assert found.columns[4].tolist() == ["2024-01-05", "2024-01-06", "2024-01-07"]


def test_the_same_table_in_every_format(everywhere):
    assert {"".join(path.suffixes) for path in everywhere} >= set(TABLE_SUFFIXES) - {".npy", ".npz"}
    for path in everywhere:
        found = read_table(path, digest=True)
        check_mixed(found)
        assert found.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
        texts = [list(map(str, row)) for row in found.as_text()]
        assert [row[0] for row in texts] == ["a1", "a2", "a3"]


@pytest.mark.parametrize("seekable", [True, False])
def test_every_format_on_standard_input(everywhere, monkeypatch, seekable):
    for path in everywhere:
        if path.name.startswith("t.tsv"):  # a comma in its text would be taken for a delimiter
            continue
        content = path.read_bytes()
        raw = io.BytesIO(content) if seekable else io.BufferedReader(Pipe(content))
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(raw))
        found = read_table("-", digest=True)
        check_mixed(found)
        assert found.source == "standard input"
        assert found.sha256 == hashlib.sha256(content).hexdigest()


@pytest.mark.parametrize("save", [np.save, np.savez])
def test_arrays_on_standard_input(monkeypatch, save):
    stream = io.BytesIO(b"12")
    stream.seek(2)
    save(stream, np.eye(3))
    stream.seek(2)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(stream))
    assert_array_equal(read_table("-").numbers([0, 1, 2]), np.eye(3))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
            r"holds an old or locked Office file; save it as \.xlsx",
        ),
        (b"\xfd7zXZ\x00", r"holds xz; unpack it, or compress it as \.gz\."),
        (b"%PDF-1.4", r"holds PDF; only tables are read\."),
        (b"PK\x03\x04 and so on", r"is not a file that numpy\.save or numpy\.savez wrote"),
        (
            gzip.compress(NUMBERS, mtime=0)[:-9],
            r"cannot be unpacked as \.gz: Compressed file ended before",
        ),
        (b"PAR1\x15" + NUMBERS, r"cannot be read as Parquet: "),
        (b"ARROW1\0\0" + NUMBERS, r"cannot be read as Arrow: "),
        (b"\x93NUMPY\x01\x00v", r"is not a file that numpy\.save"),
        (b"", r"is empty\."),
    ],
)
def test_bad_standard_input(monkeypatch, content, message):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    error_of("-", f"^standard input {message}")


# --- what is said ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", r"^x\.csv is empty\.$"),
        (b"\xef\xbb\xbf\n \n\n", r"^x\.csv is empty\.$"),
        (b"a,b\n", r"^x\.csv has column names but no rows\.$"),
        (b"a,b\n1,2\n", r"^x\.csv has 1 row; it must have at least 2\.$"),
        (b"1,2\n", r"^x\.csv has 1 row; it must have at least 2\.$"),
        (b"a,b\n1,2\n3\n", r"x\.csv, line 3: found 1 field, expected 2 as in line 1\."),
        (b"a,b\n1,2\n3,4,5\n", r"x\.csv, line 3: found 3 fields, expected 2 as in line 1\."),
        (b"\n\na,b\n", r"x\.csv, line 1 is blank; remove it"),
        (b"a,b\n1,2\n\n\n3,4\n", r"x\.csv, line 3 is blank; remove it, or write NA"),
        (b"a,b,a\n1,2,3\n4,5,6\n", r"x\.csv has 2 columns named 'a' \(columns 1, 3\)"),
        (b"a,b\n1,2\n3,\xff\n", r"x\.csv, line 3: byte 10 of the file \(0xff\) is not UTF-8"),
        ("a,b\n1,2\n".encode("utf-16"), r"^x\.csv has 1 row; it must have at least 2\.$"),
        (b'a,b\n1,2\n"3,4\n5,6\n', r"x\.csv, line 3: the file ends inside a quoted field"),
        (b'a,b\n1,2\n"3"4,5\n', r"x\.csv, line 3: ',' expected after '\"'"),
        (b"a,b\n1,2\n" + b"7" * 140_000 + b",3\n", r"line 3: a field is longer than 131,072 char"),
        (
            b"a," * 20 + b"a\n" + b"1," * 20 + b"1\n",
            r"has 21 columns named 'a' \(columns 1, 2, .*, 12 and 9 more\)",
        ),
        (
            b"a" * 200 + b",b," + b"a" * 200 + b"\n1,2,3\n",
            r"2 columns named 'a{78}… \(columns 1, 3\)",
        ),
        (b"a,b\r1,2\n3,4\n", r"x\.csv, line 1: there is a carriage return inside a line; save"),
    ],
)
def test_bad_csv(tmp_path, monkeypatch, content, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.csv").write_bytes(content)
    error_of("x.csv", message)


def test_a_line_without_end(monkeypatch):
    monkeypatch.setattr("kgroups.input.table_files.delimited._LONGEST_LINE", 100)
    with pytest.raises(DataError, match="data, line 2 is longer than"):
        table(b"a,b\n" + b"1," * 80)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("none.csv", r"none\.csv does not exist\."),
        ("none.xlsx", r"none\.xlsx does not exist\."),
        ("folder", r"folder is a folder; name a file in it\."),
        (
            "a.b",
            r"the extension '\.b'; supported are \.csv, \.tsv, \.txt, \.npy, \.npz, \.parquet",
        ),
        ("plain", r"has no extension; supported are .*, and - for standard input"),
        ("a.xls", r"the extension '\.xls'; save it as \.xlsx or \.csv\. Supported are \.csv,"),
        ("a.ods", r"save it as \.xlsx or \.csv"),
        ("a.xml", r"save it as \.csv"),
        ("a.sav", r"save it as \.csv or \.parquet"),
        ("a.rds", r"save it by write\.csv as \.csv"),
        ("a.zip", r"unpack it and name a file in it"),
        ("a.csv.xz", r"the extension '\.xz'; unpack it, or compress it as \.gz"),
        ("a.gz", r"does not say what is compressed; if it is text, name it \.csv\.gz or \.tsv\.gz"),
        ("a.data.zst", r"does not say what .*; if it is text, name it \.csv\.zst or \.tsv\.zst"),
        ("a.npy.gz", r"is compressed \.npy, and only text is read compressed .*; unpack it"),
        ("a.parquet.gz", r"is compressed \.parquet, and only text"),
        ("a.json.bz2", r"is compressed \.json, and only text"),
    ],
)
def test_bad_names(tmp_path, name, message):
    (tmp_path / "folder").mkdir()
    if not name.startswith(("none", "folder")):
        (tmp_path / name).touch()
    error_of(tmp_path / name, message)


def test_a_sheet_of_a_file_without_sheets(tmp_path):
    (tmp_path / "x.csv").write_bytes(NUMBERS)
    with pytest.raises(
        DataError, match=r"x\.csv has no sheets, as \.xlsx files have; omit --sheet"
    ):
        read_table(tmp_path / "x.csv", sheet="a")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("x.csv", gzip.compress(NUMBERS, mtime=0), r"is not text, but gzip; name it x\.csv\.gz\."),
        ("x.tsv", bz2.compress(NUMBERS), r"is not text, but bzip2; name it x\.tsv\.bz2\."),
        ("x.csv", b"PAR1\x15\x04", r"not text, but Parquet; give it the extension \.parquet\."),
        ("x.csv", b"%PDF-1.4", r"not text, but PDF; give it the extension \.pdf\."),
        (
            "x.csv",
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
            r"Office file; save it as \.xlsx or \.csv\.",
        ),
    ],
)
def test_another_format_under_the_name_of_a_text_file(tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content)
    error_of(tmp_path / name, message)


def test_names_of_columns_that_look_like_a_format():
    assert table(b"PAR1,PAR2\n1,2\n").names == ("PAR1", "PAR2")


def test_wide_rows_are_not_gathered_by_the_thousand(monkeypatch):
    """A small compressed file may hold rows of a million fields."""
    n, width = 50, 100
    content = ("1," * (width - 1) + "1\n").encode() * n
    monkeypatch.setattr("kgroups.input.table_files.field_table._FIELDS_AT_ONCE", 4 * width)
    monkeypatch.setattr("kgroups.input.table_files.field_table._FIELDS_PER_CHECK", 1)
    seen = []
    monkeypatch.setattr(FieldTable, "_check_memory", lambda self, rows, width: seen.append(rows))
    assert table(content).n_rows == n
    assert seen == [*range(4, n, 4), n]


def test_text_that_outgrows_the_memory(tmp_path, monkeypatch):
    """A small file may unpack to any number of rows: that is seen while they are read."""
    path = tmp_path / "x.csv.gz"
    path.write_bytes(gzip.compress(b"1,2\n" * 3 * _ROWS_AT_ONCE))
    monkeypatch.setattr("kgroups.input.table_files.field_table._FIELDS_PER_CHECK", 1_000)
    assert read_table(path).n_rows == 3 * _ROWS_AT_ONCE
    monkeypatch.setattr(memory, "available_bytes", lambda: 200_000)
    with pytest.raises(
        MemoryError, match=r"x\.csv\.gz, which has more than 8,192 rows, needs 192\.0"
    ):
        read_table(path)


def test_a_file_that_the_system_refuses(tmp_path, monkeypatch):
    (tmp_path / "x.csv").write_bytes(NUMBERS)

    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("pathlib.Path.open", refuse)
    error_of(tmp_path / "x.csv", r"x\.csv cannot be read: Permission denied\.")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (np.arange(3.0), r"has shape \(3,\); a table has two dimensions.*X\.reshape\(-1, 1\)"),
        (np.zeros((2, 2, 2)), r"has shape \(2, 2, 2\)"),
        (np.array([["a", "b"]]), r"holds <U1, not numbers; write text as CSV or Parquet"),
        (np.array([[1j]]), r"holds complex128, not numbers"),
        (np.array([[{}]], dtype=object), r"holds object, not numbers"),
        (np.zeros((0, 3)), r"has no rows; it must have at least 2"),
        (np.zeros((3, 0)), r"has no columns; it must have at least 1"),
        (np.zeros((1, 3)), r"has 1 row; it must have at least 2"),
    ],
)
def test_bad_npy(tmp_path, values, message):
    np.save(tmp_path / "x.npy", values)
    error_of(tmp_path / "x.npy", message)


def test_not_npy(tmp_path):
    path = tmp_path / "x.npy"
    path.write_bytes(NUMBERS)
    error_of(path, r"x\.npy is not a file that numpy\.save or numpy\.savez wrote")
    np.save(path, np.eye(2))
    path.write_bytes(path.read_bytes().replace(b"}", b"("))
    error_of(path, r"x\.npy is not a file that numpy\.save or numpy\.savez wrote")


@pytest.mark.parametrize(
    ("header", "message"),
    [
        (
            "{'descr': '<f8', 'fortran_order': False, 'shape': (True, 3), }",
            r"the shape \(True, 3\)",
        ),
        ("{'descr': '<f8', 'fortran_order': False, 'shape': (-2, -3), }", r"the shape \(-2, -3\)"),
        (f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({2**63}, 3), }}", "the shape .9223"),
        ("{'descr': '<f8', 'fortran_order': False, 'shape': 6, }", "shape is not valid: 6"),
        ("{'descr': ('<f8',), 'fortran_order': False, 'shape': (2, 3), }", "not .* numpy.save"),
        ("-" * 9_000 + "1", r"not .* numpy\.save"),
        ("(" * 9_000, r"not .* numpy\.save"),
    ],
)
@pytest.mark.parametrize("version", [1, 2])
def test_headers_that_numpy_does_not_write(tmp_path, header, message, version):
    head = f"{header}\n".encode()
    length = len(head).to_bytes(2 * version, "little")
    content = b"\x93NUMPY" + bytes([version, 0]) + length + head + bytes(48)
    (tmp_path / "x.npy").write_bytes(content)
    error_of(tmp_path / "x.npy", message)
    with zipfile.ZipFile(tmp_path / "x.npz", "w") as archive:
        archive.writestr("X.npy", content)
    error_of(tmp_path / "x.npz", message)


@pytest.mark.parametrize("length", [10_001, 3 * 2**30])
def test_a_long_header_is_not_read(tmp_path, length):
    """A few megabytes of an archive may declare, and hold, gigabytes of it."""
    content = b"\x93NUMPY\x02\x00" + length.to_bytes(4, "little") + bytes(20_000)
    (tmp_path / "x.npy").write_bytes(content)
    error_of(tmp_path / "x.npy", f"its header is said to be {length:,} bytes long")


def test_more_columns_than_can_be_kept_apart(monkeypatch):
    monkeypatch.setattr("kgroups.input.table_files.delimited._MOST_COLUMNS", 10)
    assert table(b"1,2,3,4,5,6,7,8,9,10\n" * 2).n_rows == 2
    with pytest.raises(DataError, match=r"data, line 1 has 11 fields; .* Save .* as \.npy"):
        table(b"1,2,3,4,5,6,7,8,9,10,11\n" * 2)


def test_a_table_too_large_for_memory(tmp_path, monkeypatch):
    np.save(tmp_path / "x.npy", np.zeros((100, 4)))
    np.savez(tmp_path / "x.npz", np.zeros((100, 4)))
    parquet.write_table(pa.table({"x": np.zeros(100)}), tmp_path / "x.parquet")
    feather.write_feather(pa.table({"x": np.zeros(100)}), str(tmp_path / "x.feather"))
    monkeypatch.setattr(memory, "available_bytes", lambda: 1000)
    for name in ("x.npy", "x.npz", "x.parquet", "x.feather"):
        with pytest.raises(MemoryError, match=rf"Reading .*{name}.*, a table of 100 x \d, needs"):
            read_table(tmp_path / name)


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"a": np.eye(2), "b": np.eye(3)}, r"name the table 'X'\. Found 'a' of shape"),
        ({"y": np.arange(3)}, r"expected one 2-D array; .*Found 'y' of shape \(3,\)"),
        ({"X": np.arange(3)}, r"array 'X' has shape \(3,\)"),
        ({"X": np.array([[None]])}, r"array 'X' holds object, not numbers"),
        ({}, r"Found no array"),
        (
            {f"a{i}": np.eye(1) for i in range(100)},
            r"Found 'a0' of shape \(1, 1\), .*'a11' of shape \(1, 1\) and 88 more\.$",
        ),
    ],
)
def test_bad_npz(tmp_path, arrays, message):
    np.savez(tmp_path / "x.npz", **arrays)
    error_of(tmp_path / "x.npz", message)


def test_an_archive_of_something_else(tmp_path):
    with zipfile.ZipFile(tmp_path / "x.npz", "w") as archive:
        archive.writestr("a.txt", "hello")
    error_of(tmp_path / "x.npz", "is not a file that numpy.save")
    np.save(tmp_path / "x.npy", np.eye(2))
    with zipfile.ZipFile(tmp_path / "z.npz", "w") as archive:
        archive.write(tmp_path / "x.npy", "x")
    assert read_table(tmp_path / "z.npz").n_rows == 2, "a name without .npy"
    (tmp_path / "y.npz").write_bytes(b"PK hello")
    error_of(tmp_path / "y.npz", "is not a file that numpy.save")


def test_bad_parquet(tmp_path, monkeypatch):
    path = tmp_path / "x.parquet"
    path.write_bytes(NUMBERS)
    error_of(path, r"x\.parquet cannot be read as Parquet")
    parquet.write_table(pa.table({"when": pa.array([[0], [1]])}), path)
    error_of(path, r"column 'when' holds list.*, which is neither number nor text")
    parquet.write_table(pa.table({"x": [1, 2]}), path)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    error_of(path, r'reading Parquet needs pyarrow; run: pip install "kgroups\[cli\]"')
    path.rename(tmp_path / "x.feather")
    error_of(tmp_path / "x.feather", r"reading Arrow needs pyarrow; run: pip install")


def test_bad_arrow(tmp_path):
    path = tmp_path / "x.feather"
    for content in (
        b"",
        NUMBERS,
        b"ARROW1\0\0",
        b"FEA1" + NUMBERS,
        b"\xff\xff\xff\xff\xff\xff\xff\x7f",
    ):
        path.write_bytes(content)
        error_of(path, r"x\.feather cannot be read as Arrow: \w.*\w.*\.$")
    feather.write_feather(pa.table({"x": np.arange(5000.0)}), str(path))
    path.write_bytes(path.read_bytes()[:-200])
    error_of(path, r"x\.feather cannot be read as Arrow: ")
    feather.write_feather(pa.table({"when": pa.array([[0], [1]])}), str(path))
    error_of(path, r"column 'when' holds list.*, which is neither number nor text")


def test_unknown_columns():
    with pytest.raises(DataError, match=r"no column 'aa'. Did you mean 'a'\? .*: 'a', 'b'\."):
        table(NUMBERS).position("aa")
    with pytest.raises(DataError, match=r"it has no header, so its columns are named 1 to 2\."):
        table(b"1,2\n3,4\n").position("a")
    many = ",".join(f"c{i}" for i in range(20))
    with pytest.raises(DataError, match=r"'c11' and 8 more\.$"):
        table(f"{many}\n".encode() + b",".join([b"1"] * 20)).position("zzz")


def test_periods_in_parquet_are_text_like_dates(tmp_path):
    """pandas stores them as integers, 600 for January 2020, which are not measurements."""
    months = pd.Series(pd.period_range("2020-01", periods=3, freq="M"))
    months[1] = pd.NaT
    pd.DataFrame({"month": months, "x": [1.0, 2, 3]}).to_parquet(tmp_path / "p.parquet")
    table = read_table(tmp_path / "p.parquet")
    assert table.is_text(0)
    assert table.columns[0].tolist() == ["period 600", None, "period 602"]
