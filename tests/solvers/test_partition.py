"""What all solvers share: the state they begin with, the record of sweeps, and the answer."""

import numpy as np
import pytest

from helpers import each, weighted_problem
from kgroups.gram import DenseGram
from kgroups.solvers import Hartigan, Problem, Scale, Status
from kgroups.solvers import objective as spec
from kgroups.solvers.partition import Record, begin, largest_first, magnitude, value
from kgroups.testing import check_partition

pytestmark = pytest.mark.nojit


def test_clusters_are_numbered_by_weight_and_then_by_first_member():
    """Clusters 0 and 2 weigh the same; the first member of 0 has no weight, so 2 comes first."""
    labels = np.array([0, 2, 0, 1, 1])
    weights = np.array([0.0, 1.0, 1.0, 2.0, 2.0])
    weight = np.bincount(labels, weights=weights)
    assert largest_first(labels, weights, weight).tolist() == [1, 2, 0]


@pytest.fixture
def line(four_points):
    return Problem(four_points, np.ones(4), 2)


def move(work, problem, point, target):
    """A sweep by hand: one point moves, and everything is computed anew."""
    state, k = work.state, problem.n_clusters
    state.labels[point] = target
    G, w = problem.gram.to_dense(), problem.weights
    state.weight[:] = spec.cluster_weights(state.labels, w, k)
    state.within[:] = spec.within(G, state.labels, w, k)
    work.sums = problem.gram.running_sums(state.labels, w, k)


def test_a_state_by_hand(line):
    work = begin(line, [0, 1, 1, 1])
    state = work.state
    assert state.members.tolist() == [1, 3]
    assert state.weight.tolist() == [1.0, 3.0]
    assert state.within.tolist() == [0.0, -22.0]  # distances 9, 11 and 2, each counted twice
    assert state.growth == 1.0
    assert value(state) == pytest.approx(-22 / 3)
    assert magnitude(state) == pytest.approx(22 / 3)


def test_without_ratio_the_objective_is_the_sum_of_q(line):
    work = begin(line, np.array([0, 1, 1, 1]), ratio=False)
    assert work.state.weight.tolist() == [1.0, 1.0]
    assert value(work.state) == -22.0
    found = Record(line, work).finish(Status.CONVERGED)
    assert found.objective == -22.0
    assert found.together == line.gram.to_dense().sum()


def test_points_without_weight_are_no_members():
    gram = DenseGram(np.eye(4))
    work = begin(Problem(gram, np.array([1.0, 0.0, 2.0, 0.0]), 3), np.array([0, 0, 1, 2]))
    assert work.state.members.tolist() == [1, 1, 0]
    assert work.state.weight.tolist() == [1.0, 2.0, 0.0]
    assert value(work.state) == 1.0 + 4.0 / 2.0


def test_the_given_labels_are_copied_and_the_given_sums_are_used(line):
    labels = np.array([0, 0, 1, 1])
    sums = line.gram.running_sums(labels, line.weights, 2)
    work = begin(line, labels, sums)
    work.state.labels[0] = 1
    assert labels.tolist() == [0, 0, 1, 1]
    assert work.sums is sums


def test_the_record_counts_sweeps_and_moves(line):
    """From {0,10},{1,12} with 10.5 by 10 and 1 changing sides to {0,1},{10,12} with 1.5."""
    work = begin(line, np.array([0, 1, 0, 1]))
    record = Record(line, work)
    for point, target in [(2, 1), (1, 0)]:
        move(work, line, point, target)
        record.add(1)
    record.add(0)
    found = record.finish(Status.STABLE)
    assert (found.n_iter, found.n_moves, found.status) == (3, 2, Status.STABLE)
    np.testing.assert_allclose(found.history, [-10.5, -22 / 3, -1.5, -1.5], rtol=1e-14)
    assert found.converged
    assert found.labels.tolist() == [0, 0, 1, 1]


