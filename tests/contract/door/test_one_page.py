"""Reports for people: one file each, that parses, has its sections and believes no name."""

import os
import re
from typing import Any

import html5lib
import pandas as pd
import pytest

from door_cases import GROUP, ring_of_cliques, run, table
from kgroups import KernelKGroups

HOSTILE = "<script>alert(1)</script>"
BROKEN = 'a"><img src=x onerror=alert(2)>&amp;{{ 7 * 7 }}'
FAR = "\u202egpj.exe\x1b[2J"
#: The command of each page, and words of the headings of its sections.
PAGES = {
    "clusters": (
        "cluster h.csv -k 3 --drop w,class --metric mixed --id-column name",
        ["short", "large", "apart", "typical", "map", "real", "repeat", "labels"],
    ),
    "a chosen number": ("cluster xy.csv -k auto", ["short", "apart", "real", "repeat", "labels"]),
    "curved": ("cluster xy.csv -k 3 --curved", ["short", "apart", "map", "repeat", "labels"]),
    "choose-k": ("choose-k xy.csv --k-max 4", ["short", "checks", "repeat"]),
    "test": ("test h.csv --by kind --columns y", ["short", "samples", "numbers", "repeat"]),
    "communities": (
        "communities ring.csv", ["short", "communities", "network", "repeat", "labels"],
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The page of each command, by its name; nothing else is written."""
    folder, before = tmp_path_factory.mktemp("pages"), os.getcwd()
    os.chdir(folder)
    try:
        hostile = table().rename(columns={"x": HOSTILE}).replace({"moss": BROKEN, "001": FAR})
        hostile.to_csv("h.csv", index=False)
        table()[["x", "y"]].to_csv("xy.csv", index=False)
        nodes = {5: HOSTILE, 6: BROKEN, 7: FAR}
        edges = [(nodes.get(i, i), nodes.get(j, j), w) for i, j, w in ring_of_cliques()]
        pd.DataFrame(edges, columns=["source", "target", "weight"]).to_csv("ring.csv", index=False)
        made = {}
        for name, (words, _) in PAGES.items():
            there = set(os.listdir())
            ran = run(words, "--report", f"{name.replace(' ', '-')}.html")
            assert ran.status == 0, ran.err
            (new,) = set(os.listdir()) - there
            made[name] = (folder / new).read_text(encoding="utf-8")
    finally:
        os.chdir(before)
    return made


def parsed(html: str) -> list[Any]:
    """The elements of a page that a strict parser accepts."""
    tree = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parse(html)
    return [element for element in tree.iter() if isinstance(element.tag, str)]


def texts(elements: list[Any], tag: str) -> list[str]:
    """What stands in each element of a kind."""
    return [" ".join("".join(e.itertext()).split()) for e in elements if e.tag == tag]


@pytest.mark.parametrize("name", PAGES)
def test_sections(name, pages):
    words, sections = PAGES[name]
    elements = parsed(pages[name])
    headings = " / ".join(texts(elements, "h2")).lower()
    assert [word for word in sections if word not in headings] == []
    assert words.split()[1] in texts(elements, "title")[0]
    (printed,) = [code for code in texts(elements, "body") if f"kgroups {words}" in code]
    if name.startswith(("clusters", "a chosen", "curved")):
        assert re.search(r"\b3 clusters\b", printed)
        assert re.search(r"\b12\b", printed)
    if name == "communities":
        assert re.search(r"\b4 communities\b", printed)


@pytest.mark.parametrize("name", PAGES)
def test_nothing_is_loaded_and_no_name_is_believed(name, pages):
    elements = parsed(pages[name])
    for element in elements:
        for key, value in element.attrib.items():
            if key in ("src", "href", "data", "action", "poster", "srcset") or "href" in str(key):
                assert value.startswith(("#", "data:")), (element.tag, key, value)
            assert not str(key).startswith("on"), (element.tag, key, value)
    styles = "".join(texts(elements, "style"))
    assert "@import" not in styles
    assert not re.search(r"url\((?!['\"]?(#|data:))", styles)
    assert not {"link", "iframe", "object", "embed", "base"} & {e.tag for e in elements}
    scripts = [e for e in elements if e.tag == "script" and "json" not in e.get("type", "")]
    assert not any("alert(" in "".join(script.itertext()) for script in scripts)
    assert not set("\u202e\x1b") & set(pages[name])
    if name == "clusters":
        assert HOSTILE in "".join(texts(elements, "body"))


def test_pages_of_python(tmp_path):
    """Names of columns, groups that are known, and the same bytes for the same fit."""
    frame = table()[["x", "y"]]
    model = KernelKGroups(3, random_state=0).fit(frame)
    for name in ("a.html", "b.html"):
        model.report(frame, labels_true=GROUP).save(tmp_path / name)
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()
    elements = parsed((tmp_path / "a.html").read_text(encoding="utf-8"))
    assert "3 clusters" in texts(elements, "h1")[0]
    assert {"x", "y"} <= set(texts(elements, "th"))


@pytest.mark.parametrize(
    "words", ["cluster xy.csv -k 3 --report p.txt", "cluster xy.csv -k 3 --report no/p.html"]
)
def test_a_page_that_cannot_be_written_leaves_nothing(words, folder):
    table()[["x", "y"]].to_csv("xy.csv", index=False)
    ran = run(words, "-o l.csv")
    assert ran.status != 0
    assert words.split()[-1].split("/")[0] in ran.err
    assert [path.name for path in folder.iterdir()] == ["xy.csv"]
