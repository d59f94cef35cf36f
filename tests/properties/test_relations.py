"""Relations that must hold when no answer is known: exact statements of the mathematics."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import ortho_group
from sklearn.cluster import KMeans

from helpers import each, random_start
from kgroups import KernelKGroups
from kgroups.gram import DenseGram
from kgroups.metrics import clustering_accuracy, same_partition
from kgroups.semimetrics import Energy, Gaussian, kernel_from_semimetric, semimetric_from_kernel
from kgroups.solvers import Hartigan, Problem
from kgroups.solvers import objective as spec

SETTINGS = settings(max_examples=60, deadline=None, derandomize=True)
seeds = st.integers(0, 2**32 - 1)
alphas = st.floats(0.1, 2.0)


def table(seed, n=40, d=3):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)) + 3 * rng.normal(size=(4, d))[rng.integers(4, size=n)]


def fit(X, alpha=1.0, weight=None, **params):
    model = KernelKGroups(4, metric=Energy(alpha), random_state=0, n_init=4, **params)
    return model.fit(X, sample_weight=weight)


@SETTINGS
@given(seeds, alphas, st.integers(1, 6))
def test_within_plus_between_is_constant(seed, alpha, k):
    rng = np.random.default_rng(seed)
    rho, w = Energy(alpha).pairwise(rng.normal(size=(15, 2))), rng.uniform(0, 2, 15)
    labels = rng.integers(k, size=15)
    W = -spec.objective(-rho / 2, labels, w, k)
    total = w @ rho @ w / (2 * w.sum())
    between = 0.0
    for i in range(k):
        for j in range(i):
            a, b = labels == i, labels == j
            sa, sb = w[a].sum(), w[b].sum()
            if sa > 0 and sb > 0:
                g = [
                    (w[p] @ rho[np.ix_(p, q)] @ w[q]) / (w[p].sum() * w[q].sum())
                    for p, q in ((a, b), (a, a), (b, b))
                ]
                between += sa * sb / (2 * w.sum()) * (2 * g[0] - g[1] - g[2])
    assert W + between == pytest.approx(total, rel=1e-10)
    assert between >= -1e-10


@SETTINGS
@given(seeds, alphas)
def test_translation(seed, alpha):
    X = table(seed)
    a, b = fit(X, alpha), fit(X + 1e6, alpha)
    assert b.labels_.tolist() == a.labels_.tolist()
    assert b.within_dispersion_ == pytest.approx(a.within_dispersion_, rel=1e-6)


@SETTINGS
@given(seeds, alphas)
def test_rotation(seed, alpha):
    X = table(seed)
    Q = ortho_group.rvs(3, random_state=seed % 2**32)
    a, b = fit(X, alpha), fit(X @ Q, alpha)
    assert same_partition(a.labels_, b.labels_)
    assert b.within_dispersion_ == pytest.approx(a.within_dispersion_, rel=1e-9)


@SETTINGS
@given(seeds, alphas, st.floats(1e-3, 1e3))
def test_scaling(seed, alpha, c):
    X = table(seed)
    a, b = fit(X, alpha), fit(c * X, alpha)
    assert same_partition(a.labels_, b.labels_)
    assert b.within_dispersion_ == pytest.approx(abs(c) ** alpha * a.within_dispersion_, rel=1e-9)


@SETTINGS
@given(seeds, st.booleans())
def test_labels_may_be_renamed_and_the_objective_does_not_depend_on_the_order_of_rows(
    seed, weighted
):
    """Renamed starting labels give the same partition; Q is the same for permuted rows."""
    rng = np.random.default_rng(seed)
    X, start = table(seed), random_start(rng, 40, 4)
    w = rng.uniform(0.1, 2, 40) if weighted else np.ones(40)
    order = rng.permutation(40)
    G = -Energy().pairwise(X) / 2
    plain = Hartigan().solve(Problem(DenseGram(G), w, 4), start)
    relabeled = Hartigan().solve(Problem(DenseGram(G), w, 4), (start + 1) % 4)
    assert same_partition(plain.labels, relabeled.labels)
    shuffled = spec.objective(G[np.ix_(order, order)], plain.labels[order], w[order], 4)
    assert shuffled == pytest.approx(plain.objective, rel=1e-12)


@each("seed", range(5))
def test_permuted_rows_give_the_same_clusters(seed):
    """With enough starts the optimum is found whatever the order of the rows."""
    X = table(seed)
    order = np.random.default_rng(seed).permutation(40)
    a = KernelKGroups(4, random_state=0).fit(X)
    b = KernelKGroups(4, random_state=1).fit(X[order])
    assert b.within_dispersion_ == pytest.approx(a.within_dispersion_, rel=1e-9)
    assert same_partition(a.labels_[order], b.labels_)


@SETTINGS
@given(seeds)
def test_integer_weights_are_repeats(seed):
    rng = np.random.default_rng(seed)
    X, counts = table(seed), rng.integers(1, 4, 40)
    labels = rng.integers(4, size=40)
    weighted = spec.objective(-Energy().pairwise(X) / 2, labels, counts.astype(float), 4)
    repeated = np.repeat(X, counts, axis=0)
    by_copies = spec.objective(
        -Energy().pairwise(repeated) / 2, np.repeat(labels, counts), np.ones(counts.sum()), 4
    )
    assert by_copies == pytest.approx(weighted, rel=1e-10)


@each("seed", range(4))
def test_duplicated_rows_and_doubled_weights_find_the_same_optimum(seed):
    X, rng = table(seed), np.random.default_rng(seed)
    counts = rng.integers(1, 4, 40)
    a = KernelKGroups(4, random_state=0).fit(X, sample_weight=counts)
    b = KernelKGroups(4, random_state=0).fit(np.repeat(X, counts, axis=0))
    assert b.within_dispersion_ == pytest.approx(a.within_dispersion_, rel=1e-9)
    assert same_partition(np.repeat(a.labels_, counts), b.labels_)


@SETTINGS
@given(seeds, st.floats(1e-3, 1e3))
def test_scaled_weights(seed, c):
    w = np.random.default_rng(seed).uniform(0.1, 2, 40)
    a, b = fit(table(seed), weight=w), fit(table(seed), weight=c * w)
    assert same_partition(a.labels_, b.labels_)
    assert b.within_dispersion_ == pytest.approx(c * a.within_dispersion_, rel=1e-9)


@each("seed", range(4))
def test_squared_distances_give_inertia(seed):
    X = table(seed)
    ours = KernelKGroups(4, metric=Energy(2.0), random_state=0).fit(X)
    centers = np.array([X[ours.labels_ == j].mean(axis=0) for j in range(4)])
    inertia = ((X - centers[ours.labels_]) ** 2).sum()
    assert ours.within_dispersion_ == pytest.approx(inertia, rel=1e-10)
    theirs = KMeans(4, n_init=40, random_state=0, tol=0).fit(X)
    assert ours.within_dispersion_ <= theirs.inertia_ * (1 + 1e-10)
    started = KMeans(4, init=centers, n_init=1, tol=0).fit(X)
    assert same_partition(started.labels_, ours.labels_), "Lloyd moves nothing at our optimum"


@SETTINGS
@given(arrays(np.float64, (12, 2), elements=st.floats(-100, 100)), alphas, st.integers(1, 4))
def test_any_table_gives_a_true_answer_or_a_clear_refusal(X, alpha, k):
    model = KernelKGroups(k, metric=Energy(alpha), n_init=2, random_state=0)
    distinct = len(np.unique(X + 0.0, axis=0))
    if distinct < k:
        with pytest.raises(ValueError, match="distinct rows"):
            model.fit(X)
        return
    rho = Energy(alpha).pairwise(X)
    if len(np.unique(rho, axis=0)) < k:  # rows so close that their distance underflows to zero
        return
    model.fit(X)
    G = -Energy(alpha).pairwise(X) / 2
    assert model.converged_
    assert len(np.unique(model.labels_)) == k
    assert spec.is_one_move_optimal(G, model.labels_, np.ones(12), k, 1e-11)


@SETTINGS
@given(seeds)
def test_kernel_and_semimetric_are_inverse(seed):
    rng = np.random.default_rng(seed)
    rho = Gaussian(1.5).pairwise(rng.normal(size=(9, 2)))
    for origin in (None, 0, 8):
        back = semimetric_from_kernel(kernel_from_semimetric(rho, origin=origin))
        np.testing.assert_allclose(back, rho, atol=1e-12)


@SETTINGS
@given(st.lists(st.integers(0, 3), min_size=1, max_size=30), st.permutations(range(4)))
def test_accuracy_ignores_names(labels, names):
    renamed = [names[v] for v in labels]
    assert clustering_accuracy(labels, renamed) == 1.0
    assert same_partition(labels, renamed)
