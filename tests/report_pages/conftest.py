"""One page of three groups, which several tests read."""

import pytest

from page_cases import groups, report_of


@pytest.fixture(scope="session")
def page():
    return report_of(groups(), source="three groups", ids=[f"r{i}" for i in range(60)])


@pytest.fixture(scope="session")
def html(page):
    return page.to_html()
