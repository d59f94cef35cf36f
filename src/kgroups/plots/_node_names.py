"""Names next to nodes, as many as can be read."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kgroups.plots._network import by_community_and_degree
from kgroups.plots.style import INK, plain
from kgroups.text import short
from kgroups.typing import Float64Array, IntArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.backend_bases import RendererBase
    from matplotlib.text import Annotation

# How many names are tried, how many of each community at first, and how many written at most.
_TRIED, _FIRST, _WRITTEN = 200, 6, 30
_LONGEST = 24
# In points: from a node to its name, room around a name, and half a mark.
_AWAY, _ROOM, _MARK = 5.0, 0.7, 2.5


class _Place(NamedTuple):
    """Where a name stands next to its node: direction, and how text is aligned for it."""

    x: int
    y: int
    ha: str
    va: str


_PLACES = (
    _Place(0, 1, "center", "bottom"),
    _Place(0, -1, "center", "top"),
    _Place(1, 0, "left", "center"),
    _Place(-1, 0, "right", "center"),
)


def write_names(
    ax: Axes, positions: Float64Array, names: list[str], degrees: IntArray, labels: IntArray
) -> None:
    """Write one name per community, then those of nodes with most edges; no two names cross.

    What fits is known only when the picture is drawn, so names are chosen then, each time anew: a
    name stands above its node, or else below or next to it, and covers a node only if it must.
    """
    from matplotlib.artist import Artist
    from matplotlib.patheffects import withStroke

    halo = [withStroke(linewidth=1.8, foreground="white")]
    # Names are tried in this order until each community has one, then over all nodes.
    by_community: list[int] = _in_turns(degrees, labels).tolist()
    by_degree: list[int] = np.argsort(-degrees, kind="stable")[:_TRIED].tolist()
    tried = {node: positions[node] for node in [*by_community, *by_degree]}
    texts = {
        node: ax.annotate(
            plain(short(names[node], _LONGEST)), (x, y), xytext=(0, _AWAY),
            textcoords="offset points",
            ha="center", va="bottom", fontsize=7, color=INK, path_effects=halo, zorder=3,
            visible=False, in_layout=False,
        )
        for node, (x, y) in tried.items()
    }  # fmt: skip

    class Chooser(Artist):  # matplotlib is loaded when it is used
        """Draws nothing itself; its turn comes just before the names are drawn."""

        def draw(self, renderer: RendererBase) -> None:
            _Names(ax, positions, texts, renderer).choose(by_community, by_degree, labels)

    chooser = Chooser()
    chooser.set_zorder(2.9)
    chooser.set_in_layout(False)
    ax.add_artist(chooser)


def _in_turns(degrees: IntArray, labels: IntArray) -> IntArray:
    """The best-connected node of each community, the next of each, and so on."""
    order, rank = by_community_and_degree(labels, degrees)
    turns = order[np.lexsort((labels[order], rank))]
    return turns[: np.count_nonzero(rank < _FIRST)][:_TRIED]


class _Names:
    """The names that can be read in one drawing, in its pixels; the others are hidden."""

    def __init__(
        self,
        ax: Axes,
        positions: Float64Array,
        texts: dict[int, Annotation],
        renderer: RendererBase,
    ) -> None:
        self.texts, self.renderer = texts, renderer
        self.dots = ax.figure.dpi / 72
        self.frame = np.asarray(ax.get_window_extent(renderer).extents)
        self.nodes = ax.transData.transform(positions)
        self.written: dict[int, Float64Array] = {}

    def choose(self, by_community: list[int], by_degree: list[int], labels: IntArray) -> None:
        """Show names in turn while there is room."""
        for text in self.texts.values():
            text.set_visible(False)
        named: set[int] = set()
        for node in by_community:
            if labels[node] not in named and self._write(node):
                named.add(int(labels[node]))
        for node in by_degree:
            if node not in self.written:
                self._write(node)

    def _write(self, node: int) -> bool:
        if len(self.written) == _WRITTEN:
            return False
        text = self.texts[node]
        text.set_visible(True)  # hidden text has no extent
        extent = text.get_window_extent(self.renderer)
        boxes = _boxes(self.nodes[node], extent.width, extent.height, self.dots)
        best = self._best(boxes)
        text.set_visible(best is not None)
        if best is None:
            return False
        place = _PLACES[best]
        text.set(position=(_AWAY * place.x, _AWAY * place.y), ha=place.ha, va=place.va)
        self.written[node] = boxes[best]
        return True

    def _best(self, boxes: Float64Array) -> int | None:
        """The first place that covers neither names nor nodes, or else no names."""
        others = self.written.values()
        free = [
            place
            for place, box in enumerate(boxes)
            if _inside(box, self.frame) and not any(_cross(box, other) for other in others)
        ]
        margin = _MARK * self.dots
        clear = [place for place in free if not _covers(boxes[place], self.nodes, margin)]
        return next(iter([*clear, *free]), None)


def _boxes(node: Float64Array, width: float, height: float, dots: float) -> Float64Array:
    """Left, bottom, right and top of the name in each place, with some room around it."""
    away = _AWAY * dots
    half = np.array([width, height]) / 2
    directions = np.array([[place.x, place.y] for place in _PLACES])
    middles = node + directions * (away + half)
    room = half + _ROOM * dots
    return np.hstack([middles - room, middles + room])


def _inside(box: Float64Array, frame: Float64Array) -> bool:
    return bool((box[:2] >= frame[:2]).all() and (box[2:] <= frame[2:]).all())


def _cross(a: Float64Array, b: Float64Array) -> bool:
    return bool((a[:2] < b[2:]).all() and (b[:2] < a[2:]).all())


def _covers(box: Float64Array, nodes: Float64Array, margin: float) -> bool:
    inside = (nodes > box[:2] - margin) & (nodes < box[2:] + margin)
    return bool(inside.all(axis=1).any())
