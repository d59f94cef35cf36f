"""--impute: what stands for missing numbers and categories, and what is said about it."""

import json

import numpy as np
import pytest

from kgroups import KernelKGroups
from kgroups.semimetrics import ColumnSum, Energy, Hamming

COMMAND = "cluster"

CSV = "size,town,color\n1,x,red\n,x,red\n1,,blue\n9,y,\n8,y,blue\n8,,blue\n"
OPTIONS = ["-k", 2, "--categorical", "town,color", "--json"]
NAN = float("nan")


def by_hand(size, town, color):
    """The fit of what the option should have made of the table."""
    X = np.column_stack([size, town, color])
    metric = ColumnSum([(Energy(), [0], 1.0), (Hamming(), [1, 2], 2.0)])
    return KernelKGroups(2, metric=metric, random_state=0).fit(X).labels_.tolist()


@pytest.mark.parametrize(
    ("how", "size", "town", "color", "notes"),
    [
        (
            "most-frequent",
            [1, 1, 1, 9, 8, 8],  # 1 and 8 twice each: the smaller
            [0, 0, 0, 1, 1, 0],  # x and y twice each: the first
            [0, 0, 1, 1, 1, 1],
            [
                "1 missing number replaced by the most frequent number of the column (size: 1)",
                "2 missing values of column 'town' replaced by the most frequent one, 'x'",
                "1 missing value of column 'color' replaced by the most frequent one, 'blue'",
            ],
        ),
        (
            "mean,category",
            [1, 27 / 5, 1, 9, 8, 8],
            [0, 0, 2, 1, 1, 2],
            [0, 0, 1, 2, 1, 1],
            [
                "1 missing number replaced by the column mean (size: 1)",
                "2 missing values of column 'town' treated as a category of their own",
                "1 missing value of column 'color' treated as a category of their own",
            ],
        ),
        (
            "mean,most-frequent",
            [1, 27 / 5, 1, 9, 8, 8],
            [0, 0, 0, 1, 1, 0],
            [0, 0, 1, 1, 1, 1],
            ["(size: 1)", "'x'", "'blue'"],
        ),
    ],
)
def test_what_stands_for_a_missing_value(folder, run, how, size, town, color, notes):
    (folder / "x.csv").write_text(CSV)
    status, out, err = run("x.csv", *OPTIONS, "--impute", how)
    assert status == 0, err
    assert json.loads(out)["labels"] == by_hand(size, town, color)
    lines = err.splitlines()
    assert len(lines) == len(notes)
    assert all(note in line for note, line in zip(notes, lines, strict=True))


@pytest.mark.parametrize(
    ("options", "status", "message"),
    [
        ([], 1, "column 'size' is missing (1 of 6); use --impute mean"),
        (["--impute", "mean"], 1, "--impute most-frequent, --impute category"),
        (["--impute", "median"], 2, "one or more of mean, most-frequent, category; got 'median'"),
        (["--impute", "mean,most_frequent"], 2, "Did you mean 'most-frequent'?"),
    ],
)
def test_what_is_refused(folder, run, options, status, message):
    (folder / "x.csv").write_text(CSV)
    found, _, err = run("x.csv", *OPTIONS, *options)
    assert (found, message in err) == (status, True), err


def test_a_category_that_is_missing_everywhere(folder, run):
    (folder / "x.csv").write_text("a,b\n1,\n2,\n9,\n")
    status, _, err = run("x.csv", "-k", 2, "--categorical", "b", "--impute", "category")
    assert (status, "column 'b' is missing in every row; --drop" in err) == (1, True)
