"""Names that somebody made to break a page, and names as they are shown."""

import datetime as dt
import unicodedata

import numpy as np
import pandas as pd
import pytest

from helpers import each
from kgroups.pages import ReportPage
from kgroups.pages.label_data import LabelData
from kgroups.pages.parts import (
    Bullets,
    Cell,
    Command,
    Details,
    Grid,
    Heading,
    Pairs,
    Paragraph,
    Section,
)
from kgroups.pages.shown_names import LONGEST, column_names, in_sentence, shown
from page_cases import groups, parsed, report_of, texts, without_pictures

HOSTILE = {
    "script": "<script>alert(1)</script>",
    "end of data": "</script><img src=x onerror=alert(1)>",
    "quotes": "\"'`&amp;",
    "right to left": "\u202etxt.exe",
    "template": "{{ 7 * 7 }}{% raw %}",
    "control": "a\x00b\x1b[2J\ud800",
    "math": "$x_1$ costs $5 \\frac{",
    "long": "n" * 10_000,
    "comment": "<!-- ]]> -->",
    "empty": "",
}


def check(html, n_scripts=2):
    """Nothing of the names has become part of the page."""
    tree = parsed(html)
    tags = [str(e.tag).rpartition("}")[2] for e in tree.iter() if isinstance(e.tag, str)]
    assert tags.count("script") == n_scripts  # the labels and the script of the page
    assert not [e for e in tree.iter() if e.get("onerror") or e.get("src")]
    for character in "\u202e\x00\x1b\ud800":
        assert character not in html
    return tree


@pytest.fixture(scope="module")
def hostile_page():
    """Every name as a column, as a cell, and as the name of a row."""
    names = list(HOSTILE.values())
    X = groups(60, 2, columns=len(names))
    table = pd.DataFrame(X, columns=pd.Index(names, dtype=object))
    table["kind"] = pd.Series(names * 6, dtype=object)
    return report_of(X, 2, table=table, ids=names * 6, source=HOSTILE["script"]).to_html()


def test_names_of_columns_cells_rows_and_data(hostile_page):
    tree = check(hostile_page)
    assert texts(tree, "h1") == ["2 clusters in <script>alert(1)</script>"]
    heads = texts(tree, "th")
    for name in ("<script>alert(1)</script>", "$x_1$ costs $5 \\frac{", "{{ 7 * 7 }}{% raw %}",
                 "\\u202etxt.exe", "a\\x00b\\x1b[2J\\ud800", "column 10"):  # fmt: skip
        assert name in heads
    words = without_pictures(hostile_page).split('id="label-data"')[0]
    assert "n" * 50 in words
    assert "n" * 61 not in words


@each("name", HOSTILE.values(), ids=HOSTILE)
def test_every_part_of_a_page(name):
    label, name = name, shown(name)
    grid = Grid(caption=name, head=[name], rows=[[Cell(text=name)], [name]], words=[0])
    parts = [Paragraph(name), Heading(name), Bullets([name]), Pairs([(name, name)]), Command(name)]
    section = Section(
        key="labels", heading=name, sentence=name,
        parts=[*parts, grid, Details(summary=name, parts=parts)],
    )  # fmt: skip
    labels = LabelData.of(np.array([0, 1]), [label, label])
    page = ReportPage(title=name, verdict=section, sections=[section], labels=labels)
    tree = check(page.to_html())
    assert texts(tree, "h1") == [" ".join(name.split())]
    check(f"<!DOCTYPE html><title>t</title>{page._repr_html_()}", n_scripts=0)


@pytest.mark.usefixtures("undrawn")
def test_columns_without_names():
    X = groups(30, 2, columns=4)
    table = pd.DataFrame(X, columns=["a", "", "b", np.nan])
    html = report_of(X, 2, table=table).to_html()
    for name in ("column 2", "column 4"):
        assert name in html


@pytest.mark.usefixtures("undrawn")
def test_a_name_from_the_right_does_not_turn_its_sentence():
    X = groups(30, 2)
    html = report_of(X, 2, table=pd.DataFrame(X, columns=["مرحبا", "b"])).to_html()
    assert "\u2068مرحبا\u2069 " in html
    assert in_sentence("abc") == "abc"


@each(
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
