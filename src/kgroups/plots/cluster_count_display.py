"""Each criterion for the number of clusters against k, and the k that it suggests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np

from kgroups.plots._arguments import check_result
from kgroups.plots.style import (
    INK,
    SMALL,
    blank,
    cluster_colors,
    count_axis,
    pyplot_figure,
    require_matplotlib,
    tidy,
)
from kgroups.select import ClusterCount, Criterion
from kgroups.text import counted
from kgroups.typing import Float64Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_INCHES = (4.2, 3.1)
_COLUMNS = 3
# Points between the panels and the title above them, for the titles of the panels.
_ABOVE = 26
# Up to this many numbers of clusters, each has its own tick.
_MOST_TICKS = 15
_BAND = "#EEF3F8"
_Y = {
    "separation": "p-value of the least separated pair",
    "gap": "gap",
    "prediction strength": "share predicted",
    "silhouette": "mean silhouette",
    "eigengap": "gap of eigenvalues",
}
# On which side of its line a value speaks for k.
_SIDE = {"separation": "≤ ", "prediction strength": "≥ "}


@dataclass(kw_only=True, eq=False)
class ClusterCountDisplay:
    """One panel per criterion: values against k, the line that judges them, the suggested k.

    Criteria that are counted come first and in color; the band in every panel is the answer.

    Attributes
    ----------
    figure_, axes_, bounding_ax_
        The figure, the axes of the criteria in their order, and the axes that were given and made
        room for them; None without such axes.
    """

    count: ClusterCount

    @classmethod
    def from_count(cls, count: ClusterCount, *, ax: Axes | None = None) -> Self:
        """Draw what :func:`kgroups.select.choose_n_clusters` returned.

        Parameters
        ----------
        count : ClusterCount
        ax : matplotlib axes or None
            The panels take the place of these axes, which are turned off. None makes a pyplot
            figure.
        """
        require_matplotlib()
        check_result(count, ClusterCount, "choose_n_clusters")
        return cls(count=count).plot(ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw in the place of ``ax``, or on a new pyplot figure."""
        self.bounding_ax_ = ax
        if ax is None:
            self._fill(pyplot_figure(*self._inches()))
            return self
        place = ax.get_subplotspec()
        if place is None:
            raise ValueError("ax must be one of the axes that Figure.subplots makes.")
        self.figure_ = ax.figure
        ax.set_axis_off()
        ax.set_title(self._title(), fontsize=13, color=INK, pad=_ABOVE)
        rows, columns = self._grid()
        grid = place.subgridspec(rows, columns)
        self._draw([self.figure_.add_subplot(grid[i]) for i in range(rows * columns)])
        return self

    def on_page(self) -> Figure:
        """Draw on a new figure, which belongs to no window and no pyplot state, and return it."""
        figure, self.bounding_ax_ = blank(*self._inches()), None
        self._fill(figure)
        return figure

    def _fill(self, figure: Figure) -> None:
        self.figure_ = figure
        self._draw(figure.subplots(*self._grid(), squeeze=False).ravel().tolist())
        figure.suptitle(self._title(), fontsize=13, color=INK)

    def _grid(self) -> tuple[int, int]:
        """Rows and columns of panels."""
        columns = min(_COLUMNS, len(self.count.criteria))
        return -(-len(self.count.criteria) // columns), columns

    def _inches(self) -> tuple[float, float]:
        rows, columns = self._grid()
        return columns * _INCHES[0], rows * _INCHES[1] + 0.4

    def _draw(self, panels: list[Axes]) -> None:
        """Draw the criteria on the first panels, and how to read them on the others."""
        criteria = self.count.criteria
        self.axes_ = panels[: len(criteria)]
        for ax, criterion in zip(self.axes_, criteria, strict=True):
            self._panel(ax, criterion)
        for ax in panels[len(criteria) :]:
            ax.set_axis_off()
            self._legend(ax)

    def _panel(self, ax: Axes, criterion: Criterion) -> None:
        color = cluster_colors(1)[0] if criterion.knows_one else "#888888"
        k = criterion.k
        ax.axvspan(self.count.n_clusters - 0.5, self.count.n_clusters + 0.5, color=_BAND, lw=0)
        if criterion.threshold is not None:
            _line(ax, criterion.threshold, _SIDE.get(criterion.name, ""))
        ax.errorbar(k, criterion.values, yerr=criterion.errors, color=color, lw=1.4, marker="o",
                    ms=4, capsize=2, elinewidth=0.9)  # fmt: skip
        _ring(ax, criterion, color)
        ax.set_xlim(k[0] - 0.6, k[-1] + 0.6)
        if criterion.name in _SIDE:  # shares and p-values, from 0 to 1
            ax.set_ylim(-0.05, 1.05)
        vote = "" if criterion.knows_one else " (not counted)"
        tidy(
            ax,
            title=f"{criterion.name.capitalize()}: {criterion.n_clusters}{vote}",
            x="number of clusters k",
            y=_Y.get(criterion.name, criterion.name),
        )
        if len(k) <= _MOST_TICKS:
            ax.set_xticks(k)
        else:
            count_axis(ax.xaxis)

    def _legend(self, ax: Axes) -> None:
        """Say how to read the panels, in the place that is left."""
        lines = [
            "ring: suggested k (at the top if it has no value)",
            "band: the answer",
            "dashed: values beyond this line speak for k",
        ]
        if any(criterion.errors is not None for criterion in self.count.criteria):
            lines.append("bars: standard errors")
        ax.text(0.0, 0.85, "\n".join(lines), va="top", fontsize=9.5, color=INK, linespacing=1.8,
                transform=ax.transAxes)  # fmt: skip

    def _title(self) -> str:
        count = self.count
        what = counted(count.n_clusters, "cluster")
        is_sample = count.n_samples < count.n_given
        seen = f", from a sample of {count.n_samples:,}" if is_sample else ""
        return f"{what} in {counted(count.n_given, 'row')}: {count.certainty}{seen}"


def _line(ax: Axes, value: float, side: str) -> None:
    """Draw the line that values are judged by, with its number."""
    ax.axhline(value, color="#999999", lw=0.9, ls="--")
    ax.annotate(
        f"{side}{value:g}", (1, value), (-2, 3), fontsize=SMALL, ha="right", color="#777777",
        xycoords=("axes fraction", "data"), textcoords="offset points",
    )  # fmt: skip


def _ring(ax: Axes, criterion: Criterion, color: str | Float64Array) -> None:
    """Draw a ring around the value of the suggested k, or at the top if it has none."""
    value = criterion.values[criterion.k == criterion.n_clusters][0]
    is_known = bool(np.isfinite(value))
    ax.plot(
        criterion.n_clusters, value if is_known else 0.94, "o", ms=11, mfc="none", mec=color,
        mew=1.6, transform=ax.transData if is_known else ax.get_xaxis_transform(), clip_on=False,
    )  # fmt: skip
