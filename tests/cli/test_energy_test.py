"""The command ``kgroups test``: files and columns that make samples."""

import json

import numpy as np
import pytest
from sklearn.datasets import load_iris

from helpers import write_csv
from kgroups.semimetrics import ColumnSum, Energy, Hamming
from kgroups.stats import energy_test

COMMAND = "test"

NAMES = ["sepal length", "sepal width", "petal length", "petal width"]
IRIS = load_iris()


def write_table(path, names, rows):
    return write_csv(path, [names, *rows])


@pytest.fixture
def two(folder):
    """The second and the third species, a file each."""
    return [
        write_table(folder / f"{t}.csv", NAMES, IRIS.data[IRIS.target == t].tolist())
        for t in (1, 2)
    ]


def test_categories_and_missing_numbers_are_settled_on_all_samples(folder, run):
    a = write_table(folder / "a.csv", ["x", "c"], [[1, "p"], ["", "q"], [3, "q"]])
    b = write_table(folder / "b.csv", ["x", "c"], [[6, "q"], [10, "r"]])
    status, out, _ = run(
        a, b, "--categorical", "c", "--impute", "mean", "--json", "--permutations", 9
    )
    assert status == 0
    X = np.array([[1, 0], [5, 1], [3, 1], [6, 1], [10, 2]])  # (1 + 3 + 6 + 10) / 4 = 5
    metric = ColumnSum([(Energy(), [0]), (Hamming(), [1])])
    expected = energy_test(X[:3], X[3:], metric=metric, n_permutations=9, random_state=0)
    assert json.loads(out)["statistic"] == pytest.approx(expected.statistic, rel=1e-12)


def test_a_matrix_with_a_column_of_groups(folder, run):
    X = IRIS.data[50:110:6]
    groups = ["u"] * 4 + ["v"] * 6
    rows = [[*row, g] for row, g in zip(Energy().pairwise(X).tolist(), groups, strict=True)]
    name = write_table(folder / "rho.csv", [*(f"d{i}" for i in range(10)), "group"], rows)
    status, out, err = run(name, "--by", "group", "--metric", "precomputed", "--json")
    assert (status, err) == (0, "")
    found = json.loads(out)
    assert found["n_features"] is None
    expected = energy_test(X, labels=groups, random_state=0).statistic
    assert found["statistic"] == pytest.approx(expected, rel=1e-12)


def test_columns_that_only_one_file_has_are_left_out_on_request(two, folder, run):
    _, expected, _ = run(*two, "--json", "--permutations", 9)
    rows = [[i, *x, "note"] for i, x in enumerate(IRIS.data[IRIS.target == 2].tolist())]
    other = write_table(folder / "more.csv", ["id", *NAMES, "note"], rows)
    assert run(two[0], other)[0] == 1
    for options in (["--drop", "id,note"], ["--columns", ",".join(NAMES)]):
        status, out, err = run(two[0], other, *options, "--json", "--permutations", 9)
        assert (status, err) == (0, "")
        assert json.loads(out)["statistic"] == json.loads(expected)["statistic"]


def test_the_index_of_pandas_is_not_a_feature_of_samples(two, folder, run):
    _, expected, _ = run(*two, "--json", "--permutations", 9)
    names = []
    for t in (1, 2):
        rows = [[i, *x] for i, x in enumerate(IRIS.data[IRIS.target == t].tolist())]
        names.append(write_table(folder / f"index {t}.csv", ["", *NAMES], rows))
    status, out, _ = run(*names, "--json", "--permutations", 9)
    assert status == 0
    assert json.loads(out)["statistic"] == json.loads(expected)["statistic"]


def test_groups_are_called_what_the_file_calls_them(folder, run):
    rows = [[1, 1234567890123], [2, 1234567890124], [3, 0.5]]
    name = write_table(folder / "d.csv", ["x", "g"], rows * 2)
    _, out, _ = run(name, "--by", "g", "--json", "--permutations", 5)
    assert json.loads(out)["groups"] == ["0.5", "1234567890123", "1234567890124"]
