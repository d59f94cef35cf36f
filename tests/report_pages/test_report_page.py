"""A page as a file, in a notebook and as bytes."""

import base64
import hashlib
import html as html_module
import os
import re
from itertools import pairwise
from pathlib import Path

import pytest

from kgroups.pages import ReportPage
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


def test_what_cannot_be_saved(page, tmp_path):
    with pytest.raises(IsADirectoryError, match=r"is a folder; name a file in it, such as"):
        page.save(tmp_path)
    with pytest.raises(ValueError, match=r"name it report\.txt\.html instead of report\.txt"):
        page.save(tmp_path / "report.txt")
    with pytest.raises(FileNotFoundError, match=r"the folder .*none does not exist"):
        page.save(tmp_path / "none" / "report.html")
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match=r"file is not a folder"):
        page.save(tmp_path / "file" / "report.html")
    with pytest.raises(OSError, match=r"cannot be written: file name too long"):
        page.save(tmp_path / f"{'long' * 80}.html")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


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


def test_as_text(page):
    title, verdict, kept = str(page).splitlines()
    assert title == "3 clusters in three groups"
    assert verdict.startswith("The 60 rows of three groups were divided into 3 clusters")
    assert kept == "(11 sections; .save('report.html') keeps it.)"


def test_templates_are_in_the_package():
    folder = Path(ReportPage.__module__.replace(".", "/")).parent.name
    from importlib import resources

    names = {p.name for p in resources.files(f"kgroups.{folder}.templates").iterdir()}
    assert {"page.html.j2", "page.css", "page.js"} <= names


@pytest.mark.parametrize("name", ["jinja2", "matplotlib"])
def test_what_to_install(monkeypatch, name):
    monkeypatch.setitem(__import__("sys").modules, name, None)
    with pytest.raises(ImportError, match=r'pip install "kgroups\[(report|plot)\]"'):
        report_of(groups())
