"""Text files as spreadsheets of several countries write them, against the numbers meant."""

import io

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

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
    assert found.notes == (
        "fields of x.csv are separated by semicolons",
        "columns 'size', 'rate' have decimal commas",
    )


@pytest.mark.parametrize(
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


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-16-le", "utf-32"])
def test_an_encoding_that_is_given(encoding):
    content = io.BytesIO(GERMAN.encode(encoding))
    assert_right(read_delimited(content, "x.csv", TextFormat(encoding=encoding)))


def test_utf16_says_so_itself():
    found = table(GERMAN.replace(";", "\t"), encoding="utf-16")
    assert_right(found)
    assert found.notes == (
        "x.csv is UTF-16",
        "columns 'size', 'rate' have decimal commas",
    )


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


@pytest.mark.parametrize("digits", ["1,5;2\n2,5;3\n", "1,5;2,5\n3,5;4,5\n"])
def test_decimal_commas_without_a_header(digits):
    found = table(digits)
    assert not found.has_header
    assert found.n_rows == 2
    assert found.columns[0][0] == 1.5


@pytest.mark.parametrize(
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


def test_years_above_the_columns_are_doubted():
    found = table("2019,2020,2021\n1,2,3\n4,5,7\n")
    assert not found.has_header
    assert found.notes == (
        "the first line, 2019, 2020, 2021, is read as a row of data; if it numbers the columns, "
        "remove it or write names instead",
    )
    assert table("2019,2021,2020\n1,2,3\n").notes == ()


@pytest.mark.parametrize(
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


def test_true_and_false_are_the_same_in_every_format(tmp_path):
    frame = pd.DataFrame({"a": [True, False, True], "b": [1.0, 2.0, 3.0]})
    frame.to_csv(tmp_path / "t.csv", index=False)
    frame.to_parquet(tmp_path / "t.parquet")
    text, parquet = (read_table(tmp_path / f"t.{suffix}") for suffix in ("csv", "parquet"))
    assert_array_equal(text.numbers([0, 1]), parquet.numbers([0, 1]))
    assert text.texts(0) == parquet.texts(0) == ["True", "False", "True"]


def test_pandas_reads_the_same_numbers(tmp_path):
    rng = np.random.default_rng(0)
    numbers = rng.normal(size=(50, 4)) * 10.0 ** rng.integers(-6, 7, (50, 4))
    frame = pd.DataFrame(numbers, columns=list("abcd"))
    path = tmp_path / "t.csv"
    frame.to_csv(path, sep=";", decimal=",", index=False)
    expected = pd.read_csv(path, sep=";", decimal=",")
    assert_array_equal(read_table(path).numbers(range(4)), expected.to_numpy())


@pytest.mark.parametrize(
    ("content", "given", "message"),
    [
        (b"a,b\n1,\xe9\n", {}, r"line 2: byte 6 of .* is not UTF-8 text; .* --encoding latin-1"),
        (b"a,b\n1,\x81\n", {"encoding": "cp1252"}, r"is not cp1252 text; .* --encoding utf-8"),
        (b"\xff\xfea", {}, r"x\.csv is not utf-16 text: .*truncated"),
        (
            b"\xef\xbb\xbfa\n1\n",
            {"encoding": "latin-1"},
            r"begins with the mark of UTF-8; omit --encoding latin-1",
        ),
        ("a\n1\n".encode("utf-16") + b"\x00\xd8\n\x00", {}, "not utf-16 text"),
    ],
)
def test_bytes_that_are_no_text(content, given, message):
    with pytest.raises(DataError, match=message):
        read_delimited(io.BytesIO(content), "x.csv", TextFormat(**given))


def test_a_long_line_of_wide_characters(monkeypatch):
    monkeypatch.setattr("kgroups.input.table_files.delimited._LONGEST_LINE", 100)
    with pytest.raises(DataError, match="line 2 is longer than 32 MiB"):
        table("a,b\n" + "1" * 200, encoding="utf-16")


def test_formats_that_are_no_text_have_no_decimal_mark(tmp_path):
    np.save(tmp_path / "t.npy", np.eye(3))
    with pytest.raises(DataError, match="is not text with delimiters; omit --delimiter, --decimal"):
        read_table(tmp_path / "t.npy", text=TextFormat(decimal=","))


# --- tables of other programs ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "x\n1,5\n2,5\n",  # decimal commas of one column
        "a,b\n7,5,2\n8,5,3\n9,5,4\n",  # and of two
        "a,b\nx,1,\ny,2,\nz,3,4\n",  # a delimiter at the end of some
        "1,2\nx,1,2\ny,2,3\n",
    ],
)
def test_lines_that_are_too_long_for_another_reason(text):
    with pytest.raises(DataError, match=r"line [24]: found"):
        table(text, delimiter=",")


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("a;b;\n1,5;2\n3;4\n;5\n", "the header of x.csv ends"),
        ("a;b\n1,5;2;\n3;4;\n;5; \n", "the lines of data of x.csv end"),
        ("a;b\n1,5;2;\n3;4;\n;5", "the lines of data of x.csv end"),
    ],
)
def test_a_delimiter_at_the_end_of_the_header_or_of_the_data(text, ends):
    found = table(text)
    assert found.names == ("a", "b")
    assert_array_equal(found.numbers([0, 1]), [[1.5, 2], [3, 4], [np.nan, 5]])
    assert f"{ends} with a delimiter, unlike" in found.notes[1]


