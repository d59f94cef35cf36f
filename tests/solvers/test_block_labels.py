"""Labels of blocks: what a place remembers of them is what the caller knows, or is missing."""

import pickle

import numpy as np

from helpers import each
from kgroups.runtime.row_blocks import LocalBlocks, Missing, RowBlock
from kgroups.runtime.threads import Threads
from kgroups.solvers.block_labels import BlockLabels, Moves, first_members, labels_in

LABELS = np.array([0, 1, 2, 0, 1, 2, 0])


def moves(rows, targets):
    return Moves(np.array(rows), np.array(targets), np.full(len(rows), 5.0), np.full(len(rows), 2))


def pickled_copy(sent):
    """As another process gets it."""
    return pickle.loads(pickle.dumps(sent))


def test_random_moves_lost_answers_and_other_places():
    """Whatever a place remembers: it says so, or has the labels of the caller."""
    rng, n_missing = np.random.default_rng(0), 0
    where = LocalBlocks(None, 7, 3, Threads(1))
    found = BlockLabels.of(where, LABELS, 3)
    places = [RowBlock(0, 0, 3, {}, None) for _ in range(3)]
    for _ in range(500):
        if rng.random() < 0.5:
            rows = np.sort(rng.choice(3, size=rng.integers(1, 4), replace=False))
            found.move(0, moves(rows, rng.integers(3, size=len(rows))))
        here, sent = places[rng.integers(3)], found.at(0)
        try:
            got = labels_in(here, pickled_copy(sent))
        except Missing:
            n_missing += 1
            got = labels_in(here, pickled_copy(sent.whole()))
        assert got.tolist() == found.of_block(0).tolist()
        if rng.random() < 0.8:  # else the answer is lost on its way
            found.heard(0)
    assert 100 < n_missing < 400


def first_by_hand(values, weights, k):
    return [
        next((i for i, v in enumerate(values) if v == c and weights[i] > 0), len(values))
        for c in range(k)
    ]


@each("size", [1, 3, 7])
def test_first_members_with_weight(size):
    rng = np.random.default_rng(0)
    for _ in range(20):
        values, weights = rng.integers(4, size=7), rng.choice([0.0, 1.0], size=7)
        where = LocalBlocks(None, 7, size, Threads(1), weights=weights)
        found = first_members(BlockLabels.of(where, values, 5), 5)
        assert found.tolist() == first_by_hand(values, weights, 5)
        where = LocalBlocks(None, 7, size, Threads(1))
        plain = first_members(BlockLabels.of(where, values, 5), 5)
        assert plain.tolist() == first_by_hand(values, np.ones(7), 5)
