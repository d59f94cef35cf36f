"""Pictures of outcomes, in the style of :mod:`kgroups.plots`, for any experiment."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import cycle
from typing import Any

import numpy as np

from kgroups.plots import INK, SMALL, cluster_colors, require_matplotlib, tidy
from papers.experiment import Outcome

GRAY = "#666666"
_MARKS = "osD^vP*X"


def figure(
    n_columns: int = 1,
    size: tuple[float, float] = (6.4, 4.4),
    n_rows: int = 1,
    **settings: Any,
) -> tuple[Any, Any]:
    """A figure outside pyplot and its axes, as ``subplots`` gives them; ``size`` is that of one."""
    require_matplotlib()
    from matplotlib.figure import Figure

    made = Figure(figsize=(size[0] * n_columns, size[1] * n_rows), layout="constrained")
    return made, made.subplots(n_rows, n_columns, **settings)


def legend(ax: Any) -> None:
    """Which line is which."""
    if ax.get_legend_handles_labels()[1]:
        ax.legend(fontsize=SMALL - 1, labelcolor=INK, framealpha=0.9)


def numbered(keys: Iterable[str], panel: str = "") -> dict[float, str]:
    """Cases whose name is a panel and a number, by that number."""
    return {float(key.split()[-1]): key for key in keys if key.startswith(panel)}


def draw_curves(
    ax: Any,
    outcome: Outcome,
    places: Mapping[float, str] | None = None,
    *,
    title: str,
    x: str,
    y: str = "accuracy",
    methods: Sequence[str] | None = None,
    level: float | None = None,
) -> None:
    """One line per method with its standard error; open marks are the published values.

    ``places`` has the cases of the picture by their place on the axis; None for all, by number.
    A horizontal line at ``level`` is the accuracy of Bayes' rule.
    """
    places = numbered(outcome.cases) if places is None else places
    at = [place for place, case in places.items() if case in outcome.cases]
    listed = outcome.experiment.methods
    # A method looks the same in all panels.
    for method, color, mark in zip(listed, cluster_colors(len(listed)), cycle(_MARKS)):
        if methods is not None and method.key not in methods:
            continue
        ours = {p: e for p in at if (e := outcome.estimate(places[p], method.key))}
        if not ours:
            continue
        means = np.array([e.mean for e in ours.values()])
        errors = np.nan_to_num([e.error for e in ours.values()])
        ax.fill_between([*ours], means - errors, means + errors, color=color, alpha=0.2, lw=0)
        ax.plot([*ours], means, color=color, marker=mark, ms=3.5, lw=1.4, label=method.title)
        known = {p: n.value for p in at if (n := outcome.published(places[p], method.key))}
        ax.plot(
            [*known], [*known.values()], mark, color=color, ms=6, mfc="none", mew=0.8, alpha=0.7
        )
    if level is not None:
        ax.axhline(level, color=GRAY, lw=1, ls="--", zorder=1)
        place = {"xycoords": ("axes fraction", "data"), "ha": "right", "va": "bottom"}
        ax.annotate("Bayes", (1, level), fontsize=SMALL, color=GRAY, **place)
    tidy(ax, title=title, x=x, y=y)
    ax.set_title("open marks: published", loc="right", fontsize=SMALL, color=GRAY)
    legend(ax)
