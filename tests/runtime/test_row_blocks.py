"""Work over blocks of rows: who reads what, what is kept, and that what is kept decides nothing."""

from typing import NamedTuple

import numpy as np
import pytest

from helpers import each, set_everywhere
from kgroups import KernelKGroups
from kgroups.fit import block_fit
from kgroups.input.rows import RowsInMemory
from kgroups.runtime.row_blocks import Budget, LocalBlocks, Missing, RowBlock, all_blocks
from kgroups.runtime.threads import Threads
from kgroups.semimetrics import Energy
from kgroups.sketch import block_sketch, block_squared
from kgroups.solvers import block_search

TABLE = np.arange(20.0).reshape(10, 2)


def local(size=4, n_threads=1, **settings):
    return LocalBlocks(RowsInMemory(TABLE), 10, size, Threads(n_threads), **settings)


def threads_of(block, constant, shared, arg):
    return block.n_threads


class Question(NamedTuple):
    """What a block is asked, with or without all that it may need."""

    is_whole: bool

    def whole(self):
        return Question(True)


def needing(block, constant, shared, asked):
    if not asked.is_whole:
        raise Missing("labels")
    return "whole"


def always_missing(block, constant, shared, arg):
    raise Missing("labels")


# --- one block --------------------------------------------------------------------------------


def test_a_block_keeps_what_the_budget_allows_and_no_name_twice():
    block = RowBlock(0, 0, 4, {}, Budget(40))
    block.keep("a", np.zeros(4))
    block.keep("a", np.ones(4))
    block.keep("b", np.zeros(4))
    assert list(block.kept) == ["a"]
    assert block.kept["a"].tolist() == [0] * 4
    assert block.budget.left == 8


def test_a_budget_may_grow_and_knows_what_was_taken():
    budget = Budget(100)
    assert budget.take(30)
    assert budget.left == 70
    assert not budget.take(71)
    budget.limit = 110
    assert budget.take(71)
    assert budget.left == 9


# --- blocks of this machine -------------------------------------------------------------------


def test_few_blocks_use_several_threads_each():
    where = local(n_threads=6)
    assert where.n_workers == 6
    assert list(where.map("stage", threads_of, None, None, all_blocks(where))) == [2, 2, 2]
    assert list(where.map("stage", threads_of, None, None, [(0, None)])) == [6]
    light = where.map("stage", threads_of, None, None, all_blocks(where), light=True)
    assert list(light) == [1, 1, 1]


def test_missing_things_are_sent_whole_to_blocks_of_this_machine():
    where = local(n_threads=2)
    asked = all_blocks(where, Question(False))
    assert list(where.map("stage", needing, None, None, asked)) == ["whole"] * 3
    with pytest.raises(Missing):
        list(where.map("stage", always_missing, None, None, all_blocks(where)))


# --- what is kept decides nothing -------------------------------------------------------------


class Unreliable(LocalBlocks):
    """Blocks that are worked on in several places, lose what is kept there, or are asked twice.

    A block finds what the last work in the same place has left, which may be long ago.
    """

    n_places, lost, twice, seed = 1, 0.0, 0.0, 0

    def __init__(self, *args, **settings):
        super().__init__(*args, **settings)
        self.rng, self.n_lost, self.n_kept = np.random.default_rng(self.seed), 0, 0
        self.places = [[{} for _ in self.spans] for _ in range(self.n_places)]
        made.append(self)

    def map(self, stage, work, constant, shared, args, *, light=False):
        def done(block, *given):
            if self.rng.random() < self.twice:
                work(block, *given)
            return work(block, *given)

        return super().map(stage, done, constant, shared, args, light=light)

    def _block(self, number, n_threads):
        kept = self.places[self.rng.integers(self.n_places)][number]
        if kept and self.rng.random() < self.lost:
            kept.clear()
            self.n_lost += 1
        self.n_kept += bool(kept)
        self._kept[number] = kept
        return super()._block(number, n_threads)


class Narrow(LocalBlocks):
    """Blocks that may keep few features, or none."""

    n_bytes = 0

    def __init__(self, *args, **settings):
        super().__init__(*args, **{**settings, "budget": self.n_bytes})
        made.append(self)

    def reserve(self, n_bytes):
        """Nothing more than the budget."""


made: list[LocalBlocks] = []


@pytest.fixture
def small_blocks(monkeypatch):
    """Fits of a few thousand rows in blocks of 64 and groups of 128, as of millions of rows."""
    made.clear()
    set_everywhere(monkeypatch, CHUNK=64, STARTS_ON_ALL=0)
    monkeypatch.setattr(block_fit, "block_size", lambda n: 64)
    monkeypatch.setattr(block_search, "rows_at_once", lambda n: 128)
    # Starts on a hundred rows leave something to be moved.
    monkeypatch.setattr(block_squared, "size_of_sample", lambda n, k: 100)
    monkeypatch.setattr(block_sketch, "sample_size", lambda n, k: 100)


