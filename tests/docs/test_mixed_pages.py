"""The examples of docs/mixed-tables.md and docs/gaps.md, and their claims that need no clock."""

import doctest
import re

import numpy as np
import pytest

from benchmarks.gaps import SETS
from kgroups.fit.plan import COLUMNS_FROM
from kgroups.input.typed_columns import _HOLDS
from kgroups.semimetrics import Mixed
from kgroups.semimetrics.mixed import MISSING
from pages import blocks, number, page, said, table

MIXED, GAPS = page("mixed-tables"), page("gaps")


@pytest.mark.parametrize(("text", "n_examples"), [(MIXED, 12), (GAPS, 7)], ids=["mixed", "gaps"])
def test_the_examples(text, n_examples):
    code = "\n".join(blocks(text, "python"))
    example = doctest.DocTestParser().get_doctest(code, {}, "page", None, 0)
    assert len(example.examples) >= n_examples
    assert doctest.DocTestRunner().run(example).failed == 0


def test_the_pages_begin_with_what_a_user_says():
    assert MIXED.startswith("# My table has numbers, text, dates and empty cells\n")
    assert GAPS.startswith("# A fifth of my cells are empty\n")


def test_the_table_of_kinds_has_all_of_them():
    named = {word for row in table(MIXED, "| column | kind |") for word in row[1].split("`")[1::2]}
    assert named == set(_HOLDS)


def test_the_table_of_meanings_has_all_of_them():
    assert {row[0].strip('`"') for row in table(GAPS, "| `Mixed(missing=")} == set(MISSING)


def test_numbers_of_rows():
    assert said(MIXED, r"no pairs of rows beyond ([\d,]+) of them") == (COLUMNS_FROM,)


def test_what_the_table_of_sets_shows():
    rows = table(GAPS, "| data | rows |")
    assert [row[0] for row in rows] == list(SETS)
    ours, _, energy, kmeans = ([number(row[c]) for row in rows] for c in range(2, 6))
    words = {"two": 2, "ten": 10}
    (below,) = re.findall(r"is below `\"energy\"` by hand on (\w+) sets by more than 0.01", GAPS)
    assert sum(a < b - 0.01 for a, b in zip(ours, energy, strict=True)) == words[below]
    (above,) = re.findall(r"Against `KMeans` by hand it is above on (\w+) sets", GAPS)
    assert sum(a > b for a, b in zip(ours, kmeans, strict=True)) == words[above]


def test_no_unit_rules():
    rows = np.random.default_rng(0).normal(size=(20, 3))
    np.testing.assert_allclose(
        Mixed().pairwise(rows * [1, 100, 1e-3]), Mixed().pairwise(rows), rtol=1e-12
    )
