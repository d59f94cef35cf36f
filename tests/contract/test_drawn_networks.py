"""Random networks: the laws that their edges, degrees and sizes follow, and what has no law."""

import numpy as np
import pytest
from scipy import stats as scipy_stats

from kgroups import graphs


def is_likely(count, total, chance):
    return scipy_stats.binomtest(int(count), int(total), chance).pvalue > 1e-5


def is_simple(A):
    """Symmetric ones without loops, each place once."""
    plain = A.toarray()
    return (
        A.has_canonical_format
        and (A.data == 1).all()
        and (plain == plain.T).all()
        and not (plain.diagonal().any())
    )


def test_pairs_of_the_girvan_newman_benchmark():
    inside = between = 0
    for seed in range(40):
        A, labels = graphs.girvan_newman_graph(out_degree=6, random_state=seed)
        same = np.equal.outer(labels, labels)
        assert is_simple(A)
        inside, between = inside + A.toarray()[same].sum(), between + A.toarray()[~same].sum()
    assert is_likely(inside / 2, 40 * 4 * 496, 10 / 31)
    assert is_likely(between / 2, 40 * 6 * 32**2, 6 / 96)


def test_dense_and_uneven_pairs():
    """Chances near one, where a step to the next pair is short, and products of weights."""
    n = 300
    A, _ = graphs.stochastic_block_model(n, 1, 0.8 * n, 0, random_state=0)
    assert is_likely(A.sum() / 2, n * (n - 1) / 2, 0.8)
    theta = np.repeat([0.2, 0.6, 2.2], 100)
    A, labels = graphs.stochastic_block_model(
        n, 2, 40, 3, degree_weights=theta, loops=True, random_state=1
    )
    plain, same = A.toarray(), np.equal.outer(labels, labels)
    assert A.has_canonical_format
    assert (A.data == 1).all()
    rates = np.where(same, 40 + 3 * np.sqrt(40), 40 - 3 * np.sqrt(40)) / n
    chance = np.minimum(rates * np.outer(theta, theta), 1)
    for i in range(3):
        for j in range(i, 3):
            for of in (same, ~same):
                pairs = np.triu(of, 1)[i * 100 : i * 100 + 100, j * 100 : j * 100 + 100]
                some = chance[i * 100 : i * 100 + 100, j * 100 : j * 100 + 100][pairs]
                found = plain[i * 100 : i * 100 + 100, j * 100 : j * 100 + 100][pairs].sum()
                assert np.ptp(some) < 1e-12
                assert is_likely(found, pairs.sum(), some[0]), (i, j)
    loops = plain.diagonal()[200:].sum()
    assert is_likely(loops, 100, chance[299, 299])


def test_degrees_that_follow_a_power_law():
    """Weights 1 + Pareto: P(θ > t) is t^(1 − exponent), in units of the least."""
    n, exponent = 4000, 3.5
    A, _ = graphs.degree_corrected_block_model(n, 1, 30, 0, exponent=exponent, random_state=0)
    degrees = A.sum(axis=1)
    mean = (exponent - 1) / (exponent - 2)
    for times in (2, 3):
        expected = (times * mean) ** (1 - exponent)
        assert (degrees > times * degrees.mean()).mean() == pytest.approx(expected, rel=0.25)


def test_networks_of_lancichinetti_and_others():
    total, outside, degrees, sizes = 0, 0, [], []
    for seed in range(6):
        A, labels = graphs.lfr_graph(
            600, mixing=0.25, average_degree=10, max_degree=40, degree_exponent=2.5,
            community_exponent=1.5, min_community=20, max_community=100, random_state=seed,
        )  # fmt: skip
        assert is_simple(A)
        plain = A.toarray()
        d = plain.sum(axis=1)
        out = (plain * ~np.equal.outer(labels, labels)).sum(axis=1)
        # Each node has its share of edges outside, but for rounding and single edges.
        assert np.abs(out - 0.25 * d).max() <= 2
        total, outside = total + d.sum(), outside + out.sum()
        degrees, sizes = [*degrees, *d], [*sizes, *np.bincount(labels)]
        assert d.max() <= 40
        assert 20 <= min(np.bincount(labels)) <= max(np.bincount(labels)) <= 100
    assert outside / total == pytest.approx(0.25, abs=0.005)
    assert total / 3600 == pytest.approx(10, rel=0.03)
    # Above the least degrees the law is x^−2.5.
    x = np.arange(8.0, 41)
    law = x**-2.5 / (x**-2.5).sum()
    degrees = np.array(degrees)
    large = degrees[degrees >= 8]
    assert (large >= 16).mean() == pytest.approx(law[8:].sum(), abs=0.05)
    x = np.arange(20.0, 101)
    mean = (x**-0.5).sum() / (x**-1.5).sum()
    assert np.mean(sizes) == pytest.approx(mean, rel=0.1)


