"""Fits to drawn tables against the definitions, to 1e-9 of the dispersion of all rows."""

import warnings

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

import oracle
from drawn import groups, seeds, tables
from kgroups import EnergyAgglomerative, KernelKGroups, KernelKMeans, KGroups1D
from kgroups.bounds import certify, spectral_bound
from kgroups.exceptions import TheoryWarning

ROUNDING = 1e-9


def quiet(fit, *data, **more):
    """A fit without its warnings: of theory, of few distinct rows, of few iterations."""
    with warnings.catch_warnings():
        for kind in (TheoryWarning, ConvergenceWarning):
            warnings.simplefilter("ignore", kind)
        return fit(*data, **more)


def near(found, expected, size):
    return abs(float(found) - float(expected)) <= ROUNDING * float(size)


def measured(table):
    """Distances by definition, and the dispersion of all rows, by which errors are measured."""
    rho = oracle.distances(table.space.definition, table.X)
    w = oracle.long(table.weights)
    return rho, w @ np.abs(rho) @ w / (2 * w.sum())


@given(tables(), st.sampled_from(["auto", "dense", "matrix_free"]), seeds)
def test_kgroups_is_one_move_optimal_and_says_what_it_found(table, method, seed):
    X, w, k = table.X, table.weights, table.k
    model = KernelKGroups(k, metric=table.space.metric, method=method, n_init=2, random_state=seed)
    quiet(model.fit, X, sample_weight=w)
    rho, size = measured(table)
    z = model.labels_
    W = oracle.within_dispersion(rho, z, w, k)
    assert near(model.within_dispersion_, W, size)
    assert near(model.between_statistic_, oracle.between(rho, z, w, k), size)
    assert near(model.objective_, oracle.between(rho, z, w, k), size)
    assert oracle.largest_gain(rho, z, w, k) <= ROUNDING * size
    assert model.cluster_weights_ == pytest.approx([w[z == j].sum() for j in range(k)], rel=1e-12)


@given(tables(), seeds)
def test_new_rows_go_to_the_nearest_centroid(table, seed):
    assume(table.space.is_negative_type)
    X, w, k = table.X, table.weights, table.k
    model = KernelKGroups(k, metric=table.space.metric, n_init=1, random_state=seed)
    quiet(model.fit, X, sample_weight=w)
    new = X[np.random.default_rng(seed).permutation(len(X))[:5]]
    rho, size = measured(table)
    cross = oracle.distances(table.space.definition, new, X)
    far = oracle.transform(cross, rho, model.labels_, w, k) ** 2
    each = ROUNDING * max(float(np.abs(rho).max()), float(size / w.sum()))
    assert np.abs(model.transform(new) ** 2 - far).max() <= each
    assert abs(float(model.score(new) + far.min(axis=1).sum())) <= len(new) * each
    chosen = far[np.arange(len(new)), model.predict(new)]
    assert (chosen <= far.min(axis=1) + each).all()


@given(tables(), st.sampled_from(["batch", "online"]), seeds)
def test_kernel_kmeans_leaves_no_row_nearer_to_another_mean(table, algorithm, seed):
    assume(table.space.is_negative_type)
    X, w, k = table.X, table.weights, table.k
    model = KernelKMeans(
        k, metric=table.space.metric, algorithm=algorithm, n_init=1, random_state=seed
    )
    quiet(model.fit, X, sample_weight=w)
    rho, size = measured(table)
    assert near(model.within_dispersion_, oracle.within_dispersion(rho, model.labels_, w, k), size)
    if model.converged_ and len(set(model.labels_[w > 0])) == k:
        far = oracle.transform(rho, rho, model.labels_, w, k) ** 2
        own = far[np.arange(len(X)), model.labels_]
        assert ((own - far.min(axis=1))[w > 0] <= ROUNDING * np.abs(rho).max()).all()


@given(st.integers(2, 14), st.sampled_from([0.5, 1.0, 1.5, 2.0]), st.data())
def test_a_line_is_cut_where_the_dispersion_is_least(n, alpha, data):
    rng = np.random.default_rng(data.draw(seeds))
    x = rng.integers(0, 9, n).astype(float) if data.draw(st.booleans()) else rng.normal(size=n)
    x *= 10.0 ** data.draw(st.sampled_from([0, -100, 100]))
    w = np.where(rng.random(n) < data.draw(st.sampled_from([0, 0.3])), 0, rng.uniform(0.1, 3, n))
    w[0] = 1.0
    k = data.draw(st.integers(1, min(4, len(np.unique(x[w > 0])))))
    model = KGroups1D(k, alpha=alpha).fit(x, sample_weight=w)
    rho = oracle.distances(("energy", {"alpha": alpha}), x[:, None])
    size = oracle.within_dispersion(rho, np.zeros(n, int), w, 1)
    assert near(
        model.within_dispersion_,
        oracle.best_on_line(oracle.long(x), oracle.long(w), k, alpha),
        size,
    )
    assert near(model.within_dispersion_, oracle.within_dispersion(rho, model.labels_, w, k), size)


@given(tables(most=12))
def test_merges_raise_the_dispersion_least(table):
    assume(table.space.is_negative_type and (table.weights > 0).all() and len(table.X) > 2)
    rho, size = measured(table)
    model = EnergyAgglomerative(2, metric=table.space.metric)
    quiet(model.fit, table.X, sample_weight=table.weights)
    w = oracle.long(table.weights)
    nodes = [[i] for i in range(len(w))]
    alive = set(range(len(w)))
    for (a, b), height in zip(model.children_, model.distances_, strict=True):
        assert near(height, oracle.merge_height(rho, w, nodes[a], nodes[b]), size)
        others = [(p, q) for p in alive for q in alive if p < q]
        least = min(oracle.merge_height(rho, w, nodes[p], nodes[q]) for p, q in others)
        assert height <= least + ROUNDING * size
        alive = alive - {a, b} | {len(nodes)}
        nodes.append(nodes[a] + nodes[b])


@given(tables(), st.data())
def test_certify_finds_the_rows_that_would_gain(table, data):
    z = data.draw(groups(len(table.X)))
    k, w = int(z.max()) + 1, table.weights
    assume(all(w[z == j].any() for j in range(k)))
    rho, size = measured(table)
    gains = oracle.gains(-rho / 2, z, oracle.long(w), k)
    found = quiet(certify, table.X, z, metric=table.space.metric, sample_weight=w)
    assert near(found.within_dispersion, oracle.within_dispersion(rho, z, w, k), size)
    sure = np.flatnonzero(gains.max(axis=1) > ROUNDING * size)
    assert set(sure) <= set(found.rows)
    for row, target, gain in zip(found.rows, found.targets, found.gains, strict=True):
        assert gain > 0
        assert near(gain, gains[row, target], size)


@given(tables(most=7))
def test_no_partition_is_below_the_bound(table):
    assume(table.space.is_negative_type)
    rho, size = measured(table)
    w = oracle.long(table.weights)
    assume(len(np.unique(table.X[table.weights > 0], axis=0)) >= table.k)
    bound = quiet(
        spectral_bound, table.X, table.k, metric=table.space.metric, sample_weight=table.weights
    )
    assert bound <= float(-oracle.best_partition(-rho / 2, w, table.k)) + ROUNDING * float(size)
