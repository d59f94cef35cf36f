"""All semimetrics: sizes, types, names of other libraries, negative type, and sums to groups."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import pairwise_distances

from helpers import each
from kgroups import KernelKGroups
from kgroups import semimetrics as sm
from kgroups.exceptions import TheoryWarning
from kgroups.runtime.threads import Threads, blocks
from kgroups.semimetrics import (
    Energy,
    JensenShannon,
    ScipyDistance,
    by_name,
    negative_type_violation,
)
from kgroups.semimetrics.all_pairs import Points
from kgroups.semimetrics.group_sums import (
    Group,
    relative_rounding,
    sums_to_group,
    sums_within_group,
)


def numbers(rng, n, d=5):
    return rng.normal(size=(n, d))


def histograms(rng, n, d=5):
    return rng.gamma(0.5, size=(n, d)) * rng.integers(0, 2, size=(n, d)) + np.eye(n, d) + 1e-3


def sets(rng, n, d=5):
    return rng.integers(0, 2, size=(n, d)).astype(float)


def codes(rng, n, d=5):
    return rng.integers(0, 4, size=(n, d)).astype(float)


def rankings(rng, n, d=5):
    return rng.permuted(np.tile(np.arange(d, dtype=float), (n, 1)), axis=1)


def places(rng, n, d=2):
    return np.column_stack([rng.uniform(-90, 90, n), rng.uniform(-180, 180, n)])


def total(D):
    """A sum over the first column and all columns, for tables of any width."""
    return sm.ColumnSum([(sm.Energy(0.7), [0]), (sm.Manhattan(), slice(None), 0.5)])


ALL = {
    "energy-0.5": (sm.Energy(0.5), numbers),
    "energy-1": (sm.Energy(), numbers),
    "energy-1.3": (sm.Energy(1.3), numbers),
    "energy-1.5": (sm.Energy(1.5), numbers),
    "energy-2": (sm.Energy(2.0), numbers),
    "laplacian": (sm.Laplacian(sigma=0.8), numbers),
    "gaussian": (sm.Gaussian(sigma=1.7), numbers),
    "manhattan": (sm.Manhattan(), numbers),
    "hamming": (sm.Hamming(), codes),
    "cosine": (sm.Cosine(), numbers),
    "angular": (sm.Angular(), numbers),
    "jensen_shannon": (sm.JensenShannon(), histograms),
    "hellinger": (sm.Hellinger(), histograms),
    "great_circle": (sm.GreatCircle(radius=2.0), places),
    "kendall_tau": (sm.KendallTau(), rankings),
    "jaccard": (sm.Jaccard(), sets),
    "column_sum": (total(5), numbers),
    "damped_squared": (sm.DampedSquared(), numbers),
    "sine_squared": (sm.SineSquared(), numbers),
}


def each_semimetric(cases):
    """A test of every semimetric of some, in one case."""
    return each(("rho", "draw"), cases.values())


COORDINATE = {k: v for k, v in ALL.items() if k not in ("jaccard", "column_sum")}


@each(
    ("rho", "x", "y", "value"),
    [
        (sm.JensenShannon(), [1, 0], [0, 7], np.log(2)),
        (sm.GreatCircle(), [0, 0], [0, 90], np.pi / 2),
        (sm.GreatCircle(radius=2.0), [90, 0], [-90, 0], 2 * np.pi),
        (sm.GreatCircle(), [0, 179], [0, -179], np.pi / 90),
    ],
)
def test_bounds_and_arcs_by_hand(rho, x, y, value):
    assert rho.pairwise([x], [y]).item() == pytest.approx(value, rel=1e-14)
    assert rho.pairwise([x, y])[0, 1] == pytest.approx(value, rel=1e-14)


@each_semimetric(ALL)
@each("n", [1, 2, 63, 64, 65, 129, 700])
def test_every_size_around_tiles_and_threads(rho, draw, n):
    rng = np.random.default_rng(n)
    X = draw(rng, n)
    whole = rho.pairwise(X)
    assert whole.shape == (n, n)
    np.testing.assert_array_equal(whole, whole.T)
    np.testing.assert_array_equal(np.diagonal(whole), 0)
    # A few rows against all, where the tiles lie differently.
    some = rng.permutation(n)[:20]
    np.testing.assert_allclose(rho.pairwise(X[some], X), whole[some], rtol=1e-13, atol=1e-15)


@each_semimetric(COORDINATE)
@each("dtype", [np.float64, np.float32])
@each("n", [65, 500])
def test_a_second_table_equal_to_the_first_changes_no_bit(rho, draw, n, dtype):
    X = draw(np.random.default_rng(7), n).astype(dtype)
    alone = rho.pairwise(X)
    assert alone.dtype == dtype
    np.testing.assert_array_equal(rho.pairwise(X, X), alone)
    np.testing.assert_array_equal(rho.pairwise(X, X.copy()), alone)


def test_integers_do_not_overflow():
    assert sm.Energy().pairwise(np.array([[0], [200]], dtype=np.uint8))[0, 1] == 200
    assert sm.Manhattan().pairwise(np.array([[-100], [100]], dtype=np.int8))[0, 1] == 200


@each_semimetric(ALL)
def test_an_empty_table_gives_an_empty_matrix(rho, draw):
    X = draw(np.random.default_rng(12), 3)
    assert rho.pairwise(X, X[:0]).shape == (3, 0)
    assert rho.pairwise(X[:0], X).shape == (0, 3)


@each(
    ("name", "same"),
    [
        ("euclidean", sm.Energy()),
        ("l2", sm.Energy()),
        ("sqeuclidean", sm.Energy(2.0)),
        ("cityblock", sm.Manhattan()),
        ("l1", sm.Manhattan()),
        ("haversine", sm.GreatCircle(units="radians")),
    ],
)
def test_names_of_other_libraries_mean_the_same_there(name, same):
    """The distances are those of scikit-learn for the same name."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-1.5, 1.5, size=(20, 2))
    assert sm.by_name(name) == same
    expected = pairwise_distances(X, metric=name)
    np.testing.assert_allclose(sm.by_name(name).pairwise(X), expected, rtol=1e-6, atol=1e-7)


