"""Titles, a header of several lines, totals, and lines that are data in only one of two files."""

import pytest

from kgroups.cli import main


def said_of(capsys, *arguments):
    assert main([*arguments]) == 1
    return " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize("word", ["Total", "Summe:", "MEAN"])
def test_a_total_is_not_a_point(folder, capsys, word):
    (folder / "x.csv").write_text(f"x,y\n1.5,2\n2.5,3\n9,8\n{word},13\n")
    said = said_of(capsys, "cluster", "x.csv", "-k", "2")
    assert f"line 5, the last one, holds '{word}'" in said
    assert "pass --skip-lines 5" in said
    assert "--na-values" not in said
    assert main(["cluster", "x.csv", "-k", "2", "--skip-lines", "5"]) == 0


def test_units_a_total_and_names_at_once(folder, capsys):
    (folder / "x.csv").write_text("c,x,y\n,cm,kg\na,1,2\nb,2,3\nc,9,8\nTotal,12,13\n")
    assert main(["cluster", "x.csv", "-k", "2"]) == 1
    *_, command = capsys.readouterr().err.splitlines()
    assert command == "kgroups cluster x.csv -k 2 --skip-lines 2,6 --id-column c"
    assert main(["cluster", "x.csv", "-k", "2", "--id-column", "c", "--skip-lines", "2"]) == 0
    assert "--skip-lines 2,6" in " ".join(capsys.readouterr().err.split())


def test_lines_of_one_file_are_not_skipped_in_all(folder, capsys):
    (folder / "x.csv").write_text("x,y\ncm,kg\n1.5,2\n2.5,3\n9,8\n")
    (folder / "y.csv").write_text("x,y\n1,3\n2,3\n7,8\n")
    said = said_of(capsys, "test", "x.csv", "y.csv")
    assert "remove it from x.csv: --skip-lines would leave out that line of every file" in said
    assert "pass --skip-lines 2" in said_of(capsys, "test", "x.csv", "x.csv")


@pytest.mark.parametrize(
    ("above", "skip"),
    [
        ("Measurements of 2024,,\nx,y,z\n", "1"),
        ("Station: Berlin, DE,\nSensor: 5, 6,\nx,y,z\n", "1-2"),
        (",a,b\n,mean,mean\nr,,\n", "2-3"),
    ],
)
def test_titles_and_levels_of_columns(folder, capsys, above, skip):
    (folder / "x.csv").write_text(f"{above}1,1.5,2\n2,1.6,2.5\n3,9,8\n4,9.5,8.5\n")
    said = said_of(capsys, "cluster", "x.csv", "-k", "2")
    assert f"pass --skip-lines {skip}." in said
    assert main(["cluster", "x.csv", "-k", "2", "--skip-lines", skip]) == 0


def test_repeated_names_in_a_header_of_two_lines(folder, capsys):
    (folder / "x.csv").write_text(",a,a\n,mean,std\nr,,\n1,1.5,2\n2,1.6,2.5\n")
    assert "join them into one line" in said_of(capsys, "cluster", "x.csv", "-k", "2")


@pytest.mark.parametrize(
    ("text", "skip"),
    [
        ("x,y\n1,2\n3,4\nSource: DWD\n", "4"),
        ("x,y\n1,2\n3,4\nSource: DWD, 2024\n", "4"),
        ("x,y\n1,2\n3,4\n\n(2 rows affected)\n", "4-5"),
        (" x | y \n---+---\n 1 | 2\n 3 | 4\n(2 rows)\n\n", "2,5"),
    ],
)
def test_footers_and_rules(folder, capsys, text, skip):
    (folder / "x.csv").write_text(text)
    assert f"pass --skip-lines {skip}" in said_of(capsys, "cluster", "x.csv", "-k", "2")
    assert main(["cluster", "x.csv", "-k", "2", "--skip-lines", skip]) == 0
    (folder / "y.csv").write_text("x,y\n1,3\n2,3\n7,8\n7,9\n7,7\n")
    said = said_of(capsys, "test", "y.csv", "x.csv")
    assert "--skip-lines" in said
    assert "every file" in said
