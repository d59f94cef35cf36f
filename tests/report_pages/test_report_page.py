"""A page as a file, in a notebook and as bytes."""

import base64
import hashlib
import html as html_module
import os
import re
from itertools import pairwise

import pytest

from page_cases import groups, parsed, report_of, texts


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


def test_headings_go_down_one_level_at_a_time(html):
    levels = [int(level) for level in re.findall(r"<h([1-6])", html)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_every_table_says_what_it_holds(html):
    tree = parsed(html)
    assert len(texts(tree, "caption")) == html.count("<table") > 0
    assert all(texts(tree, "caption"))
    assert html.count('<th scope="') == html.count("<th ")


def test_saved_whole(page, html, tmp_path):
    path = tmp_path / "report.html"
    page.save(path)
    assert path.read_text(encoding="utf-8") == html
    page.save(str(path))
    assert [p.name for p in tmp_path.iterdir()] == ["report.html"]


def test_without_permission(page, tmp_path, monkeypatch):
    def refused(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", refused)
    with pytest.raises(PermissionError, match=r"no file can be created in "):
        page.save(tmp_path / "report.html")
    assert list(tmp_path.iterdir()) == []


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
