"""Labels of blocks: what the caller knows, what a block is sent, and what it keeps of that."""

import pickle

import numpy as np
import pytest

from helpers import each
from kgroups.gram import FactorGram
from kgroups.gram.block_features import GramFeatures
from kgroups.runtime.row_blocks import LocalBlocks, Missing, RowBlock
from kgroups.runtime.threads import Threads
from kgroups.solvers import block_search
from kgroups.solvers.block_labels import (
    BlockLabels,
    LabelsAt,
    Moves,
    compact,
    first_members,
    labels_in,
)
from kgroups.solvers.block_search import BlockSearch, _Asked, _Bounds, _bounds_in

LABELS = np.array([0, 1, 2, 0, 1, 2, 0])


def blocks_of(n=7, size=3, weights=None):
    return LocalBlocks(None, n, size, Threads(1), weights=weights)


def labels(size=3, **settings):
    return BlockLabels.of(blocks_of(size=size, **settings), LABELS, 3)


def block(n=3):
    """A block as a worker has it."""
    return RowBlock(0, 0, n, {}, None)


def moves(rows, targets):
    rows = np.array(rows)
    return Moves(rows, np.array(targets), np.full(len(rows), 5.0), np.full(len(rows), 2.0))


def pickled_copy(sent):
    """As another process gets it."""
    return pickle.loads(pickle.dumps(sent))


# --- the caller -------------------------------------------------------------------------------


@each(
    ("k", "dtype"), [(1, "u1"), (2, "u1"), (256, "u1"), (257, "u2"), (65_536, "u2"), (65_537, "u4")]
)
def test_labels_take_few_bytes(k, dtype):
    assert compact(k) == np.dtype(dtype)


def test_labels_are_a_copy_in_the_smallest_type():
    given = LABELS.copy()
    found = BlockLabels.of(blocks_of(), given, 3)
    given[:] = 9
    assert found.values.dtype == np.uint8
    assert found.values.tolist() == LABELS.tolist()
    assert found.of_block(1).tolist() == [0, 1, 2]
    assert found.of_block(1).dtype == np.int64


def test_a_block_is_sent_all_labels_at_first_and_then_what_has_changed():
    found = labels()
    assert found.at(1).labels.tolist() == [0, 1, 2]
    found.heard(1)
    sent = found.at(1)
    assert (sent.labels, sent.moves, sent.version, sent.before) == (None, (), 0, 0)
    found.move(1, moves([0], [2]))
    found.move(1, moves([0, 2], [1, 0]))
    assert found.values.tolist() == [0, 1, 2, 1, 1, 0, 0]
    sent = found.at(1)
    assert (sent.version, sent.before, len(sent.moves)) == (2, 0, 2)
    assert found.at(0).labels.tolist() == [0, 1, 2]  # which has not answered yet
    found.heard(1)
    assert found.at(1).moves == ()
    assert [number for number, _ in found.everywhere()] == [0, 1, 2]


def test_no_copy_is_trusted_once_all_labels_are_assigned_anew():
    found = labels()
    found.heard(0)
    found.forget()
    assert found.at(0).labels.tolist() == [0, 1, 2]


def test_all_labels_of_a_block_are_those_of_now_and_stay_with_the_caller():
    found = labels()
    found.heard(0)
    found.move(0, moves([1], [0]))
    sent = found.at(0)
    whole = sent.whole()
    assert (whole.labels.tolist(), whole.moves, whole.version) == ([0, 0, 2], (), 1)
    found.move(0, moves([1], [2]))
    assert whole.labels.tolist() == [0, 0, 2]
    assert len(pickle.dumps(sent)) < len(pickle.dumps(found.values)) + 1000
    assert pickled_copy(sent).all_labels is None
    with pytest.raises(TypeError, match="only the caller has all labels"):
        pickled_copy(sent).whole()


# --- a block ----------------------------------------------------------------------------------


def test_labels_that_are_sent_whole_are_kept():
    found, here = labels(), block()
    assert labels_in(here, pickled_copy(found.at(0))).tolist() == [0, 1, 2]
    found.heard(0)
    assert labels_in(here, pickled_copy(found.at(0))).tolist() == [0, 1, 2]


def test_what_is_kept_is_brought_up_to_date():
    found, here = labels(), block()
    labels_in(here, found.at(0))
    found.heard(0)
    found.move(0, moves([1, 2], [0, 0]))
    found.move(0, moves([1], [2]))
    sent = pickled_copy(found.at(0))
    for _ in range(2):  # asked again, because the answer was lost
        assert labels_in(here, sent).tolist() == [0, 2, 0] == found.of_block(0).tolist()
    found.heard(0)
    found.move(0, moves([0], [1]))
    assert labels_in(here, pickled_copy(found.at(0))).tolist() == [1, 2, 0]


