"""A page as a file and as bytes: it parses, believes no name, and holds the labels."""

import base64
import hashlib
import html as html_module
import json
import os
import re
import subprocess
import sys
import unicodedata

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array

from helpers import each
from kgroups import GraphKGroups
from kgroups.pages import ReportPage, label_data
from kgroups.pages.data_digest import data_digest
from kgroups.pages.inline_figure import picture
from kgroups.pages.inline_svg import drawing, inline_svg
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
from kgroups.pages.shown_names import LONGEST, in_sentence, shown
from kgroups.plots.style import blank
from page_cases import groups, parsed, report_of, texts, without_pictures


def test_a_page_is_valid_and_has_no_address(html):
    parsed(html)
    assert "http" not in html.replace("http-equiv", "")


def test_the_same_fit_gives_the_same_bytes(page, html):
    again = report_of(groups(), source="three groups", ids=[f"r{i}" for i in range(60)])
    assert again.to_html() == html


def test_identifiers_are_unique_and_references_lead_somewhere(html):
    found = re.findall(r'\sid="([^"]*)"', html)
    assert len(found) == len(set(found))
    wanted = re.findall(r'href="#([^"]*)"|url\(#([^)]*)\)', html)
    assert {a or b for a, b in wanted} <= set(found)
    for names in re.findall(r'aria-labelledby="([^"]*)"', html):
        assert set(names.split()) <= set(found)


def test_only_the_script_of_the_page_may_run(html):
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', html)
    script = html.rpartition("<script>")[2].partition("</script>")[0]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = html_module.unescape(policy)
    assert f"script-src 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none';")
    assert len(script) < 40_000


def test_saved_whole(page, html, tmp_path):
    path = tmp_path / "report.html"
    page.save(path)
    assert path.read_text(encoding="utf-8") == html
    page.save(str(path))
    assert [p.name for p in tmp_path.iterdir()] == ["report.html"]


def test_a_notebook_shows_the_page_in_a_frame(page, html):
    shown = page._repr_html_()
    tree = parsed(f"<!DOCTYPE html><title>notebook</title>{shown}")
    (frame,) = [e for e in tree.iter() if str(e.tag).endswith("}iframe")]
    assert frame.get("srcdoc") == html
    assert frame.get("title") == "3 clusters in three groups"
    assert "allow-same-origin" not in frame.get("sandbox")


def test_pages_of_many_clusters_and_of_many_columns_are_below_two_megabytes():
    for X, k in ((groups(900, 300, apart=20.0), 300), (groups(24, 2, columns=5_000, apart=1.0), 2)):
        html = report_of(X, k).to_html()
        assert len(html.encode()) < 2_000_000, k
        parsed(html)


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


def figure(title="title", image=False):
    made = blank(3, 2)
    ax = made.add_subplot()
    if image:
        ax.imshow(np.arange(9.0).reshape(3, 3))
    ax.scatter([1.23456789, 2], [3, 4], c=["#0072B2", "#ffffff"], clip_on=True)
    ax.set_title(title)
    return made


def drawn(title="title", key="a", **options):
    with drawing():
        return inline_svg(figure(title, **options), key=key, title="T", description="D & <d>")


def test_it_is_described_and_has_no_address():
    svg = drawn()
    assert svg.startswith('<svg viewBox="0 0 216 144" role="img" aria-labelledby="a-title a-descr')
    assert '<title id="a-title">T</title><desc id="a-description">D &amp; &lt;d&gt;</desc>' in svg
    assert not re.search(r"http|xmlns|<style|<metadata|matplotlib", svg)
    parsed(f"<!DOCTYPE html><title>t</title>{svg}")


def test_the_same_bytes_and_other_identifiers():
    assert drawn() == drawn()
    first, second = (set(re.findall(r' id="([^"]*)"', drawn(key=key))) for key in "ab")
    assert first
    assert not first & second


