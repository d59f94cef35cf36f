"""Files of rows in every format: values as Python reads them, text as it is written."""

import bz2
import gzip
import hashlib
import io
import lzma
import sys
import zipfile

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from numpy.testing import assert_array_equal
from pyarrow import feather, parquet
from scipy import sparse

from helpers import each
from kgroups.exceptions import DataError
from kgroups.input.table_files import MISSING, TextFormat, read_table

pytestmark = pytest.mark.nojit

COMPRESS = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": lambda content: pa.compress(content, codec="zstd", asbytes=True),
}


@pytest.fixture
def read(tmp_path):
    """Reads what is written to a file of a name."""

    def rows(content, name="a.csv", **how):
        """The rows; options of text may stand among those of reading."""
        text = {key: how.pop(key) for key in list(how) if key in TextFormat.__annotations__}
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return read_table(path, text=TextFormat(**text), **how)

    return rows


def piped(monkeypatch, content):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))


def columns(rows):
    return {name: column.tolist() for name, column in rows.values.items()}


# --- text ------------------------------------------------------------------------------------


def test_decimals_are_those_of_python(read):
    """Numbers of up to 25 digits over all magnitudes."""
    rng = np.random.default_rng(0)
    numbers = rng.normal(size=3_000) * 10.0 ** rng.integers(-300, 300, 3_000)
    texts = [repr(x) for x in numbers.tolist()] + [f"{x:.24e}" for x in numbers.tolist()]
    texts += ["5e-324", "1.7976931348623157e308", "2.2250738585072011e-308", "9007199254740993.0"]
    found = read("x\n" + "\n".join(texts)).values["x"].tolist()
    assert found == [float(text) for text in texts]
    commas = read("x\n" + "\n".join(texts).replace(".", ","), decimal=",").values["x"].tolist()
    assert commas == found
    assert read("x\n" + "\n".join(texts).replace(".", ",") + "\n", delimiter=";").values[
        "x"
    ].tolist() == found  # fmt: skip


@each(
    "content, how, expected",
    [
        ("a,b\n1,x\n2,y\n", {}, {"a": [1, 2], "b": ["x", "y"]}),
        ("x;y\n1,5;a\n-2.000,25;b\n", {}, {"x": [1.5, -2000.25], "y": ["a", "b"]}),
        ("x;y\n1 234;1\n5;2\n", {"decimal": ","}, {"x": [1234, 5], "y": [1, 2]}),
        ("x;y\n12.34;1\n5,5;2\n", {"decimal": ","}, {"x": ["12.34", "5,5"], "y": [1, 2]}),
        ("x;y\n1,234;1\n5;2\n", {}, {"x": ["1,234", "5"], "y": [1, 2]}),
        ("x;y\n1,5;1.234\n2,5;3.456\n", {}, {"x": [1.5, 2.5], "y": [1234, 3456]}),
        ("x;y\n1,5;1.5\n2,5;3\n", {}, {"x": [1.5, 2.5], "y": ["1.5", "3"]}),
        ('x,y\n"1,5",2\n3,4\n', {}, {"x": [1.5, 3], "y": [2, 4]}),
        ("x,y\n\u22121,2\n3,4\n", {}, {"x": [-1, 3], "y": [2, 4]}),
        ("x,y\n1_000,2\n0x1F,4\n", {}, {"x": ["1_000", "0x1F"], "y": [2, 4]}),
        ("a,b\nTrue,1\n,2\nFALSE,3\n", {}, {"a": [True, None, False], "b": [1, 2, 3]}),
        ("a,b\n-999,1\n2,-999.0\n", {"na_values": ("-999",)}, {"a": [None, 2], "b": [1, None]}),
        ("a,b\n3,4\n", {"header": False}, {"1": ["a", "3"], "2": ["b", "4"]}),
        ("1,2\n3,4\n", {"header": True}, {"1": [3], "2": [4]}),
        ("2010,2015\n3,4\n5,6\n", {}, {"1": [2010, 3, 5], "2": [2015, 4, 6]}),
        ("0,1,2\n3,4,5\n6,7,8\n", {}, {"1": [0, 3, 6], "2": [1, 4, 7], "3": [2, 5, 8]}),
        (",a\n1.5,1\n2.5,2\n", {}, {"1": [1.5, 2.5], "a": [1, 2]}),
        (",1\nu,3\nu,4\n", {}, {"Unnamed: 0": ["u", "u"], "1": [3, 4]}),
        (",a,\n1.5,1,2\n2.5,2,3\n", {}, {"1": [1.5, 2.5], "a": [1, 2], "3": [2, 3]}),
        (f"a,b\n{2**64},1\n-3,{2**70}\n", {}, {"a": [2.0**64, -3], "b": [1, 2.0**70]}),
        ("a, b \n x,1\ny ,2\n", {}, {"a": ["x", "y"], "b": [1, 2]}),
        ("a\tb c\td,e\n1\t2\t3\n4\t5\t6\n", {}, {"a": [1, 4], "b c": [2, 5], "d,e": [3, 6]}),
        ("  1.0   2.0\n  3.0   4.0\n", {}, {"1": [1, 3], "2": [2, 4]}),
        ("a:b\n1:2\n", {"delimiter": ":"}, {"a": [1], "b": [2]}),
        ("caf\xe9;x\n1;2\n".encode("cp1252"), {"encoding": "cp1252"}, {"caf\xe9": [1], "x": [2]}),
        ("T\n\na,b\n1,2\nu,v\n", {"skip_lines": (1, 5)}, {"a": [1], "b": [2]}),
    ],
)  # fmt: skip
def test_text(read, content, how, expected):
    found = columns(read(content, **how))
    assert list(found) == list(expected)
    for name, values in expected.items():
        assert [None if pd.isna(v) else v for v in found[name]] == values, name


