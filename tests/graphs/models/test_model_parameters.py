"""Parameters of random graphs: generators, sizes of one node and the signal."""

import numpy as np
import pytest

from helpers import each
from kgroups.graphs import signal_to_noise_ratio
from kgroups.graphs.models.model_parameters import (
    generator,
)
from kgroups.graphs.models.random_edges import planted_labels

pytestmark = pytest.mark.nojit


def test_a_generator_is_used_up_and_everything_else_seeds_a_new_one():
    own = np.random.default_rng(0)
    assert generator(own) is own
    assert generator(4).random() == generator(4).random()
    state = np.random.RandomState(0)
    assert generator(state).random() != generator(state).random()


def drawn(n, k, sizes=None, balanced=False, seed=0):
    return planted_labels(n, k, sizes, balanced, np.random.default_rng(seed))


def test_sizes_of_one_node_are_numbers_of_nodes_and_not_shares():
    assert drawn(1, 2, [0, 1]).tolist() == [1]


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