def test_seeds():
    draws = {
        "block": lambda seed: graphs.stochastic_block_model(60, 2, 6, 1, random_state=seed),
        "planted": lambda seed: graphs.planted_partition(60, 2, 6, 0.8, random_state=seed),
        "benchmark": lambda seed: graphs.girvan_newman_graph(2.0, random_state=seed),
        "uneven": lambda seed: graphs.degree_corrected_block_model(60, 2, 6, 1, random_state=seed),
        "lfr": lambda seed: graphs.lfr_graph(250, mixing=0.1, average_degree=5, random_state=seed),
    }
    for name, draw in draws.items():
        first, again, other = draw(3), draw(3), draw(4)
        assert (first[0] != again[0]).nnz == 0, name
        assert first[1].tolist() == again[1].tolist(), name
        assert (first[0] != other[0]).nnz > 0, name


def test_what_no_network_can_have():
    draw = graphs.stochastic_block_model
    A, _ = draw(40, 3, 4, -1.0, random_state=0)  # a = 0: no edges inside
    labels = draw(40, 3, 4, -1.0, random_state=0)[1]
    assert not (A.toarray() * np.equal.outer(labels, labels)).any()
    assert draw(40, 2, 4, 2.0, random_state=0)[0].nnz > 0  # b = 0
    lfr = {"n": 100, "mixing": 0.1, "average_degree": 5}
    wrong = (
        (lambda: draw(40, 3, 4, -1.01), r"snr.*negative"),
        (lambda: draw(40, 41, 4, 0), r"k=41"),
        (lambda: draw(40, 2, 41, 0), r"degree.*40"),
        (lambda: draw(40, 2, 0, 0), r"degree"),
        (lambda: draw(40, 2, 4, np.nan), r"snr"),
        (lambda: draw(40, 2, 4, 0, sizes=[10, 29]), r"sizes"),
        (lambda: draw(40, 2, 4, 0, sizes=[20, 20], balanced=True), r"sizes.*balanced"),
        (lambda: draw(40, 2, 4, 0, degree_weights=np.zeros(40)), r"degree_weights.*zero"),
        (lambda: draw(40, 2, 4, 0, degree_weights=-np.ones(40)), r"degree_weights.*negative"),
        (lambda: graphs.planted_partition(40, 2, 4, 1.1), r"inside"),
        (lambda: graphs.planted_partition(40, 1, 4, 0.5), r"inside"),
        (graphs.girvan_newman_graph, r"snr.*out_degree"),
        (lambda: graphs.girvan_newman_graph(1.0, out_degree=3), r"snr.*out_degree"),
        (lambda: graphs.girvan_newman_graph(out_degree=17), r"out_degree"),
        (lambda: graphs.degree_corrected_block_model(40, 2, 4, 0, exponent=2), r"exponent"),
        (lambda: graphs.lfr_graph(**lfr, max_degree=30, max_community=20), r"max_degree.*commun"),
        (lambda: graphs.lfr_graph(**lfr, max_degree=100), r"max_degree"),
        (lambda: graphs.lfr_graph(**lfr, min_community=60, max_community=70), r"sum to n"),
        (lambda: graphs.lfr_graph(**{**lfr, "mixing": 1.5}), r"mixing"),
        (lambda: graphs.signal_to_noise_ratio(-1, 2, 2), r"rates"),
        (lambda: graphs.signal_to_noise_ratio(0, 0, 2), r"no edges"),
    )
    for i, (call, words) in enumerate(wrong):
        with pytest.raises(ValueError, match=words):
            pytest.fail(f"{i}: {call()}")
    assert graphs.signal_to_noise_ratio(7, 1, 2) == 1.5
    assert graphs.signal_to_noise_ratio(1, 7, 2) == -1.5
