"""JSON files as tables, texts, sets and arrays, in bounded memory."""

import gzip
import io
import json
import sys

import numpy as np
import pytest

from helpers import each
from kgroups.exceptions import DataError
from kgroups.input.table_files import Arrays, Table, json_values, read_rows, read_table
from kgroups.input.table_files.json_files import read_json_lines

pytestmark = pytest.mark.nojit


def read(folder, content, name="a.jsonl", **options):
    """The rows of a file with some content."""
    text = content if isinstance(content, bytes) else content.encode()
    (folder / name).write_bytes(text)
    return read_rows(folder / name, least_rows=1, **options)


def lines(*values):
    return "".join(f"{json.dumps(value)}\n" for value in values)


# --- texts and numbers ---------------------------------------------------------------------------


@each("name", ["a.jsonl", "a.ndjson", "a.json"])
def test_texts(tmp_path, name):
    table = read(tmp_path, lines("one", "zwei", "tr\u00e8s \U0001f600", None, ""), name)
    assert isinstance(table, Table)
    assert (table.names, table.has_header) == (("1",), False)
    assert table.columns[0].tolist() == ["one", "zwei", "tr\u00e8s \U0001f600", None, ""]
    assert table.missing(0).tolist() == [False, False, False, True, False]
    assert table.where(2) == "line 3"


def test_texts_of_one_length_stay_texts(tmp_path):
    table = read(tmp_path, lines("ab", "cd"))
    assert table.columns[0].shape == (2,)
    assert table.columns[0].dtype == object


def test_numbers(tmp_path):
    table = read(tmp_path, "1\n-2.5\nNaN\nnull\n1e3\n")
    assert table.columns[0].dtype == np.float64
    assert table.texts(0) == ["1", "-2.5", "", "", "1000"]


def test_true_and_false(tmp_path):
    table = read(tmp_path, "true\nfalse\nnull\n")
    assert table.booleans == {0}
    assert table.texts(0) == ["True", "False", ""]


# --- objects -------------------------------------------------------------------------------------


def test_objects_are_a_table_by_their_keys(tmp_path):
    rows = [{"x": 1, "town": "Bonn"}, {"town": None, "x": 2.5, "new": True}, None, {"zip": "007"}]
    table = read(tmp_path, lines(*rows), digest=True)
    assert (table.names, table.has_header) == (("x", "town", "new", "zip"), True)
    assert table.texts(0) == ["1", "2.5", "", ""]
    assert table.texts(1) == ["Bonn", "", "", ""]
    assert (table.texts(2), table.booleans) == (["", "True", "", ""], {2})
    assert table.texts(3) == ["", "", "", "007"]
    assert [table.missing(c).sum() for c in range(4)] == [2, 3, 3, 3]
    assert next(iter(table.as_text())) == ["1", "Bonn", "", ""]
    assert len(table.sha256) == 64
    assert read_table(tmp_path / "a.jsonl").names == table.names


def test_an_array_under_a_key_is_columns(tmp_path):
    table = read(tmp_path, lines({"id": "a", "e": [1, 2.5]}, {"id": "b"}, {"e": [3, 4]}))
    assert table.names == ("id", "e[0]", "e[1]")
    assert table.texts(1) == ["1", "", "3"]
    assert table.texts(2) == ["2.5", "", "4"]


def test_an_array_of_rows(tmp_path):
    rows = [{"a": 1}, {"a": 2}]
    for name, content in (
        ("a.json", json.dumps(rows, indent=2)),
        ("b.json", json.dumps(rows)),
        ("c.json", lines(*rows)),
        ("d.jsonl", json.dumps(rows)),
        ("e.json", "\ufeff" + json.dumps(rows)),
    ):
        table = read(tmp_path, content, name)
        assert table.texts(0) == ["1", "2"], name
        assert table.where(1) == ("line 2" if name == "c.json" else "entry 2")


def test_compressed_and_standard_input(tmp_path, monkeypatch):
    content = lines({"a": 1}, {"a": 2}).encode()
    assert read(tmp_path, gzip.compress(content), "a.jsonl.gz").texts(0) == ["1", "2"]
    for text in (content, json.dumps([{"a": 1}, {"a": 2}]).encode()):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
        assert read_rows("-").texts(0) == ["1", "2"]