def test_a_delimiter_at_the_end_of_numbers_is_a_missing_value():
    with pytest.raises(DataError, match="line 2: found 2 fields, expected 3"):
        table("1,2,\n3,4\n5,6\n")


@pytest.mark.parametrize(
    ("above", "skip"),
    [
        ("Report\n", "1"),
        ("Report, 2020, final\n", "1"),
        ("Report\n\n", "1-2"),
        ("\n\n\n", "1-3"),
        ("A: x\nB: y, z, w\n", "1-2"),
    ],
)
@pytest.mark.parametrize("delimiter", [",", ";"])
def test_lines_above_the_table_are_named_all_at_once(above, skip, delimiter):
    text = above + "a,b\n1,2\n3,4\n5,6\n".replace(",", delimiter)
    with pytest.raises(DataError, match=f"pass --skip-lines {skip}[.:]"):
        table(text)
    found = table(text, skip_lines=tuple(range(1, above.count("\n") + 1)))
    assert found.names == ("a", "b")
    assert_array_equal(found.numbers([0, 1]), [[1, 2], [3, 4], [5, 6]])


def test_lines_to_be_skipped_besides_others():
    with pytest.raises(DataError, match=r"pass --skip-lines 1,3\."):
        table("Report\na,b\ncm,kg\n1,2\n3,4\n", skip_lines=(3,))
    with pytest.raises(DataError, match="pass --skip-lines 1-2,4: the table"):
        table("Report\n\na,b\ncm,kg\n1,2\n3,4\n", skip_lines=(4,))


def test_a_first_number_of_thousands_of_digits():
    found = table(f"{'1' * 5000},2,3\n4,5,6\n")
    assert (found.has_header, found.columns[0].tolist()) == (False, [np.inf, 4])


def test_a_title_or_a_comment_above_the_table():
    for first in ("# made in 2020, by hand\n", "Table 1\n"):
        with pytest.raises(DataError, match="Perhaps line 1 is a title or a comment: remove it"):
            table(f"{first}a,b,c\n1,2,3\n")


def test_a_line_that_names_the_delimiter():
    found = table("sep=;\na;b\n1,5;2\n3;4\n")
    assert (found.names, found.lines.tolist()) == (("a", "b"), [3, 4])
    assert_array_equal(found.numbers([0, 1]), [[1.5, 2], [3, 4]])
    found = table("sep=é\naéb\n1é2\n")
    assert found.numbers([0, 1]).tolist() == [[1, 2]]
    assert any("separated by 'é'" in note for note in found.notes)


