"""The command ``kgroups choose-k``: what it computes and draws."""

import json

import numpy as np
import pytest

from helpers import write_csv
from kgroups.select import choose_n_clusters
from kgroups.semimetrics import ColumnSum, Energy, Hamming

COMMAND = "choose-k"

CRITERIA = ["separation", "gap", "prediction strength", "silhouette", "eigengap"]
# Three clusters of 20 points, in a column of its own their names.
X = np.random.default_rng(0).normal(size=(60, 2)) + 12.0 * np.array([[0, 0], [1, 0], [0, 1]] * 20)
KINDS = ["a", "b", "c"] * 20


def write_table(path, names, rows):
    return write_csv(path, [names, *rows])


@pytest.fixture
def three(folder):
    """three.csv with two features and the names of the clusters."""
    rows = [[*x, kind] for x, kind in zip(X.tolist(), KINDS, strict=True)]
    return write_table(folder / "three.csv", ["x", "y", "kind"], rows)


def found_json(run, *arguments):
    status, out, err = run(*arguments, "--json")
    assert (status, err) == (0, "")
    return json.loads(out)


def assert_same(found, count):
    """Every number of the report is that of the Python call."""
    assert found["n_clusters"] == count.n_clusters
    assert found["votes"] == count.votes
    assert list(found["criteria"]) == CRITERIA
    for criterion in count.criteria:
        assert found["criteria"][criterion.name] == criterion.to_dict()


# --- what comes out --------------------------------------------------------------------------


def test_columns_are_standardized_and_categories_compared(three, run):
    options = ("--columns", "x", "--categorical", "kind", "--standardize", "--k-max", 3)
    found = found_json(run, three, *options)
    x = X[:, 0]
    table = np.column_stack([(x - x.mean()) / x.std(), np.arange(60) % 3])
    metric = ColumnSum([(Energy(), [0]), (Hamming(), [1])])
    assert_same(found, choose_n_clusters(table, range(1, 4), metric=metric, random_state=0))
    assert found["n_features"] == 2


def test_a_matrix_with_a_column_of_classes(folder, run):
    rho = Energy().pairwise(X)
    rows = [[*row, kind] for row, kind in zip(rho.tolist(), KINDS, strict=True)]
    name = write_table(folder / "rho.csv", [*(f"d{i}" for i in range(60)), "kind"], rows)
    options = ("--metric", "precomputed", "--label-column", "kind", "--k-max", 3)
    found = found_json(run, name, *options)
    count = choose_n_clusters(rho, range(1, 4), metric="precomputed", random_state=0)
    assert_same(found, count)
    assert (found["n_clusters"], found["n_features"], found["n_classes"]) == (3, None, 3)