# --- arrays --------------------------------------------------------------------------------------


def test_arrays_of_numbers(tmp_path):
    found = read(tmp_path, lines([1, 2.5, 3], [], [4]))
    assert isinstance(found, Arrays)
    assert (found.kind, found.n_rows, found.width) == ("numbers", 3, None)
    assert [item.tolist() for item in found.items] == [[1, 2.5, 3], [], [4]]
    assert found.where(1) == "line 2"
    equal = read(tmp_path, lines([1, 2], [3, 4], [5, 6]))
    assert equal.width == 2
    names, columns = equal.columns()
    assert names == ("1", "2")
    assert np.array(columns).tolist() == [[1, 3, 5], [2, 4, 6]]


def test_arrays_of_arrays(tmp_path):
    found = read(tmp_path, lines([[1, 2], [3, 4]], [[5, 6]], []))
    assert [item.shape for item in found.items] == [(2, 2), (1, 2), (0,)]
    assert found.width is None


def test_sets(tmp_path):
    found = read(tmp_path, lines(["a", "b", "a"], [], ["c"]))
    assert (found.kind, found.width) == ("sets", None)
    assert found.items == (frozenset("ab"), frozenset(), frozenset("c"))


# --- memory --------------------------------------------------------------------------------------


class Endless(io.RawIOBase):
    """A stream without an end, which counts what was read of it."""

    def __init__(self, line):
        self.line, self.size = line, 0

    def readline(self, size=-1):
        self.size += size
        return (self.line * (size // len(self.line) + 1))[:size]


def test_a_line_without_an_end_is_given_up():
    stream = Endless(b"x" * 1024)
    with pytest.raises(DataError, match="line 1 is longer than 8 MiB; each line must hold one"):
        read_json_lines(stream, "a.jsonl")
    assert stream.size == (1 << 23) + 1


def test_memory_is_looked_at_while_lines_are_read(tmp_path, monkeypatch):
    monkeypatch.setattr(json_values, "_BYTES_PER_CHECK", 100)
    asked = []
    monkeypatch.setattr(json_values, "require", lambda n_bytes, **_: asked.append(n_bytes))
    read(tmp_path, lines(*["x" * 58] * 10))
    assert asked == [122, 244, 366, 488, 610]  # all that was read so far


def test_a_large_array_is_refused_before_it_is_read(tmp_path):
    with (tmp_path / "a.json").open("wb") as stream:
        stream.truncate(1 << 40)
    with pytest.raises(MemoryError, match=r"needs 24\.0 TiB.*one JSON value per line"):
        read_rows(tmp_path / "a.json")


def test_keys_of_their_own_in_each_row_are_limited(tmp_path, monkeypatch):
    from kgroups.input.table_files import json_files

    monkeypatch.setattr(json_files, "_MOST_KEYS", 10)
    with pytest.raises(DataError, match="have 11 different keys, and a table has at most 10"):
        read(tmp_path, lines(*({f"k{i}": 1} for i in range(11))))
    monkeypatch.setattr(json_files, "_MOST_KEYS", 20)
    assert len(read(tmp_path, lines(*({f"k{i}": 1} for i in range(11)))).names) == 11


# --- plain text ----------------------------------------------------------------------------------


def test_one_text_per_line(tmp_path, monkeypatch):
    table = read(tmp_path, "\ufeffone, two\r\n 3 \nfour\n\n", "a.txt", whole_lines=True)
    assert table.columns[0].tolist() == ["one, two", " 3 ", "four"]
    assert (table.names, table.has_header, table.where(2)) == (("1",), False, "line 3")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a,b\nc,d\n")))
    assert read_rows("-", whole_lines=True).columns[0].tolist() == ["a,b", "c,d"]
    for text in (b'"a b"\n"c"\n', b'{"1": "a b"}\n{"1": "c"}\n'):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
        assert read_rows("-", whole_lines=True).columns[0].tolist() == ["a b", "c"]
    quotation = b'"Yes," she said.\n[no]\n'
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(quotation)))
    said = read_rows("-", whole_lines=True).columns[0].tolist()
    assert said == ['"Yes," she said.', "[no]"]
