"""Names that somebody made to break a page."""

import numpy as np
import pandas as pd
import pytest

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
from kgroups.pages.shown_names import in_sentence, shown
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


@pytest.mark.parametrize("name", HOSTILE.values(), ids=HOSTILE)
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
def test_columns_without_names_or_named_alike():
    X = groups(30, 2, columns=4)
    table = pd.DataFrame(X, columns=["a", "", "a", np.nan])
    html = report_of(X, 2, table=table).to_html()
    for name in ("a (column 1)", "column 2", "a (column 3)", "column 4"):
        assert name in html


@pytest.mark.usefixtures("undrawn")
def test_a_name_from_the_right_does_not_turn_its_sentence():
    X = groups(30, 2)
    html = report_of(X, 2, table=pd.DataFrame(X, columns=["مرحبا", "b"])).to_html()
    assert "\u2068مرحبا\u2069 " in html
    assert in_sentence("abc") == "abc"
