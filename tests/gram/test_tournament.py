"""Rounds of a tournament between blocks of points."""

import itertools

import numpy as np
import pytest

from kgroups.gram.tournament import rounds


@pytest.mark.parametrize("n_blocks", [2, 4, 8, 10, 26])
def test_every_pair_of_blocks_meets_once_and_no_block_twice_in_a_round(n_blocks):
    found = rounds(n_blocks)
    assert len(found) == n_blocks
    assert sorted(map(tuple, found[0].tolist())) == [(i, i) for i in range(n_blocks)]
    for matches in found[1:]:
        assert sorted(matches.ravel().tolist()) == list(range(n_blocks))
        assert np.all(matches[:, 0] < matches[:, 1])
    pairs = [tuple(match) for matches in found[1:] for match in matches.tolist()]
    assert sorted(pairs) == list(itertools.combinations(range(n_blocks), 2))
