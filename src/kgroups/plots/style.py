"""The look that all displays share, for pictures that should match them.

One palette, light axes, and text sizes in points; matplotlib is loaded when something is drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from kgroups.typing import Float64Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

# Okabe and Ito's colors, which can be told apart with all common kinds of color blindness, then
# darker ones by Paul Tol. Gray replaces black, which is the color of text. From the eleventh on
# each is as far as possible from all before it, from white, from text and from the gray of nodes
# without a community, measured in Oklab and without glaring colors: no two are closer than 0.11.
_PALETTE = (
    "#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9",
    "#666666", "#332288", "#999933", "#882255", "#005A00", "#F0E442",
    "#FFA5FF", "#69F096", "#965AC3", "#004B5A", "#5A3C0F", "#5A002D",
    "#C33C78", "#5A7800", "#B496FF", "#A53C0F", "#FF9696", "#5A87F0",
    "#5AC396", "#879696", "#00E1F0", "#A5C31E", "#5A4B96", "#690078",
)  # fmt: skip

# Nodes of a network that are in no community.
_ALONE = "#C4C4C4"

# If more colors are needed: Oklab, by Björn Ottosson, and the way from it to linear sRGB.
_GOLDEN_ANGLE, _LIGHTNESS, _CHROMA = np.pi * (3 - np.sqrt(5)), (0.5, 0.74, 0.62), 0.13
_TO_CONES = np.array([
    [1, 0.3963377774, 0.2158037573],
    [1, -0.1055613458, -0.0638541728],
    [1, -0.0894841775, -1.2914855480],
])  # fmt: skip
_TO_LINEAR = np.array([
    [4.0767416621, -3.3077115913, 0.2309699292],
    [-1.2684380046, 2.6097574011, -0.3413193965],
    [-0.0041960863, -0.7034186147, 1.7076147010],
])  # fmt: skip

#: More clusters than this get a color bar instead of a legend.
LEGEND_CLUSTERS = len(_PALETTE)

#: Beyond this many rows there is no room for a line of text at each.
MAX_NAMES = 30

#: The color of text and of what stands out.
INK = "#222222"
#: Size of small text, in points.
SMALL = 8.5
_TITLE, _LABEL = 11, 9.5
# Inches around each panel; with less, the title of the figure touches theirs.
_PADDING = 0.12


def require_matplotlib() -> None:
    """Raise an ImportError that says how to install matplotlib if it is missing."""
    try:
        import_module("matplotlib")
    except ImportError as error:
        raise ImportError('Plots need matplotlib: pip install "kgroups[plot]"') from error


def axes_for(ax: Axes | None) -> Axes:
    """The given axes, or those of a new pyplot figure."""
    require_matplotlib()
    if ax is not None:
        return ax
    from matplotlib import pyplot as plt

    new: Axes = plt.figure(layout="constrained").add_subplot()
    return new


def pyplot_figure(width: float, height: float) -> Figure:
    """A new pyplot figure, in inches, that keeps its panels apart."""
    require_matplotlib()
    from matplotlib import pyplot as plt

    figure: Figure = plt.figure(figsize=(width, height), layout="constrained")
    return figure


def page(low: float | None = None) -> tuple[Figure, Any]:
    """A figure without pyplot, and its axes, (2, 2).

    The lower left panel has only a share ``low`` of the height, below 1/2, if it is given.
    """
    figure, widths = blank(11, 8.5), (1.25, 1)
    if low is None:
        return figure, figure.subplots(2, 2, width_ratios=widths)
    panels: dict[str, Any] = figure.subplot_mosaic(
        [["a", "b"], ["a", "d"], ["c", "d"]],
        width_ratios=widths, height_ratios=(0.5, 0.5 - low, low),
    )  # fmt: skip
    return figure, ((panels["a"], panels["b"]), (panels["c"], panels["d"]))


def page_of_rows() -> tuple[Figure, Any]:
    """A figure without pyplot, and its axes, (2, 2), whose rows are laid out independently.

    Long names in one row take no room from the other.
    """
    figure = blank(11, 8.5)
    rows: Any = figure.subfigures(2, 1)
    return figure, [row.subplots(1, 2, width_ratios=(1.25, 1)) for row in rows]


def page_of_three(low: float | None = None) -> tuple[Figure, Any]:
    """A figure without pyplot, and three axes: on the left, above on the right, and below.

    The last has half of the height, or the share ``low``.
    """
    figure, share = blank(11, 8.5), 0.5 if low is None else low
    panels: dict[str, Any] = figure.subplot_mosaic(
        [["a", "b"], ["a", "c"]], width_ratios=(1.25, 1), height_ratios=(1 - share, share)
    )
    return figure, (panels["a"], panels["b"], panels["c"])


def blank(width: float, height: float) -> Figure:
    """An empty figure, in inches, that keeps its panels apart."""
    require_matplotlib()
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    layout = ConstrainedLayoutEngine(w_pad=_PADDING, h_pad=_PADDING)
    figure = Figure(figsize=(width, height), layout=layout)
    FigureCanvasAgg(figure)
    return figure


def cluster_colors(n_clusters: int) -> Float64Array:
    """Red, green, blue and opacity of each cluster, (k, 4): the same in every display."""
    from matplotlib.colors import to_rgba_array

    if n_clusters <= len(_PALETTE):
        return np.asarray(to_rgba_array(_PALETTE[:n_clusters]))
    return _hues(n_clusters)


def hex_colors(colors: Float64Array) -> list[str]:
    """Colors as HTML writes them, without their opacity.

    >>> hex_colors(np.array([[0.0, 0.5, 1.0, 1.0]]))
    ['#0080ff']
    """
    levels = np.round(255 * colors[:, :3]).astype(int).tolist()
    return [f"#{red:02x}{green:02x}{blue:02x}" for red, green, blue in levels]


def community_colors(n_communities: int) -> Float64Array:
    """Those of the communities, then the gray of nodes that are in none, (k + 1, 4)."""
    from matplotlib.colors import to_rgba

    return np.vstack([cluster_colors(n_communities), to_rgba(_ALONE)])


def _hues(count: int) -> Float64Array:
    """Colors without an order: hues a golden angle apart, in turn dark, light and in between.

    They are chosen in Oklab, where distances are as large as they look; what no screen can show is
    clipped.
    """
    turn = np.arange(count)
    hue, lightness = _GOLDEN_ANGLE * turn, np.asarray(_LIGHTNESS)[turn % len(_LIGHTNESS)]
    lab = np.column_stack([lightness, _CHROMA * np.cos(hue), _CHROMA * np.sin(hue)])
    linear = np.clip((lab @ _TO_CONES.T) ** 3 @ _TO_LINEAR.T, 0, 1)
    srgb = np.where(linear < 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
    return np.column_stack([srgb, np.ones(count)])


def tidy(ax: Axes, *, title: str, x: str, y: str) -> None:
    """Set title and axis labels, and show only the spines that carry ticks."""
    ax.set_title(title, loc="left", fontsize=_TITLE, color=INK)
    ax.set_xlabel(x, fontsize=_LABEL, color=INK)
    ax.set_ylabel(y, fontsize=_LABEL, color=INK)
    ax.tick_params(labelsize=SMALL, color="#999999", labelcolor=INK)
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color("#999999")


def bare(ax: Axes, title: str) -> None:
    """The title alone: no axis labels, ticks or spines."""
    tidy(ax, title=title, x="", y="")
    ax.set(xticks=[], yticks=[])
    ax.spines[:].set_visible(False)


def say(ax: Axes, title: str, words: str) -> None:
    """Fill a panel with words, in place of a picture that they explain to be missing."""
    bare(ax, title)
    style: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": SMALL, "color": "#666666"}
    ax.text(0.5, 0.5, words, transform=ax.transAxes, **style)


def name_rows(ax: Axes, names: Sequence[str]) -> float:
    """Write names at the rows 0, 1, … if they are few enough; returns the size of the text."""
    size = min(SMALL, 205 / max(1, len(names)))
    if len(names) <= MAX_NAMES:
        ax.set_yticks(np.arange(len(names)), names)
        ax.tick_params(axis="y", length=0, labelsize=size)
    else:
        ax.set_yticks([])
    return size


def count_axis(axis: Axis) -> None:
    """Put ticks at whole numbers only, with commas between thousands."""
    from matplotlib.ticker import MaxNLocator, StrMethodFormatter

    axis.set_major_locator(MaxNLocator(8, integer=True, steps=[1, 2, 5, 10]))
    axis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))


def plain(text: str) -> str:
    """Text whose dollars are dollars; unescaped, two of them would begin and end a formula."""
    return text.replace("$", r"\$")


def heading(what: str, drawn: int, total: int, unit: str = "points") -> str:
    """A title that states the sample size when not everything is drawn."""
    return what if drawn == total else f"{what} ({drawn:,} of {total:,} {unit})"
