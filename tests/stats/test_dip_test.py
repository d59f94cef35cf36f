"""The dip at the end of the range, the sizes that are simulated, and its p-values."""

import numpy as np
import pytest

from helpers import each
from kgroups.stats import dip_test
from kgroups.stats.dip_test import _size_simulated, dip, dip_pvalue


@pytest.mark.nojit
@each("unit", [1e-310, 1e300, 1.6e308])
def test_units_at_the_end_of_the_range(unit):
    x = np.concatenate([np.linspace(-1, -0.9, 20), np.linspace(0.9, 1, 20)])
    assert dip(unit * x) == pytest.approx(dip(x), rel=1e-9)


def test_sizes_beyond_100_share_simulations():
    sizes = {_size_simulated(n) for n in range(1, 50_000)}
    several = {109, 120, 132, 148, 166, 189, 218, 256, 307, 380, 489, 667, 1000, 1797}
    assert sizes == {*range(1, 101), *several}
    # Nearest is what differs least in n^(-3/4): by half of the distance between sizes at most.
    off = [abs(_size_simulated(n) ** -0.75 - n**-0.75) for n in range(101, 1_797)]
    assert 0.0009 < max(off) < 0.00105


@each("n", [105, 808, 1_300])
def test_p_values_between_two_sizes_are_those_of_the_size_itself(n):
    """The worst places: simulations of the size itself reject as often, up to their error."""
    rng = np.random.default_rng(n)
    own = np.cumsum(rng.standard_exponential((6_000, n)), axis=1)
    p = np.array([dip_pvalue(row) for row in own])
    for level in (0.025, 0.05, 0.5):
        error = np.sqrt(level * (1 - level) * (1 / 6_000 + 1 / 1_999))
        assert abs((p <= level).mean() - level) < 3.3 * error


def test_gaussians_are_rejected_less_often_and_two_modes_always():
    rng = np.random.default_rng(1)
    lump = [dip_test(rng.normal(size=100)).pvalue for _ in range(100)]
    pair = [dip_test(rng.normal(size=100) + 5 * (np.arange(100) % 2)).pvalue for _ in range(20)]
    assert min(lump) > 0.05
    assert max(pair) <= 0.01
