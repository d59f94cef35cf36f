"""Answers of blocks, put together."""

import numpy as np

from kgroups.certificate.certificate import Step
from kgroups.certificate.open_rows import Known, Looked, OpenRows, joined


def test_answers_of_two_blocks_are_added_up():
    first = Looked([Step(0, 5, 7, 100)], None, np.array([1.0, 3.0]), 0.5)
    second = Looked([Step(0, 2, 2, 40), Step(64, 1, 1, 8)], None, np.array([2.0, 1.0]), 0.25)
    both = Looked.nothing(2).plus(first).plus(second)
    assert both.steps == [Step(0, 7, 9, 140), Step(64, 1, 1, 8)]
    assert both.heaviest.tolist() == [2.0, 3.0]
    assert both.norm == 0.5


def test_places_of_open_rows_count_from_the_first_block():
    def open_rows(numbers, row, cluster):
        n = len(numbers)
        rows, is_open = np.array(numbers, float)[:, None], np.array(numbers) != 8
        of_rows = np.array(numbers), np.zeros(n, int), np.ones(n), rows, is_open
        return OpenRows(*of_rows, np.array(row), np.array(cluster))

    found = joined([open_rows([3, 8], [0, 0, 1], [1, 2, 1]), open_rows([20], [0], [3])])
    assert found.numbers.tolist() == [3, 8, 20]
    assert found.row.tolist() == [0, 0, 1, 2]
    assert found.cluster.tolist() == [1, 2, 1, 3]
    fewer = found.only_open()
    assert fewer.numbers.tolist() == fewer.rows[:, 0].tolist() == [3, 20]
    assert (fewer.row.tolist(), fewer.cluster.tolist()) == ([0, 0, 1], [1, 2, 3])
    assert found.numbers[found.row].tolist() == found.rows[found.row, 0].tolist() == [3, 3, 8, 20]


def test_sums_stand_row_by_row():
    first = Known(np.array([0, 2]), np.array([1, 0]), np.array([5.0, 6.0]), np.array([0.1, 0.2]))
    more = Known(np.array([1, 0]), np.array([1, 0]), np.array([7.0, 8.0]), np.array([0.3, 0.4]))
    both = first.plus(more)
    assert both.row.tolist() == [0, 0, 1, 2]
    assert both.cluster.tolist() == [0, 1, 1, 0]
    assert both.sums.tolist() == [8.0, 5.0, 7.0, 6.0]
    assert both.error.tolist() == [0.4, 0.1, 0.3, 0.2]
    assert both.of(both.row == 0).sums.tolist() == [8.0, 5.0]