def test_columns_kept_as_text(read):
    rows = read("id,c,v\n007,1.10,1\nNA,1.1,2\n,x,3\n1e5, y ,4\n", as_text=("id", "c"))
    assert columns(rows)["id"][:2] + columns(rows)["id"][3:] == ["007", "NA", "1e5"]
    assert pd.isna(rows.values["id"][2])
    assert columns(rows)["c"] == ["1.10", "1.1", "x", "y"]
    assert rows.values["v"].dtype == "int64"


@each(
    "content, names",
    [
        (",a\nx,1\nNA,2\n007,3\n", ["x", "NA", "007"]),
        ("a,b\nx,1,2\nNA,3,4\n007,5,6\n", ["x", "NA", "007"]),
        ("a,b\n1,1,2\n2,3,4\n", ["1", "2"]),
        ('a,b\n"7",1,2\n"3",3,4\n', ["7", "3"]),
    ],
)
def test_names_of_rows_are_the_index(read, content, names):
    rows = read(content).values
    assert rows.index.tolist() == names
    assert rows.iloc[0, -1] == len(rows.columns)


def test_every_sign_of_a_missing_value(read):
    gaps = "\n".join(f"{i},{gap}" for i, gap in enumerate(sorted(MISSING)))
    frame = read(f"i,x\n-1,2.5\n{gaps}\n").values
    assert frame["x"].notna().tolist() == [True] + [False] * len(MISSING)


def test_what_was_found(read):
    rows = read("x;y\n1,5;2\n2,5;3\n".encode("utf-16"), digest=True)
    assert rows.text.to_dict() == {
        "delimiter": ";", "encoding": "utf-16", "decimal": None, "na_values": [],
        "skip_lines": [], "decimal_commas": ["x"],
    }  # fmt: skip
    assert rows.sha256 == hashlib.sha256("x;y\n1,5;2\n2,5;3\n".encode("utf-16")).hexdigest()
    assert rows.has_header
    assert [note for note in rows.notes if "'x'" in note]
    assert [note for note in read("a,2\n1,3\n").notes if "--no-header" in note]
    assert not read("x;y\n1.25;2\n5.678;3\n").notes


