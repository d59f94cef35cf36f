"""Lines of units or descriptions below the column names, and lines that are skipped."""

import json

import openpyxl
import pytest

from kgroups.cli import main, unit_lines
from kgroups.input.table_files import read_table

UNITS = "id,height,mass,sex\n,cm,kg,\n1,1.2,3.4,m\n2,2.2,3.1,f\n3,9,8,m\n4,9.5,7.7,f\n"
SKIP = "If it holds units or descriptions of columns, pass --skip-lines 2"


def error(capsys, *arguments):
    assert main([*map(str, arguments)]) == 1
    return capsys.readouterr().err


@pytest.mark.parametrize("command", ["cluster x.csv -k 2", "choose-k x.csv", "test x.csv x.csv"])
def test_units_are_recognized(folder, capsys, command):
    (folder / "x.csv").write_text(UNITS)
    said = error(capsys, *command.split(), "--drop", "id,sex")
    assert "x.csv, line 2 holds 'cm', 'kg' where the other lines hold numbers." in said
    assert SKIP in said
    assert "--na-values" not in said


def test_a_skipped_line_is_noted_and_recorded(folder, capsys):
    (folder / "x.csv").write_text(UNITS)
    options = ["-k", "2", "--drop", "id,sex", "--json"]
    assert main(["cluster", "x.csv", *options, "--skip-lines", "2", "-o", "o.csv", "--append"]) == 0
    found = json.loads(capsys.readouterr().out)
    (folder / "y.csv").write_text(UNITS.replace(",cm,kg,\n", ""))
    assert main(["cluster", "y.csv", *options]) == 0
    assert found["labels"] == json.loads(capsys.readouterr().out)["labels"]
    assert "line 2 of x.csv is skipped" in found["notes"]
    assert found["data"]["text"]["skip_lines"] == [2]
    assert (folder / "o.csv").read_text().splitlines()[1].startswith("1,1.2,3.4,m,")


def test_samples_by_a_column(folder, capsys):
    (folder / "x.csv").write_text(UNITS)
    assert SKIP in error(capsys, "test", "x.csv", "--by", "sex", "--drop", "id")
    assert main(["test", "x.csv", "--by", "sex", "--drop", "id", "--skip-lines", "2"]) == 0


def test_units_and_categories_at_once(folder, capsys):
    (folder / "x.csv").write_text(UNITS)
    *_, command = error(capsys, "cluster", "x.csv", "-k", 2).splitlines()
    assert command == "kgroups cluster x.csv -k 2 --skip-lines 2 --categorical sex"
    assert main(command.split()[1:]) == 0


def test_two_lines_of_descriptions(folder, capsys):
    (folder / "x.csv").write_text('a,b\n"How tall?","How heavy,\nin kg?"\ncm,kg\n1,2\n3,4\n5,9\n')
    said = error(capsys, "cluster", "x.csv", "-k", 2)
    assert "lines 2 to 4 hold 'How tall?', 'How heavy, in kg?', 'cm', 'kg' where" in said
    assert "--skip-lines 2-4" in said
    assert main(["cluster", "x.csv", "-k", "2", "--skip-lines", "2-4"]) == 0


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("a,b\nunknown,1\n2,3\n4,5\n", "--na-values unknown"),  # b is a number there
        ("a\nunknown\n2\nunknown\n3\n4\n", "--na-values unknown"),  # below, too
        ("a\nunknown\n2\n3\n", "if it stands for a missing value, use --na-values"),
    ],
)
def test_words_for_missing_values_are_not_units(folder, capsys, text, advice):
    (folder / "x.csv").write_text(text)
    assert advice in error(capsys, "cluster", "x.csv", "-k", 2)


def test_units_next_to_decimal_commas(folder, capsys):
    (folder / "x.csv").write_text("a;b\ncm;kg\n1,5;2,5\n3;4,5\n9,5;9,5\n")
    assert SKIP in error(capsys, "cluster", "x.csv", "-k", 2)
    assert main(["cluster", "x.csv", "-k", "2", "--skip-lines", "2"]) == 0
    assert "columns 'a', 'b' have decimal commas" in capsys.readouterr().err


def test_rows_of_a_sheet(folder, capsys):
    book = openpyxl.Workbook()
    for row in (["a", "b", "who"], ["cm", "kg"], [1, 2, "007"], [3, 4, "x"], [9, 9, "y"]):
        book.active.append(row)
    book.save("x.xlsx")
    options = ["x.xlsx", "-k", "2", "--id-column", "who"]
    said = error(capsys, "cluster", *options)
    assert "x.xlsx, row 2 holds 'cm', 'kg' where the other rows hold numbers." in said
    assert main(["cluster", *options, "--skip-lines", "2", "-o", "o.csv"]) == 0
    assert "row 2 of x.xlsx is skipped" in capsys.readouterr().err
    assert (folder / "o.csv").read_text().splitlines()[1].startswith("1,007,")


def test_merged_cells_explain_missing_values(folder, capsys):
    book = openpyxl.Workbook()
    for row in (["a", "b"], [1, 2], [3, 4], [9, 9]):
        book.active.append(row)
    book.active.merge_cells("A2:A3")
    book.active.row_dimensions[4].hidden = True
    book.save("x.xlsx")
    said = error(capsys, "cluster", "x.xlsx", "-k", 2)
    assert "row 3, column 'a' is missing" in said
    assert "Perhaps cells A2:A3 of x.xlsx are merged: only the first of them holds a value" in said
    assert main(["cluster", "x.xlsx", "-k", "2", "--impute", "mean", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert any("1 row of x.xlsx is hidden" in note for note in found["notes"])


def test_names_of_rows_are_not_read_as_numbers_next_to_numbers(folder, monkeypatch):
    (folder / "x.csv").write_text("name,a\nu,1\nv,2\n")
    table = read_table("x.csv")
    monkeypatch.setattr(unit_lines, "is_number", None)
    assert unit_lines.units_of(table, [0, 1]) is None
