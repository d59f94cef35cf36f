"""Pictures of outcomes, in the style of :mod:`kgroups.plots`, for any experiment."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import cycle
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.stats import iqr, norm

from kgroups.metrics import contingency
from kgroups.plots import INK, SMALL, cluster_colors, count_axis, require_matplotlib, tidy
from kgroups.typing import Float64Array, IntArray
from papers.experiment import Outcome, Role

GRAY = "#666666"
#: The style of legends.
LEGEND: dict[str, Any] = {"fontsize": SMALL - 1, "labelcolor": INK, "framealpha": 0.9}
_MARKS = "osD^vP*X"
_SIZE = (6.4, 4.4)


def figure(
    n_columns: int = 1, size: tuple[float, float] = _SIZE, n_rows: int = 1, **settings: Any
) -> tuple[Any, Any]:
    """A figure outside pyplot and its axes, as ``subplots`` gives them; ``size`` is that of one."""
    require_matplotlib()
    from matplotlib.figure import Figure

    made = Figure(figsize=(size[0] * n_columns, size[1] * n_rows), layout="constrained")
    return made, made.subplots(n_rows, n_columns, **settings)


def draw_curves(
    ax: Any,
    outcome: Outcome,
    places: Mapping[float, str] | str = "",
    *,
    title: str,
    x: str,
    y: str = "accuracy",
    methods: Sequence[str] | None = None,
    level: float | None = None,
) -> None:
    """One line per method with its standard error; open marks are the published values.

    ``places`` has the cases of the picture by their place on the axis; a kind stands for those
    that are called by it and their place. A line at ``level`` is the accuracy of Bayes' rule.
    """
    if isinstance(places, str):
        names = [(*key.rpartition(" "), key) for key in outcome.cases]
        places = {float(at): key for kind, _, at, key in names if kind == places}
    listed = outcome.experiment.methods
    # A method looks the same in all panels.
    for method, color, mark in zip(listed, cluster_colors(len(listed)), cycle(_MARKS)):
        ours = {at: e for at, key in places.items() if (e := outcome.estimate(key, method.key))}
        if not ours or (methods is not None and method.key not in methods):
            continue
        means = np.array([estimate.mean for estimate in ours.values()])
        errors = np.nan_to_num([estimate.error for estimate in ours.values()])
        ax.fill_between([*ours], means - errors, means + errors, color=color, alpha=0.2, lw=0)
        ax.plot([*ours], means, color=color, marker=mark, ms=3.5, lw=1.4, label=method.title)
        known = {at: p.value for at in ours if (p := outcome.published(places[at], method.key))}
        ax.plot([*known], [*known.values()], mark, color=color, ms=6, mfc="none", alpha=0.7)
    if level is not None:
        ax.margins(y=0.12)
        ax.axhline(level, color=GRAY, lw=1, ls="--", zorder=1)
        place = {"xycoords": ("axes fraction", "data"), "ha": "right", "va": "bottom"}
        ax.annotate("Bayes", (1, level), fontsize=SMALL, color=GRAY, **place)
    tidy(ax, title=title, x=x, y=y)
    ax.set_title("open marks: published", loc="right", fontsize=SMALL, color=GRAY)
    ax.legend(**LEGEND)


def curves(
    x: str, panels: Mapping[str, tuple[str, float | None]], **settings: Any
) -> Callable[[Outcome], Any]:
    """What draws curves in a row: by the kind of their cases, title and level of each panel."""

    def draw(outcome: Outcome) -> Any:
        """One panel for each kind."""
        made, axes = figure(len(panels), squeeze=False)
        for ax, (kind, (title, level)) in zip(axes[0], panels.items(), strict=True):
            draw_curves(ax, outcome, kind, title=title, x=x, level=level, **settings)
        return made

    return draw


def smoothed(at: Float64Array, points: Float64Array) -> Float64Array:
    """A density from points, with a bandwidth that tails do not widen [Silverman 1986, eq. 3.31].

    That is .9 · min(deviation, quartile range / 1.34) · n^(−1/5).
    """
    width = 0.9 * min(points.std(), iqr(points) / 1.34) * len(points) ** -0.2
    return np.asarray(norm.pdf(at[:, None], points, width).mean(axis=1))


def draw_densities(ax: Any, x: Float64Array, parts: Mapping[str, IntArray], title: str) -> None:
    """The share and density of each part on a line, with a kind of line for each partition."""
    at = np.linspace(*np.quantile(x, [0.005, 0.95]), 400)
    for (name, labels), color in zip(parts.items(), cluster_colors(len(parts)), strict=True):
        for j, count in enumerate(np.bincount(labels)):
            heights = count / len(x) * smoothed(at, x[labels == j])
            ax.plot(at, heights, color=color, label="" if j else name)
    tidy(ax, title=title, x="x", y="density × share")
    ax.legend(**LEGEND)


def as_classes(y: IntArray, labels: IntArray) -> IntArray:
    """Clusters by the numbers of the classes that they match best, and those left over behind."""
    counts = contingency(y, labels)
    classes, clusters = linear_sum_assignment(counts, maximize=True)
    is_left = ~np.isin(np.arange(counts.shape[1]), clusters)
    names = len(counts) - 1 + np.cumsum(is_left)
    names[clusters] = classes
    return np.asarray(names[labels], np.int64)


def draw_confusion(ax: Any, counts: IntArray, classes: Sequence[str], title: str) -> None:
    """One row per class, one column per cluster; the shade is the share of the class."""
    share = counts / counts.sum(axis=1, keepdims=True)
    _draw_tiles(ax, share, classes, title, "share of the class", cmap="Blues", vmin=0, vmax=1)
    for (i, j), count in np.ndenumerate(counts):
        if count:
            color = "white" if share[i, j] > 0.55 else INK
            ax.text(j, i, str(count), ha="center", va="center", fontsize=SMALL, color=color)


def draw_heat(ax: Any, means: Float64Array, features: Sequence[str], title: str) -> None:
    """One row per feature and one column per cluster; red above 0 and blue below."""
    reach = float(np.abs(means).max())
    shades = {"cmap": "RdBu_r", "vmin": -reach, "vmax": reach}
    _draw_tiles(ax, means.T, features, title, "mean, in deviations of the column", **shades)


def _draw_tiles(
    ax: Any, values: Float64Array, rows: Sequence[str], title: str, what: str, **shades: Any
) -> None:
    image = ax.imshow(values, aspect="auto", **shades)
    tidy(ax, title=title, x="cluster", y="")
    ax.set_xticks(range(values.shape[1]), [str(1 + j) for j in range(values.shape[1])])
    ax.set_yticks(range(len(rows)), rows)
    ax.figure.colorbar(image, ax=ax, pad=0.02).set_label(what, fontsize=SMALL, color=INK)


def draw_gaps(ax: Any, gaps: Mapping[str, Float64Array], chosen: Mapping[str, int]) -> None:
    """The gap after the k-th eigenvalue for k = 2, 3, …, one line per metric."""
    for (name, values), color in zip(gaps.items(), cluster_colors(len(gaps)), strict=True):
        k, best = np.arange(2, len(values) + 1), chosen[name]
        ax.plot(k, values[1:], "o-", color=color, ms=4, label=f"{name}: k = {best}")
        ax.plot(best, values[best - 1], "o", ms=11, mfc="none", mec=color)
    tidy(ax, title="Eigengaps", x="k", y="gap after the k-th eigenvalue")
    count_axis(ax.xaxis)
    ax.legend(**LEGEND)


def draw_points(
    ax: Any, X: Float64Array, labels: IntArray, title: str, y: IntArray | None = None
) -> None:
    """One color for each cluster; points of another class than their cluster's are crossed."""
    color, size = cluster_colors(int(labels.max()) + 1), float(np.clip(2_500 / len(X), 3, 14))
    wrong = np.zeros(len(X), np.bool_) if y is None else labels != y
    for chosen, marker in ((~wrong, "o"), (wrong, "x")):
        ax.scatter(*X[chosen].T, c=color[labels[chosen]], s=size, lw=0.8, marker=marker)
    count = "" if y is None else f"× of another class: {wrong.sum():,} of {len(X):,}"
    tidy(ax, title=title, x=count, y="")
    ax.set_aspect("equal", adjustable="datalim")


