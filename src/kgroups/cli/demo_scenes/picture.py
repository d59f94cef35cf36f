"""The picture of the demo: one panel per scene."""

from __future__ import annotations

from collections.abc import Mapping
from pkgutil import resolve_name

from kgroups.cli.demo_scenes.cast import PARTS
from kgroups.cli.demo_scenes.scene import Played
from kgroups.cli.output import picture_bytes as saved


def picture(played: Mapping[str, Played], suffix: str) -> bytes:
    """The file of the picture, in the format of its extension."""
    from kgroups.plots.style import blank, say

    figure = blank(15.0, 9.2)
    for ax, part in zip(figure.subplots(2, 3).flat, PARTS, strict=True):
        if part.module in played:
            resolve_name(part.function("draw"))(ax, played[part.module])
        else:
            say(ax, part.title.capitalize(), f"left out, because {part.needs} is missing")
    return saved(figure, suffix)
