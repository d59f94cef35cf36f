"""What all experiments share: verdicts, published numbers, seeded runs, the cache, the counts."""

import ast
import json
import sys
from dataclasses import replace
from importlib import resources
from math import isnan, nan, sqrt
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binom, norm

import kgroups_papers
import toy_experiments as toys
from kgroups.input.table_files import DataError
from kgroups_papers import wording
from kgroups_papers.cache import FinishedRuns
from kgroups_papers.catalog import catalog, find
from kgroups_papers.data import DataFolders
from kgroups_papers.document import document as document_of
from kgroups_papers.experiment import Method
from kgroups_papers.fingerprint import fingerprint
from kgroups_papers.monte_carlo import RunError, reproduce
from kgroups_papers.published import (
    Discrepancy,
    Published,
    _entry,
    discrepancies,
    published,
    trades,
)
from kgroups_papers.recipes.chance import generator
from kgroups_papers.role import Role
from kgroups_papers.row import Row
from kgroups_papers.summary import claims, counts, lines
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


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(("n", "n_theirs"), [(100, 100), (40, 1000), (4, 100), (8, 8)])
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


# --- published numbers -----------------------------------------------------------------------


def test_published_numbers_are_read(numbers):
    numbers["p"] = {
        "source": "s",
        "runs": 25,
        "runs_of": {"sub": 1},
        "digits": 3,
        "digits_of": {"k": 0},
        "values": {"m": {"a": 0.5, "b": [0.6, 0.2], "sub": {"nmi": 0.7, "k": 6}}},
    }
    assert published("p", "acc") == {
        ("a", "m", "acc"): Published(value=0.5, digits=3, n_runs=25),
        ("b", "m", "acc"): Published(value=0.6, digits=3, n_runs=25, error=0.2 / 5),
        ("sub", "m", "nmi"): Published(value=0.7, digits=3, n_runs=1),
        ("sub", "m", "k"): Published(value=6, digits=0, n_runs=1),
    }
    numbers["e"] = {"digits": 2, "spread": "error", "cut": True, "values": {"m": {"a": [1, 0.2]}}}
    assert published("e") == {
        ("a", "m", "accuracy"): Published(value=1, digits=2, error=0.2, cut=True)
    }
    assert published("there is no such file") == {}


def known(methods, cases=(), measures=(), cause="c"):
    return {"methods": methods, "cases": cases, "measures": measures, "cause": cause}


def test_known_causes_are_read(numbers):
    numbers["p"] = {
        "digits": 2,
        "discrepancies": [known(["m"], ["a"]), {"methods": ["m", "n"], "cause": "d"}],
        "trades": [known(["default"], measures=["nmi"])],
    }
    assert discrepancies("p") == (
        Discrepancy(methods=("m",), cases=("a",), cause="c"),
        Discrepancy(methods=("m", "n"), cause="d"),
    )
    assert trades("p") == (Discrepancy(methods=("default",), measures=("nmi",), cause="c"),)
    assert discrepancies("there is no such file") == trades("there is no such file") == ()
    numbers["q"] = {"digits": 2}
    assert discrepancies("q") == trades("q") == ()


@pytest.mark.parametrize(
    ("cases", "measures", "covered"),
    [
        ((), (), ["a nmi", "a rand", "b nmi", "b rand"]),
        (("a",), (), ["a nmi", "a rand"]),
        ((), ("nmi",), ["a nmi", "b nmi"]),
        (("b", "c"), ("rand",), ["b rand"]),
        (("c",), (), []),
    ],
)
def test_what_a_cause_covers(cases, measures, covered):
    found = Discrepancy(methods=("m", "n"), cases=cases, measures=measures, cause="c")
    where = [(case, measure) for case in ("a", "b") for measure in ("nmi", "rand")]
    for method in ("m", "n"):
        assert [f"{c} {m}" for c, m in where if found.covers(c, method, m)] == covered
    assert not any(found.covers(c, "other", m) for c, m in where)