def test_lines_of_rows(read):
    rows = read('\nsep=;\na;b\n"x\ny";1\n\nz;2\n'.replace("\nsep", "sep", 1))
    assert [rows.where(row) for row in range(2)] == ["line 3", "line 6"]


@each(
    "content, words",
    [
        ("a,b\n1,2\n" * 60 + "3\n", "line 121 has 1 field"),
        ('a,b\n"x\ny",2\n' + "1,2\n" * 60 + '3,"4,5",6\n', "line 64 has 3 fields"),
        ("a,b\n" + "1,2\n" * 60 + "x\ny,3\n", "line 62 has 1 field"),
        ("x,y\n1.5,2,3\n4.5,5,6\n", "line 1 names one column fewer"),
        ("\nx,y\n1,2,3\n4,5,6\n", "line 2 names one column fewer"),
        ("x,y\nu,2,3\nu,5,6\n", "line 1 names one column fewer"),
        ("x\n1\n\n2\n", "line 3 is blank"),
        ("a,b,a\n1,2,3\n", "'a'"),
        ("a,b\n", "no rows"),
        (",\n,\n", "no columns"),
        (b"a,b\n1,2\n\xe9,3\n", "line 3 is not UTF-8"),
        (b"a,b\n\xed\xa0\x80,1\n", "line 2 is not UTF-8"),
    ],
)
def test_lines_that_are_refused(read, content, words):
    with pytest.raises(DataError, match=words):
        read(content)


def test_options_that_would_do_nothing_are_refused(read, tmp_path):
    np.save(tmp_path / "a.npy", np.eye(2))
    with pytest.raises(DataError, match="not text"):
        read_table(tmp_path / "a.npy", text=TextFormat(na_values=("0",)))
    with pytest.raises(DataError, match="no sheets"):
        read("a,b\n1,2\n", sheet="one")
    with pytest.raises(DataError, match="no line 9"):
        read("a,b\n1,2\n", skip_lines=(9,))


def test_a_text_in_each_line(read):
    rows = read("a, b\nc; d\r\n\u20ac\n\n", "a.txt", whole_lines=True)
    assert rows.values == ["a, b", "c; d", "\u20ac"]
    with pytest.raises(DataError, match="line 2 is blank"):
        read("a\n\nb\n", "a.txt", whole_lines=True)


# --- bytes -----------------------------------------------------------------------------------


@each("suffix", COMPRESS)
def test_compressed(read, monkeypatch, suffix):
    text = b"name,x\n" + b"".join(b"%05d,%d\n" % (i, i * i) for i in range(90_000))
    packed = COMPRESS[suffix](text[:50_000]) + COMPRESS[suffix](text[50_000:])
    rows = read(packed, f"a.csv{suffix}", as_text=("name",), digest=True)
    assert rows.values["name"][7] == "00007"
    assert rows.values["x"].sum() == sum(i * i for i in range(90_000))
    assert rows.sha256 == hashlib.sha256(packed).hexdigest()
    piped(monkeypatch, packed)
    assert read_table("-", digest=True).sha256 == rows.sha256
    with pytest.raises(DataError):
        read(packed[:-9], f"cut.csv{suffix}")
    if suffix in (".gz", ".zst"):  # the others are slow to pack
        with pytest.raises(DataError, match="100 times its size"):
            read(COMPRESS[suffix](b"1,2\n" * 20_000_000), f"bomb.csv{suffix}")