@pytest.mark.parametrize("text", [" a   b \n 1  2.5 \n10 -3.5\n", "a b\n1 2.5\n10 -3.5"])
def test_columns_aligned_by_blanks(text):
    found = table(text)
    assert found.names == ("a", "b")
    assert_array_equal(found.numbers([0, 1]), [[1, 2.5], [10, -3.5]])


@pytest.mark.parametrize("text", ["city\nNew York\nSan Jose\n", "mass\n5 kg\n7 kg\n"])
def test_blanks_in_text_are_no_delimiters(text):
    assert len(table(text).names) == 1


def test_points_that_may_separate_thousands_are_told_where_semicolons_are():
    text = "name;sales\na;4.804\nb;15.434\nc;857\n"
    (_, note) = table(text).notes
    assert note.startswith("points in 'sales' are read as decimal points")
    assert table(text).columns[1].tolist() == [4.804, 15.434, 857]
    assert table(text, decimal=",").columns[1].tolist() == [4804, 15434, 857]
    assert len(table(text + "d;0.5\n").notes) == 1
    assert table(text.replace(";", ",")).notes == ()


# --- lines that are skipped ------------------------------------------------------------------


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_skipped_lines_are_counted_as_an_editor_counts(encoding):
    text = 'An "unfinished title\n\na;b\ncm;kg\n"1";"2\n"\n3;4\n5;x;y\n6;7\n'
    found = table(text, encoding=encoding, skip_lines=(1, 2, 4, 8))
    assert found.names == ("a", "b")
    assert_array_equal(found.numbers([0, 1]), [[1, 2], [3, 4], [6, 7]])
    assert found.lines.tolist() == [5, 7, 9]
    assert found.notes[0] == "lines 1, 2, 4, 8 of x.csv are skipped"
    assert found.text.to_dict()["skip_lines"] == [1, 2, 4, 8]


@pytest.mark.parametrize(
    ("skipped", "match"),
    [
        ((9,), r"x\.csv has 4 lines; --skip-lines 9 names none of them"),
        ((3,), "line 3 is in the middle of a quoted field of the row that begins in line 2"),
    ],
)
def test_lines_that_cannot_be_skipped(skipped, match):
    with pytest.raises(DataError, match=match):
        table('a,b\n1,"2\n\n"\n', skip_lines=skipped)


def test_a_header_of_two_lines_with_a_delimiter_that_is_known():
    found = table('a,"b\nc"\n1,2\n3,4\n', delimiter=",")
    assert found.names == ("a", "b\nc")
    assert_array_equal(found.numbers([0, 1]), [[1, 2], [3, 4]])


# --- triangles of matrices -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "half"),
    [
        ("0.1\n0.2,0.3\n0.4,0.5,0.6\n", "lower"),
        ("4\nA\nB\t.1\nC\t.2\t.3\nD\t.4\t.5\t.6\n", "lower"),  # PHYLIP
        ("    A   B   C\nB 0.1\nC 0.2 0.3\nD 0.4 0.5 0.6\n", "lower"),  # R prints dist
        ("A;0\nB;,1;0\nC;,2;,3;0\n", "lower"),
        ("0.1 0.2 0.3\n0.4 0.5\n0.6\n", "upper"),
    ],
)
def test_a_triangle_of_a_matrix_is_recognized(text, half):
    with pytest.raises(DataError, match=f"looks like the {half} triangle of a matrix: each line"):
        table(text)


@pytest.mark.parametrize("text", ["a\na b\na b c\na b c d\n", "a,b\n1,2\n3,4\n", "n\n1\n2\n3\n"])
def test_what_is_not_a_triangle(text):
    assert table(text).n_rows >= 2


def test_a_number_of_rows_above_columns_separated_by_blanks():
    text = "3\nA 0 1 2\nB 1 0 3\nC 2 3 0\n"
    with pytest.raises(DataError, match="pass --skip-lines 1"):
        table(text)
    assert table(text, skip_lines=(1,)).names == ("A", "0", "1", "2")


def test_lists_in_one_column_are_not_split():
    found = table("genre\nAction|Drama\nComedy|War\nDrama|War\n")
    assert (found.names, found.columns[0][0]) == (("genre",), "Action|Drama")