def test_experiments_of_the_catalog_hold_together():
    """Names of cases and methods stand for one thing each."""
    names = [n for e in catalog().values() for n in (e.name, *e.other_names)]
    assert len(names) == len(set(names))
    for experiment in catalog().values():
        cases = [case.key for case in experiment.cases]
        roles = {method.key: method.role for method in experiment.methods}
        assert len(set(cases)) == len(cases) > 0, experiment.name
        assert len(roles) == len(experiment.methods) > 0, experiment.name
        assert set(experiment.quick_cases) <= set(cases), experiment.name
        assert 1 <= experiment.quick_runs <= experiment.n_runs, experiment.name
        assert len(set(experiment.measures)) == len(experiment.measures) > 0, experiment.name
        places = [(case.panel, case.x) for case in experiment.cases if case.x is not None]
        assert len(set(places)) == len(places), experiment.name
        for method in experiment.methods:
            assert not method.against or method.role is Role.DEFAULT, experiment.name
            if isinstance(method.against, dict):
                assert set(method.against) <= set(cases), experiment.name
            if method.role is Role.DEFAULT and experiment.default_against:
                against = {experiment.held_against(method, case) for case in cases}
                assert all(roles[key].is_of_paper for key in against), experiment.name
        if published(experiment.name, experiment.measures[0]):
            assert roles[experiment.default_against].is_of_paper, experiment.name


NUMBERS = sorted(resources.files("kgroups_papers").joinpath("numbers").iterdir(), key=str)


# .9987 ± .0008, in a table of three digits.
MORE_DIGITS = ("icml-table1", "cigars", "kgroups_laplacian")


def no_key_twice(pairs):
    """JSON would keep the last of them and say nothing."""
    keys = [key for key, _ in pairs]
    assert len(set(keys)) == len(keys), sorted(keys)
    return dict(pairs)


@pytest.mark.parametrize("file", NUMBERS, ids=lambda file: file.name)
def test_published_numbers_are_those_of_an_experiment(file):
    """Cases, methods and measures are the same wherever they are written."""
    name, suffix = file.name.split(".")
    assert suffix == "json"
    experiment = catalog()[name]
    entry = json.loads(file.read_text("utf-8"), object_pairs_hook=no_key_twice)
    of_all = {"source", "digits", "values"}
    more = {"runs", "runs_of", "digits_of", "spread", "cut", "discrepancies", "trades"}
    assert of_all <= set(entry) <= of_all | more
    assert entry["source"].startswith(experiment.source.split()[0])
    cases = {case.key for case in experiment.cases}
    papers = {m.key for m in experiment.methods if m.role.is_of_paper}
    found = published(name, experiment.measures[0])
    assert set(entry["values"]) <= papers
    for case, method, measure in found:
        where = f"{case}, {method}, {measure}"
        assert case in cases, where
        assert method in papers, where
        assert measure in experiment.measures, where
    for where, number in found.items():
        digits = number.digits + ((name, *where[:2]) == MORE_DIGITS)
        assert number.value == round(number.value, digits), where
        assert number.error is None or 0 <= number.error < 1, where
    assert set(entry.get("runs_of", {})) <= {case for case, _, _ in found}
    assert set(entry.get("digits_of", {})) <= {measure for _, _, measure in found}
    assert entry.get("spread", "error") == "error"


@pytest.mark.parametrize("name", list(catalog()))
def test_causes_speak_of_numbers_that_are_compared(name):
    """Discrepancies of published numbers, trades of what the defaults are held against."""
    experiment = catalog()[name]
    for entry in (e for kind in ("discrepancies", "trades") for e in _entry(name).get(kind, ())):
        assert {"methods", "cause"} <= set(entry) <= {"methods", "cases", "measures", "cause"}
    numbers = published(name, experiment.measures[0])
    against = {
        (case, method.key, measure)
        for case, reference, measure in numbers
        for method in experiment.methods
        if method.role is Role.DEFAULT and reference == experiment.held_against(method, case)
    }
    for causes, compared in ((discrepancies(name), set(numbers)), (trades(name), against)):
        for found in causes:
            assert found.cause.strip().endswith("."), found
            covered = [number for number in compared if found.covers(*number)]
            for place, named in enumerate((found.cases, found.methods, found.measures)):
                assert set(named) <= {number[place] for number in covered}, (found, place)


def test_find():
    name = next(iter(catalog()))
    assert find(name) is catalog()[name]
    with pytest.raises(ValueError, match=f"no experiment '{name}x'. Did you mean '{name}'"):
        find(f"{name}x")
    with pytest.raises(ValueError, match=r"no experiment 'qqqq'\. `kgroups reproduce --list`"):
        find("qqqq")


