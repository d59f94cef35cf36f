"""Empty clusters of rows in blocks get the rows that a whole table would give them."""

import numpy as np

from helpers import each
from kgroups.runtime.row_blocks import LocalBlocks
from kgroups.runtime.threads import Threads
from kgroups.sketch.block_fill import count_members, fill_empty_clusters
from kgroups.solvers.block_labels import BlockLabels, labels_in
from kgroups.solvers.fill_empty import fill_empty


def given(block, costs, labels):
    """Costs of rows wherever they are."""
    return costs[block.start : block.stop]


def of_label(block, costs, labels):
    """Costs that depend on the clusters."""
    return costs[labels]


def blocks_of(n, size, weights=None):
    return LocalBlocks(None, n, size, Threads(2), weights=weights)


def filled(values, costs, size, k, weights=None, cost=given):
    """Labels of blocks, and whether any row was moved."""
    where = blocks_of(len(values), size, weights)
    labels = BlockLabels.of(where, values, k)
    moved = fill_empty_clusters(where, labels, count_members(where, labels, k), cost, costs)
    return labels, moved


def by_table(values, costs, k, weights):
    """Labels of a table, whose costs count by weight."""
    labels = values.copy()
    fill_empty(labels, weights * costs, weights, k)
    return labels.tolist()


def test_members_are_those_with_weight():
    weights = np.array([1.0, 0.0, 2.0, 0.0, 1.0])
    where = blocks_of(5, 2, weights)
    labels = BlockLabels.of(where, np.array([0, 0, 1, 1, 1]), 3)
    assert count_members(where, labels, 3).tolist() == [1, 2, 0]
    assert labels.at(0).labels is None  # which were told
    plain = BlockLabels.of(blocks_of(5, 2), np.array([0, 0, 1, 1, 1]), 3)
    assert count_members(plain.where, plain, 3).tolist() == [2, 3, 0]


def test_nothing_moves_where_no_cluster_is_empty():
    labels, moved = filled(np.array([0, 1, 0, 1]), np.arange(4.0), 2, 2)
    assert not moved
    assert labels.values.tolist() == [0, 1, 0, 1]


def test_the_costliest_row_that_can_be_spared_fills_a_cluster():
    """The costliest of all is alone in its cluster, the next has no weight."""
    weights = np.array([1.0, 0, 1, 1, 1])
    labels, moved = filled(np.array([0, 1, 1, 1, 1]), np.array([9.0, 8, 2, 3, 1]), 2, 4, weights)
    assert moved
    assert labels.values.tolist() == [0, 1, 3, 2, 1]


def test_of_equal_costs_the_first_row_counts():
    labels, _ = filled(np.array([0, 0, 0, 0, 1, 1]), np.full(6, 2.0), 2, 4)
    assert labels.values.tolist() == [2, 3, 0, 0, 1, 1]
    # Not one more than the cluster can spare.
    labels, _ = filled(np.array([0, 0, 1, 1, 1]), np.full(5, 2.0), 2, 4)
    assert labels.values.tolist() == [2, 0, 3, 1, 1]


def test_weights_count_with_costs():
    weights = np.array([1.0, 10.0, 1.0, 1.0])
    labels, _ = filled(np.zeros(4, int), np.array([5.0, 1.0, 1.0, 1.0]), 2, 2, weights)
    assert labels.values.tolist() == [0, 1, 0, 0]  # 10 · 1 is more than 1 · 5


def test_clusters_stay_empty_where_no_row_can_be_spared():
    labels, moved = filled(np.array([0, 1]), np.ones(2), 1, 5)
    assert not moved
    assert labels.values.tolist() == [0, 1]
    labels, moved = filled(np.array([0, 0, 0]), np.ones(3), 1, 5)
    assert moved
    assert sorted(labels.values.tolist()) == [0, 1, 2]


@each("seed", range(40))
@each("weighted", [False, True])
@each("ties", [False, True])
def test_the_rows_are_those_of_a_table(seed, weighted, ties):
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(2, 40)), int(rng.integers(2, 9))
    values = rng.choice(rng.integers(k, size=3), size=n)  # so that most clusters are empty
    costs = np.round(3 * rng.random(n)) if ties else rng.random(n)
    weights = rng.choice([0.0, 0.5, 1.0, 2.0], size=n) if weighted else np.ones(n)
    expected = by_table(values, costs, k, weights)
    for size in (1, 4, 16, 64):
        labels, moved = filled(values, costs, size, k, weights if weighted else None)
        assert labels.values.tolist() == expected
        assert moved == (expected != values.tolist())


def test_costs_may_depend_on_labels_and_blocks_learn_of_moves():
    values = np.array([0, 0, 1, 1, 1, 0])
    labels, _ = filled(values, np.array([1.0, 5.0, 0.0, 0.0]), 2, 4, cost=of_label)
    assert labels.values.tolist() == [0, 0, 2, 3, 1, 0]
    where = labels.where
    told = where.map("told", told_labels, None, None, labels.everywhere())
    assert np.concatenate(list(told)).tolist() == labels.values.tolist()


def told_labels(block, constant, shared, sent):
    assert sent.labels is None, "only moves are sent to blocks that have answered"
    return labels_in(block, sent)


def test_bounds_of_rows_that_were_moved_say_nothing():
    labels, _ = filled(np.zeros(4, int), np.array([1.0, 9.0, 2.0, 3.0]), 4, 2)
    (moves,) = labels.at(0).moves
    assert (moves.rows.tolist(), moves.targets.tolist()) == ([1], [1])
    assert (moves.own.tolist(), moves.others.tolist()) == ([np.inf], [-np.inf])
