"""The examples of the pages on series, strings and distributions, and the numbers there."""

import doctest

import pytest

from kgroups.names import EDIT_DISTANCES, ELASTIC_DISTANCES, SCIPY_DISTANCES
from kgroups.semimetrics.by_strips import SINGLE_BEYOND
from pages import blocks, page, prose, said

PAGES = {
    "series": "I have 500 time series of different lengths",
    "strings-and-objects": "I have 20,000 names with typing errors",
    "distributions": "Each of my rows is a sample",
}


@pytest.mark.filterwarnings("ignore:.*negative type")
@pytest.mark.parametrize("name", PAGES)
def test_the_examples(name):
    text = page(name)
    assert text.startswith(f"# {PAGES[name]}\n")
    code = "\n".join(blocks(text, "python"))
    example = doctest.DocTestParser().get_doctest(code, {}, name, None, 0)
    assert len(example.examples) > 5
    assert doctest.DocTestRunner().run(example).failed == 0


@pytest.mark.parametrize("name", PAGES)
def test_the_limit_on_rows(name):
    """√(bytes / 4) rows: what the pages call 20,000 rows in 1.6 GB, and 44,000 in 8 GB."""
    text = page(name)
    up_to, rows, gigabytes = said(text, r"up to ([\d,]+) \w+, 4n² .* ([\d,]+) \w+ take ([\d.]+) GB")
    assert int(up_to) == int(SINGLE_BEYOND)
    assert 4 * rows**2 == pytest.approx(gigabytes * 1e9)
    if name != "distributions":
        (most,) = said(text, r"8 GB hold ([\d,]+)")
        assert 4 * most**2 == pytest.approx(8e9, rel=0.04)


def test_every_name_is_on_a_page():
    for name in ELASTIC_DISTANCES:
        assert f'`"{name}"`' in page("series")
    for name in EDIT_DISTANCES:
        assert f'`"{name}"`' in page("strings-and-objects")
    named = [name for name in SCIPY_DISTANCES if f'"{name}"' in prose(page("strings-and-objects"))]
    assert len(named) > 5
