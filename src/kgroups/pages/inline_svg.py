"""Figures as SVG that stands within a page: no address, no style sheet, no identifier twice."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_DOTS_PER_INCH = 110
_NAMESPACE = re.compile(r"\{[^}]*\}")
_REFERENCE = re.compile(r"(?:^|url\()#([\w-]+)")
_DIGITS = re.compile(r"(\.\d\d)\d+")
# Attributes with many coordinates, of which two decimals of a point are enough.
_COORDINATES = ("d", "x", "y")
# A page has styles of its own, and says elsewhere who made it.
_LEFT_OUT = ("metadata", "style")


@contextmanager
def drawing() -> Iterator[None]:
    """Settings under which figures are made: text stays text, and $ in a name stays a $."""
    from matplotlib import rc_context

    settings = {"svg.hashsalt": "kgroups", "svg.fonttype": "none", "text.parse_math": False}
    with rc_context(settings), warnings.catch_warnings():
        # The browser draws text with fonts of its own.
        warnings.filterwarnings("ignore", message=r"Glyph .* missing from")
        yield


def inline_svg(figure: Figure, *, key: str, title: str, description: str) -> str:
    """A figure as an ``<svg>`` element, which a screen reader announces by its title.

    Parameters
    ----------
    figure : matplotlib figure
        Made, and passed on, within :func:`drawing`.
    key : str
        What identifiers begin with; no other figure of the page has it.
    title, description : str
        What the picture is called and what it shows, in words.

    Returns
    -------
    str
        The same bytes for the same figure.
    """
    stream = io.BytesIO()
    figure.savefig(stream, format="svg", dpi=_DOTS_PER_INCH, metadata={"Date": None})
    root = ET.fromstring(stream.getvalue())
    _cleaned(root, key, _references(root))
    _described(root, key, title, description)
    return ET.tostring(root, encoding="unicode")


def _references(root: ET.Element) -> set[str]:
    """The identifiers that something on the picture points at."""
    values = (value for element in root.iter() for value in element.attrib.values())
    return {name for value in values if "#" in value for name in _REFERENCE.findall(value)}


def _cleaned(root: ET.Element, key: str, used: set[str]) -> None:
    """Drop namespaces, style sheets and idle identifiers; put the key before the others."""
    for parent in list(root.iter()):
        for child in list(parent):
            if _NAMESPACE.sub("", str(child.tag)) in _LEFT_OUT:
                parent.remove(child)
    for element in root.iter():
        element.tag = _NAMESPACE.sub("", str(element.tag))
        kept = [_attribute(name, value, key, used) for name, value in element.attrib.items()]
        element.attrib.clear()
        element.attrib.update(dict(pair for pair in kept if pair is not None))
        element.tail = None
        if not (element.text or "").strip():
            element.text = None


def _attribute(name: str, value: str, key: str, used: set[str]) -> tuple[str, str] | None:
    """An attribute as the page has it; None for an identifier that nothing points at."""
    name = _NAMESPACE.sub("", name)
    if name == "id":
        return (name, f"{key}-{value}") if value in used else None
    if name in _COORDINATES:
        return name, _DIGITS.sub(r"\1", value)
    if name == "href" and value.startswith("#"):
        return name, f"#{key}-{value[1:]}"
    return name, value.replace("url(#", f"url(#{key}-")


def _described(root: ET.Element, key: str, title: str, description: str) -> None:
    """Say what the picture is and shows, and let it be as wide as the page allows."""
    for name in ("version", "height", "width"):
        root.attrib.pop(name, None)
    root.attrib |= {
        "role": "img",
        "aria-labelledby": f"{key}-title {key}-description",
    }
    texts = []
    for tag, name, text in (("title", "title", title), ("desc", "description", description)):
        element = ET.Element(tag, {"id": f"{key}-{name}"})
        element.text = text
        texts.append(element)
    root[:0] = texts
