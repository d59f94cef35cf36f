"""From options to a metric on the columns of a table."""

import json

import numpy as np
import pandas as pd

from kgroups.cli import main


def test_a_matrix_with_names_is_read(folder):
    X = np.arange(5.0)[:, None] ** 2
    D, names = np.abs(X - X.T), [f"city {i}" for i in range(5)]
    command = ["cluster", "d.csv", "-k", "2", "--metric", "precomputed"]
    for index in (None, "name"):
        frame = pd.DataFrame(D, index=names, columns=names).rename_axis(index)
        frame.to_csv(folder / "d.csv")
        assert main(command) == 0


# --- text files as they are written elsewhere -----------------------------------------------------

GERMAN = "name;size;rate;note\nr1;1,5;-;a b\nr2;2,5;3,5;c\nr3;8;1.250,5;d\nr4;8,5;9,5;e\n"


def test_a_table_with_decimal_commas_and_dashes(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    path = tmp_path / "de.csv"
    path.write_bytes(GERMAN.encode("latin-1"))
    command = ["cluster", str(path), "-k", "2", "--drop", "note", "--id-column", "name", "--json"]
    options = ["--na-values", "-,missing", "--encoding", "latin-1", "--impute", "mean"]
    assert main([*command, *options]) == 0
    found = capsys.readouterr()
    report = json.loads(found.out)
    assert report["data"]["text"] == {
        "delimiter": ";", "encoding": "latin-1", "decimal": None,
        "na_values": ["-", "missing"], "skip_lines": [], "decimal_commas": ["size", "rate"],
    }  # fmt: skip
    assert "--na-values -,missing" in report["command"]
    # Spelled out, the answer is the same.
    explicit = ["--delimiter", ";", "--decimal", ","]
    assert main([*command, *options, *explicit]) == 0
    found = capsys.readouterr()
    assert json.loads(found.out)["labels"] == report["labels"]


def test_commas_with_two_meanings(tmp_path, capsys, monkeypatch):
    """One column "x,y" of 1.2, 2.2, … would be clustered without a word."""
    monkeypatch.setenv("COLUMNS", "400")
    path = tmp_path / "t.csv"
    path.write_text("x,y\n1,2\n2,2\n3,8\n5,9\n")
    assert main(["cluster", str(path), "-k", "2", "--decimal", ","]) == 1
    assert main(["cluster", str(path), "-k", "2", "--decimal", "."]) == 0
    path.write_text('x,y\n1.500,"2,5"\n1.600,"2,6"\n9.000,"8,6"\n')
    capsys.readouterr()
    assert main(["cluster", str(path), "-k", "2"]) == 1
    capsys.readouterr()
    for delimiter in ([], ["--delimiter", ","]):
        assert main(["cluster", str(path), "-k", "2", "--decimal", ",", "--json", *delimiter]) == 0
        assert '"n_features": 2' in capsys.readouterr().out
