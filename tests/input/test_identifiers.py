"""Columns that name rows or places, and measurements that do not."""

import numpy as np
import pandas as pd
import pytest
from sklearn import datasets

from helpers import each, reference_folder
from kgroups.input.identifiers import looks_like

RNG = np.random.default_rng(0)
pytestmark = pytest.mark.nojit


@each(
    ("numbers", "name", "found"),
    [
        (np.arange(5) + 10_001, None, "a row number"),
        (RNG.permutation(30) + 1, None, "a row number"),
        (np.delete(np.arange(40), [3, 9, 20]), None, "a row number"),
        (RNG.choice(9 * 10**7, 50, replace=False) + 10**7, None, "an identifier"),
        (RNG.integers(10_000, 99_999, 50), "PLZ", "an identifier"),
        (RNG.integers(1, 40, 50), "customerId", "an identifier"),
        (np.r_[np.nan, RNG.integers(10_000, 99_999, 50)], "order_no", "an identifier"),
        (RNG.integers(1000, 9999, 50) + 0.5, "zip", None),  # not whole
        (-RNG.integers(1000, 9999, 50), "id", None),  # negative
        (RNG.integers(30_000, 90_000, 50), "salary", None),
        (RNG.integers(120, 999, 50), "number", None),  # counts
        (RNG.integers(1, 6, 50), "code", None),  # a category
        (RNG.integers(10_000, 99_999, 50), "number_of_words", None),
        (np.delete(np.arange(12), 5), None, None),  # few, and with a gap
        (np.full(30, 10**9), "humid", None),
        (np.full(30, 7.0), "id", None),
        (RNG.normal(5, 0.1, 50) * 1e20, None, None),  # all numbers as large are whole
        (np.full(3, np.nan), "id", None),
    ],
)
def test_looks_like(numbers, name, found):
    assert looks_like(np.asarray(numbers, float), name) == found


def test_no_false_alarm_in_tables_of_measurements():
    for name in ("breast_cancer", "diabetes", "digits", "iris", "linnerud", "wine"):
        table = getattr(datasets, f"load_{name}")(as_frame=True).frame
        for column in table.columns:
            assert looks_like(table[column].to_numpy(float), str(column)) is None, (name, column)


def test_no_false_alarm_in_public_tables():
    for path in sorted(reference_folder("data", "uci").glob("*.csv")):
        table = pd.read_csv(path, nrows=300).select_dtypes("number")
        for name in table.columns:
            assert looks_like(table[name].to_numpy(float), name) is None, (path.name, name)
