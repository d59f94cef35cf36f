"""A small group far away is a cluster where W says so, whatever holds the similarities."""

import numpy as np
import pytest

from kgroups import KernelKGroups
from kgroups.semimetrics import Energy, Gaussian
from kgroups.stats import within_dispersion


def far_group(seed, n_columns, shift, n=1_000, n_far=30):
    """Standard normal rows, and a few of half the deviation at a distance; which are which."""
    rng = np.random.default_rng(seed)
    far = shift + 0.5 * rng.normal(size=(n_far, n_columns))
    return np.concatenate([rng.normal(size=(n, n_columns)), far]), np.arange(n + n_far) >= n


CASES = {
    "five columns": (5, 3.0, "energy", {}),
    "ten columns": (10, 2.5, "energy", {}),
    "twenty columns": (20, 2.0, "energy", {}),
    "alpha": (5, 3.0, Energy(1.5), {}),
    "gaussian": (10, 2.5, Gaussian("median"), {}),
    "squared": (5, 3.0, Energy(2), {}),
    "on a sketch": (5, 3.0, "energy", {"n": 6_000, "n_far": 150}),
    "on a sketch, alpha": (5, 3.0, Energy(1.5), {"n": 6_000, "n_far": 150}),
}


@pytest.mark.parametrize("seed", [100, 101])
@pytest.mark.parametrize("case", CASES)
def test_w_is_at_most_that_of_the_groups(case, seed):
    n_columns, shift, metric, sizes = CASES[case]
    X, is_far = far_group(seed, n_columns, shift, **sizes)
    model = KernelKGroups(2, metric=metric, random_state=seed).fit(X)
    most = within_dispersion(X, is_far, metric=model.metric_)
    assert model.within_dispersion_ <= most * (1 + 1e-12)


def test_of_a_given_matrix():
    X, is_far = far_group(100, 5, 3.0)
    model = KernelKGroups(2, metric="precomputed", random_state=0).fit(Energy().pairwise(X))
    assert model.within_dispersion_ <= within_dispersion(X, is_far) * (1 + 1e-12)


def test_next_to_two_large_groups():
    X, is_far = far_group(100, 5, -3.0)
    X[:500, 0] += 8
    truth = np.where(is_far, 2, np.arange(len(X)) < 500)
    model = KernelKGroups(3, random_state=0).fit(X)
    assert model.within_dispersion_ <= within_dispersion(X, truth) * (1 + 1e-12)
