"""Heads and tails of clusters in blocks, against sums over all pairs."""

from itertools import pairwise

import numpy as np
import pytest

from helpers import each
from kgroups.certificate import block_heads
from kgroups.certificate.block_heads import (
    HeadSums,
    as_points,
    clusters_of,
    drawn_heads,
    head_groups,
    tail_sums,
)
from kgroups.certificate.landmark_form import LandmarkForm
from kgroups.input.rows import RowsInMemory
from kgroups.runtime.row_blocks import LocalBlocks
from kgroups.runtime.threads import Threads
from kgroups.semimetrics import Energy
from kgroups.solvers import block_draws, block_means
from kgroups.solvers.block_labels import BlockLabels

N, K = 900, 3
rng = np.random.default_rng(0)
X = rng.normal(size=(N, 2)) + 4 * rng.normal(size=(K, 2))[np.arange(N) % K]
LABELS = np.where(np.arange(N) < 5, 2, np.arange(N) % 2)  # the last one has five members
WEIGHTS = rng.uniform(0.5, 2.0, N)
WEIGHTS[7:60:7] = 0.0
RHO = Energy().pairwise(X)


@pytest.fixture(autouse=True)
def _small(monkeypatch):
    for module in (block_heads, block_means, block_draws):
        monkeypatch.setattr(module, "CHUNK", 64)
    monkeypatch.setattr(block_heads, "_MOST", 128)


def blocks_of(size=128):
    where = LocalBlocks(RowsInMemory(X), N, size, Threads(2), weights=WEIGHTS)
    return where, BlockLabels.of(where, LABELS, K)


def known(size=128):
    """Heads, the sums among them, and those over the tails."""
    where, labels = blocks_of(size)
    heads, count = drawn_heads(where, labels, K, 4)
    form = LandmarkForm.of(as_points(Energy(), X[::30]), np.arange(30))
    sums = HeadSums.of(form, Energy(), heads, Threads(1))
    tails = tail_sums(where, labels, heads, head_groups(sums, Energy(), heads))
    return heads, count, form, sums, tails


def test_heads_are_members_drawn_once_each():
    heads, count, *_ = known()
    alive = [np.flatnonzero((j == LABELS) & (WEIGHTS > 0)) for j in range(K)]
    assert count.tolist() == [len(members) for members in alive]
    assert np.diff(heads.offsets).tolist() == [128, 128, 5]
    assert heads.is_all == (False, False, True)
    for j, (a, b) in enumerate(pairwise(heads.offsets.tolist())):
        numbers = heads.numbers[a:b]
        assert len(set(numbers.tolist())) == b - a
        assert set(numbers.tolist()) <= set(alive[j].tolist())
    assert heads.rows.tolist() == X[heads.numbers].tolist()
    assert heads.weights.tolist() == WEIGHTS[heads.numbers].tolist()


def test_heads_are_spread_over_the_cluster():
    """Not its first members: the mean number is near that of all."""
    heads, *_ = known()
    first = heads.numbers[:128]
    assert abs(first.mean() - np.flatnonzero(LABELS == 0).mean()) < 4 * 260 / np.sqrt(128)
    assert (np.diff(first) < 0).any(), "in a random order"


@each("size", [64, 256, 1024])
def test_blocks_of_any_size_give_the_same_heads_and_sums(size):
    one, other = known(128), known(size)
    assert one[0].numbers.tolist() == other[0].numbers.tolist()
    for a, b in zip(one[4][:5], other[4][:5], strict=True):
        assert np.array_equal(a, b)
    for a, b in zip(one[4].blocks, other[4].blocks, strict=True):
        assert np.array_equal(a, b)


def test_layouts_grow_fourfold():
    heads, *_ = known()
    assert [layout.ends for layout in heads.layouts()] == [(64, 128), (64, 128), (5,)]
    assert all(layout.is_whole for layout in heads.layouts())


def test_sums_between_stages_are_those_of_all_pairs():
    heads, _, form, sums, tails = known()
    for j, (a, b) in enumerate(pairwise(heads.offsets.tolist())):
        numbers = heads.numbers[a:b]
        stages = np.split(numbers, heads.layouts()[j].ends[:-1])
        tail = np.setdiff1d(np.flatnonzero((j == LABELS) & (WEIGHTS > 0)), numbers)
        for s, x in enumerate(stages):
            for t, y in enumerate(stages):
                expected = WEIGHTS[x] @ RHO[np.ix_(x, y)] @ WEIGHTS[y] / form.unit
                assert sums.tiles[j][s, t] == pytest.approx(expected)
            expected = WEIGHTS[x] @ RHO[np.ix_(x, tail)] @ WEIGHTS[tail] / form.unit
            assert tails.to_stages[j, s] == pytest.approx(expected, abs=1e-9)
        assert sums.weight[j].sum() == pytest.approx(WEIGHTS[numbers].sum())
        assert tails.weight[j] == pytest.approx(WEIGHTS[tail].sum(), abs=1e-12)
        to_landmarks = WEIGHTS[tail] @ RHO[np.ix_(tail, np.arange(0, N, 30))] / form.unit
        assert tails.landmarks[j] == pytest.approx(to_landmarks)


def test_groups_of_the_tail_hold_all_its_weight():
    *_, tails = known()
    for j in range(K):
        weight = tails.blocks.weight[tails.clusters == j].sum()
        assert weight == pytest.approx(tails.weight[j], abs=1e-12)
    assert (tails.blocks.squared > -1e-9).all()


def test_w_of_each_cluster_lies_in_its_interval_and_levels_end_with_the_head():
    heads, _, form, sums, tails = known()
    for j, cluster in enumerate(clusters_of(sums, tails, heads.is_all, 1e-13)):
        own = np.flatnonzero(j == LABELS)
        total = WEIGHTS[own] @ RHO[np.ix_(own, own)] @ WEIGHTS[own] / form.unit
        assert cluster.total.least <= total * (1 + 1e-9)
        assert cluster.total.most >= total * (1 - 1e-9)
        assert cluster.weight == pytest.approx(WEIGHTS[own].sum())
        assert [level.size for level in cluster.levels] == [0, *heads.layouts()[j].ends]
    assert cluster.total.most - cluster.total.least < 1e-9  # all of the last one is its head
    assert cluster.levels[-1].width == 0.0


@each("j", [0, 1])
def test_levels_bound_the_mean_distance_to_a_cluster(j):
    heads, _, form, sums, tails = known()
    cluster = clusters_of(sums, tails, heads.is_all, 1e-13)[j]
    own = np.flatnonzero(j == LABELS)
    g = RHO[:, own] @ WEIGHTS[own] / WEIGHTS[own].sum() / form.unit
    to_landmarks = RHO[:, np.arange(0, N, 30)] / form.unit
    lacking = form.lacking(to_landmarks)
    numbers = heads.numbers[slice(*heads.offsets[j : j + 2])]
    for level in cluster.levels:
        some = numbers[: level.size]
        sums_to = RHO[:, some] @ WEIGHTS[some] / form.unit
        mean = level.beta * sums_to / level.weight if level.size else 0.0
        guess = mean + to_landmarks @ level.direction + level.constant
        assert (np.abs(guess - g) <= lacking * level.width + 1e-6).all()
    assert min(level.width for level in cluster.levels) > 0
