"""Parameters of random graphs: sizes, degrees, labels and the signal."""

import numpy as np
import pytest

from helpers import each
from kgroups.graphs import signal_to_noise_ratio
from kgroups.graphs.models.model_parameters import (
    check_above,
    check_degree,
    check_number,
    check_share_of_edges,
    check_size,
    generator,
    mean_one,
)
from kgroups.graphs.models.random_edges import planted_labels

pytestmark = pytest.mark.nojit


def test_a_generator_is_used_up_and_everything_else_seeds_a_new_one():
    own = np.random.default_rng(0)
    assert generator(own) is own
    assert generator(4).random() == generator(4).random()
    state = np.random.RandomState(0)
    assert generator(state).random() != generator(state).random()


def test_sizes():
    assert check_size(10, 3, 2) == (10, 3, 2.0)
    assert check_size(3, 3, 0.5) == (3, 3, 0.5)
    with pytest.raises(ValueError, match=r"k=4 is more than n=3; ask for at most 3 communities"):
        check_size(3, 4, 1.0)


def test_degrees_and_numbers_at_their_bounds():
    assert check_degree(5, 5, "degree", least=0) == 5.0
    assert check_degree(1, 5, "degree", least=1) == 1.0
    assert [check_share_of_edges(x, "mixing") for x in (0, 0.5, 1)] == [0.0, 0.5, 1.0]
    assert check_above(np.float32(2.5), "tau", 2) == 2.5
    assert type(check_number(np.int8(3), "x")) is float
    with pytest.raises(ValueError, match=r"tau must be a number > 2; got 2\."):
        check_above(2, "tau", 2)
    for share in (-0.1, 1.1):
        with pytest.raises(ValueError, match=r"mixing is a share of the edges and must be in"):
            check_share_of_edges(share, "mixing")


def test_weights_over_their_mean():
    assert mean_one([1, 0, 2], 3, "weights").tolist() == [1.0, 0.0, 2.0]
    assert mean_one([10, 20], 2, "weights").tolist() == pytest.approx([2 / 3, 4 / 3])


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


@each(("a", "b", "k", "ratio"), [(7, 1, 2, 1.5), (5, 5, 3, 0.0), (0, 6, 3, -1.0), (9, 0, 1, 3.0)])
def test_signal_to_noise_by_hand(a, b, k, ratio):
    assert signal_to_noise_ratio(a, b, k) == pytest.approx(ratio)


@each(("a", "b", "k"), [(9.0, 2.0, 2), (20.0, 1.0, 4), (3.0, 8.0, 3)])
def test_it_is_the_second_eigenvalue_over_the_root_of_the_first(a, b, k):
    """The mean degree and (a − b) / k are eigenvalues of the expected matrix, with loops."""
    n = 12 * k
    labels = np.arange(n) % k
    expected = np.where(labels[:, None] == labels, a, b) / n
    values = np.linalg.eigvalsh(expected)
    degree = expected.sum(axis=1)[0]
    second = values[-2] if a > b else values[0]
    assert signal_to_noise_ratio(a, b, k) == pytest.approx(second / np.sqrt(degree))
