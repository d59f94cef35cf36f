"""What all experiments share: verdicts, published numbers, seeded runs, the cache, the counts."""

import sys
from dataclasses import replace
from math import isnan, nan, sqrt

import numpy as np
import pytest
from scipy.stats import binom, norm

import toy_experiments as toys
from helpers import each, slow
from kgroups_papers.document import document as document_of
from kgroups_papers.experiment import Method
from kgroups_papers.fingerprint import fingerprint
from kgroups_papers.monte_carlo import reproduce
from kgroups_papers.published import (
    Published,
    published,
)
from kgroups_papers.recipes.chance import generator
from kgroups_papers.role import Role
from kgroups_papers.row import Row
from kgroups_papers.summary import claims, counts
from kgroups_papers.verdict import (
    BY_CHANCE,
    Estimate,
    Verdict,
    combined_error,
    in_errors,
    judge,
    judge_default,
    tolerance,
    with_error,
)

published_module = sys.modules["kgroups_papers.published"]


@pytest.fixture
def numbers(monkeypatch):
    """Gives an experiment published numbers, as if a file had them."""
    files = {"toy": toys.PUBLISHED}
    true_entry = published_module._entry
    monkeypatch.setattr(
        published_module, "_entry", lambda name: files[name] if name in files else true_entry(name)
    )
    published.cache_clear()
    yield files
    published.cache_clear()


def estimate(mean, deviation=0.0, n=100):
    return Estimate(mean, deviation, n)


def theirs(value, digits=2, **more):
    return Published(value=value, digits=digits, **more)


# --- verdicts --------------------------------------------------------------------------------


def test_estimate_by_hand():
    found = Estimate.of(np.array([1.0, 2.0, 3.0]))
    assert (found.mean, found.deviation, found.n) == (2.0, 1.0, 3)
    assert found.error == 1 / sqrt(3)
    single = Estimate.of(np.array([0.5]))
    assert (single.mean, single.deviation) == (0.5, 0.0)
    assert isnan(single.error)
    # Ten times the same but for the last digit: neither rounding nor order makes a spread.
    assert Estimate.of(np.array([0.1 + 0.2, 0.3] * 5)).deviation == 0
    assert Estimate.of(np.array([0.3, 0.3001] * 5)).deviation == pytest.approx(5.27e-5, abs=1e-7)


def test_errors_by_hand():
    ours = estimate(0.5, deviation=0.3, n=9)  # error .1
    assert ours.error == pytest.approx(0.1)
    assert with_error(theirs(0.5, n_runs=36), ours).error == pytest.approx(0.05)
    assert with_error(theirs(0.5, error=0.07, n_runs=36), ours).error == 0.07
    assert with_error(theirs(0.5, error=0.0, n_runs=36), ours).error == 0
    assert with_error(theirs(0.5, n_runs=1), ours).error == pytest.approx(0.3)
    assert with_error(theirs(0.5), ours).error == 0  # found once
    assert with_error(theirs(0.5, n_runs=36), None).error == 0  # not repeated
    assert with_error(theirs(0.5, n_runs=36), estimate(0.5, n=1)).error == 0
    number = theirs(0.5, digits=3, n_runs=36, cut=True)
    assert with_error(number, ours) == replace(number, error=0.3 / 6)
    assert combined_error(ours, with_error(theirs(0.5, n_runs=16), ours)) == pytest.approx(0.125)
    # Without an error there is only ours.
    assert combined_error(ours, theirs(0.5, n_runs=36)) == pytest.approx(0.1)
    assert combined_error(ours, theirs(0.5, error=0.24)) == pytest.approx(0.26)
    # .5 less .24 is .26, of which rounding of .24 explains .005.
    assert in_errors(ours, theirs(0.24, error=0.24)) == pytest.approx(0.255 / 0.26)
    assert in_errors(ours, theirs(0.76, error=0.24)) == pytest.approx(-0.255 / 0.26)
    assert in_errors(ours, theirs(0.495, error=0.24)) == 0
    assert in_errors(estimate(0.3), theirs(0.31)) == -np.inf  # no spread: only rounding is left
    assert in_errors(estimate(0.306), theirs(0.31)) == 0
    # One run has no error of its own.
    assert combined_error(estimate(0.5, n=1), theirs(0.5, error=0.02)) == 0.02