def test_labels_that_are_given_out_may_be_written_to():
    found, here = labels(), block()
    labels_in(here, found.at(0))[:] = 7
    found.heard(0)
    labels_in(here, found.at(0))[:] = 7
    assert labels_in(here, found.at(0)).tolist() == [0, 1, 2]


def test_labels_of_another_time_are_missing():
    found = labels()
    found.heard(0)
    with pytest.raises(Missing):
        labels_in(block(), found.at(0))
    here = block()
    labels_in(here, found.at(0).whole())
    for target in (0, 1):  # another place has heard of the first move
        found.move(0, moves([2], [target]))
        sent = pickled_copy(found.at(0))
        found.heard(0)
    with pytest.raises(Missing):
        labels_in(here, sent)
    assert labels_in(here, pickled_copy(found.at(0).whole())).tolist() == [0, 1, 1]


def test_random_moves_lost_answers_and_other_places():
    """Whatever a place remembers: it says so, or has the labels of the caller."""
    rng, n_missing = np.random.default_rng(0), 0
    found, places = labels(), [block() for _ in range(3)]
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


# --- bounds that are kept with a block ----------------------------------------------------------


def with_bounds(search="this", visit=4):
    here, bounds = block(), (np.array([1.0, 2.0, 3.0]), np.array([0.5, 0.6, 0.7]))
    here.kept["bounds"] = _Bounds.of(search, visit, *bounds)
    return here


def bounds(here, visit, told=(), search="this"):
    """Bounds that a block has, where labels say nothing of what has moved."""
    asked = _Asked(LabelsAt(1, 1, ()), search, visit, told)
    return [found.tolist() for found in _bounds_in(here, asked)]


def test_bounds_of_the_last_visit_hold_but_for_rows_that_moved():
    own, others = bounds(with_bounds(), 4, (moves([1], [0]),))
    assert own == [1.0, 5.0, 3.0]
    assert others[1] == 2.0
    assert others[0] <= 0.5 < others[0] + 1e-6


def test_bounds_of_another_visit_or_search_say_nothing():
    nothing = [[np.inf] * 3, [-np.inf] * 3]
    assert bounds(with_bounds(), 5) == nothing
    assert bounds(with_bounds(), 3) == nothing
    assert bounds(with_bounds(), 4, search="other") == nothing
    assert bounds(block(), 4) == nothing


def test_moves_are_told_to_bounds_whoever_has_heard_of_the_labels(monkeypatch):
    """Means are made between two sweeps, and blocks know their labels from then on."""
    monkeypatch.setattr(block_search, "_ONE_BY_ONE", 0)
    rng = np.random.default_rng(0)
    F = rng.normal(size=(60, 2)).astype(np.float32)
    where = LocalBlocks(None, 60, 60, Threads(1))
    values = BlockLabels.of(where, rng.integers(3, size=60), 3)
    search = BlockSearch(where, GramFeatures(FactorGram(F)), values, 3, 1.0)
    moved, _ = search.sweep(1e-12)
    assert moved > 0
    search.renew()
    asked = search._asked(0)
    assert asked.labels.moves == ()
    assert sum(len(some.rows) for some in asked.moves) == moved
    search.sweep(1e-12)
    assert search._asked(0).visit == 2


def test_bounds_are_rounded_away_from_the_distances():
    own = np.array([1.0, 1 + 1e-12, 1e300, 1e-300])
    found = _Bounds.of("this", 0, own, own)
    assert found.own.dtype == found.others.dtype == np.float32
    assert (found.own.astype(float) >= own).all()
    assert (found.others.astype(float) <= own).all()
    assert found.own[0] == found.others[0] == 1.0


# --- first members ------------------------------------------------------------------------------


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
        where = blocks_of(size=size, weights=weights)
        found = first_members(BlockLabels.of(where, values, 5), 5)
        assert found.tolist() == first_by_hand(values, weights, 5)
        plain = first_members(BlockLabels.of(blocks_of(size=size), values, 5), 5)
        assert plain.tolist() == first_by_hand(values, np.ones(7), 5)


def test_no_more_blocks_are_looked_at_than_have_first_members():
    weights = np.ones(7)
    where = blocks_of(size=3, weights=weights)
    asked = []
    plain = where.map

    def counted(stage, work, constant, shared, args, **settings):
        asked.extend(number for number, _ in args)
        return plain(stage, work, constant, shared, args, **settings)

    where.map = counted
    assert first_members(BlockLabels.of(where, LABELS, 3), 3).tolist() == [0, 1, 2]
    assert asked == [0]
