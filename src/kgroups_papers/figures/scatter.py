"""Points in the plane colored by cluster, and how well each method did on such points."""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from kgroups.plots import cluster_colors, require_matplotlib, tidy
from kgroups_papers.experiment import Method, Outcome
from kgroups_papers.role import Role
from kgroups_papers.types import BoolArray, Float64Array, IntArray

_PANEL = (4.0, 3.7)
_LINE = 0.26
_GRAY = "#666666"

#: Bars of one standard error, or from the least run to the best.
Bars = Literal["error", "range"]


def grid(n_columns: int, n_lines: int) -> tuple[Any, Any]:
    """A figure outside pyplot: panels for points above, panels for ``n_lines`` methods below."""
    require_matplotlib()
    from matplotlib.figure import Figure

    heights = [_PANEL[1], 0.9 + _LINE * n_lines]
    size = (_PANEL[0] * n_columns + 1.0, sum(heights))
    made = Figure(figsize=size, layout="constrained")
    return made, made.subplots(2, n_columns, squeeze=False, height_ratios=heights)


def draw_points(
    ax: Any,
    X: Float64Array,
    labels: IntArray,
    *,
    title: str,
    wrong: BoolArray | None = None,
    axes: tuple[str, str] = ("", ""),
) -> None:
    """One color for each cluster; points of another class than their cluster's are crossed."""
    colors = cluster_colors(int(labels.max()) + 1)
    right = np.ones(len(X), np.bool_) if wrong is None else ~wrong
    size = float(np.clip(2_500 / len(X), 3, 14))
    ax.scatter(*X[right].T, c=colors[labels[right]], s=size, lw=0)
    ax.scatter(*X[~right].T, c=colors[labels[~right]], s=1.6 * size, marker="x", lw=0.8)
    said = axes[0]
    if wrong is not None:
        said = f"× of another class: {np.count_nonzero(wrong):,} of {len(X):,}"
    tidy(ax, title=title, x=said, y=axes[1])
    ax.set_aspect("equal", adjustable="datalim")


def draw_dots(
    ax: Any, outcome: Outcome, case: str, methods: Sequence[Method], *, bars: Bars, names: bool
) -> None:
    """One line per method with its mean and error bars; open marks are the published means."""
    for line, method in enumerate(methods):
        values = outcome.values.get((case, method.key, outcome.experiment.measures[0]))
        if values is not None:
            _draw_values(ax, values, line, bars, _color(method))
        theirs = outcome.published(case, method.key)
        if theirs is not None:
            ax.errorbar(theirs.value, line, xerr=theirs.error, fmt="o", ms=8, mfc="none", mew=0.9,
                        color=_GRAY, elinewidth=0.9)  # fmt: skip
    tidy(ax, title="", x="accuracy", y="")
    ax.set_yticks(range(len(methods)), [m.title if names else "" for m in methods])
    ax.set_ylim(len(methods) - 0.5, -0.5)
    ax.grid(axis="y", color="#EEEEEE", zorder=0)
    ax.set_axisbelow(True)


def _draw_values(ax: Any, values: Float64Array, line: int, bars: Bars, color: Any) -> None:
    mean = values.mean()
    if bars == "range":
        reach = np.array([[mean - values.min()], [values.max() - mean]])
    else:
        error = values.std(ddof=1) / np.sqrt(len(values)) if len(values) > 1 else 0.0
        reach = np.array([[error], [error]])
    ax.errorbar(mean, line, xerr=reach, fmt="o", ms=4.5, color=color, elinewidth=2.2)


def _color(method: Method) -> Any:
    """One color for our defaults, another for everything as published."""
    first, second = cluster_colors(2)
    return second if method.role is Role.DEFAULT else first
