"""Published numbers, how ours are judged next to them, and that experiments and files agree."""

from math import isnan, sqrt

import numpy as np
import pytest
from scipy.stats import binom, norm

from helpers import each
from papers.experiment import catalog
from papers.published import DEFAULT, FOLDER, INFERRED, PAPER, Published
from papers.verdicts import Estimate, judge, judge_default, published_error

DIGITS = 1e-9


def theirs(value, digits=2, *, cut=False, error=None, runs=None):
    digit = 10.0**-digits
    return Published(value, 0.5 * digit + DIGITS, (1 if cut else 0.5) * digit + DIGITS, error, runs)


def test_estimate_by_hand():
    found = Estimate.of(np.array([1.0, 2.0, 3.0]))
    assert found == (2.0, 1.0, 3)
    assert found.error == 1 / sqrt(3)
    single = Estimate.of(np.array([0.5]))
    assert (single.mean, single.deviation) == (0.5, 0.0)
    assert isnan(single.error)
    # Ten times the same but for the last digit: neither rounding nor order makes a spread.
    assert Estimate.of(np.array([0.1 + 0.2, 0.3] * 5)).deviation == 0
    assert Estimate.of(np.array([0.3, 0.3001] * 5)).deviation == pytest.approx(5.27e-5, abs=1e-7)


@each(
    ("value", "expected"),
    [
        # Combined error .0141, so 2.5 of them are .0354, and rounding leaves .005 more.
        (0.53, "agrees"),
        (0.54, "agrees"),
        (0.55, "lower"),
        (0.46, "agrees"),
        (0.45, "higher"),
    ],
)
def test_verdict_by_hand(value, expected):
    assert judge(Estimate(0.5, 0.1, 100), theirs(value), 0.01) == expected


def test_digits_that_are_rounded_or_cut():
    def verdict(mean, number):
        return judge(Estimate(mean, 0.0, 100), number, 0.0)

    assert verdict(0.754, theirs(0.75)) == "agrees"
    assert verdict(0.757, theirs(0.75)) == "higher"
    assert verdict(0.757, theirs(0.75, cut=True)) == "agrees"
    assert verdict(0.7601, theirs(0.75, cut=True)) == "higher"
    for cut in (False, True):
        assert verdict(0.7451, theirs(0.75, cut=cut)) == "agrees"
        assert verdict(0.7449, theirs(0.75, cut=cut)) == "lower"
    assert verdict(0.1 + 0.2, theirs(0.3, digits=1, cut=True)) == "agrees"


def test_defaults_by_hand():
    number = theirs(0.5, digits=4)
    assert judge_default(Estimate(0.4501, 0.4, 100), number, 0.03) == "not below"  # combined .05
    assert judge_default(Estimate(0.4498, 0.4, 100), number, 0.03) == "below"
    # Two runs: Student's t with one degree of freedom that is as rare as one error is at 1.837.
    spread = 0.04 * sqrt(2)
    assert judge_default(Estimate(0.5 - 1.83 * 0.05, spread, 2), number, 0.03) == "not below"
    assert judge_default(Estimate(0.5 - 1.85 * 0.05, spread, 2), number, 0.03) == "below"


@each(("n", "n_theirs"), [(100, 100), (40, 1000), (4, 100), (8, 8)])
def test_honest_numbers_are_outside_as_often_as_chance_has_it(n, n_theirs):
    """Both means are of the same distribution; the published one is printed with many digits."""
    rng, trials = np.random.default_rng([n, n_theirs]), 4_000
    outside = 0
    for mean in rng.normal(0.0, 1 / sqrt(n_theirs), trials):
        ours = Estimate.of(rng.normal(size=n))
        number = theirs(mean, digits=9, runs=n_theirs)
        outside += judge(ours, number, published_error(number, ours)) != "agrees"
    low, high = binom.interval(1 - 1e-4, trials, 2 * norm.sf(2.5))
    # A normal quantile on 40 estimated deviations is a little too narrow.
    assert low <= outside <= high * 1.3


def test_experiments_of_the_catalog_hold_together():
    """Names of cases, methods and measures stand for one thing each, in scripts and files."""
    files = {path.stem for path in FOLDER.iterdir()} - {"table6-partition"}
    assert files == set(catalog())
    names = [n for e in catalog().values() for n in (e.name, *e.facts.other_names)]
    assert len(names) == len(set(names))
    for experiment in catalog().values():
        facts, cases = experiment.facts, set(experiment.cases)
        roles = {method.key: method.role for method in facts.methods}
        assert set(experiment.quick_cases) <= cases, experiment.name
        assert experiment.data.keys() <= cases, experiment.name
        assert 1 <= experiment.quick_runs <= experiment.runs, experiment.name
        for method in facts.methods:
            assert not method.against or method.role == DEFAULT, experiment.name
            against = {facts.compared_with(method, case) for case in cases}
            assert against <= {*roles, ""}, experiment.name
        for case, key, measure in facts.numbers:
            assert case in cases, experiment.name
            assert roles[key] in (PAPER, INFERRED), experiment.name
            assert measure in facts.measures, experiment.name
        for cause in facts.causes:
            assert cause.text.endswith("."), experiment.name
            assert set(cause.methods) <= roles.keys(), experiment.name
            assert set(cause.cases) <= cases, experiment.name
            assert set(cause.measures) <= set(facts.measures), experiment.name
