"""A landscape page of four panels."""

from __future__ import annotations

from typing import Any

from kgroups.plots._style import require_matplotlib

_WIDTHS = (1.25, 1)


def page() -> tuple[Any, Any]:
    """A figure without pyplot, and its axes, (2, 2)."""
    figure = _empty()
    return figure, figure.subplots(2, 2, width_ratios=_WIDTHS)


def page_with_low_panel(share: float) -> tuple[Any, Any]:
    """The same with the lower left panel of a ``share`` of the height, below 1/2."""
    figure = _empty()
    panels = figure.subplot_mosaic(
        [["a", "b"], ["a", "d"], ["c", "d"]],
        width_ratios=_WIDTHS, height_ratios=(0.5, 0.5 - share, share),
    )  # fmt: skip
    return figure, ((panels["a"], panels["b"]), (panels["c"], panels["d"]))


def _empty() -> Any:
    require_matplotlib()
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    figure = Figure(figsize=(11, 8.5), layout=ConstrainedLayoutEngine(w_pad=0.12, h_pad=0.12))
    FigureCanvasAgg(figure)
    return figure
