"""Means over blocks after moves, against means from all rows."""

import numpy as np

from cells import cells
from kgroups.gram.block_features import GramFeatures
from kgroups.gram.low_rank import FactorGram
from kgroups.runtime.row_blocks import LocalBlocks
from kgroups.runtime.threads import Threads
from kgroups.solvers import block_means
from kgroups.solvers.block_labels import BlockLabels, Moves
from kgroups.solvers.block_means import Went, means_after, means_of

N, D, K = 900, 3, 4


@cells("is_weighted", [False, True])
@cells("few", [1 << 14, 0])
def test_means_after_moves_are_those_of_the_new_labels(is_weighted, few, monkeypatch):
    monkeypatch.setattr(block_means, "_FEW", few)
    rng = np.random.default_rng(3)
    X = rng.normal(size=(N, D)).astype(np.float32)
    w = rng.uniform(0.5, 2.0, N) if is_weighted else np.ones(N)
    where = LocalBlocks(None, N, 256, Threads(1), weights=w if is_weighted else None)
    features = GramFeatures(FactorGram(X))
    labels = BlockLabels.of(where, rng.integers(K, size=N), K)
    before, _ = means_of(where, features, labels, K)
    went = []
    for _ in range(2):  # some rows go twice
        numbers = np.sort(rng.choice(40, 20, replace=False)) * 20
        sources = labels.values[numbers].astype(np.int64)
        targets = (sources + rng.integers(1, K, size=20)) % K
        went.append(Went(numbers, w[numbers], sources, targets))
        for number, (start, stop) in enumerate(where.spans):
            here = (numbers >= start) & (numbers < stop)
            none = np.zeros(here.sum())
            labels.move(number, Moves(numbers[here] - start, targets[here], none, none))
    after = means_after(where, features, labels, before, went)
    of_cluster = labels.values[:, None] == np.arange(K)
    weight = w @ of_cluster
    centers = X.T @ (w[:, None] * of_cluster) / weight
    np.testing.assert_allclose(after.weight, weight, rtol=1e-12)
    np.testing.assert_array_equal(after.members, of_cluster.sum(axis=0))
    np.testing.assert_allclose(after.centers, centers, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(after.places + after.beyond, centers.T, rtol=1e-6, atol=1e-8)
    assert not np.allclose(before.centers, centers, rtol=1e-3)