def test_standard_input_of_every_kind(monkeypatch, tmp_path):
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": ["007", "x"]})
    numbers = io.BytesIO()
    np.save(numbers, np.eye(2))
    for name, write in {
        "a.csv": lambda path: frame.to_csv(path, index=False), "a.parquet": frame.to_parquet,
        "a.feather": frame.to_feather, "a.xlsx": lambda path: frame.to_excel(path, index=False),
        "a.jsonl": lambda path: frame.to_json(path, orient="records", lines=True),
        "a.npy": lambda path: path.write_bytes(numbers.getvalue()),
        "a.npz": lambda path: np.savez(path, X=np.eye(2)),
    }.items():  # fmt: skip
        write(tmp_path / name)
        piped(monkeypatch, (tmp_path / name).read_bytes())
        found, expected = read_table("-"), read_table(tmp_path / name)
        pd.testing.assert_frame_equal(found.values, expected.values)
        assert found.source == "standard input"
    piped(monkeypatch, b"one, two\n[three]\n")
    assert read_table("-", whole_lines=True).values == ["one, two", "[three]"]


@each(
    "content, suffix, rows",
    [
        ('[{"a": 1},\n {"a": 2}]\n', ".json", 2),
        ("[[1, 2], [3, 4]]", ".json", 2),
        ("[1, 2]\n[3, 4]\n[5, 6]\n", ".jsonl", 3),
        ("[1, 2]", ".jsonl", 1),
        ('{"a": 1}', ".jsonl", 1),
    ],
)
def test_json_in_standard_input(read, monkeypatch, content, suffix, rows):
    piped(monkeypatch, content.encode())
    found = read_table("-").values
    assert len(found) == rows
    pd.testing.assert_frame_equal(found, read(content, f"a{suffix}").values)


def test_content_of_another_kind(read, tmp_path):
    frame = pd.DataFrame({"a": [1, 2]})
    frame.to_excel(tmp_path / "a.xlsx", index=False)
    frame.to_parquet(tmp_path / "a.parquet")
    frame.to_feather(tmp_path / "a.feather")
    np.savez(tmp_path / "a.npz", X=np.eye(2))
    for suffix in (".xlsx", ".parquet", ".feather", ".npz"):
        for other in (".csv", ".npy"):
            with pytest.raises(DataError, match=rf"rename it to \{suffix}\."):
                read((tmp_path / f"a{suffix}").read_bytes(), f"b{other}")
        with pytest.raises(DataError, match=r"rename it to \.csv\."):
            read("PK,PAR1\n1,2\n", f"b{suffix}")
    assert columns(read("PAR1,a\n1,2\n")) == {"PAR1": [1], "a": [2]}


# --- other formats ---------------------------------------------------------------------------


def test_a_folder_of_parquet_is_one_table(tmp_path):
    for part in range(3):
        path = tmp_path / f"at={part}" / f"{part}.parquet"
        path.parent.mkdir()
        pd.DataFrame({"x": [part, part + 0.5], "id": [1, part]}).to_parquet(path)
    (tmp_path / "_metadata.parquet").touch()
    assert columns(read_table(tmp_path, as_text=("id",))) == {
        "x": [0, 0.5, 1, 1.5, 2, 2.5], "id": ["1", "0", "1", "1", "1", "2"]
    }  # fmt: skip
    pd.DataFrame({"x": np.zeros(20_000_000)}).to_parquet(path, compression="zstd")
    with pytest.raises(DataError, match=r"2\.parquet unpacks"):
        read_table(tmp_path)


def test_values_of_frames_as_text(tmp_path):
    frame = pd.DataFrame(
        {
            "n": [9007199254740993, 2], "x": [1234567.25, 2.0], "s": ["007", None],
            "day": pd.to_datetime(["2024-02-01", "2024-02-02"]),
        }
    )  # fmt: skip
    frame.to_parquet(tmp_path / "a.parquet")
    found = columns(read_table(tmp_path / "a.parquet", as_text=tuple(frame)))
    assert found["n"] == ["9007199254740993", "2"]
    assert found["x"] == ["1234567.25", "2"]
    assert found["s"][0] == "007"
    assert pd.isna(found["s"][1])
    assert found["day"] == ["2024-02-01", "2024-02-02"]
    frame.set_index("n").to_parquet(tmp_path / "indexed.parquet")
    assert list(read_table(tmp_path / "indexed.parquet").values) == ["n", "x", "s", "day"]


