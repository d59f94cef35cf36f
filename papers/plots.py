"""Pictures of outcomes: curves and dots with published values next to them, networks, points."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import cycle
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from scipy.optimize import linear_sum_assignment
from scipy.sparse import csr_array

from kgroups.metrics import contingency
from kgroups.plots import INK, SMALL, NetworkDisplay, cluster_colors, tidy
from kgroups.typing import Float64Array, IntArray
from papers.experiment import Outcome

GRAY = "#666666"
_MARKS = "osD^vP*X"


def figure(
    n_columns: int = 1, size: tuple[float, float] = (6.4, 4.4), n_rows: int = 1, **settings: Any
) -> tuple[Figure, Any]:
    """A figure outside pyplot and its axes, as ``subplots`` gives them; ``size`` is that of one."""
    made = Figure(figsize=(size[0] * n_columns, size[1] * n_rows), layout="constrained")
    return made, made.subplots(n_rows, n_columns, **settings)


def finish(ax: Any, title: str, x: str, y: str) -> None:
    """Titles and a legend."""
    tidy(ax, title=title, x=x, y=y)
    ax.legend(fontsize=SMALL - 1, labelcolor=INK, framealpha=0.9)


def draw_means(
    ax: Any,
    outcome: Outcome,
    places: Mapping[float, tuple[str, str]],
    line: str = "-",
    methods: Sequence[str] | None = None,
) -> None:
    """Means of each method with their standard errors; open marks are the published values.

    ``places`` has a case and a measure by the place on the axis.
    """
    listed = outcome.experiment.facts.methods
    # Dots of one place stand next to each other. A method looks the same in all panels.
    apart = np.linspace(-0.3, 0.3, len(listed)) if not line else np.zeros(len(listed))
    looks = zip(listed, cluster_colors(len(listed)), cycle(_MARKS), apart)
    for method, color, mark, shift in looks:
        found = {at: outcome.estimate(c, method.key, m) for at, (c, m) in places.items()}
        ours = {at + shift: estimate for at, estimate in found.items() if estimate is not None}
        if not ours or (methods is not None and method.key not in methods):
            continue
        means = [estimate.mean for estimate in ours.values()]
        errors = np.nan_to_num([estimate.error for estimate in ours.values()])
        ax.errorbar(list(ours), means, errors, color=color, fmt=f"{mark}{line}", ms=3.5,
                    elinewidth=0.8, label=method.title)  # fmt: skip
        for at, (case, measure) in places.items():
            theirs = outcome.experiment.facts.numbers.get((case, method.key, measure))
            if theirs is not None:
                ax.plot(at + shift, theirs.value, mark, color=color, ms=7, mfc="none", alpha=0.7)
    ax.set_title("open marks: published", loc="right", fontsize=SMALL, color=GRAY)


def draw_curves(
    ax: Any, outcome: Outcome, *, title: str, x: str, kind: str = "", **settings: Any
) -> None:
    """Means against the number that each case of a kind is called by."""
    measure = outcome.experiment.facts.measures[0]
    names = [(*key.rpartition(" "), key) for key in outcome.cases]
    places = {float(at): (key, measure) for of, _, at, key in names if of == kind}
    draw_means(ax, outcome, places, **settings)
    finish(ax, title, x, measure)


def draw_dots(ax: Any, outcome: Outcome, places: Sequence[tuple[str, str]], *, title: str) -> None:
    """Means at cases and measures, one next to the other."""
    draw_means(ax, outcome, dict(enumerate(places)), line="")
    finish(ax, title, "", "")
    several = len({measure for _, measure in places}) > 1
    names = [f"{case}: {measure}" if several else case for case, measure in places]
    ax.set_xticks(range(len(places)), names, rotation=30, ha="right")


def curves(
    x: str, panels: Mapping[str, tuple[str, float | None]], **settings: Any
) -> Callable[[Outcome], Any]:
    """What draws curves in a row: by the kind of their cases, title and Bayes accuracy."""

    def draw(outcome: Outcome) -> Any:
        made, axes = figure(len(panels), squeeze=False)
        for ax, (kind, (title, bayes)) in zip(axes[0], panels.items(), strict=True):
            if bayes is not None:
                ax.axhline(bayes, color=GRAY, lw=1, ls="--", label="Bayes")
            draw_curves(ax, outcome, title=title, x=x, kind=kind, **settings)
        return made

    return draw


def draw_network(ax: Any, A: csr_array, labels: IntArray, title: str, **settings: Any) -> None:
    """A network with its communities; beyond 2,000 nodes a sample, which the title says."""
    display = NetworkDisplay.from_labels(A, labels, ax=ax, **settings)
    drawn, n = len(display.index), A.shape[0]
    sample = "" if drawn == n else f"\n{drawn:,} of {n:,} nodes are drawn"
    ax.set_title(f"{title}{sample}", loc="left", fontsize=SMALL + 1.5, color=INK)


def draw_points(ax: Any, X: Float64Array, labels: IntArray, title: str) -> None:
    """Points in the plane, one color for each cluster."""
    ax.scatter(*X.T, c=cluster_colors(int(labels.max()) + 1)[labels], s=4)
    tidy(ax, title=title, x="", y="")
    ax.set_aspect("equal", adjustable="datalim")


def as_classes(y: IntArray, labels: IntArray) -> IntArray:
    """Clusters by the numbers of the classes that they match best, and those left over behind."""
    counts = contingency(y, labels)
    n_left = max(0, counts.shape[1] - len(counts))
    names, clusters = linear_sum_assignment(np.pad(counts, ((0, n_left), (0, 0))), maximize=True)
    return np.asarray(names[np.argsort(clusters)][labels], np.int64)
