"""Figures without pyplot, which belong to no window, and a landscape page of four panels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kgroups.plots.style import require_matplotlib

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Inches around each panel; with less, the title of the figure touches theirs.
_PADDING = 0.12


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
