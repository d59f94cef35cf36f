"""Cuts that are exactly zero, and digits of a small community."""

import numpy as np
from scipy.sparse import csr_array

from kgroups.metrics import conductance
from kgroups.metrics.community_sums import CommunitySums


def test_an_empty_cut_is_exactly_zero():
    """0.1 + 0.2 + 0.3 is not 0.6: a cut from the difference of volumes would be rounding."""
    A = np.zeros((6, 6))
    for i, j, weight in [(0, 1, 0.1), (1, 2, 0.2), (0, 2, 0.3), (3, 4, 0.7), (4, 5, 0.1)]:
        A[i, j] = A[j, i] = weight
    sums = CommunitySums.of(csr_array(A), np.repeat([0, 1], 3), 2)
    assert sums.cut.tolist() == [0.0, 0.0]
    assert sums.conductance().tolist() == [0.0, 0.0]


def test_conductance_of_a_small_community_keeps_its_digits():
    """A loop of 37,536 elsewhere: cut 1.8e-4 over a volume of 6.03e-4, from the small side."""
    edge, loop = 1.82771393603719e-4, 2.0995502652447687e-4
    A = np.zeros((4, 4))
    A[0, 2] = A[2, 0] = edge
    A[1, 1], A[3, 3] = loop, 37536.33985020242
    right = edge / (edge + 2 * loop)
    np.testing.assert_allclose(conductance(A, [0, 1, 1, 0]), [right, right], rtol=1e-14)
