"""Networks on paper, and scores of partitions as dots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.sparse import csr_array

from kgroups.metrics import contingency
from kgroups.plots import INK, SMALL, NetworkDisplay, cluster_colors, force_layout, tidy
from kgroups.typing import Float64Array, IntArray
from papers.experiment import Outcome
from papers.plots import GRAY, draw_curves, legend
from papers.published import published

_MARKS = "osD^vP*X"
# Communities before the palette's gray.
_COLORED = 6


def draw_network(
    ax: Any,
    A: csr_array,
    labels: IntArray,
    *,
    title: str,
    layout: Float64Array | None = None,
    legend: bool = True,
) -> None:
    """A network with its communities; beyond 2,000 nodes a sample, which the title says."""
    display = NetworkDisplay.from_labels(A, labels, layout=layout, ax=ax)
    if not legend:
        ax.get_legend().remove()
    drawn, n = len(display.index), A.shape[0]
    sample = "" if drawn == n else f"\n{drawn:,} of {n:,} nodes are drawn"
    ax.set_title(f"{title}{sample}", loc="left", fontsize=SMALL + 1.5, color=INK)


def draw_largest(ax: Any, A: csr_array, labels: IntArray, *, title: str) -> None:
    """A network whose largest communities have colors; all others are gray."""
    rank = np.argsort(np.argsort(-np.bincount(labels), kind="stable"))
    # The names in their order are the places in the palette, and that after the sixth is gray.
    names = np.array([*(f"{place + 1}" for place in range(_COLORED)), "others"])
    draw_network(ax, A, names[np.minimum(rank[labels], _COLORED)], title=title)


def draw_found(
    above: Any, below: Any, A: csr_array, truth: IntArray, found: IntArray, *, title: str
) -> None:
    """Communities as planted and, below, as found, in the same places and colors.

    The layout does not use the communities.
    """
    layout = force_layout(A, np.zeros(A.shape[0], np.int64))
    # Numbers by which most nodes keep theirs.
    _, names = linear_sum_assignment(contingency(found, truth), maximize=True)
    same = names[found]
    wrong = int(np.count_nonzero(same != truth))
    below_title = f"found: {wrong} of {len(truth)} elsewhere"
    draw_network(above, A, truth, title=f"{title}: planted", layout=layout, legend=False)
    draw_network(below, A, same, title=below_title, layout=layout, legend=False)


def draw_overlaps(
    ax: Any,
    outcome: Outcome,
    *,
    title: str,
    methods: Sequence[str] | None = None,
    reference: str | None = None,
) -> None:
    """Overlap against λ, with the threshold of detection at λ = 1.

    ``reference`` is a method whose published curve for two communities is dashed.
    """
    draw_curves(ax, outcome, title=title, x="λ", y="overlap", methods=methods)
    ax.axvline(1, color=GRAY, lw=0.8, ls=":", zorder=1)
    if reference is not None:
        numbers = published("fig5a", "overlap").items()
        known = sorted((float(case), p.value) for (case, key, _), p in numbers if key == reference)
        ax.plot(*zip(*known, strict=True), "--", color=INK, lw=1.1, label="k = 2, published")
        legend(ax)


def draw_dots(
    ax: Any, outcome: Outcome, places: Mapping[str, tuple[str, str]], *, title: str, x: str
) -> None:
    """One dot per method, its mean; open marks are the published values.

    ``places`` has a case and a measure by the name of their line.
    """
    shown = [
        method
        for method in outcome.experiment.methods
        if any(outcome.estimate(case, method.key, m) for case, m in places.values())
    ]
    apart = 0.7 * ((np.arange(len(shown)) + 0.5) / len(shown) - 0.5)
    for method, color, mark, shift in zip(shown, cluster_colors(len(shown)), cycle(_MARKS), apart):
        for row, (case, measure) in enumerate(places.values()):
            ours = outcome.estimate(case, method.key, measure)
            theirs = outcome.published(case, method.key, measure)
            if ours is not None:
                ax.plot(ours.mean, row + shift, mark, ms=4.5, color=color)
            if theirs is not None:
                ax.plot(theirs.value, row + shift, mark, ms=8.5, mec=color, mfc="none", mew=0.9)
        ax.plot([], [], mark, ms=4.5, color=color, label=method.title)
    ax.set_yticks(range(len(places)), list(places))
    ax.set_ylim(len(places) - 0.5, -0.5)
    for row in range(1, len(places)):
        ax.axhline(row - 0.5, color="#E4E4E4", lw=0.7, zorder=0)
    tidy(ax, title=title, x=x, y="")
    ax.set_title("open marks: published", loc="right", fontsize=SMALL, color=GRAY)
    ax.legend(
        fontsize=SMALL, labelcolor=INK, bbox_to_anchor=(1, 1), loc="upper left", frameon=False
    )


def draw_sizes(ax: Any, partitions: Mapping[str, IntArray], *, title: str) -> None:
    """Communities by falling size, a kind of mark for each partition."""
    colors = cluster_colors(len(partitions))
    for (name, labels), color, mark in zip(partitions.items(), colors, cycle(_MARKS)):
        sizes = np.sort(np.bincount(labels))[::-1]
        ax.loglog(np.arange(1, len(sizes) + 1), sizes, mark, ms=3.5, color=color, label=name)
    tidy(ax, title=title, x="rank of the community", y="nodes")
    ax.legend(fontsize=SMALL, labelcolor=INK, frameon=False)
