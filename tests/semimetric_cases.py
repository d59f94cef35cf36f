"""Every semimetric, with data of the kind that it compares."""

import numpy as np

from helpers import each
from kgroups import semimetrics as sm


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


NEGATIVE_TYPE = {
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
}


CLAIM_NOTHING = {
    "damped_squared": (sm.DampedSquared(), numbers),
    "sine_squared": (sm.SineSquared(), numbers),
}


ALL = {**NEGATIVE_TYPE, **CLAIM_NOTHING}


def each_semimetric(cases):
    """A test of every semimetric of some, in one case."""
    return each(("rho", "draw"), cases.values())
