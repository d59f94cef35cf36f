"""Relations that hold whatever the answer is: units, order, copies, translations, float types."""

import numpy as np
import pytest
from scipy import sparse
from scipy.stats import ortho_group

from contract_cases import CONTAINERS, ROWS
from kgroups import (
    BetheHessianClustering,
    EnergyAgglomerative,
    GraphKGroups,
    KernelKGroups,
    KernelKMeans,
    KGroups1D,
    bounds,
    metrics,
    select,
    stats,
)
from kgroups.metrics import same_partition
from kgroups.semimetrics import Energy

pytestmark = pytest.mark.filterwarnings("ignore::kgroups.exceptions.TheoryWarning")
N, K = 60, 3
#: ρ(cx, cy) = c^p ρ(x, y).
POWERS = {
    "energy": 1.0, "sqeuclidean": 2.0, "manhattan": 1.0, "cosine": 0.0, "angular": 0.0,
    "hamming": 0.0, "jensen_shannon": 0.0, "hellinger": 0.0, "kendall_tau": 0.0, "mixed": 0.0,
    "chebyshev": 1.0, "braycurtis": 0.0, "correlation": 0.0, "seuclidean": 0.0,
}  # fmt: skip
TRANSLATED = ("energy", "sqeuclidean", "laplacian", "gaussian", "manhattan", "mixed", "chebyshev")
ROTATED = ("energy", "sqeuclidean", "laplacian", "gaussian", "cosine", "angular", "sine_squared")


def table(seed=0, n=N):
    """Positive multiples of 1/8, which float32 holds, in groups."""
    rng = np.random.default_rng(seed)
    centers = np.array([[4.0, 1, 1, 2], [1, 5, 1, 3], [1, 1, 6, 1]])
    return np.round(8 * (centers[np.arange(n) % K] + 0.6 * rng.random((n, 4)) + 0.5)) / 8


def uneven(n=N):
    return np.random.default_rng(1).integers(1, 5, n).astype(float)


START = np.random.default_rng(2).integers(K, size=N)


def fitted(X, weights=None, kind=KernelKGroups, **given):
    """From labels, so that nothing is drawn."""
    return kind(K, **{"init": START, **given}).fit(X, sample_weight=weights)


def same(found, first, factor=1.0, near=1e-9):
    assert found.labels_.tolist() == first.labels_.tolist()
    for name in ("within_dispersion_", "between_statistic_"):
        expected = factor * getattr(first, name)
        assert getattr(found, name) == pytest.approx(expected, rel=near, abs=near * factor)


# Units


@pytest.mark.parametrize("metric", POWERS)
def test_units_of_rows(metric):
    X, w = table(), uneven()
    for kind in (KernelKGroups, KernelKMeans):
        first = fitted(X, w, kind, metric=metric)
        for unit in (2.0**-40, 2.0**30, 1e-7, 1e5):
            near = 1e-9 if np.log2(unit) % 1 == 0 else 1e-6
            same(fitted(unit * X, w, kind, metric=metric), first, unit ** POWERS[metric], near)


def test_extreme_units():
    X, w = table(), uneven()
    for metric, alpha in ((Energy(), 1), (Energy(0.5), 0.5), (Energy(2), 2)):
        for method in ("dense", "matrix_free", "certified"):
            first = fitted(X, w, metric=metric, method=method)
            for exponent in (-400, -100, 100, 400):
                unit = 2.0**exponent
                found = fitted(unit * X, w, metric=metric, method=method)
                same(found, first, unit**alpha)
                heavy = fitted(X, unit * w, metric=metric, method=method)
                same(heavy, first, unit)
                np.testing.assert_allclose(heavy.cluster_weights_, unit * first.cluster_weights_)


