"""Published numbers, how ours are judged next to them, and that experiments and files agree."""

import json
from math import isnan, nan, sqrt

import numpy as np
import pytest
from scipy.stats import binom, norm

from helpers import each
from papers.experiment import Role, catalog
from papers.published import (
    FOLDER,
    Cause,
    Estimate,
    Published,
    causes,
    judge,
    judge_default,
    published,
)

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


def test_errors_of_published_numbers_by_hand():
    ours = Estimate(0.5, 0.3, 9)
    assert theirs(0.5, runs=36).error_by(ours) == pytest.approx(0.05)
    assert theirs(0.5, error=0.07, runs=36).error_by(ours) == 0.07
    assert theirs(0.5, error=0.0, runs=36).error_by(ours) == 0
    assert theirs(0.5).error_by(ours) == 0  # found once
    assert theirs(0.5, runs=36).error_by(None) == 0  # not repeated
    assert theirs(0.5, runs=36).error_by(Estimate(0.5, 0.0, 1)) == 0


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


def test_nan_agrees_with_nothing():
    ours = Estimate(nan, nan, 100)
    assert judge(ours, theirs(0.5), 0.1) == "lower"
    assert judge_default(ours, theirs(0.5), 0.1) == "below"


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
        outside += judge(ours, number, number.error_by(ours)) != "agrees"
    low, high = binom.interval(1 - 1e-4, trials, 2 * norm.sf(2.5))
    # A normal quantile on 40 estimated deviations is a little too narrow.
    assert low <= outside <= high * 1.3


def test_published_numbers_are_read():
    """[FRV] Tables II and VI, and Table 1 of [FRV-a], whose spread is a standard error."""
    table2 = published("table2")
    assert table2["imputed", "kgroups", "accuracy"].value == 0.9617
    table6 = published("table6")
    assert table6["partition", "kgroups", "modularity"] == theirs(0.55, runs=1)
    assert table6["counts", "network", "edges"] == theirs(14496, digits=0, runs=1)
    cigars = published("icml-table1")["cigars", "spectral", "accuracy"]
    assert (cigars.value, cigars.error) == (0.557, 0.014)
    assert published("there is no such file") == {}


def test_experiments_of_the_catalog_hold_together():
    """Names of cases and methods stand for one thing each."""
    assert len(catalog()) == 25
    names = [n for e in catalog().values() for n in (e.name, *e.other_names)]
    assert len(names) == len(set(names))
    for experiment in catalog().values():
        roles = {method.key: method.role for method in experiment.methods}
        assert len(roles) == len(experiment.methods) > 0, experiment.name
        assert set(experiment.quick_cases) <= experiment.cases.keys(), experiment.name
        assert experiment.data.keys() <= experiment.cases.keys(), experiment.name
        assert 1 <= experiment.quick_runs <= experiment.runs, experiment.name
        for method in experiment.methods:
            assert not method.against or method.role is Role.DEFAULT, experiment.name
            against = {experiment.compared_with(method, case) for case in experiment.cases}
            assert against <= {*roles, ""}, experiment.name


@each("file", sorted(FOLDER.glob("[!t]*.json")) + sorted(FOLDER.glob("table?.json")))
def test_published_numbers_are_those_of_an_experiment(file):
    """Cases, methods and measures are the same wherever they are written."""
    experiment = catalog()[file.stem]
    entry = json.loads(file.read_text("utf-8"))
    assert entry["source"].startswith(experiment.source.split()[0])
    methods = {m.key for m in experiment.methods if m.role in (Role.PAPER, Role.INFERRED)}
    numbers = published(file.stem, experiment.measures[0])
    for case, method, measure in numbers:
        assert case in experiment.cases
        assert method in methods
        assert measure in experiment.measures
    for cause in causes(file.stem):
        assert cause.text.endswith(".")
        assert set(cause.methods) <= {m.key for m in experiment.methods}
        assert set(cause.cases) <= experiment.cases.keys()
        assert set(cause.measures) <= set(experiment.measures)


@each(
    ("cases", "measures", "covered"),
    [
        ((), (), ["a nmi", "a rand", "b nmi", "b rand"]),
        (("a",), (), ["a nmi", "a rand"]),
        ((), ("nmi",), ["a nmi", "b nmi"]),
        (("b", "c"), ("rand",), ["b rand"]),
    ],
)
def test_what_a_cause_covers(cases, measures, covered):
    from papers.published import Row

    rows = [
        Row(case, "m", measure, "as published", 2, 0.5, 0.1)
        for case in ("a", "b")
        for measure in ("nmi", "rand")
    ]
    cause = Cause("c.", ("m",), cases, measures)
    assert [f"{row.case} {row.measure}" for row in rows if cause.covers(row)] == covered
    assert not any(cause.covers(row._replace(method="other")) for row in rows)
