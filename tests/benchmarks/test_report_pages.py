"""Pages at size, here at small ones: what is measured, and that faults are found."""

import pytest

from benchmarks import report_pages
from benchmarks.report_pages import Row, in_words, is_valid, main


def test_pages_within_the_limits(capsys):
    assert main(["--rows", "200", "--columns", "2", "--clusters", "2", "--seconds", "60"]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith("k =   2")
    assert line.endswith("ok")


def test_a_page_beyond_them(capsys, monkeypatch):
    monkeypatch.setattr(report_pages, "LARGEST", 10)
    monkeypatch.setattr(report_pages, "measured", lambda X, k, longest: Row(k, 11, 1.0, ("slow",)))
    assert main(["--rows", "200", "--columns", "2", "--clusters", "2"]) == 1
    assert capsys.readouterr().out.endswith("1.00 s  slow\n")


@pytest.mark.parametrize(
    ("html", "expected"),
    [("<!DOCTYPE html><title>t</title><p>a", True), ("<p>no type", False),
     ("<!DOCTYPE html><title>t</title><p id=a id=b>", False)],
)  # fmt: skip
def test_validity(html, expected):
    assert is_valid(html) is expected


def test_words():
    assert in_words(Row(30, 1_234_567, 2.5, ())) == "k =  30  1,234,567 bytes   2.50 s  ok"