@each("name", ["a.parquet", "a.feather", "a.jsonl"])
def test_large_whole_numbers_next_to_a_gap(read, tmp_path, name):
    numbers = [2**53 + 1, None, 2**53]
    if name == "a.jsonl":
        lines = [f'{{"id": {number or "null"}, "n": {i}}}' for i, number in enumerate(numbers)]
        (tmp_path / name).write_text("\n".join(lines))
    else:
        table = pa.table({"id": numbers, "n": [0, 1, 2]})
        (parquet.write_table if name == "a.parquet" else feather.write_feather)(
            table, tmp_path / name
        )
    found = read_table(tmp_path / name, as_text=("id",)).values
    assert found["id"].tolist()[::2] == ["9007199254740993", "9007199254740992"]
    assert pd.isna(found["id"][1])
    assert found["n"].tolist() == [0, 1, 2]
    assert read_table(tmp_path / name).values["id"].dtype == "float64"


def test_workbooks(tmp_path):
    path = tmp_path / "a.xlsx"
    frame = pd.DataFrame(
        {
            "id": ["007", "NA", "x"], "v": [1.0, -9.0, 2.5], "w": ["3", 4, None],
            "day": pd.to_datetime(["2024-02-01"] * 3), "yes": [True, None, False],
        }
    )  # fmt: skip
    with pd.ExcelWriter(path) as book:
        pd.DataFrame({"q": [1]}).to_excel(book, sheet_name="first", index=False)
        frame.to_excel(book, sheet_name="second", index=False, startrow=2)
    rows = read_table(path, sheet="second", text=TextFormat(na_values=("-9",)), as_text=("id",))
    found = rows.values
    assert found["id"].tolist()[::2] == ["007", "x"]
    assert found["v"].isna().tolist() == [False, True, False]
    assert found["w"].tolist()[:2] == ["3", "4"]
    assert found["day"].dtype.kind == "M"
    assert found["yes"].dtype == "boolean"
    assert rows.where(0) == "row 4"
    frame.to_excel(tmp_path / "indexed.xlsx")
    assert list(read_table(tmp_path / "indexed.xlsx").values) == list(frame)
    assert columns(read_table(path)) == {"q": [1]}
    with pytest.raises(DataError, match="third"):
        read_table(path, sheet="third")


@each(
    "content, expected",
    [
        ('"a"\n"b"\n', ["a", "b"]),
        ('["a", "b"]\n["c"]\n[]\n', [["a", "b"], ["c"], []]),
        ('{"a": 1, "b": null}\n{"b": 2}\n', {"a": [1, None], "b": [None, 2]}),
        ('{"a": true}\n\n{"a": null}\n', {"a": [True, None]}),
        ('{"a": "7"}\n{"a": 7}\n', {"a": ["7", "7"]}),
        ("[1, 2]\n[3, null]\n", {"1": [1, 3], "2": [2, None]}),
        ('{"v": [1, "x"], "w": 1}\n{"v": [3, "y"], "w": 2}\n',
         {"v[0]": [1, 3], "v[1]": ["x", "y"], "w": [1, 2]}),
    ],
)  # fmt: skip
def test_json(read, content, expected):
    found = read(content, "a.jsonl").values
    if isinstance(found, pd.DataFrame):
        found = {n: [None if pd.isna(v) else v for v in c] for n, c in found.items()}
    assert found == expected


def test_json_arrays_of_other_lengths(read):
    found = read("[[1, 2], [3, 4]]\n[[5, 6]]\n", "a.jsonl").values
    assert_array_equal(found[0], [[1, 2], [3, 4]])
    assert_array_equal(found[1], [[5, 6]])


@each(
    "content",
    [
        "\n".join(f'{{"{i}": 1}}' for i in range(20_000)),
        '{"v": []}\n' * 20_000 + '{"v": [' + "1," * 20_000 + "1]}",
        '{"a": 1}\n"a"\n',
        '{"a": 1, "a": 2}\n',
        '[1, "2"]\n',
        '"\\ud800"\n',
        "null\n",
        "1\n",
    ],
)
def test_json_that_is_refused(read, content):
    with pytest.raises(DataError):
        read(content, "a.jsonl")


