"""What there is to cluster."""

import numpy as np

from kgroups.solvers import Problem


def test_total_weight(four_points):
    assert Problem(four_points, np.array([0.5, 0.0, 2.0, 1.0]), 2).total_weight == 3.5


def test_another_number_of_threads_is_the_only_change(four_points):
    table = np.zeros((4, 1))
    problem = Problem(four_points, np.ones(4), 3, origin_is_free=True, table=table)
    wide = problem.with_threads(4)
    assert (wide.gram.n_threads, problem.gram.n_threads) == (4, 1)
    assert wide.gram.matrix is four_points.matrix
    assert (wide.weights is problem.weights, wide.table is table) == (True, True)
    assert (wide.n_clusters, wide.origin_is_free) == (3, True)