# --- runs ------------------------------------------------------------------------------------


def test_values_are_those_of_the_seeds(numbers):
    outcome = reproduce(toys.TOY, quick=True, seed=3, n_jobs=1)
    expected = [float(generator(3, "toy", "2", run).normal()) for run in range(6)]
    assert outcome.values["2", "noise", "accuracy"].tolist() == expected
    assert [case.key for case in outcome.cases] == ["1", "2"]
    assert ("3", "noise", "accuracy") not in outcome.values
    assert len(set(expected)) == 6
    assert expected != [float(generator(4, "toy", "2", run).normal()) for run in range(6)]


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


def test_published_error_of_defaults_is_that_of_the_method(numbers):
    """The noise has deviation 1 and the defaults have none: 16 runs of noise are not exact."""
    experiment = with_defaults({"key": "noisy", "against": "noise"}, run=toys.run_defaults)
    outcome = reproduce(experiment, n_jobs=1)
    row = next(r for r in outcome.rows() if (r.case, r.method) == ("1", "noisy"))
    deviation = np.std(outcome.values["1", "noise", "accuracy"], ddof=1)
    assert 0.5 < deviation < 1.5
    assert row.error == 0
    assert row.published_error == pytest.approx(deviation / 4)
    assert row.to_dict()["published_error"] == row.published_error
    # .25 is not below a number that is less than one such error above it, and below one above.
    for errors, verdict in ((0.9, Verdict.NOT_BELOW), (1.1, Verdict.BELOW)):
        error = row.published_error
        shifted = theirs(0.25 + errors * error, digits=9, error=error)
        assert row.with_numbers(outcome.estimate("1", "noisy"), shifted).verdict is verdict
    # Noisy defaults against what has no spread: their own spread is not that of the number.
    exact = with_defaults({"key": "mended"})
    exact = replace(exact, methods=(exact.methods[0], exact.methods[-1]))
    outcome = reproduce(exact, n_jobs=1)
    row = next(r for r in outcome.rows() if (r.case, r.method) == ("1", "mended"))
    assert row.deviation > 0.5
    assert row.published_error == 0


def test_causes_come_from_the_file(numbers):
    """Discrepancies are of the paper's methods, trades of the defaults; the first one counts."""
    numbers["toy"] = {
        **toys.PUBLISHED,
        "discrepancies": [
            known(["noise"], ["1"], cause="first"),
            known(["noise", "default"], cause="second"),
            known(["level"], measures=["nmi"], cause="of another measure"),
        ],
        "trades": [known(["default", "level"], ["2", "3"], cause="trade")],
    }
    rows = reproduce(toys.TOY, n_jobs=1).rows()
    causes = {(row.method, row.case): row.cause for row in rows if row.cause}
    assert causes == {
        ("noise", "1"): "first",
        ("noise", "2"): "second",
        ("noise", "3"): "second",
        ("default", "2"): "trade",
        ("default", "3"): "trade",
    }
    document = document_of(reproduce(toys.TOY, n_jobs=1))
    assert [found["cause"] for found in document["discrepancies"]] == [
        "first",
        "second",
        "of another measure",
    ]
    assert document["trades"] == [
        {"methods": ["default", "level"], "cases": ["2", "3"], "measures": [], "cause": "trade"}
    ]


def test_rows_have_the_panel_of_their_case(numbers):
    cases = zip(toys.TOY.cases, "bba", strict=True)
    experiment = replace(toys.TOY, cases=tuple(replace(c, panel=panel) for c, panel in cases))
    document = document_of(reproduce(experiment, n_jobs=1))
    panels = {(row["case"], row["panel"]) for row in document["rows"]}
    assert panels == {("1", "b"), ("2", "b"), ("3", "a")}
    # Of the defaults, two points of b are as published, the one of a is not.
    counted = document["counts"]
    # The latter is clearly below, without any error, and stands for itself, too.
    assert (counted["defaults"], counted["defaults_not_below"]) == (3, 1)
    claimed = {c.case: c.verdict for c in wording.claimed(document) if c.is_default}
    assert claimed == {
        "all b points": Verdict.NOT_BELOW, "all a points": Verdict.BELOW, "3": Verdict.BELOW,
    }  # fmt: skip


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


