"""Every semimetric, with data of the kind that it compares."""

import numpy as np
import pytest

from kgroups.semimetrics import (
    ColumnSum,
    DampedSquared,
    Energy,
    Gaussian,
    GreatCircle,
    Hamming,
    Hellinger,
    Jaccard,
    JensenShannon,
    KendallTau,
    Laplacian,
    Manhattan,
    SineSquared,
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
    return ColumnSum([(Energy(0.7), [0]), (Manhattan(), slice(None), 0.5)])


NEGATIVE_TYPE = {
    "energy-0.5": (Energy(0.5), numbers),
    "energy-1": (Energy(), numbers),
    "energy-1.3": (Energy(1.3), numbers),
    "energy-1.5": (Energy(1.5), numbers),
    "energy-2": (Energy(2.0), numbers),
    "laplacian": (Laplacian(sigma=0.8), numbers),
    "gaussian": (Gaussian(sigma=1.7), numbers),
    "manhattan": (Manhattan(), numbers),
    "hamming": (Hamming(), codes),
    "jensen_shannon": (JensenShannon(), histograms),
    "hellinger": (Hellinger(), histograms),
    "great_circle": (GreatCircle(radius=2.0), places),
    "kendall_tau": (KendallTau(), rankings),
    "jaccard": (Jaccard(), sets),
    "column_sum": (total(5), numbers),
}


CLAIM_NOTHING = {
    "damped_squared": (DampedSquared(), numbers),
    "sine_squared": (SineSquared(), numbers),
}


ALL = {**NEGATIVE_TYPE, **CLAIM_NOTHING}


def each(cases):
    return pytest.mark.parametrize(("rho", "draw"), cases.values(), ids=cases.keys())
