"""Figures within a page."""

import re

import numpy as np
import pytest

from kgroups.pages.inline_figure import picture
from kgroups.pages.inline_svg import drawing, inline_svg
from kgroups.plots.style import blank
from page_cases import parsed


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


def test_only_what_is_pointed_at_has_an_identifier():
    svg = drawn(image=True)
    found = set(re.findall(r' id="([^"]*)"', svg)) - {"a-title", "a-description"}
    used = {a or b for a, b in re.findall(r'href="#([^"]*)"|url\(#([^)]*)\)', svg)}
    assert found == used
    assert "data:image/png;base64," in svg


def test_colors_stay_and_text_stays_text():
    svg = drawn("price $x$ in $ and \\frac{")
    assert "#0072b2" in svg.lower()
    assert "price $x$ in $ and \\frac{" in svg


def test_two_decimals():
    assert not re.search(r' (?:d|x|y)="[^"]*\.\d{3}', drawn())


@pytest.mark.parametrize("marks", [10, 8_000])
def test_many_marks_become_pixels(marks):
    with drawing():
        made = blank(3, 2)
        made.add_subplot().scatter(np.arange(marks), np.arange(marks) % 7)
        part = picture(made, key="a", title="T", description="D", caption="C")
    assert part.svg.startswith("<svg" if marks == 10 else '<img alt="T: D" src="data:image/png')
    assert len(part.svg) < 400_000
