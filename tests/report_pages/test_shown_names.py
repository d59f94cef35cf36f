"""Names as they are shown."""

import datetime as dt
import unicodedata

import numpy as np
import pandas as pd
import pytest

from kgroups.pages.shown_names import LONGEST, column_names, in_sentence, shown


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("age", "age"), ("  age ", "age"), ("", "(empty)"), ("\t", "\\t"), ("   ", "(empty)"),
        (7, "7"), ("a\nb", "a\\nb"), ("\u200e", "\\u200e"), ("\ud800", "\\ud800"), ("é", "é"),
        ("漢字", "漢字"), ("n" * 1000, "n" * (LONGEST - 1) + "…"),
    ],
)  # fmt: skip
def test_shown(name, text):
    assert shown(name) == text


def test_no_control_or_mark_of_direction_is_left():
    every = "".join(map(chr, [*range(0x300), *range(0x2000, 0x2070), 0xFEFF, 0xFFF9, 0xE0001]))
    kinds = {unicodedata.category(c) for c in shown(every, 10_000)}
    assert not kinds & {"Cc", "Cf", "Cs", "Zl", "Zp"}


def test_names_from_the_right_are_isolated_in_sentences_alone():
    assert in_sentence("مرحبا") == "\u2068مرحبا\u2069"
    assert shown("مرحبا") == "مرحبا"
    assert in_sentence("age") == "age"


def test_missing_names_of_any_kind_are_numbered():
    names = [None, float("nan"), np.nan, pd.NaT, pd.NA, "", " ", 3, dt.date(2020, 1, 2)]
    assert column_names(names) == [*(f"column {c}" for c in range(1, 8)), "3", "2020-01-02"]


def test_names_that_look_alike_when_they_are_cut():
    first, second = column_names(["n" * 100 + "a", "n" * 100 + "b"])
    assert first != second
    assert first.endswith("… (column 1)")