def test_one_point_is_no_curve(numbers):
    one = replace(toys.TOY, cases=toys.TOY.cases[2:])
    document = document_of(reproduce(one, n_jobs=1))
    assert document["is_curve"] is False
    assert wording.claimed(document)[-1].case == "3"


def test_lines_by_hand(numbers):
    rows = [Row.read(row.to_dict()) for row in reproduce(toys.TOY, n_jobs=1).rows()]
    level, noise, mended, default = lines(rows, ["level", "noise", "mended", "default"])
    assert (level.n_points, level.n_judged, level.n_inside) == (3, 3, 2)
    assert (level.mean, level.published) == (pytest.approx(0.5), pytest.approx(0.55))
    assert (level.difference, level.difference_error) == (pytest.approx(-0.05), 0)
    assert (level.worst.case, level.worst.difference) == ("3", pytest.approx(-0.15))
    assert noise.worst.case == "3"
    # 40 runs of deviation 1, and published means of 16, of which one prints an error of 1.
    errors = [(1 / 40 + 1 / 16), (1 / 40 + 1), (1 / 40 + 1 / 16)]
    assert noise.difference_error == pytest.approx(sqrt(sum(errors)) / 3, rel=0.1)
    assert noise.difference == pytest.approx(-3, abs=0.4)
    assert (mended.n_points, mended.n_judged, mended.worst) == (3, 0, None)
    assert (mended.published, mended.mean) == (None, pytest.approx(1, abs=0.4))
    assert (mended.difference, mended.difference_error) == (None, 0)
    assert (default.n_judged, default.n_inside) == (3, 2)
    assert [line.panel for line in (level, noise, mended, default)] == [""] * 4


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


