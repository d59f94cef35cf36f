"""A landscape page of four panels."""

from __future__ import annotations

from typing import Any

from kgroups.plots._style import require_matplotlib


def page() -> tuple[Any, Any]:
    """A figure without pyplot, and its axes, (2, 2)."""
    require_matplotlib()
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    figure = Figure(figsize=(11, 8.5), layout=ConstrainedLayoutEngine(w_pad=0.12, h_pad=0.12))
    FigureCanvasAgg(figure)
    return figure, figure.subplots(2, 2, width_ratios=(1.25, 1))
