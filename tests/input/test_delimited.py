"""Text files as spreadsheets of several countries write them, against the numbers meant."""

import io

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from helpers import each
from kgroups.exceptions import DataError
from kgroups.input.table_files import TextFormat, read_table
from kgroups.input.table_files.delimited import read_delimited

NAMES = ("town", "size", "rate")
TOWNS, SIZES, RATES = ["Köln", "Paris", "Rom"], [1.5, 2.25, 8.0], [1000.0, 2.0, 3.5]
GERMAN = "town;size;rate\nKöln;1,5;1000\nParis;2,25;2,0\nRom;8;3,5\n"


def table(text, *, encoding="utf-8", **given):
    return read_delimited(io.BytesIO(text.encode(encoding)), "x.csv", TextFormat(**given))


def assert_right(found):
    assert found.names == NAMES
    assert found.columns[0].tolist() == TOWNS
    assert_array_equal(found.numbers([1, 2]), np.column_stack([SIZES, RATES]))


def test_semicolons_and_decimal_commas_are_found():
    found = table(GERMAN)
    assert_right(found)
    assert found.text.to_dict() == {
        "delimiter": ";", "encoding": "utf-8", "decimal": None, "na_values": [],
        "skip_lines": [], "decimal_commas": ["size", "rate"],
    }  # fmt: skip


@each(
    ("text", "names", "last"),
    [
        ("group;score, mean\nold;10,65\nnew;49,51\n", ("group", "score, mean"), [10.65, 49.51]),
        ("a;b;c, d\nTrue;x;-1,5\nFalse;y;2,25\n", ("a", "b", "c, d"), [-1.5, 2.25]),
        ("old\ty\t10,65\nnew\tx\t49,51\nnew\tx\t8,5\n", ("old", "y", "10,65"), [49.51, 8.5]),
    ],
)
def test_one_decimal_comma_per_line_is_no_delimiter(text, names, last):
    # Split by commas, all lines have two fields as well, of which one is the digits of fractions.
    found = table(text)
    assert found.names == names
    assert found.columns[-1].tolist() == last


def test_text_with_semicolons_between_commas():
    found = table("id,note;more\n1,a;b\n2,c;d\n")
    assert found.names == ("id", "note;more")
    assert found.columns[0].tolist() == [1, 2]


@each("encoding", ["latin-1", "cp1252", "utf-16-le", "utf-32"])
def test_an_encoding_that_is_given(encoding):
    content = io.BytesIO(GERMAN.encode(encoding))
    assert_right(read_delimited(content, "x.csv", TextFormat(encoding=encoding)))


def test_an_explicit_decimal_comma_makes_points_separators_of_thousands():
    text = "a;b\n1,5;1.234\n2,5;5\n"
    assert_array_equal(table(text, decimal=",").numbers([0, 1]), [[1.5, 1234], [2.5, 5]])
    # Not given, 1.234 could be a fraction, and is left as text for the reader to ask.
    found = table(text)
    assert found.columns[0].tolist() == [1.5, 2.5]
    assert found.columns[1].tolist() == ["1.234", "5"]
    # With a fraction that cannot be a thousand next to it, it is clear.
    assert table(text + "3,5;0.5\n").columns[1].tolist() == [1.234, 5, 0.5]


def test_thousands_are_read_where_the_decimal_mark_is_given():
    text = 'a,b\n"1,000",2\n"2,500",3\n'
    assert table(text).columns[0].tolist() == ["1,000", "2,500"]
    assert table(text, decimal=".").columns[0].tolist() == [1000, 2500]
    assert table(text, decimal=",", delimiter=",").columns[0].tolist() == [1, 2.5]


@each("digits", ["1,5;2\n2,5;3\n", "1,5;2,5\n3,5;4,5\n"])
def test_decimal_commas_without_a_header(digits):
    found = table(digits)
    assert not found.has_header
    assert found.n_rows == 2
    assert found.columns[0][0] == 1.5


@each(
    ("text", "delimiter"),
    [
        ("a,b\nx;y,1\nz;w,2\n", ","),
        ("a|b|c\n1|2|3\n", "|"),
        ("a;b\nx, y;1\nz;2\n", ";"),
        ('a;b\n"1,5";"x"\n', ";"),
        ("1,5\t2,5\n3,5\t4,5\n", "\t"),
        ("1,2\n3,4\n", ","),
        ("name\nAnna\nBen\n", ","),
        ("a,b\n" + "".join(f'"line\n{i}",{i}\n' for i in range(40)), ","),
    ],
)
def test_the_delimiter_that_splits_all_lines_alike(text, delimiter):
    assert table(text).text.delimiter == delimiter


def test_a_delimiter_that_is_given():
    assert_array_equal(table("a b\n1  2\n3 4\n", delimiter=" ").numbers([0, 1]), [[1, 2], [3, 4]])
    assert table("a;b,c\n1;2,3\n", delimiter=",").names == ("a;b", "c")


def test_further_missing_values():
    text = "a,b\n-,x\n2,missing\n-999,y\n"
    found = table(text, na_values=("-", "missing", "-999"))
    assert_array_equal(found.columns[0], [np.nan, 2, np.nan])
    assert found.columns[1].tolist() == ["x", None, "y"]
    assert table(text).columns[0].tolist() == ["-", "2", "-999"]


