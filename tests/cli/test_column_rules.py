"""How single columns of new rows are read."""

import math

import numpy as np
import pytest

from helpers import each
from kgroups.cli.column_kinds import KindOfColumn
from kgroups.cli.column_rules import code_rule, column_by_rule, kind_rule, number_rules
from kgroups.cli.column_scales import ColumnScales
from kgroups.exceptions import DataError
from kgroups.input.table_files import Table

NAN = math.nan


def table(*columns, names="abcdef"):
    """Columns of numbers, or of text with None for gaps."""
    arrays = [
        np.array(c, object if any(isinstance(v, str) for v in c) or None in c else np.float64)
        for c in columns
    ]
    return Table(
        source="t.csv", names=tuple(names[: len(arrays)]), columns=tuple(arrays), has_header=True
    )


def followed(rule, *column):
    """The values of a column of new rows, and the notes."""
    notes = []
    made = column_by_rule(table(column, names=rule["name"]), 0, rule, notes)
    return made.tolist(), notes


@pytest.mark.nojit
@each(
    ("impute", "gap"), [([], None), (["mean"], 3.0), (["most-frequent"], 1.0), (["category"], None)]
)
def test_what_stands_for_missing_numbers(impute, gap):
    (rule,) = number_rules(table([1.0, 1.0, NAN, 7.0]), [0], None, impute)
    assert rule == {"as": "number", "name": "a", "gap": gap}


@pytest.mark.nojit
def test_numbers_by_hand():
    """Mean 2 and standard deviation 1, and 2 for what is missing."""
    scales = ColumnScales.of(np.array([[1.0, 4.0], [3.0, 4.0]]))
    a, b = number_rules(table([1.0, 3.0], [4.0, 4.0]), [0, 1], scales, ["mean"])
    found, notes = followed(a, 5.0, NAN)
    assert found == [3.0, 0.0]
    assert len(notes) == 1
    assert followed(b, 4.0, 9.0) == ([0.0, 0.0], [])


@pytest.mark.nojit
def test_a_column_without_any_value():
    (rule,) = number_rules(table([1.0, 3.0]), [0], None, ["mean"])
    assert followed(rule, None, None)[0] == [2.0, 2.0]
    assert followed(kind_rule(table([1.0]), 0, KindOfColumn(kind="date", values=np.zeros(1))),
                    None, None)[0] == pytest.approx([NAN, NAN], nan_ok=True)  # fmt: skip


@pytest.mark.nojit
def test_categories_by_hand():
    fit = table(["x", "y", "y", None])
    rule = code_rule(fit, 0, np.array([0.0, 1.0, 1.0, -1.0]), ["category"])
    assert rule == {"as": "code", "name": "a", "codes": {"x": 0.0, "y": 1.0}, "gap": -1.0}
    found, notes = followed(rule, "y", "z", None, "x")
    assert found == [1.0, -2.0, -1.0, 0.0]
    assert len(notes) == 2


@pytest.mark.nojit
def test_missing_categories():
    fit = table(["x", "y", "y", None])
    codes = np.array([0.0, 1.0, 1.0, 1.0])
    assert code_rule(fit, 0, codes, ["most-frequent"])["gap"] == 1.0
    rule = code_rule(table(["x", "y"]), 0, codes[:2], [])
    with pytest.raises(DataError, match="is missing"):
        followed(rule, "x", None)


@pytest.mark.nojit
def test_numbers_that_are_categories_are_known_as_text():
    """1 in one file may be 1.0 in another."""
    rule = code_rule(table([1.0, 2.0, 1.0]), 0, np.array([0.0, 1.0, 0.0]), [])
    assert rule["codes"] == {"1": 0.0, "2": 1.0}
    assert followed(rule, 2.0, 1.0)[0] == [1.0, 0.0]
    assert followed(rule, "2", "1")[0] == [1.0, 0.0]


@pytest.mark.nojit
def test_kinds_of_mixed_tables():
    fit = table(["S", "M"])
    ordered = KindOfColumn(kind="ordered", values=np.array([0.0, 1.0]), levels=("S", "M", "L"))
    rule = kind_rule(fit, 0, ordered)
    assert rule["codes"] == {"S": 0.0, "M": 1.0, "L": 2.0}
    assert followed(rule, "L", "S", None)[0] == pytest.approx([2.0, 0.0, NAN], nan_ok=True)
    with pytest.raises(DataError, match="'XL'"):
        followed(rule, "S", "XL")
    category = kind_rule(fit, 0, KindOfColumn(kind="category", values=fit, levels=("M", "S")))
    assert followed(category, "M", "Q", None)[0] == pytest.approx([0.0, -2.0, NAN], nan_ok=True)


@pytest.mark.nojit
@each(
    ("kind", "column", "values"),
    [
        ("number", ["1.5", None], [1.5, NAN]),
        ("boolean", ["no", "Yes", None], [0.0, 1.0, NAN]),
        ("boolean", [1.0, NAN], [1.0, NAN]),
        ("date", ["1970-01-03", None], [2.0, NAN]),
    ],
)
def test_kinds_that_are_read_by_value(kind, column, values):
    rule = kind_rule(table([1.0]), 0, KindOfColumn(kind=kind, values=np.zeros(1)))
    assert rule == {"as": "kind", "name": "a", "kind": kind}
    assert followed(rule, *column)[0] == pytest.approx(values, nan_ok=True)