@each(
    ("value", "expected"),
    [
        # Combined error .0141, so 2.5 of them are .0354, and rounding leaves .005 more.
        (0.53, Verdict.AGREES),
        (0.54, Verdict.AGREES),
        (0.55, Verdict.LOWER),
        (0.46, Verdict.AGREES),
        (0.45, Verdict.HIGHER),
    ],
)
def test_verdict_by_hand(value, expected):
    ours = estimate(0.5, deviation=0.1)
    assert judge(ours, with_error(theirs(value, n_runs=100), ours)) is expected


def test_digits_that_are_rounded_or_cut():
    assert judge(estimate(0.754), theirs(0.75)) is Verdict.AGREES
    assert judge(estimate(0.757), theirs(0.75)) is Verdict.HIGHER
    assert judge(estimate(0.757), theirs(0.75, cut=True)) is Verdict.AGREES
    assert judge(estimate(0.7599), theirs(0.75, cut=True)) is Verdict.AGREES
    assert judge(estimate(0.7601), theirs(0.75, cut=True)) is Verdict.HIGHER
    # Where some digits are cut, others may be rounded.
    for cut in (False, True):
        assert judge(estimate(0.749), theirs(0.75, cut=cut)) is Verdict.AGREES
        assert judge(estimate(0.7451), theirs(0.75, cut=cut)) is Verdict.AGREES
        assert judge(estimate(0.7449), theirs(0.75, cut=cut)) is Verdict.LOWER
    assert judge(estimate(0.1 + 0.2), theirs(0.3, digits=1, cut=True)) is Verdict.AGREES


def test_what_is_no_number_agrees_with_nothing():
    ours = estimate(nan, deviation=nan)
    for number in (theirs(0.5, error=0.1), with_error(theirs(0.5, n_runs=10), ours)):
        assert judge(ours, number) is Verdict.LOWER
        assert judge_default(ours, number) is Verdict.BELOW


def test_defaults_by_hand():
    published_number = theirs(0.5, digits=4, error=0.03)
    ours = estimate(0.0, deviation=0.4)  # error .04, combined .05
    assert judge_default(replace(ours, mean=0.4501), published_number) is Verdict.NOT_BELOW
    assert judge_default(replace(ours, mean=0.4498), published_number) is Verdict.BELOW
    assert judge_default(replace(ours, mean=0.9), published_number) is Verdict.NOT_BELOW
    # Two runs: Student's t with one degree of freedom that is as rare as one error is at 1.837.
    few = estimate(0.0, deviation=0.04 * sqrt(2), n=2)
    assert judge_default(replace(few, mean=0.5 - 1.83 * 0.05), published_number) is (
        Verdict.NOT_BELOW
    )
    assert judge_default(replace(few, mean=0.5 - 1.85 * 0.05), published_number) is Verdict.BELOW


@each(("n", "n_theirs"), [(100, 100), (40, 1000), (4, 100), (8, 8)])
def test_honest_numbers_are_outside_as_often_as_chance_has_it(n, n_theirs):
    """Both means are of the same distribution; the published one is printed with many digits."""
    rng, trials = np.random.default_rng([n, n_theirs]), 4_000
    means = rng.normal(0.0, 1 / sqrt(n_theirs), trials)
    outside = 0
    for mean in means:
        ours = Estimate.of(rng.normal(size=n))
        number = with_error(theirs(mean, digits=9, n_runs=n_theirs), ours)
        outside += judge(ours, number) is not Verdict.AGREES
    assert pytest.approx(0.012419, abs=1e-6) == BY_CHANCE
    low, high = binom.interval(1 - 1e-4, trials, BY_CHANCE)
    # A normal quantile on 40 estimated deviations is a little too narrow.
    assert low <= outside <= high * 1.3
    # One run has no spread; a published error counts as it is.
    assert tolerance(1) == 2.5


