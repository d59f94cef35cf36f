"""What all experiments say together: which published numbers agree, and which have no cause."""

from dataclasses import replace

import pytest
from scipy.stats import norm, t

from kgroups_papers.role import Role
from kgroups_papers.row import Row
from kgroups_papers.summary import Overall
from kgroups_papers.verdict import AGREES, BY_CHANCE, Verdict


def row(case, errors, **more):
    """A number that is so many standard errors of .01 higher than the published one."""
    outside = abs(errors) > AGREES
    side = Verdict.HIGHER if errors > 0 else Verdict.LOWER
    found = {
        "case": case, "panel": "", "method": "m", "measure": "accuracy", "role": Role.PAPER,
        "mean": 0.5 + 0.01 * errors, "deviation": 0.1, "runs": 100, "error": 0.01,
        "published": 0.5, "published_digits": 2, "published_error": 0.0, "in_errors": errors,
        "verdict": side if outside else Verdict.AGREES,
    }  # fmt: skip
    return Row(**{**found, **more})


def document(name, *rows):
    return {
        "experiment": name,
        "axis": "D",
        "is_curve": False,
        "rows": [each.to_dict() for each in rows],
        "counts": {
            "published": sum(not each.is_default for each in rows),
            "outside_by_chance": BY_CHANCE * len(rows),
        },
    }


def agreeing(count):
    return [row(str(number), 0.5) for number in range(count)]


def test_chance_leaves_one_of_as_many_numbers_as_there_are():
    """Beyond 3.29 errors is one in 1,000 of equal means; 3.2 is within, 3.4 beyond."""
    first = document("first", *agreeing(600), row("a", 3.2), row("b", -3.4))
    second = document("second", *agreeing(397), row("c", 9.0, cause="A known one."))
    found = Overall.of([first, second])
    assert found.n_compared == 1000
    assert [(doc["experiment"], each.case) for doc, each in found.by_chance] == [("first", "a")]
    assert [(doc["experiment"], each.case) for doc, each in found.unexplained] == [("first", "b")]
    assert [(doc["experiment"], each.case) for doc, each in found.known] == [("second", "c")]
    assert found.expected_by_chance == pytest.approx(1000 * 2 * norm.sf(2.5))


def test_fewer_numbers_leave_less_room_for_chance():
    """Of ten numbers chance puts one beyond 1.64 errors, and hardly one beyond 2.6."""
    found = Overall.of([document("only", *agreeing(9), row("a", 2.6))])
    assert (len(found.by_chance), len(found.unexplained)) == (0, 1)


def test_few_runs_are_judged_by_students_t():
    """With four runs one in 200 is beyond 7.1 errors."""
    few = [row("a", 6.0, runs=4), row("b", 8.0, runs=4)]
    found = Overall.of([document("only", *agreeing(198), *few)])
    assert t.isf(1 / 400, 3) == pytest.approx(7.1, abs=0.4)
    assert [each.case for _, each in found.by_chance] == ["a"]
    assert [each.case for _, each in found.unexplained] == ["b"]


def test_a_number_without_an_error_is_no_chance():
    exact = row("a", 3.0, error=None, published_error=0.0, in_errors=None)
    found = Overall.of([document("only", *agreeing(5_000), exact)])
    assert [each.case for _, each in found.unexplained] == ["a"]


def test_defaults_have_no_part():
    low = replace(row("a", -9.0), role=Role.DEFAULT, verdict=Verdict.BELOW)
    found = Overall.of([document("only", *agreeing(3), low)])
    assert (found.n_compared, found.known, found.by_chance, found.unexplained) == (3, [], [], [])
