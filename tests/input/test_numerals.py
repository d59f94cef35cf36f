"""Numbers of text files against what a person reads."""

import numpy as np
from numpy.testing import assert_array_equal

from helpers import each
from kgroups.input.table_files.numerals import (
    decimal_commas,
    is_number,
    points_may_group,
    to_numbers,
    truths,
)


@each(
    ("field", "decimal", "number"),
    [
        ("2,5", ",", 2.5),
        ("-1.234,5", ",", -1234.5),
        ("1.234", ",", 1234),
        ("1.234.567", ",", 1234567),
        ("12.345.678,25e-2", ",", 123456.7825),
        ("1 234,5", ",", 1234.5),
        ("1\u202f234,5", ",", 1234.5),
        ("1'234,5", ",", 1234.5),
        (" 7 ", ",", 7),
        (",5", ",", 0.5),
        ("1e3", ",", 1000),
        ("1,000", ".", 1000),
        ("1,234,567.5", ".", 1234567.5),
        ("1 000", ".", 1000),
        ("+2.5", ".", 2.5),
        ("2.5", None, 2.5),
    ],
)
def test_numbers(field, decimal, number):
    assert to_numbers([field], decimal).tolist() == [number]


@each(
    ("field", "decimal"),
    [
        ("1,5", None),
        ("1,000", None),
        ("1 000", None),
        ("1.5", ","),
        ("0.123", ","),
        ("1.23.456", ","),
        ("1.234 567", ","),
        ("1,5,5", ","),
        ("1,5", "."),
        ("10,00", "."),
        ("1234,567", "."),
        ("1,234 567", "."),
        (",", ","),
        ("-", "."),
        ("1_000", "."),
        ("5%", "."),
    ],
)
def test_what_is_no_number(field, decimal):
    assert to_numbers([field], decimal) is None


@each(
    ("values", "numbers"),
    [
        (["2,5", "3"], [2.5, 3]),
        (["1,234", "2,5"], [1.234, 2.5]),
        (["1.234,5", "0,25"], [1234.5, 0.25]),
        (["-1,5e3", None], [-1500, np.nan]),
        (["1,2345"], [1.2345]),
        (["5,"], [5]),
    ],
)
def test_clear_decimal_commas(values, numbers):
    assert_array_equal(decimal_commas(values), numbers)


@each(
    "values",
    [
        ["1,000", "2,500"],  # thousands as well
        ["2,5", "2.5"],
        ["2,5", "1.234"],
        ["2,5", "1,000,000"],
        ["2,5", "x"],
        ["2,5", ","],
        ["1", "2"],
        [None],
    ],
)
def test_commas_that_need_not_be_decimal(values):
    assert decimal_commas(values) is None


def test_points_that_may_separate_thousands():
    assert points_may_group(["1.234", "7", " 2.000 "])
    assert points_may_group(["1.234", "0.500"]) is False
    assert points_may_group(["1.234", "1.2"]) is False
    assert points_may_group(["1", "2"]) is None


def test_truths():
    assert_array_equal(truths(["True", "false", "TRUE", None]), [1, 0, 1, np.nan])
    assert truths(["True", "yes"]) is None
    assert truths([None, None]) is None


@each("field", ["1,5", "1.5", "1,000.5", "1.000,5", "NA", "", "-inf"])
def test_is_number(field):
    assert is_number(field)


@each("field", ["a", "5%", "1,2,3", "12_3", "-"])
def test_is_no_number(field):
    assert not is_number(field)


def test_typeset_minus_signs():
    assert to_numbers(["\u22121.5", "2"]).tolist() == [-1.5, 2.0]
    assert to_numbers(["\u22121,000.5"], ".").tolist() == [-1000.5]
    assert decimal_commas(["\u22121,5", "2"]).tolist() == [-1.5, 2.0]