def test_work_is_renewed_for_its_own_labels_or_for_others(line):
    work = begin(line, np.array([0, 0, 1, 1]))
    work.state.within[:] = 99.0
    work.renew(line)
    assert work.state.within.tolist() == [-1.0, -2.0]
    work.renew(line, np.array([0, 1, 1, 1]))
    assert work.state.labels.tolist() == [0, 1, 1, 1]
    assert work.state.within.tolist() == [0.0, -22.0]  # −(9 + 11 + 2)


def test_the_answer_is_recomputed_from_the_labels(line):
    """What updates have rounded, here a wrong Q of 99, does not reach the answer."""
    work = begin(line, np.array([0, 0, 1, 1]))
    record = Record(line, work, n_moves=4)
    work.state.within[:] = 99.0
    record.history[:] = [-7.0]
    record.add(1)
    found = record.finish(Status.CONVERGED)
    assert (found.objective, found.history.tolist()) == (-1.5, [-7.0, -1.5])
    assert found.within.tolist() == [-1.0, -2.0]
    assert (found.n_iter, found.n_moves, found.n_clusters) == (1, 5, 2)


def test_rises_do_not_depend_on_the_origin():
    rng = np.random.default_rng(0)
    G, labels, w, k = weighted_problem(rng, 15, 3, "kernel", weighted=True, zeros=False)
    a = rng.normal(size=15)
    one, other = (
        Hartigan().solve(Problem(DenseGram(made), w, k), labels) for made in (G, G + a[:, None] + a)
    )
    assert one.labels.tolist() == other.labels.tolist()
    assert one.together == pytest.approx(w @ G @ w / w.sum())
    assert other.rise == pytest.approx(one.rise)
    np.testing.assert_allclose(other.rises, one.rises)
    assert one.rises[-1] == one.rise


def test_the_largest_cluster_first():
    """Weights 2, 5 and 5: the two heavy ones in the order of their first members."""
    w = np.array([2.0, 5.0, 3.0, 2.0])
    labels = np.array([1, 2, 0, 0])
    gram = DenseGram(np.diag([1.0, 2.0, 3.0, 4.0]))
    problem = Problem(gram, w, 3)
    found = Record(problem, begin(problem, labels)).finish(Status.CONVERGED)
    ordered = found.largest_first(w)
    assert ordered.labels.tolist() == [2, 0, 1, 1]
    assert ordered.weight.tolist() == [5.0, 5.0, 2.0]
    assert ordered.within.tolist() == [50.0, 27.0 + 16.0, 4.0]
    assert ordered.objective == found.objective
    check_partition(ordered, gram.to_dense(), w, 3)
    assert found.labels.tolist() == labels.tolist()


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


def test_by_hand():
    assert Scale()(7.5) == 7.5
    assert Scale(2.0, 1.0)(10.0) == 21.0
    assert Scale(2.0, 1.0)(np.array([0.0, -1.0])).tolist() == [1.0, -1.0]


def test_after_is_the_first_and_then_the_second():
    """3 (2x + 1) + 5 = 6x + 8, and the other way round 2 (3x + 5) + 1 = 6x + 11."""
    one, other = Scale(2.0, 1.0), Scale(3.0, 5.0)
    assert [other.after(one)(rise) for rise in (0.0, 1.0)] == [8.0, 14.0]
    assert [one.after(other)(rise) for rise in (0.0, 1.0)] == [11.0, 17.0]
    assert Scale(1e200).after(Scale(1e200))(0.0) == 0.0, "units whose product overflows"


@each("seed", range(5))
def test_maps_compose(seed):
    a, b, c, d, e, f, x = np.random.default_rng(seed).normal(size=7)
    first, second, third = Scale(a, b), Scale(c, d), Scale(e, f)
    assert third.after(second).after(first)(x) == pytest.approx(third(second(first(x))))
    assert third.after(second.after(first))(x) == pytest.approx(third(second(first(x))))