def test_sparse_rows_are_added_up_and_sorted(tmp_path):
    rows = sparse.coo_array(
        (np.array([100, 100, 100, 0], np.int8), ([0, 0, 0, 1], [3, 1, 3, 0])), shape=(2, 4)
    )
    sparse.save_npz(tmp_path / "a.npz", rows)
    found = read_table(tmp_path / "a.npz").values
    assert isinstance(found, sparse.csr_array)
    assert found.indices.tolist() == [1, 3]
    assert found.data.tolist() == [100.0, 200.0]


def test_sparse_rows_whose_places_are_not_whole(tmp_path):
    parts = {"format": b"csr", "shape": [2, 2], "data": [1.0], "indptr": [0, 1, 1]}
    for name, place in {"a.npz": 1, "b.npz": 1.5}.items():
        np.savez(tmp_path / name, indices=[place], **parts)
    assert_array_equal(read_table(tmp_path / "a.npz").values.toarray(), [[0, 1], [0, 0]])
    with pytest.raises(DataError, match="not integers"):
        read_table(tmp_path / "b.npz")


@each("suffix", ["parquet", "feather"])
def test_columns_that_would_fill_the_memory(tmp_path, suffix):
    path = tmp_path / f"a.{suffix}"
    frame = pd.DataFrame({"x": np.zeros(20_000_000)})
    getattr(frame, f"to_{suffix}")(path, compression="zstd")
    with pytest.raises(DataError, match="100 times its size"):
        read_table(path)


@each("is_packed", [True, False])
@each("kind", [pa.string(), pa.large_string()])
@each("suffix", ["parquet", "feather"])
def test_texts_that_would_fill_the_memory(tmp_path, suffix, kind, is_packed):
    path = tmp_path / f"a.{suffix}"
    texts = pa.array(["z" * 10_000_000] * 20, kind)
    table = pa.table({"a": texts.dictionary_encode() if is_packed else texts, "b": range(20)})
    write = parquet.write_table if suffix == "parquet" else feather.write_feather
    write(table, path, compression="zstd")
    with pytest.raises(DataError, match="100 times its size"):
        read_table(path)
    write(table.slice(0, 2), path, compression="zstd")
    assert read_table(path).values["a"].str.len().tolist() == [10_000_000] * 2


def test_one_text_that_is_seen_from_all_rows(tmp_path):
    _, views, text = pa.array(["z" * 10_000_000]).cast(pa.string_view()).buffers()
    views = pa.py_buffer(views.to_pybytes()[:16] * 20)
    table = pa.table({"a": pa.Array.from_buffers(pa.string_view(), 20, [None, views, text])})
    for n, path in ((2, tmp_path / "two.feather"), (20, tmp_path / "all.feather")):
        with pa.ipc.new_file(
            path, table.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")
        ) as file:
            file.write_table(table.slice(20 - n))
    assert read_table(tmp_path / "two.feather").values["a"].str.len().tolist() == [10_000_000] * 2
    with pytest.raises(DataError, match="100 times its size"):
        read_table(tmp_path / "all.feather")


def _workbook(path, change):
    pd.DataFrame({"a": [1, 2]}).to_excel(path, index=False)
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, change(content) if name.endswith("sheet1.xml") else content)


@each(
    "inserted",
    [
        b'<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>',
        b"<row r='1048576'><c r='XFD1048576'><v>1</v></c></row>",
        b"<!--" + b" " * 100_000_000 + b"-->",
        b"<!DOCTYPE a [<!ENTITY b 'c'>]>",
    ],
)
def test_workbooks_that_would_fill_the_memory(tmp_path, inserted):
    end = b"</sheetData>"
    _workbook(tmp_path / "a.xlsx", lambda sheet: sheet.replace(end, inserted + end))
    with pytest.raises(DataError, match=r"a\.xlsx"):
        read_table(tmp_path / "a.xlsx")