@each(
    ("text", "given", "column"),
    [
        ("a,b\n-999.0,1\n2.5,2\n-9.99e2,3\n", ("-999",), [np.nan, 2.5, np.nan]),
        ("a,b\n-999,1\n2,2\n", ("-999.00",), [np.nan, 2]),
        ("a;b\n-999,0;1\n2,5;2\n", ("-999",), [np.nan, 2.5]),
    ],
)
def test_missing_values_that_are_numbers(text, given, column):
    # pandas.read_csv(na_values=["-999"]) takes -999.0 for missing, too, which it writes itself.
    assert_array_equal(table(text, na_values=given).columns[0], column)
    if "," in text.splitlines()[0]:
        frame = pd.read_csv(io.StringIO(text), na_values=list(given))
        assert_array_equal(frame["a"], column)


def test_a_frame_without_names_as_pandas_writes_it(tmp_path):
    frame = pd.DataFrame(np.arange(6.0).reshape(3, 2))
    frame.to_csv(tmp_path / "t.csv")
    found = read_table(tmp_path / "t.csv")
    assert (found.names, found.n_rows, found.unnamed) == (("Unnamed: 0", "0", "1"), 3, (0,))


def test_true_and_false_are_one_and_zero():
    found = table("a,b\nTrue,yes\nFALSE,no\n,no\n")
    assert_array_equal(found.columns[0], [1, 0, np.nan])
    assert found.texts(0) == ["True", "False", ""]
    assert found.columns[1].tolist() == ["yes", "no", "no"]


def test_a_long_line_of_wide_characters(monkeypatch):
    monkeypatch.setattr("kgroups.input.table_files.delimited._LONGEST_LINE", 100)
    with pytest.raises(DataError, match="line 2 is longer than 32 MiB"):
        table("a,b\n" + "1" * 200, encoding="utf-16")


# --- tables of other programs ---------------------------------------------------------------------


@each("text", ["a;b;\n1,5;2\n3;4\n;5\n", "a;b\n1,5;2;\n3;4;\n;5; \n", "a;b\n1,5;2;\n3;4;\n;5"])
def test_a_delimiter_at_the_end_of_the_header_or_of_the_data(text):
    found = table(text)
    assert found.names == ("a", "b")
    assert_array_equal(found.numbers([0, 1]), [[1.5, 2], [3, 4], [np.nan, 5]])


def test_a_first_number_of_thousands_of_digits():
    found = table(f"{'1' * 5000},2,3\n4,5,6\n")
    assert (found.has_header, found.columns[0].tolist()) == (False, [np.inf, 4])


def test_a_line_that_names_the_delimiter():
    found = table("sep=;\na;b\n1,5;2\n3;4\n")
    assert (found.names, found.lines.tolist()) == (("a", "b"), [3, 4])
    assert_array_equal(found.numbers([0, 1]), [[1.5, 2], [3, 4]])
    found = table("sep=é\naéb\n1é2\n")
    assert found.numbers([0, 1]).tolist() == [[1, 2]]


@each("text", [" a   b \n 1  2.5 \n10 -3.5\n", "a b\n1 2.5\n10 -3.5"])
def test_columns_aligned_by_blanks(text):
    found = table(text)
    assert found.names == ("a", "b")
    assert_array_equal(found.numbers([0, 1]), [[1, 2.5], [10, -3.5]])


@each("text", ["city\nNew York\nSan Jose\n", "mass\n5 kg\n7 kg\n"])
def test_blanks_in_text_are_no_delimiters(text):
    assert len(table(text).names) == 1


def test_points_that_may_separate_thousands_where_semicolons_are():
    text = "name;sales\na;4.804\nb;15.434\nc;857\n"
    assert table(text).columns[1].tolist() == [4.804, 15.434, 857]
    assert table(text, decimal=",").columns[1].tolist() == [4804, 15434, 857]


# --- lines that are skipped ------------------------------------------------------------------


@each("encoding", ["utf-8", "utf-16"])
def test_skipped_lines_are_counted_as_an_editor_counts(encoding):
    text = 'An "unfinished title\n\na;b\ncm;kg\n"1";"2\n"\n3;4\n5;x;y\n6;7\n'
    found = table(text, encoding=encoding, skip_lines=(1, 2, 4, 8))
    assert found.names == ("a", "b")
    assert_array_equal(found.numbers([0, 1]), [[1, 2], [3, 4], [6, 7]])
    assert found.lines.tolist() == [5, 7, 9]
    assert found.text.to_dict()["skip_lines"] == [1, 2, 4, 8]


def test_a_header_of_two_lines_with_a_delimiter_that_is_known():
    found = table('a,"b\nc"\n1,2\n3,4\n', delimiter=",")
    assert found.names == ("a", "b\nc")
    assert_array_equal(found.numbers([0, 1]), [[1, 2], [3, 4]])


# --- triangles of matrices -------------------------------------------------------------------


def test_lists_in_one_column_are_not_split():
    found = table("genre\nAction|Drama\nComedy|War\nDrama|War\n")
    assert (found.names, found.columns[0][0]) == (("genre",), "Action|Drama")
