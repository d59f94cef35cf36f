"""What a page consists of: plain values, which the template lays out and escapes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, TypeAlias


@dataclass(frozen=True)
class Paragraph:
    """Running text."""

    kind: ClassVar[str] = "paragraph"
    text: str


@dataclass(frozen=True)
class Heading:
    """A heading within a section."""

    kind: ClassVar[str] = "heading"
    text: str


@dataclass(frozen=True)
class Bullets:
    """A list of sentences."""

    kind: ClassVar[str] = "bullets"
    items: Sequence[str]


@dataclass(frozen=True)
class Pairs:
    """Names and what they stand for."""

    kind: ClassVar[str] = "pairs"
    pairs: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Command:
    """Something to be typed, as it is."""

    kind: ClassVar[str] = "command"
    text: str


@dataclass(frozen=True, kw_only=True)
class Cell:
    """A cell of a table; ``color`` is shown as a square, ``share`` as a bar from 0 to 1."""

    text: str
    color: str | None = None
    share: float | None = None


@dataclass(frozen=True, kw_only=True)
class Grid:
    """A table with one line of headings; its first column says what a row is about."""

    kind: ClassVar[str] = "grid"
    caption: str
    head: Sequence[str]
    rows: Sequence[Sequence[str | Cell]]
    #: Columns of running text, which is set to the left and may be broken.
    words: Sequence[int] = ()


@dataclass(frozen=True, kw_only=True)
class Picture:
    """A drawing as SVG, which is trusted: :func:`kgroups.pages.inline_svg.inline_svg` makes it."""

    kind: ClassVar[str] = "picture"
    svg: str
    caption: str


@dataclass(frozen=True, kw_only=True)
class Details:
    """What only some readers want: closed until somebody opens it."""

    kind: ClassVar[str] = "details"
    summary: str
    parts: Sequence[Part]


Part: TypeAlias = Paragraph | Heading | Bullets | Pairs | Command | Grid | Picture | Details


@dataclass(frozen=True, kw_only=True)
class Section:
    """One question and its answer: a sentence for everybody, then tables, pictures and notes."""

    #: The anchor, unique on the page.
    key: str
    heading: str
    sentence: str
    parts: Sequence[Part] = ()
