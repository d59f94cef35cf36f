"""Every partition is tried: the optimum against a loop over all labelings."""

import itertools

import numpy as np
import pytest

from helpers import each, weighted_problem
from kgroups.gram import DenseGram
from kgroups.metrics import same_partition
from kgroups.solvers import Exhaustive, Problem, Status
from kgroups.solvers import objective as spec
from kgroups.testing import check_partition

pytestmark = pytest.mark.nojit


def best_of_all(G, w, k):
    """The largest objective over all labelings in which no cluster is empty."""
    return max(
        spec.objective(G, np.array(labels), w, k)
        for labels in itertools.product(range(k), repeat=len(w))
        if len(set(labels)) == k
    )


@each("kind", ["kernel", "distance", "indefinite"])
@each(("n", "k"), [(5, 1), (6, 2), (6, 3), (5, 5)])
@each("weighted", [False, True])
def test_it_is_the_best_of_all_labelings(kind, n, k, weighted):
    rng = np.random.default_rng(n + k)
    G, labels, w, k = weighted_problem(rng, n, k, kind, weighted=weighted, zeros=False)
    found = Exhaustive().solve(Problem(DenseGram(G), w, k), labels)
    assert found.objective == pytest.approx(best_of_all(G, w, k), rel=1e-12)
    assert len(set(found.labels.tolist())) == k
    assert found.status is Status.OPTIMAL
    assert found.converged
    check_partition(found, G, w, k)


def test_four_points_by_hand(four_points):
    found = Exhaustive().solve(Problem(four_points, np.ones(4), 2), np.zeros(4, np.int64))
    assert same_partition(found.labels, [0, 0, 1, 1])
    assert (found.objective, found.n_iter, found.n_moves) == (-1.5, 0, 0)
