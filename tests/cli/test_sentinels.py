"""Numbers of nines that stand for a missing value."""

import numpy as np
import pandas as pd
import pytest

from kgroups.cli import main
from kgroups.cli.sentinels import sentinels
from kgroups.input.table_files import Table
from kgroups.input.table_files.text_format import TextFound


def noted(numbers, **changes):
    column = np.array(numbers, dtype=float)
    text = TextFound(delimiter=",", encoding="utf-8", decimal=None, na_values=())
    settings = {"lines": np.arange(len(column)), "text": text, **changes}
    return sentinels(
        Table(source="t.csv", names=("a",), columns=(column,), has_header=True, **settings), [0]
    )


@pytest.mark.parametrize(
    ("numbers", "found"),
    [
        ([-999, 1, 2.5, -999, 3, -999, 4, -999], ["-999 in 4 rows"]),
        ([99, 31, 45, 99, 70], []),  # 29 from ages that spread over 39
        ([99, 1, 5, 99, 3], ["99 in 2 rows"]),
        ([9999, 12, 880, 9999], ["9999 in 2 rows"]),
        ([99999, 12, 880, 99999, np.nan], ["99999 in 2 rows"]),
        ([9, 0, 1, 9], ["9 in 2 rows"]),
        ([9, 1, 2, 3, 4, 5, 9], []),  # a scale from 1 to 10
        ([9, 1, 5, 9], []),
        ([-9, -9, 1, 2, 3], ["-9 in 2 rows"]),
        ([-999, 1, 2, 3], []),  # once
        ([999, 0, 999, 0], []),  # two answers
        ([-999, -999, -99, -99, 1, 2], ["-999 in 2 rows", "-99 in 2 rows"]),
        ([-999, -999, 999, 999, 1, 2], ["-999 in 2 rows", "999 in 2 rows"]),
        ([-1000, -1000, 1, 2], []),
        ([np.inf, 999, 999, 1, 2], ["999 in 2 rows"]),
        ([np.nan, np.nan], []),
    ],
)  # fmt: skip
def test_columns_by_hand(numbers, found):
    expected = [
        f"column 'a' is {words}, far from all others; --na-values {words.split()[0]} takes it for "
        "missing"
        for words in found
    ]
    assert noted(numbers) == expected


def test_columns_of_true_and_false_and_of_other_files():
    assert noted([9, 0, 1, 9], booleans=frozenset({0})) == []
    assert noted([9, 0, 1, 9], lines=None, text=None)[0].endswith("missing value, write none there")


def test_what_is_advised_does_it(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "300")
    path = tmp_path / "t.csv"
    path.write_text("a,b\n-999.0,1\n2,3\n-999,8\n4,7\n5,9.5\n")
    command = ["cluster", str(path), "-k", "2"]
    assert main(command) == 0
    advice = "column 'a' is -999 in 2 rows, far from all others; --na-values -999 takes it"
    assert advice in capsys.readouterr().err
    assert main([*command, "--na-values", "-999", "--impute", "mean"]) == 0
    err = capsys.readouterr().err
    assert "2 missing numbers" in err
    assert "far from" not in err
    pd.read_csv(path).to_parquet(tmp_path / "t.parquet")
    assert main(["cluster", str(tmp_path / "t.parquet"), "-k", "2"]) == 0
    assert "write none there" in capsys.readouterr().err


def test_a_matrix_of_distances_has_no_missing_values(tmp_path, capsys):
    path = tmp_path / "d.csv"
    path.write_text("0,1,999,999\n1,0,999,999\n999,999,0,1\n999,999,1,0\n")
    assert main(["cluster", str(path), "-k", "2", "--metric", "precomputed"]) == 0
    assert "999" not in capsys.readouterr().err
