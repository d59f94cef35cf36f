"""Columns of a table as features, and their scales."""

import io
import json
import sys

import numpy as np
import pandas as pd
import pytest

from helpers import each
from kgroups.cli import main
from kgroups.cli.column_scales import ColumnScales, standardized

VERSIONS = ["1.1", "1.1", "1.10", "1.10", "2", "10", "2", "10"]
WITH_VERSIONS = "g,x\n" + "".join(f"{g},{x}\n" for x, g in enumerate(VERSIONS))


def test_standardize_does_not_overflow():
    """An outlier of 1e200 has a square that no float holds; it is an outlier all the same."""
    scaled, constant = standardized(np.array([[2.0], [1e200], [5.0], [3.0]]))
    expected = np.array([[-1.0], [3.0], [-1.0], [-1.0]]) / np.sqrt(3)
    np.testing.assert_allclose(scaled, expected, rtol=1e-12)
    assert constant == []


@each("unit", [1e-320, 1e-200, 1e308])
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


# --- followed for new rows -------------------------------------------------------------------

X = np.array([[1.0, 5.0, 1e200], [3.0, 5.0, 3e200]])


@pytest.mark.nojit
def test_scales_by_hand():
    """Means 2 and 2e200, standard deviations 1 and 1e200; the constant column is 0."""
    scales = ColumnScales.of(X)
    assert scales.constant == [1]
    np.testing.assert_allclose(scales.mean * scales.unit, [2.0, 5.0, 2e200])
    assert scales.applied(X).tolist() == [[-1.0, 0.0, -1.0], [1.0, 0.0, 1.0]]
    new = scales.applied(np.array([[4.0, 7.0, 2e200]]))
    np.testing.assert_allclose(new, [[2.0, 0.0, 0.0]], atol=1e-15)


@pytest.mark.nojit
def test_rows_of_the_fit_get_the_same_bits_one_by_one():
    X = np.random.default_rng(0).normal(size=(50, 4)) * [1.0, 1e-3, 7.0, 1e9]
    scaled, constant = standardized(X)
    scales = ColumnScales.of(X)
    assert constant == []
    assert scales.applied(X).tobytes() == scaled.tobytes()
    one_by_one = np.concatenate([scales.applied(row[None]) for row in X])
    assert one_by_one.tobytes() == scaled.tobytes()
    np.testing.assert_allclose(scaled.mean(axis=0), 0.0, atol=1e-14)
    np.testing.assert_allclose(scaled.std(axis=0), 1.0)
