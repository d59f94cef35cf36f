"""Published numbers: how they are read, and that experiments and causes speak of them."""

import json
import sys
from importlib import resources

import pytest

import toy_experiments as toys
from helpers import each
from kgroups_papers.catalog import catalog
from kgroups_papers.published import (
    Discrepancy,
    Published,
    _entry,
    discrepancies,
    published,
    trades,
)
from kgroups_papers.role import Role

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


@each(
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


@each("file", NUMBERS, ids=lambda file: file.name)
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


@each("name", list(catalog()))
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
