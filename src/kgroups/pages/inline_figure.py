"""Any figure as a part of a page, of a size that fits."""

from __future__ import annotations

import base64
import io
from html import escape
from typing import TYPE_CHECKING

from kgroups.pages.inline_svg import inline_svg
from kgroups.pages.parts import Picture

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Characters of an SVG beyond which pixels take less room.
_LARGEST = 400_000
_DOTS_PER_INCH = 100


def picture(figure: Figure, *, key: str, title: str, description: str, caption: str) -> Picture:
    """The figure as SVG, or as pixels where it has too many marks for that.

    The parameters are those of :func:`inline_svg`; ``caption`` stands below.
    """
    svg = inline_svg(figure, key=key, title=title, description=description)
    if len(svg) > _LARGEST:
        svg = _in_pixels(figure, f"{title}: {description}")
    return Picture(svg=svg, caption=caption)


def _in_pixels(figure: Figure, description: str) -> str:
    stream = io.BytesIO()
    figure.savefig(stream, format="png", dpi=_DOTS_PER_INCH, metadata={"Software": None})
    data = base64.b64encode(stream.getvalue()).decode("ascii")
    return f'<img alt="{escape(description)}" src="data:image/png;base64,{data}">'
