"""Whole fits of sparse rows: W and labels of the dense rows, for all ways of a fit."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sparse_cases import counts_with_topics

from kgroups import KernelKGroups
from kgroups.fit.plan import size_of
from kgroups.input.spaces import space_for
from kgroups.metrics import same_partition
from kgroups.select import choose_n_clusters


def test_a_function_gets_the_rows_that_were_given():
    table, topic = counts_with_topics(2)
    rows = csr_array(table)

    def topics(X, k, rng):
        assert X is rows
        return topic

    found = KernelKGroups(3, init=topics).fit(rows)
    assert same_partition(found.labels_, KernelKGroups(3, init=topic).fit(table).labels_)


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