@pytest.mark.parametrize("unit", [2.0**-300, 1e-9, 2.0**300])
def test_units_of_other_estimators(unit):
    X, w = table(), uneven()
    for estimator, data in (
        (KGroups1D(K), X[:, :1]),
        (EnergyAgglomerative(K), X),
        (KernelKGroups(K, random_state=0), X),
    ):
        first = estimator.fit(data, sample_weight=w)
        W, labels = first.within_dispersion_, first.labels_.copy()
        for rows, weights in ((unit * data, w), (data, unit * w)):
            found = estimator.fit(rows, sample_weight=weights)
            assert same_partition(found.labels_, labels)
            assert found.within_dispersion_ == pytest.approx(unit * W, rel=1e-8)
    for f in (stats.within_dispersion, stats.between_statistic):
        first = f(X, START, sample_weight=w)
        assert f(unit * X, START, sample_weight=w) == pytest.approx(unit * first, rel=1e-11)
        assert f(X, START, sample_weight=unit * w) == pytest.approx(unit * first, rel=1e-11)
    bound = bounds.spectral_bound(X, K, sample_weight=w)
    for rows, weights in ((unit * X, w), (X, unit * w)):
        found = bounds.spectral_bound(rows, K, sample_weight=weights)
        assert found == pytest.approx(unit * bound, rel=1e-7)
    first = stats.energy_test(X[:20], X[20:], n_permutations=19, random_state=0)
    found = stats.energy_test(unit * X[:20], unit * X[20:], n_permutations=19, random_state=0)
    assert (found.pvalue, found.statistic) == pytest.approx((first.pvalue, unit * first.statistic))
    chosen = [select.choose_n_clusters(Z, random_state=0).n_clusters for Z in (X, unit * X)]
    assert chosen[0] == chosen[1]


# Order, names and copies


HERE = [name for name in ROWS if ROWS[name].is_here]


@pytest.mark.parametrize("family", [HERE[::3], HERE[1::3], HERE[2::3]], ids=["a", "b", "c"])
def test_copies_are_weights_and_zeros_are_not_there(family):
    for metric in family:
        check_copies(metric)


def check_copies(metric):
    row = ROWS[metric]
    kind, (draw, _) = next(iter(row.taken.items()))
    drawn = draw(np.random.default_rng(1))
    make = next(iter(CONTAINERS[kind].values()))

    def some(places):
        chosen = drawn[places] if isinstance(drawn, np.ndarray) else [drawn[i] for i in places]
        return make(chosen)

    def refit(places, start, weights=None):
        model = KernelKGroups(K, metric=row.metric, n_jobs=1, init=start)
        return model.fit(some(places), sample_weight=weights)

    every, counts, start = np.arange(12), np.arange(12) % 4, np.arange(12) % K
    first = refit(every, start, counts)
    labels, W = first.labels_, pytest.approx(first.within_dispersion_, rel=1e-9)
    tripled, renamed = refit(every, start, 3 * counts), refit(every, (start + 1) % K, counts)
    assert tripled.labels_.tolist() == labels.tolist(), metric
    assert renamed.within_dispersion_ == W, metric
    if row.of_sample:
        return
    several, alive = np.repeat(every, counts), np.flatnonzero(counts)
    copies = refit(several, labels[several])
    assert copies.within_dispersion_ <= first.within_dispersion_ * (1 + 1e-9) + 1e-12, metric
    assert copies.n_moves_ > 0 or copies.within_dispersion_ == W, metric
    without = refit(alive, start[alive], counts[alive])
    assert without.labels_.tolist() == labels[alive].tolist(), metric
    assert without.within_dispersion_ == W, metric
    found = stats.within_dispersion(some(several), labels[several], metric=row.metric)
    assert found == W, metric


def test_the_order_of_rows_and_columns():
    X, w = table(), uneven()
    order, columns = (np.random.default_rng(3).permutation(n) for n in (N, 4))
    for metric in ("energy", "sqeuclidean", "manhattan", "hamming", "cosine", "gaussian"):
        first = fitted(X, w, metric=metric)
        same(fitted(X[:, columns], w, metric=metric), first)
        found = KernelKGroups(K, metric=metric, random_state=0).fit(
            X[order], sample_weight=w[order]
        )
        again = KernelKGroups(K, metric=metric, random_state=1).fit(X, sample_weight=w)
        near = pytest.approx(again.within_dispersion_, rel=1e-11)
        assert found.within_dispersion_ == near, metric
        assert same_partition(found.labels_, again.labels_[order]), metric
    for estimator in (EnergyAgglomerative(K), KGroups1D(K)):
        data = X + np.random.default_rng(4).normal(size=X.shape)
        data = data[:, :1] if isinstance(estimator, KGroups1D) else data
        first = estimator.fit(data, sample_weight=w).labels_.copy()
        found = estimator.fit(data[order], sample_weight=w[order])
        assert same_partition(found.labels_, first[order])
    proof = bounds.certify(X, first, sample_weight=w)
    other = bounds.certify(X[order], first[order], sample_weight=w[order])
    assert sorted(order[other.rows].tolist()) == proof.rows.tolist()
    assert other.within_dispersion == pytest.approx(proof.within_dispersion, rel=1e-12)


