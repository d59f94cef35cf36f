"""The blockwise bound: below the spectral one, proved, and chosen where there are many points."""

import numpy as np

from bound_cases import plain_bound
from helpers import each
from kgroups import KernelKGroups
from kgroups.bounds import spectral_bound
from kgroups.bounds.blockwise import _largest_sum
from kgroups.semimetrics import by_name


def blockwise_cases():
    """Points, name of the metric, weights."""
    rng = np.random.default_rng(10)
    n = 400
    X = rng.normal(size=(n, 10)) + 3 * rng.normal(size=(4, 10))[rng.integers(4, size=n)]
    uneven = 10.0 ** rng.uniform(-8, 8, n) * (rng.uniform(size=n) > 0.2)
    cases = {name: (X, name, None) for name in ("energy", "laplacian", "gaussian")}
    return cases | {
        "hamming": (rng.integers(0, 3, size=(n, 8)).astype(float), "hamming", None),
        "jensen_shannon": (rng.dirichlet(np.ones(6), size=n), "jensen_shannon", None),
        "lognormal": (rng.lognormal(sigma=3, size=(n, 3)), "energy", None),
        "Cauchy": (rng.standard_cauchy(size=(n, 3)), "energy", None),
        "duplicates": (np.repeat(X[:20], 20, axis=0), "energy", None),
        "equal": (np.ones((n, 2)), "energy", None),
        "weights": (X, "energy", uneven),
        "far off": (X + 1e6, "energy", None),
        "large": (1e100 * X, "energy", None),
        "small": (1e-100 * X, "energy", None),
        "line": (X[:, :1], "energy", None),
        "flat": (rng.normal(size=(n, 200)), "energy", None),
    }


@each("name", blockwise_cases())
def test_blockwise_bound_is_below_the_spectral_one(name, monkeypatch):
    X, metric, w = blockwise_cases()[name]
    how = {"metric": metric, "sample_weight": w}
    total = spectral_bound(X, 1, **how)
    rho = np.asarray(by_name(metric).resolve(X).pairwise(X))
    weights = np.ones(len(X)) if w is None else w
    # a block is the whole only from 10 k points on
    for k in (1, 2, 5, 20, 50, int((weights > 0).sum()) - 1):
        found = spectral_bound(X, k, method="blockwise", **how)
        exact = plain_bound(-0.5 * rho, weights, k)
        assert 0.0 <= found <= max(exact, 0.0) + 1e-12 * total
        if k >= 40:
            assert found >= exact - 0.1 * total
    # so many fewer pairs still say most: 1/m of the total and the overfit of one direction
    if name in ("energy", "laplacian", "gaussian", "far off", "large", "small", "line", "flat"):
        assert spectral_bound(X, 2, method="blockwise", **how) > 0.8 * plain_bound(
            -0.5 * rho, weights, 2
        )


@each("name", ["decaying", "flat", "low rank", "one", "zero"])
@each("count", [0, 1, 5, 20, 100])
def test_sum_of_eigenvalues_is_proved(name, count):
    rng = np.random.default_rng(12)
    m = 200
    spectrum = {
        "decaying": 1 / np.arange(1.0, m + 1), "flat": np.ones(m), "zero": np.zeros(m),
        "low rank": np.r_[5.0, 4.0, 3.0, np.zeros(m - 3)], "one": np.r_[1.0, np.zeros(m - 1)],
    }[name]  # fmt: skip
    Q = np.linalg.qr(rng.normal(size=(m, m)))[0]
    found = _largest_sum((Q * spectrum) @ Q.T, count)
    exact = spectrum[:count].sum()
    assert exact - 1e-13 * spectrum.sum() <= found
    assert found <= 1.05 * exact + 1e-10 * spectrum.sum()


def test_automatic_bound_is_exact_up_to_2000_points_and_blockwise_beyond():
    X = np.random.default_rng(14).normal(size=(2_500, 3))
    assert spectral_bound(X[:700], 4) == spectral_bound(X[:700], 4, method="exact")
    beyond = spectral_bound(X, 4)
    assert beyond == spectral_bound(X, 4, method="blockwise") < spectral_bound(X, 4, method="exact")
    gap = KernelKGroups(4, random_state=0).fit(X).optimality_gap()
    assert gap.kind == "blockwise"
    assert gap.bound == beyond
    assert 0 < gap.gap < 1
    one = KernelKGroups(1, random_state=0).fit(X).optimality_gap()
    assert one.kind == "spectral"
    assert one.proves_optimal
