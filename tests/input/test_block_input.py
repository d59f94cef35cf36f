"""One pass over rows in blocks: what it learns, and which entries it refuses."""

import numpy as np
import pytest

from helpers import each
from kgroups.input.block_input import scanned
from kgroups.input.rows import RowsInMemory
from kgroups.runtime.row_blocks import LocalBlocks
from kgroups.runtime.threads import Threads
from kgroups.semimetrics.units import widened


def place(row):
    return f"file {row // 10}, row {row % 10}"


def scan(X, w=None, *, size=4, k=1, names=None, place=place, n_threads=1):
    where = LocalBlocks(RowsInMemory(X), len(X), size, Threads(n_threads), weights=w)
    return scanned(where, names, place, k)


def table(n=30, d=3):
    return np.random.default_rng(0).normal(size=(n, d))


# --- entries ----------------------------------------------------------------------------------


@each("n_threads", [1, 3])
def test_the_first_entry_that_is_not_a_number_is_named_by_place_row_and_column(n_threads):
    X = table()
    X[27, 0], X[13, 2], X[13, 1], X[14, 0] = np.inf, np.nan, np.nan, np.nan
    with pytest.raises(ValueError, match=r"^file 1, row 3: .*NaN in row 13, column 1 and 3 more"):
        scan(X, n_threads=n_threads)


def test_numbers_whose_sums_may_overflow_are_refused():
    X = table()
    X[7, 1] = -1e100
    with pytest.raises(ValueError, match=r"1e\+100"):
        scan(X)
    X[7, 1] = 0.9e100
    assert scan(X).dtype == np.float64


# --- weights ----------------------------------------------------------------------------------


def test_weights_are_counted_block_by_block():
    w = np.zeros(10)
    w[[1, 2, 9]] = [3.0, 0.5, 2.0]
    found = scan(table(10), w, size=4)
    assert (found.alive, found.heaviest) == ([2, 0, 1], 3.0)
    plain = scan(table(10), size=4)
    assert (plain.alive, plain.heaviest) == ([4, 4, 2], 1.0)


# --- distinct rows ------------------------------------------------------------------------------


def test_rows_that_differ_may_be_in_different_blocks():
    X = np.repeat([0.0, 1.0, 2.0], 8)[:, None]
    for size in (1, 4, 16, 64):
        assert scan(X, k=3, size=size)
        with pytest.raises(ValueError, match="with weight, 3;"):
            scan(X, k=4, size=size)


def test_a_negative_zero_is_a_zero():
    with pytest.raises(ValueError, match="with weight, 1;"):
        scan(np.array([[0.0], [-0.0]]), k=2)


def test_rows_without_weight_are_not_counted():
    X, w = np.arange(4.0)[:, None], np.array([1.0, 0.0, 1.0, 0.0])
    assert scan(X, w, k=2)
    with pytest.raises(ValueError, match="with weight, 2;"):
        scan(X, w, k=3)


# --- types --------------------------------------------------------------------------------------


def single(change):
    X = table(300).astype(np.float32)
    return change(X) if change else X


TABLES = {
    "ordinary": None,
    "far": lambda X: X + np.float32(1e5),
    "small": lambda X: np.float32(2.0**-45) * X,
    "tiny": lambda X: np.float32(2.0**-80) * X,
    "one tiny entry": lambda X: np.where(np.arange(len(X))[:, None] == 77, np.float32(1e-30), X),
    "large": lambda X: np.float32(2.0**60) * X,
    "one large entry": lambda X: np.where(np.arange(len(X))[:, None] == 200, np.float32(1e30), X),
    "constant": np.ones_like,
    "zero": np.zeros_like,
    "one column": lambda X: X[:, :1],
    "few that differ": lambda X: np.where(np.arange(len(X))[:, None] == 123, X, np.float32(1)),
}


@each("kind", list(TABLES))
@each("size", [16, 512])
def test_rows_are_widened_where_those_of_a_table_are(kind, size):
    X = single(TABLES[kind])
    assert scan(X, size=size).dtype == widened(X).dtype


def test_some_tables_are_widened_and_some_are_not():
    wide = {kind: widened(single(change)).dtype == np.float64 for kind, change in TABLES.items()}
    assert wide["tiny"]
    assert wide["large"]
    assert wide["one tiny entry"]
    assert not wide["ordinary"]
    assert not wide["far"]


def test_rows_in_float64_stay_so():
    assert scan(1e-200 * table()).dtype == np.float64
