"""A landscape page of four panels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kgroups.plots.style import require_matplotlib

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_WIDTHS = (1.25, 1)


def page() -> tuple[Figure, Any]:
    """A figure without pyplot, and its axes, (2, 2)."""
    figure = _empty()
    return figure, figure.subplots(2, 2, width_ratios=_WIDTHS)


def page_with_low_panel(share: float) -> tuple[Figure, Any]:
    """The same, but the lower left panel has only a ``share`` of the height, below 1/2."""
    figure = _empty()
    panels: dict[str, Any] = figure.subplot_mosaic(
        [["a", "b"], ["a", "d"], ["c", "d"]],
        width_ratios=_WIDTHS, height_ratios=(0.5, 0.5 - share, share),
    )  # fmt: skip
    return figure, ((panels["a"], panels["b"]), (panels["c"], panels["d"]))


def _empty() -> Figure:
    require_matplotlib()
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    figure = Figure(figsize=(11, 8.5), layout=ConstrainedLayoutEngine(w_pad=0.12, h_pad=0.12))
    FigureCanvasAgg(figure)
    return figure
