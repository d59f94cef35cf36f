"""Labels of block models: of given sizes, of equal sizes, or by chance."""

import numpy as np
import pytest

from helpers import each
from kgroups.graphs.models.random_edges import planted_labels

pytestmark = pytest.mark.nojit


def drawn(n, k, sizes=None, balanced=False, seed=0):
    return planted_labels(n, k, sizes, balanced, np.random.default_rng(seed))


@each(("n", "k"), [(7, 3), (6, 3), (3, 3), (5, 1)])
def test_balanced_communities_differ_by_one_node_at_most(n, k):
    sizes = np.bincount(drawn(n, k, balanced=True), minlength=k)
    assert sorted(sizes) == sorted(len(part) for part in np.array_split(np.arange(n), k))


def test_given_sizes_are_kept_in_an_order_of_chance():
    found = [drawn(9, 3, [5, 0, 4], seed=seed) for seed in range(5)]
    for labels in found:
        assert np.bincount(labels, minlength=3).tolist() == [5, 0, 4]
    assert len({tuple(labels) for labels in found}) == 5


def test_shares_are_probabilities():
    """Of 10,000 nodes, 7,000 are expected in community 0, give or take four deviations of 46."""
    count = np.bincount(drawn(10_000, 3, [0.7, 0.3, 0.0]), minlength=3)
    assert abs(count[0] - 7000) < 4 * np.sqrt(10_000 * 0.7 * 0.3)
    assert count[2] == 0


def test_sizes_of_one_node_are_numbers_of_nodes_and_not_shares():
    assert drawn(1, 2, [0, 1]).tolist() == [1]


def test_without_wishes_every_label_is_as_likely():
    count = np.bincount(drawn(9_000, 3))
    assert np.all(np.abs(count - 3000) < 4 * np.sqrt(9000 * 2 / 9))
