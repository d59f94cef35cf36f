"""Clusters in words: what is high, what is frequent, and numbers as people write them."""

import numpy as np
import pytest

from kgroups.answers.profiles import Grouping, NumberProfile, Profiles, category_profile
from kgroups.pages.cluster_words import apart_in_words, day, listed, number_text, percent


def column(name="x", *, values, means=None, mean_of_all=10.0, sd=2.0, is_date=False):
    values = np.asarray(values, float)
    means = mean_of_all + sd * values if means is None else np.asarray(means, float)
    return NumberProfile(name, means, mean_of_all, sd, values, 0.5, is_date)


def words(*columns, cluster=0):
    return apart_in_words(Profiles(columns, len(columns[0].values)), cluster)


@pytest.mark.parametrize(
    ("sds", "degree"),
    [(0.25, "somewhat high"), (0.49, "somewhat high"), (0.5, "high"), (1.49, "high"),
     (1.5, "very high"), (-0.3, "somewhat low"), (-0.5, "low"), (-9, "very low")],
)  # fmt: skip
def test_degrees(sds, degree):
    (said,) = words(column(values=[sds, -sds]))
    assert said.startswith(f"x is {degree} (")


def test_what_hardly_differs_is_not_mentioned():
    assert words(column(values=[0.24, -0.24])) == []
    assert words(column(values=[0.0, 0.0], sd=0.0)) == []


def test_the_farthest_three_come_first():
    columns = [column(name, values=[sd, 0]) for name, sd in zip("abcd", (1, -3, 0.5, 2))]  # noqa: B905
    assert [said[0] for said in words(*columns)] == ["b", "d", "a"]


def test_means_are_in_units_of_the_column():
    assert words(column("age", values=[-1.0, 1.0], mean_of_all=41.3, sd=13.0)) == [
        "age is low (28 on average; all rows 41)"
    ]


def test_dates_are_early_and_late():
    since = column("since", values=[-1.0, 1.0], mean_of_all=366.0, sd=365.0, is_date=True)
    assert words(since) == ["since is early (1970-01-02 on average; all rows 1971-01-02)"]
    assert words(since, cluster=1)[0].startswith("since is late (1972-01-02")


def test_categories_with_their_shares():
    texts = np.array(["n"] * 9 + ["s"] + ["s"] * 10)
    groups = Grouping(np.repeat([0, 1], 10), np.ones(20), 2)
    region = category_profile(texts, "region", groups)
    assert words(region) == ["region is mostly n (90%; all rows 45%)"]
    assert words(region, cluster=1) == ["region is always s (100%; all rows 55%)"]


def test_a_category_that_is_only_more_frequent():
    texts = np.array(list("aabbbbbbbb") + list("bbbbbbbbbb"))
    groups = Grouping(np.repeat([0, 1], 10), np.ones(20), 2)
    assert words(category_profile(texts, "c", groups)) == ["c is more often a (20%; all rows 10%)"]


@pytest.mark.parametrize(
    ("value", "sd", "text"),
    [
        (1115.6, 314.9, "1,116"), (13.744, 0.81, "13.74"), (5.06, 2.3, "5.1"), (0.5, 0.0, "0.5"),
        (28542.3, 9000.0, "28,542"), (3e15, 1e14, "3e+15"), (1e-9, 1e-10, "1e-09"),
        (np.nan, 1.0, "nan"), (2.0, np.nan, "2"), (np.inf, 1.0, "inf"), (-0.004, 0.5, "0.00"),
    ],
)  # fmt: skip
def test_numbers_have_the_decimals_that_tell_them_apart(value, sd, text):
    assert number_text(column(values=[0.0], sd=sd), value) == text


@pytest.mark.parametrize(
    ("days", "text"),
    [(0, "1970-01-01"), (-1, "1969-12-31"), (18628.7, "2021-01-01"), (1e9, "day 1e+09"),
     (np.nan, "missing"), (-1e6, "day -1e+06")],
)  # fmt: skip
def test_days(days, text):
    assert day(days) == text


@pytest.mark.parametrize(
    ("share", "text"),
    [(0, "0%"), (0.0099, "less than 1%"), (0.01, "1%"), (0.5, "50%"), (0.99, "99%"),
     (0.995, "more than 99%"), (1, "100%")],
)  # fmt: skip
def test_shares(share, text):
    assert percent(share) == text


def test_lists():
    assert [listed(list(letters)) for letters in ("", "a", "ab", "abc")] == [
        "", "a", "a and b", "a, b and c",
    ]  # fmt: skip
