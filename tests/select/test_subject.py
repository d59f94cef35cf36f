"""Reading and sampling the rows that criteria use."""

import numpy as np
import pytest

from helpers import each
from kgroups.blocks import from_array
from kgroups.input.rows import RowsInMemory
from kgroups.select import (
    choose_n_clusters,
    prediction_strength,
)
from kgroups.select.subject import Subject
from kgroups.semimetrics import ColumnSum, Energy, Gaussian, Hamming, Manhattan
from select_cases import lumps


def test_a_function_of_two_objects_is_called_once_for_a_pair():
    calls = 0

    def apart(a, b):
        nonlocal calls
        calls += 1
        return abs(a - b)

    line = [*range(15), *range(100, 115)]
    assert choose_n_clusters(line, [1, 2], metric=apart, random_state=0).n_clusters == 2
    assert calls < 30 * 30  # 435 pairs, the diagonal and a few the other way round


@pytest.mark.parametrize("make", [np.random.RandomState, np.random.default_rng])
def test_generators_give_a_new_seed_on_each_call(make):
    state, again = make(0), make(0)
    seeds = [Subject.of(lumps(1), "energy", random_state=state).seed for _ in range(2)]
    assert seeds[0] != seeds[1]
    assert Subject.of(lumps(1), "energy", random_state=again).seed == seeds[0]


def test_a_seed_of_scikit_learn_is_used_up():
    state = np.random.RandomState(0)
    X = lumps(1, n=40)
    first, second = (prediction_strength(X, [2], random_state=state).values for _ in range(2))
    assert not np.array_equal(first, second)
    again = prediction_strength(X, [2], random_state=np.random.RandomState(0)).values
    np.testing.assert_array_equal(first, again)


@each("dtype", [np.float32, np.float64])
@each("most", [50, 2000])
@each(
    "metric",
    ["energy", Gaussian(), Manhattan(), ColumnSum([(Energy(), [1]), (Hamming(), [0])])],
)
def test_rows_of_a_source_are_those_of_the_table(metric, most, dtype):
    X = lumps(2, n=150).round(1).astype(dtype)
    table, source = (
        Subject.of(data, metric, max_samples=most, random_state=4) for data in (X, from_array(X))
    )
    assert (source.n, source.n_given) == (min(most, 300), 300)
    assert source.rows.tolist() == table.rows.tolist()
    assert source.seed == table.seed
    assert source.semimetric == table.semimetric
    assert source.data.dtype == table.data.dtype
    np.testing.assert_array_equal(source.data, table.data)


class Placed(RowsInMemory):
    """Rows that say where they are, and which of them were read."""

    read = ()

    def place(self, row):
        return f"part {row // 100}, row {row % 100}"

    def take(self, index):
        object.__setattr__(self, "read", (*self.read, *index.tolist()))
        return super().take(index)


def test_only_rows_that_are_drawn_are_read():
    rows = Placed(lumps(2, n=3000))
    subject = Subject.of(rows, Manhattan(), max_samples=30, random_state=0)
    assert subject.n_given == 6000
    assert set(subject.rows.tolist()) <= set(rows.read)
    assert len(set(rows.read)) <= 2030  # evenly spaced ones, which settle parameters