def rows_of(kind, n=700):
    rng = np.random.default_rng(5)
    centers = rng.normal(size=(5, 3))
    X = rng.normal(size=(n, 3)) + 2 * centers[rng.integers(5, size=n)]
    if kind == "lattice":
        X = np.round(X)
    if kind == "skewed":
        X = np.exp(X)
    if kind == "repeated":
        X = X[rng.integers(200, size=n)]
    return X


def weights_of(n=700):
    w = np.random.default_rng(6).uniform(0.5, 2, size=n)
    w[::7] = 0
    return w


WAYS = {"sketch": {"method": "nystroem"}, "squared": {"metric": Energy(2)}}


def numbers_of(model):
    """All that a fit says, as bytes."""
    names = [
        "labels_", "within_dispersion_", "objective_", "objective_history_", "cluster_weights_",
        "cluster_dispersions_", "sketch_error_", "n_iter_", "n_moves_",
    ]  # fmt: skip
    return {name: np.asarray(getattr(model, name)).tobytes() for name in names}


def fitted(X, w, way, k=6):
    model = KernelKGroups(k, random_state=0, n_init=2, n_jobs=1, **WAYS[way])
    model.fit(X, sample_weight=w)
    assert model.n_moves_ > 0
    return numbers_of(model)


def unreliably(monkeypatch, X, w, way, **how):
    """The numbers of a fit over blocks that are unreliable in some way, and the blocks."""
    with monkeypatch.context() as patch:
        for name, value in how.items():
            patch.setattr(Unreliable, name, value)
        patch.setattr(block_fit, "LocalBlocks", Unreliable)
        return fitted(X, w, way), made[-1]


@pytest.mark.usefixtures("small_blocks")
@each("kind", ["clusters", "lattice", "skewed", "repeated"])
@each("weighted", [False, True])
@each("way", list(WAYS))
def test_blocks_that_lose_what_they_keep_change_no_bit(monkeypatch, kind, weighted, way):
    X, w = rows_of(kind), weights_of() if weighted else None
    whole = fitted(X, w, way)
    found, where = unreliably(monkeypatch, X, w, way, lost=0.3)
    assert found == whole
    assert min(where.n_lost, where.n_kept) > 20
    found, where = unreliably(monkeypatch, X, w, way, lost=1.0)
    assert found == whole
    assert where.n_kept == 0


@pytest.mark.usefixtures("small_blocks")
@each("kind", ["clusters", "lattice", "skewed", "repeated"])
@each("way", list(WAYS))
def test_blocks_that_move_from_place_to_place_change_no_bit(monkeypatch, kind, way):
    """What a place has kept may be older than what the caller knows."""
    monkeypatch.setattr(block_search, "_RENEW_AFTER", 1)  # other stages come between two visits
    X, w = rows_of(kind), weights_of()
    whole = fitted(X, w, way)
    for seed in range(5):
        found, where = unreliably(monkeypatch, X, w, way, n_places=3, lost=0.05, seed=seed)
        assert found == whole
        assert where.n_kept > 50


@pytest.mark.usefixtures("small_blocks")
@each("way", list(WAYS))
def test_work_that_is_done_twice_changes_no_bit(monkeypatch, way):
    """A task is done again where its answer was lost, after it has left something there."""
    X, w = rows_of("clusters"), weights_of()
    whole = fitted(X, w, way)
    for n_places in (1, 2):
        found, _ = unreliably(monkeypatch, X, w, way, twice=0.4, n_places=n_places)
        assert found == whole


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("kind", ["clusters", "lattice"])
def test_room_for_features_changes_no_bit(monkeypatch, kind):
    X, w = rows_of(kind), weights_of()
    whole = fitted(X, w, "sketch")
    monkeypatch.setattr(block_fit, "LocalBlocks", Narrow)
    for n_bytes in (0, 30_000, 150_000):  # of 700 rows with some 100 features, 4 bytes each
        monkeypatch.setattr(Narrow, "n_bytes", n_bytes)
        assert fitted(X, w, "sketch") == whole
        features = [kept["features"].nbytes for kept in made[-1]._kept if "features" in kept]
        assert (n_bytes > 0) == (sum(features) > 0), f"kept where there is room: {features}"
        assert sum(features) <= n_bytes


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("way", list(WAYS))
def test_the_size_of_blocks_changes_no_bit(monkeypatch, way):
    """Within a group: means are looked at by groups, and sums are made by chunks."""
    X, w = rows_of("clusters"), weights_of()
    whole = fitted(X, w, way)
    monkeypatch.setattr(block_fit, "block_size", lambda n: 128)
    assert fitted(X, w, way) == whole