def draw_dots(ax: Any, outcome: Outcome, case: str) -> None:
    """One line per method, from its least run to its best; open marks are the published means."""
    methods = outcome.experiment.methods
    first, second = cluster_colors(2)
    for line, method in enumerate(methods):
        values = outcome.values[case, method.key, outcome.experiment.measures[0]]
        mean, color = values.mean(), second if method.role is Role.DEFAULT else first
        ends = [[mean - values.min()], [values.max() - mean]]
        ax.errorbar(mean, line, xerr=ends, fmt="o", ms=4.5, color=color)
        if theirs := outcome.published(case, method.key):
            ax.errorbar(theirs.value, line, fmt="o", ms=8, mfc="none", color=GRAY)
    tidy(ax, title="", x="accuracy; bars from the least run to the best", y="")
    ax.set_yticks(range(len(methods)), [method.title for method in methods])
    ax.invert_yaxis()


def draw_violins(outcome: Outcome, colors: Mapping[str, str], title: str) -> Any:
    """One panel per case, with its own scale and a color for each method; ◇ is published."""
    n_columns, measure = min(6, len(outcome.cases)), outcome.experiment.measures[0]
    n_rows = -(-len(outcome.cases) // n_columns)
    made, axes = figure(n_columns, (2.05, 1.9), n_rows, squeeze=False)
    for ax in axes.flat[len(outcome.cases) :]:
        ax.set_axis_off()
    for ax, case in zip(axes.flat, outcome.cases, strict=False):
        for place, (key, color) in enumerate(colors.items()):
            values = outcome.values[case, key, measure]
            body = ax.violinplot(values, [place], widths=0.8, showextrema=False)["bodies"][0]
            body.set(facecolor=color)
            ax.plot(place, values.mean(), "_", color=color, ms=12, mew=2)
            if theirs := outcome.published(case, key):
                ax.plot(place, theirs.value, "D", color=INK, ms=5, mfc="none", zorder=4)
        tidy(ax, title=case, x="", y="")
        ax.set_xticks([])
    made.suptitle(title, fontsize=11, color=INK)
    return made
