"""Columns of a table as features."""

import io
import json
import sys

import numpy as np
import pandas as pd
import pytest

from kgroups.cli import main
from kgroups.cli.column_scales import standardized

VERSIONS = ["1.1", "1.1", "1.10", "1.10", "2", "10", "2", "10"]
WITH_VERSIONS = "g,x\n" + "".join(f"{g},{x}\n" for x, g in enumerate(VERSIONS))


def test_standardize_does_not_overflow():
    """An outlier of 1e200 has a square that no float holds; it is an outlier all the same."""
    scaled, constant = standardized(np.array([[2.0], [1e200], [5.0], [3.0]]))
    expected = np.array([[-1.0], [3.0], [-1.0], [-1.0]]) / np.sqrt(3)
    np.testing.assert_allclose(scaled, expected, rtol=1e-12)
    assert constant == []


@pytest.mark.parametrize("unit", [1e-320, 1e-200, 1e308])
def test_standardized_at_any_scale(unit):
    scaled, constant = standardized(unit * np.array([[1.0], [-1.0], [1.0], [-1.0]]))
    assert scaled[:, 0].tolist() == [1.0, -1.0, 1.0, -1.0]
    assert constant == []


def test_samples_classes_and_categories_are_those_of_the_file(tmp_path, capsys):
    """1.1 is not 1.10 and 01234 not 1234; in a file of numbers, they are numbers."""
    path = tmp_path / "t.csv"
    path.write_text(WITH_VERSIONS)
    test = ["test", str(path), "--by", "g", "--permutations", "9", "--json"]
    assert main(test) == 0
    assert json.loads(capsys.readouterr().out)["groups"] == ["1.1", "1.10", "2", "10"]
    path.write_text("zip,x\n01234,1\n01234,2\n1234,8\n1234,9\n")
    cluster = ["cluster", str(path), "-k", "2", "--json"]
    assert main([*cluster, "--label-column", "zip"]) == 0
    assert json.loads(capsys.readouterr().out)["scores"]["ari"] == 1.0
    assert main([*cluster, "--categorical", "zip"]) == 0
    apart = json.loads(capsys.readouterr().out)["sets_apart"]
    assert {row["value"] for rows in apart for row in rows if row["column"] == "zip"} == {
        "01234",
        "1234",
    }


def test_samples_of_standard_input_and_of_files_of_numbers(tmp_path, capsys, monkeypatch):
    options = ["--by", "g", "--permutations", "9", "--json"]
    stdin = io.TextIOWrapper(io.BytesIO(WITH_VERSIONS.encode()))
    monkeypatch.setattr(sys, "stdin", stdin)
    assert main(["test", "-", *options]) == 0
    assert len(json.loads(capsys.readouterr().out)["groups"]) == 4
    path = tmp_path / "t.parquet"
    pd.DataFrame({"g": [float(g) for g in VERSIONS], "x": range(8)}).to_parquet(path)
    assert main(["test", str(path), *options]) == 0
    assert json.loads(capsys.readouterr().out)["groups"] == ["1.1", "2", "10"]
