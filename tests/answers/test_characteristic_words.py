"""Words that set clusters apart, and rows that stand for them."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from kgroups.answers.characteristic_words import Words, characteristic_words
from kgroups.answers.profiles import Grouping
from kgroups.report.cluster_profile import deviations
from kgroups.report.exemplars import N_EXEMPLARS, exemplars
from kgroups.semimetrics import Energy
from kgroups.semimetrics.callables import PairFunction

pytestmark = pytest.mark.nojit

ROWS = np.array([[2.0, 0, 1, 0], [4, 0, 1, 0], [0, 3, 1, 0], [0, 5, 1, 0]])
LABELS = np.array([0, 0, 1, 1])


def words(rows):
    return Words(csr_array(rows), lambda column: f"w{column}")


def test_clusters_without_weight_and_without_words():
    found = characteristic_words(words(ROWS), LABELS, np.array([0.0, 0, 1, 1]), 3)
    assert found == [(), (), ()]  # all that has weight is one cluster


def test_ties_go_to_the_first_column_and_wide_rows_take_no_memory():
    columns = np.array([10**11, 5, 10**12 - 1, 7])
    rows = csr_array((np.ones(4), columns, np.array([0, 2, 4])), shape=(2, 10**12))
    found = characteristic_words(Words(rows, str), np.array([0, 1]), np.ones(2), 2)
    assert [one.word for one in found[0]] == ["5", str(10**11)]


def test_the_nearest_to_the_center_come_first():
    values = np.array([0.0, 1, 2, 10, 100, 101, 103, 1])
    texts = [f"{v:g}" for v in values]
    labels = np.array([0, 0, 0, 0, 1, 1, 1, 0])
    metric = PairFunction(lambda a, b: abs(a - b))
    found = exemplars(metric, values.tolist(), texts, labels, np.ones(8), 3)
    # Sums of distances in the first cluster: 14, 11, 13, 38 and again 11 of an equal text.
    assert found[0] == ((2, "1"), (3, "2"), (1, "0"), (4, "10"))
    assert found[1] == ((6, "101"), (5, "100"), (7, "103"))
    assert found[2] == ()
    assert all(len(cluster) <= N_EXEMPLARS for cluster in found)


def test_weights_move_the_center_and_rows_without_weight_are_not_shown():
    values = [0.0, 1.0, 2.0]
    metric = PairFunction(lambda a, b: abs(a - b))
    weights = np.array([1.0, 0, 5])
    (found,) = exemplars(metric, values, ["a", "b", "c"], np.zeros(3, int), weights, 1)
    assert found == ((3, "c"), (1, "a"))
    assert exemplars("precomputed", values, ["a"] * 3, np.zeros(3, int), weights, 1) == [()]


def test_large_clusters_are_sampled():
    asked = []

    class Counting(Energy):
        def pairwise(self, X, Y=None):
            asked.append(len(X))
            return super().pairwise(np.asarray(X))

    items = [[float(i)] for i in range(1001)]
    texts = [str(i) for i in range(1001)]
    (found,) = exemplars(Counting(), items, texts, np.zeros(1001, int), np.ones(1001), 1)
    assert asked == [200]
    assert abs(int(found[0].text) - 500) < 5


def test_gaps_do_not_deviate():
    nan = np.nan
    table = np.array([[0.0, 1.0], [nan, 1.0], [4.0, nan], [8.0, nan]])
    found = deviations(Grouping(LABELS, np.ones(4), 2), table, ["a", "b"])
    present = np.array([0.0, 4.0, 8.0])
    first = (0.0 - present.mean()) / present.std()
    second = (6.0 - present.mean()) / present.std()
    assert [name for name, _ in found[0]] == ["a"]
    assert found[0][0].sds == pytest.approx(first)
    assert found[1][0].sds == pytest.approx(second)
