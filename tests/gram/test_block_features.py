"""Features of blocks: those of the operator, those of a sketch, and rows as they are."""

import numpy as np
import pytest

from helpers import each
from kgroups.gram import FactorGram, block_features
from kgroups.gram.block_features import (
    FEATURES,
    NORMS,
    GramFeatures,
    SketchedFeatures,
    SquaredFeatures,
    as_rows,
    joined,
    squared_norms,
    taken,
)
from kgroups.gram.held_rows import UnitRows
from kgroups.gram.nystroem import NystroemMap
from kgroups.gram.squared_rows import Embedding, SquaredGram
from kgroups.runtime.row_blocks import Budget, Missing, RowBlock
from kgroups.semimetrics import Energy
from kgroups.sketch.block_sketch import _feature
from kgroups.solvers.centroids import FeatureCentroids

X = np.random.default_rng(0).normal(size=(20, 3))
SQUARED = Energy(2)


@pytest.fixture(autouse=True)
def _small_chunks(monkeypatch):
    monkeypatch.setattr(block_features, "CHUNK", 4)


def block(start=0, stop=20, *, budget=1e9, kept=None, read=True):
    rows = (lambda: X[start:stop]) if read else None
    return RowBlock(0, start, stop, {} if kept is None else kept, Budget(budget), read=rows)


def sketch():
    return SketchedFeatures(NystroemMap.of(X[::3], Energy()))


def by_chunks(features):
    return np.concatenate([features.to_features(X[a : a + 4])[0] for a in range(0, 20, 4)])


def test_features_of_an_operator_are_read_from_it():
    gram = FactorGram(X.astype(np.float32))
    features = GramFeatures(gram)
    here = block(4, 12)
    assert features.rank == 3
    assert features.is_held(here)
    assert features.frame.rows.shape == (0, 3)
    assert features.read(here, 1, 3).rows.tolist() == gram.features[5:7].tolist()
    assert features.norms(here).tolist() == gram.diagonal()[4:12].tolist()


@each(("start", "stop"), [(0, 4), (4, 20), (16, 20), (5, 7), (3, 9)])
def test_features_of_a_sketch_are_made_by_the_chunks_in_which_rows_are(start, stop):
    features = sketch()
    found = features.read(block(), start, stop)
    assert found.rows.tolist() == by_chunks(features)[start:stop].tolist()
    assert (found.scale, found.mean.tolist()) == (1.0, [0.0] * features.rank)


def test_features_that_are_kept_are_not_made_again():
    features = sketch()
    known = by_chunks(features)
    here = block(kept={FEATURES: known}, read=False)
    assert features.is_held(here)
    assert not features.is_held(block())
    assert features.read(here, 6, 9).rows.tolist() == known[6:9].tolist()


def test_norms_of_a_sketch_are_kept_without_a_budget():
    features, here = sketch(), block(budget=0)
    expected = (by_chunks(features).astype(float) ** 2).sum(axis=1)
    assert features.norms(here) == pytest.approx(expected)
    assert here.kept[NORMS] is features.norms(here)


def centroids(features):
    gram = FactorGram(by_chunks(features))
    means = np.array([gram.features[:10].mean(axis=0), gram.features[10:].mean(axis=0)], float)
    return FeatureCentroids(means, (means**2).sum(axis=1))


@each(("budget", "is_kept"), [(1e9, True), (10, False)])
def test_a_pass_keeps_features_where_there_is_room(budget, is_kept, monkeypatch):
    monkeypatch.setattr("kgroups.sketch.block_sketch.CHUNK", 4)
    features, here = sketch(), block(budget=budget)
    found = _feature(here, features, centroids(features), None)
    nearest = np.concatenate(
        [centroids(features).nearest(f) for f in by_chunks(features).reshape(5, 4, -1)]
    )
    assert found.labels.tolist() == nearest.tolist()
    assert (FEATURES in here.kept) == is_kept
    if is_kept:
        assert here.kept[FEATURES].tolist() == by_chunks(features).tolist()


def test_a_pass_without_rows_leaves_nothing_half_made():
    features, here = sketch(), block(read=False)
    with pytest.raises(Missing):
        _feature(here, features, centroids(features), None)
    assert here.kept == {}
    assert here.budget.used == 0


@each(("budget", "is_kept"), [(1e9, True), (0, False)])
def test_what_is_lost_is_kept_again_where_there_is_room(budget, is_kept):
    features, here = sketch(), block(budget=budget)
    norms = features.norms(here)
    assert features.is_held(here) is is_kept
    assert features.read(here, 0, 20).rows.tolist() == by_chunks(features).tolist()
    lost = block(read=False)
    with pytest.raises(Missing):
        features.norms(lost)
    assert (lost.budget.used, lost.kept) == (0, {})
    assert norms.tolist() == features.norms(block()).tolist()


def test_room_is_taken_once():
    features, here = sketch(), block(budget=4 * 20 * sketch().rank)
    assert features.room(here) is not None
    assert features.room(here) is None
    here.kept[FEATURES] = by_chunks(features)
    assert features.room(here) is not None
    assert here.budget.left == 0


def test_squared_distances_read_rows_as_the_operator_does():
    embedding, rows = Embedding.of(SQUARED.terms(X), np.ones(20))
    features, gram = SquaredFeatures(SQUARED, embedding), SquaredGram(SQUARED.terms(X))
    here = block(4, 16)
    held = features.read(here, 2, 5)
    assert held.rows.tolist() == rows[6:9].tolist()
    assert held.mean.tolist() == embedding.mean.tolist()
    assert features.is_held(here)
    assert features.rank == features.frame.rows.shape[1] == 3
    assert features.norms(here).tolist() == gram.diagonal()[4:16].tolist()


def test_norms_of_rows_are_kept_only_where_there_is_room():
    embedding, _ = Embedding.of(SQUARED.terms(X), np.ones(20))
    features = SquaredFeatures(SQUARED, embedding)
    narrow, wide = block(budget=8), block()
    assert features.norms(narrow).tolist() == features.norms(wide).tolist()
    assert (NORMS in narrow.kept, NORMS in wide.kept) == (False, True)
    assert wide.kept[NORMS] is features.norms(wide)


def test_rows_are_taken_and_joined():
    unit = UnitRows(X, np.zeros(3), 0.5, np.arange(20.0))
    some = taken(unit, np.array([3, 1]))
    assert some.rows.tolist() == X[[3, 1]].tolist()
    assert some.inverse.tolist() == [3.0, 1.0]
    both = joined([some, taken(unit, slice(0, 1))])
    assert both.inverse.tolist() == [3.0, 1.0, 0.0]
    plain = joined([as_rows(X[:2]), as_rows(X[5:6])])
    assert plain.rows.tolist() == X[[0, 1, 5]].tolist()


def test_squared_norms_are_those_of_features():
    held = as_rows(np.array([[3.0, 4.0]], np.float32))
    assert squared_norms(held).tolist() == [25.0]
    moved = held._replace(mean=np.array([1.0, 0.0]), scale=2.0)
    assert squared_norms(moved).tolist() == [4 * (4.0 + 16.0)]
