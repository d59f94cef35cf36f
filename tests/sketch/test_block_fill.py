"""Empty clusters of rows in blocks get the rows that a whole table would give them."""

import numpy as np

from helpers import each
from kgroups.runtime.row_blocks import LocalBlocks
from kgroups.runtime.threads import Threads
from kgroups.sketch.block_fill import count_members, fill_empty_clusters
from kgroups.solvers.block_labels import BlockLabels
from kgroups.solvers.fill_empty import fill_empty


def given(block, costs, labels):
    """Costs of rows wherever they are."""
    return costs[block.start : block.stop]


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


def test_bounds_of_rows_that_were_moved_say_nothing():
    labels, _ = filled(np.zeros(4, int), np.array([1.0, 9.0, 2.0, 3.0]), 4, 2)
    (moves,) = labels.at(0).moves
    assert (moves.rows.tolist(), moves.targets.tolist()) == ([1], [1])
    assert (moves.own.tolist(), moves.others.tolist()) == ([np.inf], [-np.inf])
