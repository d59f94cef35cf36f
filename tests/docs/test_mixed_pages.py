"""The examples of docs/mixed-tables.md and docs/gaps.md, and their claims that need no clock."""

import doctest

import numpy as np
import pytest

from kgroups.fit.plan import COLUMNS_FROM
from kgroups.input.typed_columns import _HOLDS
from kgroups.semimetrics import Mixed
from kgroups.semimetrics.mixed import MISSING
from pages import blocks, page, said, table

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


def test_no_unit_rules():
    rows = np.random.default_rng(0).normal(size=(20, 3))
    np.testing.assert_allclose(
        Mixed().pairwise(rows * [1, 100, 1e-3]), Mixed().pairwise(rows), rtol=1e-12
    )
