"""Words in the tiles of a picture, as many as fit; names of columns that stay different."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from kgroups.answers.profiles import CategoryProfile, NumberProfile
from kgroups.plots.style import INK, plain
from kgroups.text import printable, short

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.backend_bases import RendererBase
    from matplotlib.image import AxesImage
    from matplotlib.text import Text

_SIZE = 7.5
# Characters of a category, and the share of a tile that words may fill.
_LONGEST, _FILLED = 14, (0.94, 0.95)
# Below this brightness of a tile its words are white.
_DARK = 0.45


def words_of(column: NumberProfile | CategoryProfile, cluster: int) -> list[str]:
    """What a tile may say about a column in a cluster, the most telling first."""
    if isinstance(column, NumberProfile):
        return [_number(column.means[cluster], is_date=column.is_date)]
    category = column.categories[cluster]
    if category is None:
        return ["as all"]
    name = plain(short(category, _LONGEST))
    share, of_all = column.shares[cluster], column.shares_of_all[cluster]
    return [
        f"{name} {share:.0%}, all {of_all:.0%}",
        f"{name} {share:.0%}\nall {of_all:.0%}",
        f"{name} {share:.0%}",
        f"{share:.0%}",
    ]


def _number(value: float, *, is_date: bool) -> str:
    """Three digits, and whole numbers as they are up to a million; "" where there is none."""
    if not np.isfinite(value):
        return ""
    if is_date:
        return str(np.datetime64(int(np.floor(value)), "D"))
    if 1_000 <= abs(value) < 1e6:
        return f"{value:,.0f}"
    return f"{value:.3g}".replace("-", "−")


def short_names(names: Sequence[str], longest: int) -> list[str]:
    """Names on one line, without their ends; those that would be equal without their middles."""
    cut = [short(name, longest) for name in names]
    return [
        plain(_without_middle(printable(name), longest) if cut.count(found) > 1 else found)
        for name, found in zip(names, cut, strict=True)
    ]


def _without_middle(name: str, longest: int) -> str:
    if len(name) <= longest:
        return name
    end = (longest - 1) // 2
    return f"{name[: longest - 1 - end]}…{name[-end:]}"


def write_in_tiles(
    ax: Axes, words: Sequence[Sequence[list[str]]], image: AxesImage
) -> list[list[Text]]:
    """Write into each tile the first of its words that fits, chosen whenever it is drawn.

    What fits is known only then, because names next to the tiles take their room first.
    """
    from matplotlib.artist import Artist

    colors = np.asarray(image.to_rgba(np.ma.getdata(image.get_array())))  # type: ignore[arg-type]
    shades = colors[:, :, :3] @ [0.2126, 0.7152, 0.0722]
    style: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": _SIZE, "in_layout": False}
    texts = [
        [
            ax.text(c, r, said[0], color="white" if shades[r, c] < _DARK else INK, **style)
            for c, said in enumerate(row)
        ]
        for r, row in enumerate(words)
    ]

    class Chooser(Artist):  # matplotlib is loaded when it is used
        """Draws nothing itself; its turn comes just before the words are drawn."""

        def draw(self, renderer: RendererBase) -> None:
            (left, top), (right, bottom) = ax.transData.transform([(0, 0), (1, 1)])
            room = np.abs([right - left, bottom - top]) * _FILLED
            flat = [*zip(chain(*texts), chain(*words), strict=True)]
            shown = [_choose(text, variants, room, renderer) for text, variants in flat]
            if 2 * sum(shown) < len(shown):  # a few words alone would seem to stand out
                for text, _ in flat:
                    text.set_visible(False)

    chooser = Chooser()
    chooser.set_zorder(2.9)
    chooser.set_in_layout(False)
    ax.add_artist(chooser)
    return texts


def _choose(text: Text, variants: list[str], room: Any, renderer: RendererBase) -> bool:
    """Show the first of the variants that fits, or hide the text; whether one fits."""
    text.set_visible(True)  # hidden text has no extent
    for words in variants:
        text.set_text(words)
        extent = text.get_window_extent(renderer)
        if extent.width <= room[0] and extent.height <= room[1]:
            return True
    text.set_visible(False)
    return False
