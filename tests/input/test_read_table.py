"""Tables from files: what is read, and what hostile files may not do."""

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

from helpers import each
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


def test_a_missing_value_in_the_first_line_does_not_make_it_a_header():
    found = table(b"1,,3\n4,5,6\n")
    assert not found.has_header
    assert found.n_rows == 2


def test_one_column_may_lack_a_value_in_quotes():
    assert_array_equal(table(b'a\n1\n""\n3\n').columns[0], [1, np.nan, 3])


def test_quoted_line_ends_count_as_lines():
    found = table(b'a,b\n"x\ny",1\nz,2\n')
    assert found.columns[0].tolist() == ["x\ny", "z"]
    assert [found.where(row) for row in range(2)] == ["line 2", "line 4"]


@each("identifier", ["1_000", "0x10", "1,500", "12a"])
def test_what_is_no_number_is_text(identifier):
    found = table(f'a;b\n1;1\n"{identifier}";2\n'.encode())
    assert found.columns[0].tolist() == ["1", identifier]


@each("wrap", [io.BytesIO, Pipe])
def test_text_far_down_keeps_the_spelling_of_what_came_before(wrap):
    n = 2 * _ROWS_AT_ONCE + 10
    fields = [f"{i:05d}" for i in range(n)] + ["x"]
    content = "code,i\n" + "".join(f"{code},{i}\n" for i, code in enumerate(fields))
    found = read_delimited(wrap(content.encode()), "data")
    assert found.columns[0].tolist() == fields
    assert_array_equal(found.columns[1], np.arange(n + 1.0))


def test_what_was_read_before_is_not_read_again():
    stream = io.BytesIO(b"to be skipped\n" + NUMBERS)
    stream.readline()
    assert rows(read_delimited(stream, "data")) == [[1, 2], [3.5, -40]]


@each("delimiter", [",", "\t", ";"])
@each("has_header", [True, False])
def test_a_first_line_longer_than_a_field_may_be(delimiter, has_header):
    """Nine thousand genes: split at another delimiter, the line would be one field."""
    names = [f"gene_number_{i:07}" for i in range(9_000)]
    row = delimiter.join(["1.2345678901234567"] * 9_000)
    lines = [delimiter.join(names)] * has_header + [row, row]
    assert len(lines[0]) > 131_072
    found = table("\n".join(lines).encode())
    assert (len(found.names), found.n_rows) == (9_000, 2)
    assert found.names[-1] == (names[-1] if has_header else "9000")


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


@each("save", [np.save, np.savez])
def test_arrays_on_standard_input(monkeypatch, save):
    stream = io.BytesIO(b"12")
    stream.seek(2)
    save(stream, np.eye(3))
    stream.seek(2)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(stream))
    assert_array_equal(read_table("-").numbers([0, 1, 2]), np.eye(3))


# --- what is said ----------------------------------------------------------------------------


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


@each(
    "header",
    [
        "{'descr': '<f8', 'fortran_order': False, 'shape': (True, 3), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (-2, -3), }",
        f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({2**63}, 3), }}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': 6, }",
        "{'descr': ('<f8',), 'fortran_order': False, 'shape': (2, 3), }",
        "-" * 9_000 + "1",
        "(" * 9_000,
    ],
)
@each("version", [1, 2])
def test_headers_that_numpy_does_not_write(tmp_path, header, version):
    head = f"{header}\n".encode()
    length = len(head).to_bytes(2 * version, "little")
    content = b"\x93NUMPY" + bytes([version, 0]) + length + head + bytes(48)
    (tmp_path / "x.npy").write_bytes(content)
    with zipfile.ZipFile(tmp_path / "x.npz", "w") as archive:
        archive.writestr("X.npy", content)
    for name in ("x.npy", "x.npz"):
        with pytest.raises(DataError):
            read_table(tmp_path / name)


@each("length", [10_001, 3 * 2**30])
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
        error_of(path, "cannot be read as Arrow")
    feather.write_feather(pa.table({"x": np.arange(5000.0)}), str(path))
    path.write_bytes(path.read_bytes()[:-200])
    error_of(path, "cannot be read as Arrow")


def test_periods_in_parquet_are_text_like_dates(tmp_path):
    """pandas stores them as integers, 600 for January 2020, which are not measurements."""
    months = pd.Series(pd.period_range("2020-01", periods=3, freq="M"))
    months[1] = pd.NaT
    pd.DataFrame({"month": months, "x": [1.0, 2, 3]}).to_parquet(tmp_path / "p.parquet")
    table = read_table(tmp_path / "p.parquet")
    assert table.is_text(0)
    assert table.columns[0].tolist() == ["period 600", None, "period 602"]