# --- runs ------------------------------------------------------------------------------------


def test_values_are_those_of_the_seeds(numbers):
    outcome = reproduce(toys.TOY, quick=True, seed=3, n_jobs=1)
    expected = [float(generator(3, "toy", "2", run).normal()) for run in range(6)]
    assert outcome.values["2", "noise", "accuracy"].tolist() == expected
    assert [case.key for case in outcome.cases] == ["1", "2"]
    assert ("3", "noise", "accuracy") not in outcome.values
    assert len(set(expected)) == 6
    assert expected != [float(generator(4, "toy", "2", run).normal()) for run in range(6)]


@slow
def test_the_number_of_workers_changes_nothing(numbers):
    one, two = (reproduce(toys.TOY, seed=1, n_jobs=jobs) for jobs in (1, 2))
    assert one.values.keys() == two.values.keys()
    for key, values in one.values.items():
        assert values.tolist() == two.values[key].tolist()


def test_rows_have_verdicts_and_causes(numbers):
    outcome = reproduce(toys.TOY, n_jobs=1)
    rows = {(row.case, row.method): row for row in outcome.rows()}
    assert len(rows) == 3 * 4
    verdicts = {key: row.verdict for key, row in rows.items()}
    assert verdicts["1", "level"] is verdicts["2", "level"] is Verdict.AGREES
    assert verdicts["3", "level"] is Verdict.LOWER  # .75 for .9, without any spread
    assert verdicts["1", "noise"] is Verdict.AGREES
    assert verdicts["3", "noise"] is Verdict.LOWER
    assert verdicts["3", "mended"] is None
    assert verdicts["1", "default"] is Verdict.NOT_BELOW
    assert verdicts["3", "default"] is Verdict.BELOW
    assert number(rows["2", "default"]) == number(rows["2", "level"])
    assert rows["2", "default"].role is Role.DEFAULT
    assert rows["2", "noise"].published_error == 1.0
    deviation = np.std(outcome.values["1", "noise", "accuracy"], ddof=1)
    assert rows["1", "noise"].published_error == pytest.approx(deviation / 4)
    as_expected = {key for key, row in rows.items() if row.is_as_expected}
    assert set(rows) - as_expected == {("3", "level")}
    assert rows["3", "noise"].to_dict()["cause"] == "Nine is not zero."
    assert rows["3", "level"].to_dict() == {
        "case": "3",
        "panel": "",
        "method": "level",
        "measure": "accuracy",
        "role": "as published",
        "mean": 0.75,
        "deviation": 0.0,
        "runs": 40,
        "error": 0.0,
        "published": 0.9,
        "published_digits": 2,
        "published_error": 0.0,
        "in_errors": None,
        "verdict": "lower",
    }


def number(row):
    """What a row says was published."""
    return row.published, row.published_digits, row.published_error


def with_defaults(*methods, **more):
    """The toy with other defaults."""
    methods = (*toys.METHODS[:3], *(Method(role=Role.DEFAULT, title="d", **m) for m in methods))
    return replace(toys.TOY, methods=methods, **more)


