"""Sums of distances to groups: what they are, which bits they have, and how much rounding costs."""

import numpy as np
import pytest

from helpers import each
from kgroups import semimetrics as sm
from kgroups.runtime.threads import Threads, blocks
from kgroups.semimetrics.all_pairs import Points
from kgroups.semimetrics.group_sums import (
    Group,
    as_float64,
    relative_rounding,
    sums_to_group,
    sums_within_group,
)

N = 150
# One for each form of the innermost loop and each kind of rule.
METRICS = {
    "squares": (sm.Energy(1.5), 3),
    "products": (sm.Energy(1.0), 40),
    "absolute": (sm.Manhattan(), 3),
    "mismatch": (sm.Hamming(), 3),
    "shannon": (sm.JensenShannon(), 5),
    "bounded": (sm.Gaussian(1.0), 3),
    "power": (sm.Energy(1.2), 3),
    "terms": (sm.ColumnSum([(sm.Energy(0.5), [0, 1]), (sm.Manhattan(), [2], 0.5)]), 3),
}


def table(name, dtype, seed=0):
    rng = np.random.default_rng(seed)
    metric, D = METRICS[name]
    X = rng.gamma(1.0, size=(N, D))
    if name == "mismatch":
        X = rng.integers(0, 3, size=(N, D)).astype(float)
    X = X / X.sum(axis=1, keepdims=True) if name == "shannon" else X
    return X.astype(dtype), metric


def points_of(X, metric):
    return Points.of(metric.resolve(X).terms(X))


@each("dtype", [np.float32, np.float64])
@each("name", METRICS)
def test_sums_are_those_of_single_distances(name, dtype):
    """To within the relative rounding that proofs rely on, to a group and within it."""
    X, metric = table(name, dtype)
    points = points_of(X, metric)
    rho = metric.pairwise(X.astype(np.float64))
    w = np.random.default_rng(1).uniform(0.0, 3.0, N)
    w[::7] = 0.0
    group = Group.of(points.table, w)
    bound = relative_rounding(points)
    assert bound < (1e-3 if dtype == np.float32 else 1e-12)
    found = sums_to_group(points, points.table[5:50], group)
    np.testing.assert_allclose(found, rho[5:50] @ w, rtol=bound + 1e-13)
    some = sums_to_group(points, points.table, group, 1, 3)
    np.testing.assert_allclose(some, rho[:, 32:96] @ w[32:96], rtol=bound + 1e-13)
    pieces = [sums_within_group(points, group, a, b) for a, b in ((0, 2), (2, len(group.panels)))]
    own, later = (np.concatenate(parts) for parts in zip(*pieces, strict=True))
    total = group.weights.astype(np.float64) @ (own + 2.0 * later)
    assert total == pytest.approx(w @ rho @ w, rel=bound + 1e-13)
    part = sums_within_group(points, group, 0, 1, 2)
    np.testing.assert_allclose(part.own[:32], rho[:32, :32] @ w[:32], rtol=bound + 1e-13)
    np.testing.assert_allclose(part.later[:32], rho[:32, 32:64] @ w[32:64], rtol=bound + 1e-13)


@each("name", ["squares", "products", "terms"])
def test_bits_do_not_depend_on_threads_or_on_how_rows_are_cut(name):
    X, metric = table(name, np.float32)
    points = points_of(X, metric)
    group = Group.of(points.table, np.linspace(0.1, 2.0, N))
    whole = sums_to_group(points, points.table, group)

    def some(block):
        return sums_to_group(points, points.table[slice(*block)], group)

    for n_threads, size in ((1, 32), (2, 32), (2, 96)):
        parts = list(Threads(n_threads).map(some, blocks(0, N, size)))
        assert np.array_equal(np.concatenate(parts), whole)


def test_points_far_from_the_origin_keep_their_digits():
    """At 10⁸ neighbors in float32 are 8 apart; what the table holds is compared exactly."""
    rng = np.random.default_rng(2)
    X = (1e8 + 100.0 * rng.normal(size=(N, 2))).astype(np.float32)
    metric = sm.Energy(1.0)
    points = points_of(X, metric)
    rho = metric.pairwise(X.astype(np.float64))
    group = Group.of(points.table, np.ones(N))
    found = sums_to_group(points, points.table, group)
    np.testing.assert_allclose(found, rho.sum(axis=1), rtol=relative_rounding(points))


def test_rounding_of_arcs_near_half_a_circle_is_that_of_a_root():
    """An angle π − ε has the chord 2 − ε²/4, so that half of the digits of ε are lost."""
    rng = np.random.default_rng(3)
    angles = np.where(rng.random(N) < 0.5, 0.0, np.pi) + 1e-6 * rng.random(N)
    metric = sm.Angular()
    points = points_of(np.column_stack([np.cos(angles), np.sin(angles)]), metric)
    apart = np.abs(angles[:, None] - angles)
    exact = np.minimum(apart, 2 * np.pi - apart).sum(axis=1)
    found = sums_to_group(points, points.table, Group.of(points.table, np.ones(N)))
    error = np.abs(found - exact).max() / exact.max()
    assert 1e-12 < error < relative_rounding(points)


def test_the_same_points_in_float64_have_no_products():
    X, metric = table("products", np.float32)
    points = points_of(X, metric)
    wide = as_float64(points, slice(None))
    assert wide.table.dtype == np.float64
    found = sums_to_group(wide, wide.table, Group.of(wide.table, np.ones(N)))
    # The table holds centered rows, of which the last digit of float32 is lost.
    exact = metric.pairwise(points.table[:, :40].astype(np.float64)).sum(axis=1)
    np.testing.assert_allclose(found, exact, rtol=1e-13)