@pytest.mark.parametrize(
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


def test_errors_of_points_may_differ():
    """.05, .13 and none: their mean has the error √(.0025 + .0169) / 3 = .0464."""
    rows = [
        entry("1", 0.5, 0.55),
        entry("2", 0.5, 0.58, error=0.05, published_error=0.12),
        entry("3", 0.5, 0.5, error=0.0, published_error=0.0),
    ]
    (whole,) = claims(rows, is_curve=True)
    assert whole.combined_error == pytest.approx(sqrt(0.0194) / 3)
    assert whole.in_errors == pytest.approx(-0.13 / sqrt(0.0194))
    assert whole.verdict is Verdict.NOT_BELOW
    (worse,) = claims([*rows[:2], replace(rows[2], mean=0.49)], is_curve=True)
    assert worse.verdict is Verdict.BELOW  # -.14, of which .1393 is one error


def test_each_panel_method_and_measure_is_a_curve_of_its_own():
    rows = [
        entry(f"{panel} {x}", mean, 0.5, panel=panel, method=method, measure=measure)
        for panel, method, measure, mean in [
            ("a", "default", "accuracy", 0.4),
            ("a", "default", "nmi", 0.6),
            ("b", "default", "accuracy", 0.5),
            ("b", "metric", "accuracy", 0.3),
        ]
        for x in (1, 2)
    ]
    found = {(c.case, c.method, c.measure): c.verdict for c in claims(rows, is_curve=True)}
    assert found == {
        ("all a points", "default", "accuracy"): Verdict.BELOW,
        ("all a points", "default", "nmi"): Verdict.NOT_BELOW,
        ("all b points", "default", "accuracy"): Verdict.NOT_BELOW,
        ("all b points", "metric", "accuracy"): Verdict.BELOW,
        # Four errors below, each of them.
        ("b 1", "metric", "accuracy"): Verdict.BELOW,
        ("b 2", "metric", "accuracy"): Verdict.BELOW,
    }
    assert counts(rows, is_curve=True) == {
        **dict.fromkeys(COUNTS, 0),
        "defaults": 6,
        "defaults_not_below": 2,
        "defaults_below_of_known_cause": 0,
    }


def test_a_curve_below_has_the_cause_of_its_points():
    below = entry("2", 0.1, 0.5, cause="It is known.")
    whole, _ = claims([entry("1", 0.5, 0.5), below], is_curve=True)
    assert (whole.verdict, whole.cause) == (Verdict.BELOW, "It is known.")
    whole, _ = claims([entry("1", 0.5, 0.5), replace(below, cause="")], is_curve=True)
    assert (whole.verdict, whole.cause) == (Verdict.BELOW, "")
    # A cause of one point explains neither another nor a curve that is below by another.
    whole, *_ = claims([replace(below, case="1", cause=""), below], is_curve=True)
    assert (whole.verdict, whole.cause) == (Verdict.BELOW, "")
    whole, *_ = claims([entry("1", 0.6, 0.5, cause="It is higher."), below], is_curve=True)
    assert whole.cause == "It is known."


def test_printed_digits_and_missing_numbers_of_a_curve():
    exact = [
        entry(case, mean, number, error=0.0, published_error=0.0, published_digits=3,
              verdict=Verdict.NOT_BELOW)
        for case, mean, number in (("1", 0.9996, 1.0), ("2", 0.7498, 0.75))
    ]  # fmt: skip
    (whole,) = claims(exact, is_curve=True)
    assert whole.verdict is Verdict.NOT_BELOW  # by less than rounding
    (whole,) = claims([replace(point, published_digits=4) for point in exact], is_curve=True)
    assert whole.verdict is Verdict.BELOW
    (whole,) = claims([exact[0], replace(exact[1], mean=None)], is_curve=True)
    assert whole.verdict is Verdict.BELOW


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


def points_of_panels():
    """Two panels, the second first in the alphabet; errors .05 of each difference."""
    return [
        entry("z 1", 0.6, 0.5, panel="z", **PAPER),
        entry("z 1", 0.45, 0.5, panel="z"),
        entry("z 2", 0.7, 0.5, panel="z", **PAPER | {"verdict": Verdict.HIGHER}),
        entry("z 2", 0.48, 0.5, panel="z"),
        entry("a 1", 0.5, 0.9, panel="a", **PAPER | {"verdict": Verdict.LOWER}),
        entry("a 1", 0.75, None, panel="a"),
    ]


def test_lines_are_those_of_panels():
    z_default, z_paper, a_default, a_paper = lines(points_of_panels(), ["default", "kgroups"])
    assert [line.panel for line in (z_default, z_paper, a_default, a_paper)] == ["z", "z", "a", "a"]
    assert [line.method for line in (z_default, z_paper)] == ["default", "kgroups"]
    assert (z_paper.n_points, z_paper.n_judged, z_paper.n_inside) == (2, 2, 1)
    assert (z_paper.mean, z_paper.published) == pytest.approx((0.65, 0.5))
    assert z_paper.difference == pytest.approx(0.15)
    assert z_paper.difference_error == pytest.approx(0.05 / sqrt(2))
    assert z_paper.worst.case == "z 2"
    assert z_default.difference == pytest.approx(-0.035)
    assert (a_paper.n_points, a_paper.n_inside, a_paper.worst.case) == (1, 0, "a 1")
    assert (a_paper.difference, a_paper.difference_error) == pytest.approx((-0.4, 0.05))
    assert (a_default.difference, a_default.mean, a_default.n_judged) == (None, 0.75, 0)


def test_a_curve_in_words():
    document = {
        "axis": "D",
        "measures": ["accuracy"],
        "methods": [{"key": "kgroups", "title": "k-g"}, {"key": "default", "title": "def"}],
    }
    points = points_of_panels()
    found = wording.curve(document, lines(points, ["kgroups", "default"]))
    paper, default = "as published", "kgroups' defaults"
    assert found == [
        ["panel", "method", "role", "points", "agree", "ours − published", "farthest off"],
        ["z", "k-g", paper, "2", "1 of 2", "+0.1500 ± 0.0354", "+0.2000 (+4.0 errors) at z 2"],
        [
            "z",
            "def",
            default,
            "2",
            "2 of 2 not below",
            "-0.0350 ± 0.0354",
            "-0.0500 (-1.0 errors) at z 1",
        ],
        ["a", "k-g", paper, "1", "0 of 1", "-0.4000 ± 0.0500", "-0.4000 (-8.0 errors) at a 1"],
        ["a", "def", default, "1", "-", "ours 0.7500", "-"],
    ]
    several = {**document, "measures": ["accuracy", "nmi"]}
    plain = [replace(point, panel="") for point in points[:2]]
    found = wording.curve(several, lines(plain, ["kgroups", "default"]))
    assert found[0][:4] == ["method", "role", "measure", "points"]
    assert found[1][:4] == ["k-g", paper, "accuracy", "1"]


# --- how runs are made -----------------------------------------------------------------------


def test_progress_is_told_from_the_first_moment(numbers):
    heard = []
    reproduce(toys.TOY, quick=True, n_jobs=1, listener=heard.append)
    assert [event.number for event in heard] == list(range(13))
    assert {event.total for event in heard} == {12}
    assert heard[0].seconds_left is None
    assert all(event.seconds_left > 0 for event in heard[1:-1])
    assert heard[-1].seconds_left == 0


def test_missing_data(tmp_path):
    nowhere = DataFolders((tmp_path,), tmp_path)
    some = reproduce(toys.on_data("iris", "glass"), data=nowhere, n_jobs=1)
    assert list(some.missing) == ["glass"]
    assert "glass.csv" in some.missing["glass"]
    assert some.estimate("iris", "level").mean == 3
    assert some.estimate("glass", "level") is None
    assert [case.key for case in some.cases] == ["iris"]
    with pytest.raises(DataError, match=r"(?s)glass\.csv.*seeds\.csv"):
        reproduce(toys.on_data("glass", "seeds"), data=nowhere, n_jobs=1)


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


SCORES = {"level": {"accuracy": 0.1 + 0.2}}


def test_what_is_no_run_is_left_out(tmp_path):
    runs = FinishedRuns(tmp_path, "e", 0, "code", {"a": "data"})
    for number in range(2):
        runs.add("a", number, SCORES)
    bad = [
        b"\xff\xfe\x00",
        b"[]",
        b"5",
        b"not JSON",
        b'{"case": "a", "data": "data", "run": 7}',
        b'{"case": "a", "data": "data", "run": 7, "scores": 5}',
        b'{"case": "a", "data": "data", "run": 7, "scores": {"level": 5}}',
        b'{"case": "a", "data": "data", "run": 7, "scores": {"level": {"accuracy": "x"}}}',
        b'{"case": "a", "data": "data", "run": null, "scores": {}}',
        b'{"case": "a", "data": "other", "run": 7, "scores": {}}',
        b'{"case": "a", "run": 7, "scores": {}}',
        b'{"case": "a", "data": "data", "run": Infinity, "scores": {}}',
        b'{"case": "a", "data": "data", "run": 7, "scores": ' + b'{"a": ' * 100_000,
        b"[" * 100_000,
        b'{"case": "a", "data": "data", "run": 7, "scores": {"level": {"accu',
    ]
    with runs.path.open("ab") as stream:
        stream.write(b"\n".join(bad))
    again = FinishedRuns(tmp_path, "e", 0, "code", {"a": "data"})
    assert again.load() == {("a", 0): SCORES, ("a", 1): SCORES}
    again.add("b", 3, SCORES)  # on a line of its own, after the one that was cut off
    again.add("a", 1, {"level": {"accuracy": 0.5}})  # done again, which counts
    last = FinishedRuns(tmp_path, "e", 0, "code", {"a": "data"})
    assert last.load() == {
        ("a", 0): SCORES, ("a", 1): {"level": {"accuracy": 0.5}}, ("b", 3): SCORES,
    }  # fmt: skip


def test_files_of_other_code_and_seeds_are_other_files(tmp_path):
    FinishedRuns(tmp_path, "e", 0, "code", {}).add("a", 0, SCORES)
    for seed, code in ((1, "code"), (0, "other")):
        other = FinishedRuns(tmp_path, "e", seed, code, {})
        assert other.load() == {}
        other.add("a", 0, SCORES)
    assert len(list((tmp_path / "runs").iterdir())) == 3


def test_fresh_runs_are_done_again_and_kept(tmp_path):
    marks, cache = tmp_path / "marks", tmp_path / "cache"
    reproduce(toys.counted(marks), n_jobs=1, cache=cache)
    again = reproduce(toys.counted(marks, n_runs=3), n_jobs=1, cache=cache, fresh=True)
    assert (again.n_kept, len(marks.read_bytes())) == (0, 13)
    assert reproduce(toys.counted(marks), n_jobs=1, cache=cache).n_kept == 10


def test_runs_are_kept_as_they_finish(tmp_path):
    """The first takes longest; those of other workers do not wait for it."""
    marks = tmp_path / "marks"
    heard = []

    def hear(event):
        heard.append(event.number)
        if event.number == 8:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        reproduce(toys.first_is_slow(marks), n_jobs=2, cache=tmp_path, listener=hear)
    (path,) = (tmp_path / "runs").iterdir()
    runs = [json.loads(line)["run"] for line in path.read_text().splitlines()]
    assert len(runs) == 8
    assert any(set(runs).isdisjoint(batch) for batch in (range(4), range(4, 8)))


def test_a_run_that_fails_is_named():
    def fail(parameters, rng, data):
        raise IndexError("no such thing")

    with pytest.raises(RunError, match=r"toy, D 1, run 0 with seed 3: IndexError: no such thing"):
        reproduce(replace(toys.TOY, run=fail), n_jobs=1, seed=3)


def test_experiments_compute_with_recipes_and_not_with_each_other():
    """A fingerprint knows of the recipes and of one module of experiments."""
    folder = Path(kgroups_papers.__file__).parent / "experiments"
    for path in folder.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and "experiments." in (node.module or ""):
                names = {alias.name for alias in node.names}
                # Constants, and what pictures need.
                assert all(name.isupper() or name == "as_classes" for name in names), path


def test_a_cache_that_cannot_be_written_is_none(tmp_path):
    (tmp_path / "runs").write_text("a file where the folder would be")
    experiment = toys.counted(tmp_path / "marks")
    with pytest.warns(
        UserWarning, match="finished runs are not kept because .* cannot be written"
    ) as w:
        outcome = reproduce(experiment, n_jobs=1, cache=tmp_path)
    assert len(w) == 1
    assert outcome.estimate("only", "level").n == 10


def test_other_data_are_other_runs(tmp_path, monkeypatch):
    data = DataFolders((tmp_path,), tmp_path)
    experiment = toys.on_data("iris")
    reproduce(experiment, data=data, n_jobs=1, cache=tmp_path)
    assert reproduce(experiment, data=data, n_jobs=1, cache=tmp_path).n_kept == 1
    monkeypatch.setattr(DataFolders, "digests", lambda self, names: {"iris": "another"})
    assert reproduce(experiment, data=data, n_jobs=1, cache=tmp_path).n_kept == 0


def test_a_cause_that_is_found_out_costs_no_run(tmp_path, numbers):
    reproduce(toys.TOY, quick=True, n_jobs=1, cache=tmp_path)
    numbers["toy"] = {**toys.PUBLISHED, "discrepancies": [known(["noise"], cause="another")]}
    again = reproduce(toys.TOY, quick=True, n_jobs=1, cache=tmp_path)
    assert again.n_kept == 12
    assert {row.cause for row in again.rows() if row.method == "noise"} == {"another"}


def test_the_cache_has_plain_lines(tmp_path):
    experiment = toys.counted(tmp_path / "marks", n_runs=2)
    reproduce(experiment, n_jobs=1, cache=tmp_path)
    (path,) = (tmp_path / "runs").iterdir()
    found = [json.loads(line) for line in path.read_text().splitlines()]
    expected = [float(generator(0, "counted", "only", run).uniform()) for run in (0, 1)]
    assert [line["scores"]["level"]["accuracy"] for line in found] == expected
    assert [(line["case"], line["run"]) for line in found] == [("only", 0), ("only", 1)]


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


def test_settings_that_were_inferred_and_numbers_that_were_not_tested_are_counted():
    inferred = PAPER | {"role": Role.INFERRED}
    rows = [
        entry("1", 0.6, 0.6, **PAPER),
        entry("2", 0.6, 0.6, **inferred),
        replace(entry("3", 0.6, 0.6, **PAPER), mean=None, verdict=None),
    ]
    found = counts(rows, is_curve=False)
    assert (found["published"], found["agree"]) == (2, 2)
    assert (found["inferred"], found["untested"]) == (1, 1)
    said = wording.agreement({"counts": found, "runs": 100, "is_curve": False})
    assert said[0].startswith("2 of 2 comparisons with published numbers agree within 2.5 ")
    assert said[1].startswith("1 of them use settings that the paper does not state")
    assert said[2] == "1 published number could not be tested."


def test_a_name_and_a_path_will_do(tmp_path, monkeypatch):
    monkeypatch.setattr(
        sys.modules["kgroups_papers.monte_carlo"], "find", {"toy": toys.TOY}.__getitem__
    )
    outcome = reproduce("toy", quick=True, n_jobs=1, data=str(tmp_path))
    assert outcome.experiment is toys.TOY
    assert outcome.data.folders[0] == tmp_path