def test_defaults_are_held_against_the_method_that_they_name(numbers):
    experiment = with_defaults(
        {"key": "default"},
        {"key": "noisy", "against": "noise"},
        {"key": "unknown", "against": "mended"},
        {"key": "changing", "against": {"1": "noise"}},
        run=toys.run_defaults,
    )
    outcome = reproduce(experiment, n_jobs=1)
    rows = {(row.case, row.method): row for row in outcome.rows()}
    level, noise = (number(rows["1", key]) for key in ("level", "noise"))
    assert (level[0], noise[0]) == (0.25, 0.0)
    assert number(rows["1", "default"]) == level
    assert number(rows["1", "noisy"]) == noise
    assert rows["1", "noisy"].verdict is Verdict.NOT_BELOW  # .25 next to 0
    assert rows["3", "noisy"].verdict is Verdict.BELOW  # .75 next to 9
    assert (rows["1", "unknown"].published, rows["1", "unknown"].verdict) == (None, None)
    assert number(rows["1", "changing"]) == noise
    assert number(rows["2", "changing"]) == number(rows["2", "level"])
    # Without a method for the rest, only who names one is held against one.
    alone = reproduce(replace(experiment, default_against=""), n_jobs=1)
    rows = {(row.case, row.method): row for row in alone.rows()}
    assert rows["1", "default"].published is None
    assert number(rows["1", "noisy"]) == noise


# --- what rows say together ------------------------------------------------------------------

COUNTS = {
    "published": 6,
    "agree": 4,
    "inferred": 0,
    "untested": 0,
    "outside": 2,
    "outside_of_known_cause": 1,
    "outside_by_chance": pytest.approx(2 * BY_CHANCE),  # two numbers of noise have no cause
}


@pytest.mark.parametrize(
    ("is_curve", "defaults"),
    [
        # Two points are as published, the third is .15 below, and it is known why.
        (False, (3, 2, 1)),
        (True, (2, 0, 2)),
    ],
)
def test_counts_by_hand(numbers, is_curve, defaults):
    rows = [Row.read(row.to_dict()) for row in reproduce(toys.TOY, n_jobs=1).rows()]
    names = ("defaults", "defaults_not_below", "defaults_below_of_known_cause")
    found = counts(rows, is_curve=is_curve)
    assert found == {**COUNTS, **dict(zip(names, defaults, strict=True))}
    document = document_of(reproduce(toys.TOY if is_curve else toys.FLAT, n_jobs=1))
    assert (document["is_curve"], document["counts"]) == (is_curve, found)


def entry(case, mean, published, *, error=0.03, published_error=0.04, **more):
    """A point of the defaults; its combined error is .05 unless something else is said."""
    given = {"panel": "", "method": "default", "measure": "accuracy", "role": Role.DEFAULT}
    combined = sqrt(error**2 + published_error**2)
    if published is not None:
        below = mean < published - combined
        given["in_errors"] = (mean - published) / combined if combined else None
        given["verdict"] = Verdict.BELOW if below else Verdict.NOT_BELOW
        given |= {"published": published, "published_error": published_error, "published_digits": 9}
    return Row(case=case, mean=mean, error=error, **given | more)


PAPER = {"role": Role.PAPER, "method": "kgroups", "verdict": Verdict.AGREES}


@each(
    ("third", "verdict"),
    [
        # Three errors of .05 are .0866 for the sum. The first point is .1 below, which is two
        # errors, and the second .04 above, so that .0266 is left to the third.
        (0.4734, Verdict.NOT_BELOW),
        (0.4733, Verdict.BELOW),
        (0.9, Verdict.NOT_BELOW),
        (0.1, Verdict.BELOW),
    ],
)
def test_a_curve_of_the_defaults_is_one_claim(third, verdict):
    rows = [
        entry("1", 0.6, 0.6, **PAPER),
        entry("1", 0.5, 0.6),
        entry("2", 0.8, 0.76),
        entry("3", third, 0.5),
        entry("4", 0.1, None),
    ]
    paper, whole, *clearly = claims(rows, is_curve=True)
    assert paper is rows[0]
    assert clearly == ([rows[3]] if third == 0.1 else [])  # eight errors below
    assert (whole.case, whole.panel, whole.method) == ("all points", "", "default")
    assert (whole.measure, whole.role) == ("accuracy", Role.DEFAULT)
    assert whole.mean == pytest.approx((0.5 + 0.8 + third) / 3)
    assert whole.published == pytest.approx(0.62)
    assert whole.difference == pytest.approx((-0.1 + 0.04 + third - 0.5) / 3)
    assert (whole.error, whole.published_error) == pytest.approx((0.03 / sqrt(3), 0.04 / sqrt(3)))
    assert whole.combined_error == pytest.approx(0.05 / sqrt(3))
    assert whole.in_errors == pytest.approx(whole.difference / (0.05 / sqrt(3)))
    assert whole.verdict is verdict
    assert claims(rows, is_curve=False) == rows
    assert counts(rows, is_curve=True)["defaults_not_below"] == (verdict is Verdict.NOT_BELOW)
    assert counts(rows, is_curve=False)["defaults"] == 3


