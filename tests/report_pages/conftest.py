"""One page of three groups, which several tests read."""

import pytest

from page_cases import groups, report_of


@pytest.fixture
def undrawn(monkeypatch):
    """Pages without pictures, which take most of the time of a small page."""
    svg = "<svg></svg>"
    monkeypatch.setattr("kgroups.pages.inline_figure.inline_svg", lambda *_, **__: svg)


@pytest.fixture(scope="session")
def page():
    return report_of(groups(), source="three groups", ids=[f"r{i}" for i in range(60)])


@pytest.fixture(scope="session")
def html(page):
    return page.to_html()
