"""Whole fits of sparse rows: W and labels of the dense rows, for all ways of a fit."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sparse_cases import counts_with_topics

from kgroups import KernelKGroups
from kgroups.bounds import spectral_bound
from kgroups.fit.plan import size_of
from kgroups.input.spaces import space_for
from kgroups.metrics import same_partition
from kgroups.select import choose_n_clusters
from kgroups.semimetrics import Energy
from kgroups.stats import energy_distance, energy_test, within_dispersion


def test_a_function_gets_the_rows_that_were_given():
    table, topic = counts_with_topics(2)
    rows = csr_array(table)

    def topics(X, k, rng):
        assert X is rows
        return topic

    found = KernelKGroups(3, init=topics).fit(rows)
    assert same_partition(found.labels_, KernelKGroups(3, init=topic).fit(table).labels_)


def test_statistics_and_bounds_are_those_of_the_dense_rows():
    table, topic = counts_with_topics(6)
    rows = csr_array(table)
    for metric in ("energy", Energy(2), "manhattan"):
        expected = energy_distance(table[topic == 0], table[topic == 1], metric=metric)
        made = energy_distance(rows[topic == 0], rows[topic == 1], metric=metric)
        assert made == pytest.approx(expected, rel=1e-9)
        mixed = energy_distance(rows[topic == 0], table[topic == 1], metric=metric)
        assert mixed == pytest.approx(expected, rel=1e-9)
        made = within_dispersion(rows, topic, metric=metric)
        assert made == pytest.approx(within_dispersion(table, topic, metric=metric), rel=1e-9)
    parts = [rows[topic == j] for j in range(2)]
    dense = [table[topic == j] for j in range(2)]
    assert energy_test(*parts, random_state=0).pvalue == energy_test(*dense, random_state=0).pvalue
    assert spectral_bound(rows, 3) == pytest.approx(spectral_bound(table, 3), rel=1e-9)


def test_the_number_of_clusters():
    table, _ = counts_with_topics(9, n=90)
    found = choose_n_clusters(csr_array(table), range(1, 6), random_state=0)
    assert found.n_clusters == 3


def test_what_a_plan_counts():
    """Entries instead of columns, and the columns that two rows share."""
    rows = csr_array(np.array([[1.0, 1.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 1.0]]))
    size = size_of(space_for("energy"), rows, 2, 1)
    assert size.n_columns == 2
    assert size.n_shared == pytest.approx((4 + 1 + 1 + 1) / 9)
    assert size.matrix_free_bytes(2) < 10_000_000
