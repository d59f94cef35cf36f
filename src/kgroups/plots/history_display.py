"""How the objective grew, pass by pass, from every start."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import cycle
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from kgroups.fit.fitted import FittedClustering
from kgroups.fit.starts_at_best import (
    best_end,
    decided_on_sketch,
    same_objective,
    starts_at_best,
    total_dispersion,
)
from kgroups.plots._arguments import OF_ROWS, check_fitted
from kgroups.plots.style import INK, SMALL, axes_for, count_axis, require_matplotlib, tidy
from kgroups.text import counted
from kgroups.typing import Float64Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Muted, so as not to be taken for the colors of clusters.
_KINDS = ("#6F8FAF", "#C49A6C", "#8FA876", "#A58AA8")


@dataclass(kw_only=True, eq=False)
class ObjectiveHistoryDisplay:
    """Objective after each pass over the points, for every start, with the best one bold.

    Make one with :meth:`from_estimator`. If there are several starts, the axis shows objectives
    from the first pass on, because random labels begin far below, which says nothing about where
    they end.

    Parameters
    ----------
    histories : list of arrays
        Objective before the first pass and after each one, for every start.
    names : list of str
        The kind of each start.
    best : array
        The history of the start that was kept.
    total : float
        S + W, by which objectives of zero are known to be equal.
    where : str
        What the title says about where the starts ran.

    Attributes
    ----------
    ax_, figure_, lines_
        The axes, the figure, and one line per start, then the best.
    """

    histories: list[Float64Array]
    names: list[str]
    best: Float64Array
    total: float = 0.0
    where: str = ""

    @classmethod
    def from_estimator(
        cls, estimator: FittedClustering, *, ax: Axes | None = None, **line_kw: Any
    ) -> Self:
        """Draw the histories that ``estimator`` kept.

        Parameters
        ----------
        estimator : fitted KernelKGroups or KernelKMeans
        ax : matplotlib axes or None
            None makes a pyplot figure.
        **line_kw
            Passed on to ``ax.plot`` for the lines of the starts.
        """
        require_matplotlib()
        check_fitted(estimator, OF_ROWS, "start_histories_")
        display = cls(
            histories=list(estimator.start_histories_),
            names=list(estimator.start_names_),
            best=estimator.objective_history_,
            total=total_dispersion(estimator),
        )
        if decided_on_sketch(estimator):
            display.best = max(display.histories, key=lambda history: float(history[-1]))
            if not display._n_reached(best := best_end(estimator)):
                display.best = np.append(display.best, best)
            display.where = " (on a sample-based approximation)"
        return display.plot(ax, **line_kw)

    @property
    def n_reached(self) -> int:
        """Number of starts that end at the best objective, as a report counts them."""
        return self._n_reached(float(self.best[-1]))

    def _n_reached(self, best: float) -> int:
        ends = [float(history[-1]) for history in self.histories]
        return starts_at_best(ends, best, self.total)

    def plot(self, ax: Axes | None = None, **line_kw: Any) -> Self:
        """Draw on ``ax``, or on a new pyplot figure."""
        self.ax_ = axes_for(ax)
        self.figure_ = self.ax_.figure
        self.lines_ = [*self._draw_starts(line_kw), self._draw_best()]
        tidy(
            self.ax_,
            title=f"Objective by pass{self.where}",
            x="pass over the points",
            y="objective (Q)",
        )
        self._frame()
        self.ax_.legend(loc="lower right", fontsize=SMALL, labelcolor=INK, framealpha=0.9)
        return self

    def _draw_starts(self, line_kw: dict[str, Any]) -> list[Any]:
        kinds = list(dict.fromkeys(self.names))
        colors = dict(zip(kinds, cycle(_KINDS)))
        lines: list[Any] = []
        for name, history in zip(self.names, self.histories, strict=True):
            first = name not in self.names[: len(lines)]
            style: dict[str, Any] = {
                "color": colors[name],
                "lw": 0.8,
                "alpha": 0.7,
                "ms": 3,
                **line_kw,
            }
            label = f"{name}, {counted(self.names.count(name), 'start')}" if first else None
            lines += self._line(history, label=label, **style)
        return lines

    def _draw_best(self) -> Any:
        reached = f"reached by {self.n_reached} of {len(self.histories)}"
        label = f"best, {reached if self.n_reached else 'improved after the starts'}"
        return self._line(self.best, label=label, color=INK, lw=2.2, ms=5)[0]

    def _line(self, history: Float64Array, **style: Any) -> list[Any]:
        """A line with a dot at its end."""
        return list(self.ax_.plot(history, marker="o", markevery=[-1], **style))

    def _frame(self) -> None:
        """Show whole passes, and objectives from the first pass on with room for the legend."""
        from matplotlib.ticker import StrMethodFormatter

        first = 1 if len(self.histories) > 1 else 0
        shown = np.concatenate([h[min(first, len(h) - 1) :] for h in self.histories])
        low, high = float(shown.min()), float(shown.max())
        spread = high - low
        if same_objective(low, high, self.total):  # nothing but rounding to see
            spread = max(abs(high), abs(self.total)) or 1.0
        self.ax_.set_ylim(low - 0.5 * spread, high + 0.08 * spread)
        self.ax_.yaxis.set_major_formatter(StrMethodFormatter("{x:,.6g}"))
        self.ax_.set_xlim(right=max(1.0, self.ax_.get_xlim()[1]))
        count_axis(self.ax_.xaxis)