@pytest.mark.parametrize("n_points", [2, 20])
def test_equal_curves_are_below_as_often_as_one_error_has_it(n_points):
    """One in 6.3, however many points there are; of single points it would be one in 6.3 each."""
    rng, trials = np.random.default_rng(n_points), 2_000
    outside = 0
    for _ in range(trials):
        ours, published_means = rng.normal(0, 0.03, n_points), rng.normal(0, 0.04, n_points)
        points = [entry(str(i), *m) for i, m in enumerate(zip(ours, published_means, strict=True))]
        outside += 1 - counts(points, is_curve=True)["defaults_not_below"]
    low, high = binom.interval(1 - 1e-4, trials, norm.sf(1))
    assert low <= outside <= high


# --- how runs are made -----------------------------------------------------------------------


# --- the cache -------------------------------------------------------------------------------


def test_an_interrupted_experiment_goes_on(tmp_path):
    marks, cache = tmp_path / "marks", tmp_path / "cache"
    with pytest.raises(KeyboardInterrupt):
        reproduce(toys.counted(marks, most=4), n_jobs=1, cache=cache)
    assert len(marks.read_bytes()) == 4
    (kept,) = (cache / "runs").iterdir()
    assert kept.name == f"counted-0-{fingerprint(toys.run_counted)}.jsonl"
    outcome = reproduce(toys.counted(marks), n_jobs=1, cache=cache)
    assert len(marks.read_bytes()) == 10
    assert outcome.n_kept == 4
    whole = reproduce(toys.counted(tmp_path / "others"), n_jobs=1)
    key = ("only", "level", "accuracy")
    assert outcome.values[key].tolist() == whole.values[key].tolist()
    again = reproduce(toys.counted(marks), n_jobs=1, cache=cache)
    assert (again.n_kept, len(marks.read_bytes())) == (10, 10)
    assert again.values[key].tolist() == whole.values[key].tolist()
    reproduce(toys.counted(marks), n_jobs=1, cache=cache, seed=1)
    assert len(marks.read_bytes()) == 20
    reproduce(toys.counted(marks, n_runs=12), n_jobs=1, cache=cache)
    assert len(marks.read_bytes()) == 22


# --- what else a row and a run know ----------------------------------------------------------


def test_defaults_are_compared_in_pairs(numbers):
    """Run by run with the method that they are held against, on the same samples."""
    experiment = with_defaults({"key": "noisy", "against": "noise"}, run=toys.run_defaults)
    outcome = reproduce(experiment, n_jobs=1)
    difference = outcome.values["1", "noisy", "accuracy"] - outcome.values["1", "noise", "accuracy"]
    rows = {(row.case, row.method): row.to_dict() for row in outcome.rows()}
    found = rows["1", "noisy"]
    assert found["paired_difference"] == pytest.approx(difference.mean())
    assert found["paired_error"] == pytest.approx(difference.std(ddof=1) / sqrt(len(difference)))
    assert "paired_difference" not in rows["1", "noise"]
