"""Text that is nearly a number, classified by hand."""

import pytest

from kgroups.cli import nearly_numbers as module
from kgroups.cli.nearly_numbers import nearly_numbers


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (["5%", "12.5 %", "7"], "percent signs: remove them, or leave the column out by --drop"),
        (
            ["1,000", "2,500"],
            "--decimal . says that points are decimal marks and commas",
        ),
        (["4.804", "15.434"], "--decimal . says that points are decimal marks"),
        (["1.100.957", "15.434"], "With --decimal , all of them are numbers."),
        (["1,100,957", "15,434"], "With --decimal . all of them are numbers."),
        (["2,5", "2.5"], "Some of its numbers have decimal points and others decimal commas"),
        (["2024-01-31", "2024-02-01 12:00"], "Dates are not numbers"),
        (["31.12.2023", "1/2/24", None], "Dates are not numbers"),
        (["12:30", "14:00:10"], "Dates are not numbers"),
        (["5 kg", "7 kg", "6.5kg"], "around them, such as a unit"),
        (["$5", "€7", "6"], "around them, such as a unit"),
        (
            ["1", "2", "unknown", "3"],
            "Where 'unknown' stands for a missing value, write --na",
        ),
        (["1", "-", "2", "n.a.", "3", "4"], "write --na-values -,n.a."),
    ],
)
def test_what_is_nearly_a_number(values, words):
    assert words in nearly_numbers(values).advice("growth")


@pytest.mark.parametrize(
    "values",
    [
        ["red", "green"],
        ["1a", "2b", "3c", "4d", "5e"],
        ["r1", "r2"],
        ["1", "red", "green", "blue", "gray"],
        [None],
        [],
    ],
)
def test_what_may_be_categories(values):
    assert nearly_numbers(values).advice("color") == ""


def test_text_that_repeats_is_looked_at_once(monkeypatch):
    looked: list[str] = []
    kind = module._kind
    monkeypatch.setattr(module, "_kind", lambda value: looked.append(value) or kind(value))
    found = nearly_numbers(["1", "unknown", "1", "2", "unknown", None, "3"] * 1000)
    assert (found.words, found.n_words) == (("unknown",), 2000)
    assert looked == ["1", "unknown", "2", "3"]


@pytest.mark.parametrize(
    "values",
    [["1_000", "2_500", "12_250"], ["1.5D0", "2.5D+1", "3.D2"], ["52°31'N", "48°8'N", "9°E"]],
)
def test_numbers_in_another_notation_are_no_names(values):
    found = nearly_numbers(values)
    assert found.kind == "notation"
    assert "--drop x" in found.advice("x")


def test_decimal_mark_of_a_column_with_words():
    values = ["1,000.5", "2,000.5", "3,000.5", "4,000.5", "5,000.5", "a", "b", "c", "d"]
    found = nearly_numbers(values).advice("x")
    assert "With --decimal . most of its entries are numbers, but not 'a' and 'b' and 'c'" in found
