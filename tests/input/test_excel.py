"""Sheets of Excel workbooks: what is read, and what is said of those that hold no table."""

import datetime as dt
import io
import sys
import time
import zipfile

import numpy as np
import openpyxl
import pytest
from numpy.testing import assert_array_equal

from kgroups.exceptions import DataError
from kgroups.input.table_files import TextFormat, read_table
from kgroups.runtime import memory

SHEET = "xl/worksheets/sheet1.xml"
NUMBERS = [["a", "b"], [1, 2], [3.5, -40]]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "x.xlsx"


def save(path, *sheets, hidden=()):
    """One sheet for each list of rows, named s1, s2 and so on."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for number, rows in enumerate(sheets, start=1):
        sheet = book.create_sheet(f"s{number}")
        for row in rows:
            sheet.append(row)
        if number in hidden:
            sheet.sheet_state = "hidden"
    book.save(path)
    return path


def with_part(path, name, change):
    """The workbook with one of its parts changed."""
    with zipfile.ZipFile(path) as archive:
        parts = {part: archive.read(part) for part in archive.namelist()}
    parts[name] = change(parts[name])
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for part, content in parts.items():
            archive.writestr(part, content)


def error_of(path, match, **options):
    with pytest.raises(DataError, match=match):
        read_table(path, **options)


# --- what is read ----------------------------------------------------------------------------


def test_header_and_numbers(path):
    found = read_table(save(path, NUMBERS))
    assert (found.names, found.has_header, found.notes) == (("a", "b"), True, ())
    assert_array_equal(found.numbers([0, 1]), [[1, 2], [3.5, -40]])
    assert found.where(1) == "row 3"


def test_no_header(path):
    found = read_table(save(path, [[1, None, 3], [4, 5, 6]]))
    assert (found.names, found.has_header) == (("1", "2", "3"), False)
    assert_array_equal(found.columns[1], [np.nan, 5])
    assert found.where(0) == "row 1"


def test_every_kind_of_cell(path):
    day, noon = dt.datetime(2024, 1, 5), dt.datetime(2024, 1, 5, 12, 30)
    rows = [
        ["number", "text", "truth", "date", "time", "some"],
        [0.1, ' ä, "b"\nc ', True, day, noon, "NA"],
        [2**40, "007", False, day, dt.time(3, 4), "#N/A"],
        [-1e-300, "", None, None, noon, 5],
    ]
    found = read_table(save(path, rows))
    assert found.columns[0].tolist() == [0.1, 2**40, -1e-300]
    assert found.columns[1].tolist() == ['ä, "b"\nc', "007", None]
    assert_array_equal(found.columns[2], [1, 0, np.nan])
    assert found.columns[3].tolist() == ["2024-01-05", "2024-01-05", None]
    assert found.columns[4].tolist() == ["2024-01-05 12:30:00", "03:04:00", "2024-01-05 12:30:00"]
    assert_array_equal(found.columns[5], [np.nan, np.nan, 5])
    assert [found.where(row) for row in range(3)] == ["row 2", "row 3", "row 4"]
    assert next(found.as_text()) == ["0.1", rows[1][1], "True", "2024-01-05",
                                     "2024-01-05 12:30:00", "NA"]  # fmt: skip


def test_names_of_rows_keep_their_zeros(path):
    found = read_table(save(path, [["id", "x"], ["007", 1], ["008", 2]]))
    assert_array_equal(found.columns[0], [7, 8])
    assert [row[0] for row in found.as_text()] == ["007", "008"]


def test_blank_rows_and_columns_at_the_end_are_ignored(path):
    blank = [None, " ", None, ""]
    rows = [[*row, None, " ", None] for row in NUMBERS]
    found = read_table(save(path, [*rows, blank, [], blank]))
    assert found.names == ("a", "b")
    assert found.n_rows == 2


def test_a_sheet_that_lies_about_its_size(path):
    """Some programs write the size of a sheet that was once smaller."""
    save(path, NUMBERS)
    with_part(path, "xl/worksheets/sheet1.xml", lambda xml: xml.replace(b'"A1:B3"', b'"A1"'))
    assert read_table(path).n_rows == 2


def test_values_of_formulas(path):
    save(path, [["a", "b"], [1, "=A2+1"], [2, "=A3+1"]])
    error_of(path, r"row 2, column B holds a formula that was saved without its value; open")

    def computed(xml):
        return xml.replace(b"<v></v>", b"<v>7</v>").replace(b"<v />", b"<v>7</v>")

    with_part(path, "xl/worksheets/sheet1.xml", computed)
    assert_array_equal(read_table(path).columns[1], [7, 7])


def test_the_first_sheet_that_is_seen(path):
    save(path, [["h"], [1], [2]], NUMBERS, [["c"], [3], [4]], hidden=[1])
    found = read_table(path)
    assert found.names == ("a", "b")
    assert found.notes == ("sheet 's2' is read; --sheet chooses another of 's2', 's3', 's1'",)
    named = read_table(path, sheet="s1")
    assert (named.names, named.notes) == (("h",), ())
    error_of(path, r"no sheet 's4'\. Its sheets are: 's2', 's3', 's1'\.", sheet="s4")


# --- what is said ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], r"x\.xlsx is empty\."),
        ([["a", "b"]], r"x\.xlsx has column names but no rows\."),
        ([["a", "b"], [1, 2]], r"x\.xlsx has 1 row; it must have at least 2\."),
        ([["a", "a"], [1, 2], [3, 4]], r"x\.xlsx has 2 columns named 'a' \(columns 1, 2\)"),
        ([["a", "b"], [1, 2], [], [3, 4]], r"x\.xlsx, row 3 is blank; remove it"),
        (
            [[], ["a", "b"], [1, 2]],
            r"x\.xlsx, row 1 is blank; remove it, or pass --skip-lines 1: the",
        ),
        (
            [["a", "b"], [1, 2], [1, 2, None, "x"]],
            r"x\.xlsx, row 3, column D holds a value, but row 1 ends in column B; write a name",
        ),
        (
            [["a", "b"], [1, 2], [1, "#DIV/0!"]],
            r"x\.xlsx, row 3, column B holds the error #DIV/0!; mend the formula",
        ),
    ],
)
def test_bad_sheets(path, rows, message):
    error_of(save(path, rows), message)


def test_rows_without_end(path):
    save(path, NUMBERS)
    far = b'<row r="900000000"><c r="A900000000"><v>1</v></c></row></sheetData>'
    with_part(path, "xl/worksheets/sheet1.xml", lambda xml: xml.replace(b"</sheetData>", far))
    error_of(path, r"x\.xlsx has more than 1,048,576 rows\.")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is not a valid Excel workbook: File is not a zip file"),
        (b"a,b\n1,2\n", "is not a valid Excel workbook: File is not a zip file"),
        (
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" * 9,
            "is an old .xls file or locked by a password; save",
        ),
    ],
)
def test_no_workbook(path, content, message):
    path.write_bytes(content)
    error_of(path, message)


def test_another_archive(path):
    np.savez(path, X=np.eye(3))
    path.with_suffix(".xlsx.npz").rename(path)
    error_of(path, r"is not a valid Excel workbook: There is no item named '\[Content_Types")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("[Content_Types].xml", "<a/>")
    error_of(path, r"is not a valid Excel workbook: File contains no valid workbook part\.")


@pytest.mark.parametrize("part", ["xl/workbook.xml", "xl/worksheets/sheet1.xml", "xl/styles.xml"])
def test_damaged_parts(path, part):
    save(path, NUMBERS)
    with_part(path, part, lambda xml: xml[:60] + b"<<&&" + xml[64:])
    error_of(path, r"x\.xlsx is not a valid Excel workbook")


def test_cut_short(path):
    save(path, NUMBERS)
    path.write_bytes(path.read_bytes()[:-40])
    error_of(path, r"x\.xlsx is not a valid Excel workbook")


def test_a_bomb(path):
    save(path, NUMBERS)
    with_part(path, "xl/worksheets/sheet1.xml", lambda xml: xml + b" " * 20_000_000)
    error_of(path, r"x\.xlsx unpacks to 19\.1 MiB from 19\.\d KiB, far more than a spreadsheet")


def test_a_bomb_by_another_name(path):
    """What a workbook calls its parts is up to whoever writes it."""
    save(path, NUMBERS)
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/sharedStrings.bin", b"<si><t>abcdefgh</t></si>" * 1_000_000)
    error_of(path, r"x\.xlsx unpacks to 22\.9 MiB from .* KiB, far more than a spreadsheet")


def test_a_sheet_too_large_for_memory(path, monkeypatch):
    save(path, NUMBERS)
    monkeypatch.setattr(memory, "available_bytes", lambda: 1000)
    with pytest.raises(MemoryError, match=r"Reading .*x\.xlsx, which unpacks to .* KiB, needs"):
        read_table(path)


def test_excel_needs_a_package(path, monkeypatch):
    save(path, NUMBERS)
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    error_of(path, r'needs openpyxl; run: pip install "kgroups\[excel\]", or save the sheet as CSV')


def test_a_stream_is_read_from_where_it_stands(path):
    """What standard input holds."""
    from kgroups.input.table_files.excel import read_excel

    save(path, NUMBERS)
    assert read_excel(io.BytesIO(path.read_bytes()), "x").names == ("a", "b")


# --- titles, hidden and merged cells ---------------------------------------------------------

TABLE = [["a", "b"], *([i, 2 * i] for i in range(4))]


@pytest.mark.parametrize(
    ("above", "match"),
    [
        (
            [["Title"]],
            "row 2, column B holds a value, but .* if row 1 is a title, pass --skip-l.* 1;",
        ),
        ([["Title"], []], "row 2 is blank; remove it, or pass --skip-lines 1-2: the table"),
        ([[], [], []], "row 1 is blank; remove it, or pass --skip-lines 1-3: the table"),
    ],
)
def test_rows_above_the_table(path, above, match):
    save(path, [*above, *TABLE])
    error_of(path, match)
    text = TextFormat(skip_lines=tuple(range(1, len(above) + 1)))
    found = read_table(path, text=text)
    assert_array_equal(found.numbers([0, 1]), np.outer(range(4), [1, 2]))
    assert found.where(0) == f"row {len(above) + 2}"
    assert list(found.as_text())[1] == ["1", "2"]
    error_of(path, "--skip-lines 99 names none of them", text=TextFormat(skip_lines=(99,)))


def test_rows_to_be_skipped_besides_others(path):
    save(path, [["Title"], ["a", "b"], ["cm", "kg"], [1, 2], [3, 5]])
    error_of(path, "pass --skip-lines 1,3; else", text=TextFormat(skip_lines=(3,)))


def test_a_triangle_in_a_sheet(path):
    error_of(save(path, [[0.5], [1, 2], [3, 4, 5]]), "looks like the lower triangle of a matrix")


def changed(path, change):
    """The table, after a change of the sheet."""
    book = openpyxl.load_workbook(save(path, [["Title"], *TABLE]))
    change(book.active)
    book.save(path)
    return read_table(path, text=TextFormat(skip_lines=(1,)))


def test_hidden_rows_and_columns_are_noted(path):
    def hide(sheet):
        sheet.auto_filter.ref = "A2:B6"
        for row in (1, 4, 5, 9):  # one is skipped, and one is below the table
            sheet.row_dimensions[row].hidden = True
        sheet.column_dimensions["B"].hidden = True
        sheet.column_dimensions["D"].hidden = True

    _, rows, columns = changed(path, hide).notes
    assert "2 rows of" in rows
    assert "are hidden, as by a filter, and read like the others; --skip-lines 1,4-5 leaves" in rows
    assert "1 column of" in columns
    assert "('b') is hidden and read like the others; --drop leaves columns out" in columns


def test_merged_cells_are_noted(path):
    def merge(sheet):
        sheet.merge_cells("A1:B1")  # the title, which is skipped
        sheet.merge_cells("B3:B5")

    found = changed(path, merge)
    assert_array_equal(found.columns[1], [0, np.nan, np.nan, 6])
    assert found.notes[1].startswith("cells B3:B5 of ")
    assert "are merged: only the first of them holds a value" in found.notes[1]
    assert found.gaps == found.notes[1]


# --- entities --------------------------------------------------------------------------------

BOMB = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>'


@pytest.mark.parametrize("part", ["xl/workbook.xml", "xl/worksheets/sheet1.xml"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_entities_are_refused_before_they_are_read(path, monkeypatch, part, encoding):
    def bomb(content):
        text = content.decode()
        begin = text.index("?>") + 2 if text.startswith("<?xml") else 0
        return f"{' ' * 999_995}{BOMB}{text[begin:]}".encode(encoding)

    save(path, [["a", "b"], ["x", 1], ["y", 2]])
    with_part(path, part, bomb)
    monkeypatch.setattr(openpyxl, "load_workbook", None)
    error_of(path, f"x.xlsx: its part '{part}' declares a document type or entities")


def test_tags_of_any_length_are_read_in_time_in_proportion_to_it(path):
    begin = time.perf_counter()
    save(path, NUMBERS)
    long = b"<row x=\"'" + b"a" * 40_000 + b'" '
    with_part(path, SHEET, lambda content: content.replace(b"<row ", long, 1))
    assert read_table(path).n_rows == 2
    assert time.perf_counter() - begin < 3  # 8 s, where each letter is a start of its own


def test_pictures_may_name_their_document_type(path):
    save(path, NUMBERS)
    picture = b'<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "svg11.dtd"><svg/>'
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("xl/media/image1.svg", picture)
    assert read_table(path).n_rows == 2
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("xl/media/image2.svg", BOMB)
    error_of(path, "its part 'xl/media/image2.svg' declares")
