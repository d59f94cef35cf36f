"""How the numbers of all runs are spread."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from kgroups.plots import INK, SMALL, require_matplotlib
from kgroups_papers.experiment import Outcome

_COLUMNS = 6
_PANEL = (2.05, 1.9)
_LEGEND = 0.6


class Violin(NamedTuple):
    """A method and its color."""

    method: str
    color: str


def draw_violins(outcome: Outcome, violins: Sequence[Violin], *, title: str, y: str) -> Any:
    """One panel per case, each with its own scale; open marks are the published means."""
    require_matplotlib()
    from matplotlib.figure import Figure

    cases = outcome.cases
    n_columns = min(_COLUMNS, max(3, len(cases)))
    n_rows = -(-len(cases) // n_columns)
    size = (_PANEL[0] * n_columns, _PANEL[1] * n_rows + _LEGEND)
    made = Figure(figsize=size, layout="constrained")
    panels = made.subplots(n_rows, n_columns, squeeze=False).ravel()
    for panel, case in zip(panels, cases, strict=False):
        _draw_panel(panel, outcome, case.key, violins)
    for panel in panels[len(cases) :]:
        panel.set_axis_off()
    made.suptitle(title, x=0.01, ha="left", fontsize=11, color=INK)
    made.supylabel(y, fontsize=9.5, color=INK)
    _add_legend(made, outcome, violins)
    return made


def _draw_panel(ax: Any, outcome: Outcome, case: str, violins: Sequence[Violin]) -> None:
    measure = outcome.experiment.measures[0]
    for place, (method, color) in enumerate(violins):
        values = outcome.values.get((case, method, measure))
        if values is not None:
            _draw_violin(ax, place, values, color)
        theirs = outcome.published(case, method)
        if theirs is not None:
            ax.plot(place, theirs.value, "D", color=INK, ms=5, mfc="none", mew=0.9, zorder=4)
    ax.set_title(case, fontsize=SMALL, color=INK, loc="left")
    ax.set_xticks([])
    ax.set_xlim(-0.6, len(violins) - 0.4)
    ax.margins(y=0.12)
    ax.tick_params(labelsize=SMALL - 1.5, color="#999999", labelcolor=INK)
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color("#999999")


def _draw_violin(ax: Any, place: int, values: Any, color: str) -> None:
    if np.ptp(values) > 1e-9:
        body = ax.violinplot(values, [place], widths=0.8, showextrema=False)["bodies"][0]
        body.set(facecolor=color, edgecolor="none", alpha=0.35)
        body.set_clip_on(True)
    mean = float(np.mean(values))
    ax.plot([place - 0.25, place + 0.25], [mean, mean], color=color, lw=2, zorder=3)


def _add_legend(made: Any, outcome: Outcome, violins: Sequence[Violin]) -> None:
    from matplotlib.lines import Line2D

    titles = {violin: outcome.experiment.method(violin.method).title for violin in violins}
    handles = [Line2D([], [], color=v.color, lw=2, label=titles[v]) for v in violins]
    handles.append(
        Line2D([], [], label="published mean", marker="D", mfc="none", mec=INK, ms=5, lw=0)
    )
    made.legend(handles=handles, loc="outside lower center", ncols=4, fontsize=SMALL, frameon=False)
