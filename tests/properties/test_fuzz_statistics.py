"""Statistics of drawn samples against the definitions, to 1e-9."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import energy_distance as of_scipy

import oracle
from drawn import groups, seeds, tables
from kgroups import stats

pytestmark = pytest.mark.filterwarnings("ignore::kgroups.exceptions.TheoryWarning")


def close(found, expected, size):
    return abs(float(found) - float(expected)) <= 1e-9 * float(size)


def grouped(table, data, least=1):
    """Labels of the rows, distances by definition, and their largest."""
    z = data.draw(groups(len(table.X), least=least))
    rho = oracle.distances(table.space.definition, table.X)
    return z, int(z.max()) + 1, rho, max(np.abs(rho).max(), 1e-300)


@given(tables(), st.data())
def test_dispersions_of_labels(table, data):
    z, k, rho, _ = grouped(table, data)
    w = table.weights
    assume(all(w[z == j].any() for j in range(k)))
    size = w @ np.abs(rho) @ w / (2 * w.sum())
    given_ = {"metric": table.space.metric, "sample_weight": w}
    W = stats.within_dispersion(table.X, z, **given_)
    S = stats.between_statistic(table.X, z, **given_)
    assert close(W, oracle.within_dispersion(rho, z, w, k), size)
    assert close(S, oracle.between(rho, z, w, k), size)


@given(tables(), st.data())
def test_energy_distance_and_mmd(table, data):
    z, k, rho, most = grouped(table, data, least=2)
    del k
    a, b = z == 0, z == 1
    X, w, metric = table.X, table.weights, table.space.metric
    parts = [rho[np.ix_(p, q)] for p, q in ((a, b), (a, a), (b, b))]
    if w[a].any() and w[b].any():
        expected = oracle.energy_distance(
            *parts, oracle.long(w[a]), oracle.long(w[b]), unbiased=False
        )
        given_ = {"metric": metric, "sample_weight_X": w[a], "sample_weight_Y": w[b]}
        assert close(stats.energy_distance(X[a], X[b], **given_), expected, most)
        assert close(stats.mmd(X[a], X[b], squared=True, **given_), expected / 2, most)
    if min(a.sum(), b.sum()) > 1:
        ones = (oracle.long(np.ones(group.sum())) for group in (a, b))
        expected = oracle.energy_distance(*parts, *ones, unbiased=True)
        found = stats.energy_distance(X[a], X[b], metric=metric, unbiased=True)
        assert close(found, expected, most)


@given(st.integers(1, 12), st.integers(1, 12), seeds)
def test_energy_distance_on_a_line_is_the_square_of_scipys(n, m, seed):
    rng = np.random.default_rng(seed)
    x, y = rng.integers(0, 6, n).astype(float), rng.normal(size=m)
    assert close(stats.energy_distance(x, y), of_scipy(x, y) ** 2, 1.0)


@given(tables(), st.data(), seeds)
def test_tests_of_equal_distributions(table, data, seed):
    z, k, rho, most = grouped(table, data, least=2)
    n = len(z)
    assume(n > k)
    settings = {"metric": table.space.metric, "n_permutations": 19, "random_state": seed}
    T = oracle.test_statistic(rho, z, k)
    found = stats.energy_test(table.X, labels=z, **settings)
    size = n * most
    assert close(found.statistic, T, size)
    apart, sizes = oracle.e_distances(rho, z, np.ones(n), k)
    as_in_R = oracle.over(np.outer(sizes, sizes), sizes + sizes[:, None]) * apart
    assert np.abs(found.energy - as_in_R).max() <= 1e-9 * size
    assert len(found.permuted) == 19
    as_large = np.sum(found.permuted >= float(T) - 1e-9 * float(size))
    larger = np.sum(found.permuted > float(T) + 1e-9 * float(size))
    assert (1 + larger) / 20 - 1e-12 <= found.pvalue <= (1 + as_large) / 20 + 1e-12
    again = stats.disco(table.X, z, **settings)
    W, S = (f(rho, z, np.ones(n), k) for f in (oracle.within_dispersion, oracle.between))
    assert close(again.within, W, size)
    assert close(again.between, S, size)
    if 1e-6 * size < W:
        expected = oracle.disco_statistic(rho, z, k)
        assert close(again.statistic, expected, abs(expected) + size / W)
    if n <= 6:
        every = {float(oracle.test_statistic(rho, z[list(p)], k)) for p in permutations(range(n))}
        every = np.array(sorted(every))
        for value in found.permuted:
            assert np.abs(every - value).min() <= 1e-9 * size
