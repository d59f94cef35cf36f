"""--impute: what stands for missing numbers and categories."""

import json

import numpy as np

from helpers import each
from kgroups import KernelKGroups
from kgroups.semimetrics import ColumnSum, Energy, Hamming

COMMAND = "cluster"

CSV = "size,town,color\n1,x,red\n,x,red\n1,,blue\n9,y,\n8,y,blue\n8,,blue\n"
OPTIONS = ["-k", 2, "--categorical", "town,color", "--json"]


def by_hand(size, town, color):
    """The fit of what the option should have made of the table."""
    X = np.column_stack([size, town, color])
    metric = ColumnSum([(Energy(), [0], 1.0), (Hamming(), [1, 2], 2.0)])
    return KernelKGroups(2, metric=metric, random_state=0).fit(X).labels_.tolist()


@each(
    ("how", "size", "town", "color"),
    [
        (
            "most-frequent",
            [1, 1, 1, 9, 8, 8],  # 1 and 8 twice each: the smaller
            [0, 0, 0, 1, 1, 0],  # x and y twice each: the first
            [0, 0, 1, 1, 1, 1],
        ),
        (
            "mean,category",
            [1, 27 / 5, 1, 9, 8, 8],
            [0, 0, 2, 1, 1, 2],
            [0, 0, 1, 2, 1, 1],
        ),
        (
            "mean,most-frequent",
            [1, 27 / 5, 1, 9, 8, 8],
            [0, 0, 0, 1, 1, 0],
            [0, 0, 1, 1, 1, 1],
        ),
    ],
)
def test_what_stands_for_a_missing_value(folder, run, how, size, town, color):
    (folder / "x.csv").write_text(CSV)
    status, out, err = run("x.csv", *OPTIONS, "--impute", how)
    assert status == 0, err
    assert json.loads(out)["labels"] == by_hand(size, town, color)
