"""Networks on paper, and scores of partitions as dots."""

from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.sparse import csr_array

from kgroups.metrics import contingency
from kgroups.plots import (
    INK,
    SMALL,
    NetworkDisplay,
    cluster_colors,
    force_layout,
    require_matplotlib,
    tidy,
)
from kgroups_papers.experiment import Outcome
from kgroups_papers.published import Numbers
from kgroups_papers.types import Float64Array, IntArray

_GRAY = "#666666"
_MARKS = "osD^vP*X"
# Communities before the palette's gray.
_COLORED = 6
# Of one panel of a network.
_PANEL = (3.9, 3.7)


def grid(n_rows: int, n_columns: int, panel: tuple[float, float] = _PANEL) -> tuple[Any, Any]:
    """A figure outside pyplot and its axes, an array of (n_rows, n_columns)."""
    require_matplotlib()
    from matplotlib.figure import Figure

    size = (panel[0] * n_columns, panel[1] * n_rows)
    made = Figure(figsize=size, layout="constrained")
    return made, made.subplots(n_rows, n_columns, squeeze=False)


def draw_network(
    ax: Any,
    A: csr_array,
    labels: IntArray,
    *,
    title: str,
    layout: Float64Array | None = None,
    legend: bool = False,
) -> None:
    """A network with its communities; beyond 2,000 nodes a sample, which the title says."""
    display = NetworkDisplay.from_labels(A, labels, layout=layout, ax=ax)
    if not legend and ax.get_legend() is not None:
        ax.get_legend().remove()
    drawn, n = len(display.index), A.shape[0]
    ax.set_title(title if drawn == n else f"{title}\n{drawn:,} of {n:,} nodes are drawn",
                 loc="left", fontsize=SMALL + 1.5, color=INK)  # fmt: skip


def draw_largest(ax: Any, A: csr_array, labels: IntArray, *, title: str) -> None:
    """A network whose largest communities have colors; all others are gray."""
    falling = np.argsort(-np.bincount(labels), kind="stable")
    rank = np.empty(len(falling), np.int64)
    rank[falling] = np.arange(len(falling))
    # The names in their order are the places in the palette, and that after the sixth is gray.
    names = np.array([*(f"{place + 1}" for place in range(_COLORED)), "others"])
    draw_network(ax, A, names[np.minimum(rank[labels], _COLORED)], title=title, legend=True)


def draw_found(
    above: Any, below: Any, A: csr_array, truth: IntArray, found: IntArray, *, title: str
) -> None:
    """Communities as planted and, below, as found, in the same places and colors.

    The layout does not use the communities.
    """
    layout = force_layout(A, np.zeros(A.shape[0], np.int64))
    same = named_after(truth, found)
    wrong = int(np.count_nonzero(same != truth))
    draw_network(above, A, truth, title=f"{title}: planted", layout=layout)
    draw_network(below, A, same, title=f"found: {wrong} of {len(truth)} elsewhere", layout=layout)


def named_after(truth: IntArray, found: IntArray) -> IntArray:
    """The communities found, with the numbers by which most nodes keep theirs.

    >>> named_after(np.array([0, 0, 1, 1]), np.array([1, 1, 1, 0])).tolist()
    [0, 0, 0, 1]
    """
    table = contingency(truth, found)
    rows, columns = linear_sum_assignment(-table)
    name = np.empty(table.shape[1], np.int64)
    name[columns] = rows
    return name[found]


def draw_threshold(ax: Any) -> None:
    """λ = 1, below which communities cannot be detected."""
    ax.axvline(1, color=_GRAY, lw=0.8, ls=":", zorder=1)


def draw_reference(ax: Any, numbers: Numbers, method: str, label: str) -> None:
    """A published curve of another experiment, dashed."""
    known = {float(case): p.value for (case, key, _), p in numbers.items() if key == method}
    at = sorted(known)
    ax.plot(at, [known[place] for place in at], "--", color=INK, lw=1.1, zorder=1, label=label)
    ax.legend(fontsize=SMALL - 1, labelcolor=INK, framealpha=0.9)


class Place(NamedTuple):
    """A line in a chart of dots: one measure of one case."""

    label: str
    case: str
    measure: str


def draw_dots(ax: Any, outcome: Outcome, places: Sequence[Place], *, title: str, x: str) -> None:
    """One dot per method, its mean; open marks are the published values."""
    shown = [
        method
        for method in outcome.experiment.methods
        if any(outcome.estimate(case, method.key, measure) for _, case, measure in places)
    ]
    colors = cluster_colors(max(1, len(shown)))
    apart = np.linspace(-0.3, 0.3, len(shown)) if len(shown) > 1 else np.zeros(1)
    for method, color, mark, shift in zip(shown, colors, cycle(_MARKS), apart):
        ours = _numbers(outcome.estimate(c, method.key, m) for _, c, m in places)
        theirs = _numbers(outcome.published(c, method.key, m) for _, c, m in places)
        _dots(ax, {row + shift: e.mean for row, e in ours.items()}, mark, ms=4.5, color=color,
              label=method.title)  # fmt: skip
        _dots(ax, {row + shift: p.value for row, p in theirs.items()}, mark, ms=8.5, mec=color,
              mfc="none", mew=0.9)  # fmt: skip
    ax.set_yticks(range(len(places)), [place.label for place in places])
    ax.set_ylim(len(places) - 0.5, -0.5)
    for row in range(1, len(places)):
        ax.axhline(row - 0.5, color="#E4E4E4", lw=0.7, zorder=0)
    tidy(ax, title=title, x=x, y="")
    ax.set_title("open marks: published", loc="right", fontsize=SMALL, color=_GRAY)
    ax.legend(
        fontsize=SMALL, labelcolor=INK, loc="upper left", bbox_to_anchor=(1, 1), frameon=False
    )


def _numbers(found: Any) -> dict[int, Any]:
    """The numbers that exist, by their row."""
    return {row: number for row, number in enumerate(found) if number is not None}


def _dots(ax: Any, at: Mapping[float, float], mark: str, **style: Any) -> None:
    ax.plot(list(at.values()), list(at), ls="", marker=mark, **style)


def draw_sizes(ax: Any, sizes: Mapping[str, IntArray], *, title: str) -> None:
    """Communities by falling size, a kind of mark for each partition."""
    colors = cluster_colors(max(1, len(sizes)))
    for (name, found), color, mark in zip(sizes.items(), colors, cycle(_MARKS)):
        rank = np.arange(1, len(found) + 1)
        ax.loglog(rank, np.sort(found)[::-1], mark, ms=3.5, color=color, label=name)
    tidy(ax, title=title, x="rank of the community", y="nodes")
    ax.legend(fontsize=SMALL, labelcolor=INK, frameon=False)
