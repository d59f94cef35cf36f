"""Means against an axis, with published values next to them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import Any

import numpy as np

from kgroups.plots import INK, SMALL, cluster_colors, require_matplotlib, tidy
from kgroups_papers.experiment import Method, Outcome

_MARKS = "osD^vP*X"
_SIZE = (6.4, 4.4)


def figure(n_columns: int = 1, size: tuple[float, float] = _SIZE) -> tuple[Any, Any]:
    """A figure outside pyplot and its axes in a row; a single pair of axes comes bare."""
    require_matplotlib()
    from matplotlib.figure import Figure

    made = Figure(figsize=(size[0] * n_columns, size[1]), layout="constrained")
    return made, made.subplots(1, n_columns)


@dataclass(frozen=True, kw_only=True)
class Level:
    """A horizontal line with a name, such as Bayes accuracy."""

    at: float
    label: str


def draw_curves(
    ax: Any,
    outcome: Outcome,
    *,
    title: str,
    x: str,
    y: str = "accuracy",
    methods: Sequence[str] | None = None,
    measure: str | None = None,
    keys: Mapping[float, str] | None = None,
    level: Level | None = None,
) -> None:
    """One line per method with its standard error; open marks are the published values.

    ``keys`` maps places on the axis to cases, where only some cases belong in the picture.
    """
    if keys is None:
        keys = {case.x: case.key for case in outcome.cases if case.x is not None}
    listed = outcome.experiment.methods
    is_published = False
    # A method looks the same in all panels.
    for method, color, mark in zip(
        listed, cluster_colors(len(listed)), cycle(_MARKS), strict=False
    ):
        if methods is not None and method.key not in methods:
            continue
        _draw_ours(ax, outcome, keys, method, measure, color, mark)
        known = _published(outcome, keys, method.key, measure)
        is_published |= bool(known)
        open_mark = {"marker": mark, "ms": 6, "mfc": "none", "mew": 0.8, "ls": ""}
        ax.plot(list(known), list(known.values()), color=color, alpha=0.7, **open_mark)
    if level is not None:
        _draw_level(ax, level)
    tidy(ax, title=title, x=x, y=y)
    if is_published:
        ax.set_title("open marks: published", loc="right", fontsize=SMALL, color="#666666")
    if ax.get_legend_handles_labels()[1]:
        ax.legend(fontsize=SMALL - 1, labelcolor=INK, framealpha=0.9)


def _draw_ours(
    ax: Any,
    outcome: Outcome,
    keys: Mapping[float, str],
    method: Method,
    measure: str | None,
    color: Any,
    mark: str,
) -> None:
    """Means with a band of one standard error."""
    found = {place: outcome.estimate(key, method.key, measure) for place, key in keys.items()}
    ours = {place: estimate for place, estimate in found.items() if estimate is not None}
    if not ours:
        return
    at = list(ours)
    means = np.array([estimate.mean for estimate in ours.values()])
    errors = np.nan_to_num([estimate.error for estimate in ours.values()])
    ax.fill_between(at, means - errors, means + errors, color=color, alpha=0.2, lw=0)
    ax.plot(at, means, color=color, marker=mark, ms=3.5, lw=1.4, label=method.title)


def _published(
    outcome: Outcome, keys: Mapping[float, str], method: str, measure: str | None
) -> dict[float, float]:
    """Published values by their place on the axis."""
    found = {place: outcome.published(key, method, measure) for place, key in keys.items()}
    return {place: number.value for place, number in found.items() if number is not None}


def _draw_level(ax: Any, level: Level) -> None:
    ax.axhline(level.at, color="#666666", lw=1, ls="--", zorder=1)
    place = {"xycoords": ("axes fraction", "data"), "ha": "right", "va": "bottom"}
    ax.annotate(level.label, (1, level.at), fontsize=SMALL, color="#666666", **place)
