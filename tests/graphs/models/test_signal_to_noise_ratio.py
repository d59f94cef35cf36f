"""The strength of communities: by hand, and its place in the spectrum of the expected matrix."""

import numpy as np
import pytest

from helpers import each
from kgroups.graphs import signal_to_noise_ratio


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
