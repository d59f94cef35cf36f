"""The dip against a linear program, its p-values, and numbers worked out by hand."""

import numpy as np
import pytest
from scipy.optimize import linprog

from helpers import each
from kgroups.stats import dip_test
from kgroups.stats.dip_test import _size_simulated, dip, dip_of_sorted, dip_pvalue


def dip_by_linear_programs(x):
    """Least d such that a unimodal function lies within d of F_n: one program a mode."""
    u, count = np.unique(x, return_counts=True)
    high = np.cumsum(count) / len(x)
    low, m = high - count / len(x), len(u)
    best = np.inf
    for mode in range(m):
        # G at each value from the left, G at the mode from the right, d.
        rows, bounds = [], []

        def add(coefficients, bound):
            row = np.zeros(m + 2)
            for place, value in coefficients:
                row[place] += value
            rows.append(row)
            bounds.append(bound)

        for i in range(m):
            for place, F in ((i, low[i]), (m if i == mode else i, high[i])):
                add([(place, -1), (m + 1, -1)], -F)
                add([(place, 1), (m + 1, -1)], F)
        add([(mode, 1), (m, -1)], 0)
        after = [m if i == mode else i for i in range(m)]
        for i in range(m - 1):
            add([(after[i], 1), (i + 1, -1)], 0)
        for i in range(1, m - 1):
            left, right = 1 / (u[i] - u[i - 1]), 1 / (u[i + 1] - u[i])
            if i < mode:
                add([(i, left + right), (i - 1, -left), (i + 1, -right)], 0)
            if i > mode:
                add([(i, -left - right), (after[i - 1], left), (i + 1, right)], 0)
        found = linprog(
            np.eye(m + 2)[-1], A_ub=np.array(rows), b_ub=bounds, bounds=[(0, 1)] * (m + 2)
        )
        if found.success:
            best = min(best, found.fun)
    return best


@each("seed", range(20))
def test_dip_is_that_of_the_best_unimodal_function(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 14))
    x = [
        lambda: rng.normal(size=n),
        lambda: rng.integers(0, 8, n).astype(float),
        lambda: np.concatenate([rng.normal(0, 0.2, n), rng.normal(4, 0.2, n)]),
    ][seed % 3]()
    # By convention never below 1/(2n), where equal points alone would be.
    assert dip(x) == pytest.approx(max(dip_by_linear_programs(x), 0.5 / len(x)), abs=1e-7)


@pytest.mark.nojit
def test_two_lumps_have_a_quarter_and_a_staircase_the_least():
    # Half of the mass at each of two points: F is 1/2 between them, and a line from (0, 1/4) to
    # (1, 3/4) is within 1/4 of it.
    lumps = np.repeat([0.0, 1.0], 50)
    assert dip_of_sorted(lumps) == pytest.approx(0.25)
    assert dip_of_sorted(np.arange(10.0)) == pytest.approx(1 / 20)
    assert dip_of_sorted(np.full(7, 3.0)) == pytest.approx(1 / 14)


def test_dip_does_not_feel_order_place_or_scale():
    x = np.random.default_rng(3).gamma(1.0, size=200)
    assert dip(x[::-1].copy()) == dip(x)
    assert dip(1e3 * x + 7) == pytest.approx(dip(x), rel=1e-9)
    assert dip(-x) == pytest.approx(dip(x), rel=1e-9)


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


@each("n", [60, 450, 3_000])
def test_uniform_samples_are_rejected_as_often_as_the_level_says(n):
    rng = np.random.default_rng(n)
    count = 400 if n < 1_000 else 150
    p = np.array([dip_pvalue(rng.uniform(size=n)) for _ in range(count)])
    # Within 3.3 standard errors of 0.1 and of 0.5.
    assert abs((p <= 0.1).mean() - 0.1) < 3.3 * np.sqrt(0.09 / count)
    assert abs((p <= 0.5).mean() - 0.5) < 3.3 * np.sqrt(0.25 / count)


def test_gaussians_are_rejected_less_often_and_two_modes_always():
    rng = np.random.default_rng(1)
    lump = [dip_test(rng.normal(size=100)).pvalue for _ in range(100)]
    pair = [dip_test(rng.normal(size=100) + 5 * (np.arange(100) % 2)).pvalue for _ in range(20)]
    assert min(lump) > 0.05
    assert max(pair) <= 0.01


@each("x", [[1.0], [1.0, 2.0], [1.0, 5.0, 9.0]])
def test_few_points_never_reject(x):
    assert dip_test(x).pvalue == 1.0
