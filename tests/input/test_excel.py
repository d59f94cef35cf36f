"""Sheets of Excel workbooks: what is read, and what is refused before it does harm."""

import datetime as dt
import io
import time
import zipfile

import numpy as np
import openpyxl
import pytest
from numpy.testing import assert_array_equal

from helpers import each
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
    error_of(path, "formula")

    def computed(xml):
        return xml.replace(b"<v></v>", b"<v>7</v>").replace(b"<v />", b"<v>7</v>")

    with_part(path, "xl/worksheets/sheet1.xml", computed)
    assert_array_equal(read_table(path).columns[1], [7, 7])


def test_the_first_sheet_that_is_seen(path):
    save(path, [["h"], [1], [2]], NUMBERS, [["c"], [3], [4]], hidden=[1])
    found = read_table(path)
    assert found.names == ("a", "b")
    named = read_table(path, sheet="s1")
    assert named.names == ("h",)


# --- what is said ----------------------------------------------------------------------------


def test_rows_without_end(path):
    save(path, NUMBERS)
    far = b'<row r="900000000"><c r="A900000000"><v>1</v></c></row></sheetData>'
    with_part(path, "xl/worksheets/sheet1.xml", lambda xml: xml.replace(b"</sheetData>", far))
    error_of(path, r"x\.xlsx has more than 1,048,576 rows\.")


@each("part", ["xl/workbook.xml", "xl/worksheets/sheet1.xml", "xl/styles.xml"])
def test_damaged_parts(path, part):
    save(path, NUMBERS)
    with_part(path, part, lambda xml: xml[:60] + b"<<&&" + xml[64:])
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


def test_a_stream_is_read_from_where_it_stands(path):
    """What standard input holds."""
    from kgroups.input.table_files.excel import read_excel

    save(path, NUMBERS)
    assert read_excel(io.BytesIO(path.read_bytes()), "x").names == ("a", "b")


# --- entities --------------------------------------------------------------------------------

BOMB = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>'


@each("part", ["xl/workbook.xml", "xl/worksheets/sheet1.xml"])
@each("encoding", ["utf-8", "utf-16"])
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


def test_titles_are_skipped_and_merged_cells_are_gaps(path):
    book = openpyxl.load_workbook(save(path, [["Title"], *([i, 2 * i] for i in range(5))]))
    book.active.cell(2, 1, "a")
    book.active.cell(2, 2, "b")
    book.active.merge_cells("A1:B1")
    book.active.merge_cells("B3:B5")
    book.save(path)
    found = read_table(path, text=TextFormat(skip_lines=(1,)))
    assert (found.names, found.where(0)) == (("a", "b"), "row 3")
    assert_array_equal(found.columns[0], [1, 2, 3, 4])
    assert_array_equal(found.columns[1], [2, np.nan, np.nan, 8])