@pytest.mark.usefixtures("undrawn")
def test_clusters_of_any_shape_from_python():
    X = groups(90, 3)
    model = GraphKGroups(affinity="nearest_neighbors", random_state=0).fit(X)
    page = model.report(X, ids=[f"r{i}" for i in range(90)])
    assert page.labels.ids[:2] == ["r0", "r1"]
    parsed(page.to_html())


def labels_of(data):
    """What the script of the page reads."""
    return [
        int(data.digits[i : i + data.width], 36) for i in range(0, len(data.digits), data.width)
    ]


@each("k", [1, 2, 36, 37, 1_296, 1_297])
def test_all_labels_come_back(k):
    labels = np.random.default_rng(0).integers(k, size=500)
    labels[0] = k - 1
    data = LabelData.of(labels)
    assert labels_of(data) == labels.tolist()
    assert data.width == (1 if k <= 36 else 2 if k <= 1_296 else 3)


def test_names_that_do_not_fit_are_left_out(monkeypatch):
    monkeypatch.setattr(label_data, "ROOM", 40)
    data = LabelData.of(np.zeros(10, np.int64), ["n" * 10] * 10)
    assert data.digits == "0" * 10
    assert data.ids is None


def test_no_name_ends_the_script():
    text = LabelData.of(np.array([0, 1]), ["</script>", "<!--&"]).to_json()
    assert not set("<>&") & set(text)
    assert json.loads(text)["ids"] == ["</script>", "<!--&"]
    assert json.loads(text)["head"] == ["row", "name", "cluster"]


def test_the_same_data_have_the_same_digest():
    X = np.arange(12.0).reshape(4, 3)
    assert data_digest(X) == data_digest(X.copy()) == data_digest(np.asfortranarray(X))
    frame = pd.DataFrame(X, columns=list("abc"))
    assert data_digest(frame) == data_digest(frame.copy())
    assert data_digest(["a", "b"]) == data_digest(["a", "b"])
    assert data_digest(csr_array(X)) == data_digest(csr_array(X.copy()))
    assert len(data_digest(X)) == 64


def test_other_data_have_another_one():
    X = np.arange(12.0).reshape(4, 3)
    frame = pd.DataFrame(X, columns=list("abc"))
    other = X.copy()
    other[3, 2] += 1e-12
    several = [
        X, other, X.T, X.reshape(3, 4), X.astype(np.float32), X[:3], frame,
        frame.rename(columns={"a": "z"}), frame.astype(object), csr_array(X), csr_array(other),
        ["ab", "c"], ["a", "bc"], ["a", "b", "c"], [[1.0, 2.0], [3.0]], [[1.0], [2.0, 3.0]],
        pd.DataFrame({"a": ["x", None]}), pd.DataFrame({"a": ["x", "None"]}),
    ]  # fmt: skip
    assert len({data_digest(data) for data in several}) == len(several)


def test_sets_have_no_order():
    code = (
        "from kgroups.pages.data_digest import data_digest\n"
        "print(data_digest([frozenset(['ab', 'cd', 'ef']), {'gh', 'ij', 'kl'}]))"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2", "3")
    }  # fmt: skip
    assert len(found) == 1


def test_without_permission(page, tmp_path, monkeypatch):
    def refused(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", refused)
    with pytest.raises(PermissionError):
        page.save(tmp_path / "report.html")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("marks", [10, 8_000])
def test_many_marks_become_pixels(marks):
    with drawing():
        made = blank(3, 2)
        made.add_subplot().scatter(np.arange(marks), np.arange(marks) % 7)
        part = picture(made, key="a", title="T", description="D", caption="C")
    assert part.svg.startswith("<svg" if marks == 10 else '<img alt="T: D" src="data:image/png')
    assert len(part.svg) < 400_000


@pytest.mark.filterwarnings("ignore::kgroups.exceptions.GraphNotice")
def test_communities_by_their_names():
    edges = [("a", "b"), ("b", "c"), ("a", "c"), ("c", "d"), ("d", "e"), ("e", "f"), ("d", "f")]
    page = GraphKGroups(2, random_state=0).fit(edges).report(edges)
    assert sorted(page.labels.ids) == list("abcdef")
