"""A page in a real browser: nothing is complained of, and the button writes the labels."""

import io

import numpy as np
import pytest

from browser import Browser
from page_cases import groups, report_of


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    made = Browser(tmp_path_factory.mktemp("browser"))
    yield made
    made.close()


@pytest.fixture
def opened(browser, html, tmp_path):
    path = tmp_path / "report.html"
    path.write_text(html, encoding="utf-8")
    browser.call("Emulation.setScriptExecutionDisabled", value=False)
    browser.open(path)
    return browser


def downloaded(browser):
    """The file that the button writes."""
    browser.evaluate("document.getElementById('download').click()")
    browser.wait_for("Browser.downloadProgress", state="completed")
    return (browser.folder / "labels.csv").read_text(encoding="utf-8")


def colors(png):
    from matplotlib.image import imread

    red, green, blue = (255 * imread(io.BytesIO(png))[..., :3]).astype(np.int64).reshape(-1, 3).T
    return len(np.unique((red << 16) + (green << 8) + blue))


def test_no_complaint_and_the_labels(opened, page):
    lines = downloaded(opened).splitlines()
    assert lines[0] == "row,name,cluster"
    labels = [int(line.rpartition(",")[2]) for line in lines[1:]]
    digits = page.labels.digits
    assert labels == [int(digit, 36) for digit in digits]
    assert lines[1].startswith("1,r0,")
    assert opened.complaints() == []
    assert opened.evaluate("document.getElementById('downloaded').textContent") == (
        "60 rows written to labels.csv"
    )


def test_names_of_rows_come_back_as_they_were(browser, tmp_path):
    names = ['a "b", c', "</script>", "é\n", "=1"] * 15
    page = report_of(groups(), ids=names)
    page.save(tmp_path / "report.html")
    browser.open(tmp_path / "report.html")
    (browser.folder / "labels.csv").unlink(missing_ok=True)
    text = downloaded(browser)
    assert text.startswith('row,name,cluster\n1,"a ""b"", c",')
    assert ",</script>," in text
    assert '"é\n"' in text
    assert browser.complaints() == []


def test_it_is_drawn_on_wide_narrow_and_dark_screens(opened):
    assert colors(opened.screenshot(1280, 1200)) > 50
    assert colors(opened.screenshot(400, 800)) > 20
    assert opened.evaluate("document.documentElement.scrollWidth") <= 400
    light = opened.evaluate("getComputedStyle(document.body).backgroundColor")
    dark = [{"name": "prefers-color-scheme", "value": "dark"}]
    opened.call("Emulation.setEmulatedMedia", features=dark)
    assert opened.evaluate("getComputedStyle(document.body).backgroundColor") != light
    opened.call("Emulation.setEmulatedMedia", features=[])


def test_on_paper_everything_is_open(opened):
    opened.call("Emulation.setEmulatedMedia", media="print")
    hidden = "getComputedStyle(document.querySelector('nav')).display"
    assert opened.evaluate(hidden) == "none"
    pdf = opened.call("Page.printToPDF")["data"]
    assert len(pdf) > 20_000
    is_open = "[...document.querySelectorAll('details')].every(d => d.open)"
    assert opened.evaluate(is_open) is True
    opened.call("Emulation.setEmulatedMedia", media="")


def test_the_keyboard_goes_from_the_top(opened):
    opened.press("Tab")
    assert opened.evaluate("document.activeElement.className") == "skip"
    opened.press("Tab")
    assert opened.evaluate("document.activeElement.tagName") == "SUMMARY"
    places = (
        "[...document.querySelectorAll('a,button,summary,[tabindex]')]"
        ".filter(e => e.tabIndex > 0).length"
    )
    assert opened.evaluate(places) == 0


def test_without_scripts_all_but_the_button_is_there(browser, html, tmp_path):
    (tmp_path / "report.html").write_text(html, encoding="utf-8")
    browser.call("Emulation.setScriptExecutionDisabled", value=True)
    browser.open(tmp_path / "report.html")
    browser.call("Emulation.setScriptExecutionDisabled", value=False)
    text = browser.evaluate("document.body.innerText")
    assert "Download labels.csv" not in text
    assert "Scripts are switched off" in text
    assert "How large they are" in text