def test_translations_and_rotations():
    X, w = table(), uneven()
    for metric in TRANSLATED:
        first = fitted(X, w, metric=metric)
        for shift in (2.0**20, -(2.0**10), 0.125):
            same(fitted(X + shift, w, metric=metric), first, near=1e-9)
    turn = ortho_group.rvs(4, random_state=0)
    for metric in ROTATED:
        same(fitted(X @ turn, w, metric=metric), fitted(X, w, metric=metric))
    angles = np.column_stack([np.linspace(-60, 60, N), np.linspace(0, 300, N)])
    first = fitted(angles, w, metric="great_circle")
    same(fitted(angles + np.array([0, 45.0]), w, metric="great_circle"), first, near=1e-7)
    same(fitted(np.radians(angles), w, metric="haversine"), first, near=1e-7)


# Types and forms of the same numbers


@pytest.mark.parametrize("method", ["dense", "matrix_free", "certified", "nystroem"])
def test_float_types_and_sparse_rows(method):
    X, w = table(), uneven()
    X[X < 1.6] = 0.0
    for metric in ("energy", "sqeuclidean", "gaussian", "manhattan", "cosine", "angular"):
        given = {"metric": metric, "method": method, "random_state": 0, "init": "auto"}
        first = fitted(X, w, **given)
        single = fitted(X.astype(np.float32), w, **given)
        assert same_partition(single.labels_, first.labels_), metric
        near = pytest.approx(first.within_dispersion_, rel=1e-6)
        assert single.within_dispersion_ == near, metric
        if method != "certified" or metric in ("sqeuclidean", "cosine"):
            rows = fitted(sparse.csr_array(X), w, **given)
            assert same_partition(rows.labels_, first.labels_), metric
            near = pytest.approx(first.within_dispersion_, rel=1e-11)
            assert rows.within_dispersion_ == near, metric


def test_a_metric_and_its_matrix_and_its_kernel():
    X, w = table(), uneven()
    rho = Energy().pairwise(X)
    first = fitted(X, w)
    same(fitted(rho, w, metric="precomputed"), first)
    for origin in (0, 7):
        kernel = (rho[:, [origin]] + rho[[origin]] - rho) / 2
        model = fitted(kernel, w, metric="precomputed_kernel")
        assert model.labels_.tolist() == first.labels_.tolist()
        assert model.within_dispersion_ == pytest.approx(first.within_dispersion_, rel=1e-10)
    assert KernelKMeans(K, init=first.labels_).fit(X, sample_weight=w).n_iter_ == 1


# Networks


def network(seed=0, n=60, k=3):
    rng = np.random.default_rng(seed)
    labels = np.arange(n) % k
    chance = np.where(np.equal.outer(labels, labels), 0.6, 0.05)
    A = np.triu(rng.random((n, n)) < chance, 1) * np.round(rng.uniform(1, 4, (n, n)))
    return A + A.T, labels


GRAPHS = {
    "auto": GraphKGroups(random_state=0),
    "bethe_hessian": GraphKGroups(3, objective="bethe_hessian", random_state=0),
    "ratio_cut": GraphKGroups(3, objective="ratio_cut", random_state=0),
    "ratio_association": GraphKGroups(3, objective="ratio_association", random_state=0),
    "normalized_cut": GraphKGroups(3, objective="normalized_cut", random_state=0),
    "modularity": GraphKGroups(objective="modularity", random_state=0),
    "BetheHessianClustering": BetheHessianClustering(random_state=0),
}
#: The power of the unit of weights in the objective.
EDGE_POWERS = {"ratio_cut": 1, "ratio_association": 1}


@pytest.mark.parametrize("name", GRAPHS)
def test_networks_in_other_orders_and_units(name):
    A, labels = network()
    model = GRAPHS[name].fit(A)
    assert same_partition(model.labels_, labels)
    value = getattr(model, "objective_", None)
    order = np.random.default_rng(1).permutation(60)
    model.fit(A[np.ix_(order, order)])
    assert same_partition(model.labels_, labels[order])
    if value is not None:
        assert model.objective_ == pytest.approx(value, rel=1e-9)
    for unit in (2.0**-100, 1e-3, 2.0**200):
        model.fit(sparse.csr_array(unit * A))
        assert same_partition(model.labels_, labels), unit
        if value is not None:
            factor = unit ** EDGE_POWERS.get(name, 0)
            assert model.objective_ == pytest.approx(factor * value, rel=1e-9)
    for score in (
        metrics.modularity,
        metrics.normalized_cut,
        metrics.coverage,
        metrics.performance,
    ):
        first = score(A, labels)
        assert score(1e-7 * A, labels) == pytest.approx(first, rel=1e-12)
        assert score(A[np.ix_(order, order)], labels[order]) == pytest.approx(first, rel=1e-12)