def test_names_reach_nested_sums():
    frame = pd.DataFrame({"a": [0.0, 1.0, 9.0], "b": ["x", "x", "y"], "c": [0.0, 0.0, 5.0]})
    inner = sm.ColumnSum([(sm.Energy(), ["a"]), (sm.Hamming(), ["b"])])
    outer = sm.ColumnSum([(inner, ["a", "b"]), (sm.Energy(), ["c"])])
    model = KernelKGroups(2, metric=outer, random_state=0).fit(frame)
    assert model.labels_.tolist() == [0, 0, 1]


def test_divergence_of_nearly_equal_histograms_is_not_negative():
    rng = np.random.default_rng(0)
    X = rng.random((50, 8)) + 0.1
    for dtype, noise in ((np.float64, 1e-9), (np.float32, 1e-5)):
        Y = (X * (1 + noise * rng.normal(size=X.shape))).astype(dtype)
        assert JensenShannon().pairwise(X.astype(dtype), Y).min() >= 0


OF_SETS = ("dice", "rogerstanimoto", "sokalsneath", "yule")


def rows(name, n=40, seed=0):
    rng = np.random.default_rng(seed)
    if name not in OF_SETS:
        return rng.normal(size=(n, 4))
    sets = rng.integers(0, 2, size=(n, 5))
    return np.column_stack([sets, np.ones(n), np.zeros(n)])  # or SciPy divides by zero


@each(("name", "parameters"), [
    ("canberra", {}), ("minkowski", {"p": 1}), ("minkowski", {"p": 1.5}), ("correlation", {}),
    ("seuclidean", {}), ("mahalanobis", {}), ("dice", {}), ("rogerstanimoto", {}),
    ("sokalsneath", {}), ("canberra", {"w": [1, 2, 0.5, 3]}),
])  # fmt: skip
def test_those_of_negative_type_show_no_violation(name, parameters):
    rho = ScipyDistance(name, **parameters)
    assert rho.is_negative_type
    for seed in range(5):
        X = rows(name, 60, seed)
        X[:6] = X[6:12] * (1 if name in OF_SETS else -1)  # signs, and rows that are equal
        assert negative_type_violation(rho.pairwise(X)) == 0


@each(("name", "parameters"), [
    ("chebyshev", {}), ("minkowski", {"p": 4}), ("minkowski", {"p": 0.5}), ("braycurtis", {}),
    ("yule", {}),
])  # fmt: skip
def test_the_others_do(name, parameters):
    rho = ScipyDistance(name, **parameters)
    assert not rho.is_negative_type
    assert negative_type_violation(rho.pairwise(rows(name))) > 0.01
    with pytest.warns(TheoryWarning, match=name):
        KernelKGroups(2, metric=rho, random_state=0).fit(rows(name))


def test_counts_by_bray_and_curtis_are_no_violation():
    """Between rows without negative entries 1 − ρ is a positive semidefinite kernel."""
    X = np.random.default_rng(0).integers(0, 9, size=(50, 6)) + 1.0
    model = KernelKGroups(3, metric="braycurtis", random_state=0).fit(X)
    assert model.negative_type_violation_ == 0


def test_mahalanobis_is_the_distance_of_whitened_rows():
    X = np.random.default_rng(1).normal(size=(30, 3)) @ [[1, 2, 0], [0, 3, 1], [0, 0, 1]]
    whitened = X @ np.linalg.cholesky(np.linalg.inv(np.cov(X.T)))
    np.testing.assert_allclose(
        by_name("mahalanobis").pairwise(X), Energy().pairwise(whitened), rtol=1e-9, atol=1e-9
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
